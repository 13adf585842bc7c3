"""How large what a detector sees is, and what a row of cached maps is made of. Torch-free."""

from typing import Final

from models.catalog.params.detection import FcosParams

LEVELS: Final = ((8, 40), (16, 112), (32, 320))
"""Stride and channels of each map of EfficientNet-Lite0."""
POOLED: Final = 1_280
"""Leading columns of a row: the features of the whole image."""
LEAST_SIDE: Final = 128
"""Smaller images are enlarged: of 32 px a network for 224 px sees next to nothing."""


def side_of(params: FcosParams, image_size: int) -> int:
    """Return the side, in pixels, that images are scaled to before the network sees them."""
    coarsest = LEVELS[-1][0]
    return -(-(params.input_size or max(LEAST_SIDE, image_size)) // coarsest) * coarsest


def shapes(side: int) -> list[tuple[int, int, int]]:
    """Return (channels, height, width) of the maps of an image of a side."""
    return [(channels, side // stride, side // stride) for stride, channels in LEVELS]


def maps_width(side: int) -> int:
    """Return how many numbers the maps of an image are."""
    return sum(channels * height * width for channels, height, width in shapes(side))
