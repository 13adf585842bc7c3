"""Small versions of images, and pictures in place of originals, for whoever asks first."""

from pathlib import Path
from typing import Final

from core.files.storage import Storage
from core.media.images.thumbnails import LARGEST, full_size, make, make_full_size, thumbnail
from core.media.originals import Original, Originals

_MEDIA_TYPES: Final = {".webp": "image/webp", ".jpg": "image/jpeg"}


def made(storage: Storage, original: Original, size: int | None) -> tuple[Path, str] | None:
    """File and media type of what is asked for, if it is there already."""
    if size is None:
        return full_size(storage, original.content_hash)
    path = thumbnail(storage, original.content_hash, size)
    return (path, _MEDIA_TYPES[path.suffix]) if path.exists() else None


def small(
    storage: Storage, originals: Originals, original: Original, size: int
) -> tuple[Path, str]:
    """File and media type of a version whose longer side is at most ``size`` pixels. Blocks.

    Raises:
        DomainError: It is needed, and gone or changed, or HEIC of which no decoder starts.
    """
    # The import left one of what lies elsewhere or is large, to make the others from.
    source: Path | bytes = thumbnail(storage, original.content_hash, LARGEST)
    if size >= LARGEST or not thumbnail(storage, original.content_hash, LARGEST).exists():
        source = _source(storage, originals, original)
    path = make(storage, original.content_hash, size, source)
    return path, _MEDIA_TYPES[path.suffix]


def whole(storage: Storage, originals: Originals, original: Original) -> tuple[Path, str] | None:
    """File and media type of the picture in place of an original, if it needs one. Blocks.

    Raises:
        DomainError: The original is gone or changed, or HEIC of which no decoder starts.
    """
    return make_full_size(storage, original.content_hash, _source(storage, originals, original))


def _source(storage: Storage, originals: Originals, original: Original) -> Path | bytes:
    path = storage.image(original.content_hash)
    if original.location is None and path.exists():
        return path
    return originals.read(original)
