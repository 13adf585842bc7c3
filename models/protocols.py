"""The types that networks, scores and strategies share. Torch-free."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Float32Array = NDArray[np.float32]

OOD: Final = -1
"""The label of an example that annotators called out-of-distribution."""


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
    """

    logits: Float32Array
    embeddings: Float32Array


class TargetModel(Protocol):
    """A trained classifier over the rows of one pixel store."""

    classes: int

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        """Score rows of the store, un-augmented, in evaluation mode, in one pass."""

    def save(self, path: Path) -> None:
        """Write everything that loading needs to one safetensors file, atomically."""


class Extractor(Protocol):
    """A fitted feature extractor of the frozen mode."""

    dimension: int

    def extract(self, pixels: NDArray[np.uint8]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, dimension) float32 embeddings."""

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write what was fitted to one safetensors file, atomically."""


@dataclass(frozen=True)
class PoolView:
    """What a score may look at: the unlabeled candidates and every verdict so far.

    Attributes:
        logits: (N, C) float32 of the candidates.
        embeddings: (N, D) float32 of the candidates.
        labeled_logits: (L, C) float32.
        labeled_embeddings: (L, D) float32.
        labels: (L,) int64 in 0..C-1, or `OOD`.
        classes: C.
        seed: for scores that draw at random.
    """

    logits: Float32Array
    embeddings: Float32Array
    labeled_logits: Float32Array
    labeled_embeddings: Float32Array
    labels: Indices
    classes: int
    seed: int


@dataclass(frozen=True)
class Ranking:
    """A query order.

    Attributes:
        order: (n,) int64, best first: row positions from a strategy, pool indices from
            `models.query.select`.
        meta_scores: (N,) float32 over all candidates, higher = ask sooner.
        notes: sentences for the user, such as why a fallback was used.
    """

    order: Indices
    meta_scores: Float32Array
    notes: tuple[str, ...] = field(default=())


Resolved = Callable[..., Any]
"""What a catalog entry's `module:function` resolves to; its kind decides the signature."""
