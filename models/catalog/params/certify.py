"""Parameters of the job that certifies the labels that a model gives."""

from typing import Literal

from pydantic import Field

from models.catalog.params import Params


class CertifyParams(Params):
    """What is to be promised, and how much people may be asked for it."""

    target: float = Field(
        default=0.02,
        gt=0,
        le=0.5,
        title="Wrong labels, at most",
        description="Share of the labels given by the model that may be wrong.",
    )
    confidence: float = Field(
        default=0.95,
        ge=0.5,
        lt=1,
        title="How sure",
        description="Chance that the promise holds, at least.",
    )
    scope: Literal["all", "class"] = Field(
        default="all",
        title="Promised of",
        description="all: of all that the model labels together; class: of each class, and of OOD.",
    )
    missed_in: float | None = Field(
        default=None,
        gt=0,
        le=0.5,
        title="Missed, at most",
        description="Share of what the model calls OOD that may be of a class after all; empty: as "
        "for wrong labels.",
    )
    at_most: int | None = Field(
        default=None,
        ge=1,
        le=10_000_000,
        title="Answers, at most",
        description="So many answers people may be asked for; what is not known by then is left to "
        "people. Empty: no limit.",
    )
    overlap: int = Field(
        default=1,
        ge=1,
        le=5,
        title="People who look",
        description="How many people look at each image that is drawn.",
    )

    @property
    def missed(self) -> float:
        """Bound on the share of what is of a class among what the model calls OOD."""
        return self.target if self.missed_in is None else self.missed_in
