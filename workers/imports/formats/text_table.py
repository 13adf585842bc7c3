"""Tables and documents whose rows bring a text each: CSV, TSV, JSON Lines, JSON, Label Studio."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from workers.imports.formats import label_studio
from workers.imports.formats.json_stream import elements
from workers.imports.formats.lines import Lines
from workers.imports.formats.metadata import Row as Described
from workers.imports.formats.row_items import RowItems
from workers.imports.formats.rows import (
    Place,
    Row,
    header_of,
    is_csv,
    survey,
    text_rows,
    without_columns,
)
from workers.imports.formats.said import Described as Folder
from workers.imports.formats.said import describe
from workers.imports.formats.text_columns import LABEL_COLUMNS, Kinds, name_column, text_column
from workers.imports.items import (
    Item,
    Refused,
    Said,
    Source,
    invalid_archive,
    invalid_column,
    printable,
    refused_item,
    short_name,
)
from workers.imports.meta import extras
from workers.imports.split_words import meaning
from workers.imports.stated import BY_MODEL, OF_MODELS, SOURCE, text
from workers.imports.values import Values

DOCCANO: Final = "doccano"
"""Source of labels that are lists, which is how doccano writes them; it names nobody."""
LABEL_STUDIO: Final = "Label Studio"
TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".json"})
_COCO: Final = frozenset({"images", "annotations", "categories"})
_LOOKED_AT: Final = 64
# Where a task of Label Studio is in its row.
_TASK: Final = "\0task"
_HALVES: Final = re.compile("[\ud800-\udfff]")
_REPLACED: Final = "halves of characters in it, which no text can hold, were replaced"
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_BY_A_MODEL: Final = (
    f"a model has given its label, by {SOURCE}; leave {SOURCE} out where a person has said it since"
)


class TextTableSource(Source):
    """Texts of a table, one at a time."""

    def __init__(
        self,
        path: Path,
        filename: str,
        columns: Mapping[str, str],
        annotations: Sequence[str],
        how: Lines,
        *,
        of_model: bool = False,
    ) -> None:
        """Find the columns, and count the rows.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Names of the columns ``text``, ``key``, ``label`` and ``split``, where they
                were given.
            annotations: Names of the columns that become annotations.
            how: How its lines are read.
            of_model: Whether of tasks of Label Studio only what they predict is read.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._path, self._filename, self._how = path, filename, how
        self._of_model = of_model
        self._is_json = Path(filename).suffix.lower() == ".json"
        if self._is_json:
            _require_utf_8(path, filename)
        self._is_tasks = self._is_json and _is_tasks(self._rows())
        kinds = Kinds()
        labels = [columns["label"]] if "label" in columns else LABEL_COLUMNS
        wanted = dict.fromkeys((*annotations, *labels))
        header = () if self._is_json else header_of(path, filename, how)
        found = survey(kinds.watch(self._rows()), header, wanted)
        names = [name for name in found.columns if not name.startswith("\0")]
        if not names:
            raise without_columns(filename, "texts", found)
        self.is_stated = found.is_stated(annotations) and not self._is_tasks
        self._items = RowItems(
            names,
            columns,
            annotations,
            is_csv=is_csv(filename),
            is_stated=self.is_stated,
            labels=labels,
        )
        label = self._items.label
        column = text_column(
            names, kinds.texts, columns, {*annotations, label or ""}, is_stated=self.is_stated
        )
        self.has_texts = column is not None
        self._text = column or ""
        self._name = name_column(names, columns, self._text)
        self._is_doccano = (
            label is not None
            and label in kinds.lists
            and label not in annotations
            and not (self._is_tasks or self.is_stated)
        )
        # What we export for doccano says of each label whether it is a model's.
        self._is_ours = self._is_doccano and SOURCE in names
        own = ("name", *OF_MODELS) if self._is_ours else ()
        self._own = {self._text, self._name or "", _KEY, *own}
        self._found, self._names = found, names
        self._values = {} if self._is_tasks else self._items.values(found.values)

    def require_texts(self) -> None:
        """Refuse a table that brings none.

        Raises:
            DomainError: ``invalid_column``.
        """
        if not self.has_texts:
            raise invalid_column(
                "text", "No column holds texts; say which does with text_column.", self._names
            )

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._found.total

    @property
    def values(self) -> Mapping[str, Values]:
        """What stands in the columns of labels."""
        return self._values

    @property
    def documents(self) -> Sequence[tuple[str, str]]:
        """The file, if it is as another tool has written it."""
        if self._is_tasks:
            return [(self._filename, LABEL_STUDIO)]
        return [(self._filename, DOCCANO)] if self._is_doccano else []

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns by what they were taken for."""
        found = {"text": self._text, "label": self._items.label, "split": self._items.split}
        return {role: name for role, name in found.items() if name}

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on."""
        for place, row in islice(self._rows(), start, None):
            if isinstance(row, str):
                yield refused_item(f"{self._filename}, {place}", row)
            elif self._is_tasks and _TASK not in row:
                reason = "it is no task: it has no object data"
                yield refused_item(f"{self._filename}, {place}", reason)
            else:
                yield self._item(place, self._items.original(row, self._text))

    def close(self) -> None:
        """Nothing stays open between rows."""

    def _item(self, place: str, row: Row) -> Item:
        content, is_mended = self._content(row)
        name = self._called(place, row)
        read = partial(_same, content)
        if self._is_tasks:
            item = self._task(row[_TASK], name, read)
        else:
            item = self._items.item(row, name, read, 0, self._own)
        if self._is_doccano:
            item = _of_doccano(item, row, row.get(self._items.label or ""))
        keyed = row.get(_KEY)
        if keyed is not None and item.split is None and meaning(keyed) is not None:
            item = replace(item, split=keyed)
        return replace(item, remark=_REPLACED) if is_mended else item

    def _content(self, row: Row) -> tuple[bytes | Refused, bool]:
        """The text of a row, and whether anything in it was replaced."""
        value = row.get(self._text)
        if isinstance(value, bool) or value is None or not isinstance(value, str | int | float):
            if isinstance(value, list | dict):
                return Refused(f"column {self._text} holds no text but several values"), False
            return Refused("the row holds no text"), False
        said = str(value)
        mended = _HALVES.sub(_REPLACEMENT, said)
        return mended.encode(), mended != said

    def _called(self, place: str, row: Row) -> str:
        is_ours = self._items.is_stated or self._is_ours
        column = "name" if is_ours and row.get("name") else self._name
        called = text(row.get(column)) if column else None
        if not called and self._is_tasks:
            # As Label Studio numbers it, to be found there again.
            called = text(row[_TASK].get("id"))
        return short_name(called or f"{self._filename}, {place}")

    def _task(
        self, task: Mapping[str, Any], name: str, read: Callable[[], bytes | Refused]
    ) -> Item:
        """An item of a task of Label Studio."""
        data = {key: value for key, value in task["data"].items() if key != self._text}
        said = label_studio.without_annotations(task) if self._of_model else task
        found = describe([Described(label_studio.fields_of({**said, "data": data}))], Folder(), ())
        if isinstance(found, Refused):
            return refused_item(name, found.reason)
        return Item(
            name=found.name or name,
            read=read,
            digests=found.digests,
            label=found.label,
            is_stated=found.is_stated,
            label_column=found.label_column,
            rivals=found.rivals,
            split=found.split,
            said=found.said,
            predicted=found.predicted,
            unread=found.unread,
            meta=found.meta,
        )

    def _rows(self) -> Iterator[Place]:
        if not self._is_json:
            yield from text_rows(self._path, self._filename, self._how)
            return
        with self._path.open("rb") as file:
            for number, (key, one) in enumerate(elements(file, self._filename), 1):
                # What stands beside the arrays of an object says nothing of their elements.
                if key is None or isinstance(one, dict):
                    yield f"entry {number}", _row(key, one)


_KEY: Final = "\0key"
"""Where the name of the array of a document is, in the rows that stand in it."""


def _require_utf_8(path: Path, filename: str) -> None:
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    if b"\0" in start:
        said = f"{printable(filename)} cannot be read as JSON: it is UTF-16. Save it as UTF-8."
        raise invalid_archive(said)


def _row(key: str | None, one: Any) -> Row | str:
    """A row of a document: an object, or the data of a task."""
    if not isinstance(one, dict):
        return "is not an object"
    if isinstance(one.get("data"), dict):
        return {**one["data"], _TASK: one}
    return one if key is None else {**one, _KEY: key}


def _is_tasks(rows: Iterator[Place]) -> bool:
    """Whether a document is Label Studio's; COCO's is refused.

    Raises:
        DomainError: ``invalid_archive``.
    """
    first = next((row for _, row in rows if not isinstance(row, str)), {})
    if first.get(_KEY) in _COCO:
        raise invalid_archive("This is a document of COCO, which speaks of images.")
    return _TASK in first


def _of_doccano(item: Item, row: Row, labels: object) -> Item:
    """An item whose labels are a list, as doccano writes them: what people have said."""
    more = row.get("meta")
    item = replace(item, meta={**item.meta, **extras(more if isinstance(more, dict) else {})})
    if labels and row.get(SOURCE) == BY_MODEL:
        return replace(item, label=None, unread=(*item.unread, _BY_A_MODEL))
    listed = labels if isinstance(labels, list) else [labels] if labels else []
    words = [one for one in listed if isinstance(one, str | int) and not isinstance(one, bool)]
    if len(words) < len(listed):
        unread = "its labels mark parts of it; Karat labels whole texts"
        return replace(item, label=None, unread=(*item.unread, unread))
    if len(words) > 1:
        shown = ", ".join(map(str, words))[:100]
        unread = f"it has several labels ({printable(shown)}); a text has one class"
        return replace(item, label=None, unread=(*item.unread, unread))
    said = tuple(Said(DOCCANO, None, text(one)) for one in words)
    return replace(item, said=(*item.said, *said))


def _same(content: bytes | Refused) -> bytes | Refused:
    return content
