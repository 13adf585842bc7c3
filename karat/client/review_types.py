"""Where verdicts disagree or are doubted, and what was decided.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, NotRequired, TypedDict

from karat.client.labeling_types import Note, QueryMember

ReviewDecision = Literal["keep", "accept", "other", "ood", "unsure"]
"""What a reviewer says of a given label and a suggested one."""


class AgreementFigures(TypedDict):
    """How far verdicts on the same images agree.

    `share` is that of pairs of verdicts which are the same; `alpha` is Krippendorff's, 1 for full
    agreement and 0 for that of chance. Both are null where there is no pair.
    """

    alpha: float | None
    pairs: int
    share: float | None


class ProposalFates(TypedDict):
    """What somebody made of what models proposed to them.

    `proposals` were shown in `answers`; each was `kept` as it was, `adjusted` or `rejected`. `iou`
    is the mean overlap, 0 to 1, of those that were adjusted with what became of them, null where
    none was. `seconds_per_box` is the median over answers with boxes, drawn and kept ones alike.
    Of those proposals that were put beside where they belong `shifted` were shown, and
    `shifted_kept` were kept so.
    """

    adjusted: int
    answers: int
    iou: float | None
    kept: int
    proposals: int
    rejected: int
    seconds_per_box: float | None
    shifted: int
    shifted_kept: int


class Voter(TypedDict):
    """One annotator, or one column of imported labels, beside all others.

    `proposals` is null where labels are no boxes, and of columns.
    """

    classes: AgreementFigures
    in_ood: AgreementFigures
    name: str
    proposals: ProposalFates | None
    user_id: int | None
    votes: int


class Proposer(TypedDict):
    """What annotators made of what one model proposed; of `model` null it is Karat's own.

    In `answers` it had proposed something. Of classes `agreed` says how many of these answers are
    of the class that it proposed; reviews are left out. Of boxes `proposals` has the sums.
    """

    agreed: int | None
    answers: int
    model: str | None
    proposals: ProposalFates | None


class Agreement(TypedDict):
    """How far verdicts agree on whether an image is in-distribution, and on its class."""

    classes: AgreementFigures
    examples: int
    in_ood: AgreementFigures
    models: list[Proposer]
    voters: list[Voter]


class Review(TypedDict):
    """The suggestions of one job, and how far they are decided.

    Without a job: the images on which verdicts contradict each other, of which `open` wait for no
    further verdict.
    """

    created_at: str | None
    decided: dict[ReviewDecision, int]
    job_id: int | None
    open: int
    total: int


class Interval(TypedDict):
    """A share, and what it lies within in 95 of 100 cases, all 0 to 1."""

    high: float
    low: float
    share: float


class Remaining(TypedDict):
    """What is expected of the open suggestions, by the job and the decisions so far.

    `worth` counts those whose label is wrong with the chosen share at least, and `next_wrong` is
    the share of wrong labels expected of the next twenty; null where nothing is open.
    """

    expected_right: float
    expected_wrong: float
    next_wrong: float | None
    open: int
    worth: int


class ReviewAudit(TypedDict):
    """Labels drawn by chance among the `labels` that the job judged and does not doubt.

    `error_left` is the share of those that are wrong, an exact interval; null before a decision.
    """

    decided: int
    error_left: Interval | None
    inclusion: float
    labels: int
    open: int
    size: int
    wrong: int


class ReviewEstimate(TypedDict):
    """What the decisions on a job's suggestions say so far; unsure ones say nothing.

    Of those `decided`, `wrong` labels were wrong and `right` proposals were taken. `precision` and
    `class_precision` are these as shares, null below twenty decisions. `share` is that below which
    suggestions are not worth it; `advice` says whether the next ones are.
    """

    advice: Literal["too_few", "go_on", "stop", "done"]
    audit: ReviewAudit | None
    class_precision: Interval | None
    decided: int
    job_id: int
    precision: Interval | None
    remaining: Remaining
    right: int
    share: float
    wrong: int


class Votes(TypedDict):
    """How many said so, reviewers apart; no label is OOD."""

    class_id: int | None
    count: int
    label: dict[str, Any] | None


class Suggestion(TypedDict):
    """An image whose label a job doubts, or annotators disagree on.

    A given or suggested label that is null is OOD. `votes` holds what was said, by most first.
    `confidence`, 0 to 1, is how likely the suggested label is right by the job and, where it is
    open, the decisions so far. `quality` is cleanlab's of the given label, 0 to 1. Suggestions with
    the same `alike` have the same two labels and look alike. `decided_label` is what was decided
    on, if it was a label. What ends in `class_id` is the class of the label beside it. `members`
    are the rows that were ranked, in the order in which they were put together; null where none
    were. `notes` were written beside other verdicts that hold, the oldest first, and `note` beside
    the decision.
    """

    alike: int | None
    confidence: float
    decided_class_id: int | None
    decided_label: dict[str, Any] | None
    decision: ReviewDecision | None
    example_id: int
    excerpt: str | None
    given_class_id: int | None
    given_label: dict[str, Any] | None
    height: int | None
    id: int
    image_url: str
    members: list[QueryMember] | None
    name: str
    note: str | None
    notes: list[Note]
    quality: float | None
    rank: int
    suggested_class_id: int | None
    suggested_label: dict[str, Any] | None
    votes: list[Votes]
    width: int | None


class Decision(TypedDict):
    """One decision of a reviewer; None takes back the one before, "other" names a class."""

    class_id: NotRequired[int | None]
    classes_version: NotRequired[int | None]
    decision: ReviewDecision | None
    key: NotRequired[str]
    label: NotRequired[dict[str, Any] | None]
    note: NotRequired[str | None]
    seconds: NotRequired[float]
    suggestion_id: int


class DecisionResult(TypedDict):
    """What became of a decision.

    A `late` one is stored and changes nothing, because somebody else decided first. A `rejected`
    one names a suggestion that does not exist, a key that belongs to something else, or a class
    whose name another class has by now, or settles what its reviewer has taken a side in.
    """

    annotation_id: int | None
    code: str | None
    detail: str | None
    key: str
    status: Literal["accepted", "duplicate", "late", "rejected"]


class DecisionReceipt(TypedDict):
    """What became of decisions, and how far the review is."""

    classes_version: int
    results: list[DecisionResult]
    review: Review
