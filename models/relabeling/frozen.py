"""Judging labels by frozen features: no label is judged by what has learned from it.

Three opinions on each image, a head that withstands wrong labels, Gaussians and neighbours, are
made without its label, by folds; `NoiseModel` says how far each is to be trusted and in which ways
labels go wrong, and Bayes' rule what that makes of the label that was given.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.errors import ModelError
from models.numerics.finite import require_numbers
from models.protocols import Float32Array, Indices, Progress
from models.relabeling import FIX_GAIN
from models.relabeling.noise_model import UNKNOWN, NoiseModel
from models.relabeling.opinions import (
    Axes,
    Float64Array,
    ce_head,
    dividemix_head,
    gaussians,
    neighbours,
    one_hot,
    partitions_of,
    sop_head,
)

_HEADS: Final[Mapping[str, Callable[[Float32Array, Indices, Float32Array, int], Float64Array]]] = {
    "ce": ce_head,
    "sop_plus": sop_head,
    "dividemix": dividemix_head,
}

_HARD_OR_WRONG: Final = 0.45
"""Of the labels that are not the likeliest class but pass for right, so many may be wrong too: of
difficult images nobody can tell by features whether the image or the label is the exception."""


@dataclass(frozen=True)
class NoiseRate:
    """How many of the labels are wrong.

    Attributes:
        rate: the estimate, 0..1.
        low: two standard errors below it.
        high: two standard errors above it, and `_HARD_OR_WRONG` of what is difficult.
    """

    rate: float
    low: float
    high: float

    @classmethod
    def of(
        cls,
        wrong: Float64Array,
        differs: NDArray[np.bool_],
        fold: Indices,
        certain: int = 0,
    ) -> "NoiseRate":
        """Estimate it from N labels.

        Args:
            wrong: (N,) in 0..1, how likely each is wrong.
            differs: (N,) bool, whether the opinion without it is another class.
            fold: (N,) int64, which were judged by the same models.
            certain: so many are wrong in any case.
        """
        count, rate = len(wrong), float(wrong.mean())
        # Of the draw of these labels, and of the models, which differ from fold to fold.
        by_fold = [float(wrong[fold == number].mean()) for number in np.unique(fold)]
        between = float(np.var(by_fold, ddof=1)) / len(by_fold) if len(by_fold) > 1 else 0.0
        error = math.sqrt(rate * (1 - rate) / count + between)
        hard = max(0.0, float(differs.mean()) - rate)
        low, high = rate - 2 * error, rate + 2 * error + _HARD_OR_WRONG * hard
        known = certain / count
        return cls(max(known, rate), max(known, low), min(1.0, max(known, high)))


@dataclass(frozen=True)
class Judgement:
    """What is said of N labels, among K classes.

    Attributes:
        opinions: (N, K) float32, probabilities of the class by what has not seen the label.
        probabilities: (N, K) float32, of the class, the label given as well; rows sum to 1.
        wrong: (N,) float32 in 0..1, how likely the given label is wrong.
        other: (N,) int64 in 0..K-1, the likeliest class but the given one.
        noise: how many labels are wrong.
        accuracy: share of the evaluation images that are named right, 0..1; None without any.
        trust: weight of the head, the Gaussians and the neighbours.
    """

    opinions: Float32Array
    probabilities: Float32Array
    wrong: Float32Array
    other: Indices
    noise: NoiseRate
    accuracy: float | None
    trust: tuple[float, float, float]

    @property
    def other_probability(self) -> Float32Array:
        """(N,) float32 in 0..1, how likely `other` is right."""
        found: Float32Array = np.take_along_axis(self.probabilities, self.other[:, None], axis=1)[
            :, 0
        ]
        return found

    @property
    def worth(self) -> Float32Array:
        """(N,) float32 >= 0, what a reviewer's look is expected to bring, higher = sooner."""
        result: Float32Array = self.wrong + np.float32(FIX_GAIN) * self.other_probability
        return result


def judge_labels(
    embeddings: Float32Array,
    labels: Indices,
    *,
    classes: int,
    seed: int,
    learner: str = "sop_plus",
    trained_on: Indices | None = None,
    settled: NDArray[np.bool_] | None = None,
    before: Indices | None = None,
    partitions: Sequence[Indices] | None = None,
    evaluation: Float32Array | None = None,
    evaluation_labels: Indices | None = None,
    progress: Progress | None = None,
) -> Judgement:
    """Judge (N,) labels by frozen features.

    Args:
        embeddings: (N, D) float32, made without the labels.
        labels: (N,) int64 in 0..classes-1, N >= 2, two different ones at least.
        classes: K >= 2.
        seed: of the folds.
        learner: of the head: "ce", "sop_plus" or "dividemix".
        trained_on: (n,) positions that are learned from; None = all. The others are judged too.
        settled: (N,) bool, labels that a reviewer gave: they are judged as the others are, but none
            counts as wrong; None = none.
        before: (N,) int64, what settled labels were before, by which the ways of mislabeling are
            learned; `UNKNOWN` where nobody knows, and anything elsewhere. None = nowhere known.
        partitions: one or more, each the folds (N,) int64 of the labels, of which there are two at
            least, instead of those that `partitions_of` makes. Probabilities are means over them;
            trust and accuracy are of the last.
        evaluation: (E, D) embeddings of images to measure the accuracy on.
        evaluation_labels: (E,) int64 in 0..classes-1.
        progress: counts folds; may raise `Cancelled`.

    Raises:
        ModelError: an unknown learner, no partition, or embeddings that do not belong to the labels
            or are not finite.
    """
    _require(embeddings, labels, learner)
    if partitions is not None and not partitions:
        raise ModelError("No partition of the labels into folds; one at least.")
    learned = np.ones(len(labels), dtype=np.bool_)
    if trained_on is not None:
        learned = np.isin(np.arange(len(labels)), trained_on)
    partitions = partitions_of(labels, seed) if partitions is None else partitions
    axes = Axes.fit(embeddings)
    x = axes.apply(embeddings)
    everybody = np.arange(len(labels))
    near = neighbours(x, labels, np.flatnonzero(learned), everybody, classes=classes)
    noise = _NoiseLabels.of(labels, learned, settled, before)
    believed, posterior = (np.zeros((len(labels), classes)) for _ in range(2))
    model: NoiseModel | None = None
    for part, fold in enumerate(partitions):
        counted = None if progress is None else partial(_part, progress, part, len(partitions))
        opinions = [*_opinions(x, labels, classes, learner, learned, fold, counted), near]
        for number in np.unique(fold):
            inside = fold == number
            mine = [one[inside] for one in opinions]
            model = noise.fit(opinions, ~inside, model)
            believed[inside] += np.exp(model.believed(mine)) / len(partitions)
            posterior[inside] += np.exp(model.posterior(mine, labels[inside])) / len(partitions)
    everything = noise.fit(opinions, np.ones_like(learned), model)
    accuracy = None
    if evaluation is not None and evaluation_labels is not None and len(evaluation):
        asked = axes.apply(evaluation)
        spoken = _of_others(x[learned], labels[learned], asked, classes, learner)
        accuracy = float((everything.believed(spoken).argmax(axis=1) == evaluation_labels).mean())
    rows = np.arange(len(labels))
    wrong = 1 - posterior[rows, labels]
    differs = believed.argmax(axis=1) != labels
    still = wrong
    if settled is not None:
        still, differs = np.where(settled, 0, wrong), differs & ~settled
    rest = posterior.copy()
    rest[rows, labels] = -1
    return Judgement(
        believed.astype(np.float32),
        posterior.astype(np.float32),
        np.clip(wrong, 0, 1).astype(np.float32),
        rest.argmax(axis=1).astype(np.int64),
        NoiseRate.of(still, differs, partitions[0]),
        accuracy,
        (float(everything.trust[0]), float(everything.trust[1]), float(everything.trust[2])),
    )


def suggestions(
    judgement: Judgement, share: float, settled: NDArray[np.bool_] | None = None
) -> Indices:
    """Return the positions of the labels that are worth a look, the most worth first.

    Args:
        judgement: of N labels.
        share: a label is worth it if it is wrong with this probability at least, 0..1.
        settled: (N,) bool, labels that nobody is to be asked about.
    """
    asked = judgement.wrong >= share
    if settled is not None:
        asked &= ~settled
    found = np.flatnonzero(asked)
    result: Indices = found[np.argsort(-judgement.worth[found], kind="stable")]
    return result


@dataclass(frozen=True)
class _NoiseLabels:
    """What the ways of mislabeling are learned from.

    A reviewed label tells more than any other: which class the image is of, and which it was given.
    What is left of the labels after a review of the doubtful ones would tell of hardly any noise.

    Attributes:
        given: (N,) int64, labels before reviewers put them right.
        truth: (N,) int64, classes that reviewers named, `UNKNOWN` elsewhere.
        usable: (N,) bool, where both are what they should be.
    """

    given: Indices
    truth: Indices
    usable: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        labels: Indices,
        learned: NDArray[np.bool_],
        settled: NDArray[np.bool_] | None,
        before: Indices | None,
    ) -> "_NoiseLabels":
        if settled is None:
            return cls(labels, np.full_like(labels, UNKNOWN), learned)
        given = np.where(settled, UNKNOWN if before is None else before, labels)
        return cls(given, np.where(settled, labels, UNKNOWN), learned & (given != UNKNOWN))

    def fit(
        self,
        opinions: list[Float64Array],
        rows: NDArray[np.bool_],
        near: NoiseModel | None = None,
    ) -> NoiseModel:
        """Learn from those of the rows (N,) bool that are usable; `near` is where to begin."""
        rows = rows & self.usable
        some = [one[rows] for one in opinions]
        return NoiseModel.fit(some, self.given[rows], self.truth[rows], near)


def _opinions(
    x: Float32Array,
    labels: Indices,
    classes: int,
    learner: str,
    learned: NDArray[np.bool_],
    fold: Indices,
    progress: Progress | None,
) -> list[Float64Array]:
    """Tables (N, K) of the head and the Gaussians, neither with a row's own label."""
    head, normal = (np.empty((len(labels), classes)) for _ in range(2))
    numbers = np.unique(fold)
    for done, number in enumerate(numbers):
        if progress is not None:
            progress(done, len(numbers))
        inside = fold == number
        rest = learned & ~inside
        if not rest.any():
            # All that is learned from lies in this fold: nothing is known of it without itself.
            head[inside] = normal[inside] = -np.log(classes)
            continue
        head[inside] = _HEADS[learner](x[rest], labels[rest], x[inside], classes)
        normal[inside] = gaussians(x[rest], one_hot(labels[rest], classes), x[inside])
    if progress is not None:
        progress(len(numbers), len(numbers))
    return [head, normal]


def _part(progress: Progress, part: int, parts: int, done: int, total: int) -> None:
    """Count what is done of one of equal parts as progress of all."""
    progress(part * total + done, parts * total)


def _of_others(
    x: Float32Array, labels: Indices, asked: Float32Array, classes: int, learner: str
) -> list[Float64Array]:
    """The same of (m, d) rows that have no label among those that are learned from."""
    together = np.concatenate([x, asked])
    nobody = np.zeros(len(asked), dtype=np.int64)
    rows = np.arange(len(x), len(together))
    votes = neighbours(
        together, np.concatenate([labels, nobody]), np.arange(len(x)), rows, classes=classes
    )
    head = _HEADS[learner](x, labels, asked, classes)
    return [head, gaussians(x, one_hot(labels, classes), asked), votes]


def _require(embeddings: Float32Array, labels: Indices, learner: str) -> None:
    if learner not in _HEADS:
        raise ModelError(f"No head of a learner {learner!r}; known: {', '.join(_HEADS)}.")
    if embeddings.ndim != 2 or len(embeddings) != len(labels):
        raise ModelError(
            f"Embeddings of shape {embeddings.shape} do not belong to {len(labels)} labels; one "
            "row each."
        )
    require_numbers("Embeddings", embeddings)
