"""Arguments of the Python client that are easily given wrongly."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

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


BY_ENDING: Final = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".zip": "imagefolder",
}
"""Formats of an export that the ending of its file tells."""


def format_by_ending(path: Path, task: str = "classification") -> str:
    """The format that a file's ending tells.

    Args:
        path: The file of an export.
        task: The project's type of labels; instruction data in ``.jsonl`` is Alpaca's.

    Raises:
        ValueError: It tells none.
    """
    found = BY_ENDING.get(path.suffix.lower())
    if found is None:
        known = ", ".join(BY_ENDING)
        raise ValueError(
            f"The ending of {path.name} tells no format; name the format, or let it end in {known}."
        )
    return "alpaca" if found == "jsonl" and task == "instructions" else found
