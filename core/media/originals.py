"""The bytes an image came with: on this machine, in the installation's bucket, or elsewhere."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from core.errors import Conflict, NotFound
from core.files.buckets import Buckets, image_changed
from core.files.object_stores import Object
from core.files.storage import Storage
from core.media.texts.medium import MEDIA_TYPE
from core.settings.locations import Location
from core.tables import Example


@dataclass(frozen=True, slots=True)
class Original:
    """What is known of an image's bytes, or of a text's, which the database has.

    Attributes:
        content_hash: Their SHA-256 (32 bytes).
        media_type: What they were decoded as.
        location: Where they lie, if Karat keeps no copy.
        tag: What tells whether they are still the same there.
        as_is: Whether browsers show them as everybody sees them; ``None`` if not known.
    """

    content_hash: bytes
    media_type: str
    location: str | None
    tag: str | None
    as_is: bool | None = None

    @property
    def is_text(self) -> bool:
        """Whether it is a text, of which there is neither a file nor a picture."""
        return self.media_type == MEDIA_TYPE

    @classmethod
    def of(cls, row: Any) -> Self:
        """Read a row that holds ``ORIGINAL``."""
        return cls(row.content_hash, row.media_type, row.location, row.location_tag)


ORIGINAL: Final = (
    Example.content_hash,
    Example.media_type,
    Example.location,
    Example.location_tag,
)
"""Columns that an ``Original`` is made from."""


class Originals:
    """Finds originals. Every method may wait for a bucket."""

    def __init__(self, storage: Storage, buckets: Buckets) -> None:
        """Look nowhere yet."""
        self._storage = storage
        self._buckets = buckets

    def find(self, original: Original) -> Path | Object:
        """The file on this machine, or the object that was looked at a moment ago.

        Raises:
            Conflict: The image is lost: ``image_gone``, ``image_changed``, or
                ``location_not_allowed`` once the operator has taken its place back.
            DomainError: What ``Buckets`` raises where it cannot be looked at now.
        """
        found = self._look(original)
        return found if isinstance(found, Path) else self._buckets.file(found.location) or found

    def _look(self, original: Original) -> Path | Object:
        """Our own file, or the object; a file of a shared folder is one too."""
        if original.location is not None:
            return self._buckets.same(Location.parse(original.location), original.tag or "")
        path = self._storage.image(original.content_hash)
        if path.exists():
            return path
        remote = self._storage.remote
        if remote is not None:
            # Named by its content, so that it cannot have changed.
            with suppress(NotFound):
                return self._buckets.head(remote.image(original.content_hash))
        raise _gone()

    def require_shown(self, original: Original) -> None:
        """Refuse an image that lies where the operator no longer allows it; looks nowhere.

        Raises:
            Conflict: ``location_not_allowed``.
        """
        if original.location is not None:
            self._buckets.require_shown(Location.parse(original.location))

    def may_wait(self, original: Original) -> bool:
        """Whether its bytes may have to come from a bucket."""
        return original.location is not None or self._storage.remote is not None

    def link(self, found: Object, media_type: str) -> str | None:
        """A short-lived link to an object; None if it has to be passed on."""
        return self._buckets.sign(found, media_type)

    def blocks(self, found: Object) -> Iterator[bytes]:
        """The content of an object in pieces."""
        return self._buckets.blocks(found)

    def read(self, original: Original) -> bytes:
        """All bytes; those that lie elsewhere are compared with their hash.

        Raises:
            DomainError: As ``find``.
        """
        found = self._look(original)
        if isinstance(found, Path):
            # Ours, and named by its hash.
            return found.read_bytes()
        try:
            content = self._buckets.read(found)
        except NotFound:
            raise _gone() from None
        if hashlib.sha256(content).digest() != original.content_hash:
            raise image_changed()
        return content


def _gone() -> Conflict:
    return Conflict(
        "image_gone",
        "The file of this image is missing. Restore it from a backup, or import it again.",
    )
