"""Parameters of the networks that jobs learn with."""

from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params
from models.catalog.params.networks import LEAST_INPUT, AugmentationParams

ALWAYS_FROZEN: Final = ("auto", "patch_kmeans", "auto_text", "minilm", "hashed_ngrams")
"""Models of the catalog whose features are computed once; learners are heads on them."""

PACKAGED: Final = ("efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2")
"""Networks whose weights come with Karat: frozen like those, or trained on."""

LIBRARIES: Final = ("torchvision", "timm")
"""Models of the catalog that stand for any network of a library, from scratch or from weights."""

TrainedNetwork = Literal[
    "resnet18_small",
    "preact_resnet18",
    "cnn_tiny",
    "efficientnet_lite0",
    "efficientnet_lite1",
    "efficientnet_lite2",
    "torchvision",
    "timm",
]
"""Models of the catalog that jobs can train."""

TRAINED_MODE: Final = (
    "Of efficientnet_lite0 to efficientnet_lite2, torchvision and timm. finetune: train on from "
    "their weights; scratch: from a random start, torchvision and timm alone."
)
MODE: Final = (
    "Of efficientnet_lite0 to efficientnet_lite2, torchvision and timm. frozen: heads on their "
    "features, which are computed once; finetune: train on from their weights, on a GPU or with "
    "few images; scratch: from a random start, torchvision and timm alone."
)


def taufe_weight(given: float | None, side: int) -> float:
    """Return the weight of TAUFE: what is given, or what suits images of a side in pixels.

    Source: thesis, section 3.4, whose data sets are of 32, 64 and 224 px.
    """
    if given is not None:
        return given
    return 0.1 if side < 64 else 0.01


class NetworkChoice(Params):
    """Which network, and how much of it at once."""

    network: Literal["resnet18_small", "preact_resnet18", "cnn_tiny"] = Field(
        default="resnet18_small",
        description="resnet18_small and preact_resnet18 for images up to 64 px, on a GPU; cnn_tiny "
        "on a CPU.",
    )
    width: int = Field(
        default=32, ge=4, le=256, description="Channels of the first layer of cnn_tiny."
    )
    batch_size: int = Field(default=128, ge=2, le=8192, description="Examples per iteration.")

    @property
    def usual_rate(self) -> float:
        """The learning rate that suits the network, of a training by steps."""
        return 0.05 if self.network == "cnn_tiny" else 0.1


class PublishedChoice(Params):
    """Which network of others, and what of it is trained."""

    mode: Literal["frozen", "finetune", "scratch"] = Field(default="finetune", description=MODE)
    tuned: Literal["last", "all"] = Field(
        default="last",
        description="What mode finetune trains of efficientnet_lite0 to efficientnet_lite2: the "
        "last two of seven stages, or all.",
    )
    architecture: str = Field(
        default="resnet18",
        min_length=1,
        max_length=120,
        description="Name of the network in torchvision or timm.",
    )
    pretrained: bool = Field(
        default=True,
        description="Of torchvision and timm: start from published weights (downloaded once); "
        "ignored in mode scratch.",
    )
    weights: str = Field(
        default="",
        max_length=1000,
        description="Of torchvision and timm: start from the weights of this name, which an admin "
        "has uploaded for the architecture; empty: the published ones.",
        json_schema_extra={"format": "weights"},
    )
    input_size: int | None = Field(
        default=None,
        ge=8,
        le=1024,
        description="Scale images to this side first; empty: what the architecture demands, or "
        "the uploaded weights say, and at least 128 for efficientnet_lite0 to efficientnet_lite2.",
    )


class NetworkParams(AugmentationParams, PublishedChoice, NetworkChoice):
    """Any network of images that a job learns with for its own ends."""

    network: TrainedNetwork = Field(  # type: ignore[assignment]
        default="resnet18_small",
        description="resnet18_small and preact_resnet18 for images up to 64 px, on a GPU; cnn_tiny "
        "on a CPU; efficientnet_lite0 to efficientnet_lite2, torchvision and timm for photographs, "
        "fine-tuned.",
    )

    @property
    def frozen(self) -> bool:
        """Whether learners are heads on features that are computed once, and no network."""
        return self.network in ALWAYS_FROZEN or self._is_published_in("frozen")

    @property
    def usual_rate(self) -> float:
        """The learning rate that suits the network, of a training by steps."""
        return 0.01 if self._is_published_in("finetune") else super().usual_rate

    def _is_published_in(self, mode: str) -> bool:
        return self.network in (*PACKAGED, *LIBRARIES) and self.mode == mode

    def network_params(self, **training: Any) -> dict[str, Any]:
        """Return the parameters of the catalog's model `network`, those of `training` added."""
        params = self.model_dump(include={"batch_size", "flip", "precision"})
        if self.network == "cnn_tiny":
            params["width"] = self.width
        return params | self._published() | training

    def feature_params(self) -> dict[str, Any]:
        """Return the parameters of the catalog's model `network` where it is `frozen`."""
        looks_mirrored = self.network in ("auto", "patch_kmeans")
        own: dict[str, Any] = {"flip": self.flip} if looks_mirrored else {}
        return own | self._published()

    def _published(self) -> dict[str, Any]:
        of_both = {"mode", "input_size"}
        if self.network in PACKAGED:
            return self.model_dump(include={*of_both, "tuned"})
        if self.network in LIBRARIES:
            return self.model_dump(include={*of_both, "architecture", "pretrained", "weights"})
        return {}

    @model_validator(mode="after")
    def _weights_to_begin_with(self) -> Self:
        if self.network in PACKAGED and self.mode == "scratch":
            raise ValueError(
                f"{self.network} begins with its weights, and mode scratch with none; choose mode "
                "finetune, or its architecture in timm"
            )
        if self.network in PACKAGED and (self.input_size or LEAST_INPUT) < LEAST_INPUT:
            raise ValueError(
                f"{self.network} takes images of {LEAST_INPUT} px or more; raise input_size or "
                "leave it empty"
            )
        begins = self.pretrained or self.weights
        if self.network in LIBRARIES and self.mode == "finetune" and not begins:
            raise ValueError("mode finetune needs pretrained = true; use mode scratch")
        return self


class SmallNetworkParams(AugmentationParams, NetworkChoice):
    """A network of ours that a job trains for its own ends."""
