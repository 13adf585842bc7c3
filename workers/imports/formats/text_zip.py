"""An archive of texts: files that are one each, and tables with many, in folders for splits."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from core.errors import DomainError
from core.files.storage import write_atomically
from core.jobs.imports import FolderChoice
from workers.imports.formats.archives.entries import Entries, is_litter
from workers.imports.formats.archives.packed import Packed
from workers.imports.formats.archives.zip_entries import Entry
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.labeling_config import offered_classes
from workers.imports.formats.metadata import NAMES
from workers.imports.items import Item, Refused, Source, plain_path, printable, refused_item
from workers.imports.layout import Folders, Placed, layout
from workers.imports.media.text import is_called_text
from workers.imports.ranked import Ranked, notes_of, rankings_of
from workers.imports.values import Values

MOST_TABLES: Final = 1000
_ENDINGS: Final = frozenset({".csv", ".tsv", ".jsonl", ".json", ".parquet"})
# How Hugging Face calls the parts of one split: train-00000-of-00002.
_PART: Final = re.compile(r"-\d{5}-of-\d{5}$")

Open = Callable[[Path, str], Source]
"""Opens a table, by where it is and what it is called."""


class TextZip(Source):
    """Texts of a zip: those in tables first, then the files that are one each."""

    def __init__(
        self,
        entries: Entries,
        work: Path,
        annotations: Sequence[str],
        chosen: Mapping[str, FolderChoice],
        open_table: Open,
    ) -> None:
        """Unpack the tables, and scan the names of the rest.

        Args:
            entries: The zip, or a folder; closed with the source, also if that cannot be made.
            work: For what is unpacked.
            annotations: Columns that become annotations, of tables or of the metadata of files.
            chosen: What folders are, and values of split columns.
            open_table: Opens one of the tables.

        Raises:
            DomainError: As ``FolderSource``; of the tables the first reason, if none can be read.
        """
        self._entries = entries
        self._tables: list[tuple[Source, Placed]] = []
        self._problems: list[tuple[str, str]] = []
        self._files: FolderSource | None = None
        try:
            found = list(islice(self._found(), MOST_TABLES))
            places, known = _places([entry.name for entry in found], chosen)
            failed = self._open_all(found, places, work / "tables", open_table)
            others = _Others(entries, {entry.name for entry in found})
            if failed is not None and not self._tables and not others.has_texts:
                raise failed
            has_splits = any("split" in one.roles for one, _ in self._tables)
            self._files = FolderSource(
                others,
                work,
                # Those of tables are looked for where these are opened.
                () if self._tables else annotations,
                chosen,
                is_called=is_called_text,
                known={*known, *(chosen if has_splits else ())},
            )
        except BaseException:
            self.close()
            raise

    def _found(self) -> Iterator[Entry]:
        for entry in self._entries:
            path = PurePosixPath(plain_path(entry.name))
            is_table = path.suffix.lower() in _ENDINGS and path.name.lower() not in NAMES
            if is_table and not is_litter(str(path)):
                yield entry

    def _open_all(
        self, found: Sequence[Entry], places: Sequence[Placed], work: Path, open_table: Open
    ) -> DomainError | None:
        """Open the tables; the first reason why one cannot be, which costs no other."""
        failed: DomainError | None = None
        for number, (entry, placed) in enumerate(zip(found, places, strict=True)):
            name = plain_path(entry.name)
            copy = work / f"{number}{PurePosixPath(name).suffix.lower()}"
            unpacked = self._unpack(entry, copy)
            if isinstance(unpacked, Refused):
                self._problems.append((name, unpacked.reason))
                continue
            try:
                self._tables.append((open_table(copy, name), placed))
            except DomainError as error:
                failed = failed or error
                self._problems.append((name, printable(error.detail)))
        return failed

    def _unpack(self, entry: Entry, copy: Path) -> Refused | None:
        # Of what is compressed it depends on all before it whether there is room for it.
        if copy.exists() and not isinstance(entry, Packed):
            return None
        file = self._entries.open(entry)
        if isinstance(file, Refused):
            return file
        with file:
            try:
                write_atomically(copy, lambda part: _copy(file, part))
            except ValueError as error:
                return Refused(str(error))
        return None

    @property
    def total(self) -> int:
        """Rows of tables, files, and what can be read as neither."""
        rows = sum(table.total for table, _ in self._tables)
        return rows + len(self._problems) + (self._files.total if self._files else 0)

    @property
    def values(self) -> Mapping[str, Values]:
        """What stands in columns of labels, of one name together."""
        found: dict[str, Values] = {}
        sources = [one for one, _ in self._tables]
        for source in (*sources, *([self._files] if self._files else ())):
            for column, held in source.values.items():
                found.setdefault(column, Values()).include(held)
        return found

    @property
    def class_names(self) -> Sequence[str]:
        """Classes that its tables list, by their numbers, and those of Label Studio's interface."""
        of_tables = chain.from_iterable(table.class_names for table, _ in self._tables)
        return list(dict.fromkeys(chain(of_tables, offered_classes(self._entries))))

    @property
    def documents(self) -> Sequence[tuple[str, str]]:
        """Files that say something of others, or that another tool has written."""
        of_tables = (one for table, _ in self._tables for one in table.documents)
        return [*of_tables, *(self._files.documents if self._files else ())]

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns of the first table by what they were taken for."""
        return self._tables[0][0].roles if self._tables else {}

    @property
    def notes(self) -> Sequence[str]:
        """How its tables were read."""
        return list(dict.fromkeys(one for table, _ in self._tables for one in notes_of(table)))

    def rankings(self) -> Iterator[Ranked]:
        """What is said of the rows of its tables."""
        return chain.from_iterable(rankings_of(table) for table, _ in self._tables)

    def items(self, start: int) -> Iterator[Item]:
        """Rows, then what cannot be read, then files."""
        left = start
        for table, placed in self._tables:
            if left < table.total:
                yield from (_placed(item, placed) for item in table.items(left))
            left = max(0, left - table.total)
        assert self._files is not None
        problems = (refused_item(*one) for one in islice(self._problems, left, None))
        yield from chain(problems, self._files.items(max(0, left - len(self._problems))))

    def close(self) -> None:
        """Close the zip and the tables."""
        for table, _ in self._tables:
            table.close()
        if self._files is not None:
            self._files.close()
        else:
            self._entries.close()


class _Others:
    """What a zip holds beside its tables."""

    def __init__(self, entries: Entries, tables: set[str]) -> None:
        self._entries, self._tables = entries, tables
        self.read, self.open, self.close = entries.read, entries.open, entries.close

    def __iter__(self) -> Iterator[Any]:
        return (one for one in self._entries if one.name not in self._tables)

    @property
    def has_texts(self) -> bool:
        return any(is_called_text(one.name) and not is_litter(one.name) for one in self)


def _places(
    names: Sequence[str], chosen: Mapping[str, FolderChoice]
) -> tuple[list[Placed], set[str]]:
    """Which split each table is of, by its name or its folders; and what there is to choose."""
    paths = [_as_folder(name) for name in names]
    folders = Folders(is_called_text)
    for path in paths:
        folders.add(path)
    found = layout(folders, chosen)
    known = {part for path in paths for part in path.split("/")[:-1]}
    return [found.place(path) for path in paths], known


def _as_folder(name: str) -> str:
    """A table as if it were a folder of its rows: that is where its name may mean a split."""
    path = PurePosixPath(plain_path(name))
    return str(path.with_name(_PART.sub("", path.stem) or "table") / "row.txt")


def _placed(item: Item, placed: Placed) -> Item:
    """A row that says its split itself is of that; else its file tells."""
    if item.split is not None:
        return item
    return replace(item, split=placed.split, meant=placed.meant, unsure=placed.unsure)


def _copy(file: BinaryIO, part: Path) -> None:
    with part.open("wb") as copy:
        shutil.copyfileobj(file, copy)
