"""Parameters of informativeness and purity scores."""

from typing import Final, Literal

from pydantic import Field

from models.catalog.params import Params


class EnergyParams(Params):
    """Free energy of the logits."""

    temperature: float = Field(
        default=1.0, ge=0.001, le=1000, description="Divides the logits before the sum."
    )


class ObjectsParams(Params):
    """What a detector finds in an image, as evidence that anything wanted is in it."""

    least_score: float = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="Detections below this score say nothing; any image has dozens of them.",
    )


class KnnParams(Params):
    """Similarity to labeled in-distribution embeddings."""

    neighbours: int = Field(
        default=1, ge=1, le=1000, description="Which nearest neighbour counts: 1 = the nearest."
    )


class ProbeParams(Params):
    """A classifier of in-distribution against OOD on every verdict so far."""

    l2: float = Field(
        default=0.2, gt=0, le=1e6, description="Strength of the L2 penalty; higher = smoother."
    )
    width: float = Field(
        default=1.0,
        ge=0.001,
        le=1000,
        description="Width of the Gaussian kernel on unit-length embeddings; higher = smoother.",
    )
    landmarks: int = Field(
        default=4096,
        ge=16,
        le=20_000,
        description="Verdicts that span the classifier; with over half as many again, a sample of "
        "them.",
    )
    least_ood: int = Field(
        default=5,
        title="Least answers of none",
        ge=1,
        le=10_000,
        description="With fewer OOD answers than this, knn stands in.",
    )


class KPlusOneParams(Params):
    """Probability of the classes against an output for OOD."""

    l2: float = Field(
        default=0.5,
        gt=0,
        le=1e6,
        description="Strength of the L2 penalty of the classifier, where the model has no output "
        "for OOD.",
    )
    least_ood: int = Field(
        default=5,
        title="Least answers of none",
        ge=1,
        le=10_000,
        description="With fewer OOD answers than this, knn stands in.",
    )


class MspParams(Params):
    """Largest softmax probability."""

    temperature: float = Field(
        default=1.0, ge=0.001, le=10_000, description="Divides the logits before the softmax."
    )


class OdinParams(Params):
    """Softmax of inputs that were moved towards their predicted class."""

    temperature: float = Field(
        default=1000.0, ge=0.001, le=10_000, description="Divides the logits before the softmax."
    )
    epsilon: float = Field(
        default=0.0014,
        ge=0,
        le=1,
        description="Size of the step: of pixels in 0..1, or of embeddings in units of their "
        "spread where the model is a head on frozen features.",
    )


class ReactParams(Params):
    """Energy after unusually high activations have been cut off."""

    percentile: float = Field(
        default=90.0, gt=0, le=100, description="Activations above this percentile are cut off."
    )
    threshold_from: Literal["labeled", "pool"] = Field(
        default="labeled",
        description="Whose activations count: those of labeled in-distribution examples, or of "
        "the pool.",
    )
    temperature: float = Field(
        default=1.0, ge=0.001, le=1000, description="Divides the logits before the sum."
    )


class MahalanobisParams(Params):
    """Distance to the nearest class, in units of the spread within classes."""

    shrinkage: float | None = Field(
        default=None,
        ge=1e-6,
        le=1,
        description="Share of the identity in the covariance; empty = estimated after Chen et al.",
    )


class CsiParams(Params):
    """Similarity of contrastive features to labeled in-distribution examples."""

    times_norm: bool = Field(
        default=False,
        description="Multiply the cosine by the length of the features, as the CSI paper does.",
    )


TRAINED_TEMPERATURE: Final = 0.01
"""Of the softmax that CLIP is trained by."""


class ClipParams(Params):
    """How likely an image shows one of the classes, by their names."""

    classes: str = Field(
        default="",
        max_length=10_000,
        description="What the classes look like in words, separated by commas: cat, small dog.",
    )
    ood: str = Field(
        default="",
        max_length=10_000,
        description="What else the pool shows, separated by commas; may be empty.",
    )
    template: str = Field(
        default="a photo of a {}.",
        pattern=r"\{\}",
        max_length=200,
        description="Caption around each name, which replaces {}.",
    )
    weights: str = Field(
        default="openai/clip-vit-base-patch32",
        pattern=r"^\w[\w.-]*/\w[\w.-]*$",
        description="Name of CLIP weights on the Hugging Face hub; workers must have downloaded "
        "them.",
    )
    uploaded: str = Field(
        default="",
        max_length=1000,
        description="Name of weights of open_clip that an admin has uploaded, in place of those of "
        "the hub.",
        json_schema_extra={"format": "weights", "library": "open_clip"},
    )
    architecture: str = Field(
        default="",
        max_length=120,
        description="Network of the uploaded weights, as open_clip calls it; empty: as it was said "
        "at their upload.",
    )
    temperature: float | None = Field(
        default=None,
        ge=0.001,
        le=1000,
        description="Divides the similarities; empty = 0.01 with names in ood and 1 without.",
    )

    @property
    def named(self) -> tuple[list[str], list[str]]:
        """Names of classes, and of what else there is."""
        classes, ood = (
            [name.strip() for name in text.split(",") if name.strip()]
            for text in (self.classes, self.ood)
        )
        return classes, ood

    def is_probability(self) -> bool:
        """Say whether the score is the probability of being in-distribution.

        Only at the temperature that CLIP is trained to, and against something else: the largest
        softmax of similarities at temperature 1 is an order alone, of ten classes about 0.1 for
        every image.
        """
        return bool(self.named[1]) and self.divisor == TRAINED_TEMPERATURE

    @property
    def divisor(self) -> float:
        """What similarities are divided by."""
        return self.temperature or (TRAINED_TEMPERATURE if self.named[1] else 1.0)
