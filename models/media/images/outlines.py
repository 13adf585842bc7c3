"""What says that two pictures are the same, however they were saved: small, grey and normalised."""

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from models.frame import on_image
from models.media.images.store import PixelStore
from models.protocols import Float32Array, Progress

_ROWS: Final = 1024
_SIDE: Final = 32
# Of red, green and blue (ITU-R BT.601).
_BRIGHTNESS: Final = (0.299, 0.587, 0.114)
# Standard deviation, of 255, of what is no picture but noise.
_NOISE: Final = 1.0


def image_outlines(
    store: PixelStore, progress: Progress | None = None
) -> tuple[NDArray[np.float16], Float32Array]:
    """Outline the N pictures of a store.

    Returns:
        (N, P) float16 of length 1, whose products are correlations, and (N,) mean brightness of
        0..255.
    """
    size = min(store.size, _SIDE)
    prints = np.empty((len(store), size * size + 1), dtype=np.float16)
    means = np.empty(len(store), dtype=np.float32)
    for start in range(0, len(store), _ROWS):
        stop = min(start + _ROWS, len(store))
        prints[start:stop], means[start:stop] = outline(store[slice(start, stop)])
        if progress is not None:
            progress(stop, len(store))
    return prints, means


def outline(pixels: NDArray[np.uint8]) -> tuple[Float32Array, Float32Array]:
    """Outline (B, S, S, 3) pictures: (B, P) of length 1, and (B,) mean brightness.

    Bars beside them have their mean, so that these make no two pictures alike. The last coordinate
    stands for noise: two pictures without anything in them are the same.
    """
    grey = (torch.from_numpy(pixels).float() @ torch.tensor(_BRIGHTNESS))[:, None]
    if (shown := on_image(pixels)) is not None:
        is_shown = torch.from_numpy(shown)[:, None]
        inside = (grey * is_shown).sum(dim=(2, 3), keepdim=True)
        grey = torch.where(is_shown, grey, inside / is_shown.sum(dim=(2, 3), keepdim=True))
    if pixels.shape[1] > _SIDE:
        grey = functional.interpolate(grey, (_SIDE, _SIDE), mode="area")
    flat = grey.flatten(1)
    means = flat.mean(dim=1)
    noise = torch.full((len(flat), 1), _NOISE * flat.shape[1] ** 0.5)
    rows = functional.normalize(torch.cat([flat - means[:, None], noise], dim=1))
    return rows.numpy(), means.numpy()
