"""Parameters of the target models, and of the networks that jobs train."""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params

NETWORK_DIMENSION: Final = 1280
"""Length of what the packaged networks make of an image; the first columns of `auto`."""

SENTENCE_DIMENSION: Final = 384
"""Length of what the packaged sentence encoder makes of a text; the first of `auto_text`."""

LEAST_INPUT: Final = 32
"""The smallest side that packaged networks take images at."""


def compared_width(name: str, width: int) -> int:
    """Return how many leading columns of embeddings say how alike two examples are to people.

    Where `auto` has those of a network they alone do: features of the pool are of its details. Of
    the ten nearest of each of 1,000 photographs, 78 % show the same kind of thing by the network,
    68 % by both, and 47 % by features of the pool. So it is with texts, and what they mean. Behind
    those of `fcos` come maps.

    Args:
        name: the model.
        width: of its embeddings.
    """
    network = {
        "auto": NETWORK_DIMENSION,
        "fcos": NETWORK_DIMENSION,
        "auto_text": SENTENCE_DIMENSION,
    }
    return min(width, network.get(name, width))


class AugmentationParams(Params):
    """What may be done to images, and how precisely they are computed with."""

    flip: bool = Field(
        default=True,
        description="Mirror images at random; turn off where left and right matter, as in digits.",
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="auto: bfloat16 on GPUs that have it, and on CPUs that have it for all but the "
        "smallest networks; float32 elsewhere.",
    )


class OutputParams(Params):
    """What a model tells beside the logits of the classes."""

    ood_class: bool = Field(
        default=False,
        title="Class for none",
        description="Train one more output on the OOD answers (k+1 classifier).",
    )
    loss_prediction: bool = Field(
        default=False, description="Learn to predict losses, which the informativeness ll needs."
    )


class HeadParams(OutputParams):
    """The head that is trained on cached embeddings."""

    ood_class: bool = Field(
        default=True,
        title="Class for none",
        description="Train on the OOD answers, too, as one more class (k+1 classifier): what is no "
        "class shows which features tell the classes.",
    )
    l2: float | None = Field(
        default=None,
        gt=0,
        le=1e6,
        description="Strength of the L2 penalty on the head's weights; higher = smoother. Empty: "
        "chosen by cross-validation on the answers.",
    )


class PatchKMeansParams(HeadParams):
    """Features learned on the pool itself."""

    patch_size: int = Field(default=6, ge=3, le=16, description="Side of a patch, in pixels.")
    features: int = Field(
        default=400,
        ge=8,
        le=4096,
        description="Size of the dictionary, mirror images included; slower when larger.",
    )
    flip: bool = Field(
        default=True,
        description="Take an image and its mirror image for the same; turn off where left and "
        "right matter, as in digits.",
    )
    stride: int | None = Field(
        default=None,
        ge=1,
        le=16,
        description="Pixels between patches; empty: 1 up to 63 px, 2 up to 95 px, and so on.",
    )
    threshold: float = Field(
        default=0.5, ge=0, le=10, description="Soft threshold on the response of a patch."
    )
    iterations: int = Field(default=10, ge=1, le=100, description="Rounds of spherical k-means.")
    dimension: int = Field(
        default=512, ge=2, le=4096, description="Length of an embedding after PCA."
    )


class MiniLMParams(HeadParams):
    """Features of texts by the packaged sentence encoder."""

    windows: int = Field(
        default=8,
        ge=1,
        le=64,
        description="How many windows of 254 tokens, some 190 words of English, are read of a "
        "text; what follows is not.",
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="auto: bfloat16 on GPUs and CPUs that have it; float32 elsewhere.",
    )


class AutoTextParams(HeadParams):
    """Two kinds of features of texts, between which the verdicts choose."""

    windows: int = Field(
        default=8,
        ge=1,
        le=64,
        description="How many windows of 254 tokens, some 190 words of English, minilm reads of a "
        "text; what follows it does not.",
    )


class HashedNgramsParams(HeadParams):
    """Features of texts that are learned on the pool itself."""

    dimension: int = Field(
        default=256, ge=2, le=4096, description="Length of an embedding after the SVD."
    )
    kept: int = Field(
        default=65_536,
        ge=16,
        le=1_048_576,
        description="How many n-grams count, those in most texts; more take more memory.",
    )
    characters: int = Field(
        default=20_000,
        ge=100,
        le=1_000_000,
        description="How many characters are read of a text; what follows is not.",
    )


class TrainingParams(AugmentationParams, OutputParams):
    """The training loop (thesis, section 4.4, training configurations)."""

    steps: int = Field(
        default=20_000, ge=1, le=10_000_000, description="Training iterations, always all of them."
    )
    batch_size: int = Field(default=64, ge=2, le=8192, description="Examples per iteration.")
    learning_rate: float = Field(
        default=0.1, gt=0, le=10, description="Falls to a tenth at 50 % and again at 75 %."
    )
    momentum: float = Field(default=0.9, ge=0, lt=1, description="Momentum of SGD.")
    weight_decay: float = Field(default=5e-4, ge=0, le=1, description="Weight decay of SGD.")
    augment: bool = Field(
        default=True, description="Shift images at random by up to an eighth of their side."
    )
    loss_prediction_weight: float = Field(
        default=1.0,
        gt=0,
        le=1000,
        description="Weight of the ranking loss of loss_prediction beside the task's loss.",
    )
    taufe: float = Field(
        default=0.0,
        ge=0,
        le=1000,
        description="Weight of TAUFE, which pulls the features of OOD images to zero; 0.1 suits "
        "32 px, 0.01 from 64 px on, 0 turns it off.",
    )
    oat: float = Field(
        default=0.0,
        ge=0,
        le=1000,
        description="Weight of OAT, which makes the predictions on OOD images uniform; 1 is usual, "
        "0 turns it off.",
    )
    ood_from: Literal["verdicts", "auxiliary_ood", "both"] = Field(
        default="both",
        title="Images of none, from",
        description="Which OOD images taufe and oat learn from: those that annotators called OOD, "
        "those imported into the split auxiliary_ood, or both.",
    )

    @property
    def regularized(self) -> bool:
        """Whether OOD images take part in training, beside an output for them."""
        return self.taufe > 0 or self.oat > 0

    @model_validator(mode="after")
    def _one_use_of_ood_answers(self) -> Self:
        if self.taufe > 0 and self.oat > 0:
            raise ValueError(
                "taufe and oat are two remedies for one fault; set taufe = 0 or oat = 0"
            )
        if self.regularized and self.ood_class:
            name = "taufe" if self.taufe > 0 else "oat"
            raise ValueError(
                f"{name} and ood_class conflict, since one removes the features that the other "
                f"learns; set {name} = 0 or ood_class = false"
            )
        return self


class TinyParams(TrainingParams):
    """A small network for demos on a CPU."""

    steps: int = Field(
        default=400, ge=1, le=10_000_000, description="Training iterations, always all of them."
    )
    learning_rate: float = Field(
        default=0.05, gt=0, le=10, description="Falls to a tenth at 50 % and again at 75 %."
    )
    width: int = Field(default=32, ge=4, le=256, description="Channels of the first layer.")


class PublishedParams(TrainingParams, HeadParams):
    """A network whose weights others have trained, fine-tuned or frozen."""

    mode: str
    steps: int = Field(
        default=2_000, ge=1, le=10_000_000, description="Training iterations, always all of them."
    )
    learning_rate: float = Field(
        default=0.01,
        gt=0,
        le=10,
        description="Falls to a tenth at 50 % and again at 75 %; 0.1 suits mode scratch.",
    )

    @model_validator(mode="after")
    def _features_to_shape(self) -> Self:
        if self.mode == "frozen" and self.regularized:
            raise ValueError(
                "taufe and oat shape features while they are learned, and mode frozen keeps them; "
                "set both to 0 or another mode"
            )
        return self


class BackboneParams(PublishedParams):
    """A published architecture, trained from scratch, fine-tuned or frozen."""

    architecture: str = Field(
        default="resnet18", min_length=1, max_length=120, description="Name in the library."
    )
    mode: Literal["scratch", "finetune", "frozen"] = Field(
        default="finetune",
        description="scratch: random start; finetune: train published weights; frozen: compute "
        "embeddings once and train a head per round.",
    )
    pretrained: bool = Field(
        default=True,
        description="Start from published weights (downloaded once); ignored in mode scratch.",
    )
    weights: str = Field(
        default="",
        max_length=1000,
        description="Start from the weights of this name, which an admin has uploaded for the "
        "architecture; empty: the published ones. Ignored in mode scratch.",
        json_schema_extra={"format": "weights"},
    )
    input_size: int | None = Field(
        default=None,
        ge=8,
        le=1024,
        description="Scale images to this side first; empty: what the architecture demands, or "
        "the uploaded weights say.",
    )

    @property
    def wants_file(self) -> bool:
        """Whether to start from the file `weights`."""
        return bool(self.weights) and self.mode != "scratch"

    @property
    def wants_published(self) -> bool:
        """Whether to start from published weights."""
        return self.pretrained and self.mode != "scratch" and not self.weights

    @model_validator(mode="after")
    def _weights_to_tune(self) -> Self:
        if self.mode == "finetune" and not self.pretrained and not self.weights:
            raise ValueError("mode finetune needs pretrained = true; use mode scratch")
        return self


class PackagedParams(PublishedParams):
    """A network whose weights come with Karat."""

    mode: Literal["frozen", "finetune"] = Field(
        default="frozen",
        description="frozen: compute embeddings once and train a head per round; finetune: train "
        "the network too, on a GPU or a small pool.",
    )
    tuned: Literal["last", "all"] = Field(
        default="last",
        description="What mode finetune trains: the last two of seven stages, or all.",
    )
    input_size: int | None = Field(
        default=None,
        ge=LEAST_INPUT,
        le=1024,
        description="Scale images to this side first; empty: at least 128.",
    )


class AutoParams(HeadParams):
    """Several kinds of features, between which the verdicts choose."""

    network: Literal["efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2"] = Field(
        default="efficientnet_lite0", description="The packaged network; larger ones are slower."
    )
    flip: bool = Field(
        default=True,
        description="Have patch_kmeans take an image and its mirror image for the same; turn off "
        "where left and right matter, as in digits.",
    )
