"""How similar all images of a pool are to one, by their features: in blocks, without torch.

A pool of a million images has gigabytes of features, which no search should read whole. So beside
the features of a large pool a screen is kept: each row, scaled to length 1, by its coordinates in
the few directions that the rows share most of. The products of these short rows are close to the
cosines; the best of them are compared in full.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.files.storage import write_atomically

Float32Array = NDArray[np.float32]

SCREENED_FROM: Final = 50_000
"""Pools of fewer images are compared in full, which takes a tenth of a second."""
COMPARED: Final = 4096
"""So many of the best by the screen are compared in full."""
_SHORT: Final = 64
_SAMPLE: Final = 16_384
# A block and what is made of it stay in the cache of a processor.
_BLOCK: Final = 512
_LEAST_LENGTH: Final = np.float32(1e-12)


def unit_mean(rows: Sequence[Float32Array]) -> Float32Array:
    """The direction between several (D,) rows, each of which counts the same: (D,), length 1."""
    mean = np.mean([row / max(np.linalg.norm(row), _LEAST_LENGTH) for row in rows], axis=0)
    unit: Float32Array = (mean / max(np.linalg.norm(mean), _LEAST_LENGTH)).astype(np.float32)
    return unit


def similarities(path: Path, wanted: Float32Array, width: int | None = None) -> Float32Array:
    """Compare all rows of a file of features with one.

    With a screen the best ``COMPARED`` are exact, and come before all others, whose numbers are
    what the screen makes of them.

    Args:
        path: (N, D) float32 .npy.
        wanted: (d,) of length 1.
        width: How many leading columns of the file are compared: d; all if left out.

    Returns:
        (N,) float32 cosine similarities, -1..1.
    """
    rows: Any = np.load(path, mmap_mode="r")
    screen = _Screen.of(path, len(rows))
    if screen is None or len(rows) <= COMPARED:
        return _compared(rows, wanted, width)
    found = screen.products(wanted)
    best = np.argpartition(-found, COMPARED)[:COMPARED]
    # In the order of the file, which is read once and forwards.
    best.sort()
    exact = _compared(rows[best], wanted, width)
    rest = np.ones(len(found), dtype=bool)
    rest[best] = False
    found[rest] -= max(0.0, float(found[rest].max() - exact.min()))
    found[best] = exact
    np.clip(found, -1, 1, out=found)
    return found


def _compared(rows: Any, wanted: Float32Array, width: int | None) -> Float32Array:
    found = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(rows[start : start + _BLOCK, :width], dtype=np.float32)
        lengths = np.sqrt(np.vecdot(block, block))
        found[start : start + _BLOCK] = (block @ wanted) / np.maximum(lengths, _LEAST_LENGTH)
    np.clip(found, -1, 1, out=found)
    return found


class _Screen:
    """Short rows of a file of features, mapped, and the directions that they are made of."""

    def __init__(self, short: Any, basis: Float32Array) -> None:
        """Take (N, d) rows and the (D, d) basis."""
        self._short, self._basis = short, basis

    @classmethod
    def of(cls, path: Path, count: int) -> "_Screen | None":
        """The screen of a file of ``count`` rows, if it was made."""
        short, basis = _files(path, count)
        try:
            return cls(np.load(short, mmap_mode="r"), np.load(basis))
        except FileNotFoundError:
            return None

    def products(self, wanted: Float32Array) -> Float32Array:
        """(N,) products of the short rows with the short form of (D,) ``wanted``."""
        products: Float32Array = np.asarray(self._short @ (self._basis.T @ wanted))
        return products


def _files(path: Path, count: int) -> tuple[Path, Path]:
    # With the number of rows in its name: a screen of fewer rows is another file's.
    return (
        path.with_name(f"{path.stem}.{count}.short"),
        path.with_name(f"{path.stem}.{count}.basis"),
    )


def complete_screen(
    path: Path, width: int | None = None, *, least: int = SCREENED_FROM, seed: int = 0
) -> bool:
    """Make the screen of a file of features, if it is large and has none.

    Args:
        path: (N, D) float32 .npy.
        width: How many leading columns are compared; all if left out.
        least: From how many rows on.
        seed: Of the sample that the directions are found by.

    Returns:
        Whether one was made.
    """
    rows: Any = np.load(path, mmap_mode="r")
    short, basis_file = _files(path, len(rows))
    for old in (
        *path.parent.glob(f"{path.stem}.*.short"),
        *path.parent.glob(f"{path.stem}.*.basis"),
    ):
        if old not in (short, basis_file):
            old.unlink(missing_ok=True)
    if len(rows) < least or short.exists():
        return False
    basis = _basis(rows, width, seed)

    def fill(part: Path) -> None:
        shape = (len(rows), basis.shape[1])
        with part.open("wb") as file:
            np.lib.format.write_array_header_1_0(
                file, {"descr": "<f4", "fortran_order": False, "shape": shape}
            )
            for start in range(0, len(rows), 8 * _BLOCK):
                some = rows[start : start + 8 * _BLOCK, :width]
                short_rows = _unit(np.asarray(some, dtype=np.float32)) @ basis
                file.write(np.ascontiguousarray(short_rows).tobytes())
            file.flush()
            os.fsync(file.fileno())

    # The rows last: whoever finds them finds both.
    write_atomically(basis_file, lambda part: _save(part, basis))
    write_atomically(short, fill)
    return True


def _basis(rows: Any, width: int | None, seed: int) -> Float32Array:
    """(D, d) orthonormal directions in which the rows, scaled to length 1, are longest."""
    count = min(len(rows), _SAMPLE)
    drawn = np.sort(np.random.default_rng(seed).choice(len(rows), count, replace=False))
    sample = _unit(np.asarray(rows[drawn, :width], dtype=np.float32))
    _, vectors = np.linalg.eigh(sample.T @ sample)
    basis: Float32Array = np.ascontiguousarray(vectors[:, ::-1][:, :_SHORT].astype(np.float32))
    return basis


def _unit(rows: Float32Array) -> Float32Array:
    lengths = np.sqrt(np.vecdot(rows, rows))
    unit: Float32Array = rows / np.maximum(lengths, _LEAST_LENGTH)[:, None]
    return unit


def _save(part: Path, array: Float32Array) -> None:
    with part.open("wb") as file:
        np.save(file, array)
