"""Parameters of the job that compares regularizers by where they find things."""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params
from models.catalog.params.job_networks import SmallNetworkParams, taufe_weight
from models.catalog.params.networks import TrainingParams

METHODS: Final = ("standard", "oat", "taufe")
THRESHOLD: Final = 0.2
"""Of a map, the share of its largest value: that of Zhou et al., section 3.1."""
NO_SOFTMAX: Final = (
    "OAT makes the class probabilities of OOD images uniform, and a network that regresses boxes "
    "has none"
)


class LocalizeChoice(Params):
    """What is learned, and what it is judged by."""

    localize: Literal["cam", "regression"] = Field(
        default="cam",
        description="cam: train a classifier on classes alone and read the box off its class "
        "activation map; regression: learn the box itself, which OAT cannot.",
    )
    loss: Literal["l1", "l1_iou", "d_iou"] = Field(
        default="l1",
        description="Of regression: smooth L1 of the corners; with 1 - IoU; with the distance of "
        "the centres as well.",
    )
    iou_weight: float = Field(
        default=0.4,
        ge=0,
        le=1000,
        title="IoU weight",
        description="Weight of 1 - IoU in l1_iou and d_iou.",
    )
    distance_weight: float = Field(
        default=0.4, ge=0, le=1000, description="Weight of the distance of the centres in d_iou."
    )
    map: Literal["class", "sum"] = Field(
        default="class",
        description="Of cam: weigh the channels as the true class does, or add them all up.",
    )
    threshold: float = Field(
        default=THRESHOLD,
        gt=0,
        lt=1,
        description="Of cam: what counts as the thing, as a share of the map's largest value.",
    )
    overlap: float = Field(
        default=0.5, gt=0, lt=1, description="The least IoU with the true box at which it is found."
    )


class LocalizeParams(SmallNetworkParams, LocalizeChoice):
    """One network trained with the same budget as it is, with OAT, and with TAUFE."""

    taufe: float | None = Field(
        default=None,
        gt=0,
        le=1000,
        description="Weight of TAUFE; empty: 0.1, from 64 px on 0.01.",
    )
    penalty: Literal["pooled", "map"] = Field(
        default="pooled",
        description="Of cam: whether TAUFE pulls down the features that the classes are told from, "
        "or each place of the map. In regression the map is what the box is told from.",
    )
    oat: float | None = Field(
        default=None,
        gt=0,
        le=1000,
        description="Of cam: weight of OAT; empty: 1. Regression has none.",
    )
    ood_from: Literal["verdicts", "auxiliary_ood", "both"] = Field(
        default="both",
        title="Images of none, from",
        description="Which OOD images to learn from: those that annotators called OOD, those "
        "imported into the split auxiliary_ood, or both.",
    )
    held_out: float = Field(
        default=0.2,
        gt=0,
        lt=1,
        description="Without an evaluation split: share of the labeled images that is kept to "
        "judge by and never learned from.",
    )
    steps: int = Field(
        default=20_000,
        ge=1,
        le=10_000_000,
        description="Iterations of each training; 1,000 suits cnn_tiny.",
    )
    learning_rate: float | None = Field(
        default=None,
        gt=0,
        le=10,
        description="Falls to a tenth at 50 % and again at 75 %. Empty: 0.1, for cnn_tiny 0.05; "
        "where boxes are regressed 0.02, as the whole map is more than its mean.",
    )
    augment: bool = Field(
        default=True, description="Shift images at random by up to an eighth of their side."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """What is compared."""
        return ("standard", "taufe") if self.localize == "regression" else METHODS

    @property
    def rate(self) -> float:
        """The learning rate to begin with."""
        if self.learning_rate is not None:
            return self.learning_rate
        return 0.02 if self.localize == "regression" else self.usual_rate

    def ood_weights(self, side: int) -> dict[str, float]:
        """Return, for each method that has any, the weight of what OOD images add to its loss.

        Args:
            side: of the images of the pool, in pixels.
        """
        taufe = {"taufe": taufe_weight(self.taufe, side)}
        if self.localize == "regression":
            return taufe
        return {"oat": 1.0 if self.oat is None else self.oat, **taufe}

    def training_params(self) -> TrainingParams:
        """Return what the training loop reads of it."""
        names = {"steps", "batch_size", "augment", "flip", "precision"}
        return TrainingParams(**self.model_dump(include=names), learning_rate=self.rate)

    @model_validator(mode="after")
    def _oat_needs_classes(self) -> Self:
        if self.localize == "regression" and self.oat is not None:
            raise ValueError(f"{NO_SOFTMAX}; leave oat empty, or set localize = cam")
        return self
