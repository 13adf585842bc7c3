from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.states import JobKind, JobState


class Progress(BaseModel):
    """Where a running job is. ``seconds`` holds the phases done so far."""

    phase: str
    phase_index: int
    phases: list[str]
    step: int
    steps: int
    eta_seconds: float | None
    seconds: dict[str, float]


class JobError(BaseModel):
    code: str
    detail: str


class JobPause(BaseModel):
    """Why a job is paused, and how far it is: what somebody needs to know who decides.

    `spent` of `cap` is by the judge's prices. Of `of` clusters, rows that are scored, or texts that
    are embedded, `done` are done, and the others cost about `rest`. `may_finish` says whether the
    job can end with these.
    """

    model_config = ConfigDict(from_attributes=True)

    reason: Literal["spending_cap"]
    spent: float
    cap: float
    what: Literal["clusters", "rows", "texts"]
    done: int
    of: int
    rest: float | None
    may_finish: bool


class JobResume(BaseModel):
    """How a paused job goes on: with more to spend, or to its end with what is there."""

    model_config = ConfigDict(extra="forbid")

    spend_at_most: float | None = Field(
        default=None,
        gt=0,
        le=1e9,
        description="What the job may spend in all from now on, more than it has.",
    )
    finish: bool = Field(
        default=False,
        description="Ask nothing more: what was not asked about is unranked, and counted so.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.finish == (self.spend_at_most is not None):
            raise ValueError("Give spend_at_most, or finish, and not both.")
        return self


class JobStart(BaseModel):
    """Which job of the catalog to start; parameters that are missing take their defaults."""

    model_config = ConfigDict(extra="forbid")

    kind: str
    params: dict[str, Any] = Field(default_factory=dict)
    dry_run: bool = Field(
        default=False,
        description="Only measure what the job would take; its result has an `estimate`.",
    )


class JobOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    project_id: int | None
    kind: JobKind
    dry_run: bool
    state: JobState
    params: dict[str, Any]
    progress: Progress | None
    message: str | None
    error: JobError | None
    pause: JobPause | None
    result: dict[str, Any] | None
    attempt: int
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
