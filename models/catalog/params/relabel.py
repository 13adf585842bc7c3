"""Parameters of the learners from noisy labels, and of the job that relabels."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from models.catalog.params import Params
from models.catalog.params.job_networks import MODE, TRAINED_MODE, NetworkParams, TrainedNetwork

LearnerName = Literal["sop_plus", "dividemix", "ce"]


class LearnerParams(NetworkParams):
    """The training configuration that all learners share (thesis, section 5.3.1)."""

    network: TrainedNetwork = Field(
        default="preact_resnet18",
        description="preact_resnet18, as published, and resnet18_small for images up to 64 px, on "
        "a GPU; cnn_tiny on a CPU; efficientnet_lite0 to efficientnet_lite2, torchvision and timm "
        "for photographs, fine-tuned.",
    )
    mode: Literal["finetune", "scratch"] = Field(default="finetune", description=TRAINED_MODE)
    epochs: int = Field(
        default=300,
        ge=1,
        le=10_000,
        description="Passes over the images that are learned from; 30 suit cnn_tiny.",
    )
    learning_rate: float = Field(default=0.02, gt=0, le=10, description="Of the first epoch.")
    schedule: Literal["cosine", "step"] = Field(
        default="cosine",
        description="How the learning rate falls, from epoch to epoch: cosine to zero, or step to "
        "a tenth after half of them.",
    )
    momentum: float = Field(default=0.9, ge=0, lt=1, description="Momentum of SGD.")
    weight_decay: float = Field(default=5e-4, ge=0, le=1, description="Weight decay of SGD.")


class CeParams(LearnerParams):
    """Plain cross-entropy."""


class SopPlusParams(LearnerParams):
    """Sparse over-parametrisation with its two regularisers."""

    lr_u: float = Field(
        default=10.0,
        ge=0,
        le=1e6,
        description="Learning rate of u, the part of the noise at the given class; published: 10 "
        "for CIFAR-10N, 1 for CIFAR-100N, 0.1 for WebVision.",
    )
    lr_v: float = Field(
        default=100.0,
        ge=0,
        le=1e6,
        description="Learning rate of v, the part at the other classes; published: 100 for CIFAR, "
        "1 for WebVision.",
    )
    lambda_c: float = Field(
        default=0.9,
        ge=0,
        le=100,
        description="Weight of the consistency between two views of an image; 0.1 for WebVision, "
        "0 turns it off.",
    )
    lambda_b: float = Field(
        default=0.1,
        ge=0,
        le=100,
        description="Weight of the balance of the predicted classes; 0 where classes are known to "
        "be uneven.",
    )


class DivideMixParams(LearnerParams):
    """Two networks that divide the examples for each other, and MixMatch."""

    warm_up_epochs: int = Field(
        default=10,
        ge=1,
        le=10_000,
        description="First epochs, of plain cross-entropy; published: 10 for CIFAR-10N, 30 for "
        "CIFAR-100N.",
    )
    confidence_penalty: bool = Field(
        default=False,
        description="Keep the warm-up from sure predictions; for noise that depends on the class.",
    )
    kappa: float = Field(
        default=0.5,
        ge=0,
        lt=1,
        description="Examples whose label is right with more than this probability count as "
        "labeled.",
    )
    temperature: float = Field(
        default=0.5, gt=0, le=10, description="Sharpens targets; 1 leaves them as they are."
    )
    augmentations: int = Field(
        default=2, ge=1, le=16, description="Views of each image whose predictions are averaged."
    )
    gamma: float = Field(
        default=4.0, gt=0, le=100, description="Both parameters of the Beta distribution of mixing."
    )
    lambda_u: float = Field(
        default=1.0, ge=0, le=1000, description="Weight of the examples without a label."
    )
    ramp_epochs: int = Field(
        default=16, ge=0, le=10_000, description="Epochs after the warm-up in which lambda_u rises."
    )

    @model_validator(mode="after")
    def _epochs_left(self) -> Self:
        if self.divides and self.epochs <= self.warm_up_epochs:
            raise ValueError(
                f"epochs = {self.epochs} leaves nothing after warm_up_epochs = "
                f"{self.warm_up_epochs}; raise epochs or lower warm_up_epochs"
            )
        return self

    @property
    def divides(self) -> bool:
        """Whether dividemix is what these parameters are used for."""
        return True


class RelabelChoice(Params):
    """Which learner, from what, and beside what."""

    learner: LearnerName = Field(default="sop_plus", description="How to learn from wrong labels.")
    subset: int | None = Field(
        default=None,
        ge=1,
        description="Subset to learn from, by the number of its artifact; empty: all labeled "
        "images. Labels outside it are compared as well.",
    )
    share: float = Field(
        default=0.5,
        ge=0.05,
        le=0.99,
        description="Suggest only where the given label is wrong with this probability at least: "
        "higher = fewer and surer suggestions. Networks that are trained suggest whatever differs.",
    )
    second_opinion: bool = Field(
        default=True,
        description="Score the given labels with cleanlab too, by features learned without labels.",
    )


class RelabelParams(DivideMixParams, SopPlusParams, RelabelChoice):
    """Which labels a learner from noisy labels would give, beside those that were given."""

    network: Literal[
        "auto",
        "efficientnet_lite0",
        "efficientnet_lite1",
        "efficientnet_lite2",
        "patch_kmeans",
        "auto_text",
        "minilm",
        "hashed_ngrams",
        "torchvision",
        "timm",
        "resnet18_small",
        "preact_resnet18",
        "cnn_tiny",
    ] = Field(  # type: ignore[assignment]
        default="auto",
        description="Frozen features, which are computed once, in minutes: auto chooses between "
        "efficientnet_lite0 and patch_kmeans, and auto_text of texts between minilm and "
        "hashed_ngrams. Or a network to train, in hours: preact_resnet18 and resnet18_small for "
        "images up to 64 px, on a GPU; cnn_tiny on a CPU; in mode finetune efficientnet_lite0 to "
        "efficientnet_lite2, torchvision and timm. What follows but for flip and what names the "
        "network is for networks that are trained.",
    )
    mode: Literal["frozen", "finetune", "scratch"] = Field(  # type: ignore[assignment]
        default="frozen", description=MODE
    )

    @property
    def divides(self) -> bool:
        """Whether dividemix is chosen, to train networks."""
        return self.learner == "dividemix" and not self.frozen

    def learner_params(self) -> dict[str, Any]:
        """Return the parameters of the catalog's learner `learner`."""
        schemas: dict[str, type[Params]] = {
            "ce": CeParams, "sop_plus": SopPlusParams, "dividemix": DivideMixParams,
        }  # fmt: skip
        own = set(schemas[self.learner].model_fields)
        # Of networks that know no modes it stays what it was.
        return self.model_dump(include=own - ({"mode"} if self.mode == "frozen" else set()))
