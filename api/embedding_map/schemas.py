from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, StringConstraints

from core.states import ExampleState

Colour = Literal["state", "predicted", "purity", "informativeness", "round", "selection"]
Version = Annotated[str, StringConstraints(max_length=64)]


class AxisSpan(BaseModel):
    low: float
    high: float


class EmbeddingMapOut(BaseModel):
    """The map that was made last. ``version`` changes when it does.

    ``later`` counts the images of the pool that came after it was made and are not on it.
    ``laid_out`` were laid out themselves, the others placed among their nearest. ``features`` is
    the model, or the job, whose embeddings it lays out.
    """

    version: str
    count: int
    later: int
    laid_out: int
    features: str
    x: AxisSpan
    y: AxisSpan
    job_id: int | None
    made_at: datetime


class EmbeddingMapState(BaseModel):
    """``map`` is null until one was made; ``scores_round`` is the round whose scores colour it."""

    map: EmbeddingMapOut | None
    scores_round: int | None


class EmbeddingMapImage(BaseModel):
    """An image on the map, with what is known of it and what the latest scores say.

    ``round`` is the last one that asked about it, ``boxes`` how many its label has, of a project of
    boxes.
    """

    example_id: int
    pool_index: int
    name: str
    excerpt: str | None
    state: ExampleState
    class_id: int | None
    boxes: int | None
    x: float
    y: float
    predicted_class_id: int | None
    confidence: float | None
    purity: float | None
    informativeness: float | None
    round: int | None
