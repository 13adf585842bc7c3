"""Which column of a Parquet file is what."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from core.states import Medium
from workers.imports.formats.declared import declared_names
from workers.imports.formats.parquet.kinds import (
    is_list,
    is_read,
    is_small,
    is_text,
)
from workers.imports.formats.text_columns import LABEL_COLUMNS, name_column, text_column
from workers.imports.items import (
    NAME_COLUMNS,
    Keys,
    invalid_column,
    key_columns,
    usual_column,
)
from workers.imports.split_words import is_flag
from workers.imports.stated import (
    OWN,
    READ,
    VOTES,
    is_stated,
)


@dataclass(frozen=True)
class Columns:
    """Which column is what.

    Attributes:
        content: What an example is: a text, or the encoded bytes of an image, or a struct of
            ``bytes`` and ``path``; none if the rows are about examples that the pool has.
        medium: Which of them it is.
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

    content: str | None
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
    medium: Medium = Medium.IMAGE

    @property
    def roles(self) -> dict[str, str]:
        """Those that say what an example is, and where it goes."""
        found = {self.medium.value: self.content, "label": self.label, "split": self.split}
        return {role: name for role, name in found.items() if name is not None}

    def all(self) -> list[str]:
        """Every column that is read, once."""
        keys = () if self.keys is None else (self.keys.column, *self.keys.others)
        named = (self.content, *keys, self.label, self.split, self.name, self.digest)
        return list(
            dict.fromkeys(
                name
                for name in (*named, *self.flags, *self.annotations, *self.extras, *self.stated)
                if name is not None
            )
        )


def holds_votes(kind: pa.DataType) -> bool:
    """Whether values are lists of objects, or of nothing at all."""
    if not is_list(kind):
        return False
    return bool(pa.types.is_struct(kind.value_type) or pa.types.is_null(kind.value_type))


def states(schema: pa.Schema, annotations: Collection[str] = ()) -> bool:
    """Whether columns state verdicts, and are not columns of labels themselves."""
    votes: list[object] = []
    fields = {field.name: votes if holds_votes(field.type) else None for field in schema}
    return is_stated(fields, annotations)


def find_columns(
    schema: pa.Schema,
    given: Mapping[str, str],
    annotations: Sequence[str] = (),
    medium: Medium = Medium.IMAGE,
    *,
    is_drawn: bool = False,
) -> Columns:
    """Decide which column is what.

    Without instructions, the image column is ``image``, else the first that holds bytes; which
    holds texts, ``text_columns`` tells. The label
    is ``class_name`` if there is one, since beside it ``label`` is only its number; else ``label``.
    Numbers become names where the file declares them, as Hugging Face's files do, and else stay
    decimal digits. A file without images may annotate those that are there, also by boxes that are
    drawn on them (``is_drawn``).

    Raises:
        DomainError: ``invalid_column`` if a given column is missing, or no column holds images or
            says which are meant.
    """
    for column in annotations:
        if column in schema.names and holds_bytes(schema.field(column).type):
            raise invalid_column(
                "annotation", f"Column {column!r} holds bytes, not labels.", schema.names
            )
    asked = [*given.items(), *(("annotation", column) for column in annotations)]
    for role, column in asked:
        if column not in schema.names:
            raise invalid_column(role, f"The file has no column {column!r}.", schema.names)
        kind = schema.field(column).type
        if role not in (*Medium,) and not is_read(kind.value_type if is_list(kind) else kind):
            raise invalid_column(
                role, f"Column {column!r} holds neither text nor numbers.", schema.names
            )
    is_stating = states(schema, annotations)
    labels = LABEL_COLUMNS if medium is Medium.TEXT else ("label",)
    named = _first(schema, ("class_name",), is_text)
    label = given.get("label") or named or _first(schema, labels, _is_label)
    if medium is Medium.TEXT:
        content = _text(schema, given, {*annotations, label or ""}, is_stated=is_stating)
    else:
        content = _image(schema, given)
    keys = None
    if content is None and is_stating:
        keys = key_columns(_keyed(schema), given.get("key"), elsewhere=True)
    elif content is None and (annotations or is_drawn):
        keys = key_columns(_keyed(schema), given.get("key"))
    elif content is None:
        what = "image bytes" if medium is Medium.IMAGE else "texts"
        raise invalid_column(medium, f"The file has no column of {what}.", schema.names)
    split = given.get("split") or _first(schema, ("split",), is_small)
    flags = tuple(
        field.name for field in schema if is_flag(field.name) and pa.types.is_boolean(field.type)
    )
    flags = () if split else flags
    name = _first(schema, NAME_COLUMNS, is_text)
    if medium is Medium.TEXT and content is not None:
        name = (name if is_stating else None) or name_column(_keyed(schema), given, content)
    # What is only called votes says something else of an image.
    other = {field.name for field in schema if field.name == VOTES and not holds_votes(field.type)}
    stated = tuple(one for one in schema.names if one in READ - other) if is_stating else ()
    digest = None if content is None else _first(schema, ("sha256",), is_text)
    own = OWN - other if is_stating else ()
    key = None if keys is None else keys.column
    # Beside a name of a class, a label is only its number.
    number = usual_column(("label",), schema.names) if named and label == named else None
    taken = {content, key, label, number, split, name, *flags, *annotations, *own}
    extras = tuple(
        field.name for field in schema if field.name not in taken and is_small(field.type)
    )
    roles = (label, split, *annotations, *extras)
    names = {column: declared_names(schema, column) for column in roles if column}
    return Columns(
        content, keys, label, split, name, tuple(annotations), extras, names, stated, flags, digest,
        medium,
    )  # fmt: skip


def _image(schema: pa.Schema, given: Mapping[str, str]) -> str | None:
    image = (
        given.get("image")
        or _first(schema, ("image",), holds_bytes)
        or _first(schema, schema.names, holds_bytes)
    )
    if image is not None and not holds_bytes(schema.field(image).type):
        raise invalid_column("image", f"Column {image!r} does not hold image bytes.", schema.names)
    return image


def _text(
    schema: pa.Schema, given: Mapping[str, str], labels: Collection[str], *, is_stated: bool
) -> str | None:
    texts = [field.name for field in schema if holds_text(field.type)]
    column = text_column(schema.names, texts, given, labels, is_stated=is_stated)
    if column is not None and not holds_text(schema.field(column).type):
        raise invalid_column("text", f"Column {column!r} does not hold texts.", schema.names)
    return column


def holds_text(kind: pa.DataType) -> bool:
    """Whether values are texts, or bytes that may be."""
    return is_text(kind) or (holds_bytes(kind) and not pa.types.is_struct(kind))


def _keyed(schema: pa.Schema) -> list[str]:
    """Columns that may say which image is meant."""
    return [
        field.name
        for field in schema
        if is_read(field.type.value_type if is_list(field.type) else field.type)
    ]


def _first(
    schema: pa.Schema, names: Sequence[str], fits: Callable[[pa.DataType], bool]
) -> str | None:
    return usual_column(names, [field.name for field in schema if fits(field.type)])


def holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return kind.get_field_index("bytes") >= 0 and holds_bytes(kind.field("bytes").type)
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def has_path(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) and kind.get_field_index("path") >= 0)


def _is_label(kind: pa.DataType) -> bool:
    return is_small(kind.value_type if pa.types.is_dictionary(kind) else kind)
