"""Decoded pixels of a pool, kept once on disk. Torch-free: the import job uses it."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.errors import ModelError, PixelsLost
from models.frame import FILL, Fit, Frame
from models.media.base import Medium, Store
from models.protocols import Indices

Pixels = NDArray[np.uint8]

_SHOWN: Final[dict[Fit, str]] = {"crop": "middle squares of images", "pad": "whole images"}
_REMEDY: Final = "try again: it is made anew from the original images"


class ImageRows(Protocol):
    """Images of one size by row.

    Attributes:
        size: S, the side in pixels.
        fit: what they show of their originals.
    """

    size: int
    fit: Fit

    def __getitem__(self, rows: Indices) -> Pixels:
        """Return (n, S, S, 3) uint8 images of (n,) rows."""


def fit_image(image: Image.Image, size: int, fit: Fit = "crop") -> Pixels:
    """Bring an image to the model's input size.

    Scales the centre square, or all of the image, with antialiasing. An image of the right size is
    returned as it is.

    Args:
        image: upright and in mode RGB; other modes without transparency are converted plainly.
        size: side S of the square, in pixels.
        fit: how the image lies in it.

    Returns:
        (S, S, 3) uint8.
    """
    image = image if image.mode == "RGB" else image.convert("RGB")
    if fit == "pad":
        return _padded(image, size)
    width, height = image.size
    if (width, height) != (size, size):
        side = min(width, height)
        left, top = (width - side) / 2, (height - side) / 2
        # Cropping through `box` never builds the scaled whole: a 1 x 100,000 strip stays cheap.
        image = image.resize(
            (size, size),
            Image.Resampling.BICUBIC,
            box=(left, top, left + side, top + side),
            reducing_gap=3.0,
        )
    return np.asarray(image, dtype=np.uint8)


def _padded(image: Image.Image, size: int) -> Pixels:
    sizes = np.array([image.size], dtype=np.int64)
    left, top, width, height = Frame(size, "pad").places(sizes)[0].tolist()
    inner = image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=3.0)
    pixels = np.full((size, size, 3), FILL, dtype=np.uint8)
    pixels[top : top + height, left : left + width] = np.asarray(inner, dtype=np.uint8)
    return pixels


class PixelStore:
    """Read-only view of the first `count` images of a raw uint8 file of shape (N, S, S, 3)."""

    medium: Medium = "image"

    def __init__(self, path: Path, size: int, count: int, fit: Fit = "crop") -> None:
        """Map what the file has of them; `open` and `writer` are the usual ways in."""
        self.path, self.size, self.count, self.fit = path, size, count, fit
        available = min(count, self.held(path, size))
        self._rows: Pixels = np.empty((0, size, size, 3), dtype=np.uint8)
        if available > 0:
            shape = (available, size, size, 3)
            self._rows = np.memmap(path, dtype=np.uint8, mode="r", shape=shape)

    @classmethod
    def open(
        cls, path: Path, size: int, count: int, *, fit: Fit = "crop", whole: bool = True
    ) -> Self:
        """View the first `count` rows.

        Args:
            path: the file.
            size: S, the side of its images in pixels.
            count: how many images.
            fit: how the images lie in their squares.
            whole: refuse a file that lacks some at once, and not when these are read.

        Raises:
            PixelsLost: the file is missing or shorter than `count` rows.
        """
        store = cls(Path(path), size, count, fit)
        if whole and store._lacks_some:
            raise store._lost()
        return store

    @staticmethod
    def held(path: Path, size: int) -> int:
        """Count the whole images in a file of images of `size` px, which may be missing."""
        return path.stat().st_size // (size * size * 3) if path.is_file() else 0

    @staticmethod
    def blacken(path: Path, size: int, rows: Indices) -> None:
        """Write black over (n,) rows of a file of images of `size` px, those that it has of them.

        Whoever has the file mapped sees that at once.
        """
        with PixelWriter(path, size) as writer:
            black = np.zeros((size, size, 3), dtype=np.uint8)
            for row in rows[rows < PixelStore.held(path, size)].tolist():
                writer.write(row, [black])

    @staticmethod
    def writer(path: Path, size: int) -> "PixelWriter":
        """Open the file for writing, creating it if need be."""
        return PixelWriter(Path(path), size)

    def __len__(self) -> int:
        """Return the number of images."""
        return self.count

    def __getitem__(self, indices: Indices | slice | Sequence[int]) -> Pixels:
        """Copy rows out: (n,) indices -> (n, S, S, 3) uint8.

        Raises:
            PixelsLost: the file lacks some of these.
        """
        if not isinstance(indices, slice):
            indices = np.asarray(indices, dtype=np.int64)
        if self._lacks_some:
            # By their places in the whole: of what is left, a slice would silently give less.
            indices = np.arange(self.count)[indices]
            if indices.size and indices.max() >= len(self._rows):
                raise self._lost()
        return np.array(self._rows[indices])

    @property
    def _lacks_some(self) -> bool:
        return len(self._rows) < self.count

    def _lost(self) -> PixelsLost:
        if not self.path.is_file():
            return PixelsLost(f"No pixel store at {self.path}; {_REMEDY}.")
        return PixelsLost(
            f"The pixel store {self.path} holds {len(self._rows)} images of {self.size} px, not "
            f"{self.count}; {_REMEDY}."
        )

    @property
    def frame(self) -> Frame:
        """What the images show of their originals."""
        return Frame(self.size, self.fit)

    @property
    def whole(self) -> "PixelStore":
        """All that `take` has chosen from."""
        return self

    def take(self, rows: Indices) -> "PixelStore":
        """View (n,) rows, in this order, as if there were no others."""
        return _Taken(self, rows)


class _Taken(PixelStore):
    """Some rows of a store."""

    def __init__(self, store: PixelStore, rows: Indices) -> None:
        self.path, self.size, self.count, self.fit = store.path, store.size, len(rows), store.fit
        self._store, self._taken = store, np.asarray(rows, dtype=np.int64)

    @property
    def whole(self) -> PixelStore:
        return self._store.whole

    def __getitem__(self, indices: Indices | slice | Sequence[int]) -> Pixels:
        places = indices if isinstance(indices, slice) else np.asarray(indices, dtype=np.int64)
        return self._store[self._taken[places]]


def images_of(store: Store) -> PixelStore:
    """Return a pool as one of images.

    Raises:
        ModelError: it holds others.
    """
    if not isinstance(store, PixelStore):
        raise ModelError(
            f"This works on images, and the pool holds {store.medium}s; choose what works on "
            "embeddings."
        )
    return store


def frame_learned(metadata: Mapping[str, str]) -> Frame:
    """Return how a model that was saved saw images; those of earlier versions were cropped."""
    fit: Fit = "pad" if metadata.get("fit") == "pad" else "crop"
    return Frame(int(metadata["image_size"]), fit)


def require_frame(store: PixelStore, learned: Frame) -> None:
    """Refuse images that are not as those which a model has learned from.

    Raises:
        ModelError: they are of another size, or show more or less of their originals.
    """
    if learned.side != store.size:
        raise ModelError(
            f"The model was trained on {learned.side} px images and the pool has {store.size} px; "
            "train it again."
        )
    if learned.fit != store.fit:
        raise ModelError(
            f"The model was trained on {_SHOWN[learned.fit]} and the pool has {_SHOWN[store.fit]}; "
            "train it again."
        )


class PixelWriter:
    """Writes rows of a pixel store in any order; rewriting a row is allowed."""

    def __init__(self, path: Path, size: int) -> None:
        """Open `path` for images of `size` px."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.size = path, size
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def write(self, start_row: int, images: Iterable[Pixels]) -> None:
        """Write (S, S, 3) uint8 images, n of them, to rows start_row..start_row+n-1.

        They are written one by one, so that a batch need not lie in memory a second time.

        Raises:
            ModelError: an image is of another shape or type; those before it are written.
        """
        shape = (self.size, self.size, 3)
        offset = start_row * math.prod(shape)
        for image in images:
            if image.dtype != np.uint8 or image.shape != shape:
                raise ModelError(
                    f"Expected uint8 images of shape {shape}, got {image.dtype} {image.shape}; use "
                    "fit_image first."
                )
            remaining = np.ascontiguousarray(image).data.cast("B")
            while remaining:
                written = os.pwrite(self._descriptor, remaining, offset)
                offset, remaining = offset + written, remaining[written:]

    def flush(self) -> None:
        """Make what was written survive a crash of the machine."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Flush and close."""
        if self._descriptor >= 0:
            self.flush()
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()
