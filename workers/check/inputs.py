"""What a check reads: the import's own sources, opened on files of this machine."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from core.errors import Invalid
from core.files.compression import plain_name
from core.jobs.imports import FolderChoice
from core.media.images.medium import IMAGES
from core.names import composed
from core.settings import settings
from core.states import Medium, Split, Verdict
from workers.check.asked import Asked
from workers.check.local_folder import SAYING, LocalFolder, Unlabeled
from workers.check.texts import PARQUET, medium_of, texts_of
from workers.imports.formats.archives.entries import Entries
from workers.imports.formats.archives.opening import ARCHIVES, open_archive, unpacked
from workers.imports.formats.archives.packed import Unpacking
from workers.imports.formats.documents import SUFFIX, DocumentSource
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.parquet.bounds import BoundedParquet
from workers.imports.formats.parquet.columns import states
from workers.imports.formats.parquet.source import ParquetSource
from workers.imports.formats.rows import header_of, survey, text_rows
from workers.imports.formats.sidecars import FORMAT as SIDECARS
from workers.imports.formats.table import TableSource
from workers.imports.items import (
    Item,
    LeftOut,
    Refused,
    Source,
    invalid_column,
    printable,
    usual_column,
)
from workers.imports.placing import split_of
from workers.imports.split_words import normal
from workers.imports.values import NO_CLASS, Values, says_nothing

_LABEL_COLUMNS: Final = ("class_name", "label", "class")
_AUXILIARY: Final = Refused("an auxiliary image, which has no label that could be wrong")


@dataclass(frozen=True)
class Inputs:
    """The sources of one check.

    Attributes:
        images: What brings images, and mostly their labels.
        labels: What says of them what they are, where that is another file.
        chosen: What folders are, by name.
        left_out: Files that cannot be read, and why.
        medium: What the examples are; of texts ``images`` brings these.
    """

    images: Source
    labels: Source | None
    chosen: Mapping[str, FolderChoice]
    left_out: Mapping[str, str]
    medium: Medium = Medium.IMAGE

    @property
    def total(self) -> int:
        """How many items there are."""
        return self.images.total + (0 if self.labels is None else self.labels.total)

    @property
    def values(self) -> dict[str, Values]:
        """What columns of labels hold."""
        more = {} if self.labels is None else self.labels.values
        return {**self.images.values, **more}

    def items(self) -> Iterator[Item]:
        """Every item, as one of the pool: a label is a label, whatever the image is kept for."""
        if self.labels is None:
            for item in self.images.items(0):
                yield _of_pool(item, self.chosen)
            return
        for item in self.images.items(0):
            yield _of_pool(_without_doubt(item, self.chosen), self.chosen)
        yield from map(_without_folder, self.labels.items(0))

    def classes(self) -> list[str]:
        """The names that labels give, as they are sorted; numbers by what they count."""
        found = {name for item in self.items() for name in _class_names(item)}
        if all(name.isdecimal() for name in found):
            return sorted(found, key=lambda name: (int(name), name))
        return sorted(found)

    def names(self) -> list[str]:
        """What every item of ``images`` is called, in order."""
        return [item.name for item in self.images.items(0)]


@contextmanager
def opened(asked: Asked, work: Path, *, names_only: bool = False) -> Iterator[Inputs]:
    """Open what is to be checked.

    Args:
        asked: What that is.
        work: For indexes of metadata and documents.
        names_only: Whether names and labels are enough, and images stay unread.

    Yields:
        The sources.

    Raises:
        DomainError: ``invalid_archive``, ``invalid_column``, ``unknown_folder``,
            ``idle_parameter``, or ``not_labeled`` if the path is nothing of labeled images.
    """
    with ExitStack() as held:
        left_out: dict[str, str] = {}
        most = settings().max_upload_bytes

        def hold(source: Any) -> Any:
            held.callback(source.close)
            return source

        def entries_of(path: Path) -> Entries:
            if not path.is_dir():
                return open_archive(path, path.name, most)
            folder = LocalFolder(path, asked.reports().values())
            left_out.update(folder.left_out)
            return Unpacking(folder, most)

        def images(path: Path, *, is_labeled: bool) -> FolderSource:
            entries = entries_of(path) if is_labeled else Unlabeled(entries_of(path))
            return _folder(entries, asked, work, is_labeled=is_labeled, hold=hold)

        beside, asked = asked.path.resolve().parent, _unpacked(asked, work)
        path, suffix = asked.path, asked.path.suffix.lower()
        chosen = {normal(name): choice for name, choice in asked.folder_split.items()}
        if medium_of(asked, lambda: entries_of(path)) is Medium.TEXT:
            used = {"label_column", "text_column", "key_column"}
            _refuse_idle(asked, "read as texts", used)
            texts = texts_of(asked, work, lambda: entries_of(path), hold=hold)
            yield Inputs(texts, None, chosen, left_out, Medium.TEXT)
            return
        if path.is_dir() or suffix in ARCHIVES:
            _refuse_idle(asked, "a folder, or an archive of one", {"label_column"})
            yield Inputs(images(path, is_labeled=True), None, chosen, left_out)
            return
        if suffix == PARQUET:
            whole = _parquet(asked, names_only=names_only, hold=hold)
            if whole.columns.content is not None:
                used = {"label_column", "image_column"}
                _refuse_idle(asked, "a Parquet file that holds its images", used)
                yield Inputs(whole, None, chosen, left_out)
                return
        if suffix not in SAYING:
            raise _not_labeled(path)
        if suffix == SUFFIX:
            _refuse_idle(asked, "a document that says itself which image it means", {"images"})
        else:
            used = {"images", "label_column", "key_column"}
            _refuse_idle(asked, "labels of images that lie elsewhere", used)
        around = images(asked.images or beside, is_labeled=False)
        labels = whole if suffix == PARQUET else hold(_labels(asked, suffix, around, work))
        yield Inputs(around, labels, chosen, left_out)


def _unpacked(asked: Asked, work: Path) -> Asked:
    """The same of files that are not compressed: copies of them, which are called as they are."""
    most = settings().max_upload_bytes
    changed = {}
    for role in ("path", "images"):
        path = getattr(asked, role)
        if path is not None and not path.is_dir():
            copy = work / "unpacked" / role / plain_name(path.name)
            changed[role], _ = unpacked(path, path.name, copy, most)
    return asked.model_copy(update=changed)


def _refuse_idle(asked: Asked, what: str, used: Collection[str]) -> None:
    """Refuse what would silently mean nothing: whoever gave it believes that it means something."""
    for name in ("images", "label_column", "image_column", "key_column"):
        if name not in used and getattr(asked, name) is not None:
            called = f"--{name}" if name == "images" else name
            raise Invalid(
                "idle_parameter",
                f"{called} means nothing here: {asked.path.name} is {what}. Leave it out.",
                field=name,
            )


def _not_labeled(path: Path) -> Invalid:
    what = "One image" if path.suffix.lower() in IMAGES else "A file of this kind"
    return Invalid(
        "not_labeled",
        f"{what} cannot be checked. Name a folder with a folder for each class, a zip or tar of "
        "one, a Parquet file of images and labels, a CSV, JSON Lines, COCO or Label Studio file "
        "that lies beside its images, or a table with a column of texts and one of labels.",
    )


def _folder(entries: Any, asked: Asked, work: Path, *, is_labeled: bool, hold: Any) -> FolderSource:
    """Images in folders, which are their labels where nothing else says them."""
    given = () if asked.label_column is None else (asked.label_column,)
    annotations = (given or ("label",)) if is_labeled else ()
    choices = asked.folder_split
    source: FolderSource = hold(
        FolderSource(entries, work, annotations, choices, sidecars=is_labeled)
    )
    formats = {format_ for _, format_ in source.documents} - {SIDECARS}
    if is_labeled and not given and not formats:
        _require_no_boxes(entries)
    says = bool(formats - {"metadata"})
    if says and is_labeled and not given:
        # Folders beside documents are where somebody keeps images.
        return hold(FolderSource(entries, work, (), choices, sidecars=True))  # type: ignore[no-any-return]
    return source


def _require_no_boxes(entries: Any) -> None:
    """Refuse folders of images with boxes beside them: their names are no labels of images.

    Raises:
        Invalid: ``boxes_not_judged``.
    """
    for entry in entries:
        path = PurePosixPath(entry.name)
        folders = {part.lower() for part in path.parts[:-1]}
        is_yolo = path.suffix.lower() == ".txt" and "labels" in folders
        is_xml = path.suffix.lower() == ".xml"
        if is_yolo or (is_xml and (path.stem.lower() == "annotations" or "annotations" in folders)):
            raise Invalid(
                "boxes_not_judged",
                f"A check judges labels of whole images, and {printable(str(path))} holds boxes, "
                "which it does not read. Import them into a project of boxes, where answers of "
                "several people and the boxes of a model show what is wrong.",
            )


def _parquet(asked: Asked, *, names_only: bool, hold: Any) -> ParquetSource:
    """A Parquet file with the column of its labels."""
    columns = {
        role: name
        for role, name in (("image", asked.image_column), ("key", asked.key_column))
        if name is not None
    }

    def open_with(annotations: tuple[str, ...]) -> ParquetSource:
        found: ParquetSource = hold(
            ParquetSource(asked.path, asked.path.name, columns, annotations, names_only=names_only)
        )
        return found

    with closing(BoundedParquet(asked.path)) as file:
        schema = file.schema
    if asked.label_column is not None:
        return open_with((asked.label_column,))
    if states(schema):
        return open_with(())
    return open_with((_label_column(schema.names),))


def _labels(asked: Asked, suffix: str, images: FolderSource, work: Path) -> Source:
    """Labels of images that lie elsewhere."""
    path, name = asked.path, asked.path.name
    if suffix == SUFFIX:
        # From one, as ids are.
        pool = ((number, item.name) for number, item in enumerate(images.items(0), 1))
        folder = work / "document"
        folder.mkdir(exist_ok=True)
        return DocumentSource(path, name, folder, pool)
    columns = {} if asked.key_column is None else {"key": asked.key_column}
    found = survey(text_rows(path, name), header_of(path, name), ())
    names, stated = found.columns, asked.label_column is None and found.is_stated()
    column = () if stated or not names else (asked.label_column or _label_column(names),)
    return TableSource(path, name, columns, column)


def _label_column(names: Any) -> str:
    found = usual_column(_LABEL_COLUMNS, names)
    if found is None:
        raise invalid_column(
            "label",
            "No column of the file is called label, class or class_name; say which one holds the "
            "labels with label_column.",
            names,
        )
    return found


def _of_pool(item: Item, chosen: Mapping[str, FolderChoice]) -> Item:
    if item.refused is not None:
        return item
    split = split_of(item, Split.POOL, chosen)
    if isinstance(split, LeftOut):
        # Placed once more, it is left out for the same reason.
        return replace(item, annotations=(), said=(), unread=())
    if split is Split.AUXILIARY_OOD:
        return replace(item, refused=_AUXILIARY)
    return _without_folder(replace(item, split=None, meant=None, unsure=None))


def _without_doubt(item: Item, chosen: Mapping[str, FolderChoice]) -> Item:
    """The same image in whatever folder: it is labeled by its path, unless that is left out."""
    if item.split is None or normal(item.split) in chosen:
        return item
    return replace(item, split=None, meant=None, unsure=None)


def _without_folder(item: Item) -> Item:
    """What states verdicts goes before the folder that an image lies in, a column before both."""
    if any(column != "label" for column, _ in item.annotations):
        return replace(item, said=())
    return replace(item, annotations=()) if item.said else item


def _class_names(item: Item) -> Iterator[str]:
    if item.refused is not None:
        return
    for one in item.said:
        name = (one.class_name or "").strip()
        if one.verdict in (None, Verdict.LABEL) and name:
            if one.verdict is None and name.lower() in NO_CLASS:
                continue
            yield composed(printable(name))
    for _, text in item.annotations:
        name = text.strip()
        if not says_nothing(name) and name.lower() not in NO_CLASS:
            yield composed(printable(name))
