"""Parameters of the job that prunes labels."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from models.errors import ModelError
from models.params import Params
from models.params.networks import FROZEN
from models.params.pruning import ForgettingParams, Prune4RelParams, SspParams
from models.params.warm_up import WarmUpParams

PruningMethod = Literal[
    "prune4rel_balanced",
    "prune4rel",
    "prune4rel_greedy",
    "uniform",
    "small_loss",
    "margin",
    "k_center",
    "forgetting",
    "grand",
    "ssp",
    "moderate",
]


class PruneChoice(Params):
    """By which method, and how many."""

    method: PruningMethod = Field(
        default="prune4rel_balanced", description="How to choose what is kept."
    )
    ratio: float | None = Field(
        default=0.5, gt=0, le=1, description="Share of the labeled images to keep."
    )
    count: int | None = Field(
        default=None, ge=1, description="How many to keep, instead of a share: leave ratio empty."
    )

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if (self.ratio is None) == (self.count is None):
            raise ValueError("give ratio or count, and leave the other empty")
        return self


class PruneParams(ForgettingParams, SspParams, Prune4RelParams, WarmUpParams, PruneChoice):
    """Which labeled images to keep, after a warm-up on all of them."""

    network: Literal[
        "resnet18_small",
        "preact_resnet18",
        "cnn_tiny",
        "minilm",
        "hashed_ngrams",
    ] = Field(  # type: ignore[assignment]
        default="resnet18_small",
        description="resnet18_small and preact_resnet18 for images up to 64 px, on a GPU; cnn_tiny "
        "on a CPU. Of texts minilm or hashed_ngrams, on whose features heads are warmed up.",
    )

    @property
    def frozen(self) -> bool:
        """Whether heads on frozen features are warmed up, and no network."""
        return self.network in FROZEN

    @model_validator(mode="after")
    def _epochs_to_forget_in(self) -> Self:
        if self.method == "forgetting" and self.epochs < 2:
            raise ValueError("forgetting takes two epochs to see; raise epochs to 2 or more")
        return self

    def keep_of(self, labeled: int) -> int:
        """Return how many of so many labeled images are kept.

        Raises:
            ModelError: the ratio is so small that none would be kept, or the count exceeds all.
        """
        if self.count is not None:
            if self.count > labeled:
                raise ModelError(
                    f"count {self.count} exceeds the {labeled} labeled images; give {labeled} or "
                    "less, or label more images."
                )
            return self.count
        assert self.ratio is not None
        kept = min(labeled, round(self.ratio * labeled))
        if kept == 0:
            raise ModelError(
                f"ratio {self.ratio:g} keeps none of {labeled} labeled images; raise it to "
                f"{1 / labeled:.2g} or more, or give a count."
            )
        return kept

    def method_params(self) -> dict[str, Any]:
        """Return the parameters of the catalog's pruning method `method`."""
        if self.method.startswith("prune4rel"):
            return self.model_dump(include=set(Prune4RelParams.model_fields))
        if self.method == "ssp":
            return self.model_dump(include=set(SspParams.model_fields))
        if self.method == "forgetting":
            return self.model_dump(include=set(ForgettingParams.model_fields))
        return {}
