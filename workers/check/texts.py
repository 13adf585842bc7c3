"""What a check of texts reads, and how it is told that there are texts to check."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from core.errors import DomainError
from core.media.images.medium import IMAGES
from core.settings import settings
from core.states import Medium
from workers.check.asked import Asked
from workers.imports.formats.archives.entries import Entries
from workers.imports.formats.archives.opening import ARCHIVES
from workers.imports.formats.lines import MOST_LINE, Lines
from workers.imports.formats.parquet.bounds import BoundedParquet
from workers.imports.formats.parquet.columns import holds_bytes
from workers.imports.formats.parquet.source import ParquetSource
from workers.imports.formats.rows import header_of, survey, text_rows
from workers.imports.formats.text_columns import TEXT_COLUMNS
from workers.imports.formats.text_table import TABLES, TextTableSource
from workers.imports.formats.text_zip import TextZip
from workers.imports.items import Source, invalid_column
from workers.imports.media.text import is_called_text

PARQUET: Final = ".parquet"
_JSON: Final = ".json"
_ENOUGH: Final = 10_000


def medium_of(asked: Asked, entries: Callable[[], Entries]) -> Medium:
    """What is checked: texts where their column is named or called like one, or files are texts.

    Args:
        asked: What to check.
        entries: Opens the folder or zip, if it is one.

    Raises:
        DomainError: As the sources do.
    """
    path, suffix = asked.path, asked.path.suffix.lower()
    if asked.text_column is not None:
        return Medium.TEXT
    if asked.images is not None or asked.image_column is not None:
        return Medium.IMAGE
    if path.is_dir() or suffix in ARCHIVES:
        with closing(entries()) as found:
            return _of_files(found)
    if suffix == PARQUET:
        with closing(BoundedParquet(path)) as file:
            if any(holds_bytes(field.type) for field in file.schema):
                return Medium.IMAGE
    is_text = any(name.casefold() in TEXT_COLUMNS for name in _names(path))
    return Medium.TEXT if is_text else Medium.IMAGE


def _of_files(entries: Entries) -> Medium:
    names = [entry.name for entry, _ in zip(entries, range(_ENOUGH), strict=False)]
    if any(Path(name).suffix.lower() in IMAGES for name in names):
        return Medium.IMAGE
    return Medium.TEXT if any(map(is_called_text, names)) else Medium.IMAGE


def _names(path: Path) -> Sequence[str]:
    """Columns of a table; none of a document that is COCO's, or of no table."""
    suffix = path.suffix.lower()
    if suffix == PARQUET:
        with closing(BoundedParquet(path)) as file:
            return list(file.schema.names)
    if suffix not in TABLES:
        return ()
    if suffix != _JSON:
        header = header_of(path, path.name, _lines())
        return list(survey(text_rows(path, path.name, _lines()), header, ()).columns)
    try:
        found = TextTableSource(path, path.name, {}, (), _lines())
    except DomainError:
        return ()
    return list(found.roles.values())


def _lines() -> Lines:
    # As JSON writes them, one character takes up to six times its room.
    return Lines(max(MOST_LINE, 6 * settings().max_text_bytes + MOST_LINE), is_lenient=True)


def texts_of(
    asked: Asked, work: Path, entries: Callable[[], Entries], *, hold: Callable[[Any], Any]
) -> Source:
    """The texts with their labels.

    Args:
        asked: What to check.
        work: For what is unpacked.
        entries: Opens the folder or zip, if it is one.
        hold: Closes a source in the end.

    Raises:
        DomainError: ``invalid_archive``, ``invalid_column`` or ``unknown_folder``.
    """
    path, suffix = asked.path, asked.path.suffix.lower()
    if path.is_dir() or suffix in ARCHIVES:
        labels = (asked.label_column or "label",)
        found: Source = TextZip(
            entries(),
            work / "texts",
            labels,
            asked.folder_split,
            lambda copy, name: _table(asked, copy, name),
        )
    else:
        found = _table(asked, path, path.name)
    return hold(found)  # type: ignore[no-any-return]


def _table(asked: Asked, path: Path, name: str) -> Source:
    """A table with the column of its labels."""
    columns = {
        role: column
        for role, column in (("text", asked.text_column), ("key", asked.key_column))
        if column is not None
    }
    is_parquet = Path(name).suffix.lower() == PARQUET

    def open_with(annotations: tuple[str, ...]) -> ParquetSource | TextTableSource:
        if is_parquet:
            return ParquetSource(path, name, columns, annotations, medium=Medium.TEXT)
        found = TextTableSource(path, name, columns, annotations, _lines())
        found.require_texts()
        return found

    if asked.label_column is not None:
        return open_with((asked.label_column,))
    found = open_with(())
    # What another tool has written, or we, says itself who has said what.
    if found.documents or found.is_stated:
        return found
    found.close()
    label = found.roles.get("label")
    if label is None:
        raise invalid_column(
            "label",
            "No column of the file is called label, class or class_name; say which one holds the "
            "labels with label_column.",
            _names(path),
        )
    return open_with((label,))
