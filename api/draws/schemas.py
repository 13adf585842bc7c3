from pydantic import BaseModel, ConfigDict, Field


class AuditShare(BaseModel):
    """A share in 0..1 with the ends of an interval that holds however often one looks."""

    n: int
    share: float
    low: float
    high: float


class HumanError(BaseModel):
    """How often a single verdict is wrong, at most ``high``, by images that were judged twice."""

    pairs: int
    disagreed: int
    share: float
    high: float


class ClassAudit(AuditShare):
    """Of one class: the share of its ``n`` draws that the model labels rightly.

    ``precision`` is how often it is right where it says so.
    """

    class_id: int
    precision: AuditShare | None


class AuditEstimate(BaseModel):
    """How often the newest model is right on what no strategy has chosen, by random draws.

    ``round`` is the round whose model was measured, as it closed; without one nothing was measured
    yet. The shares are ``of`` so many images, from which the draws were made, and say nothing of
    those that were left ``beyond`` these, as they came later. So many answered draws are ``past``:
    they do not count, as too many of the images that they were drawn from were labeled or held out
    otherwise since. ``drawn``, ``answered`` and ``waiting`` count the draws as they are now,
    ``unlooked`` the images of the pool that nobody has judged. ``inside`` is of images of a class,
    whether they are given it, ``ood`` of the others, whether they are taken for that; ``ood_share``
    how many others there are. ``refused`` says why no draws can be made.
    """

    round: int | None
    drawn: int
    answered: int
    waiting: int
    unsure: int
    confidence: float
    of: int | None
    beyond: int
    past: int
    unlooked: int
    accuracy: AuditShare | None
    inside: AuditShare | None
    ood: AuditShare | None
    ood_share: AuditShare | None
    per_class: list[ClassAudit]
    people: HumanError | None
    share_of_queue: float
    refused: str | None


class AuditIn(BaseModel):
    """How many images to draw at random and ask about, first of all."""

    model_config = ConfigDict(extra="forbid")

    n: int = Field(ge=1, le=10_000)


class AuditAsked(BaseModel):
    """How many draws were put into the queue of ``round``."""

    asked: int
    round: int
