"""What the round engine asks of the learner of a task type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from models.media.base import Store
from models.protocols import Float32Array, Indices, OpenSetLabels, Outputs, Progress, TargetModel


class Targets(Protocol):
    """What L examples are to be learned as; of those that are OOD the rows mean nothing."""

    def __len__(self) -> int:
        """Return L."""

    def take(self, positions: Indices) -> Self:
        """Return the rows at (n,) positions."""

    def outputs(self) -> OpenSetLabels:
        """Return the output of a classifier that each of the L belongs to.

        All 0 where labels are no classes: scores then see one class, and OOD beside it. OOD is an
        example whose label says that nothing of any class is in it: to purity it is as one that was
        called OOD, though models learn from it.
        """

    def present(self) -> Indices:
        """Return the outputs that any example belongs to, ascending."""

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return what `Learner.load` makes them from again."""


class Predictions(Protocol):
    """What a model takes N examples for."""

    def __len__(self) -> int:
        """Return N."""

    def take(self, positions: Indices) -> Self:
        """Return the rows at (n,) positions."""

    def columns(self) -> Mapping[str, NDArray[Any]]:
        """Return (N,) columns of the file of scores."""


@dataclass(frozen=True)
class Metrics:
    """How good a model is.

    Attributes:
        headline: name of the one number that rounds are compared by.
        value: that number; None where it cannot be told. Higher is better.
        more: anything else that is worth keeping, ready for JSON.
        notes: sentences for the user.
    """

    headline: str
    value: float | None
    more: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Training:
    """What a model learns from.

    Attributes:
        store: the pool.
        indices: (n,) rows of the store, none of them OOD.
        targets: n.
        classes: C, how many outputs a classifier has; 1 where labels are no classes.
        name: a model of the catalog.
        params: its parameters.
        seed: same seed, same model (bit for bit on a CPU).
        ood_indices: (m,) rows of the store that were called OOD.
        auxiliary_indices: (a,) rows of the store that were imported as OOD.
        embeddings: (N, D) of the whole pool in frozen mode; None where a network is trained.
        checkpoint: where resumable state may be kept; the caller removes it in the end.
        progress: to call every few steps; may raise `Cancelled`.
        processes: how many may train a network together.
    """

    store: Store
    indices: Indices
    targets: Any
    classes: int
    name: str
    params: Mapping[str, Any]
    seed: int
    ood_indices: Indices
    auxiliary_indices: Indices
    embeddings: NDArray[np.float32] | None = None
    checkpoint: Path | None = None
    progress: Progress | None = None
    processes: int = 1


class Learner(Protocol):
    """How models learn the labels of one task type."""

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        class_ids: Sequence[int],
        sizes: Indices,
    ) -> Targets:
        """Read labels.

        Args:
            labels: L, as `core.tasks` stores them; None for OOD.
            class_ids: the project's classes, in the order of the outputs.
            sizes: (L, 2) int64, width and height of the upright images in pixels; 0 of texts.
        """

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> Targets:
        """Make targets of what `Targets.arrays` returned."""

    def train(self, training: Training) -> TargetModel:
        """Learn.

        Raises:
            ModelError: the model, its parameters or what there is to learn from are unfit for it.
        """

    def restore(
        self, path: Path, store: Store, *, embeddings: NDArray[np.float32] | None = None
    ) -> TargetModel:
        """Read what `TargetModel.save` wrote.

        Raises:
            ModelError: it holds no such model, or one of another store.
        """

    def predict(self, logits: Float32Array) -> Predictions:
        """Read the (N, C) outputs of a model."""

    def losses(self, outputs: Outputs, targets: Any) -> NDArray[np.float64]:
        """Return (n,) losses >= 0 of outputs for targets: what MQ-Net learns to foresee.

        Of the outputs there are logits and, of a detector, detections.
        """

    def metrics(self, outputs: Outputs, targets: Any, class_ids: Sequence[int]) -> Metrics:
        """Judge what a model says of examples that it has not learned from."""
