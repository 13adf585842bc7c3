"""Small versions of images, made on first use and kept."""

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

from core.storage import Storage, write_atomically


def thumbnail(storage: Storage, content_hash: bytes, size: int) -> Path:
    """File of a WebP whose longer side is at most ``size`` pixels."""
    source = storage.image(content_hash)
    target = storage.root / "thumbnails" / str(size) / source.parent.name / f"{source.name}.webp"
    if not target.exists():
        with Image.open(source) as image:
            image.draft("RGB", (size, size))
            small = ImageOps.exif_transpose(image).convert("RGB")
            small.thumbnail((size, size))
        encoded = BytesIO()
        small.save(encoded, "WEBP", quality=85)
        write_atomically(target, lambda part: part.write_bytes(encoded.getvalue()))
    return target
