"""Images that stay in a bucket or a shared folder: all of a folder, as it is listed once."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, NamedTuple

from core.errors import DomainError
from core.files.buckets import Buckets
from core.files.compression import plain_name
from core.files.object_stores import Object
from core.files.prefetch import AT_ONCE
from core.files.storage import write_atomically
from core.jobs.imports import FolderChoice
from core.media.images.medium import IMAGES
from core.settings.locations import Location
from workers.imports.formats.archives.entries import base_of
from workers.imports.formats.archives.packed import Unpacking
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.lines import PLAIN, Lines
from workers.imports.formats.metadata import NAMES
from workers.imports.items import (
    MAX_IMAGE_BYTES,
    Fetched,
    Item,
    Origin,
    Refused,
    Source,
    invalid_archive,
)
from workers.imports.prefetch import read_ahead
from workers.imports.values import Values

_METADATA: Final = "metadata."
_REFUSALS: Final = {
    "not_found": "there is no such object",
    "location_denied": "the bucket refuses access to it",
}


class Bucket:
    """A place that images are taken from, and how its failures are told."""

    def __init__(self, buckets: Buckets, location: Location) -> None:
        """Look nowhere yet."""
        self.buckets, self.location = buckets, location

    def locate(self, text: str) -> Location | Refused:
        """What a table means by ``text``: a path inside, or a whole address."""
        try:
            found = Location.parse(text) if "://" in text else self.location.child(text)
        except DomainError as error:
            return Refused(error.detail)
        return found if self.location.holds(found) else Refused(f"it is not below {self.location}")

    def head(self, location: Location) -> Object | Refused:
        """What is there; raises only if that cannot be known now."""
        try:
            return self.buckets.head(location)
        except DomainError as error:
            return _refused(error)

    def read(self, found: Object) -> Fetched | Refused:
        """Its bytes; raises only if that cannot be known now."""
        if found.size > MAX_IMAGE_BYTES:
            return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
        try:
            content = self.buckets.read(found)
        except DomainError as error:
            return _refused(error)
        if len(content) != found.size:
            return Refused("it changed while it was imported; import it again")
        # The tag is older than the bytes: had they changed between, it would tell.
        return Fetched(content, Origin(str(found.location), found.tag))


def _refused(error: DomainError) -> Refused:
    """An object's own failure; the job waits for a place that cannot be reached."""
    reason = _REFUSALS.get(error.code)
    if reason is None:
        raise error
    return Refused(reason)


class Entry(NamedTuple):
    """An object by its path below the place; ``known`` if it is there for its name only."""

    name: str
    size: int
    tag: str
    known: int


class Listing:
    """Objects in the order of their listing, which is made once: a job that resumes needs it."""

    def __init__(
        self,
        bucket: Bucket,
        index: Path,
        include: Sequence[str],
        *,
        resumes: bool,
        check: Callable[[], None],
        compare: Callable[[sqlite3.Connection], object] | None = None,
    ) -> None:
        """List the place, unless that was done.

        Args:
            bucket: The place.
            index: SQLite file that keeps the listing.
            include: Patterns of paths; without any, names tell what is an image.
            resumes: Whether items of an earlier listing were imported.
            check: Called after each page; raises to stop.
            compare: Called with the listing once it is made, to mark what is ``known``.

        Raises:
            DomainError: ``invalid_archive`` if an earlier listing is lost; else as ``Buckets``.
        """
        self._bucket, self._include, self._compare = bucket, include, compare
        if not index.exists():
            if resumes:
                raise invalid_archive(
                    "The list of what is to be imported was lost with the disk. Start the import "
                    "again: what is there already is not added twice."
                )
            write_atomically(index, lambda part: self._list(part, check))
        self._index = sqlite3.connect(f"file:{index}?mode=ro", uri=True)

    def _list(self, part: Path, check: Callable[[], None]) -> None:
        top = self._bucket.location.key
        skip = len(top) + 1 if top else 0
        with closing(sqlite3.connect(part, isolation_level=None)) as index:
            index.execute("PRAGMA journal_mode = OFF")
            index.execute("PRAGMA synchronous = OFF")
            index.execute(
                "CREATE TABLE objects (name TEXT, size INT, tag TEXT, known INT DEFAULT 0)"
            )
            for page in self._bucket.buckets.pages(self._bucket.location):
                check()
                rows = ((one.location.key[skip:], one.size, one.tag) for one in page)
                index.execute("BEGIN")
                index.executemany(
                    "INSERT INTO objects (name, size, tag) VALUES (?, ?, ?)",
                    (row for row in rows if is_wanted(row[0], self._include)),
                )
                index.execute("COMMIT")
            if self._compare is not None:
                self._compare(index)

    def __iter__(self) -> Iterator[Entry]:
        """Every object."""
        rows = self._index.execute("SELECT name, size, tag, known FROM objects ORDER BY rowid")
        return (Entry(*row) for row in rows)

    def read(self, entry: Entry) -> Fetched | Refused:
        """The bytes of an object."""
        if not (self._include or _is_metadata(entry.name) or _is_image(entry.name)):
            return Refused("not an image by its name; include a pattern of it to have it read")
        try:
            location = self._bucket.location.child(entry.name)
        except DomainError:
            return Refused(
                "its path has parts that lead elsewhere, or characters that no address has"
            )
        return self._bucket.read(Object(location, entry.size, entry.tag))

    def open(self, entry: Entry) -> BinaryIO | Refused:
        """An object with metadata; documents of other tools are read where they are sent."""
        if not _is_metadata(entry.name):
            return Refused("no metadata")
        content = self.read(entry)
        return content if isinstance(content, Refused) else BytesIO(content.content)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def is_wanted(name: str, include: Sequence[str]) -> bool:
    """Whether an object is listed, by its path: what fits a pattern, and what describes others."""
    # Some tools mark a folder by an empty object.
    if not name or name.endswith("/"):
        return False
    return not include or _is_metadata(name) or any(fnmatchcase(name, one) for one in include)


def is_example(name: str, include: Sequence[str]) -> bool:
    """Whether an object that is listed is read as an image."""
    return not _is_metadata(name) and (bool(include) or _is_image(name))


def _is_metadata(name: str) -> bool:
    # Asked of every object: nearly none is called so, and names need no look at their endings.
    base = base_of(name)
    return base.startswith(_METADATA) and plain_name(base) in NAMES


def _is_packed(name: str) -> bool:
    return _is_metadata(name) and base_of(name) not in NAMES


def _is_image(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in IMAGES


class BucketSource(Source):
    """Items of a listing; folders and metadata mean what they mean in a zip."""

    def __init__(
        self,
        listing: Listing,
        work: Path,
        annotations: Sequence[str],
        chosen: Mapping[str, FolderChoice] | None = None,
        *,
        most: int,
        how: Lines = PLAIN,
        names_only: bool = False,
    ) -> None:
        """Scan the names, as ``FolderSource`` does.

        Args:
            listing: The objects; closed with the source, also if that cannot be made.
            work: For the index.
            annotations: As of ``FolderSource``.
            chosen: As of ``FolderSource``.
            most: Bytes that compressed metadata may unpack to.
            how: How lines of the metadata are read.
            names_only: Whether nothing is to be read.
        """
        entries = Unpacking(listing, most, _is_packed)
        self._folder = FolderSource(entries, work, annotations, chosen, how=how)
        self._names_only = names_only
        self._threads = ThreadPoolExecutor(AT_ONCE)

    @property
    def documents(self) -> list[tuple[str, str]]:
        """Files that say something of others, and whose format they have."""
        return self._folder.documents

    @property
    def total(self) -> int:
        """Number of items."""
        return self._folder.total

    @property
    def values(self) -> Mapping[str, Values]:
        """What stands in the columns of labels of the metadata."""
        return self._folder.values

    def items(self, start: int) -> Iterator[Item]:
        """Items from ``start`` on, read ahead."""
        items = self._folder.items(start)
        return items if self._names_only else read_ahead(items, self._threads)

    def close(self) -> None:
        """Stop reading ahead."""
        self._threads.shutdown(cancel_futures=True)
        self._folder.close()
