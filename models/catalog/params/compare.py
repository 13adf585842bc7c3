"""Parameters of the job that compares all images of a pool with each other."""

from pydantic import Field

from models.catalog.params import Params


class CompareParams(Params):
    """When two images are taken for the same picture."""

    correlation: float = Field(
        default=0.98,
        ge=0,
        le=1,
        description="Least correlation of two pictures, small and grey, that are the same. Lower "
        "finds pictures that were cropped, and those that only look alike.",
    )
    similarity: float = Field(
        default=0.5,
        ge=-1,
        le=1,
        description="Least cosine of the features of two images that may be the same picture.",
    )
