"""Arguments of the Python client that are easily given wrongly."""

from collections.abc import Sequence
from typing import TypeVar

One = TypeVar("One")


def listed(values: Sequence[One], name: str) -> list[One]:
    """The values of an argument that takes several.

    Args:
        values: What was given.
        name: Of the argument, for the complaint.

    Raises:
        TypeError: It is one string, whose letters would be taken for the values.
    """
    if isinstance(values, str | bytes):
        raise TypeError(f"{name} takes a list, not the single {values!r}: write [{values!r}].")
    return list(values)
