"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then rename it to `path`.

    A reader sees the old file or the new one, never half of it. A missing folder is made. What a
    process leaves that is killed meanwhile ends with `.part`, as all unfinished files do.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(16)}.part")
    try:
        write(partial)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


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
