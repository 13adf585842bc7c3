"""Files of arrays, which appear whole or not at all."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.files.atomic import write_atomically


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as `numpy.save` does, atomically."""

    def write(partial: Path) -> None:
        # By an open file: numpy adds an ending to a name.
        with partial.open("wb") as file:
            np.save(file, array)

    write_atomically(path, write)


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays, and single numbers, to one file as `numpy.savez` does, atomically."""

    def write(partial: Path) -> None:
        with partial.open("wb") as file:
            np.savez(file, **dict(arrays))

    write_atomically(path, write)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read what ``write_arrays`` wrote."""
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}
