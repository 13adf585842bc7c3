"""What is made of images, once, and kept: small versions, and pictures that browsers can show."""

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

from core.files.storage import Storage, write_atomically
from core.media.images.rendition import VERSION, Rendition, rendered

LARGEST: Final = 512
"""Longer side, in pixels, of the version that stands in for an original kept elsewhere."""
SCREEN: Final = 2000
"""Longer side, in pixels, of the version that screens show of large images."""
_LARGE: Final = 4_000_000
"""Above so many pixels screens are sent that version; as in the frontend's ``images.ts``."""
# Above these many pixels the import makes them; below, whoever asks first hardly waits.
_SMALL_AHEAD: Final = 2_000_000
_FULL_AHEAD: Final = 500_000
_FULL: Final = {".png": "image/png", ".jpg": "image/jpeg"}
_JPEG_SIDE: Final = 65_500
# Originals that have lost something already: what photographs are kept as.
_LOSSY: Final = frozenset({"image/jpeg", "image/avif", "image/heic"})


def thumbnail(storage: Storage, content_hash: bytes, size: int) -> Path:
    """File of the version whose longer side is at most ``size`` pixels; it need not be there yet.

    A WebP, and where it is as large as ``SCREEN``, a JPEG: that is made and decoded in a fifth of
    the time.
    """
    return _place(storage, content_hash, str(size), ".jpg" if size >= SCREEN else ".webp")


def largest_ahead(width: int, height: int) -> int:
    """Longer side of the largest version that is made ahead of an image of so many pixels.

    Of large ones screens are sent that of ``SCREEN`` pixels until somebody zooms in.
    """
    return SCREEN if width * height > _LARGE and max(width, height) > SCREEN else LARGEST


def full_size(storage: Storage, content_hash: bytes) -> tuple[Path, str] | None:
    """File and media type of the picture that is shown in place of an original, if it is made."""
    for suffix, media_type in _FULL.items():
        path = _place(storage, content_hash, "full", suffix)
        if path.exists():
            return path, media_type
    return None


def make(storage: Storage, content_hash: bytes, size: int, source: Path | bytes) -> Path:
    """Make a small version from the image's file or its bytes, unless it is there."""
    target = thumbnail(storage, content_hash, size)
    if not target.exists():
        with rendered(source, longer=lambda *_: size) as picture:
            # Others may have waited for the same.
            if not target.exists():
                _write_small(target, picture.image, size)
    return target


def make_full_size(
    storage: Storage, content_hash: bytes, source: Path | bytes
) -> tuple[Path, str] | None:
    """Make the picture to show in place of an original, unless it is there.

    Returns:
        As ``full_size``; ``None`` if the original shows itself.
    """
    found = full_size(storage, content_hash)
    if found is None:
        with rendered(source) as picture:
            found = full_size(storage, content_hash)
            if found is None and not picture.as_is:
                found = _write_full_size(storage, content_hash, picture)
    return found


def make_ahead(storage: Storage, content: bytes, picture: Rendition) -> None:
    """Make what an annotator would have to wait for, while the picture is in memory."""
    pixels = picture.width * picture.height
    if pixels <= _FULL_AHEAD:
        return
    content_hash = hashlib.sha256(content).digest()
    small = thumbnail(storage, content_hash, LARGEST)
    if pixels > _SMALL_AHEAD and not small.exists():
        _write_small(small, picture.image, LARGEST)
    screen = thumbnail(storage, content_hash, SCREEN)
    if largest_ahead(picture.width, picture.height) == SCREEN and not screen.exists():
        _write_small(screen, picture.image, SCREEN)
    whole = picture.image.width * picture.image.height == pixels
    due = whole and not picture.as_is and pixels > _FULL_AHEAD
    if due and full_size(storage, content_hash) is None:
        _write_full_size(storage, content_hash, picture)


def _place(storage: Storage, content_hash: bytes, kind: str, suffix: str) -> Path:
    digest = content_hash.hex()
    folder = storage.root / "renditions" / str(VERSION) / kind / digest[:2]
    return folder / f"{digest}{suffix}"


def _write_small(target: Path, image: Image.Image, size: int) -> None:
    longer = max(image.size)
    if longer > size:
        width, height = (max(1, round(side * size / longer)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=3.0)
    if target.suffix == ".jpg":
        _write(target, image, "JPEG", quality=92, subsampling=0)
    else:
        _write(target, image, "WEBP", quality=85)


def _write_full_size(storage: Storage, content_hash: bytes, picture: Rendition) -> tuple[Path, str]:
    """Write a picture without loss; of a photograph, which has its loss already, with next to none.

    As PNG it would be five times as large as a JPEG. WebP without loss takes longer, and memory
    for the whole image once more.
    """
    if picture.media_type in _LOSSY and max(picture.image.size) <= _JPEG_SIDE:
        target = _place(storage, content_hash, "full", ".jpg")
        _write(target, picture.image, "JPEG", quality=95, subsampling=0)
    else:
        target = _place(storage, content_hash, "full", ".png")
        _write(target, picture.image, "PNG", compress_level=1)
    return target, _FULL[target.suffix]


def _write(target: Path, image: Image.Image, kind: str, **options: int) -> None:
    encoded = BytesIO()
    # Neither profile nor orientation: they are in the pixels.
    Image.Image.save(image, encoded, kind, exif=b"", icc_profile=None, **options)
    write_atomically(target, lambda part: part.write_bytes(encoded.getvalue()))
