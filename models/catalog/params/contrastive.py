"""Parameters of the contrastive learner."""

from typing import Literal

from pydantic import Field

from models.catalog.params import Params


class ContrastiveParams(Params):
    """SimCLR with rotations as shifted instances (thesis, section 4.4; CSI, NeurIPS 2020)."""

    network: Literal["resnet18_small", "resnet18", "cnn_tiny"] = Field(
        default="resnet18_small",
        description="resnet18_small for images up to 64 px and resnet18 above, on a GPU; cnn_tiny "
        "on a CPU.",
    )
    width: int = Field(
        default=32, ge=4, le=256, description="Channels of the first layer of cnn_tiny."
    )
    epochs: int = Field(
        default=1000,
        ge=1,
        le=100_000,
        description="Passes over the pool; 1000 takes a GPU hours, and fewer learn less.",
    )
    batch_size: int = Field(
        default=32,
        ge=2,
        le=4096,
        description="Images per iteration; each is seen in two views of four rotations.",
    )
    learning_rate: float = Field(
        default=1.0, gt=0, le=100, description="Of LARS, at its highest; falls as a cosine."
    )
    warmup_epochs: int = Field(
        default=10,
        ge=0,
        le=1000,
        description="Passes in which the learning rate rises; at most a tenth of all.",
    )
    momentum: float = Field(default=0.9, ge=0, lt=1, description="Momentum of LARS.")
    weight_decay: float = Field(default=1e-6, gt=0, le=1, description="Weight decay of LARS.")
    temperature: float = Field(
        default=0.5, gt=0, le=100, description="Divides the cosines in the contrastive loss."
    )
    projection: int = Field(
        default=128, ge=2, le=4096, description="Length of the vectors that the loss compares."
    )
    rotations: bool = Field(
        default=True,
        description="Tell an image from its rotations; turn off where images have no upright, as "
        "from above.",
    )
    flip: bool = Field(
        default=True,
        description="Mirror images at random; turn off where left and right matter, as in digits.",
    )
    smallest_crop: float = Field(
        default=0.08, gt=0, le=1, description="Share of an image that a crop keeps at least."
    )
    colour: float = Field(
        default=0.4,
        ge=0,
        le=1,
        description="Most that brightness, contrast and saturation change; hue a quarter of it.",
    )
    grey: float = Field(
        default=0.2, ge=0, le=1, description="Probability that a view loses its colour."
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="auto: bfloat16 on GPUs that have it, and on CPUs that have it for all but the "
        "smallest networks; float32 elsewhere.",
    )
