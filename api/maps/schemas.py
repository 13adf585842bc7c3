from typing import Annotated, Literal

from pydantic import BaseModel, StringConstraints

from core.states import ExampleState, Verdict

SurfaceName = Literal["phi", "sum", "product", "informativeness", "expected_value"]
Polygon = Annotated[str, StringConstraints(max_length=4000)]


class SpanOut(BaseModel):
    low: float
    high: float


class MapOut(BaseModel):
    """A round whose pool was scored; ``version`` changes when what is drawn does."""

    number: int
    version: str
    count: int
    purity: SpanOut
    informativeness: SpanOut


class SurfaceOut(BaseModel):
    """A strategy's value over the plane, on a grid of raw scores.

    ``values`` has a row for each informativeness. ``level`` is the value of the last query taken.
    Where it is not ``exact``, the strategy goes on from the value.
    """

    name: SurfaceName
    exact: bool
    purity: list[float]
    informativeness: list[float]
    values: list[list[float]]
    level: float | None


class MapSurface(BaseModel):
    """``surface`` is null where the strategy does not decide by purity and informativeness."""

    surface: SurfaceOut | None


class Standing(BaseModel):
    """What is known of an image; ``class_id`` is that of its label, ``boxes`` how many it has.

    Either is null where the label is nothing of the kind, or there is none.
    """

    state: ExampleState
    class_id: int | None
    boxes: int | None


class MapQuery(BaseModel):
    """An image of the round's query set; ``verdict`` is null until somebody has answered.

    Of a round that has closed it is the verdict of then, and null if that came later. ``since`` is
    what is known of the image now, where that is something else.
    """

    example_id: int
    pool_index: int
    name: str
    excerpt: str | None
    rank: int
    purity: float | None
    informativeness: float | None
    meta_score: float | None
    verdict: Verdict | None
    class_id: int | None
    boxes: int | None
    since: Standing | None


class MapQueries(BaseModel):
    """The first queries by rank, and how many there are."""

    total: int
    items: list[MapQuery]


class MapImage(BaseModel):
    """An image as the round's model saw it, and what is known of it.

    Of a round that has closed that is what was known then, and ``since`` what is known now, where
    that is something else.
    """

    example_id: int
    pool_index: int
    name: str
    excerpt: str | None
    state: ExampleState
    class_id: int | None
    boxes: int | None
    since: Standing | None
    purity: float
    informativeness: float
    meta_score: float | None


class MapImages(BaseModel):
    """A page of the images within an outline; ``total`` counts all of them."""

    total: int
    items: list[MapImage]
    next_cursor: int | None
