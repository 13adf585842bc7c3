"""Parameters of query strategies."""

from typing import Literal

from pydantic import Field

from models.params import Params


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
        description="After answers without any OOD: rank by informativeness only (thesis), or keep "
        "the balance learned before.",
    )
