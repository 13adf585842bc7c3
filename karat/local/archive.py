"""What a backup looks like: a tar archive that says what it is first, and its checksums last."""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, Self

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.dump"
CHECKSUMS: Final = "files.sha256"
STORED: Final = ("images", "projects", "uploads", "weights")
"""Folders of the data directory that are kept. Unfinished work is not: jobs begin again."""


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself.

    Attributes:
        format: Of the file.
        karat: Version that wrote it.
        schema: Revision of the database's schema.
        postgres: Major version of the server.
        created_at: The moment whose state it holds.
        storage_url: The bucket that its images lie in, and not in the backup.
    """

    format: int
    karat: str
    schema: str
    postgres: int
    created_at: str
    storage_url: str | None = None

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read what ``to_json`` wrote; names that are not known are left out."""
        values: dict[str, Any] = json.loads(text)
        return cls(**{name: values[name] for name in cls.__dataclass_fields__ if name in values})

    def to_json(self) -> bytes:
        """As the first member of the archive."""
        return json.dumps(asdict(self), indent=2).encode()


class ArchiveWriter:
    """Adds members to an archive and notes their checksums, in the order of the archive."""

    def __init__(
        self, archive: tarfile.TarFile, checksums: IO[bytes], require_room: Callable[[int], None]
    ) -> None:
        """Write nothing yet.

        Args:
            archive: Where to.
            checksums: An empty file to remember them in.
            require_room: Told the length of each member before; raises where there is no room.
        """
        self._archive, self._checksums, self._count = archive, checksums, 0
        self._require_room = require_room

    def add(self, name: str, path: Path) -> None:
        """Add a file as long as it is now: one that grows has its rows later."""
        try:
            source = path.open("rb")
        except FileNotFoundError:
            return
        with source:
            self._add(name, source, os.fstat(source.fileno()).st_size)

    def add_bytes(self, name: str, content: bytes) -> None:
        """Add what is in memory."""
        self._add(name, io.BytesIO(content), len(content))

    def finish(self) -> int:
        """Add the checksums; returns how many members were added before."""
        length = self._checksums.tell()
        self._checksums.seek(0)
        self._member(CHECKSUMS, self._checksums, length)
        return self._count

    def _add(self, name: str, source: IO[bytes], length: int) -> None:
        reader = HashingReader(source)
        self._member(name, reader, length)
        self._checksums.write(checksum_line(reader.hexdigest(), name))
        self._count += 1

    def _member(self, name: str, source: Any, length: int) -> None:
        member = tarfile.TarInfo(name)
        member.size = length
        member.mode = 0o600
        self._require_room(length)
        self._archive.addfile(member, source)
        # A million members are remembered otherwise.
        self._archive.members.clear()  # type: ignore[attr-defined]


class HashingReader:
    """Passes a stream on and computes its SHA-256."""

    def __init__(self, source: IO[bytes]) -> None:
        """Read from ``source``."""
        self._source, self._digest = source, hashlib.sha256()

    def read(self, length: int = -1) -> bytes:
        """As a file does."""
        content = self._source.read(length)
        self._digest.update(content)
        return content

    def hexdigest(self) -> str:
        """Of what was read so far."""
        return self._digest.hexdigest()


def checksum_line(digest: str, name: str) -> bytes:
    """A line that ``sha256sum --check`` reads."""
    return f"{digest}  {name}\n".encode()
