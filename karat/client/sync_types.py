"""Places that pools follow, and what was found there.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Literal, TypedDict

from karat.client.resources import JobState, Split

SyncFinding = Literal["passed", "changed", "gone"]
"""What is to be said of an object of a place that a pool follows."""


class SyncImport(TypedDict):
    """The latest import of what was new."""

    id: int
    state: JobState


class Sync(TypedDict):
    """A place that a pool follows.

    `objects`, `new`, `changed` and `gone` are counts of the last look that succeeded, at
    `looked_at`: images there, those that no example was made of yet, those that have another
    content than when they were imported, and those that are not there any more. The last two are
    said and nothing else: examples and labels stay. `fault` and `detail` say why the last look
    failed. `due_at` is null where it is looked at only when asked to; `looking`: just now.
    """

    changed: int
    created_at: str
    detail: str | None
    due_at: str | None
    every_minutes: int | None
    fault: str | None
    gone: int
    id: int
    include: list[str]
    latest_import: SyncImport | None
    location: str
    looked_at: str | None
    looking: bool
    new: int
    objects: int
    project_id: int
    split: Split


class SyncObject(TypedDict):
    """An object by its path below the place, what is to be said of it, and since when.

    `passed` is what no example came of: it is one already, or cannot be one.
    """

    finding: SyncFinding
    name: str
    since: str
