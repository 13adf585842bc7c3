from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, computed_field

from core.settings.project import Choice, Goal
from core.states import RoundState


def _may_lack_class(schema: dict[str, Any]) -> None:
    """Nobody has to name what is going to go."""
    if "class" in schema.get("required", ()):
        schema["required"].remove("class")


class Answered(BaseModel):
    """Counted answers by verdict.

    An answer counts as what it was corrected to, unless a later round asked about it again.
    `no_objects` are those of `label` that are boxes, and no box. `class` is what `label` was called
    before, for clients of then.
    """

    model_config = ConfigDict(json_schema_extra=_may_lack_class)

    label: int
    no_objects: int
    ood: int
    skip: int
    unsure: int

    @computed_field(  # type: ignore[prop-decorator]
        alias="class", json_schema_extra={"deprecated": True}
    )
    @property
    def class_(self) -> int:
        return self.label

    @property
    def total(self) -> int:
        return self.label + self.ood + self.skip + self.unsure

    @property
    def inside(self) -> int:
        """Those that name one of the classes."""
        return self.label - self.no_objects


class Estimate(BaseModel):
    """How many unlabeled images are OOD, with a 95 % interval, made of so many answers."""

    count: float
    low: float
    high: float
    answers: int


class OodLeft(BaseModel):
    """OOD among the images that were unlabeled when the round closed.

    ``by_random`` goes by the share in what round 0 drew at random, ``by_purity`` by purity
    calibrated on the last answers; either may be null. ``count`` is that of the narrower interval;
    where the two do not meet (``agree`` is false) ``by_random``, which no choice of queries can
    bias.
    """

    unlabeled: int
    count: float | None
    low: float | None
    high: float | None
    agree: bool | None
    by_random: Estimate | None
    by_purity: Estimate | None


class RoundOut(BaseModel):
    """A round. ``accuracy`` is that of the model trained on the answers up to this round.

    ``strategy`` chose its images; of round 0, which goes by ``first_queue`` of its settings, it is
    ``random``.

    ``chosen`` are the answers to images that its strategy chose: neither drawn as a check, nor
    asked for a second time, nor sent by somebody. ``in_share`` is the share of these that name a
    class, of those that are a label or OOD.

    ``budget`` is what its answers may cost: what ``settings`` say and checks for a certificate
    add, or all that it asks where that is less.

    ``purity_auroc`` judges the purity of the round's queries by their verdicts. ``drawn`` are the
    answers to images that were drawn at random from the pool, of round 0 alone: neither chosen as
    typical nor sent by somebody.
    """

    number: int
    state: RoundState
    strategy: str
    budget: float
    spent: float
    seed: int
    queries: int
    answered: Answered
    chosen: Answered
    drawn: Answered | None
    in_share: float | None
    accuracy: float | None
    purity_auroc: float | None
    ood_left: OodLeft | None
    annotator_seconds: float
    settings: dict[str, Any]
    metrics: dict[str, Any]
    notes: list[str]
    seconds: dict[str, float]
    opened_at: datetime | None
    closing_at: datetime | None
    closed_at: datetime | None
    job_id: int | None


class RoundEstimate(BaseModel):
    """A model to measure a round with; the project's own if it is left out."""

    model_config = ConfigDict(extra="forbid")

    model: Choice | None = None


Points = Literal["stop", "go_on", "neither"]


class Reason(BaseModel):
    """One reason, by a code that programs can rely on, and its numbers."""

    code: str
    points: Points
    values: dict[str, float]


class OutlookOut(BaseModel):
    """Whether another round is expected to pay. See docs/api.md for the codes of the reasons."""

    goal: Goal
    advice: Literal["stop", "go_on", "unclear", "unknown"]
    least_gain: float
    reasons: list[Reason]


class Comparable(BaseModel):
    """Another project with the same classes; ``same_pool`` where its splits have the same sizes."""

    id: int
    name: str
    strategy: str
    seed: int
    same_pool: bool
