from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel


class SubsetFormat(StrEnum):
    CSV = "csv"
    IDS = "ids"
    IMAGEFOLDER = "imagefolder"
    PARQUET = "parquet"


class SubsetOut(BaseModel):
    """A subset.

    ``noise_ratio`` is of what is kept, over the ``noise_known`` examples whose truth is known.
    """

    id: int
    job_id: int | None
    method: str
    params: dict[str, Any]
    labeled: int
    kept: int
    noise_ratio: float | None
    noise_known: int | None
    active: bool
    created_at: datetime


class ClassShare(BaseModel):
    """How many examples are labeled with a class, and how many of those are kept."""

    class_id: int
    labeled: int
    kept: int


class NoiseOut(BaseModel):
    """How many labels are wrong among those whose truth is known."""

    known: int
    wrong: int
    ratio: float | None


class SubsetSide(SubsetOut):
    """One of the two that are compared."""

    balance: list[ClassShare]
    noise: NoiseOut


class OnlyHere(BaseModel):
    """An example that one subset keeps and the other does not."""

    example_id: int
    class_id: int
    true_class_id: int | None
    loss: float


class SubsetComparison(BaseModel):
    """Two subsets side by side, by what they keep."""

    a: SubsetSide
    b: SubsetSide
    intersection: int
    union: int
    jaccard: float
    only_a: int
    only_b: int
    first_only_a: list[OnlyHere]
    first_only_b: list[OnlyHere]
