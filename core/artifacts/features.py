"""Features of a project's images as their readers see them: a file of rows by pool index."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from core.errors import Conflict
from core.files.storage import Storage
from core.settings.project import Fit

_CAPTIONED: Final = "captioned"
# Beside features of a frozen model; what a job has learned has a name of its own.
_MAKER: Final = ".extractor.safetensors"
# In its metadata, where it has learned from the pool.
_FITTED_ON: Final = "fitted_on"


@dataclass(frozen=True)
class Features:
    """Features of a project's images.

    Attributes:
        name: What made them.
        path: (N, D) float32 .npy, rows by pool index.
        stamp: Changes with the file.
        count: N.
        width: How many leading columns say how alike two images are.
    """

    name: str
    path: Path
    stamp: int
    count: int
    width: int

    def row(self, pool_index: int) -> NDArray[np.float32]:
        """What is compared of one image: (width,)."""
        rows = open_memmap(self.path, mode="r")
        return np.array(rows[pool_index, : self.width], dtype=np.float32)


def features_of(
    storage: Storage, project_id: int, model: str, compared_width: Callable[[str, int], int]
) -> Features:
    """The features of a project's images that were made last.

    Args:
        storage: Where they are.
        project_id: The project.
        model: What its model is called, to say why there are none.
        compared_width: How many columns are compared, of a model's name and their number.

    Raises:
        Conflict: ``no_features``.
    """
    files = [path for path in storage.features(project_id).glob("*.npy") if path.is_file()]
    if not files:
        raise Conflict(
            "no_features",
            f"Images are compared by features, and none are kept of this pool yet. Where the model "
            f"works with frozen features, the first round makes them; the model {model} may not: "
            "then start the job learn_features.",
        )
    return _read(max(files, key=lambda path: path.stat().st_mtime_ns), compared_width)


def _read(path: Path, compared_width: Callable[[str, int], int]) -> Features:
    stamp = path.stat().st_mtime_ns
    name = path.stem.rpartition("-")[0]
    count, width = open_memmap(path, mode="r").shape
    return Features(name, path, stamp, count, compared_width(name, width))


def captioned_file(
    storage: Storage, project_id: int, sha256: str, side: int, fit: Fit = "crop"
) -> Path:
    """Where features are that captions are compared with; apart from those of models.

    Args:
        storage: Where they are.
        project_id: The project.
        sha256: Of the weights that make them.
        side: Of the project's images, in pixels.
        fit: What is seen of them.
    """
    seen = f"{side}" if fit == "crop" else f"{fit}-{side}"
    return storage.features(project_id) / _CAPTIONED / f"{sha256[:16]}-{seen}.npy"


def looked_up_in(
    storage: Storage, project_id: int, name: str, newest: Callable[[], Features]
) -> Features:
    """The features that a job names which has looked something up.

    Args:
        storage: Where they are.
        project_id: The project.
        name: As ``name_of`` gave it.
        newest: Gets those that were made last, but for captions.

    Raises:
        Conflict: ``features_changed``, or what ``newest`` raises.
    """
    if name.startswith(f"{_CAPTIONED}/"):
        path = storage.features(project_id) / name
        found = _read(path, lambda _, width: width) if path.is_file() else None
    else:
        last = newest()
        # Earlier versions kept the name of the file alone.
        found = last if name in {last.path.name, name_of(last.path)} else None
    if found is None:
        raise Conflict(
            "features_changed",
            "The features of this pool were made anew since this was looked up; look it up again.",
            field="similar_file",
        )
    return found


def name_of(path: Path) -> str:
    """What a job keeps of features that it works with: their name, and what their maker learned.

    What learns from a pool is made anew once that has grown; its features keep their name.
    """
    if path.parent.name == _CAPTIONED:
        return f"{_CAPTIONED}/{path.name}"
    learned = learned_digest(path)
    return path.name if learned is None else f"{path.name}@{learned}"


def learned_digest(path: Path) -> str | None:
    """SHA-256 of what has made a file of features, if it has learned from the pool.

    One that is fitted anew has another: its features are no longer those that a head was trained
    on, though their file has the same name and their rows the same length. A copy has the same,
    whenever it was made.

    Returns:
        None where nothing was learned from the pool, and where nobody knows: earlier versions do
        not say.
    """
    maker = path.with_suffix(_MAKER)
    try:
        with safe_open(maker, framework="numpy") as opened:
            if _FITTED_ON not in (opened.metadata() or {}):
                return None
        with maker.open("rb") as file:
            # Of the tensors alone: the order of the metadata before them is random.
            file.seek(int.from_bytes(file.read(8), "little"), os.SEEK_CUR)
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, SafetensorError):
        return None
