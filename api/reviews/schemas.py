import uuid
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.states import Decision

Id = Annotated[int, Field(ge=1, lt=2**63)]


class ReviewOut(BaseModel):
    """The suggestions of one job, and how far they are decided.

    Without a job: the images on which verdicts contradict each other, of which `open` wait for no
    further verdict.
    """

    job_id: int | None
    created_at: datetime | None
    total: int
    open: int
    decided: dict[Decision, int]


class ReviewLeaseRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    n: Annotated[int, Field(ge=1, le=256)] = 16


class Votes(BaseModel):
    """How many said so, reviewers apart; no class is OOD."""

    class_id: int | None
    count: int


class SuggestionOut(BaseModel):
    """An image whose label a job doubts, or annotators disagree on.

    A given or suggested label without a class is OOD. `votes` holds what was said, by most first.
    `quality` is cleanlab's of the given label, 0 to 1. `decided_class_id` is the class that was
    decided on, if it was one.
    """

    id: int
    example_id: int
    rank: int
    image_url: str
    width: int
    height: int
    name: str
    given_class_id: int | None
    suggested_class_id: int | None
    votes: list[Votes]
    confidence: float
    quality: float | None
    decision: Decision | None
    decided_class_id: int | None


class ReviewLease(BaseModel):
    """A page that shows another `classes_version` reads the project again."""

    classes_version: int
    expires_at: datetime
    items: list[SuggestionOut]
    review: ReviewOut


class DecisionIn(BaseModel):
    """One decision; `null` takes back what the caller decided before.

    `other` says that neither label is right, and names the class that is. `key` is made by the
    client: a retry with it returns the first result. `classes_version` is that of the project as
    its classes were shown.
    """

    model_config = ConfigDict(extra="forbid")

    key: uuid.UUID
    suggestion_id: Id
    decision: Decision | None
    class_id: Id | None = None
    classes_version: Id | None = None
    seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _names_a_class(self) -> Self:
        if (self.decision is Decision.OTHER) != (self.class_id is not None):
            raise ValueError("class_id goes with the decision 'other', and with no other one")
        return self


class Decisions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    decisions: Annotated[list[DecisionIn], Field(min_length=1, max_length=256)]


class DecisionResult(BaseModel):
    """What became of a decision.

    A `late` one is stored and changes nothing, because somebody else decided first. A `rejected`
    one names a suggestion that does not exist, a key that belongs to something else, or a class
    whose name another class has by now.
    """

    key: uuid.UUID
    status: Literal["accepted", "duplicate", "late", "rejected"]
    annotation_id: int | None
    code: str | None
    detail: str | None


class DecisionsOut(BaseModel):
    classes_version: int
    results: list[DecisionResult]
    review: ReviewOut


class Reverted(BaseModel):
    """How many decisions were taken back."""

    reverted: int
    review: ReviewOut
