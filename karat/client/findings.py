"""What pruning and relabeling jobs found, and what became of it, as typed dictionaries."""

from typing import Any, Literal, NotRequired, TypedDict

ReviewDecision = Literal["keep", "accept", "other", "ood", "unsure"]
SubsetFormat = Literal["csv", "ids", "imagefolder", "parquet"]


class Subset(TypedDict):
    """What a pruning job keeps; ``noise_ratio`` is of that, where the truth is known."""

    id: int
    job_id: int | None
    method: str
    params: dict[str, Any]
    labeled: int
    kept: int
    noise_ratio: float | None
    active: bool
    created_at: str


class ClassShare(TypedDict):
    """How many examples are labeled with a class, and how many of those are kept."""

    class_id: int
    labeled: int
    kept: int


class Noise(TypedDict):
    """How many labels are wrong among those whose truth is known."""

    known: int
    wrong: int
    ratio: float | None


class ComparedSubset(Subset):
    """One of two subsets that are compared."""

    balance: list[ClassShare]
    noise: Noise


class OnlyHere(TypedDict):
    """An example that one subset keeps and the other does not."""

    example_id: int
    class_id: int
    true_class_id: int | None
    loss: float


class SubsetComparison(TypedDict):
    """Two subsets side by side, by what they keep."""

    a: ComparedSubset
    b: ComparedSubset
    intersection: int
    union: int
    jaccard: float
    only_a: int
    only_b: int
    first_only_a: list[OnlyHere]
    first_only_b: list[OnlyHere]


class Review(TypedDict):
    """How far the suggestions of one job are decided; without a job, disagreements."""

    job_id: int | None
    created_at: str | None
    total: int
    open: int
    decided: dict[ReviewDecision, int]


class Interval(TypedDict):
    """A share, and what it lies within in 95 of 100 cases, all 0 to 1."""

    share: float
    low: float
    high: float


class Remaining(TypedDict):
    """What is expected of the open suggestions; ``next_wrong`` is of the next twenty."""

    open: int
    expected_wrong: float
    expected_right: float
    worth: int
    next_wrong: float | None


class ReviewAudit(TypedDict):
    """Labels drawn by chance among the ``labels`` that were not suggested."""

    size: int
    open: int
    decided: int
    wrong: int
    labels: int
    inclusion: float
    error_left: Interval | None


class ReviewEstimate(TypedDict):
    """What the decisions on a job's suggestions say so far; no shares below twenty decisions."""

    job_id: int
    share: float
    decided: int
    wrong: int
    right: int
    precision: Interval | None
    class_precision: Interval | None
    remaining: Remaining
    advice: Literal["too_few", "go_on", "stop", "done"]
    audit: ReviewAudit | None


class Votes(TypedDict):
    """How many say that an image is of a class; none is OOD."""

    class_id: int | None
    count: int


class Suggestion(TypedDict):
    """Another label for an image; ``quality`` is cleanlab's of the given one, 0 to 1.

    A label without a class is OOD.
    """

    id: int
    example_id: int
    rank: int
    image_url: str
    width: int | None
    height: int | None
    excerpt: str | None
    name: str
    given_class_id: int | None
    suggested_class_id: int | None
    votes: list[Votes]
    confidence: float
    quality: float | None
    alike: int | None
    decision: ReviewDecision | None
    decided_class_id: int | None


class Decision(TypedDict):
    """One decision of a reviewer; None takes back the one before, "other" names a class."""

    suggestion_id: int
    decision: ReviewDecision | None
    class_id: NotRequired[int]
    seconds: NotRequired[float]
    key: NotRequired[str]


class DecisionResult(TypedDict):
    """What became of a decision."""

    key: str
    status: Literal["accepted", "duplicate", "late", "rejected"]
    annotation_id: int | None
    code: str | None
    detail: str | None


class DecisionReceipt(TypedDict):
    """What became of decisions, and how far the review is."""

    results: list[DecisionResult]
    review: Review
