"""Images and texts of a pool.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, NotRequired, TypedDict

from karat.client.resources import ExampleState, Split, Verdict

PictureSize = Literal[64, 128, 256, 512, 2000]
"""Longer side in pixels."""
AnnotationSource = Literal["annotator", "import", "review", "model"]
"""Where an annotation comes from.

An annotator answered a query, a column of a file was imported, somebody reviewed a label
that a job doubted, or a model gave it under a certificate, which counts where nobody has said
anything."""


class InstructionTurn(TypedDict):
    """What one side of a chat says."""

    content: str
    role: Literal["system", "user", "assistant", "tool"]


class InstructionFields(TypedDict):
    """A row of instruction data. `responses` are one or several answers to the same.

    `turns` are those of a chat of more than one exchange: `instruction` is the first of them, and
    the response the last.
    """

    input: str
    instruction: str
    responses: list[str]
    system: str | None
    turns: list[InstructionTurn]


class FieldValue(TypedDict):
    """A value that a field has, as text, and how many examples have it."""

    count: int
    value: str


class FieldValues(TypedDict):
    """Values of a field, the most frequent first; none where there are `many`, more than 50.

    Where not `exact`, they are those of a part of the pool, and counts are what it suggests.
    """

    exact: bool
    items: list[FieldValue]
    many: bool


class Example(TypedDict):
    """An image or a text, and what the model of the latest scores makes of it.

    `confidence` is the probability of the predicted class among the classes, `in_probability` that
    of being in-distribution at all: null without a score, and where nothing tells how to read the
    purity as a probability. `similarity`, -1..1, is to what the list was asked to compare with;
    `isolation`, 0..2, the mean distance to the nearest other images, where a list is ordered by it.
    `duplicates_of` is the image that stands for all that show the same picture, if any others do.

    `width` and `height` are of an image; `excerpt` is how a text begins, at most 300 characters.
    `image_url` is where the picture is, or the whole text.

    `label` is the name of its class. Of labels that are no class, such as boxes, `whole_label` is
    all there is of it.

    `fields` are the parts of a row of instruction data; null of all else.
    """

    confidence: float | None
    duplicates_of: int | None
    excerpt: str | None
    fields: InstructionFields | None
    height: int | None
    id: int
    image_url: str
    in_probability: float | None
    informativeness: float | None
    isolation: float | None
    label: str | None
    label_class_id: int | None
    meta_score: float | None
    name: str
    pool_index: int
    predicted_class_id: int | None
    purity: float | None
    similarity: float | None
    split: Split
    state: ExampleState
    whole_label: dict[str, Any] | None
    width: int | None


class LookAlike(TypedDict):
    """OOD examples that look like a class of their own.

    `example_ids` are in the middle of the group. The filters `state=ood`, `similar_to` these, and
    `similarity_min` find it whole; `size` is how many there were when the round closed.
    """

    example_ids: list[int]
    similarity_min: float
    size: int


class Filters(TypedDict):
    """What examples have to be; all that is given has to hold.

    They are of the pool unless `split` names another, or is `all`: nobody is asked about images
    that are kept to evaluate on, whatever their state.

    `verdict`, `annotator_id`, `source` and `note`, whether there is a note beside it, are of one
    vote that holds; without a note are those with none beside any. Of labels of boxes a `state`
    or `verdict` is also `objects`, those with a box at least, or `no_objects`, those with none.
    `class_id` is the class that an example counts as, or one of those in its label, `predicted` the
    one that the model takes it for. Its verdicts are in `disagreement` if they contradict each
    other and no reviewer has settled it. `kept_by` and `dropped_by` are subsets, which know the
    labels of when they were made. `outline` is drawn on the embedding map: its version, a colon,
    and the corners as `x,y;x,y;...`. Scores and predictions are those that the queries of `round`
    were chosen by, by default the latest.

    `search` are words, or beginnings of words, of a text: all of them have to be in it, in any
    order; with `or` between them either, and none that has `-` before it. "Words in quotes" are
    whole, and stand together.

    `similar_to` are ids of images with commas between them, `similar_file` the job of a file that
    was sent to be looked up: what is found has the features that likeness is measured by, and
    `similarity_min` of it to the mean of these. `duplicate_of` finds the images that show the same
    picture as another, and that one.

    `fields` are conditions on what came with an example, by the names that `shown_fields` has:
    `camera=3`, `score<0.5`, `taken>=2024-03-01` (`<=` and `>` too), `camera` if it has to be there
    and `!camera` if it must not. Several values that one field is to be equal to are alternatives.
    Ranges compare numbers as such, also where they are written as text, and all else letter by
    letter, as dates of ISO 8601 are in order; `=` finds text as it is written. What is in double
    quotes is taken as it stands.
    """

    annotator_id: NotRequired[int | None]
    class_id: NotRequired[int | None]
    disagreement: NotRequired[bool | None]
    dropped_by: NotRequired[int | None]
    duplicate_of: NotRequired[int | None]
    fields: NotRequired[list[str] | None]
    import_id: NotRequired[int | None]
    informativeness_max: NotRequired[float | None]
    informativeness_min: NotRequired[float | None]
    kept_by: NotRequired[int | None]
    name: NotRequired[str | None]
    note: NotRequired[bool | None]
    outline: NotRequired[str | None]
    predicted: NotRequired[int | None]
    purity_max: NotRequired[float | None]
    purity_min: NotRequired[float | None]
    round: NotRequired[int | None]
    search: NotRequired[str | None]
    similar_file: NotRequired[int | None]
    similar_to: NotRequired[str | None]
    similarity_min: NotRequired[float | None]
    source: NotRequired[AnnotationSource | Literal["people"] | None]
    split: NotRequired[Split | Literal["all"]]
    state: NotRequired[ExampleState | Literal["objects", "no_objects"] | None]
    verdict: NotRequired[Verdict | Literal["objects", "no_objects"] | None]


class Count(TypedDict):
    """How many match; where not `exact`, as a look at a part of the pool suggests."""

    count: int
    exact: bool


class Stance(TypedDict):
    """What is said of some images of a group; no class is OOD.

    Of labels of boxes `objects` says whether they have any: these are not compared, and no class.
    """

    class_id: int | None
    images: int
    objects: Literal["objects", "no_objects"] | None


class DuplicateGroup(TypedDict):
    """Images that show the same picture.

    `id` is the image that stands for them. `pool` are those of the pool that are not held out;
    `items` are the first few: those to evaluate on, those with a verdict, then the others.
    """

    auxiliary_ood: int
    evaluation: int
    held_out: int
    id: int
    images: int
    is_contradicting: bool
    is_leaking: bool
    items: list[Example]
    pool: int
    said: list[Stance]


class Changed(TypedDict):
    """What became of a selection.

    `example_ids` were changed, and undoing it is for them. `again` of them had a verdict, which the
    next answer replaces. `moved` were in the queue and are at its head now. `left_out` counts the
    others by reason.
    """

    again: int
    example_ids: list[int]
    left_out: dict[str, int]
    moved: int
    round: int | None


class Judged(TypedDict):
    """`call` names what was said just now, to whoever undoes it."""

    again: int
    call: str
    example_ids: list[int]
    left_out: dict[str, int]
    moved: int
    round: int | None


class ImportedPredictions(TypedDict):
    """What was imported of one model: of how many examples, and which job last brought some."""

    examples: int
    import_id: int
    model: str
