"""Files of named arrays, in unfinished work."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.files.atomic import write_array, write_arrays

__all__ = ["read_arrays", "write_array", "write_arrays"]


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read what ``write_arrays`` wrote."""
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}
