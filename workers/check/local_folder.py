"""Folders on this machine, read as if they had been sent."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, NamedTuple

from core.files.local_folder import files_of
from workers.check.texts import PARQUET
from workers.imports.formats.archives.entries import Entries
from workers.imports.formats.documents import SUFFIX
from workers.imports.formats.table import TABLES
from workers.imports.items import MAX_IMAGE_BYTES, Refused

SAYING: Final = frozenset({*TABLES, SUFFIX, PARQUET})
"""Endings of files that may say something of images."""


class LocalFile(NamedTuple):
    """A file of a folder; ``name`` is its path in it."""

    name: str
    size: int
    path: Path


class LocalFolder:
    """A folder on this machine, as if it had been sent."""

    def __init__(self, folder: Path, but: Iterable[Path] = ()) -> None:
        """Read ``folder``, but for some files."""
        self._folder = folder
        self._but = {one.resolve() for one in but}
        self._names = {one.name for one in self._but}

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Files that cannot be read, and why."""
        found: dict[str, str] = {}
        for _ in files_of(self._folder, found.__setitem__):
            pass
        return found

    def __iter__(self) -> Iterator[LocalFile]:
        """Every file, in the same order each time."""
        for path in files_of(self._folder):
            # Few files are called so, and looking where each leads takes its time.
            if path.name in self._names and path.resolve() in self._but:
                continue
            name = path.relative_to(self._folder).as_posix()
            yield LocalFile(name, path.stat().st_size, path)

    def read(self, entry: LocalFile) -> bytes | Refused:
        """The bytes of a file, or why it has none."""
        if entry.size > MAX_IMAGE_BYTES:
            return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
        try:
            return entry.path.read_bytes()
        except OSError as error:
            return Refused(f"it cannot be read: {error.strerror}")

    def open(self, entry: LocalFile) -> BinaryIO | Refused:
        """A file as a stream."""
        try:
            return entry.path.open("rb")
        except OSError as error:
            return Refused(f"it cannot be read: {error.strerror}")

    def close(self) -> None:
        """Nothing stays open between files."""


class Unlabeled:
    """What a folder holds, but for what would say something of its images.

    Their labels come from one file that was named; others beside it are of other images, or say
    something else of these.
    """

    def __init__(self, entries: Entries) -> None:
        """Read ``entries``."""
        self._entries = entries
        self.read, self.open, self.close = entries.read, entries.open, entries.close

    def __iter__(self) -> Iterator[Any]:
        """Every entry, in the same order each time."""
        return (
            one for one in self._entries if PurePosixPath(one.name).suffix.lower() not in SAYING
        )
