"""Scores that are computed by torch, a block of rows at a time."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from models.protocols import Float32Array

_BLOCK_VALUES = 4_000_000
"""Values copied at a time: memory stays O(N) whatever is computed from a block."""


def by_blocks(
    score: Callable[[Tensor], Tensor], rows: Float32Array, *, width: int = 0
) -> Float32Array:
    """Apply a score to (N, D) rows.

    Args:
        score: maps (B, D) float32 rows, a copy, to (B,).
        rows: (N, D) float32, may be a read-only map of a file.
        width: values that `score` makes of a row, where they are more than D.

    Returns:
        (N,) float32.
    """
    result = np.empty(len(rows), dtype=np.float32)
    count = max(1, _BLOCK_VALUES // max(1, width, rows.shape[1]))
    for start in range(0, len(rows), count):
        block = torch.from_numpy(np.array(rows[start : start + count], dtype=np.float32))
        result[start : start + count] = score(block).numpy()
    return result
