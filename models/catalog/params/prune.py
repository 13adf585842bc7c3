"""Parameters of the job that prunes labels."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params
from models.catalog.params.job_networks import MODE
from models.catalog.params.pruning import (
    CcsParams,
    DualParams,
    ForgettingParams,
    Prune4RelParams,
    SspParams,
)
from models.catalog.params.warm_up import WarmUpParams
from models.errors import ModelError

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
    "dual",
    "ccs",
]


_OWN: Final[Mapping[str, type[Params]]] = {
    "ssp": SspParams,
    "forgetting": ForgettingParams,
    "dual": DualParams,
    "ccs": CcsParams,
}


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


class PruneParams(
    DualParams, CcsParams, ForgettingParams, SspParams, Prune4RelParams, WarmUpParams, PruneChoice
):
    """Which labeled images to keep, after a warm-up on all of them."""

    network: Literal[
        "auto",
        "efficientnet_lite0",
        "efficientnet_lite1",
        "efficientnet_lite2",
        "patch_kmeans",
        "torchvision",
        "timm",
        "resnet18_small",
        "preact_resnet18",
        "cnn_tiny",
        "auto_text",
        "minilm",
        "hashed_ngrams",
    ] = Field(  # type: ignore[assignment]
        default="auto",
        description="Frozen features, on which heads are warmed up in minutes: auto chooses "
        "between efficientnet_lite0 and patch_kmeans, and auto_text of texts between minilm and "
        "hashed_ngrams. Or a network to train: preact_resnet18, as published, and resnet18_small "
        "for images up to 64 px, on a GPU; cnn_tiny on a CPU; in mode finetune efficientnet_lite0 "
        "to efficientnet_lite2, torchvision and timm.",
    )
    mode: Literal["frozen", "finetune", "scratch"] = Field(default="frozen", description=MODE)

    @model_validator(mode="after")
    def _epochs_to_forget_in(self) -> Self:
        if self.method in ("forgetting", "dual") and self.epochs < 2:
            raise ValueError(f"{self.method} takes two epochs to see; raise epochs to 2 or more")
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
        kind = Prune4RelParams if self.method.startswith("prune4rel") else _OWN.get(self.method)
        return {} if kind is None else self.model_dump(include=set(kind.model_fields))
