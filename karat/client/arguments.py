"""Arguments of the Python client that are easily given wrongly."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from karat.client.resources import ClassSpec

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


def class_spec(given: str | ClassSpec) -> ClassSpec:
    """A class that may be given by its name alone.

    Args:
        given: What was given.

    Raises:
        ValueError: It has an empty name.
    """
    spec: ClassSpec = {"name": given} if isinstance(given, str) else given
    # Whatever else is wrong with it the server says.
    if spec.get("name") is not None and not spec["name"].strip():
        raise ValueError("Each of classes has a name, and one is empty.")
    return spec


def numbered(job: int | Mapping[str, Any]) -> int:
    """The number of a job that is given as the API told of it, or by its number.

    Args:
        job: What was given.

    Raises:
        TypeError: It is no job.
    """
    if isinstance(job, int):
        return job
    if isinstance(job, Mapping) and "kind" in job and "id" in job:
        return int(job["id"])
    hint = ' Of a round, give its "job_id".' if isinstance(job, Mapping) and "job_id" in job else ""
    raise TypeError(f"A job or its number is wanted, not {type(job).__name__}.{hint}")


BY_ENDING: Final = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".zip": "imagefolder",
}
"""Formats of an export that the ending of its file tells."""

SUBSET_BY_ENDING: Final = {
    ".csv": "csv",
    ".txt": "ids",
    ".zip": "imagefolder",
    ".parquet": "parquet",
}
"""The same of a subset."""

SELECTION_BY_ENDING: Final = {".jsonl": "alpaca", ".parquet": "parquet", ".txt": "ids"}
"""The same of chosen instructions."""


def format_by_ending(path: Path, by_ending: Mapping[str, str]) -> str:
    """The format that a file's ending tells.

    Args:
        path: The file of an export.
        by_ending: The formats that endings tell.

    Raises:
        ValueError: It tells none.
    """
    found = by_ending.get(path.suffix.lower())
    if found is None:
        known = ", ".join(by_ending)
        raise ValueError(
            f"The ending of {path.name} tells no format; name the format, or let it end in {known}."
        )
    return found
