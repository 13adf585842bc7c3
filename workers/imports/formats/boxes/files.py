"""Files of an archive that draw boxes: YOLO's texts, and XML of Pascal VOC and CVAT.

Which there are is kept on disk, so that memory stays flat in their number.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, Protocol
from xml.etree.ElementTree import Element

from core.errors import DomainError
from core.files.folder_names import LITTER
from core.media.images.medium import ENDINGS, IMAGES
from workers.imports.drawn import Drawn
from workers.imports.formats import xml_stream
from workers.imports.formats.boxes import cvat, voc, voc_lists, yolo
from workers.imports.formats.boxes.shapes import drawn_fields
from workers.imports.formats.metadata import Metadata
from workers.imports.items import Refused, printable
from workers.imports.matching import Called, stem_of
from workers.imports.scratch_index import scratch_index

_TEXT: Final = ".txt"
_XML: Final = ".xml"
_IMAGES: Final = "images"
_LABELS: Final = "labels"
# Where Pascal VOC keeps images.
_BESIDE_XML: Final = (voc_lists.OF_IMAGES, _IMAGES)
_NAMED: Final = frozenset({_LABELS, voc_lists.OF_XML, *_BESIDE_XML})
_MOST_TEXT: Final = 8 << 20
_TOO_LONG: Final = f"is longer than {_MOST_TEXT >> 20} MiB"

Row = tuple[Sequence[Called], dict[str, Any]]


class Entry(Protocol):
    """A file of an archive."""

    @property
    def name(self) -> str:
        """Its path."""
        ...


Open = Callable[[Any], BinaryIO | Refused]


class BoxFiles:
    """Those of one archive."""

    def __init__(self, path: Path, every: Callable[[], Iterable[Entry]], open_: Open) -> None:
        """Find them.

        Args:
            path: Where to note which there are.
            every: Gives every file of the archive, those that are passed by elsewhere too.
            open_: Opens one.
        """
        self._every, self._open = every, open_
        self._index = scratch_index(path)
        self._index.execute("CREATE TABLE images (key TEXT, path TEXT)")
        self._index.execute("CREATE TABLE texts (name TEXT PRIMARY KEY, key TEXT, below INT)")
        self._lists = voc_lists.Lists(self._index)
        self._names = yolo.NamesByFolder()
        self._has_texts = self._has_sets = False
        self._formats: dict[str, str] = {}

    def find(self, files: Iterable[str]) -> None:
        """Note which of ``files`` draw boxes on which others: their paths, without what is hidden.

        A text does if it lies below a folder ``labels``, or beside an image that is called alike.
        """
        self._index.execute("BEGIN")
        for name in files:
            path = PurePosixPath(name)
            suffix = path.suffix.lower()
            self._has_sets = self._has_sets or voc_lists.is_list(name)
            if suffix == _TEXT and path.name.lower() not in yolo.LISTS:
                row = (name, _key(name), _LABELS in map(str.lower, path.parts[:-1]))
                self._index.execute("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)", row)
            elif suffix in IMAGES:
                key = _key(name)
                rows = ((one, name) for one in dict.fromkeys((_of_labels(key), key)))
                self._index.executemany("INSERT INTO images VALUES (?, ?)", rows)
        self._index.execute("CREATE INDEX by_key ON images (key)")
        self._index.execute(
            "DELETE FROM texts WHERE NOT below AND key NOT IN (SELECT key FROM images)"
        )
        self._index.execute("COMMIT")
        found = self._index.execute("SELECT 1 FROM texts LIMIT 1").fetchone()
        self._has_texts = found is not None

    def __contains__(self, name: str) -> bool:
        """Whether a file draws boxes, says what their numbers stand for, or lists images."""
        path = PurePosixPath(name)
        suffix = path.suffix.lower()
        if suffix == _XML or suffix in yolo.YAML or path.name.lower() in yolo.LISTS:
            return True
        if suffix == _TEXT and voc_lists.FOLDER in map(str.lower, path.parts):
            return True
        if suffix != _TEXT or not self._has_texts:
            return False
        row = self._index.execute("SELECT 1 FROM texts WHERE name = ?", (name,)).fetchone()
        return row is not None

    @property
    def documents(self) -> list[tuple[str, str]]:
        """One file of each format, and what that is called."""
        return [(name, format_) for format_, name in self._formats.items()]

    def read(self, metadata: Metadata, calls: Callable[[str], str]) -> None:
        """Index what all of them say.

        Args:
            metadata: The index.
            calls: Gives the path by which a file of the archive goes here.
        """
        if self._has_texts:
            self._read_lists(calls)
            metadata.list_classes(self._names.class_names)
            metadata.add_document("", self._texts(calls), below=False)
        if self._has_sets:
            self._read_sets(calls)
        documents: list[Entry] = []
        metadata.add_document("", self._xml(metadata, calls, documents), below=False)
        for entry in documents:
            name = calls(entry.name)
            folder = name.rpartition("/")[0]
            rows = self._cvat(entry, name, metadata)
            metadata.add_document(folder, rows, below=self._holds(folder))

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def _images_of(self, key: str) -> list[str]:
        rows = self._index.execute("SELECT DISTINCT path FROM images WHERE key = ?", (key,))
        return [path for (path,) in rows]

    def _holds(self, folder: str) -> bool:
        """Whether there are images below a folder."""
        statement = "SELECT 1 FROM images WHERE path >= ? AND path < ? LIMIT 1"
        # Right behind the slash comes 0.
        found = self._index.execute(statement, (f"{folder}/", f"{folder}0")).fetchone()
        return bool(folder) and found is not None

    def _read_lists(self, calls: Callable[[str], str]) -> None:
        """Find what numbers stand for."""
        for entry in self._every():
            name = calls(entry.name)
            path = PurePosixPath(name)
            if path.name.lower() in yolo.LISTS or path.suffix.lower() in yolo.YAML:
                content = self._content(entry)
                if isinstance(content, bytes):
                    self._names.add(name, content)

    def _read_sets(self, calls: Callable[[str], str]) -> None:
        """Note of which split the lists of Pascal VOC say images are."""
        for entry in self._every():
            name = calls(entry.name)
            content = self._content(entry) if voc_lists.is_list(name) else None
            if isinstance(content, bytes):
                self._lists.add(name, content)
        self._lists.settle(calls(entry.name) for entry in self._every())

    def _texts(self, calls: Callable[[str], str]) -> Iterator[Row]:
        for entry in self._every():
            name = calls(entry.name)
            known = self._index.execute("SELECT 1 FROM texts WHERE name = ?", (name,)).fetchone()
            if known is None:
                continue
            self._formats.setdefault(yolo.SOURCE, name)
            content = self._content(entry)
            found: Drawn | Refused
            if isinstance(content, Refused):
                found = Refused(f"{printable(name)} cannot be read: {content.reason}")
            else:
                text = content.decode("utf-8-sig", "replace")
                found = yolo.read(text, name, self._names.names_for(name))
            yield self._called(name), drawn_fields(found, yolo.SOURCE)

    def _called(self, name: str) -> list[Called]:
        """What the image of a text is called."""
        there = self._images_of(_key(name))
        if there:
            return [Called(path) for path in there]
        image = _of_images(name[: -len(_TEXT)])
        return [Called(f"{image}{ending}") for ending in ENDINGS]

    def _xml(
        self, metadata: Metadata, calls: Callable[[str], str], documents: list[Entry]
    ) -> Iterator[Row]:
        """What XML of single images says; that of CVAT is put aside into ``documents``."""
        for entry in self._every():
            name = calls(entry.name)
            is_litter = PurePosixPath(name).name.lower() in LITTER
            if is_litter or not name.lower().endswith(_XML):
                continue
            content = self._open(entry)
            if isinstance(content, Refused):
                metadata.problem(name, content.reason)
                continue
            with content:
                root = _root(content, name)
            if isinstance(root, Refused):
                metadata.problem(name, root.reason)
            elif root == cvat.ROOT:
                self._formats.setdefault(cvat.SOURCE, name)
                documents.append(entry)
            else:
                yield from self._voc(entry, name, metadata)

    def _cvat(self, entry: Entry, name: str, metadata: Metadata) -> Iterator[Row]:
        content = self._open(entry)
        if isinstance(content, Refused):
            metadata.problem(name, content.reason)
            return
        with content:
            yield from cvat.rows(content, name, metadata.problem, metadata.list_classes)

    def _voc(self, entry: Entry, name: str, metadata: Metadata) -> Iterator[Row]:
        content = self._content(entry)
        found = content if isinstance(content, Refused) else voc.read(BytesIO(content), name)
        if isinstance(found, Refused):
            metadata.problem(name, found.reason)
            return
        self._formats.setdefault(voc.SOURCE, name)
        split = self._lists.split_of(name)
        fields = {**drawn_fields(found.drawn, voc.SOURCE), **({"split": split} if split else {})}
        yield self._named(name, found.image), fields

    def _named(self, name: str, image: str) -> list[Called]:
        """What the image of an XML is called, by its place and by what the XML says."""
        stem = name[: -len(_XML)]
        base = stem.rpartition("/")[2]
        called = image.rpartition("/")[2]
        alike = called.rpartition(".")[0] == base
        there = [path for key in _beside(name) for path in self._images_of(key)]
        by_place = [Called(path) for path in dict.fromkeys(there)]
        by_name = [Called(image)] if image else []
        guessed = [] if image or there else [Called(f"{base}{ending}") for ending in ENDINGS]
        return [*by_place, *by_name] if alike or not image else [*by_name, *by_place, *guessed]

    def _content(self, entry: Entry) -> bytes | Refused:
        file = self._open(entry)
        if isinstance(file, Refused):
            return file
        try:
            with file:
                content = file.read(_MOST_TEXT + 1)
        except (DomainError, OSError, ValueError) as error:
            return Refused(printable(str(error))[:200])
        return Refused(_TOO_LONG) if len(content) > _MOST_TEXT else content


def _root(content: BinaryIO, name: str) -> str | Refused:
    """What the root of an XML is called."""
    try:
        first: Element | None = next(iter(xml_stream.elements(content, name, ())), None)
    except DomainError as error:
        return Refused(error.detail)
    return Refused("holds no XML") if first is None else first.tag


def _key(name: str) -> str:
    """A path without its ending, by which what belongs together is found.

    Folders that only say what lies in them are the same in any case.
    """
    *folders, last = stem_of(name).split("/")
    return "/".join([*(one.lower() if one.lower() in _NAMED else one for one in folders), last])


def _of_labels(stem: str) -> str:
    """Where the labels of an image are: the last folder ``images`` is ``labels``."""
    return _swapped(stem, _IMAGES, _LABELS)


def _of_images(stem: str) -> str:
    return _swapped(stem, _LABELS, _IMAGES)


def _swapped(stem: str, one: str, other: str) -> str:
    parts = stem.split("/")
    for place in range(len(parts) - 2, -1, -1):
        if parts[place].lower() == one:
            return "/".join([*parts[:place], other, *parts[place + 1 :]])
    return stem


def _beside(name: str) -> list[str]:
    """The keys of images that an XML may be about, by its place."""
    parts = _key(name).split("/")
    found = ["/".join(parts)]
    for place in range(len(parts) - 2, -1, -1):
        if parts[place].lower() == voc_lists.OF_XML:
            found += ["/".join([*parts[:place], one, *parts[place + 1 :]]) for one in _BESIDE_XML]
            break
    return found
