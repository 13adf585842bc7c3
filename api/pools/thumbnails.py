"""Small versions of images, for whoever asks first."""

from pathlib import Path

from core.originals import Original, Originals
from core.storage import Storage
from core.thumbnails import LARGEST, make, thumbnail


def small(storage: Storage, originals: Originals, original: Original, size: int) -> Path:
    """File of a WebP whose longer side is at most ``size`` pixels. Blocks.

    Raises:
        DomainError: The original lies where it is no longer allowed; or is needed, and gone or
            changed.
    """
    originals.require_shown(original)
    target = thumbnail(storage, original.content_hash, size)
    if target.exists():
        return target
    source: Path | bytes = storage.image(original.content_hash)
    if original.location is not None or not storage.image(original.content_hash).exists():
        # The import of an image that lies elsewhere left one to make the others from.
        source = thumbnail(storage, original.content_hash, LARGEST)
        if size >= LARGEST or not source.exists():
            source = originals.read(original)
    return make(storage, original.content_hash, size, source)
