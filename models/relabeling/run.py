"""Relabeling by name: the public edge, where everything is checked once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.catalog import find, parse
from models.catalog.resolve import resolve
from models.errors import ModelError
from models.media.base import Store
from models.media.images.store import images_of
from models.numerics.probability import softmax
from models.protocols import Float32Array, Indices, Progress
from models.relabeling.noisy_labels import Learned, NoisyLabels
from models.target.trained import NetworkModel


@dataclass(frozen=True)
class Relabeled:
    """What a learner thinks of N labels.

    Attributes:
        probabilities: (N, C) float32 on the images as they are; rows sum to 1.
        corrected: (N,) int64 in 0..C-1, the most likely class of each. It is what the network
            says, not y - s of `sop_plus`: the network is what was kept free of noise, it says
            something of images that were not learned from too, and its probability is a
            confidence; what u and v say is in `extras`.
        confidence: (N,) float32 in 0..1, the probability of that class, higher = surer.
        accuracy: share of the evaluation images that are named right after the last epoch, 0..1;
            None without any.
        extras: single numbers of the learner.
    """

    probabilities: Float32Array
    corrected: Indices
    confidence: Float32Array
    accuracy: float | None
    extras: Mapping[str, float]


def relabel(
    learner: str,
    store: Store,
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    seed: int,
    work: Path,
    params: Mapping[str, Any] | None = None,
    trained_on: Indices | None = None,
    evaluation: Indices | None = None,
    evaluation_labels: Indices | None = None,
    progress: Progress | None = None,
) -> Relabeled:
    """Learn from noisy labels, and say what every label should be.

    The same seed gives the same result, on a CPU bit for bit, whether or not the call was
    interrupted and made again.

    Args:
        learner: name of an entry of kind "learner" in the catalog.
        store: the pool, of images.
        indices: (N,) rows of the store with a label.
        labels: (N,) int64 in 0..classes-1, some of them wrong.
        classes: C >= 2.
        seed: of weights, batches and augmentation.
        work: directory for checkpoints, from which a call that was interrupted goes on. The caller
            removes it in the end.
        params: of the learner; what is left out has its default.
        trained_on: (n,) positions in 0..N-1 that are learned from, such as the kept ones of a
            subset; None = all.
        evaluation: (E,) rows of the store to measure the accuracy on; may be empty.
        evaluation_labels: (E,) int64 in 0..classes-1.
        progress: counts steps of training, then images; may raise `Cancelled`.

    Raises:
        ModelError: a pool of something else, unknown learner or parameter, labels outside the
            classes, fewer than two classes, a class with one example, or training diverged.
    """
    spec = find("learner", learner)
    chosen = parse("learner", learner, params or {})
    positions = np.arange(len(labels)) if trained_on is None else np.sort(trained_on)
    _require_rows(indices, labels, positions)
    require_learnable(labels, classes, positions)
    work.mkdir(parents=True, exist_ok=True)
    noisy = NoisyLabels(
        images_of(store), indices[positions], labels[positions], classes, seed, work
    )
    learned: Learned = resolve(spec)(noisy, chosen, progress)
    probabilities = _mean(learned.models, indices, progress)
    accuracy = None
    if evaluation is not None and evaluation_labels is not None and len(evaluation):
        named = _mean(learned.models, evaluation, progress).argmax(axis=1)
        accuracy = float((named == evaluation_labels).mean())
    corrected: Indices = probabilities.argmax(axis=1).astype(np.int64)
    return Relabeled(
        probabilities, corrected, probabilities.max(axis=1), accuracy, dict(learned.extras)
    )


def require_learnable(
    labels: Indices,
    classes: int,
    trained_on: Indices | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Refuse labels from which nothing can be learned.

    A subset may well keep one image of a class, or none: that is its choice, not a lack of labels.

    Args:
        labels: (N,) integers.
        classes: C.
        trained_on: (n,) positions that are learned from; None = all.
        names: (C,) of the classes, for the message; default: their numbers.

    Raises:
        ModelError: a label outside 0..C-1, fewer than two classes to learn from, or a class with
            one label, of which nobody could say whether it is right.
    """
    if classes < 2:
        raise ModelError(
            "Labels are judged by comparing classes with each other, and the project has "
            f"{'one' if classes else 'none'}; add another class and label images of it."
        )
    outside = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(outside):
        raise ModelError(
            f"{len(outside)} of {len(labels)} labels are outside 0..{classes - 1} (the first at "
            f"position {outside[0]}); leave out what has no class."
        )
    if len(np.unique(labels)) < 2:
        raise ModelError(
            "Fewer than two classes have a labeled image; label some images of each class first."
        )
    if trained_on is not None and len(np.unique(labels[trained_on])) < 2:
        raise ModelError(
            "The subset keeps fewer than two classes; choose a larger or a balanced one."
        )
    single = np.flatnonzero(np.bincount(labels, minlength=classes) == 1)
    if len(single):
        named = ", ".join(str(one) if names is None else names[one] for one in single[:10])
        raise ModelError(
            f"{len(single)} of {classes} classes have a single labeled image ({named}), of which "
            "nobody could say whether it is right; label more images of them."
        )


def _require_rows(indices: Indices, labels: Indices, positions: Indices) -> None:
    if indices.shape != labels.shape or indices.ndim != 1:
        raise ModelError(f"Got {indices.shape} indices for {labels.shape} labels; one each.")
    if len(positions) == 0 or positions[0] < 0 or positions[-1] >= len(labels):
        raise ModelError(
            f"There are {len(positions)} positions to learn from, which have to be among the "
            f"{len(labels)} labeled images; choose a subset of these labels."
        )
    if len(np.unique(positions)) < len(positions):
        raise ModelError("A position to learn from is given twice; name each once.")


def _mean(
    models: tuple[NetworkModel, ...], indices: Indices, progress: Progress | None
) -> Float32Array:
    """Return the mean probabilities (n, C) of the models."""
    each = [softmax(model.infer(indices, progress=progress).logits) for model in models]
    probabilities: Float32Array = np.mean(each, axis=0).astype(np.float32)
    return probabilities
