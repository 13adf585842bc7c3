"""Ridge regression with a Gaussian kernel, and what it says of each of its rows without that row.

Source: R. Rifkin, R. Lippert, "Notes on Regularized Least Squares", MIT 2007, sections 3 and 4;
of many rows a sample spans the rest: C. Williams, M. Seeger, "Using the Nystrom Method to Speed Up
Kernel Machines", NeurIPS 2000.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices

Float64Array = NDArray[np.float64]

_JITTER = 1e-6
_EXACT, _MOST_EXACT = 1.5, 10_000
"""With up to so many times as many rows as landmarks, a sample would take as long as all rows; of
more than so many rows a kernel would fill memory."""
_BLOCK = 2048


@dataclass(frozen=True)
class Ridge:
    """A fitted regression of T targets.

    Attributes:
        landmarks: (m, D) unit rows.
        coefficients: (m, T).
        offsets: (T,) means of the targets.
        width: of the kernel.
    """

    landmarks: Float32Array
    coefficients: Float32Array
    offsets: Float64Array
    width: float

    def margins(self, rows: Float32Array) -> Float64Array:
        """Return what is predicted of (n, D) unit rows: (n, T)."""
        near = _kernel(rows, self.landmarks, self.width)
        margins: Float64Array = near @ self.coefficients + self.offsets
        return margins


def regress(
    rows: Float32Array, target: Float64Array, *, l2: float, width: float, landmarks: int, seed: int
) -> tuple[Ridge, Float64Array]:
    """Fit, and predict each row from all others.

    Args:
        rows: (L, D), of length 1.
        target: (L, T).
        l2: penalty, > 0.
        width: of the kernel exp(-|a - b|^2 / width), > 0.
        landmarks: with far more rows than that, a sample of so many spans the regression: time is
            linear in L then, and the kernel of all rows is never held.
        seed: of the sample.

    Returns:
        The regression, and (L, T).
    """
    offsets = target.mean(axis=0)
    wanted = torch.from_numpy(target - offsets)
    if len(rows) <= max(landmarks, min(_EXACT * landmarks, _MOST_EXACT)):
        chosen = np.arange(len(rows))
        coefficients, left_out = _exact(rows, wanted, l2, width)
    else:
        chosen = np.sort(np.random.default_rng(seed).permutation(len(rows))[:landmarks])
        coefficients, left_out = _sampled(rows, chosen, wanted, l2, width)
    ridge = Ridge(rows[chosen], coefficients.float().numpy(), offsets, width)
    return ridge, left_out.numpy() + offsets


def _exact(
    rows: Float32Array, wanted: torch.Tensor, l2: float, width: float
) -> tuple[torch.Tensor, torch.Tensor]:
    system = torch.from_numpy(_kernel(rows, rows, width)).double()
    # With hardly any penalty, duplicates and rounding in single precision leave it singular.
    system.diagonal().add_(max(l2, _JITTER * len(rows)))
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(system))
    coefficients = inverse @ wanted
    return coefficients, wanted - coefficients / inverse.diagonal()[:, None]


def _sampled(
    rows: Float32Array, chosen: Indices, wanted: torch.Tensor, l2: float, width: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Fit coefficients of the rows at (m,) ascending positions `chosen` to all rows.

    A landmark is left out as a landmark too: the rest would use its function, which nothing holds
    back once its own row is gone, for what they cannot explain otherwise.
    """
    marks = rows[chosen]
    system = l2 * torch.from_numpy(_kernel(marks, marks, width)).double()
    right = torch.zeros(len(marks), wanted.shape[1], dtype=torch.float64)
    for here, near in _blocks(rows, marks, width):
        system.addmm_(near.T, near)
        right.addmm_(near.T, wanted[here])
    system.diagonal().add_(_JITTER * float(system.diagonal().mean()))
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(system))
    coefficients = inverse @ right
    predicted, own = torch.empty_like(wanted), torch.empty_like(right[:, :1])
    free = torch.empty_like(wanted[:, :1])
    for here, near in _blocks(rows, marks, width):
        turned = near @ inverse
        # What is divided by is 0 where a row alone decides what is predicted of it.
        free[here, 0] = (1 - (turned * near).sum(1)).clamp(min=1e-3)
        predicted[here] = near @ coefficients
        first, last = np.searchsorted(chosen, [here.start, here.stop])
        own[first:last, 0] = turned[chosen[first:last] - here.start, np.arange(first, last)]
    moved = (wanted - predicted) / free
    left_out = wanted - moved
    # A row and a column of a symmetric system are taken away: Sherman and Morrison for the row, and
    # the coefficient is held at 0 for the column.
    rest, held = coefficients - own * moved[chosen], own / free[chosen]
    left_out[chosen] -= held * rest / (inverse.diagonal()[:, None] + own * held)
    return coefficients, left_out


def _blocks(
    rows: Float32Array, marks: Float32Array, width: float
) -> Iterator[tuple[slice, torch.Tensor]]:
    """Yield the kernels of some rows and all landmarks, in float64."""
    for start in range(0, len(rows), _BLOCK):
        here = slice(start, min(start + _BLOCK, len(rows)))
        yield here, torch.from_numpy(_kernel(rows[here], marks, width)).double()


def _kernel(rows: Float32Array, landmarks: Float32Array, width: float) -> Float32Array:
    """Return the kernel of unit rows: (n, m) in 0..1 but for rounding."""
    squared = 2 - 2 * (rows @ landmarks.T)
    result: Float32Array = np.exp(squared * np.float32(-1 / width))
    return result
