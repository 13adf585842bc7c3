"""Images in folders, of a zip or a bucket: splits, classes, and optional metadata."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from core.states import Split
from workers.imports.items import (
    Fetched,
    Item,
    Refused,
    invalid_archive,
    json_value,
    parse_split,
    printable,
    short_name,
)
from workers.imports.metadata import NAMES, Metadata

_LITTER: Final = frozenset({"__macosx", "thumbs.db", "desktop.ini"})


@dataclass(frozen=True)
class Layout:
    """How an archive's folders are meant.

    Attributes:
        depth: Folders to drop from the front: 1 if a single folder wraps everything.
        splits: Folder names at that depth that mean a split.
    """

    depth: int
    splits: frozenset[str]

    def place(self, path: str) -> tuple[str | None, str | None]:
        """Split and class that the folders of ``path`` give it."""
        folders = path.split("/")[self.depth : -1]
        split = folders.pop(0) if folders and folders[0] in self.splits else None
        return split, folders[0] if folders else None


class Entries(Protocol):
    """What a folder holds; each entry has a ``name``, its path, and a ``size``."""

    def __iter__(self) -> Iterator[Any]:
        """Every entry, in the same order each time."""
        ...

    def read(self, entry: Any) -> bytes | Fetched | Refused:
        """The bytes of an entry, or why it has none."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


class FolderSource:
    """Items of a folder, in its order."""

    def __init__(self, entries: Entries, work: Path, annotations: Sequence[str] = ()) -> None:
        """Scan the names of ``entries``, and index their metadata under ``work``.

        Args:
            entries: The folder; closed with the source, also if that cannot be made.
            work: For the index.
            annotations: Fields of the metadata that become annotations; ``label`` is the folder
                where no metadata says it.

        Raises:
            DomainError: ``invalid_archive``.
        """
        self._annotations = annotations
        self._entries = entries
        self._metadata: Metadata | None = None
        try:
            tables = [entry for name, entry in self._files() if _base(name) in NAMES]
            if tables:
                self._metadata = Metadata(work / "metadata.sqlite")
                self._read_metadata(self._metadata, tables)
            self._count, self._layout = self._scan()
        except BaseException:
            self.close()
            raise

    @property
    def total(self) -> int:
        """Files that are not metadata, and rows of metadata without a file."""
        return self._count + (self._metadata.missing_count() if self._metadata else 0)

    def items(self, start: int) -> Iterator[Item]:
        """Files in the archive's order, then what metadata names and the archive lacks."""
        images = ((name, entry) for name, entry in self._files() if _base(name) not in NAMES)
        for name, entry in islice(images, start, None):
            yield self._item(name, entry)
        if self._metadata:
            for name in islice(self._metadata.missing(), max(0, start - self._count), None):
                yield _refused(name, "named in the metadata, but not there")

    def close(self) -> None:
        """Close the archive and the index."""
        self._entries.close()
        if self._metadata:
            self._metadata.close()

    def _files(self) -> Iterator[tuple[str, Any]]:
        for entry in self._entries:
            name = printable(entry.name.replace("\\", "/"))
            if not name.endswith("/") and not _is_litter(name):
                yield name, entry

    def _read_metadata(self, metadata: Metadata, tables: list[Any]) -> None:
        for entry in tables:
            content = self._entries.read(entry)
            if isinstance(content, Refused):
                raise invalid_archive(f"{printable(entry.name)}: {content.reason}.")
            if isinstance(content, Fetched):
                content = content.content
            metadata.add(entry.name.replace("\\", "/"), content)
        metadata.mark(name for name, _ in self._files())

    def _scan(self) -> tuple[int, Layout]:
        count = 0
        tops: set[str] = set()
        seconds: set[str] = set()
        loose = described = False
        for name, _ in self._files():
            is_metadata = _base(name) in NAMES
            count += not is_metadata
            if _is_unsafe(name):
                continue
            first, *rest = name.split("/")
            if not rest:
                loose = True
                continue
            tops.add(first)
            if len(rest) > 1:
                seconds.add(rest[0])
            elif is_metadata:
                described = True
        wrapped = (
            len(tops) == 1
            and not loose
            and bool(seconds or described)
            and parse_split(min(tops)) is None
        )
        return count, Layout(int(wrapped), _split_folders(seconds if wrapped else tops))

    def _item(self, name: str, entry: Any) -> Item:
        if _is_unsafe(name):
            return _refused(name, "its path leads out of the archive")
        split, label = self._layout.place(name)
        fields = self._metadata.row(name) if self._metadata else {}
        split = _text(fields.pop("split", None)) or split
        label = _text(fields.pop("label", None)) or label
        said = {name: _text(fields.pop(name, None)) for name in self._annotations}
        if "label" in said:
            said["label"] = label
        meta = {printable(str(key)): json_value(value) for key, value in fields.items()}
        return Item(
            name=short_name(name),
            read=partial(self._entries.read, entry),
            size=entry.size,
            label=label,
            split=split,
            annotations={name: value for name, value in said.items() if value is not None},
            meta={key: value for key, value in meta.items() if value is not None},
        )


def _split_folders(folders: set[str]) -> frozenset[str]:
    """Our own names always mean a split; ``train`` may be a class, unless all are splits."""
    named = {folder for folder in folders if parse_split(folder) is not None}
    if named == folders:
        return frozenset(named)
    return frozenset(folder for folder in named if folder.lower() in {*Split})


def _refused(name: str, reason: str) -> Item:
    return Item(name=short_name(name), read=lambda: Refused(reason))


def _base(name: str) -> str:
    return name.rpartition("/")[2].lower()


def _is_litter(name: str) -> bool:
    """Hidden files and what desktops leave behind; ``..`` is not hidden but hostile."""
    return any(
        (part.startswith(".") and part not in {".", ".."}) or part.lower() in _LITTER
        for part in name.split("/")
    )


def _is_unsafe(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/") or name[1:3] == ":/"


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else printable(str(value))
