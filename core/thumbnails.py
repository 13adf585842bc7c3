"""Small versions of images, made once and kept."""

from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps

from core.storage import Storage, write_atomically

LARGEST: Final = 512
"""Longer side, in pixels, of the version that stands in for an original kept elsewhere."""


def thumbnail(storage: Storage, content_hash: bytes, size: int) -> Path:
    """File of the WebP whose longer side is at most ``size`` pixels; it need not be there yet."""
    digest = content_hash.hex()
    return storage.root / "thumbnails" / str(size) / digest[:2] / f"{digest}.webp"


def make(storage: Storage, content_hash: bytes, size: int, source: Path | bytes) -> Path:
    """Make a thumbnail from the image's file or its bytes, unless it is there."""
    target = thumbnail(storage, content_hash, size)
    if not target.exists():
        with Image.open(BytesIO(source) if isinstance(source, bytes) else source) as image:
            image.draft("RGB", (size, size))
            small = ImageOps.exif_transpose(image).convert("RGB")
            small.thumbnail((size, size))
        encoded = BytesIO()
        small.save(encoded, "WEBP", quality=85)
        write_atomically(target, lambda part: part.write_bytes(encoded.getvalue()))
    return target
