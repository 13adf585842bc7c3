import uuid
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.states import Decision

Id = Annotated[int, Field(ge=1, lt=2**63)]


class ReviewOut(BaseModel):
    """The suggestions of one job, and how far they are decided."""

    job_id: int
    created_at: datetime
    total: int
    open: int
    decided: dict[Decision, int]


class ReviewLeaseRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    n: Annotated[int, Field(ge=1, le=256)] = 16


class SuggestionOut(BaseModel):
    """An image whose label a job doubts. `quality` is cleanlab's of the given label, 0 to 1."""

    id: int
    example_id: int
    rank: int
    image_url: str
    width: int
    height: int
    name: str
    given_class_id: int
    suggested_class_id: int
    confidence: float
    quality: float | None
    decision: Decision | None


class ReviewLease(BaseModel):
    expires_at: datetime
    items: list[SuggestionOut]
    review: ReviewOut


class DecisionIn(BaseModel):
    """One decision; `null` takes back what the caller decided before.

    `key` is made by the client: a retry with it returns the first result.
    """

    model_config = ConfigDict(extra="forbid")

    key: uuid.UUID
    suggestion_id: Id
    decision: Decision | None
    seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0.0


class Decisions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    decisions: Annotated[list[DecisionIn], Field(min_length=1, max_length=256)]


class DecisionResult(BaseModel):
    """What became of a decision.

    A `late` one is stored and changes nothing, because somebody else decided first. A `rejected`
    one names a suggestion that does not exist, or a key that belongs to something else.
    """

    key: uuid.UUID
    status: Literal["accepted", "duplicate", "late", "rejected"]
    annotation_id: int | None
    code: str | None
    detail: str | None


class DecisionsOut(BaseModel):
    results: list[DecisionResult]
    review: ReviewOut


class Reverted(BaseModel):
    """How many decisions were taken back."""

    reverted: int
    review: ReviewOut
