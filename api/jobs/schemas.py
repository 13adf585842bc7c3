from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

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
    result: dict[str, Any] | None
    attempt: int
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
