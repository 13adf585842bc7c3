"""Which examples of a pool are meant, and in what order."""

from typing import Literal, NotRequired, TypedDict

from karat.client.resources import Split

Sort = Literal[
    "pool_index",
    "purity",
    "-purity",
    "informativeness",
    "-informativeness",
    "meta_score",
    "-meta_score",
    "confidence",
    "-confidence",
    "similarity",
    "-similarity",
    "isolation",
    "-isolation",
]
Which = Literal["all", "leaking", "contradicting"]


class Filters(TypedDict):
    """What examples have to be; all that is given has to hold.

    They are of the pool unless ``split`` names another, or is ``all``. ``verdict``,
    ``annotator_id`` and ``source`` are of one vote that holds. ``kept_by`` and ``dropped_by`` are
    subsets, which know the labels of when they were made. ``outline`` is drawn on the embedding
    map: its version, a colon, and the corners as ``x,y;x,y;...``. Scores and predictions are those
    that the queries of ``round`` were chosen by, by default the latest. ``search`` are words of
    texts, or beginnings of words: all of them, unless ``or`` stands between; none that has ``-``
    before it; "in quotes" as they stand. ``similar_to`` are ids of
    images with commas between them, and ``similarity_min`` is to their mean; ``duplicate_of`` finds
    the images that show the same picture as one, and that one.
    """

    state: NotRequired[str | None]
    split: NotRequired[Split | Literal["all"]]
    verdict: NotRequired[str | None]
    class_id: NotRequired[int | None]
    annotator_id: NotRequired[int | None]
    source: NotRequired[Literal["annotator", "import", "review"] | None]
    disagreement: NotRequired[bool | None]
    import_id: NotRequired[int | None]
    kept_by: NotRequired[int | None]
    dropped_by: NotRequired[int | None]
    outline: NotRequired[str | None]
    name: NotRequired[str | None]
    search: NotRequired[str | None]
    round: NotRequired[int | None]
    predicted: NotRequired[int | None]
    purity_min: NotRequired[float | None]
    purity_max: NotRequired[float | None]
    informativeness_min: NotRequired[float | None]
    informativeness_max: NotRequired[float | None]
    similar_to: NotRequired[str | None]
    similar_file: NotRequired[int | None]
    similarity_min: NotRequired[float | None]
    duplicate_of: NotRequired[int | None]
