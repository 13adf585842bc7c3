"""Parameters of the job that chooses instructions worth tuning on."""

from math import ceil
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field, model_validator

from models.params import Params

SelectionMethod = Literal[
    "fp_instruction",
    "sample_scores",
    "k_means_random",
    "max_cover",
    "longest",
    "random",
]
JUDGED: Final = frozenset({"fp_instruction", "sample_scores"})
"""Methods that ask a judge."""
CLUSTERED: Final = frozenset({"fp_instruction", "sample_scores", "k_means_random"})
"""Methods of which clusters can be looked at."""


class SelectInstructionsParams(Params):
    """Which rows to keep, by which method, and whom to ask."""

    method: SelectionMethod = Field(
        default="fp_instruction",
        description="fp_instruction: put alike rows together, let a judge rank them, keep the best "
        "of each; sample_scores: let it score row by row; the others ask no judge.",
    )
    judge_id: int | None = Field(
        default=None,
        ge=1,
        title="Judge",
        description="Number of the judge that fp_instruction and sample_scores ask; empty: the "
        "only one that there is.",
    )
    features: Literal["minilm", "hashed_ngrams", "judge"] = Field(
        default="minilm",
        description="What rows are alike by: minilm for English, hashed_ngrams for other "
        "languages, or the embeddings of the judge's server.",
    )
    largest: int = Field(
        default=10, ge=2, le=10, description="Rows of a cluster at most, and of a question."
    )
    clusters: int | None = Field(
        default=None,
        ge=1,
        description="How many clusters to make; empty: target.",
    )
    target: int | None = Field(
        default=None,
        ge=1,
        description="How many rows to keep; of fp_instruction at most, one of each cluster. Empty: a "
        "fifth of them.",
    )
    permutations: int = Field(
        default=1,
        ge=1,
        le=20,
        description="How often a cluster is ranked, each time in another order; 3 or more tell how "
        "sure the judge is.",
    )
    singletons: Literal["ask", "keep", "drop"] = Field(
        default="ask",
        description="What becomes of a row that is alone: ask whether it says something wrong, "
        "keep it, or drop it.",
    )
    at_least: float | None = Field(
        default=4.5,
        ge=0,
        le=5,
        description="Of sample_scores: the least score to keep; empty: the best target.",
    )
    spend_at_most: float | None = Field(
        default=None,
        ge=0,
        description="By the prices of the judge; the job stops there, and a retry goes on for as "
        "much again. Empty: no limit.",
    )
    people_most: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="How many clusters people are asked to rank where the judge is undecided.",
    )
    audit_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Share of the ranked clusters, drawn by chance, that people rank as well, to "
        "tell how often the judge is right. Asked only with people_most.",
    )

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if self.clusters is not None and self.target is not None and self.method in CLUSTERED:
            raise ValueError("give clusters or target, and leave the other empty")
        return self

    @property
    def judged(self) -> bool:
        """Whether a judge is asked."""
        return self.method in JUDGED

    @property
    def clustered(self) -> bool:
        """Whether rows are put together."""
        return self.method in CLUSTERED

    @property
    def embedded(self) -> bool:
        """Whether rows are embedded."""
        return self.clustered or self.method == "max_cover"

    def size_of(self, rows: int) -> int:
        """Return how many of so many rows are kept by a method that keeps a given number."""
        return min(rows, self.target or max(1, round(rows / 5)))

    def clusters_of(self, rows: int) -> int:
        """Return how many clusters are made of so many rows: no fewer than hold them."""
        wanted = min(rows, self.clusters or self.size_of(rows))
        return max(wanted, ceil(rows / self.largest))

    def method_params(self, schema: type[BaseModel]) -> dict[str, Any]:
        """Return what the schema of the method has of it."""
        return self.model_dump(include=set(schema.model_fields) & set(type(self).model_fields))
