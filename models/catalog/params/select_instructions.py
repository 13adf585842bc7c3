"""Parameters of the job that chooses instructions worth tuning on."""

from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from models.catalog.params import Params
from models.catalog.params.instructions import FpInstructionParams

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
CLUSTERED: Final = frozenset({"fp_instruction", "k_means_random"})
"""Methods that put alike rows together."""


class SelectionChoice(Params):
    """By which method, and whom to ask."""

    method: SelectionMethod = Field(
        default="fp_instruction",
        description="fp_instruction: put alike rows together, let a judge rank them, keep the best "
        "of each; sample_scores: let it score row by row; the others ask no judge.",
    )
    judge_id: int | None = Field(
        default=None,
        ge=1,
        lt=2**63,
        title="Judge",
        description="Number of the judge that fp_instruction and sample_scores ask; empty: the "
        "only one that there is.",
    )
    features: Literal["minilm", "hashed_ngrams", "judge"] = Field(
        default="minilm",
        description="What rows are alike by: minilm for English, hashed_ngrams for other "
        "languages, judge: embeddings of the judge's server, which count as prompts do.",
    )


class AskingParams(Params):
    """What asking may cost, and what people are asked."""

    spend_at_most: float | None = Field(
        default=None,
        ge=0,
        le=1e9,
        description="By the prices of the judge. The job is paused there, and goes on when it may "
        "spend more. Empty: no limit.",
    )
    people_most: int = Field(
        default=0,
        ge=0,
        le=100_000,
        title="Clusters for people",
        description="Of fp_instruction: how many clusters people are asked to rank, at most, where "
        "the judge is undecided; 0: nobody is asked.",
    )
    audit_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Share of the ranked clusters, drawn by chance, that people then rank as well, "
        "which tells how often the judge is right.",
    )


class SelectInstructionsParams(AskingParams, FpInstructionParams, SelectionChoice):
    """Which rows to keep. Parameters of other methods than the chosen one say nothing."""

    target: int | None = Field(
        default=None,
        ge=1,
        le=10_000_000,
        description="How many rows are wanted. Where rows are put together, as many clusters are "
        "made, of which each keeps one at most. Empty: one in ten, of sample_scores all that reach "
        "at_least.",
    )
    at_least: float | None = Field(
        default=4.5,
        ge=0,
        le=5,
        description="Of sample_scores: lowest score, of 0 to 5, that is kept; empty: any.",
    )

    @property
    def judged(self) -> bool:
        """Whether a judge is asked."""
        return self.method in JUDGED

    @property
    def clustered(self) -> bool:
        """Whether alike rows are put together."""
        return self.method in CLUSTERED

    @property
    def embedded(self) -> bool:
        """Whether rows are embedded."""
        return self.clustered or self.method == "max_cover"

    @property
    def embedded_by_judge(self) -> bool:
        """Whether it is the judge's server that embeds them."""
        return self.embedded and self.features == "judge"

    @property
    def asks_people(self) -> bool:
        """Whether people are to rank what the judge leaves open."""
        return self.people_most > 0 and self.method == "fp_instruction"

    def method_params(self, schema: type[BaseModel]) -> dict[str, Any]:
        """Return the parameters that the catalog's schema of the method has."""
        return self.model_dump(include=set(schema.model_fields))
