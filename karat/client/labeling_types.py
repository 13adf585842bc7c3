"""What there is to label, and what became of answers.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, NotRequired, TypedDict

from karat.client.pool_types import InstructionFields
from karat.client.resources import ProjectState, RoundState, Verdict


class QueryMember(TypedDict):
    """One of the rows that a query asks to rank."""

    example_id: int
    fields: InstructionFields


class Proposal(TypedDict):
    """A box that a model proposes."""

    attributes: NotRequired[dict[str, bool | float | str]]
    class_id: int
    h: float
    score: float
    w: float
    x: float
    y: float


class SuggestedClass(TypedDict):
    """A class that a model takes an example for, and how sure it is; null if it does not say."""

    class_id: int
    score: float | None


class ShownField(TypedDict):
    """A field that came with an example, by the name that it has in the import."""

    name: str
    value: str | int | float | bool


class Query(TypedDict):
    """An image or a text to judge.

    A text has no `width` and `height`. Its `excerpt` is how it begins, at most 300 characters, and
    `text` is all of it where that has at most 20,000; of a longer one `image_url` gives the rest.

    `proposals` are boxes that a model proposes, the surest first; null where none has. A box that
    is made of one names its place among them. Of classes `suggested` is one that was imported as a
    model's prediction. `proposed_by` names the model whose predictions were imported; null where
    Karat's own newest model proposes, or none.

    `fields` are those that came with the example and that the project shows, `shown_fields` of its
    settings; none where rows are ranked.

    `members` are the rows to rank, `example_id` among them, in an order that is the caller's own;
    null where an example is judged by itself.
    """

    duplicates_of: int | None
    example_id: int
    excerpt: str | None
    fields: list[ShownField]
    height: int | None
    image_url: str
    in_probability: float | None
    members: list[QueryMember] | None
    name: str
    predicted_class_id: int | None
    probability: float | None
    proposals: list[Proposal] | None
    proposed_by: str | None
    query_id: int
    rank: int
    round: int
    suggested: SuggestedClass | None
    text: str | None
    width: int | None


class Mine(TypedDict):
    """How many verdicts the user gave; a corrected one counts once."""

    round: int
    today: int
    total: int


class RoundStatus(TypedDict):
    """How far the budget of the round that is labeled is spent."""

    budget: float
    number: int
    spent: float
    state: RoundState


class LabelingStatus(TypedDict):
    """What there is to label, and if nothing, why; `mine` if the status is asked for."""

    classes_version: int
    mine: Mine | None
    project_state: ProjectState
    remaining: int | None
    round: RoundStatus | None
    waiting_for: Literal["nothing", "training", "failed", "disk", "paused", "finished", "others"]


class Lease(TypedDict):
    """Without `items`, `held_elsewhere` says whether another client of the caller holds some."""

    expires_at: str | None
    held_elsewhere: bool
    items: list[Query]
    lease_token: str | None
    status: LabelingStatus


class Answer(TypedDict):
    """A verdict on a query. `key` names it: sent twice, it counts once.

    With the project's `classes_version` as its classes were shown, an answer is refused if
    its class is another one by now.
    """

    class_id: NotRequired[int | None]
    classes_version: NotRequired[int | None]
    key: NotRequired[str]
    label: NotRequired[dict[str, Any] | None]
    lease_token: NotRequired[str | None]
    note: NotRequired[str | None]
    query_id: int
    seconds: float
    supersedes: NotRequired[str | None]
    verdict: Verdict


class Note(TypedDict):
    """A note and the verdict that it stands beside, whose `id` it has."""

    class_id: int | None
    created_at: str
    id: int
    label: dict[str, Any] | None
    note: str
    verdict: Verdict


class RecentAnswer(TypedDict):
    """A verdict that the user gave; another that `supersedes` its `key` corrects it."""

    class_id: int | None
    created_at: str
    example_id: int
    excerpt: str | None
    fields: list[ShownField]
    height: int | None
    image_url: str
    key: str
    label: dict[str, Any] | None
    members: list[QueryMember] | None
    name: str
    note: str | None
    proposals: list[Proposal] | None
    query_id: int
    reviewer_note: Note | None
    verdict: Verdict
    width: int | None


class AnswerResult(TypedDict):
    """What became of an answer.

    `late` answers are stored but not counted, because somebody else's came first. `rejected` ones
    name something that does not exist, or a class whose name another class has by now; nothing was
    stored, and the image is asked about again.
    """

    annotation_id: int | None
    code: str | None
    counted: bool
    detail: str | None
    key: str
    round: int | None
    status: Literal["accepted", "duplicate", "late", "rejected"]


class AnswerReceipt(TypedDict):
    """The results of a batch of answers, in their order."""

    results: list[AnswerResult]
    status: LabelingStatus
