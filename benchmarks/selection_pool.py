"""The synthetic pool of `benchmarks.selection`, and what is selected from it. No torch."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.selection.points import Points, lower_to_nearest

CLASSES = 10
IN_CLASSES = 6
VERDICTS = 5000
CHUNK = 20_000

Float32Array = NDArray[np.float32]
Order = NDArray[np.int64]


@dataclass(frozen=True)
class Pool:
    """A pool with its verdicts.

    Attributes:
        embeddings: (N, D) float32.
        labeled: (L, D) float32.
        labels: (L,) int64 in 0..5, or -1 for OOD.
        weight: (D, 10) float32, the last layer: logits = embeddings @ weight.
    """

    embeddings: Float32Array
    labeled: Float32Array
    labels: Order
    weight: Float32Array


def write_pool(folder: Path, n: int, dimension: int, seed: int) -> None:
    """Write ten Gaussian clusters whose centers are as far apart as their members."""
    centers = np.random.default_rng(seed).standard_normal((CLASSES, dimension), dtype=np.float32)
    np.save(folder / "weight.npy", centers.T * (4 / dimension))
    for part, (name, count) in enumerate((("embeddings", n), ("labeled", VERDICTS))):
        path = folder / f"{name}.npy"
        rows = np.lib.format.open_memmap(path, "w+", np.dtype(np.float32), (count, dimension))
        kinds = np.empty(count, dtype=np.int64)
        for chunk, start in enumerate(range(0, count, CHUNK)):
            random = np.random.default_rng([seed, part, chunk])
            here = slice(start, min(start + CHUNK, count))
            size = here.stop - here.start
            kinds[here] = random.integers(0, CLASSES, size)
            noise = random.standard_normal((size, dimension), dtype=np.float32)
            rows[here] = centers[kinds[here]] + noise
        rows.flush()
        np.save(folder / f"{name}_kinds.npy", kinds)


def read_pool(folder: Path, verdicts: int) -> Pool:
    """Read what `write_pool` wrote into memory, with the first verdicts."""
    kinds = np.load(folder / "labeled_kinds.npy")[:verdicts]
    return Pool(
        np.load(folder / "embeddings.npy"),
        np.load(folder / "labeled.npy")[:verdicts].copy(),
        np.where(kinds < IN_CLASSES, kinds, -1),
        np.load(folder / "weight.npy"),
    )


def objective(method: str, pool: Pool, order: Order) -> float | None:
    """What a method tries to make small (coreset, badge) or large (facility) with its picks."""
    if method == "coreset":
        return float(np.sqrt(_nearest(Points(pool.embeddings), order, pool.labeled).max()))
    if method == "badge":
        return float(_nearest(gradients(pool), order).sum(dtype=np.float64))
    if method == "facility":
        chosen = _unit(pool.embeddings[order])
        total = 0.0
        for start in range(0, len(pool.embeddings), CHUNK):
            near = _unit(pool.embeddings[start : start + CHUNK]) @ chosen.T
            total += float(near.max(axis=1).clip(min=0).sum(dtype=np.float64))
        return total
    return None


def gradients(pool: Pool) -> Points:
    """The gradient of the last layer for each example, as two factors."""
    logits = pool.embeddings @ pool.weight
    error = np.exp(logits - logits.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(error)), error.argmax(axis=1)] -= 1
    return Points(pool.embeddings, error)


def _nearest(points: Points, order: Order, labeled: Float32Array | None = None) -> Float32Array:
    norms = points.squared_norms()
    nearest = np.full(len(points), np.inf, dtype=np.float32)
    lower_to_nearest(nearest, points, norms, points.take(order), norms[order])
    if labeled is not None:
        centers = Points(labeled)
        lower_to_nearest(nearest, points, norms, centers, centers.squared_norms())
    return nearest


def _unit(rows: Float32Array) -> Float32Array:
    result: Float32Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return result
