"""A Parquet file with a column of encoded images."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from core.errors import Invalid
from workers.imports.items import (
    MAX_IMAGE_BYTES,
    Item,
    Refused,
    invalid_archive,
    json_value,
    printable,
    short_name,
)

_ROWS: Final = 256
_READ_AHEAD: Final = 1 << 20
_NAMES: Final = ("file_name", "file", "filename", "path", "name")


@dataclass(frozen=True)
class Columns:
    """Which column is what.

    Attributes:
        image: Encoded bytes, or a struct of ``bytes`` and ``path``.
        label: Class name, or a number that ``label_names`` turns into one.
        split: Split.
        name: Name of the file that the image came from.
        extras: Small columns that go to ``Example.meta``.
        label_names: Class names by number, if the file declares them.
    """

    image: str
    label: str | None
    split: str | None
    name: str | None
    extras: tuple[str, ...]
    label_names: tuple[str, ...] = ()


class ParquetSource:
    """Items of a Parquet file, read a few hundred rows at a time."""

    def __init__(self, path: Path, filename: str, columns: Mapping[str, str]) -> None:
        """Open the file and find its columns.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Names of the image, label and split columns, where the sender gave them.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._filename = filename
        try:
            self._file = parquet.ParquetFile(path, buffer_size=_READ_AHEAD, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise invalid_archive(
                "The upload is not a whole Parquet file: its footer cannot be read."
            ) from error
        try:
            self._columns = find_columns(self._file.schema_arrow, columns)
        except BaseException:
            self._file.close()
            raise

    @property
    def total(self) -> int:
        """Number of rows."""
        return int(self._file.metadata.num_rows)

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on; row groups before it are not read."""
        columns = self._columns
        wanted = [columns.image, columns.label, columns.split, columns.name, *columns.extras]
        first = 0
        for group in range(self._file.num_row_groups):
            rows = self._file.metadata.row_group(group).num_rows
            if first + rows > start:
                batches = self._file.iter_batches(
                    _ROWS,
                    row_groups=[group],
                    columns=[name for name in wanted if name is not None],
                    use_threads=False,
                )
                yield from self._rows(batches, first, start)
            first += rows

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _rows(self, batches: Iterator[pa.RecordBatch], first: int, start: int) -> Iterator[Item]:
        try:
            for batch in batches:
                skipped = min(max(0, start - first), batch.num_rows)
                others = batch.drop_columns([self._columns.image]).slice(skipped)
                images = batch.column(self._columns.image)
                for index, row in enumerate(others.to_pylist(), skipped):
                    yield self._item(first + index, images[index], row)
                first += batch.num_rows
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise invalid_archive(
                f"The Parquet file is damaged near row {first}: {printable(str(error))[:200]}"
            ) from error

    def _item(self, number: int, image: pa.Scalar, row: dict[str, Any]) -> Item:
        columns = self._columns
        name = row.get(columns.name) if columns.name else None
        if name is None and pa.types.is_struct(image.type) and image.is_valid:
            name = image.as_py().get("path") if "path" in image else None
        split = row.get(columns.split) if columns.split else None
        meta = {printable(key): json_value(row[key]) for key in columns.extras}
        return Item(
            name=short_name(str(name)) if name else f"{short_name(self._filename)}#{number}",
            read=partial(_content, image),
            label=_label(row.get(columns.label), columns.label_names) if columns.label else None,
            split=None if split is None else str(split),
            meta={key: value for key, value in meta.items() if value is not None},
        )


def find_columns(schema: pa.Schema, given: Mapping[str, str]) -> Columns:
    """Decide which column is what.

    Without instructions, the image column is ``image``, else the first that holds bytes. The label
    is ``class_name`` if there is one, since beside it ``label`` is only its number; else ``label``.
    Numbers become names where the file declares them, as Hugging Face's files do, and else stay
    decimal digits.

    Raises:
        DomainError: ``invalid_column`` if a given column is missing or no column holds images.
    """
    for role, column in given.items():
        if column not in schema.names:
            raise _invalid_column(role, f"The file has no column {column!r}.", schema)
    image = given.get("image") or _first(schema, ("image", *schema.names), _holds_bytes)
    if image is None:
        raise _invalid_column("image", "The file has no column of image bytes.", schema)
    if not _holds_bytes(schema.field(image).type):
        raise _invalid_column("image", f"Column {image!r} does not hold image bytes.", schema)
    label = (
        given.get("label")
        or _first(schema, ("class_name",), _is_text)
        or _first(schema, ("label",), lambda kind: _is_text(kind) or pa.types.is_integer(kind))
    )
    split = given.get("split") or _first(schema, ("split",), _is_text)
    name = _first(schema, _NAMES, _is_text)
    taken = {image, label, split, name, "label"}
    extras = tuple(
        field.name for field in schema if field.name not in taken and _is_small(field.type)
    )
    names = _declared_names(schema, label) if label else ()
    return Columns(image, label, split, name, extras, names)


def _first(
    schema: pa.Schema, names: tuple[str, ...], fits: Callable[[pa.DataType], bool]
) -> str | None:
    return next((n for n in names if n in schema.names and fits(schema.field(n).type)), None)


def _invalid_column(role: str, detail: str, schema: pa.Schema) -> Invalid:
    names = ", ".join(printable(name) for name in schema.names[:30])
    return Invalid("invalid_column", f"{detail} It has: {names}.", field=f"{role}_column")


def _holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return kind.get_field_index("bytes") >= 0 and _holds_bytes(kind.field("bytes").type)
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_small(kind: pa.DataType) -> bool:
    return (
        _is_text(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
    )


def _declared_names(schema: pa.Schema, label: str) -> tuple[str, ...]:
    """Class names in the schema's ``huggingface`` entry, in the order of their numbers."""
    try:
        declared = json.loads((schema.metadata or {})[b"huggingface"])
        names = declared["info"]["features"][label]["names"]
        return tuple(str(name) for name in names)
    except (KeyError, TypeError, ValueError):
        return ()


def _label(value: object, names: tuple[str, ...]) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, int) and 0 <= value < len(names):
        value = names[value]
    return printable(str(value))


def _content(image: pa.Scalar) -> bytes | Refused:
    if pa.types.is_struct(image.type) and image.is_valid:
        image = image["bytes"]
    if not image.is_valid:
        return Refused("the row holds no image bytes")
    content = image.as_buffer()
    if content.size > MAX_IMAGE_BYTES:
        return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
    return bytes(content.to_pybytes())
