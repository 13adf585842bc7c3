"""Parameters of the job that compares regularizers."""

from typing import Any, Final, Literal

from pydantic import Field

from models.catalog.params import Params
from models.catalog.params.job_networks import TRAINED_MODE, NetworkParams, taufe_weight

METHODS: Final = ("standard", "oat", "taufe")


class TaufeChoice(Params):
    """What is compared, and by which OOD images."""

    training: Literal["supervised", "mixmatch", "adversarial"] = Field(
        default="supervised",
        description="supervised: learn from the labels alone; mixmatch: from unlabeled images too; "
        "adversarial: from images that are moved to where the network errs, so that it errs less. "
        "Where it is not supervised, a fourth network that is shows what that is worth.",
    )
    taufe: float | None = Field(
        default=None,
        gt=0,
        le=1000,
        description="Weight of TAUFE; empty: 0.1, from 64 px on 0.01.",
    )
    oat: float = Field(default=1.0, gt=0, le=1000, description="Weight of OAT.")
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
        description="Share of the OOD images, and without an evaluation split of the labeled "
        "images too, that is kept to judge by and never learned from.",
    )


class MixMatchParams(Params):
    """How unlabeled images are learned from (thesis, section 3.5)."""

    temperature: float = Field(
        default=0.5,
        gt=0,
        le=10,
        description="Of mixmatch: sharpens what the network guesses of unlabeled images; 1 leaves "
        "it as it is.",
    )
    augmentations: int = Field(
        default=2,
        ge=1,
        le=16,
        description="Of mixmatch: views of each unlabeled image whose predictions are averaged.",
    )
    alpha: float = Field(
        default=0.75,
        gt=0,
        le=100,
        description="Of mixmatch: both parameters of the Beta distribution by which images are "
        "mixed.",
    )
    lambda_u: float = Field(
        default=100.0, ge=0, le=10_000, description="Of mixmatch: weight of the unlabeled images."
    )
    ramp_steps: int = Field(
        default=16_000,
        ge=0,
        le=10_000_000,
        description="Of mixmatch: iterations in which lambda_u rises from zero; where it rises "
        "faster than guesses get better, wrong ones drown the labels.",
    )
    least_purity: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Of mixmatch: unlabeled images are left out that are in-distribution with less "
        "than this probability, by the answers so far; 0 leaves none out.",
    )


class AttackParams(Params):
    """How images are moved in adversarial training, and to judge it (thesis, section 3.5)."""

    epsilon: float = Field(
        default=8.0,
        gt=0,
        le=255,
        description="Of adversarial: how far each pixel may be moved, of 255.",
    )
    attack_step: float = Field(
        default=2.0, gt=0, le=255, description="Of adversarial: how far one step moves it, of 255."
    )
    attack_steps: int = Field(
        default=7, ge=1, le=1000, description="Of adversarial: steps of the attack in training."
    )
    judging_steps: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="Of adversarial: steps of the attack that judges.",
    )
    judging_images: int = Field(
        default=1000,
        ge=1,
        le=10_000_000,
        description="Of adversarial: how many images, at most, are attacked to judge; the thesis "
        "attacks all.",
    )
    attack_ood: bool = Field(
        default=False,
        description="Of adversarial: move the OOD images too, to where they excite the network.",
    )


class TaufeParams(NetworkParams, AttackParams, MixMatchParams, TaufeChoice):
    """One network trained several times with the same budget: as it is, with OAT, with TAUFE."""

    mode: Literal["finetune", "scratch"] = Field(default="finetune", description=TRAINED_MODE)
    steps: int = Field(
        default=20_000,
        ge=1,
        le=10_000_000,
        description="Iterations of each training; 400 suits cnn_tiny.",
    )
    batch_size: int = Field(default=64, ge=2, le=8192, description="Examples per iteration.")
    learning_rate: float | None = Field(
        default=None,
        gt=0,
        le=10,
        description="Falls to a tenth at 50 % and again at 75 %. Empty: 0.1, for cnn_tiny 0.05, "
        "where weights are fine-tuned 0.01.",
    )
    augment: bool = Field(
        default=True, description="Shift images at random by up to an eighth of their side."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """Return what is compared: `METHODS`, after plain learning from labels if they are not."""
        return METHODS if self.training == "supervised" else ("supervised", *METHODS)

    @property
    def chooses_unlabeled(self) -> bool:
        """Whether unlabeled images are learned from, but for those that are probably OOD."""
        return self.training == "mixmatch" and self.least_purity > 0

    def model_params(self, method: str, side: int) -> dict[str, Any]:
        """Return the parameters of the catalog's model `network`.

        Args:
            method: one of `methods`.
            side: of the images of the pool, in pixels.
        """
        rate = self.usual_rate if self.learning_rate is None else self.learning_rate
        params = self.network_params(
            learning_rate=rate, **self.model_dump(include={"steps", "augment", "ood_from"})
        )
        weights = self.ood_weights(side)
        return params | {name: weight for name, weight in weights.items() if name == method}

    def ood_weights(self, side: int) -> dict[str, float]:
        """Return, for each method that has any, the weight of what OOD images add to its loss.

        Args:
            side: of the images of the pool, in pixels.
        """
        return {"oat": self.oat, "taufe": taufe_weight(self.taufe, side)}
