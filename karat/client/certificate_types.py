"""What is promised of labels that models give.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Literal, TypedDict

from karat.client.findings import HumanError

CertificateState = Literal[
    "scoring", "asking", "ready", "applying", "applied", "revoking", "revoked", "refused"
]
"""Where a certificate is in its life; see ``core.lifecycle``."""
LotState = Literal["open", "passed", "people"]
"""What becomes of a lot: not known yet, the model labels it, or it is left to people."""


class CertificateBound(TypedDict):
    """At most `wrong` of `of` images, which is `share`."""

    of: int
    share: float
    wrong: int


class CertificateBand(TypedDict):
    """How sure the model is, from the least sure of a lot to the surest, 0 to 1."""

    high: float
    low: float


class LotCounts(TypedDict):
    """How many lots there are in each state."""

    open: int
    passed: int
    people: int


class ModelRef(TypedDict):
    """The model that labels: the round that trained it, and the SHA-256 of its file."""

    digest: str
    round: int | None
    version: str | None


class Certificate(TypedDict):
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

    answered: int
    applied_at: str | None
    asked: int
    at_most: int | None
    auto: int
    bound: CertificateBound | None
    closed_at: str | None
    confidence: float
    created_at: str
    created_by: str | None
    expected_answers: int | None
    human: HumanError | None
    id: int
    images: int
    is_current: bool
    job_id: int | None
    lots: LotCounts
    missed_bound: CertificateBound | None
    missed_in: float
    model: ModelRef | None
    overlap: int
    people: int
    progress: float | None
    project_id: int
    refused: str | None
    revoked_at: str | None
    round: int | None
    scope: Literal["all", "class"]
    stalled: str | None
    state: CertificateState
    target: float
    waiting: int
    warnings: list[str]


class CertificateLot(TypedDict):
    """Images that pass or fail together; without a class they are what the model takes for OOD.

    `bound` is the share that may be wrong, at most, of all that was promised together with it: of
    the lots of the class, of those of OOD, or of all classes; of a single lot more may be wrong. It
    is of what the model would label, and once that is applied of what it has; `labeled` counts
    those.
    """

    band: CertificateBand
    bound: float | None
    class_id: int | None
    drawn: int
    id: int
    labeled: int
    size: int
    state: LotState
    unsure: int
    wrong: int


class CertificateDetail(TypedDict):
    """A certificate with all its lots."""

    answered: int
    applied_at: str | None
    asked: int
    at_most: int | None
    auto: int
    bound: CertificateBound | None
    closed_at: str | None
    confidence: float
    created_at: str
    created_by: str | None
    expected_answers: int | None
    human: HumanError | None
    id: int
    images: int
    is_current: bool
    job_id: int | None
    lots: LotCounts
    lots_of: list[CertificateLot]
    missed_bound: CertificateBound | None
    missed_in: float
    model: ModelRef | None
    overlap: int
    people: int
    progress: float | None
    project_id: int
    refused: str | None
    revoked_at: str | None
    round: int | None
    scope: Literal["all", "class"]
    stalled: str | None
    state: CertificateState
    target: float
    waiting: int
    warnings: list[str]


class LookedAt(TypedDict):
    """Of `images` in the pool, how many `people` have judged, and why.

    The model has learned from `learned_from` of them; `drawn` were drawn at random for the
    certificate and looked at.
    """

    drawn: int
    images: int
    learned_from: int
    people: int


class ClassReport(TypedDict):
    """A class, or without one OOD: images labeled by people and by the model.

    `bound` is the share of the latter that may be wrong, at most.
    """

    bound: float | None
    class_id: int | None
    model: int
    name: str | None
    people: int


class CertificateReport(TypedDict):
    """A certificate to hand on: what was looked at and what was not, and what the promise needs."""

    assumptions: list[
        Literal[
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
    ]
    certificate: CertificateDetail
    digests: dict[str, str]
    looked_at: LookedAt
    made_at: str
    not_looked_at: int
    per_class: list[ClassReport]
    project: str
    project_id: int
    versions: dict[str, str]
