"""Cosine similarity of rows, in blocks."""

import numpy as np

from models.protocols import Float32Array

_BLOCK_VALUES = 8_000_000
"""Similarities held at a time: memory stays O(N) however many labels there are."""


def similarity_to(
    embeddings: Float32Array, references: Float32Array, neighbours: int
) -> Float32Array:
    """Return the cosine similarity of (N, D) rows to their k-th nearest of (L, D) references."""
    result: Float32Array = np.zeros(len(embeddings), dtype=np.float32)
    count = len(references)
    if count == 0:
        return result
    place = count - min(neighbours, count)
    directions: Float32Array = unit_rows(references).T
    rows = max(1, _BLOCK_VALUES // count)
    for start in range(0, len(embeddings), rows):
        block: Float32Array = unit_rows(embeddings[start : start + rows]) @ directions  # (B, L)
        nearest = block.max(axis=1) if place == count - 1 else _kth(block, place)
        result[start : start + rows] = nearest
    return result


def unit_rows(embeddings: Float32Array) -> Float32Array:
    """Scale (N, D) rows to length 1; a zero row stays zero."""
    rows: Float32Array = embeddings / row_lengths(embeddings)[:, None]
    return rows.astype(np.float32, copy=False)


def row_lengths(embeddings: Float32Array) -> Float32Array:
    """Return what (N, D) rows are divided by for length 1, (N,): never zero."""
    lengths: Float32Array = np.maximum(np.sqrt(np.vecdot(embeddings, embeddings)), 1e-12)
    return lengths


def _kth(block: Float32Array, place: int) -> Float32Array:
    nearest: Float32Array = np.partition(block, place, axis=1)[:, place]
    return nearest
