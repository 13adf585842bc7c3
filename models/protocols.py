"""The types that networks, scores and strategies share. Torch-free."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from models.frame import CROPPED, Frame

Indices = NDArray[np.int64]
Float32Array = NDArray[np.float32]

OOD: Final = -1
"""What stands for out-of-distribution where verdicts are keys, among classes 0..C-1."""


@dataclass(frozen=True)
class OpenSetLabels:
    """What L examples are: of a class, or out-of-distribution.

    Attributes:
        classes: (L,) int64 in 0..C-1; where `is_ood`, 0, and without meaning.
        is_ood: (L,) bool.
    """

    classes: Indices
    is_ood: NDArray[np.bool_]

    @classmethod
    def of(cls, classes: Indices, is_ood: NDArray[np.bool_] | None = None) -> "OpenSetLabels":
        """Make them of (L,) classes, whatever these are of the OOD; by default none is OOD."""
        if is_ood is None:
            is_ood = np.zeros(len(classes), dtype=np.bool_)
        return cls(np.where(is_ood, 0, classes).astype(np.int64), is_ood)

    def __len__(self) -> int:
        """Return L."""
        return len(self.is_ood)

    def __getitem__(self, positions: Indices | NDArray[np.bool_]) -> "OpenSetLabels":
        """Return those at (n,) positions, or of an (L,) mask."""
        return OpenSetLabels(self.classes[positions], self.is_ood[positions])

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(L,) whether each is of a class."""
        return ~self.is_ood

    def outputs(self, ood: int) -> Indices:
        """Return (L,) int64: the class, or `ood`, the output that a classifier has for OOD."""
        return np.where(self.is_ood, ood, self.classes)


class Progress(Protocol):
    """Called every few steps of long work; it may raise `Cancelled`."""

    def __call__(self, step: int, steps: int) -> None:
        """Report that `step` of `steps` are done."""


@dataclass(frozen=True)
class Outputs:
    """What a target model says about N examples.

    Attributes:
        logits: (N, C) float32, higher = more likely.
        embeddings: (N, D) float32, the penultimate layer.
        ood_logits: (N,) float32 of the OOD output of a k+1 classifier, on the scale of `logits`;
            None without one.
        predicted_losses: (N,) float32 of a loss-prediction module, higher = worse predicted; None
            without one.
        detections: (N, K, 6) float32 of a detector, None of anything else: left, top, right and
            bottom as shares of the square that the model sees, score in 0..1 and class in 0..C-1,
            surest first; score 0 where there are fewer than K.
        frame: that square.
    """

    logits: Float32Array
    embeddings: Float32Array
    ood_logits: Float32Array | None = None
    predicted_losses: Float32Array | None = None
    detections: Float32Array | None = None
    frame: Frame = CROPPED

    def take(self, positions: Indices) -> "Outputs":
        """Return what is said of the examples at (n,) positions."""
        said = {name: rows for name, rows in vars(self).items() if isinstance(rows, np.ndarray)}
        taken: dict[str, Any] = {name: rows[positions] for name, rows in said.items()}
        return replace(self, **taken)


@dataclass(frozen=True)
class LinearHead:
    """The last layer of a target model: logits = embeddings @ weight + bias.

    Attributes:
        weight: (D, C) float32.
        bias: (C,) float32.
    """

    weight: Float32Array
    bias: Float32Array


class TargetModel(Protocol):
    """A trained classifier over the rows of one store.

    Attributes:
        classes: C.
        notes: what was decided in training that people want to know.
    """

    classes: int
    notes: tuple[str, ...]

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        """Score rows of the store, un-augmented, in evaluation mode, in one pass."""

    def linear_head(self) -> LinearHead | None:
        """Return the last layer, without an output for OOD; None where none is linear."""

    def perturbed_logits(
        self, indices: Indices, *, temperature: float, epsilon: float
    ) -> Float32Array:
        """Return the (n, C) logits of rows of the store after one step of size `epsilon`.

        The input moves by the sign of the gradient, so that the probability of the predicted class
        at `temperature` grows: x + epsilon sign(d log max_c softmax(logits / temperature) / dx).
        Inputs are pixels in 0..1; of a head on cached embeddings they are the embeddings, in units
        of their root mean square about the mean.
        """

    def pixels(self, indices: Indices) -> NDArray[np.uint8]:
        """Return rows of a store of images: (n, S, S, 3) uint8.

        Raises:
            ModelError: it holds others.
        """

    def save(self, path: Path) -> None:
        """Write everything that loading needs to one safetensors file, atomically."""


class Extractor(Protocol):
    """A feature extractor of the frozen mode, fitted on a pool or published."""

    # One that learns nothing from a pool says `learns = False`, and is never fitted anew. One of
    # texts says how many `characters` of each it looks at, if that is not all.
    dimension: int

    def extract(self, examples: Any, /) -> Float32Array:
        """Map a batch to (B, dimension) float32 embeddings.

        Args:
            examples: (B, S, S, 3) uint8 images, or B texts.
        """

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write what was fitted to one safetensors file, atomically."""


@dataclass(frozen=True)
class PoolView:
    """What an algorithm may look at: the unlabeled candidates and every verdict so far.

    Attributes:
        logits: (N, C) float32 of the candidates.
        embeddings: (N, D) float32 of the candidates; D = 0 where no embedding was kept.
        labeled_logits: (L, C) float32.
        labeled_embeddings: (L, D) float32.
        labels: what the L verdicts say.
        classes: C.
        seed: for algorithms that draw at random.
        head: the last layer of the model; None if unknown.
        ood_logits: (N,) float32 of the OOD output of a k+1 classifier, or None.
        predicted_losses: (N,) float32 of a loss-prediction module, or None.
        contrastive: (N, E) float32 features of the contrastive learner, or None.
        labeled_contrastive: (L, E) float32, or None.
        detections: (N, K, 6) float32 of a detector, as in `Outputs`, or None.
        model: the model that scored, for the rare score that needs a pass of its own; or None.
        indices: (N,) pool indices of the candidates, which `model` can score; or None.
        maps: (P, W) of the whole pool by pool index, mapped, not read: what a detector looks at
            (`models.tasks.boxes.maps`); None without one, or where it looks at pixels.
    """

    logits: Float32Array
    embeddings: Float32Array
    labeled_logits: Float32Array
    labeled_embeddings: Float32Array
    labels: OpenSetLabels
    classes: int
    seed: int
    head: LinearHead | None = None
    ood_logits: Float32Array | None = None
    predicted_losses: Float32Array | None = None
    contrastive: Float32Array | None = None
    labeled_contrastive: Float32Array | None = None
    detections: Float32Array | None = None
    model: TargetModel | None = None
    indices: Indices | None = None
    maps: NDArray[Any] | None = None

    @property
    def is_ood(self) -> NDArray[np.bool_]:
        """Which of the verdicts are OOD, (L,)."""
        return self.labels.is_ood

    PER_CANDIDATE: ClassVar[tuple[str, ...]] = (
        "logits",
        "embeddings",
        "ood_logits",
        "predicted_losses",
        "contrastive",
        "detections",
        "indices",
    )
    """The fields with a row for each candidate."""

    def take(self, positions: Indices) -> "PoolView":
        """Return the view of the candidates at (n,) positions; the verdicts stay."""
        rows = {name: getattr(self, name) for name in self.PER_CANDIDATE}
        return replace(
            self, **{name: value[positions] for name, value in rows.items() if value is not None}
        )


@dataclass(frozen=True)
class Surface:
    """The value of a strategy over the plane of raw purity and informativeness.

    Attributes:
        name: what the value is: "phi", "sum", "product", "informativeness" or "expected_value".
        value: maps raw purity and informativeness, (n,) each, to (n,), higher = ask sooner.
        exact: whether it is the meta-score; otherwise the strategy goes on from it.
    """

    name: str
    value: Callable[[NDArray[np.floating], NDArray[np.floating]], NDArray[np.floating]]
    exact: bool = True


@dataclass(frozen=True)
class Ranking:
    """A query order.

    Attributes:
        order: (n,) int64, best first: row positions from a strategy, pool indices from
            `models.rounds.query.select`.
        meta_scores: (N,) float32 over all candidates, higher = ask sooner.
        notes: sentences for the user, such as why a fallback was used.
        state: a few numbers that the strategy wants to see when it ranks next.
        surface: for a strategy that decides by purity and informativeness alone; or None.
    """

    order: Indices
    meta_scores: Float32Array
    notes: tuple[str, ...] = field(default=())
    state: Mapping[str, float] = field(default_factory=dict)
    surface: Surface | None = None


Resolved = Callable[..., Any]
"""What a catalog entry's `module:function` resolves to; its kind decides the signature."""
