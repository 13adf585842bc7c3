"""Parameters of the query strategies that look at embeddings."""

from typing import Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params


class CoresetParams(Params):
    """Farthest-first traversal."""

    covered_by: Literal["verdicts", "in"] = Field(
        default="verdicts",
        description="What covers the pool already: all verdicts, or the labeled in-distribution "
        "examples only.",
    )


class SimilarParams(Params):
    """Conditional mutual information with the labeled examples, given the OOD ones."""

    function: Literal["flcmi", "logdetcmi"] = Field(
        default="flcmi",
        description="flcmi: facility location, covers the pool; logdetcmi: log-determinant, picks "
        "that differ from each other.",
    )
    eta: float = Field(
        default=1.0,
        ge=0,
        le=1000,
        description="Weight of being similar to labeled in-distribution examples; logdetcmi takes "
        "at most 1.",
    )
    nu: float = Field(
        default=1.0,
        ge=0,
        le=1000,
        description="Weight of being different from labeled OOD examples; logdetcmi takes at "
        "most 1.",
    )
    diagonal: float = Field(
        default=1.0,
        gt=0,
        le=1000,
        description="logdetcmi: added to the diagonal; higher = less weight on differences.",
    )
    representatives: int = Field(
        default=5_000,
        ge=1,
        le=10_000_000,
        description="flcmi: of a larger pool a random sample of so many is what is to be covered.",
    )

    @model_validator(mode="after")
    def _covariance(self) -> Self:
        if self.function == "logdetcmi" and max(self.eta, self.nu) > 1:
            raise ValueError("logdetcmi takes eta and nu up to 1: beyond, a determinant is none")
        return self


class UHerdingParams(Params):
    """Uncertainty coverage."""

    radius: float | None = Field(
        default=None,
        ge=0.001,
        le=2,
        description="Of the kernel, between embeddings of length 1; empty: the smallest distance "
        "between two verdicts.",
    )
    calibrate: bool = Field(
        default=True,
        description="Take probabilities of a refitted last layer, at a temperature that is fitted "
        "to labeled examples that it has not seen; off: those of the model.",
    )
    representatives: int = Field(
        default=5_000,
        ge=1,
        le=10_000_000,
        description="Of a larger pool a random sample of so many is what is to be covered.",
    )


class CcalParams(Params):
    """Semantic and distinctive scores."""

    steepness: float = Field(
        default=100.0,
        ge=0,
        le=10_000,
        description="How sharply the semantic score tells similar from dissimilar.",
    )
    threshold: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="Similarity, scaled to 0..1 over the pool, where the semantic score is 0.",
    )


class TypiClustParams(Params):
    """Typical examples of clusters."""

    neighbours: int = Field(
        default=5, ge=1, le=1000, description="Neighbours whose distance says how typical one is."
    )
    most: int = Field(
        default=20_000,
        ge=1,
        le=10_000_000,
        description="Candidates that are looked at; of a larger pool a random sample of so many.",
    )


class ProbCoverParams(Params):
    """Balls around picks."""

    alpha: float = Field(
        default=0.95,
        gt=0,
        lt=1,
        description="Share of balls that have to hold one cluster only; decides the radius.",
    )
    most: int = Field(
        default=5_000,
        ge=1,
        le=100_000,
        description="Candidates that are looked at; of a larger pool a random sample of so many. "
        "Memory grows with the square.",
    )


class DropQueryParams(Params):
    """Disagreement under dropout, then clusters."""

    rate: float = Field(default=0.75, gt=0, lt=1, description="Share of features set to zero.")
    samples: int = Field(default=3, ge=3, le=1000, description="Predictions with dropout.")
    most: int = Field(
        default=50_000,
        ge=1,
        le=10_000_000,
        description="Candidates that are looked at; of a larger pool a random sample of so many.",
    )
