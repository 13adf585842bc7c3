"""Parameters of the pruning methods."""

from typing import Literal

from pydantic import Field

from models.catalog.params import Params


class Prune4RelParams(Params):
    """Neighbourhood confidence."""

    confidence: Literal["max_prob", "diff_prob"] = Field(
        default="max_prob",
        description="max_prob: the largest softmax probability; diff_prob: how far it is above the "
        "second largest.",
    )
    similarity: Literal["shifted", "cosine"] = Field(
        default="shifted",
        description="shifted: (1 + cosine) / 2, as in the published runs; cosine: as the thesis "
        "words it. Both the threshold and the weights mean this number.",
    )
    tau: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Least similarity of neighbours. Published: 0.975 for CIFAR-10N, 0.95 for "
        "CIFAR-100N, WebVision and ImageNet-N, 0.8 for Clothing-1M, all shifted. Empty: chosen so "
        "that half of all examples have at least 2 N / n neighbours.",
    )
    most_neighbours: int | None = Field(
        default=None,
        ge=1,
        le=10_000_000,
        description="Of more neighbours only the most similar ones count; empty: all count.",
    )


class ForgettingParams(Params):
    """Examples that were forgotten."""

    never_learned: Literal["zero", "most"] = Field(
        default="zero",
        description="What an example counts that was never right. zero: nothing, as published in "
        "the thesis's runs, so that wrong labels, which are rarely learned, come last; most: more "
        "than any other, as the method's authors have it for clean labels.",
    )
    per_class: bool = Field(
        default=True,
        description="Whether each label gives the same share of its examples, as in the thesis's "
        "runs.",
    )


class DualParams(Params):
    """Difficulty and uncertainty."""

    window: int = Field(
        default=5,
        ge=2,
        le=1000,
        description="Epochs over which the probability of the label is averaged and its spread "
        "taken; at most all. Published: 10, of 30 epochs.",
    )
    sampled: bool = Field(
        default=True,
        description="Whether examples are drawn, easier ones the fewer are kept, as published; "
        "off: those with the highest scores are kept, which suits clean labels of which much is "
        "kept.",
    )
    curvature: float = Field(
        default=5.5,
        gt=0,
        le=100,
        description="How soon drawing turns to easier examples: the lower, the later. The authors' "
        "code takes 4 for CIFAR-100.",
    )


class CcsParams(Params):
    """Coverage-centric selection."""

    cutoff: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Share of the hardest examples that is dropped beforehand; empty: those whose "
        "label is on average not what the warm-up says. Published, for clean labels: 0.1 where a "
        "fifth is kept.",
    )
    strata: int = Field(
        default=50, ge=1, le=10_000, description="Ranges of difficulty with an equal share each."
    )


class SspParams(Params):
    """Self-supervised prototypes."""

    prototypes: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="Clusters whose centers are the prototypes; empty: as many as classes.",
    )
    prefer: Literal["near", "far"] = Field(
        default="near",
        description="near: typical examples first, as in the thesis; far: unusual ones first, "
        "which suits large clean sets.",
    )
