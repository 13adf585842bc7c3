"""Examples to prune, and literal, slow transcriptions of what prunes them."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices
from models.pruning.view import PruningView

Exact = NDArray[np.float64]
Kind = Literal["shifted", "cosine"]


def draw(count: int, seed: int = 0, dimension: int = 24, spread: float = 0.5) -> Float32Array:
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((max(2, count // 30), dimension))
    which = rng.integers(0, len(centers), count)
    noise = spread * rng.standard_normal((count, dimension))
    return (centers[which] + noise).astype(np.float32)


def view_of(embeddings: Float32Array, seed: int = 0, classes: int = 4) -> PruningView:
    rng = np.random.default_rng(seed + 100)
    count = len(embeddings)
    logits = 2 * rng.standard_normal((count, classes))
    labels = np.where(rng.random(count) < 0.8, logits.argmax(axis=1), rng.integers(0, classes))
    return PruningView(
        labels.astype(np.int64), classes, embeddings=embeddings, logits=logits.astype(np.float32)
    )


def cosines(embeddings: Float32Array) -> Exact:
    """Cosines as `Neighbours` defines them: unit rows and products rounded to float32."""
    unit = unit_rows(embeddings).astype(np.float64)
    products = unit @ unit.T
    rounded = products.astype(np.float32).astype(np.float64)
    return np.where(rounded > 1 - 2**-22, 1, rounded)


def similarities(embeddings: Float32Array, kind: Kind, tau: float) -> Exact:
    """Similarity of neighbours, 0 elsewhere."""
    value = cosines(embeddings)
    value = (1 + value) / 2 if kind == "shifted" else value
    return np.where(value >= tau, value, 0)


def algorithm_1(similarity: Exact, sure: Exact, n: int) -> tuple[list[int], Exact]:
    """Thesis, algorithm 1, line by line."""
    estimate, order = np.zeros(len(sure)), list[int]()
    while len(order) < n:
        gain = np.tanh(estimate + sure) - np.tanh(estimate)
        gain[order] = -1
        x = int(gain.argmax())
        order.append(x)
        estimate = estimate + similarity[x] * sure[x]
    return order, estimate


def algorithm_2(similarity: Exact, sure: Exact, labels: Indices, n: int) -> list[int]:
    """Thesis, algorithm 2, line by line; a class of which nothing is left is skipped."""
    estimate, order = np.zeros(len(sure)), list[int]()
    while True:
        for j in range(labels.max() + 1):
            gain = np.tanh(estimate + sure) - np.tanh(estimate)
            gain[labels != j] = -1
            gain[order] = -1
            if gain.max() < 0:
                continue
            x = int(gain.argmax())
            order.append(x)
            estimate = estimate + similarity[x] * sure[x]
            if len(order) == n:
                return order


def plain_greedy(similarity: Exact, sure: Exact, n: int) -> tuple[list[int], Exact]:
    """Maximise the sum of tanh(estimate) greedily, evaluating everything every time."""
    estimate, order, values = np.zeros(len(sure)), list[int](), []
    for _ in range(n):
        value = np.tanh(estimate + similarity * sure[:, None]).sum(axis=1)
        value[order] = -1
        order.append(int(value.argmax()))
        estimate = estimate + similarity[order[-1]] * sure[order[-1]]
        values.append(np.tanh(estimate).sum())
    return order, np.array(values)


SETTINGS: list[tuple[Kind, float]] = [("shifted", 0.9), ("cosine", 0.7), ("cosine", 0.3)]
