"""Parameters of the job that lays a pool out on a plane."""

from pydantic import Field

from models.catalog.params import Params


class EmbeddingMapParams(Params):
    """How a pool is laid out."""

    perplexity: float = Field(
        default=30.0,
        ge=2.0,
        le=100.0,
        description="How many neighbours of an image count as near: fewer show small groups, more "
        "show the whole.",
    )
    laid_out: int = Field(
        default=50_000,
        ge=1_000,
        le=200_000,
        description="Up to so many images are laid out themselves; of a larger pool the others are "
        "placed among their nearest of these.",
    )
