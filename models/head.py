"""The logistic head of the frozen mode."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.protocols import Float32Array, Indices


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
    """

    scaling: Scaling
    weight: Float32Array
    bias: Float32Array
    counts: Indices

    def logits(self, embeddings: Float32Array) -> Float32Array:
        """Map (N, D) embeddings to (N, C) float32 logits.

        A class without a training example has no evidence for or against it: each gets the
        probability of Laplace's rule of succession, about 1 / (n + 1), in every row.
        """
        result = self.scaling.apply(embeddings) @ self.weight + self.bias
        absent = self.counts == 0
        if absent.any():
            present = result[:, ~absent]
            top = present.max(axis=1, keepdims=True)
            total = top + np.log(np.exp(present - top).sum(axis=1, keepdims=True))
            result[:, absent] = total - np.log(self.counts.sum() + 1)
        return result.astype(np.float32, copy=False)


def fit_head(
    embeddings: Float32Array,
    labels: Indices,
    *,
    classes: int,
    l2: float,
    scaling: Scaling,
    max_iterations: int = 200,
) -> LogisticHead:
    """Minimise  sum of cross-entropies + l2 / 2 * |W|^2  (the bias is free) by L-BFGS.

    Full-batch and in float64: deterministic, and equal to scikit-learn's `LogisticRegression`
    with `C = 1 / l2` on the same scaled embeddings.

    Args:
        embeddings: (n, D) float32, n >= 1, unscaled.
        labels: (n,) int64 in 0..classes-1.
        classes: C; classes without examples are allowed.
        l2: > 0.
        scaling: statistics of the pool.
        max_iterations: of L-BFGS.
    """
    counts = np.bincount(labels, minlength=classes).astype(np.int64)
    present = np.flatnonzero(counts)
    x = torch.from_numpy(scaling.apply(embeddings)).double()
    target = torch.from_numpy(np.searchsorted(present, labels))
    weight = np.zeros((x.shape[1], classes), dtype=np.float32)
    bias = np.zeros(classes, dtype=np.float32)
    if len(present) > 1:
        fitted_weight, fitted_bias = _minimise(x, target, len(present), l2, max_iterations)
        weight[:, present] = fitted_weight.float().numpy()
        bias[present] = fitted_bias.float().numpy()
    return LogisticHead(scaling, weight, bias, counts)


def _minimise(
    x: Tensor, target: Tensor, classes: int, l2: float, max_iterations: int
) -> tuple[Tensor, Tensor]:
    weight = torch.zeros(x.shape[1], classes, dtype=x.dtype, requires_grad=True)
    bias = torch.zeros(classes, dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weight, bias],
        max_iter=max_iterations,
        history_size=20,
        tolerance_grad=1e-6,
        tolerance_change=1e-10,
        line_search_fn="strong_wolfe",
    )

    def objective() -> float:
        optimizer.zero_grad()
        loss = functional.cross_entropy(x @ weight + bias, target)
        loss = loss + l2 / (2 * len(x)) * weight.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    optimizer.step(objective)  # type: ignore[no-untyped-call]
    return weight.detach(), bias.detach()
