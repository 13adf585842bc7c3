"""Which files are images, by their names; what is in them is looked at before it is believed."""

from typing import Final

IMAGES: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff"})
