"""From a map of activations to the box of what is most active. Torch-free.

Source: B. Zhou et al., "Learning Deep Features for Discriminative Localization", CVPR 2016,
section 3.1.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from models.frame import unpadded

Map = NDArray[np.float32]

_WITH_CORNERS = np.ones((3, 3), dtype=np.int64)


def scaled_map(activations: Map) -> Map:
    """Bring a (h, w) map to 0..1, its least value 0 and its largest 1; a constant one to 0."""
    low, high = float(activations.min()), float(activations.max())
    if not high > low:
        return np.zeros_like(activations)
    scaled: Map = ((activations - low) / (high - low)).astype(np.float32)
    return scaled


def enlarged_map(activations: Map, side: int) -> Map:
    """Bring a (h, w) map to (side, side) by bilinear interpolation, then to 0..1.

    Interpolated first: between the points of a coarse map none is more extreme than they are, so
    nothing is cut off.
    """
    picture = Image.fromarray(activations.astype(np.float32))
    larger = picture.resize((side, side), Image.Resampling.BILINEAR)
    return scaled_map(np.asarray(larger, dtype=np.float32))


def silenced(maps: Map, pixels: NDArray[np.uint8]) -> Map:
    """Give places that lie beside the image the least value of those that lie on it.

    Args:
        maps: (n, h, w) float32.
        pixels: (n, S, S, 3) uint8, the images that were looked at; beside them are bars.

    Returns:
        (n, h, w) float32.
    """
    shares = unpadded(pixels) / pixels.shape[1]
    columns, rows = (_within(shares[:, axis::2], maps.shape[2 - axis]) for axis in (0, 1))
    on_image = rows[:, :, None] & columns[:, None, :]
    least = np.where(on_image, maps, np.inf).min(axis=(1, 2), keepdims=True)
    quiet: Map = np.where(on_image, maps, least).astype(np.float32)
    return quiet


def _within(shares: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """(n, count) whether the middle of a place is between (n, 2) shares; one at least is."""
    middle = shares.mean(axis=1, keepdims=True)
    half = np.maximum(np.diff(shares, axis=1) / 2, 0.5 / count)
    within: NDArray[np.bool_] = np.abs((np.arange(count) + 0.5) / count - middle) <= half
    return within


def box_of_map(heat: Map, threshold: float) -> tuple[float, float, float, float] | None:
    """Return the tightest box around the largest part of a map that is active.

    Args:
        heat: (S, S) float32 in 0..1.
        threshold: what counts as active: at least this share of the largest value. Points that
            touch by a corner belong together, and of parts of one size the first counts.

    Returns:
        Left, top, right, bottom in pixels of the map, continuous; None where the map is constant
        and nothing stands out.
    """
    peak = float(heat.max())
    if not peak > 0:
        return None
    parts, count = ndimage.label(heat >= threshold * peak, structure=_WITH_CORNERS)
    sizes = np.bincount(parts.ravel(), minlength=count + 1)
    sizes[0] = 0
    rows, columns = ndimage.find_objects(parts)[int(sizes.argmax()) - 1]
    return float(columns.start), float(rows.start), float(columns.stop), float(rows.stop)
