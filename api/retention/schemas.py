from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from core.retention import FEWEST_DAYS, MOST_DAYS
from core.states import ProjectState


class RetentionIn(BaseModel):
    """`days` after it is finished a project is deleted; null keeps it."""

    model_config = ConfigDict(extra="forbid")

    days: Annotated[int, Field(ge=FEWEST_DAYS, le=MOST_DAYS)] | None


class RetentionOut(BaseModel):
    """How long a project is kept, and what goes when.

    `since` is when that was said, `due_at` when the project goes: null while it is not finished or
    is kept. `images` and `answers` are what it holds now. Nothing goes in the week after `since`,
    nor while a job is at work.
    """

    project_id: int
    project: str
    state: ProjectState
    days: int | None
    since: datetime | None
    finished_at: datetime | None
    due_at: datetime | None
    images: int
    answers: int
