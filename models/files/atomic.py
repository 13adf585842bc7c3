"""Files that appear whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then rename it to `path`.

    A reader sees the old file or the new one, never half of it. The folder exists.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        write(partial)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as `numpy.save` does, atomically."""

    def write(partial: Path) -> None:
        # By an open file: numpy adds an ending to a name.
        with partial.open("wb") as file:
            np.save(file, array)

    write_atomically(path, write)


def save_arrays(path: Path, **arrays: Any) -> None:
    """Write arrays as `numpy.savez` does, atomically."""

    def write(partial: Path) -> None:
        with partial.open("wb") as file:
            np.savez(file, **arrays)

    write_atomically(path, write)
