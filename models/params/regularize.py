"""Parameters of the job that compares regularizers."""

from typing import Any, Literal

from pydantic import Field

from models.params import Params
from models.params.networks import NetworkParams


class TaufeChoice(Params):
    """What is compared, and by which OOD images."""

    taufe: float = Field(
        default=0.1,
        gt=0,
        le=1000,
        description="Weight of TAUFE; 0.1 suits 32 px, 0.01 from 64 px on.",
    )
    oat: float = Field(default=1.0, gt=0, le=1000, description="Weight of OAT.")
    ood_from: Literal["verdicts", "auxiliary_ood", "both"] = Field(
        default="both",
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


class TaufeParams(NetworkParams, TaufeChoice):
    """One network trained three times with the same budget: as it is, with OAT, with TAUFE."""

    steps: int = Field(
        default=20_000,
        ge=1,
        le=10_000_000,
        description="Iterations of each of the three trainings; 400 suits cnn_tiny.",
    )
    batch_size: int = Field(default=64, ge=2, le=8192, description="Examples per iteration.")
    learning_rate: float = Field(
        default=0.1,
        gt=0,
        le=10,
        description="Falls to a tenth at 50 % and again at 75 %; 0.05 suits cnn_tiny.",
    )
    augment: bool = Field(
        default=True, description="Shift images at random by up to an eighth of their side."
    )

    def model_params(self, method: str) -> dict[str, Any]:
        """Return the parameters of the catalog's model `network` for one of `METHODS`."""
        params = self.network_params(
            **self.model_dump(include={"steps", "learning_rate", "augment", "ood_from"})
        )
        return params | {name: getattr(self, name) for name in ("oat", "taufe") if name == method}
