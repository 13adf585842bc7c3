"""Writing HEIC, which Karat only reads."""

import pillow_heif

from core.media.images import heif


def written() -> None:
    """Let Pillow write it; it is read on as Karat does."""
    pillow_heif.register_heif_opener()
    heif.register()
