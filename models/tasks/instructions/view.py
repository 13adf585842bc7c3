"""What a way to choose rows of instruction data may look at, and what it returns. Torch-free."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.errors import NotReady
from models.protocols import Float32Array, Indices

Float64Array = NDArray[np.float64]

_REMEDIES: Final = {
    "embeddings": "embeddings of the rows; embed them first",
    "lengths": "how long the responses are; count their characters",
    "scores": "scores of the rows; let a judge score them",
    "clusters": "clusters; cluster the rows first",
    "rankings": "rankings of the clusters; let a judge rank them",
}


@dataclass(frozen=True)
class Ranked:
    """What was said of one cluster.

    Attributes:
        orders: of a cluster of several rows, each answer that could be read: rows by their place in
            the cluster, 0 its first row in the pool, best first. Empty: none could be.
        wrong: of a row that is alone, whether it holds something made up or wrong; None: the answer
            could not be read, or nobody was asked.
    """

    orders: Sequence[Sequence[int]] = ()
    wrong: bool | None = None


@dataclass(frozen=True)
class InstructionView:
    """N rows of instruction data.

    What a method does not need may be None.

    Attributes:
        n: N.
        seed: for what is drawn.
        embeddings: (N, D) float32; may be memory-mapped.
        lengths: (N,) int64, of the responses.
        scores: (N,) float64 by a judge, higher = better, NaN where it gave none.
        clusters: (N,) int64, 0..K-1, none empty.
        rankings: what was said of clusters; of one that is missing nothing was.
    """

    n: int
    seed: int = 0
    embeddings: Float32Array | None = None
    lengths: NDArray[np.int64] | None = None
    scores: Float64Array | None = None
    clusters: NDArray[np.int64] | None = None
    rankings: Mapping[int, Ranked] | None = None

    def given(self, name: str) -> Any:
        """Return one of the optional fields.

        Raises:
            NotReady: it is None; the message says how to get it.
        """
        value = getattr(self, name)
        if value is None:
            raise NotReady(f"This needs {_REMEDIES[name]}.")
        return value


@dataclass(frozen=True)
class Chosen:
    """The rows to keep.

    Attributes:
        kept: (n,) int64 distinct rows, in the order in which they were chosen.
        reasons: (N,) str, why each row is kept or not; the docs of the method list them.
        columns: (N,) float64 each, NaN where there is none: numbers that explain the choice, such
            as "rank", 1 the best of its cluster.
    """

    kept: Indices
    reasons: NDArray[np.str_]
    columns: Mapping[str, Float64Array] = field(default_factory=dict)

    @classmethod
    def of(cls, n: int, kept: Indices, reason: str, otherwise: str) -> "Chosen":
        """Return a choice that has one reason for what is kept and one for the rest of N rows."""
        reasons = np.full(n, otherwise, dtype="<U24")
        reasons[kept] = reason
        return cls(kept, reasons)
