from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from api.pools.schemas import Address, Choices, Column, FirstNumber
from core.states import JobState, Split, SyncFinding

Minutes = Annotated[int, Field(ge=5, le=30 * 24 * 60)]


class SyncCreate(BaseModel):
    """A place to follow, and how what is new there is imported: see `BucketImport`.

    It is looked at every `every_minutes`; with null only when asked to.
    """

    model_config = ConfigDict(extra="forbid")

    location: Address
    include: Annotated[list[Column], Field(max_length=50)] = []
    split: Split = Split.POOL
    folder_split: Choices = {}
    count_from: FirstNumber | None = None
    annotation_columns: Annotated[list[Column], Field(max_length=50)] = []
    every_minutes: Minutes | None = 60


class SyncUpdate(BaseModel):
    """How often to look; with null only when asked to."""

    model_config = ConfigDict(extra="forbid")

    every_minutes: Minutes | None


class SyncRun(BaseModel):
    """With `again`, what was passed over is read once more, as after a change of its rights."""

    model_config = ConfigDict(extra="forbid")

    again: bool = False


class SyncImport(BaseModel):
    """The latest import of what was new."""

    id: int
    state: JobState


class SyncOut(BaseModel):
    """A place that a pool follows.

    `objects`, `new`, `changed` and `gone` are counts of the last look that succeeded, at
    `looked_at`: images there, those that no example was made of yet, those that have another
    content than when they were imported, and those that are not there any more. The last two are
    said and nothing else: examples and labels stay. `fault` and `detail` say why the last look
    failed. `due_at` is null where it is looked at only when asked to; `looking`: just now.
    """

    id: int
    project_id: int
    location: str
    include: list[str]
    split: Split
    every_minutes: int | None
    due_at: datetime | None
    looking: bool
    looked_at: datetime | None
    objects: int
    new: int
    changed: int
    gone: int
    fault: str | None
    detail: str | None
    latest_import: SyncImport | None
    created_at: datetime


class SyncObjectOut(BaseModel):
    """An object by its path below the place, what is to be said of it, and since when.

    `passed` is what no example came of: it is one already, or cannot be one.
    """

    name: str
    finding: SyncFinding
    since: datetime
