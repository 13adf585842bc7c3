"""What columns of Parquet hold, by their types."""

import pyarrow as pa


def is_list(kind: pa.DataType) -> bool:
    """Whether values are lists of any length."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def is_text(kind: pa.DataType) -> bool:
    """Whether values are text, each by itself or from a dictionary."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def is_small(kind: pa.DataType) -> bool:
    """Whether a column says something of an image, in a word or a number."""
    return (
        is_text(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
    )


def is_read(kind: pa.DataType) -> bool:
    """Whether values are words, numbers, or nothing at all."""
    return is_small(kind) or bool(pa.types.is_null(kind))
