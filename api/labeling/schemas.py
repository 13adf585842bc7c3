import uuid
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.instruction_rows import QueryMember
from api.jobs.schemas import Progress
from api.schemas.fields import ShownField
from api.schemas.labels import Labeled
from api.schemas.notes import Note, NoteOut
from core.states import ProjectState, RoundState, Verdict
from core.tasks.boxes import Proposal
from core.tasks.proposals import SuggestedClass
from core.tasks.registry import AnyLabel


class LeaseRequest(BaseModel):
    """`client` identifies a browser tab: after a reload it gets the same queries again.

    `grouped` prefers queries that the model takes for the same, for a page that shows many at
    once.

    `open_clients` are the caller's other clients that are still there. What any further client of
    theirs holds, such as a browser that was killed, is free again before this lease is made, except
    what it leased in the last five seconds: it may have come after these were listed. If empty,
    all is free. Without it every client keeps what it holds.
    """

    model_config = ConfigDict(extra="forbid")

    n: Annotated[int, Field(ge=1, le=256)] = 16
    client: uuid.UUID
    grouped: bool = False
    open_clients: Annotated[list[uuid.UUID], Field(max_length=1000)] | None = None


class ReleaseRequest(BaseModel):
    """`after_seconds` lets a page that is only loaded again find what it held.

    `keep` are queries that are not given back: the client holds them for an hour at least, as
    those for which it has boxes or an order that are not sent.
    """

    model_config = ConfigDict(extra="forbid")

    client: uuid.UUID
    after_seconds: Annotated[float, Field(ge=0, le=60)] = 0
    keep: Annotated[list[Annotated[int, Field(ge=1, lt=2**63)]], Field(max_length=256)] = []


class LeasedQuery(BaseModel):
    """An image or a text to judge.

    A text has no `width` and `height`. Its `excerpt` is how it begins, at most 300 characters, and
    `text` is all of it where that has at most 20,000; of a longer one `image_url` gives the rest.

    `proposals` are boxes that a model proposes, the surest first; null where none has. A box that
    is made of one names its place among them. Of classes `suggested` is one that was imported as a
    model's prediction. `proposed_by` names the model whose predictions were imported; null where
    Karat's own newest model proposes, or none.

    `fields` are those that came with the example and that the project shows, `shown_fields` of its
    settings; none where rows are ranked.

    `members` are the rows to rank, `example_id` among them, in an order that is the caller's own;
    null where an example is judged by itself.
    """

    query_id: int
    example_id: int
    rank: int
    round: int
    image_url: str
    width: int | None
    height: int | None
    excerpt: str | None
    text: str | None
    name: str
    predicted_class_id: int | None
    probability: float | None
    in_probability: float | None
    duplicates_of: int | None
    fields: list[ShownField]
    proposals: list[Proposal] | None
    suggested: SuggestedClass | None
    proposed_by: str | None
    members: list[QueryMember] | None


class RoundStatus(BaseModel):
    number: int
    state: RoundState
    spent: float
    budget: float


class MyCounts(BaseModel):
    """My own answers, `today` by the clock of `utc_offset`; a corrected answer counts once.

    Reviews, and verdicts by hand in the pool, are no answers.
    """

    today: int
    total: int
    round: int


class Status(BaseModel):
    """Where the project is, for the label page. `mine` is filled by the status route only.

    A page that shows another `classes_version` reads the project again.
    """

    classes_version: int
    project_state: ProjectState
    round: RoundStatus | None
    waiting_for: Literal["nothing", "training", "failed", "disk", "paused", "finished", "others"]
    remaining: int | None
    mine: MyCounts | None


class MyRound(BaseModel):
    """My own answers to one round; a corrected answer counts once."""

    answers: int
    inside: int
    ood: int
    median_seconds: float | None


class RoundFailure(BaseModel):
    """Why what comes next could not be prepared; somebody has to have it tried again.

    No further images are chosen until then, unless the round is open: then that is tried once more
    when it closes.

    `tell` names up to three people who can: engineers of the project, or else admins. `detail`,
    what went wrong, and the `job_id` to try again are null for those who cannot.
    """

    number: int
    tell: list[str]
    job_id: int | None
    detail: str | None


class Between(BaseModel):
    """Why there is no image now, and what comes next.

    `round` is the oldest that is not closed, or the last one; `job_id` and `progress` are of its
    job while that runs, `waits` says what keeps it before that, `failure` who can help if it has
    failed. `next` is the round after
    it, if it has begun. `checks` says that `round` asked about random checks alone, after which no
    model is trained.
    """

    round: RoundStatus | None
    checks: bool
    job_id: int | None
    waits: str | None
    progress: Progress | None
    failure: RoundFailure | None
    next: RoundStatus | None
    mine: MyRound


class Lease(BaseModel):
    """Without `items`, `held_elsewhere` says whether another client of the caller holds some."""

    lease_token: uuid.UUID | None
    expires_at: datetime | None
    items: list[LeasedQuery]
    held_elsewhere: bool
    status: Status


class AnswerIn(Labeled):
    """One verdict. `key` is made by the client: a retry with it returns the first result.

    The verdict `label` comes with a `label` of the project's task type, `{"type":
    "classification", "class_id": 7}`; in classification `class_id` alone will do. Its former name
    `class` is taken for it.

    `classes_version` is that of the project as its classes were shown. With it an answer is stored
    under the name that was read, and refused if that is another class by now.

    A `note` is of this answer alone: one that corrects it has its own, or none.
    """

    model_config = ConfigDict(extra="forbid")

    key: uuid.UUID
    query_id: Annotated[int, Field(ge=1, lt=2**63)]
    verdict: Verdict
    seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
    classes_version: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    supersedes: uuid.UUID | None = None
    lease_token: uuid.UUID | None = None
    note: Note = None

    @model_validator(mode="after")
    def _label_iff_verdict(self) -> "AnswerIn":
        if (self.verdict is Verdict.LABEL) != (self.label is not None):
            raise ValueError("class_id or label goes with verdict 'label', and only with it")
        return self


class Answers(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answers: Annotated[list[AnswerIn], Field(min_length=1, max_length=256)]


class AnswerResult(BaseModel):
    """What became of an answer.

    `late` answers are stored but not counted, because somebody else's came first. `rejected` ones
    name something that does not exist, or a class whose name another class has by now; nothing was
    stored, and the image is asked about again.
    """

    key: uuid.UUID
    status: Literal["accepted", "duplicate", "late", "rejected"]
    annotation_id: int | None
    counted: bool
    round: int | None
    code: str | None
    detail: str | None


class AnswersOut(BaseModel):
    results: list[AnswerResult]
    status: Status


class Released(BaseModel):
    released: int


class RecentAnswer(BaseModel):
    """An answer of the caller as it stands.

    `reviewer_note` is what a reviewer wrote who has decided otherwise; null where the example is
    asked about again.
    """

    key: uuid.UUID
    query_id: int
    example_id: int
    image_url: str
    width: int | None
    height: int | None
    excerpt: str | None
    name: str
    fields: list[ShownField]
    verdict: Verdict
    class_id: int | None
    label: AnyLabel | None
    proposals: list[Proposal] | None
    members: list[QueryMember] | None
    note: str | None
    reviewer_note: NoteOut | None
    created_at: datetime
