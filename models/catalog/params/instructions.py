"""Parameters of the ways to choose rows of instruction data."""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params

_USUAL: Final = 10
"""Rows for one that is kept, where nothing else is said."""
_MOST: Final = 10_000_000


class SizeParams(Params):
    """A subset of a size."""

    target: int | None = Field(
        default=None,
        ge=1,
        le=_MOST,
        description="How many rows are kept, at most all; empty: one in ten.",
    )

    def size(self, n: int) -> int:
        """Return how many of n rows are kept."""
        return min(n, self.target or -(-n // _USUAL))


class ClusterParams(Params):
    """Clusters of a size."""

    largest: int = Field(
        default=10,
        ge=2,
        le=10,
        description="Most rows of a cluster. A judge ranks all of them at once, and so do people.",
    )
    clusters: int | None = Field(
        default=None,
        ge=1,
        le=_MOST,
        description="How many clusters there are at most: enough for all rows. Empty: as few as "
        "hold all rows, or as many as the target.",
    )
    target: int | None = Field(
        default=None,
        ge=1,
        le=_MOST,
        description="How many rows are wanted: as many clusters are made, of which each keeps one "
        "at most. Empty: as many as there are clusters.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.clusters is not None and self.target is not None:
            raise ValueError("clusters and target say the same; give one of them")
        return self

    def count(self) -> int | None:
        """Return how many clusters are wanted; None: as few as hold all rows."""
        return self.clusters or self.target


class FpInstructionParams(ClusterParams):
    """Cluster-wise ranking."""

    permutations: int = Field(
        default=1,
        ge=1,
        le=10,
        description="How often each cluster is ranked, its rows in another order each time. More "
        "than once evens out that judges prefer what comes first, and shows where they are unsure; "
        "it costs as many times as much.",
    )
    singletons: Literal["ask", "keep", "drop"] = Field(
        default="ask",
        description="What becomes of a row that is alone in its cluster. ask: the judge is asked "
        "whether anything in it is made up or wrong; keep, drop: without asking.",
    )
    ties: Literal["draw", "drop"] = Field(
        default="draw",
        description="What becomes of a cluster whose rankings leave open which row is best. draw: "
        "one of these rows is drawn; drop: none is kept.",
    )
    refusals: Literal["drop", "draw"] = Field(
        default="drop",
        description="What becomes of a cluster that the judge does not rank in the form asked "
        "for. drop: nothing is kept; draw: a row is drawn. Either way it counts as unranked.",
    )


class SampleScoresParams(Params):
    """Scores of single rows."""

    at_least: float | None = Field(
        default=4.5,
        ge=0,
        le=5,
        description="Lowest score, of 0 to 5, that is kept; empty: any.",
    )
    target: int | None = Field(
        default=None,
        ge=1,
        le=_MOST,
        description="Most rows that are kept, the best first, equal ones drawn; empty: all that "
        "reach the score.",
    )
