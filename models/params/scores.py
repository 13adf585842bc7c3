"""Parameters of informativeness and purity scores."""

from pydantic import Field

from models.params import Params


class EnergyParams(Params):
    """Free energy of the logits."""

    temperature: float = Field(
        default=1.0, gt=0, le=1000, description="Divides the logits before the sum."
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
        gt=0,
        le=1000,
        description="Width of the Gaussian kernel on unit-length embeddings; higher = smoother.",
    )
    landmarks: int = Field(
        default=2048,
        ge=16,
        le=20_000,
        description="Verdicts that span the classifier; with more verdicts a sample of them.",
    )
    least_ood: int = Field(
        default=5,
        ge=1,
        le=10_000,
        description="With fewer OOD answers than this the score is that of knn.",
    )
