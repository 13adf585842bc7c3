"""Colours of any kind, brought to sRGB."""

from functools import lru_cache
from io import BytesIO
from typing import Final

import numpy as np
from PIL import Image, ImageCms

_SPACES: Final = {"RGB": "RGB", "L": "GRAY", "CMYK": "CMYK"}
_SAME: Final = 2
"""Levels by which a profile may differ from sRGB and still be taken for it."""
_PLAIN_GAMMA: Final = 0.45455


def srgb(image: Image.Image, profile: bytes | None, gamma: float | None) -> Image.Image:
    """An image of mode L, RGB, CMYK, LAB or YCbCr as sRGB, in mode RGB.

    A profile that cannot be read, or is for another kind of colours, is as if there were none.

    Args:
        image: Its colours.
        profile: ICC profile that came with it.
        gamma: What a PNG without a profile says of its encoding, as in its ``gAMA``.
    """
    transform = _transform(profile, image.mode) if profile and image.mode in _SPACES else None
    if transform is not None:
        return ImageCms.applyTransform(image, transform) or image
    image = image if image.mode == "RGB" else image.convert("RGB")
    if gamma is not None and 0.1 <= gamma <= 5 and abs(gamma - _PLAIN_GAMMA) > 0.01:
        image = image.point(_curve(gamma) * 3)
    return image


@lru_cache(maxsize=16)
def is_plain(profile: bytes) -> bool:
    """Whether a profile is of three curves and a matrix for RGB, which every browser reads."""
    try:
        found = ImageCms.ImageCmsProfile(BytesIO(profile)).profile
    except (ImageCms.PyCMSError, OSError):
        return False
    return found.xcolor_space.strip() == "RGB" and bool(found.is_matrix_shaper)


@lru_cache(maxsize=16)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """To sRGB; ``None`` if there is no way, or nothing to do."""
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        if source.profile.xcolor_space.strip() != _SPACES[mode]:
            return None
        target = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
        transform = ImageCms.buildTransform(source, target, mode, "RGB")
    except (ImageCms.PyCMSError, OSError):
        return None
    return None if mode == "RGB" and _does_nothing(transform) else transform


def _does_nothing(transform: ImageCms.ImageCmsTransform) -> bool:
    """Whether colours all over the cube stay what they are."""
    steps = np.linspace(0, 255, 9).round().astype(np.uint8)
    cube = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(27, 27, 3)
    made = ImageCms.applyTransform(Image.fromarray(cube), transform)
    return made is not None and int(np.abs(np.asarray(made).astype(int) - cube).max()) <= _SAME


def _curve(gamma: float) -> list[int]:
    """(256,) levels of sRGB for those of an encoding by a power."""
    light = (np.arange(256) / 255) ** (1 / gamma)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return [int(level) for level in (255 * encoded).round()]
