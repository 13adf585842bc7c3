"""cleanlab's judgement of the labels, by features that no label has shaped.

Source: C. Northcutt, L. Jiang, I. Chuang, "Confident Learning: Estimating Uncertainty in Dataset
Labels", JAIR 2021; J. Kuan, J. Mueller, "Model-agnostic label quality scoring to detect real-world
label errors", ICML DataPerf workshop 2022 (normalised margin).
"""

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.networks import PatchKMeansParams
from models.heads.head import Scaling, fit_head
from models.media.images.patch_kmeans import PatchKMeans
from models.media.images.store import PixelStore
from models.numerics.probability import softmax
from models.protocols import Float32Array, Indices, Progress
from models.relabeling.run import require_learnable

_FOLDS: Final = 5
_L2: Final = 0.1
_BLOCK: Final = 1024


@dataclass(frozen=True)
class SecondOpinion:
    """What cleanlab says of N labels.

    Attributes:
        probabilities: (N, C) float32, out of sample.
        quality: (N,) float32 in 0..1, normalised margin: half of 1 + p(label) - p(likeliest other
            class); lower = more likely wrong.
        issue: (N,) bool, labels that confident learning would remove.
    """

    probabilities: Float32Array
    quality: Float32Array
    issue: NDArray[np.bool_]


def second_opinion(
    store: PixelStore,
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    seed: int,
    flip: bool = True,
    progress: Progress | None = None,
) -> SecondOpinion:
    """Judge labels by `patch_kmeans` features of the pool and a head that has not seen them.

    Args:
        store: the pool, images larger than 6 px.
        indices: (N,) rows with a label.
        labels: (N,) int64 in 0..classes-1.
        classes: C.
        seed: of the features and the folds.
        flip: whether features take an image and its mirror image for the same.
        progress: counts steps, images, then folds; may raise `Cancelled`.

    Raises:
        ModelError: labels of which nothing can be said (`require_learnable`), or images too small.
    """
    require_learnable(labels, classes)
    embeddings = unsupervised_embeddings(store, indices, seed=seed, flip=flip, progress=progress)
    probabilities = out_of_sample(embeddings, labels, classes=classes, seed=seed, progress=progress)
    return judge(labels, probabilities)


def unsupervised_embeddings(
    store: PixelStore,
    indices: Indices,
    *,
    seed: int,
    flip: bool = True,
    progress: Progress | None = None,
) -> Float32Array:
    """Return (N, D) `patch_kmeans` embeddings of rows of the store, fitted on the whole of it."""
    extractor = PatchKMeans.fit(store, PatchKMeansParams(flip=flip), seed=seed, progress=progress)
    embeddings = np.empty((len(indices), extractor.dimension), dtype=np.float32)
    for start in range(0, len(indices), _BLOCK):
        if progress is not None:
            progress(start, len(indices))
        block = slice(start, start + _BLOCK)
        embeddings[block] = extractor.extract(store[indices[block]])
    return embeddings


def out_of_sample(
    embeddings: Float32Array,
    labels: Indices,
    *,
    classes: int,
    seed: int,
    progress: Progress | None = None,
) -> Float32Array:
    """Return (N, C) probabilities by logistic heads, each fitted without the fold it predicts.

    Args:
        embeddings: (N, D) float32, made without labels.
        labels: (N,) int64 in 0..classes-1, two classes or more.
        classes: C.
        seed: of the folds, which have equal shares of each class.
        progress: counts folds; may raise `Cancelled`.
    """
    from sklearn.model_selection import StratifiedKFold

    result = np.empty((len(labels), classes), dtype=np.float32)
    scaling = Scaling.fit(embeddings)
    folds = min(_FOLDS, int(np.bincount(labels).max()))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class of fewer examples than folds is missing from some, which is no trouble here.
        warnings.simplefilter("ignore", UserWarning)
        divided = list(splitter.split(embeddings, labels))
    for number, (rest, fold) in enumerate(divided):
        if progress is not None:
            progress(number, folds)
        head = fit_head(embeddings[rest], labels[rest], classes=classes, l2=_L2, scaling=scaling)
        result[fold] = softmax(head.logits(embeddings[fold]))
    if progress is not None:
        progress(folds, folds)
    return result


def judge(labels: Indices, probabilities: Float32Array) -> SecondOpinion:
    """Score labels by (N, C) probabilities that are out of sample."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    # Of classes without a label cleanlab warns, and can say nothing.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        quality = get_label_quality_scores(labels, probabilities, method="normalized_margin")
        # One process: a worker may not have children.
        issue = find_label_issues(labels, probabilities, n_jobs=1)
    return SecondOpinion(probabilities, quality.astype(np.float32), issue)
