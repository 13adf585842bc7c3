"""Pools of small synthetic images whose truth follows from their number, streamed to Parquet."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image

CLASSES: Final = ("disc", "ring", "cross", "stripes")
SIZE: Final = 16
_OOD_SHARE: Final = 0.4
_ROWS: Final = 10_000
_SCHEMA: Final = pa.schema([("image", pa.binary()), ("file", pa.string()), ("label", pa.string())])


def truth(number: int) -> str | None:
    """Return the class of image ``number``, None for OOD."""
    draw = np.random.SeedSequence([7, number]).generate_state(2)
    if draw[0] < _OOD_SHARE * 2**32:
        return None
    return CLASSES[int(draw[1]) % len(CLASSES)]


def number_of(name: str) -> int:
    """Return the number of the image of that file name."""
    return int(name.partition(".")[0])


def write(path: Path, start: int, stop: int) -> None:
    """Write images ``start`` to ``stop - 1`` with their classes, a few thousand in memory."""
    with pq.ParquetWriter(path, _SCHEMA) as writer:
        for first in range(start, stop, _ROWS):
            rows = list(_rows(first, min(first + _ROWS, stop)))
            writer.write_table(pa.Table.from_pylist(rows, _SCHEMA))


def _rows(start: int, stop: int) -> Iterator[dict[str, Any]]:
    for number in range(start, stop):
        label = truth(number)
        file = io.BytesIO()
        Image.fromarray(_pixels(number, label)).save(file, "JPEG", quality=90)
        yield {"image": file.getvalue(), "file": f"{number:07d}.jpg", "label": label or "ood"}


def _pixels(number: int, label: str | None) -> NDArray[np.uint8]:
    """Draw (S, S, 3) uint8: a shape of the class, or blurred noise, on noise of its own."""
    generator = np.random.default_rng(number)
    colour = generator.integers(60, 256, 3)
    noise = generator.integers(0, 90, (SIZE, SIZE, 3))
    y, x = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2 + generator.uniform(-1.5, 1.5, (2, 1, 1))
    radius = np.hypot(x, y)
    if label == "disc":
        shape = radius < generator.uniform(4, 6)
    elif label == "ring":
        shape = np.abs(radius - generator.uniform(4.5, 6)) < 1.3
    elif label == "cross":
        shape = np.minimum(np.abs(x), np.abs(y)) < 1.5
    elif label == "stripes":
        shape = np.sin((x + y) * generator.uniform(0.8, 1.1)) > 0
    else:
        shape = generator.random((4, 4)).repeat(4, axis=0).repeat(4, axis=1) > 0.5
    return np.where(shape[..., None], colour, noise).astype(np.uint8)
