"""What a neighbour is, and how sure a prediction."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.numerics.probability import softmax
from models.protocols import Float32Array

Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Similarity:
    """Similarity of embeddings x and y from their cosine; y is a neighbour of x from `tau` on.

    The published runs of Prune4ReL compare (1 + cosine) / 2 with tau, and weigh by it: tau 0.975,
    0.95 and 0.8 are cosines of 0.95, 0.9 and 0.6. The text of the thesis (definition of the
    empirical reduced neighborhood confidence, section 5.2.1) has the plain cosine.

    Attributes:
        kind: "shifted" is (1 + cosine) / 2, "cosine" the cosine itself.
        tau: 0..1.
    """

    kind: Literal["shifted", "cosine"]
    tau: float

    def of(self, cosine: NDArray[Any]) -> Float64Array:
        """Return the similarities for cosines: float64 of the same shape."""
        exact = cosine.astype(np.float64)
        return (1 + exact) / 2 if self.kind == "shifted" else exact

    @property
    def least_cosine(self) -> float:
        """Return the cosine at `tau`."""
        return 2 * self.tau - 1 if self.kind == "shifted" else self.tau


def confidence(logits: Float32Array, kind: Literal["max_prob", "diff_prob"]) -> Float64Array:
    """Return how sure (N, C) logits are: (N,) float64 in 0..1, higher = surer.

    Source: thesis, section 5.3.4, "Effect of Confidence Metrics".
    """
    sure = np.empty(len(logits))
    for start in range(0, len(logits), _ROWS):
        here = slice(start, start + _ROWS)
        probability = np.sort(softmax(logits[here]), axis=1)
        second = probability[:, -2] if kind == "diff_prob" and logits.shape[1] > 1 else 0
        sure[here] = probability[:, -1] - second
    return sure


_ROWS = 65_536
