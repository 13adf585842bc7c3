"""What a purity says of verdicts that it has not learned from."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from models.catalog import find
from models.errors import ModelError
from models.evaluation.ood_detection import Telling, telling
from models.numerics.intervals import FEWEST
from models.protocols import Float32Array, Indices, OpenSetLabels, Outputs, TargetModel
from models.rounds.query import QuerySettings, infer, score_of, view_of

_FOLDS: Final = 3
_MOST: Final = 3_000


def tells_apart(
    model: TargetModel,
    labeled: Indices,
    labels: OpenSetLabels,
    verdicts: Outputs,
    settings: QuerySettings,
    *,
    seed: int,
    contrastive: NDArray[np.float32] | None = None,
    learn: Callable[[Indices], TargetModel] | None = None,
) -> Telling | None:
    """Judge the purity by three-fold cross-validation on the verdicts.

    Honest for a model on frozen embeddings alone: those of a network that was trained have seen the
    verdicts. So have the outputs of any model: a purity that looks at them is judged by models that
    learn from the other folds alone. The verdicts are of images that were asked about, so the pool
    may be easier.

    Args:
        model: of this round, frozen.
        labeled: (L,) pool indices of the verdicts.
        labels: what these L verdicts say.
        verdicts: what the model says of them.
        settings: names the purity.
        seed: decides the folds, and the draw of 3,000 where there are more.
        contrastive: features of the whole pool by the contrastive learner, rows by pool index.
        learn: makes a model like `model` of the verdicts at (n,) pool indices alone; None where
            that takes too long.

    Returns:
        None with fewer than 20 verdicts, without both kinds, where the purity cannot be had, or
        where it looks at outputs and `learn` is None.
    """
    by_features = find("purity", settings.purity).by_features
    if len(labels) < FEWEST or not (by_features or learn):
        return None
    drawn = np.random.default_rng(seed).permutation(len(labels))[:_MOST]
    inside = labels.inside[drawn]
    # As much of either kind in each fold as there can be.
    fold = np.empty(len(drawn), dtype=np.int64)
    for kind in (inside, ~inside):
        fold[kind] = np.arange(kind.sum()) % _FOLDS
    # Left-out scores of different folds are compared by rank within their fold's own scale.
    found: list[tuple[Float32Array, NDArray[np.bool_]]] = []
    for number in range(_FOLDS):
        seen, tested = drawn[fold != number], np.sort(drawn[fold == number])
        try:
            if by_features:
                known, outputs = verdicts.take(seen), verdicts.take(tested)
            else:
                assert learn is not None
                model = learn(labeled[seen])
                known, outputs = infer(model, labeled[seen]), infer(model, labeled[tested])
            view = view_of(
                model, outputs, labeled[tested], known, labeled[seen], labels[seen],
                seed=seed, contrastive=contrastive,
            )  # fmt: skip
            purity = score_of("purity", settings.purity, settings.purity_params, view)
        except ModelError:
            # Not ready, or not finite: that is for the round to say, and no reason to end it.
            return None
        if purity.by != settings.purity:
            return None
        found.append((purity.values, labels.inside[tested]))
    return _joined(found)


def _joined(folds: list[tuple[Float32Array, NDArray[np.bool_]]]) -> Telling | None:
    """Judge all folds by places within each: their scales differ, their orders do not.

    What scores alike has one place.
    """
    places = [(rankdata(score) - 1) / max(1, len(score) - 1) for score, _ in folds]
    return telling(np.concatenate(places), np.concatenate([inside for _, inside in folds]))
