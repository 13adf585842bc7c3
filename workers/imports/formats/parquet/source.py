"""A Parquet file with a column of images or texts, or of labels for those that are there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from core.states import Medium
from core.tasks.boxes import MOST_BOXES
from workers.imports.formats.boxes import parquet as objects
from workers.imports.formats.declared import first_declared, written
from workers.imports.formats.parquet.bounds import (
    BoundedParquet,
    without_long,
)
from workers.imports.formats.parquet.columns import (
    Columns,
    find_columns,
    has_path,
    holds_bytes,
    holds_text,
)
from workers.imports.items import (
    MAX_IMAGE_BYTES,
    Item,
    Reference,
    Refused,
    Source,
    annotated,
    digests,
    printable,
    reference,
    refused_item,
    short_name,
)
from workers.imports.meta import json_value
from workers.imports.split_words import row_split, split_text
from workers.imports.stated import (
    EXTRAS,
    MOST_VOTES,
    OF_VOTES,
    VOTES,
    beside,
    read_stated,
    text,
)
from workers.imports.values import Values

# Rows of labels at a time, and different ones that are looked at.
_LABELS: Final = 65_536
_LABEL_TEXT: Final = 16 << 20
# What of a column may be read where it is a struct, or a list of them.
_PARTS: Final = {VOTES: OF_VOTES}
# Elements of a list, and bytes of a text and of a row, where one answer may be thousands of boxes.
_OF_BOXES: Final = (MOST_BOXES, 4 << 20, 16 << 20)
_NO_IMAGE: Final = Refused("the row holds no image bytes")
_NO_TEXT: Final = Refused("the row holds no text")
_PATH: Final = "\0path"
"""Where the path that stands beside the bytes of an image is in a row."""


class ParquetSource(Source):
    """Items of a Parquet file, read a few hundred rows at a time."""

    def __init__(
        self,
        path: Path,
        filename: str,
        columns: Mapping[str, str],
        annotations: Sequence[str] = (),
        *,
        medium: Medium = Medium.IMAGE,
        names_only: bool = False,
        boxes: bool = False,
    ) -> None:
        """Open the file and find its columns.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Names of the image or text, key, label and split columns, where the sender
                gave them.
            annotations: Names of the columns that become annotations.
            medium: What it may bring.
            names_only: Whether what it says is enough, and the images stay unread.
            boxes: Whether labels are boxes, so that a column of objects holds them.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._filename = filename
        self._names_only, self._is_boxes = names_only, boxes
        self._file = BoundedParquet(path)
        try:
            self._objects = objects.find(self._file.schema) if boxes else None
            self._columns = find_columns(
                self._file.schema, columns, annotations, medium, is_drawn=self._objects is not None
            )
        except BaseException:
            self._file.close()
            raise

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._file.total

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on; row groups before it are not read."""
        columns, contents = self._columns, self._contents()
        is_read = columns.medium is Medium.TEXT or not self._names_only
        content = contents if is_read else []
        if columns.content is not None and columns.medium is Medium.IMAGE:
            content = [*content, *self._file.leaves(columns.content, ("path",))]
        others = [
            leaf
            for name in columns.all()
            if name != columns.content
            for leaf in self._file.leaves(name, _PARTS.get(name))
        ]
        if self._objects is not None and not columns.stated:
            others += self._objects.leaves(self._file.every_leaf)
        batches = self._file.batches(
            list(dict.fromkeys([*content, *others])), contents, columns.extras, start=start
        )
        for first, batch in batches:
            yield from self._rows(first, batch)

    def _contents(self) -> list[str]:
        """Path of the texts, or of the encoded bytes."""
        column = self._columns.content
        if column is None:
            return []
        if self._columns.medium is Medium.TEXT:
            return self._file.leaves(column, fits=holds_text)
        return self._file.leaves(column, ("bytes",), holds_bytes)

    @cached_property
    def values(self) -> Mapping[str, Values]:
        """What stands in the columns of labels; read on their own, which is quick."""
        columns = dict.fromkeys(
            name for name in (*self._columns.annotations, self._columns.label) if name
        )
        return {column: self._values(column) for column in columns}

    def _values(self, column: str) -> Values:
        held, names = Values(), self._columns.label_names.get(column, ())
        seen: set[str] = set()
        size = 0
        for different in self._different(column):
            labels = (written(value, names) for value in different)
            for label in {label for label in labels if label is not None}.difference(seen):
                seen.add(label)
                size += len(label)
                held.add(label)
            if len(seen) > _LABELS or size > _LABEL_TEXT:
                break
        return held

    def _different(self, column: str) -> Iterator[list[Any]]:
        """The values of a column of labels, a part at a time, without those that are refused."""
        leaves = self._file.leaves(column)
        if pa.types.is_nested(self._file.schema.field(column).type):
            for _, batch in self._file.batches(leaves):
                rows = self._file.rows(batch, (column,), MOST_VOTES)
                yield [row[column] for row in rows if not isinstance(row, str)]
            return
        for _, batch in self._file.batches(leaves, most=_LABELS):
            yield pc.unique(without_long(batch.column(0))).to_pylist()

    @property
    def class_names(self) -> Sequence[str]:
        """Names that the file declares for the numbers of its labels."""
        if self._objects is not None:
            return self._objects.names
        # Beside the names of a column, those of their numbers; what was asked for goes first.
        columns = (*self._columns.annotations, self._columns.label or "", "label")
        return first_declared(self._file.schema, columns)

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns by what they were taken for."""
        return self._columns.roles

    @property
    def columns(self) -> "Columns":
        """Which column is what."""
        return self._columns

    @property
    def is_stated(self) -> bool:
        """Whether its rows state verdicts."""
        return bool(self._columns.stated)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _rows(self, first: int, batch: pa.RecordBatch) -> Iterator[Item]:
        column = self._columns.content
        contents = batch.column(column) if column in batch.schema.names else None
        others = batch if contents is None else batch.drop_columns([column])
        if contents is not None and has_path(contents.type):
            others = others.append_column(_PATH, pc.struct_field(contents, "path"))
        needed = {*self._columns.all(), _PATH, objects.COLUMN}.difference(self._columns.extras)
        bounds = _OF_BOXES if self._is_boxes else (MOST_VOTES,)
        extras = (EXTRAS,) if self.is_stated else ()
        rows = self._file.rows(others, needed, *bounds, extras=extras)
        for index, row in enumerate(rows):
            if isinstance(row, str):
                yield refused_item(self._place(first + index), row)
            else:
                path = row.pop(_PATH, None)
                yield self._item(first + index, contents[index] if contents else None, row, path)

    def _place(self, number: int) -> str:
        """What a row is called that has no name."""
        between = ", row " if self._columns.medium is Medium.TEXT else "#"
        return f"{short_name(self._filename)}{between}{number}"

    def _item(
        self, number: int, content: pa.Scalar | None, row: dict[str, Any], path: str | None
    ) -> Item:
        columns = self._columns
        name = row.get(columns.name) if columns.name else None
        name = path if name is None else name
        meta = {printable(key): self._extra(key, row.get(key)) for key in columns.extras}
        keys = columns.keys
        found = None if keys is None else reference(keys.column, row[keys.column])
        also = () if keys is None else keys.also(row)
        if columns.stated:
            return self._stated(number, content, row, found, also)
        place = self._place(number)
        drawn = objects.said(row, self._objects, place) if self._objects else ()
        return Item(
            name=short_name(str(name)) if name not in (None, "") else place,
            read=self._read(content, found),
            reference=found if isinstance(found, Reference) else None,
            also=also,
            digests=self._digests(row),
            label=self._label(row, columns.label) if columns.label else None,
            label_column=columns.label,
            split=self._split(row),
            annotations=annotated(columns.annotations, partial(self._label, row)),
            said=() if isinstance(drawn, Refused) else drawn,
            unread=(drawn.reason,) if isinstance(drawn, Refused) else (),
            meta={key: value for key, value in meta.items() if value is not None},
        )

    def _stated(
        self,
        number: int,
        content: pa.Scalar | None,
        row: dict[str, Any],
        found: Reference | Refused | None,
        also: tuple[Reference, ...],
    ) -> Item:
        columns = self._columns
        given = {} if columns.label is None else {"label": self._label(row, columns.label)}
        split = {"split": self._split(row)}
        more = beside(columns.annotations)
        annotations = annotated(more, partial(self._label, row))
        others = {key: value for key, value in row.items() if key not in more}
        stated = read_stated({**others, **given, **split})
        name = self._place(number)
        read = self._read(content, found)
        meant = found if isinstance(found, Reference) else None
        if isinstance(stated, Refused):
            called = text(row.get("name")) or name
            return Item(
                name=short_name(called),
                read=read,
                reference=meant,
                also=also,
                split=split["split"],
                annotations=annotations,
                unread=(stated.reason,),
            )
        return Item(
            name=stated.name or name,
            read=read,
            reference=meant,
            also=also,
            digests=self._digests(row),
            label=stated.label,
            is_stated=True,
            label_column=columns.label,
            split=stated.split,
            annotations=annotations,
            said=stated.said,
            meta=stated.meta,
        )

    def _read(
        self, content: pa.Scalar | None, found: Reference | Refused | None
    ) -> Callable[[], bytes | Refused]:
        lacks = _NO_TEXT if self._columns.medium is Medium.TEXT else _NO_IMAGE
        if content is not None:
            return partial(_content, content, lacks)
        return partial(_nothing, found if isinstance(found, Refused) else lacks)

    def _extra(self, column: str, value: object) -> Any:
        """As it is kept; where it is only shown, by the name that the file declares for it."""
        names = self._columns.label_names.get(column, ()) if self._names_only else ()
        return written(value, names) if names else json_value(value)

    def _digests(self, row: Mapping[str, Any]) -> tuple[bytes, ...]:
        column = self._columns.digest
        return () if column is None else digests([row[column]])

    def _split(self, row: Mapping[str, Any]) -> str | None:
        column = self._columns.split
        if column is None:
            flags = self._columns.flags
            return row_split({name: row[name] for name in flags}, flags)
        names = self._columns.label_names.get(column)
        said = split_text(column, written(row[column], names) if names else row[column])
        return None if said is None else printable(said)

    def _label(self, row: Mapping[str, Any], column: str) -> str | None:
        return written(row[column], self._columns.label_names.get(column, ()))


def _nothing(refused: Refused) -> Refused:
    return refused


def _content(value: pa.Scalar, lacks: Refused) -> bytes | Refused:
    if pa.types.is_dictionary(value.type) and value.is_valid:
        value = value.value
    if pa.types.is_struct(value.type) and value.is_valid:
        value = value["bytes"]
    if not value.is_valid:
        return lacks
    content = value.as_buffer()
    if content.size > MAX_IMAGE_BYTES:
        return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
    return bytes(content.to_pybytes())
