"""Images of a zip or a bucket: folders for splits and classes, metadata, other tools' documents."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from core.errors import Invalid
from core.imports import FolderChoice
from workers.imports.documents import SUFFIX, Tool, mention, read_document, whose
from workers.imports.items import (
    Fetched,
    Item,
    Refused,
    extras,
    invalid_archive,
    invalid_column,
    printable,
    refused_item,
    short_name,
)
from workers.imports.layout import Folders, Layout, Placed, is_flag, layout, normal, row_split
from workers.imports.metadata import NAMES, REFUSED, Metadata
from workers.imports.stated import is_stated, read_stated, text

_LITTER: Final = frozenset(
    {"__macosx", "thumbs.db", "desktop.ini", "labeling-config.xml", "missing.txt"}
)
# Tools that write a document for each image are not meant.
_MOST_DOCUMENTS: Final = 100
_MOST_NAMED: Final = 30


class Entries(Protocol):
    """What a folder holds; each entry has a ``name``, its path, and a ``size``."""

    def __iter__(self) -> Iterator[Any]:
        """Every entry, in the same order each time."""
        ...

    def read(self, entry: Any) -> bytes | Fetched | Refused:
        """The bytes of an entry, or why it has none."""
        ...

    def open(self, entry: Any) -> BinaryIO | Refused:
        """An entry that says something of others, as a stream; refused if it cannot be one."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


class FolderSource:
    """Items of a folder, in its order."""

    def __init__(
        self,
        entries: Entries,
        work: Path,
        annotations: Sequence[str] = (),
        chosen: Mapping[str, FolderChoice] | None = None,
    ) -> None:
        """Scan the names of ``entries``, and index their metadata under ``work``.

        Args:
            entries: The folder; closed with the source, also if that cannot be made.
            work: For the index.
            annotations: Fields of the metadata that become annotations; ``label`` is the folder
                where no metadata says it.
            chosen: What folders are, by name, where their names do not say it.

        Raises:
            DomainError: ``invalid_archive``; ``invalid_column`` if no metadata has one of
                ``annotations``; ``unknown_folder`` if there is none that one of ``chosen`` names.
        """
        self._annotations = annotations
        self._chosen = chosen or {}
        self._entries = entries
        self._metadata: Metadata | None = None
        try:
            self._documents = self._find_documents()
            tables = [entry for name, entry in self._files() if _base(name) in NAMES]
            if tables or self._documents:
                self._metadata = Metadata(work / "metadata.sqlite")
                self._read_metadata(self._metadata, tables, work)
            self._count, self._layout = self._scan()
            self._require_annotations()
        except BaseException:
            self.close()
            raise

    @property
    def total(self) -> int:
        """Files that are not metadata, and rows of metadata without a file."""
        return self._count + (self._metadata.missing_count() if self._metadata else 0)

    @property
    def documents(self) -> list[tuple[str, str]]:
        """Files that say something of others, and whose format they have."""
        tables = [(name, "metadata") for name, _ in self._files() if _base(name) in NAMES]
        return [*tables, *((name, tool.value) for name, (tool, _) in self._documents.items())]

    def items(self, start: int) -> Iterator[Item]:
        """Files in the archive's order, then what metadata names and the archive lacks."""
        images = ((name, entry) for name, entry in self._files() if not self._describes(name))
        for name, entry in islice(images, start, None):
            yield self._item(name, entry)
        if self._metadata:
            for row in islice(self._metadata.missing(), max(0, start - self._count), None):
                if row.loose:
                    yield mention(row)
                else:
                    yield refused_item(row.file, "named in the metadata, but not there")

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

    def _describes(self, name: str) -> bool:
        """Whether a file says something of others."""
        return _base(name) in NAMES or name in self._documents

    def _find_documents(self) -> dict[str, tuple[Tool, Any]]:
        found: dict[str, tuple[Tool, Any]] = {}
        for name, entry in self._files():
            if not name.lower().endswith(SUFFIX) or len(found) == _MOST_DOCUMENTS:
                continue
            file = self._entries.open(entry)
            if not isinstance(file, Refused):
                with file:
                    tool = whose(file)
                if tool is not None:
                    found[name] = (tool, entry)
        return found

    def _open(self, entry: Any) -> BinaryIO:
        file = self._entries.open(entry)
        if isinstance(file, Refused):
            raise invalid_archive(f"{printable(entry.name)}: {file.reason}.")
        return file

    def _read_metadata(self, metadata: Metadata, tables: list[Any], work: Path) -> None:
        for entry in tables:
            with self._open(entry) as file:
                metadata.add(entry.name.replace("\\", "/"), file)
        for name, (tool, entry) in self._documents.items():
            read_document(tool, partial(self._open, entry), name, metadata, work)
        metadata.claim(name for name, _ in self._files())
        if self._documents:
            images = (name for name, _ in self._files() if not self._describes(name))
            metadata.claim(images, loosely=True)

    def _scan(self) -> tuple[int, Layout]:
        count = 0
        folders = Folders()
        names = set[str]()
        for name, _ in self._files():
            is_described = self._describes(name)
            count += not is_described
            if _is_unsafe(name):
                continue
            if is_described:
                folders.describe(name, is_table=name not in self._documents)
            else:
                folders.add(name)
        for folder in folders.holding if self._chosen else ():
            names.update(normal(part) for part in folder.split("/"))
        self._require_folders(names)
        return count, layout(folders, self._chosen)

    def _require_folders(self, names: set[str]) -> None:
        """Refuse a choice for what is nowhere: its images would silently become something else."""
        columns = self._metadata.columns() if self._metadata else []
        if any(column == "split" or is_flag(column) for column in columns):
            return
        for name in self._chosen:
            if normal(name) not in names:
                there = ", ".join(islice(sorted(names - {""}), _MOST_NAMED))
                raise Invalid(
                    "unknown_folder",
                    f"There is no folder {name!r} in it. It has: {there or 'no folders'}.",
                    field="folder_split",
                )

    def _require_annotations(self) -> None:
        """Refuse a column that is nowhere: its labels would silently be none."""
        wanted = [name for name in self._annotations if name != "label"]
        if not wanted:
            return
        there = self._metadata.columns() if self._metadata else []
        for name in wanted:
            if name not in there:
                said = f"No metadata of the archive has a value in a column {name!r}."
                raise invalid_column("annotation", said, ["label", *there])

    def _item(self, name: str, entry: Any) -> Item:
        if _is_unsafe(name):
            return refused_item(name, "its path leads out of the archive")
        placed = self._layout.place(name)
        fields = (self._metadata.row(name) if self._metadata else None) or {}
        if REFUSED in fields:
            return refused_item(name, fields[REFUSED])
        if is_stated(fields, self._annotations):
            return self._stated(name, entry, fields, placed)
        flags = [name for name in fields if is_flag(name)]
        split = row_split(fields, flags)
        fields = {key: value for key, value in fields.items() if key not in ("split", *flags)}
        label = text(fields.pop("label", None)) or placed.label
        said = {name: text(fields.pop(name, None)) for name in self._annotations}
        if "label" in said:
            said["label"] = label
        return Item(
            name=short_name(name),
            read=partial(self._entries.read, entry),
            size=entry.size,
            label=label,
            split=placed.split if split is None else split,
            unsure=placed.unsure if split is None else None,
            annotations={name: value for name, value in said.items() if value is not None},
            meta=extras(fields),
        )

    def _stated(self, name: str, entry: Any, fields: dict[str, Any], placed: Placed) -> Item:
        """An image of which verdicts are stated, so that its folder says nothing of its class."""
        split = row_split(fields)
        found = read_stated({**fields, "split": split or placed.split})
        if isinstance(found, Refused):
            return refused_item(name, found.reason)
        return Item(
            name=found.name or short_name(name),
            read=partial(self._entries.read, entry),
            size=entry.size,
            label=found.label,
            split=found.split,
            unsure=placed.unsure if split is None else None,
            said=found.said,
            meta=found.meta,
        )


def _base(name: str) -> str:
    return name.rpartition("/")[2].lower()


def _is_litter(name: str) -> bool:
    """Hidden files and what goes with others; ``..`` is not hidden but hostile."""
    return any(
        (part.startswith(".") and part not in {".", ".."}) or part.lower() in _LITTER
        for part in name.split("/")
    )


def _is_unsafe(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/") or name[1:3] == ":/"
