"""Parameters of detectors, and of what asks by their detections."""

from typing import Literal

from pydantic import Field

from models.catalog.params import Params


class DetectorParams(Params):
    """A feature pyramid and a head of FCOS, trained each round."""

    steps: int = Field(
        default=400, ge=1, le=1_000_000, description="Training iterations, always all of them."
    )
    batch_size: int = Field(default=8, ge=1, le=512, description="Images per iteration.")
    learning_rate: float = Field(
        default=0.002, gt=0, le=1, description="Of AdamW; rises at first and falls to zero."
    )
    weight_decay: float = Field(default=1e-4, ge=0, le=1, description="Weight decay of AdamW.")
    width: int = Field(
        default=64,
        ge=32,
        le=256,
        multiple_of=32,
        description="Channels of the pyramid and of the head, in 32s; slower when larger.",
    )
    convolutions: int = Field(
        default=2, ge=1, le=4, description="Convolutions of the head before its outputs."
    )
    ood_as_empty: bool = Field(
        default=True,
        title="Wrong kind as empty",
        description="Learn from OOD answers, too, that nothing of any class is in them.",
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="auto: bfloat16 on GPUs, and on CPUs that have it to look at images; "
        "float32 elsewhere.",
    )


class FcosParams(DetectorParams):
    """A detector on feature maps of a packaged network, which are computed once."""

    input_size: int | None = Field(
        default=None,
        ge=64,
        le=1024,
        description="Scale images to this side first, rounded up to a multiple of 32; empty: at "
        "least 128. Larger finds smaller things, and takes more disk.",
    )


class ScratchParams(DetectorParams):
    """A detector that learns all it knows from the boxes."""

    steps: int = Field(
        default=800, ge=1, le=1_000_000, description="Training iterations, always all of them."
    )
    flip: bool = Field(
        default=True,
        description="Mirror images at random; turn off where left and right matter, as in digits.",
    )


class BoxParams(Params):
    """Which of an image's detections count."""

    counted: int = Field(default=3, ge=1, le=100, description="Of top: how many boxes count.")
    least_score: float = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="Detections below this score say nothing; any image has dozens of them.",
    )


class BoxEntropyParams(BoxParams):
    """From the boxes of an image to one number."""

    aggregate: Literal["top", "sum", "mean", "max"] = Field(
        default="top",
        description="top: of the boxes that are most open; sum: of all, crowded images first; "
        "mean: of all, divided by how many there are; max: of the one that is most open.",
    )


class BoxQueryParams(BoxParams):
    """Likewise, where nothing else counts what an answer takes."""

    aggregate: Literal["top", "per_second", "sum", "mean", "max"] = Field(
        default="top",
        description="top: of the boxes that are most open; per_second: the same by what drawing is "
        "expected to take; sum: of all, crowded images first; mean: of all, divided by how many "
        "there are; max: of the one that is most open.",
    )
    look_seconds: float = Field(
        default=3.0, gt=0, le=3600, description="Of per_second: what looking at an image takes."
    )
    box_seconds: float = Field(
        default=5.0, ge=0, le=3600, description="Of per_second: what a box takes."
    )


class PalParams(BoxQueryParams):
    """What tells right detections from wrong ones, and what is picked beside each other."""

    fewest: int = Field(
        default=20,
        ge=2,
        le=100_000,
        description="Detections of either kind from which on answers say how far to trust scores.",
    )
    rarity: float = Field(
        default=0.5,
        ge=0,
        le=4,
        description="How strongly boxes of classes with few labels count; 0 = all alike.",
    )
    mixture: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description="How much more an image is worth in which boxes are of several classes, by "
        "the entropy of these; rarer classes count for more. 0 = nothing.",
    )
    variety: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description="How much more an image is worth that shows many classes, by the share of "
        "them that is expected in it; rarer classes count for more. 0 = nothing.",
    )
    diversity: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="How much an image loses that is like one that was picked before it, by its "
        "classes and its features; 0 = nothing.",
    )
