from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from api.draws.schemas import HumanError
from core.states import CertificateState, LotState

Scope = Literal["all", "class"]
Assumption = Literal[
    "draws_uniform",
    "every_look",
    "same_pool",
    "model_fixed",
    "earlier_draws",
    "unsure_counts_wrong",
    "people_error_measured",
    "people_right",
    "each_lot",
    "all_together",
]


class CertificateIn(BaseModel):
    """What is to be promised; what is left out takes its default. See the job `certify`."""

    model_config = ConfigDict(extra="forbid")

    target: float = Field(default=0.02, gt=0, le=0.5, description="Share of wrong labels, at most.")
    confidence: float = Field(default=0.95, ge=0.5, lt=1)
    scope: Scope = "all"
    missed_in: float | None = Field(
        default=None,
        gt=0,
        le=0.5,
        description="Share of what is of a class among what the model calls OOD, at most; as "
        "`target` if left out.",
    )
    at_most: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Answers that people may be asked for."
    )
    overlap: int = Field(default=1, ge=1, le=5, description="People who look at each image.")


class Bound(BaseModel):
    """At most `wrong` of `of` images, which is `share`."""

    share: float
    wrong: int
    of: int


class LotCounts(BaseModel):
    """How many lots there are in each state."""

    passed: int
    people: int
    open: int


class ModelRef(BaseModel):
    """The model that labels: the round that trained it, and the SHA-256 of its file."""

    round: int | None
    version: str | None
    digest: str


class CertificateOut(BaseModel):
    """What is promised of the labels that a model gives to what nobody has judged.

    `images` is what was unlabeled when it began, with what was drawn for queues before and no model
    has learned from. Of what was drawn for it, `asked` counts all, `answered` those that people
    have judged, `waiting` the others; `expected_answers` is how many more are expected from now,
    those that wait among them. `round` is where people answer. `auto` counts the images that the
    model labels, or has labeled; none once it is taken back or refused. `people` are those of lots
    that are left to people, without what was drawn of them. `progress`, 0 to 1, is how much of that
    is done while it is `applying` or `revoking`. `bound` is over all that is labeled by the model,
    `missed_bound` over what it calls OOD: how many of these are of a class after all. `is_current`
    is whether the model is still the newest; if not, a newer one may be better, and what is
    promised of the labels of this one is as true as before. `refused` says why nothing can be
    promised, `stalled` why it does not go on for now: workers try again all the time.
    """

    id: int
    project_id: int
    job_id: int | None
    state: CertificateState
    target: float
    confidence: float
    scope: Scope
    missed_in: float
    at_most: int | None
    overlap: int
    images: int
    asked: int
    answered: int
    waiting: int
    expected_answers: int | None
    round: int | None
    lots: LotCounts
    auto: int
    people: int
    progress: float | None
    bound: Bound | None
    missed_bound: Bound | None
    human: HumanError | None
    is_current: bool
    refused: str | None
    stalled: str | None
    warnings: list[str]
    created_at: datetime
    created_by: str | None
    closed_at: datetime | None
    applied_at: datetime | None
    revoked_at: datetime | None
    model: ModelRef | None


class Band(BaseModel):
    """How sure the model is, from the least sure of a lot to the surest, 0 to 1."""

    low: float
    high: float


class CertificateLot(BaseModel):
    """Images that pass or fail together; without a class they are what the model takes for OOD.

    `bound` is the share that may be wrong, at most, of all that was promised together with it: of
    the lots of the class, of those of OOD, or of all classes; of a single lot more may be wrong. It
    is of what the model would label, and once that is applied of what it has; `labeled` counts
    those.
    """

    id: int
    class_id: int | None
    band: Band
    size: int
    state: LotState
    drawn: int
    wrong: int
    unsure: int
    bound: float | None
    labeled: int


class CertificateDetail(CertificateOut):
    """A certificate with all its lots."""

    lots_of: list[CertificateLot]


class LookedAt(BaseModel):
    """Of `images` in the pool, how many `people` have judged, and why.

    The model has learned from `learned_from` of them; `drawn` were drawn at random for the
    certificate and looked at.
    """

    images: int
    people: int
    learned_from: int
    drawn: int


class ClassReport(BaseModel):
    """A class, or without one OOD: images labeled by people and by the model.

    `bound` is the share of the latter that may be wrong, at most.
    """

    class_id: int | None
    name: str | None
    people: int
    model: int
    bound: float | None


class CertificateReport(BaseModel):
    """A certificate to hand on: what was looked at and what was not, and what the promise needs."""

    project_id: int
    project: str
    certificate: CertificateDetail
    looked_at: LookedAt
    not_looked_at: int
    per_class: list[ClassReport]
    assumptions: list[Assumption]
    versions: dict[str, str]
    digests: dict[str, str]
    made_at: datetime
