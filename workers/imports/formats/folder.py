"""Images of a zip or a bucket: folders for splits and classes, metadata, other tools' documents."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from core.errors import Invalid
from core.files.folder_names import from_folder
from core.jobs.imports import FolderChoice
from workers.imports.formats.archives.entries import (
    Entries,
    base_of,
    is_hidden,
    is_known,
    is_litter,
    is_uncertain,
    is_unsafe,
    path_of,
)
from workers.imports.formats.boxes.files import BoxFiles
from workers.imports.formats.documents import (
    SUFFIX,
    Document,
    Tool,
    mention,
    read_documents,
    whose,
)
from workers.imports.formats.labeling_config import offered_classes
from workers.imports.formats.labelme_files import LabelMeFiles
from workers.imports.formats.lines import PLAIN, Lines
from workers.imports.formats.metadata import NAMES, ROLES, Metadata
from workers.imports.formats.said import Described, describe
from workers.imports.formats.sidecars import Sidecars
from workers.imports.items import (
    LINK,
    Item,
    Refused,
    Source,
    invalid_archive,
    invalid_column,
    plain_path,
    printable,
    refused_item,
    short_name,
)
from workers.imports.layout import Folders, Layout, is_called_image, layout
from workers.imports.matching import Unmatched
from workers.imports.meta import extras
from workers.imports.split_words import is_flag, normal
from workers.imports.values import Values

# Tools that write a document for each image are not meant.
_MOST_DOCUMENTS: Final = 100
_TOO_MANY: Final = Refused(f"more than {_MOST_DOCUMENTS} documents; this one is left aside")
_MOST_TOLD: Final = 1000
_UNCERTAIN: Final = "its name is in no encoding that can be told for certain; pack it as UTF-8"
_NOT_THERE: Final = "named in the metadata, but not there"
_MOST_NAMED: Final = 30


class FolderSource(Source):
    """Items of a folder, in its order."""

    def __init__(
        self,
        entries: Entries,
        work: Path,
        annotations: Sequence[str] = (),
        chosen: Mapping[str, FolderChoice] | None = None,
        pool: Iterable[tuple[int, str]] = (),
        *,
        is_called: Callable[[str], bool] = is_called_image,
        known: Collection[str] = (),
        boxes: bool = False,
        sidecars: bool = False,
        of_model: bool = False,
        how: Lines = PLAIN,
    ) -> None:
        """Scan the names of ``entries``, and index their metadata under ``work``.

        Args:
            entries: The folder; closed with the source, also if that cannot be made.
            work: For the index.
            annotations: Fields of the metadata that become annotations; ``label`` is the folder
                where no metadata says it.
            chosen: What folders are, by name, where their names do not say it.
            pool: Ids and names of the images that the project has, which documents may mean too.
            is_called: Tells of a path whether it is called like one of the examples.
            known: What ``chosen`` may name besides the folders.
            boxes: Whether labels are boxes, so that texts and XML beside images may draw them.
            sidecars: Whether files beside an image, under its name, may say something of it.
            of_model: Whether what is said is what a model predicts.
            how: How lines of the metadata are read.

        Raises:
            DomainError: ``invalid_archive``; ``invalid_column`` if no metadata has one of
                ``annotations``; ``unknown_folder`` if there is none that one of ``chosen`` names.
        """
        self._annotations = annotations
        self._is_called, self._known, self._how = is_called, known, how
        self._chosen, self._of_model = chosen or {}, of_model
        self._entries = entries
        self._metadata: Metadata | None = None
        self._boxes: BoxFiles | None = None
        self._sidecars: Sidecars | None = None
        self._labelme: LabelMeFiles | None = None
        try:
            if boxes:
                self._boxes = BoxFiles(work / "boxes.sqlite", self._loose, entries.open)
                self._boxes.find(name for name, _ in self._files())
            if sidecars:
                self._sidecars = Sidecars(work / "sidecars.sqlite", self._files)
            if boxes or sidecars:
                index = work / "labelme.sqlite"
                self._labelme = LabelMeFiles(index, self._files, entries.open, boxes=boxes)
            # JSON that says nothing, and why.
            self._unknown: dict[str, str] = {}
            self._tables: list[tuple[str, Any]] = []
            self._documents: dict[str, Document] = {}
            self._find()
            beside = self._sidecars.in_sum if self._sidecars else []
            if self._tables or self._documents or self._boxes or self._labelme or beside:
                self._metadata = Metadata(work / "metadata.sqlite")
                self._read_metadata(self._metadata, work, pool)
            self._count, self._layout = self._scan()
            self._annotations = self._require_annotations()
            # What metadata names may be known.
            self._tells_missing = not any(is_known(entry) for _, entry in self._files())
            named = self._metadata if self._tells_missing else None
            self._more = named.missing_count() if named else 0
            self._more += self._metadata.problem_count() if self._metadata else 0
        except BaseException:
            self.close()
            raise

    @property
    def total(self) -> int:
        """Images, rows of metadata without one, and what says nothing of any."""
        return self._count + self._more

    @property
    def values(self) -> Mapping[str, Values]:
        """What stands in the columns of labels of the metadata."""
        columns = dict.fromkeys([*self._annotations, "label"])
        return self._metadata.values(columns) if self._metadata else {}

    @property
    def class_names(self) -> list[str]:
        """Classes that its documents list, by their numbers."""
        return self._metadata.class_names if self._metadata else []

    @property
    def documents(self) -> list[tuple[str, str]]:
        """Files that say something of others, and whose format they have."""
        tables = [(name, "metadata") for name, _ in self._tables]
        drawn = self._boxes.documents if self._boxes else []
        documents = ((name, one.tool.value) for name, one in self._documents.items())
        beside = self._sidecars.in_sum if self._sidecars else []
        labelme = self._labelme.documents if self._labelme else []
        return [*tables, *beside, *documents, *drawn, *labelme]

    def items(self, start: int) -> Iterator[Item]:
        """Files in the archive's order, what metadata names and the archive lacks, and the rest."""
        for number, (name, entry) in islice(enumerate(self._images()), start, None):
            yield self._item(number, name, entry)
        yield from islice(self._others(), max(0, start - self._count), None)

    def spread(self, count: int) -> Iterator[tuple[Item, Callable[[], BinaryIO | Refused]]]:
        """Up to ``count`` files, evenly over all, each with what opens it as a stream."""
        step = max(1, -(-self._count // count))
        for number, (name, entry) in islice(enumerate(self._images()), 0, None, step):
            yield self._item(number, name, entry), partial(self._entries.open, entry)

    def _others(self) -> Iterator[Item]:
        if not self._metadata:
            return
        for row in self._metadata.missing() if self._tells_missing else ():
            if row.is_row:
                reason = row.found.reason if isinstance(row.found, Unmatched) else _NOT_THERE
                yield replace(refused_item(row.file, reason), meta=extras(row.fields))
            else:
                yield mention(row)
        for problem in self._metadata.problems():
            yield refused_item(*problem)

    def close(self) -> None:
        """Close the archive and the index."""
        self._entries.close()
        if self._metadata:
            self._metadata.close()
        for one in (self._boxes, self._sidecars, self._labelme):
            if one:
                one.close()

    def _loose(self) -> Iterator[Any]:
        """Every file, also those that say nothing of images alone; nothing hidden or hostile."""
        for entry in self._entries:
            name = path_of(entry)
            if not name.endswith("/") and not is_hidden(name) and not is_unsafe(name):
                yield entry

    def _files(self) -> Iterator[tuple[str, Any]]:
        for entry in self._entries:
            name = path_of(entry)
            if not name.endswith("/") and not is_litter(name):
                yield name, entry

    def _images(self) -> Iterator[tuple[str, Any]]:
        return (
            (name, entry)
            for name, entry in self._files()
            if not (is_known(entry) or self._describes(name))
        )

    def _describes(self, name: str) -> bool:
        """Whether a file is there to say something of others."""
        is_known = base_of(name) in NAMES or name in self._documents
        is_known = is_known or (self._boxes is not None and name in self._boxes)
        is_known = is_known or (self._labelme is not None and name in self._labelme)
        return is_known or self._is_beside(name)

    def _is_beside(self, name: str) -> bool:
        return self._sidecars is not None and name in self._sidecars

    def _find(self) -> None:
        """Find the tables and documents among the files."""
        found = self._documents
        for name, entry in self._files():
            if base_of(name) in NAMES:
                self._tables.append((name, entry))
            if not name.lower().endswith(SUFFIX):
                continue
            tool = self._whose(entry) if len(found) < _MOST_DOCUMENTS else _TOO_MANY
            if tool is Tool.LABELME and self._labelme is not None:
                self._labelme.add(name)
            elif isinstance(tool, Tool):
                found[name] = Document(name, tool, partial(self._open, entry))
            elif self._sidecars and name in self._sidecars and tool is not _TOO_MANY:
                continue
            elif tool is not None and len(self._unknown) < _MOST_TOLD:
                self._unknown[name] = tool.reason
        if self._sidecars:
            is_full = len(found) >= _MOST_DOCUMENTS
            self._sidecars.leave_out(chain(found, self._labelme or ()), documents=is_full)

    def _whose(self, entry: Any) -> Tool | Refused | None:
        """Whose document an entry is; ``None`` where documents are not looked for."""
        file = self._entries.open(entry)
        if isinstance(file, Refused):
            return None
        with file:
            return whose(file)

    def _open(self, entry: Any) -> BinaryIO:
        file = self._entries.open(entry)
        if isinstance(file, Refused):
            raise invalid_archive(f"{printable(entry.name)}: {file.reason}.")
        return file

    def _read_metadata(
        self, metadata: Metadata, work: Path, pool: Iterable[tuple[int, str]]
    ) -> None:
        for name, entry in self._tables:
            file = self._entries.open(entry)
            if isinstance(file, Refused):
                metadata.problem(name, file.reason)
                continue
            with file:
                metadata.add(name, file, self._how)
        if self._sidecars:
            self._sidecars.read(metadata, self._entries.open)
        described = {one.folder for one in self._documents.values() if one.folder}
        holding = set[str]()
        # Once through the archive, and no further than it takes.
        for name, _ in self._images() if described else ():
            holding |= {one for one in described - holding if name.startswith(f"{one}/")}
            if holding == described:
                break
        documents = (replace(one, below=one.folder in holding) for one in self._documents.values())
        read_documents(
            documents, metadata, work, boxes=self._boxes is not None, of_model=self._of_model
        )
        if any(one.tool is Tool.LABEL_STUDIO for one in self._documents.values()):
            metadata.list_classes(offered_classes(self._entries))
        if self._boxes:
            self._boxes.read(metadata, plain_path)
        if self._labelme:
            self._labelme.read(metadata)
        metadata.match(name for name, _ in self._images())
        metadata.match_documents(enumerate(name for name, _ in self._images()), pool)

    def _scan(self) -> tuple[int, Layout]:
        count = 0
        folders = Folders(self._is_called)
        names = {*map(normal, self._known)}
        for name, entry in self._files():
            is_described = self._describes(name)
            count += not (is_described or is_known(entry))
            if is_unsafe(name) or self._is_beside(name):
                continue
            if is_described:
                folders.describe(name, is_table=base_of(name) in NAMES)
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

    def _require_annotations(self) -> Sequence[str]:
        """The columns as they are called; refuse one that is nowhere: its labels would be none."""
        if not set(self._annotations) - {"label"}:
            return self._annotations
        there = self._metadata.columns() if self._metadata else []
        found = dict.fromkeys(
            name if name in there or name.casefold() not in ROLES else name.casefold()
            for name in self._annotations
        )
        for name in found:
            if name != "label" and name not in there:
                said = f"No metadata of the archive has a value in a column {name!r}."
                raise invalid_column("annotation", said, ["label", *there])
        return list(found)

    def _item(self, number: int, name: str, entry: Any) -> Item:
        if is_unsafe(name):
            return refused_item(name, "its path leads out of the archive")
        if getattr(entry, "is_link", False):
            return refused_item(name, LINK)
        if name in self._unknown:
            return refused_item(name, self._unknown[name])
        placed = self._layout.place(name)
        label = None if placed.label is None else from_folder(placed.label)
        rows = self._metadata.rows_of(number, name) if self._metadata else []
        folder = Described(
            split=placed.split, meant=placed.meant, label=label, unsure=placed.unsure
        )
        found = describe(rows, folder, self._annotations)
        if isinstance(found, Refused):
            return refused_item(name, found.reason)
        return Item(
            name=found.name or short_name(name),
            read=partial(self._entries.read, entry),
            size=entry.size,
            label=found.label,
            is_stated=found.is_stated,
            label_column=found.label_column,
            rivals=found.rivals,
            split=found.split,
            meant=found.meant,
            unsure=found.unsure,
            annotations=found.annotations,
            said=found.said,
            predicted=found.predicted,
            unread=found.unread,
            how=found.how,
            digests=found.digests,
            remark=_UNCERTAIN if is_uncertain(entry) else "",
            told=found.told,
            meta=found.meta,
        )
