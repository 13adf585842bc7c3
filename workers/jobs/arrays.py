"""Files of named arrays, in unfinished work."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.files.storage import write_atomically


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as ``numpy.save`` does, atomically."""

    def write(part: Path) -> None:
        with part.open("wb") as file:
            np.save(file, array)

    write_atomically(path, write)


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays, and single numbers, to one file, atomically."""
    values = dict(arrays)

    def write(part: Path) -> None:
        with part.open("wb") as file:
            np.savez(file, **values)

    write_atomically(path, write)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read what ``write_arrays`` wrote."""
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}
