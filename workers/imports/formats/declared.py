"""Names that a Parquet file declares for the numbers of its columns, as Hugging Face's files do."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from workers.imports.items import only, printable


def declared_names(schema: pa.Schema, *path: str) -> tuple[str, ...]:
    """Names in the schema's ``huggingface`` entry, in the order of their numbers.

    Args:
        schema: Of the file.
        path: A column, and the field of it if it is a struct; lists of it are no part of that.
    """
    try:
        feature = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        for name in path:
            feature = _element(feature[name])
        return tuple(printable(str(name)) for name in feature["names"])
    except (IndexError, KeyError, RecursionError, TypeError, ValueError):
        return ()


def first_declared(schema: pa.Schema, columns: Iterable[str]) -> tuple[str, ...]:
    """The names that are declared for the first of ``columns`` that has any."""
    return next(filter(None, (declared_names(schema, one) for one in columns)), ())


def _element(feature: Any) -> Any:
    """Of lists, in any of the ways that features of them are written, what they hold."""
    while isinstance(feature, list) or "feature" in feature:
        feature = feature[0] if isinstance(feature, list) else feature["feature"]
    return feature


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
            return names[number]
        return None if number == -1 else f"{value} (not one of the {len(names)} numbers declared)"
    return printable(str(value))
