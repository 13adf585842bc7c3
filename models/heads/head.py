"""The logistic head of the frozen mode."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.heads.search import HeadSearch
from models.protocols import Float32Array, Indices

_POOL_ROWS = 10_000


@dataclass(frozen=True)
class Scaling:
    """Shift and scale that give embeddings mean zero and mean squared norm one.

    One factor for all features: it makes the strength of an L2 penalty independent of the
    backbone, and keeps the differences between features that carry its structure.
    """

    mean: Float32Array
    scale: float

    @classmethod
    def fit(cls, embeddings: Float32Array) -> "Scaling":
        """Take the statistics of (N, D) embeddings; identical rows get scale 1."""
        mean = embeddings.mean(axis=0, dtype=np.float64)
        square = np.mean(np.square(embeddings - mean.astype(np.float32)).sum(axis=1), dtype=float)
        return cls(mean.astype(np.float32), float(1 / np.sqrt(square)) if square > 0 else 1.0)

    @classmethod
    def of_pool(cls, embeddings: NDArray[np.float32]) -> "Scaling":
        """Take the statistics of every k-th row of (N, D), about 10,000, perhaps mapped."""
        return cls.fit(np.asarray(embeddings[:: max(1, len(embeddings) // _POOL_ROWS)]))

    @property
    def unit(self) -> float:
        """Root mean square of the features about their mean, in units of the embeddings."""
        return 1 / (self.scale * math.sqrt(len(self.mean)))

    def apply(self, embeddings: Float32Array) -> Float32Array:
        """Scale (N, D) float32."""
        return (embeddings - self.mean) * np.float32(self.scale)


@dataclass(frozen=True)
class LogisticHead:
    """Multinomial logistic regression on scaled embeddings.

    Attributes:
        weight: (D, C) float32.
        bias: (C,) float32.
        counts: (C,) int64 training examples per class.
        ood_weight: (D,) float32 of the output for OOD of a k+1 classifier; None without one.
        ood_bias: of the same output.
    """

    scaling: Scaling
    weight: Float32Array
    bias: Float32Array
    counts: Indices
    ood_weight: Float32Array | None = None
    ood_bias: float = 0.0

    def logits(self, embeddings: Float32Array) -> Float32Array:
        """Map (N, D) embeddings to (N, C) float32 logits.

        A class without a training example has no evidence for or against it: each gets the
        probability of Laplace's rule of succession, about 1 / (n + 1), in every row. Where none has
        one, as in a head that has seen OOD alone, nothing tells them apart and all logits are 0.
        """
        result = self.scaling.apply(embeddings) @ self.weight + self.bias
        absent = self.counts == 0
        if absent.any() and not absent.all():
            present = result[:, ~absent]
            top = present.max(axis=1, keepdims=True)
            total = top + np.log(np.exp(present - top).sum(axis=1, keepdims=True))
            result[:, absent] = total - np.log(self.counts.sum() + 1)
        return result.astype(np.float32, copy=False)

    def ood_logits(self, embeddings: Float32Array) -> Float32Array | None:
        """Map (N, D) embeddings to (N,) float32 logits of OOD, on the scale of `logits`."""
        if self.ood_weight is None:
            return None
        result = self.scaling.apply(embeddings) @ self.ood_weight + np.float32(self.ood_bias)
        return result.astype(np.float32, copy=False)

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that `from_tensors` needs."""
        tensors = {
            "mean": torch.from_numpy(self.scaling.mean),
            "scale": torch.tensor(self.scaling.scale, dtype=torch.float64),
            "weight": torch.from_numpy(self.weight),
            "bias": torch.from_numpy(self.bias),
            "counts": torch.from_numpy(self.counts),
        }
        if self.ood_weight is not None:
            tensors["ood_weight"] = torch.from_numpy(self.ood_weight)
            tensors["ood_bias"] = torch.tensor(self.ood_bias, dtype=torch.float64)
        return tensors

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor]) -> "LogisticHead":
        """Rebuild a head from what `tensors` returned."""
        ood = "ood_weight" in tensors
        return cls(
            Scaling(tensors["mean"].numpy(), float(tensors["scale"])),
            tensors["weight"].numpy(),
            tensors["bias"].numpy(),
            tensors["counts"].numpy(),
            tensors["ood_weight"].numpy() if ood else None,
            float(tensors["ood_bias"]) if ood else 0.0,
        )


def fit_head(
    embeddings: Float32Array,
    labels: Indices,
    *,
    classes: int,
    l2: float,
    scaling: Scaling,
    max_iterations: int = 200,
    search: HeadSearch | None = None,
) -> LogisticHead:
    """Minimise  sum of cross-entropies + l2 / 2 * |W|^2  (the bias is free) by L-BFGS.

    Full-batch and in float64: deterministic, and equal to scikit-learn's `LogisticRegression`
    with `C = 1 / l2` on the same scaled embeddings.

    Args:
        embeddings: (n, D) float32, n >= 1, unscaled.
        labels: (n,) int64 in 0..classes; `classes` is OOD, which has an output of its own.
        classes: C; classes without examples are allowed.
        l2: > 0.
        scaling: statistics of the pool.
        max_iterations: of L-BFGS.
        search: of these embeddings, scaled, where several heads are fitted to them.

    Raises:
        ModelError: the embeddings are not finite.
    """
    counts = np.bincount(labels, minlength=classes + 1).astype(np.int64)
    present = np.flatnonzero(counts)
    weight = np.zeros((embeddings.shape[1], classes + 1), dtype=np.float32)
    bias = np.zeros(classes + 1, dtype=np.float32)
    if len(present) > 1:
        wanted = np.eye(len(present))[np.searchsorted(present, labels)]
        search = search or HeadSearch(scaling.apply(embeddings))
        weight[:, present], bias[present] = search.minimise(wanted, l2, max_iterations)
    head = LogisticHead(scaling, weight[:, :classes].copy(), bias[:classes], counts[:classes])
    if counts[classes] == 0:
        return head
    return replace(head, ood_weight=weight[:, classes].copy(), ood_bias=float(bias[classes]))
