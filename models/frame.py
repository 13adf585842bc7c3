"""What a model sees of an image: a square, and how the image lies in it. Torch-free."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Fit = Literal["crop", "pad"]
"""The middle square of an image, or all of it with bars where it is not square."""

FILL: Final = (124, 116, 104)
"""Colour of bars, the mean of ImageNet in whole numbers.

Networks that are normalised by that mean see about 0 there, which is what their convolutions put
beyond every edge of an image.
"""

Corners = NDArray[np.float64]
Sizes = NDArray[np.int64]
Windows = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """The square that models see of the images of a pool.

    Attributes:
        side: S, in pixels.
        fit: how images lie in it.
    """

    side: int
    fit: Fit = "crop"

    def windows(self, sizes: Sizes) -> Windows:
        """Return what the square shows of the plane in which each image lies.

        Args:
            sizes: (n, 2) int64, width and height of the upright images, in pixels.

        Returns:
            (n, 4) float64, left, top, width and height in pixels of the upright image. Less than
            the image where it is cropped; beyond its edges where it is padded.
        """
        size = sizes.astype(np.float64)
        if self.fit == "crop":
            shown = np.repeat(size.min(axis=1, keepdims=True), 2, axis=1)
            return np.concatenate([(size - shown) / 2, shown], axis=1)
        places = self.places(sizes)
        scale = size / places[:, 2:]
        return np.concatenate([-places[:, :2] * scale, self.side * scale], axis=1)

    def places(self, sizes: Sizes) -> Sizes:
        """Return where padded images lie in the square, in whole pixels of it.

        Args:
            sizes: (n, 2) int64, width and height of the upright images, in pixels.

        Returns:
            (n, 4) int64, left, top, width and height; the longer side is S.
        """
        lengths = np.round(self.side * (sizes / sizes.max(axis=1, keepdims=True)))
        inner = np.maximum(lengths, 1).astype(np.int64)
        return np.concatenate([(self.side - inner) // 2, inner], axis=1)


CROPPED: Final = Frame(1)
"""The middle square, of whatever size: places in it are the same shares of all of them."""


def into_square(corners: Corners, windows: Windows) -> Corners:
    """Return boxes of images as shares of their squares; beyond 0..1 lies what is not shown.

    Args:
        corners: (n, 4) float64, left, top, right, bottom in pixels of the upright image.
        windows: (n, 4), what the square shows of the image that each box is of.
    """
    left_top, shown = _twice(windows)
    shares: Corners = (corners - left_top) / shown
    return shares


def out_of_square(shares: Corners, windows: Windows) -> Corners:
    """Undo `into_square`."""
    left_top, shown = _twice(windows)
    corners: Corners = shares * shown + left_top
    return corners


def within_images(corners: Corners, sizes: Sizes) -> Corners:
    """Cut (n, 4) boxes off at the edges of the images that they are of, of (n, 2) sizes."""
    cut: Corners = np.clip(corners, 0, np.tile(sizes, 2))
    return cut


def unpadded(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Find what of images is no bar, by the pixels themselves.

    A bar is rows or columns at both edges, as many on either side or one more at the end, all of
    the colour `FILL`. What else has rows of exactly that colour there has nothing in them.

    Args:
        pixels: (n, S, S, 3) uint8.

    Returns:
        (n, 4) int64, left, top, right, bottom in pixels of the square; all of it where it is `FILL`
        throughout.
    """
    side = pixels.shape[1]
    found = np.tile(np.array((0, 0, side, side), dtype=np.int64), (len(pixels), 1))
    # Bars have the last corner: of an image without any, one pixel is looked at.
    barred = np.flatnonzero((pixels[:, -1, -1] == FILL).all(axis=1))
    suspects = pixels[barred]
    # By channels, which takes a fraction of the time.
    red, green, blue = (suspects[..., at] != value for at, value in enumerate(FILL))
    is_image = red | green | blue
    for axis, along in enumerate((is_image.any(axis=1), is_image.any(axis=2))):
        first = along.argmax(axis=1)
        last = along[:, ::-1].argmax(axis=1)
        found[barred, axis] = np.minimum(first, last)
        found[barred, axis + 2] = side - np.minimum(last, first + 1)
    found[barred[~is_image.any(axis=(1, 2))]] = (0, 0, side, side)
    return found


def on_image(pixels: NDArray[np.uint8]) -> NDArray[np.bool_] | None:
    """Return which pixels of images are no bar: (n, S, S), or None if all of all of them are."""
    inner, side = unpadded(pixels), pixels.shape[1]
    if (inner == (0, 0, side, side)).all():
        return None
    places = np.arange(side)
    columns = (places >= inner[:, :1]) & (places < inner[:, 2:3])
    rows = (places >= inner[:, 1:2]) & (places < inner[:, 3:])
    shown: NDArray[np.bool_] = rows[:, :, None] & columns[:, None, :]
    return shown


def without_bars(
    pixels: NDArray[np.uint8], least: int = 1
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Part images by their shape, and yield those of each shape without the bars beside them.

    Features of these are of the image alone, so that nothing tells a wide image from a square one
    but what is on it. Sides are rounded up to the next of 32, of bars: so there are few shapes.

    Args:
        pixels: (n, S, S, 3) uint8, n >= 1.
        least: what a side has left at least, of bars where there is no more image; at most S.

    Yields:
        (m,) positions, ascending, and (m, h, w, 3) uint8; images without bars as they are.
    """
    side, step = pixels.shape[1], max(1, pixels.shape[1] // 32)
    inner = unpadded(pixels)
    extent = inner[:, 2:] - inner[:, :2]
    kept = np.minimum(np.maximum(-(-extent // step) * step, least), side)
    shapes, group = np.unique(kept, axis=0, return_inverse=True)
    for number, (width, height) in enumerate(shapes.tolist()):
        left, top = (side - width) // 2, (side - height) // 2
        positions = np.flatnonzero(group.reshape(-1) == number)
        chosen = pixels if len(shapes) == 1 else pixels[positions]
        yield positions, chosen[:, top : top + height, left : left + width]


def _twice(windows: Windows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, 4) left upper corner and (n, 4) extent of windows, for both corners of a box."""
    return np.tile(windows[:, :2], 2), np.tile(windows[:, 2:], 2)
