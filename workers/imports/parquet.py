"""A Parquet file with a column of encoded images, or of labels for images that are there."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from workers.imports.items import (
    MAX_IMAGE_BYTES,
    NAME_COLUMNS,
    Item,
    Keys,
    Reference,
    Refused,
    Values,
    digests,
    invalid_column,
    json_value,
    key_columns,
    only,
    printable,
    reference,
    refused_item,
    short_name,
)
from workers.imports.layout import is_flag, row_split, split_text
from workers.imports.parquet_bounds import (
    BoundedParquet,
    is_list,
    is_read,
    is_small,
    is_text,
    without_long,
)
from workers.imports.stated import (
    MOST_VOTES,
    OF_VOTES,
    OWN,
    READ,
    VOTES,
    is_stated,
    read_stated,
    text,
)

# Rows of labels at a time, and different ones that are looked at.
_LABELS: Final = 65_536
_LABEL_TEXT: Final = 16 << 20
# What of a column may be read where it is a struct, or a list of them.
_PARTS: Final = {VOTES: OF_VOTES}
_PATH: Final = "\0path"
"""Where the path that stands beside the bytes of an image is in a row."""


@dataclass(frozen=True)
class Columns:
    """Which column is what.

    Attributes:
        image: Encoded bytes, or a struct of ``bytes`` and ``path``; none if the rows are about
            images that the pool has.
        keys: Which image a row is about, if it brings none.
        label: Class name, or a number that ``label_names`` turns into one.
        split: Split, in any type; a number that ``label_names`` turns into a word.
        flags: Columns like ``is_test``, which say the split where no column ``split`` does.
        digest: Column that says the SHA-256 of the image that the row brings.
        name: Name of the file that the image came from.
        annotations: Columns that become annotations.
        extras: Small columns that go to ``Example.meta``.
        label_names: Class names by number, where the file declares them for a column.
        stated: Columns that state verdicts, and what goes with them; none if it is columns of
            labels that become annotations.
    """

    image: str | None
    keys: Keys | None
    label: str | None
    split: str | None
    name: str | None
    annotations: tuple[str, ...]
    extras: tuple[str, ...]
    label_names: Mapping[str, tuple[str, ...]]
    stated: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    digest: str | None = None

    def all(self) -> list[str]:
        """Every column that is read, once."""
        keys = () if self.keys is None else (self.keys.column, *self.keys.others)
        named = (self.image, *keys, self.label, self.split, self.name, self.digest)
        return list(
            dict.fromkeys(
                name
                for name in (*named, *self.flags, *self.annotations, *self.extras, *self.stated)
                if name is not None
            )
        )


class ParquetSource:
    """Items of a Parquet file, read a few hundred rows at a time."""

    def __init__(
        self,
        path: Path,
        filename: str,
        columns: Mapping[str, str],
        annotations: Sequence[str] = (),
        *,
        names_only: bool = False,
    ) -> None:
        """Open the file and find its columns.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Names of the image, key, label and split columns, where the sender gave them.
            annotations: Names of the columns that become annotations.
            names_only: Whether what it says is enough, and the images stay unread.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._filename = filename
        self._names_only = names_only
        self._file = BoundedParquet(path)
        try:
            self._columns = find_columns(self._file.schema, columns, annotations)
        except BaseException:
            self._file.close()
            raise

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._file.total

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on; row groups before it are not read."""
        columns, pictures = self._columns, self._pictures()
        image = [] if self._names_only else pictures
        if columns.image is not None:
            image = [*image, *self._file.leaves(columns.image, ("path",))]
        others = [
            leaf
            for name in columns.all()
            if name != columns.image
            for leaf in self._file.leaves(name, _PARTS.get(name))
        ]
        batches = self._file.batches(
            list(dict.fromkeys([*image, *others])), pictures, columns.extras, start=start
        )
        for first, batch in batches:
            yield from self._rows(first, batch)

    def _pictures(self) -> list[str]:
        """Path of the encoded bytes."""
        image = self._columns.image
        return [] if image is None else self._file.leaves(image, ("bytes",), _holds_bytes)

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
    def columns(self) -> "Columns":
        """Which column is what."""
        return self._columns

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _rows(self, first: int, batch: pa.RecordBatch) -> Iterator[Item]:
        image = self._columns.image
        images = batch.column(image) if image in batch.schema.names else None
        others = batch if images is None else batch.drop_columns([image])
        if images is not None and _has_path(images.type):
            others = others.append_column(_PATH, pc.struct_field(images, "path"))
        needed = {*self._columns.all(), _PATH}.difference(self._columns.extras)
        for index, row in enumerate(self._file.rows(others, needed, MOST_VOTES)):
            if isinstance(row, str):
                yield refused_item(f"{short_name(self._filename)}#{first + index}", row)
            else:
                path = row.pop(_PATH, None)
                yield self._item(first + index, images[index] if images else None, row, path)

    def _item(
        self, number: int, image: pa.Scalar | None, row: dict[str, Any], path: str | None
    ) -> Item:
        columns = self._columns
        name = row.get(columns.name) if columns.name else None
        name = path if name is None else name
        meta = {printable(key): self._extra(key, row.get(key)) for key in columns.extras}
        annotations = [(key, self._label(key, row)) for key in columns.annotations]
        keys = columns.keys
        found = None if keys is None else reference(keys.column, row[keys.column])
        also = () if keys is None else keys.also(row)
        if columns.stated:
            return self._stated(number, image, row, found, also)
        return Item(
            name=short_name(str(name)) if name else f"{short_name(self._filename)}#{number}",
            read=partial(_content, image) if image is not None else partial(_nothing, found),
            reference=found if isinstance(found, Reference) else None,
            also=also,
            digests=self._digests(row),
            label=self._label(columns.label, row) if columns.label else None,
            label_column=columns.label,
            split=self._split(row),
            annotations=tuple((key, value) for key, value in annotations if value is not None),
            meta={key: value for key, value in meta.items() if value is not None},
        )

    def _stated(
        self,
        number: int,
        image: pa.Scalar | None,
        row: dict[str, Any],
        found: Reference | Refused | None,
        also: tuple[Reference, ...],
    ) -> Item:
        columns = self._columns
        given = {} if columns.label is None else {"label": self._label(columns.label, row)}
        split = {"split": self._split(row)}
        stated = read_stated({**row, **given, **split})
        name = f"{short_name(self._filename)}#{number}"
        read = partial(_content, image) if image is not None else partial(_nothing, found)
        meant = found if isinstance(found, Reference) else None
        if isinstance(stated, Refused):
            called = text(row.get("name")) or name
            return Item(
                name=short_name(called),
                read=read,
                reference=meant,
                also=also,
                split=split["split"],
                unread=(stated.reason,),
            )
        return Item(
            name=stated.name or name,
            read=read,
            reference=meant,
            also=also,
            digests=self._digests(row),
            label=stated.label,
            label_column=columns.label,
            split=stated.split,
            said=stated.said,
            meta=stated.meta,
        )

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
        value = row[column]
        names = self._columns.label_names.get(column, ())
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
            value = names[value]
        said = split_text(column, value)
        return None if said is None else printable(said)

    def _label(self, column: str, row: Mapping[str, Any]) -> str | None:
        return written(row[column], self._columns.label_names.get(column, ()))


def written(value: object, names: Sequence[str]) -> str | None:
    """A label as text; ``None`` if there is none.

    Args:
        value: As it stands in the file.
        names: What its numbers stand for, if the file declares that: then no other number is one,
            and -1 is none, as Hugging Face's files have it.
    """
    value = only(value)
    if value is None or value == "" or value != value:
        return None
    if names and isinstance(value, int | float) and not isinstance(value, bool):
        number = int(value) if float(value).is_integer() else -2
        if 0 <= number < len(names):
            return printable(names[number])
        return None if number == -1 else f"{value} (not one of the {len(names)} numbers declared)"
    return printable(str(value))


def find_columns(
    schema: pa.Schema, given: Mapping[str, str], annotations: Sequence[str] = ()
) -> Columns:
    """Decide which column is what.

    Without instructions, the image column is ``image``, else the first that holds bytes. The label
    is ``class_name`` if there is one, since beside it ``label`` is only its number; else ``label``.
    Numbers become names where the file declares them, as Hugging Face's files do, and else stay
    decimal digits. A file without images may annotate those that are there.

    Raises:
        DomainError: ``invalid_column`` if a given column is missing, or no column holds images or
            says which are meant.
    """
    for column in annotations:
        if column in schema.names and _holds_bytes(schema.field(column).type):
            raise invalid_column(
                "annotation", f"Column {column!r} holds bytes, not labels.", schema.names
            )
    asked = [*given.items(), *(("annotation", column) for column in annotations)]
    for role, column in asked:
        if column not in schema.names:
            raise invalid_column(role, f"The file has no column {column!r}.", schema.names)
        kind = schema.field(column).type
        if role != "image" and not is_read(kind.value_type if is_list(kind) else kind):
            raise invalid_column(
                role, f"Column {column!r} holds neither text nor numbers.", schema.names
            )
    image = given.get("image") or _first(schema, ("image", *schema.names), _holds_bytes)
    keys = None
    states = is_stated(schema.names, annotations)
    if image is None and states:
        keys = key_columns(_keyed(schema), given.get("key"), elsewhere=True)
    elif image is None and annotations:
        keys = key_columns(_keyed(schema), given.get("key"))
    elif image is None:
        raise invalid_column("image", "The file has no column of image bytes.", schema.names)
    elif not _holds_bytes(schema.field(image).type):
        raise invalid_column("image", f"Column {image!r} does not hold image bytes.", schema.names)
    label = (
        given.get("label")
        or _first(schema, ("class_name",), is_text)
        or _first(schema, ("label",), _is_label)
    )
    split = given.get("split") or _first(schema, ("split",), is_small)
    flags = tuple(
        field.name for field in schema if is_flag(field.name) and pa.types.is_boolean(field.type)
    )
    flags = () if split else flags
    name = _first(schema, NAME_COLUMNS, is_text)
    stated = tuple(one for one in schema.names if one in READ) if states else ()
    digest = None if image is None else _first(schema, ("sha256",), is_text)
    own = OWN if states else ()
    key = None if keys is None else keys.column
    taken = {image, key, label, split, name, "label", *flags, *annotations, *own}
    extras = tuple(
        field.name for field in schema if field.name not in taken and is_small(field.type)
    )
    roles = (label, split, *annotations, *extras)
    names = {column: _declared_names(schema, column) for column in roles if column}
    return Columns(
        image, keys, label, split, name, tuple(annotations), extras, names, stated, flags, digest
    )


def _keyed(schema: pa.Schema) -> list[str]:
    """Columns that may say which image is meant."""
    return [
        field.name
        for field in schema
        if is_read(field.type.value_type if is_list(field.type) else field.type)
    ]


def _first(
    schema: pa.Schema, names: tuple[str, ...], fits: Callable[[pa.DataType], bool]
) -> str | None:
    return next((n for n in names if n in schema.names and fits(schema.field(n).type)), None)


def _holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return kind.get_field_index("bytes") >= 0 and _holds_bytes(kind.field("bytes").type)
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def _has_path(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) and kind.get_field_index("path") >= 0)


def _is_label(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_label(kind.value_type)
    return is_text(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _declared_names(schema: pa.Schema, label: str) -> tuple[str, ...]:
    """Class names in the schema's ``huggingface`` entry, in the order of their numbers."""
    try:
        declared = json.loads((schema.metadata or {})[b"huggingface"])
        names = declared["info"]["features"][label]["names"]
        return tuple(str(name) for name in names)
    except (KeyError, TypeError, ValueError):
        return ()


def _nothing(found: Reference | Refused | None) -> Refused:
    return found if isinstance(found, Refused) else Refused("the row holds no image bytes")


def _content(image: pa.Scalar) -> bytes | Refused:
    if pa.types.is_struct(image.type) and image.is_valid:
        image = image["bytes"]
    if not image.is_valid:
        return Refused("the row holds no image bytes")
    content = image.as_buffer()
    if content.size > MAX_IMAGE_BYTES:
        return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
    return bytes(content.to_pybytes())
