"""Parameters of query strategies."""

from typing import Literal

from pydantic import Field

from models.catalog.params import Params


class MQNetParams(Params):
    """MQ-Net and its meta-training (thesis, sections 4.3 and 4.4)."""

    epochs: int = Field(default=100, ge=1, le=10_000, description="Passes over the last answers.")
    batch_pairs: int = Field(default=64, ge=1, le=4096, description="Pairs in a batch.")
    learning_rate: float = Field(
        default=0.01, gt=0, le=10, description="Falls to a tenth at 50 % of the epochs."
    )
    momentum: float = Field(default=0.0, ge=0, lt=1, description="Momentum of SGD.")
    weight_decay: float = Field(default=5e-4, ge=0, le=1, description="Weight decay of SGD.")
    margin: float = Field(
        default=0.1, ge=0, lt=1, description="By how much a better example has to score higher."
    )
    warm_start: bool = Field(
        default=True, description="Go on from the last round's weights; off: start afresh."
    )
    all_pairs: bool = Field(
        default=False, description="Train on every pair of answers instead of sampled ones."
    )
    without_ood: Literal["informativeness", "keep"] = Field(
        default="informativeness",
        description="Without a prior, after answers without any OOD: rank by informativeness only, "
        "or keep the balance learned before.",
    )
    prior: float = Field(
        default=500.0,
        ge=0,
        le=1e6,
        description="As how many answers expected value weighs, which the network starts as and is "
        "held to; 0 = it learns from the answers alone.",
    )
    balance: float = Field(
        default=1.0,
        ge=0,
        le=10,
        description="How strongly classes with few labels for their share of the pool are "
        "preferred; 0 = not at all.",
    )
    skyline: bool = Field(
        default=True,
        description="Keep weights non-negative, so that an example that is better in both inputs "
        "never ranks lower; off: an ordinary network.",
    )
    validation: Literal["self", "random"] = Field(
        default="self",
        description="Learn from all answers to the last queries, or only from those to a "
        "fixed random share of the pool that is asked for in random order.",
    )
    validation_share: float = Field(
        default=0.1,
        gt=0,
        lt=1,
        description="With random validation: share of the pool, and of the queries, set aside.",
    )
    validation_seed: int = Field(
        default=0,
        ge=0,
        lt=2**31,
        description="Decides which share; the same in every round.",
    )


class NeatParams(Params):
    """Neighbours among the verdicts."""

    neighbours: int = Field(
        default=10, ge=1, le=1000, description="Nearest verdicts that are looked at."
    )
    width: float = Field(
        default=2.0,
        ge=1,
        le=1000,
        description="How many times the queue the purest are from which the most inconsistent are "
        "taken.",
    )


class EaoaParams(Params):
    """Energies and the share of in-distribution answers that is aimed at."""

    target_in_share: float = Field(
        default=0.6,
        gt=0,
        lt=1,
        description="Share of in-distribution answers to aim at; higher = fewer wasted labels, "
        "less informative ones.",
    )
    tolerance: float = Field(
        default=0.05, ge=0, lt=1, description="How far from the target nothing changes."
    )
    start_width: float = Field(
        default=5.0,
        ge=1,
        le=1000,
        description="How many times the queue the purest are from which the most ambiguous are "
        "taken, at first.",
    )
    step: float = Field(
        default=1.0, gt=0, le=100, description="By how much the width changes in a round."
    )
    reverse_neighbours: int = Field(
        default=250,
        ge=1,
        le=100_000,
        description="Candidates nearest to a labeled example that it votes for.",
    )
    l2: float = Field(
        default=1.0,
        gt=0,
        le=1e6,
        description="Strength of the L2 penalty of the OOD detector, where the model has none.",
    )


class ExpectedValueParams(Params):
    """What an answer is expected to teach and to cost."""

    sharpness: float = Field(
        default=0.5,
        ge=0,
        le=100,
        description="Exponent of the probability of being in-distribution; higher = purer queries, "
        "0 = purity counts for the cost only.",
    )
    floor: float = Field(
        default=0.5,
        ge=0,
        le=100,
        description="What an example teaches at least, as a share of what examples teach on "
        "average; higher = purer queries where the classes are told apart well.",
    )
    balance: float = Field(
        default=1.0,
        ge=0,
        le=10,
        description="How strongly classes with few labels for their share of the pool are "
        "preferred; 0 = not at all.",
    )
