"""Which of two kinds of features, or both beside each other, the verdicts prefer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.catalog.params import Params
from models.catalog.params.networks import (
    NETWORK_DIMENSION,
    SENTENCE_DIMENSION,
    AutoParams,
    AutoTextParams,
)
from models.heads.head import Scaling
from models.heads.penalty import search_penalty
from models.protocols import Indices

BOTH: Final = "both"

LEAST_FOR_NETWORK: Final = 24
"""Images of fewer pixels a side have features of the pool alone: the network sees blurs."""

# So many standard errors between two losses are no accident.
_SURE: Final = 2.0
# The network was the better one of every pool of photographs that was looked at, so others take
# its place by more than luck: of twenty answers chance alone prefers them every third time.
_DEPARTING: Final = 1.0


@dataclass(frozen=True)
class Sides:
    """The two kinds of features in the embeddings of a pool.

    Attributes:
        split: how many leading columns are the network's; the others are the pool's own.
        network: name of the model that the first are of.
        pool: name of the model that the others are of.
    """

    split: int
    network: str
    pool: str


def sides_of(params: Params, image_size: int | None) -> Sides | None:
    """Return what there is to choose between; None where a model leaves no choice.

    Args:
        params: of the model.
        image_size: of the images of the pool, in pixels; None of texts.
    """
    if isinstance(params, AutoTextParams):
        return Sides(SENTENCE_DIMENSION, "minilm", "hashed_ngrams")
    if isinstance(params, AutoParams) and (image_size or 0) >= LEAST_FOR_NETWORK:
        return Sides(NETWORK_DIMENSION, params.network, "patch_kmeans")
    return None


@dataclass(frozen=True)
class Chosen:
    """Which features the verdicts prefer.

    Attributes:
        name: that of the network, that of the pool's features, or "both".
        columns: Of the embeddings: from, and to before.
        losses: Mean cross-entropy of each candidate on answers left out, in nats; empty with too
            few answers to compare by.
        is_sure: Whether each other candidate is worse by more than two standard errors.
    """

    name: str
    columns: tuple[int, int]
    losses: Mapping[str, float]
    is_sure: bool

    @property
    def note(self) -> str:
        """What to say of it."""
        if not self.losses:
            return f"Told apart by {self.name}, until there are 20 answers to compare by."
        kind = "both kinds of features" if self.name == BOTH else self.name
        by_loss = sorted(self.losses.items(), key=lambda item: item[1])
        losses = ", ".join(f"{name} {loss:.2f}" for name, loss in by_loss)
        if self.is_sure:
            return f"Told apart by {kind}, surely the best. How wrong each is (log loss): {losses}."
        if by_loss[0][0] != self.name:
            return (
                f"Told apart by {self.name}, as no other is better by more than chance. "
                f"How wrong each is (log loss): {losses}."
            )
        return f"Told apart by {kind}, so far the best. How wrong each is (log loss): {losses}."


def choose_features(
    embeddings: NDArray[np.float32],
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    sides: Sides,
    seed: int,
) -> Chosen:
    """Choose the candidate with the smallest cross-validated cross-entropy on the answers.

    The network, unless another is better by more than a standard error.

    Args:
        embeddings: (N, D) of the pool, as `AutoFeatures` or `AutoTextFeatures` makes them.
        indices: (n,) answered rows.
        labels: (n,) int64 in 0..classes; `classes` is OOD, which counts as one class more.
        classes: C.
        sides: what there is to choose between.
        seed: decides the answers and the folds.
    """
    width, network = embeddings.shape[1], sides.network
    candidates = {network: (0, sides.split), sides.pool: (sides.split, width), BOTH: (0, width)}
    losses = {}
    for name, (start, stop) in candidates.items():
        part = embeddings[:, start:stop]
        found = search_penalty(
            np.asarray(part[indices]),
            labels,
            classes=classes,
            scaling=Scaling.of_pool(part),
            seed=seed,
        )
        if found is not None:
            losses[name] = found.losses
    if not losses:
        return Chosen(network, candidates[network], {}, is_sure=False)
    best = min(losses, key=lambda name: float(losses[name].mean()))
    if not _is_worse(losses[network] - losses[best], _DEPARTING):
        best = network
    is_sure = all(_is_worse(losses[name] - losses[best], _SURE) for name in losses if name != best)
    means = {name: float(values.mean()) for name, values in losses.items()}
    return Chosen(best, candidates[best], means, is_sure)


def _is_worse(apart: NDArray[np.float64], errors: float) -> bool:
    """Say whether (n,) differences of losses are above zero by so many standard errors."""
    error = float(apart.std(ddof=1)) / np.sqrt(len(apart))
    return bool(apart.mean() > errors * error)
