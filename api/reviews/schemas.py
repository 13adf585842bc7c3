import uuid
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.instruction_rows import QueryMember
from api.schemas.labels import Labeled
from api.schemas.notes import Note, NoteOut
from core.states import Decision
from core.tasks.registry import AnyLabel

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
    alike: Annotated[
        bool,
        Field(
            description="All open suggestions of one group, with the same two labels and alike to "
            "look at, in place of `n`; none where no group of two is left."
        ),
    ] = False
    passed: Annotated[
        list[Annotated[int, Field(ge=0, lt=2**31)]],
        Field(max_length=10_000, description="Groups, by `alike`, that are not wanted again."),
    ] = []


class Votes(BaseModel):
    """How many said so, reviewers apart; no label is OOD."""

    class_id: int | None
    label: AnyLabel | None
    count: int


class SuggestionOut(BaseModel):
    """An image whose label a job doubts, or annotators disagree on.

    A given or suggested label that is null is OOD. `votes` holds what was said, by most first.
    `confidence`, 0 to 1, is how likely the suggested label is right by the job and, where it is
    open, the decisions so far. `quality` is cleanlab's of the given label, 0 to 1. Suggestions with
    the same `alike` have the same two labels and look alike. `decided_label` is what was decided
    on, if it was a label. What ends in `class_id` is the class of the label beside it. `members`
    are the rows that were ranked, in the order in which they were put together; null where none
    were. `notes` were written beside other verdicts that hold, the oldest first, and `note` beside
    the decision.
    """

    id: int
    example_id: int
    rank: int
    image_url: str
    width: int | None
    height: int | None
    excerpt: str | None
    name: str
    given_class_id: int | None
    suggested_class_id: int | None
    given_label: AnyLabel | None
    suggested_label: AnyLabel | None
    votes: list[Votes]
    members: list[QueryMember] | None
    confidence: float
    quality: float | None
    alike: int | None
    decision: Decision | None
    decided_class_id: int | None
    decided_label: AnyLabel | None
    note: str | None
    notes: list[NoteOut]


class ReviewLease(BaseModel):
    """A page that shows another `classes_version` reads the project again."""

    classes_version: int
    expires_at: datetime
    items: list[SuggestionOut]
    review: ReviewOut


class DecisionIn(Labeled):
    """One decision; `null` takes back what the caller decided before.

    `other` says that neither label is right, and comes with the `label` that is, or its `class_id`.
    `key` is made by the client: a retry with it returns the first result. `classes_version` is that
    of the project as its classes were shown.
    """

    model_config = ConfigDict(extra="forbid")

    key: uuid.UUID
    suggestion_id: Id
    decision: Decision | None
    classes_version: Id | None = None
    seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0.0
    note: Note = None

    @model_validator(mode="after")
    def _names_a_label(self) -> Self:
        if (self.decision is Decision.OTHER) != (self.label is not None):
            raise ValueError("class_id goes with the decision 'other', and with no other one")
        return self


class Decisions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    decisions: Annotated[list[DecisionIn], Field(min_length=1, max_length=256)]


class DecisionResult(BaseModel):
    """What became of a decision.

    A `late` one is stored and changes nothing, because somebody else decided first. A `rejected`
    one names a suggestion that does not exist, a key that belongs to something else, or a class
    whose name another class has by now, or settles what its reviewer has taken a side in.
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


class IntervalOut(BaseModel):
    """A share, and what it lies within in 95 of 100 cases, all 0 to 1."""

    share: float
    low: float
    high: float


class Remaining(BaseModel):
    """What is expected of the open suggestions, by the job and the decisions so far.

    `worth` counts those whose label is wrong with the chosen share at least, and `next_wrong` is
    the share of wrong labels expected of the next twenty; null where nothing is open.
    """

    open: int
    expected_wrong: float
    expected_right: float
    worth: int
    next_wrong: float | None


class ReviewAuditOut(BaseModel):
    """Labels drawn by chance among the `labels` that the job judged and does not doubt.

    `error_left` is the share of those that are wrong, an exact interval; null before a decision.
    """

    size: int
    open: int
    decided: int
    wrong: int
    labels: int
    inclusion: float
    error_left: IntervalOut | None


class ReviewEstimate(BaseModel):
    """What the decisions on a job's suggestions say so far; unsure ones say nothing.

    Of those `decided`, `wrong` labels were wrong and `right` proposals were taken. `precision` and
    `class_precision` are these as shares, null below twenty decisions. `share` is that below which
    suggestions are not worth it; `advice` says whether the next ones are.
    """

    job_id: int
    share: float
    decided: int
    wrong: int
    right: int
    precision: IntervalOut | None
    class_precision: IntervalOut | None
    remaining: Remaining
    advice: Literal["too_few", "go_on", "stop", "done"]
    audit: ReviewAuditOut | None


class AuditRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    n: Annotated[int, Field(ge=1, le=10_000)] = 50
