from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from api.instruction_rows import InstructionFields
from api.projects.schemas import ClassOut, Colour
from api.schemas.choices import OneOf
from api.schemas.fields import OnField
from api.schemas.labels import Labeled
from api.schemas.names import GivenName
from api.schemas.notes import Note
from core.states import ExampleState, RoundState, Source, Split, Verdict
from core.tasks.registry import AnyLabel

Id = Annotated[int, Field(ge=1, lt=2**63)]
Score = Annotated[float, Field(allow_inf_nan=False)]
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
Objects = Literal["objects", "no_objects"]
MOST_AT_ONCE = 10_000
_IDS: Final = r"^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17}){0,199}$"
EVERY_SPLIT: Final = "all"


class Filters(BaseModel):
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

    model_config = ConfigDict(extra="forbid")

    state: Annotated[ExampleState | Objects, OneOf] | None = None
    split: Annotated[Split | Literal["all"], OneOf] = Split.POOL
    verdict: Annotated[Verdict | Objects, OneOf] | None = None
    class_id: Id | None = None
    annotator_id: Id | None = None
    source: Annotated[Source | Literal["people"], OneOf] | None = None
    disagreement: bool | None = None
    note: bool | None = None
    import_id: Id | None = None
    kept_by: Id | None = None
    dropped_by: Id | None = None
    outline: Annotated[str, StringConstraints(min_length=1, max_length=4000)] | None = None
    name: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    search: Annotated[str, StringConstraints(min_length=1, max_length=400)] | None = None
    round: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    predicted: Id | None = None
    purity_min: Score | None = None
    purity_max: Score | None = None
    informativeness_min: Score | None = None
    informativeness_max: Score | None = None
    similar_to: Annotated[str, StringConstraints(pattern=_IDS, max_length=4000)] | None = None
    similar_file: Id | None = None
    similarity_min: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] | None = None
    duplicate_of: Id | None = None
    fields: Annotated[list[OnField], Field(min_length=1, max_length=20)] | None = None

    @property
    def examples(self) -> list[int]:
        """Ids that `similar_to` names."""
        return [] if self.similar_to is None else [int(one) for one in self.similar_to.split(",")]


class Listing(Filters):
    """A page of what matches.

    What is compared with other images comes in the order of its similarity, unless `sort` says
    something else.
    """

    sort: Sort = "pool_index"
    cursor: Annotated[
        int | None, Field(ge=0, lt=2**63, description="next_cursor of the page before.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100

    @model_validator(mode="after")
    def _most_similar_first(self) -> Self:
        compared = self.similar_to is not None or self.similar_file is not None
        if compared and "sort" not in self.model_fields_set:
            self.sort = "-similarity"
        return self


class ValuesOf(Filters):
    """A field, and which examples are looked at: what is asked of the field itself is left out."""

    of: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class ExampleOut(BaseModel):
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

    id: int
    pool_index: int
    name: str
    width: int | None
    height: int | None
    excerpt: str | None
    fields: InstructionFields | None
    split: Split
    state: ExampleState
    label: str | None
    label_class_id: int | None
    whole_label: AnyLabel | None
    purity: float | None
    informativeness: float | None
    meta_score: float | None
    predicted_class_id: int | None
    confidence: float | None
    in_probability: float | None
    similarity: float | None
    isolation: float | None
    duplicates_of: int | None
    image_url: str


class ExamplePage(BaseModel):
    """Some of what matches, in order.

    A page may hold fewer than were asked for, or none, where few match: one page looks at a bounded
    part of the pool. There is more as long as `next_cursor` is given. `scores_round` is the round
    whose scores these are; ask for the pages after with `round` set to it.
    """

    items: list[ExampleOut]
    next_cursor: int | None
    searched: float
    scores_round: int | None


class ExampleCount(BaseModel):
    """How many match; where not `exact`, as a look at a part of the pool suggests."""

    count: int
    exact: bool


class Neighbour(ExampleOut):
    similarity: float


class Neighbours(BaseModel):
    """The most similar images of the project by cosine similarity, -1..1, the nearest first."""

    features: str
    items: list[Neighbour]


class LotBand(BaseModel):
    """How sure the model is of the images of a lot, from the least sure to the surest, 0 to 1."""

    low: float
    high: float


class LotOut(BaseModel):
    """The lot that an image is labeled in.

    `bound` is the share that may be wrong, at most, of all that was promised together with it.
    """

    id: int
    certificate_id: int
    band: LotBand
    bound: float | None


class LookAlike(BaseModel):
    """OOD examples that look like a class of their own.

    `example_ids` are in the middle of the group. The filters `state=ood`, `similar_to` these, and
    `similarity_min` find it whole; `size` is how many there were when the round closed.
    """

    example_ids: list[int]
    similarity_min: float
    size: int


class LookAlikes(BaseModel):
    """Groups among what is none of the classes, as `round` found them, the largest first."""

    round: int | None
    items: list[LookAlike]


class AnnotationOut(BaseModel):
    """One verdict on an example. `holds` tells whether it counts and nothing corrects it.

    `seen_as` is what the class was called to the annotator, if it is called otherwise now.
    `probability` and `lot` are those of a model's verdict, which counts where no person has said
    anything.
    """

    id: int
    verdict: Verdict
    class_id: int | None
    label: AnyLabel | None
    source: Source
    source_name: str | None
    annotator_id: int | None
    annotator: str | None
    round: int | None
    job_id: int | None
    seconds: float
    counted: bool
    holds: bool
    supersedes_id: int | None
    superseded_by: int | None
    seen_as: str | None
    note: str | None
    probability: float | None
    lot: LotOut | None
    created_at: datetime


class PlaceOut(BaseModel):
    """A query of a round that asks, or asked, about an example."""

    round: int
    round_state: RoundState
    rank: int
    done: bool
    requested: bool
    again: bool
    purity: float | None
    informativeness: float | None
    meta_score: float | None


class ExampleDetail(ExampleOut):
    """`annotations` and `places` are the latest 200 of each.

    `location` is where the original lies, if Karat keeps no copy of it.
    """

    media_type: str
    bytes: int
    sha256: str
    location: str | None
    meta: dict[str, Any]
    import_id: int | None
    scores_round: int | None
    annotations: list[AnnotationOut]
    places: list[PlaceOut]


class Selection(BaseModel):
    """Examples by id, or all that match filters; at most 10,000."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST_AT_ONCE)] | None = None
    filters: Filters | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.ids is None) == (self.filters is None):
            raise ValueError("Give ids or filters, and not both.")
        return self


class Judgement(Selection, Labeled):
    """What is said of a selection; a skip takes back what the caller has said of it here.

    With `undoes`, the `call` of what this route has answered before, a skip takes back that alone:
    what the caller had said of an image until then counts again.
    """

    verdict: Verdict
    undoes: UUID | None = None
    note: Note = None

    @model_validator(mode="after")
    def _label_iff_verdict(self) -> Self:
        if self.undoes is not None and self.verdict is not Verdict.SKIP:
            raise ValueError("Give undoes with the verdict skip, and with no other.")
        if (self.verdict is Verdict.LABEL) != (self.label is not None):
            raise ValueError("Give class_id or label with the verdict label, and with no other.")
        return self


class Promotion(Selection):
    name: GivenName
    colour: Colour | None = None


class Words(BaseModel):
    """What images are looked for that show it, as one would write below a picture."""

    model_config = ConfigDict(extra="forbid")

    words: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)
    ] = Field(examples=["a dog on a sofa"])


class WordsOut(BaseModel):
    """Whether images can be searched by words: `weights` of the network that understands them."""

    weights: str | None


class LookAt(BaseModel):
    """Which class to look for; left out: the one that the model says."""

    model_config = ConfigDict(extra="forbid")

    class_id: Annotated[int, Field(ge=1, lt=2**63)] | None = None


class Changed(BaseModel):
    """What became of a selection.

    `example_ids` were changed, and undoing it is for them. `again` of them had a verdict, which the
    next answer replaces. `moved` were in the queue and are at its head now. `left_out` counts the
    others by reason.
    """

    example_ids: list[int]
    again: int
    moved: int
    left_out: dict[str, int]
    round: int | None


class Judged(Changed):
    """`call` names what was said just now, to whoever undoes it."""

    call: UUID


class Promoted(Changed):
    class_: Annotated[ClassOut, Field(serialization_alias="class", validation_alias="class")]
