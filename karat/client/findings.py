"""What rounds and jobs found and made, and what became of it.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, NotRequired, TypedDict

from karat.client.resources import QueryMember, RoundState

ReviewDecision = Literal["keep", "accept", "other", "ood", "unsure"]
"""What a reviewer says of a given label and a suggested one."""
SubsetFormat = Literal["csv", "ids", "imagefolder", "parquet"]
ArtifactKind = Literal[
    "checkpoint",
    "meta_model",
    "scores",
    "import_report",
    "comparison",
    "subset",
    "relabels",
    "embedding_map",
    "alike",
    "selection",
    "snapshot",
    "certificate",
]
"""What an artifact holds."""


class Artifact(TypedDict):
    """A file that a job made."""

    bytes: int
    created_at: str
    id: int
    job_id: int | None
    kind: ArtifactKind
    meta: dict[str, Any]
    round_id: int | None
    sha256: str


class ExportedClass(TypedDict):
    """A class as exports write it.

    ``number`` is that of Parquet, and of COCO less one. ``folder`` is where folders by class have
    it. ``labeled`` and ``evaluation`` are the numbers of images that show it.
    """

    evaluation: int
    folder: str
    id: int
    labeled: int
    name: str
    number: int


class Answered(TypedDict):
    """Counted answers by verdict.

    An answer counts as what it was corrected to, unless a later round asked about it again. `class`
    is what `label` was called before, for clients of then.
    """

    label: int
    ood: int
    skip: int
    unsure: int


class OodEstimate(TypedDict):
    """How many unlabeled images are OOD, with a 95 % interval, made of so many answers."""

    answers: int
    count: float
    high: float
    low: float


class OodLeft(TypedDict):
    """OOD among the images that were unlabeled when the round closed.

    ``by_random`` goes by the share in the random round 0, ``by_purity`` by purity calibrated on the
    last answers; either may be null. ``count`` is that of the narrower interval; where the two
    do not meet (``agree`` is false) that of the random round, which no choice of queries can bias.
    """

    agree: bool | None
    by_purity: OodEstimate | None
    by_random: OodEstimate | None
    count: float | None
    high: float | None
    low: float | None
    unlabeled: int


class Round(TypedDict):
    """A round. ``accuracy`` is that of the model trained on the answers up to this round.

    ``purity_auroc`` judges the purity of the round's queries by their verdicts. ``drawn`` are the
    answers to images that were drawn at random from the pool, of round 0 alone: neither chosen as
    typical nor sent by somebody.
    """

    accuracy: float | None
    annotator_seconds: float
    answered: Answered
    budget: float
    closed_at: str | None
    closing_at: str | None
    drawn: Answered | None
    in_share: float | None
    job_id: int | None
    metrics: dict[str, Any]
    notes: list[str]
    number: int
    ood_left: OodLeft | None
    opened_at: str | None
    purity_auroc: float | None
    queries: int
    seconds: dict[str, float]
    seed: int
    settings: dict[str, Any]
    spent: float
    state: RoundState
    strategy: str


class DrawnShare(TypedDict):
    """A share in 0..1 with the ends of an interval that holds however often one looks."""

    high: float
    low: float
    n: int
    share: float


class HumanError(TypedDict):
    """How often a single verdict is wrong, at most ``high``, by images that were judged twice."""

    disagreed: int
    high: float
    pairs: int
    share: float


class ClassAudit(TypedDict):
    """Of one class: the share of its ``n`` draws that the model labels rightly.

    ``precision`` is how often it is right where it says so.
    """

    class_id: int
    high: float
    low: float
    n: int
    precision: DrawnShare | None
    share: float


class AuditEstimate(TypedDict):
    """How often the newest model is right on what no strategy has chosen, by random draws.

    ``round`` is the round whose model was measured, as it closed; without one nothing was measured
    yet. ``drawn``, ``answered`` and ``waiting`` count the draws as they are now, ``unlooked`` the
    images of the pool that nobody has judged. ``inside`` is of images of a class, whether they are
    given it, ``ood`` of the others, whether they are taken for that; ``ood_share`` how many others
    there are. ``refused`` says why no draws can be made.
    """

    accuracy: DrawnShare | None
    answered: int
    confidence: float
    drawn: int
    inside: DrawnShare | None
    ood: DrawnShare | None
    ood_share: DrawnShare | None
    people: HumanError | None
    per_class: list[ClassAudit]
    refused: str | None
    round: int | None
    share_of_queue: float
    unlooked: int
    unsure: int
    waiting: int


class AuditAsked(TypedDict):
    """How many draws were put into the queue of ``round``."""

    asked: int
    round: int


class LookAlike(TypedDict):
    """OOD examples that look like a class of their own.

    `example_ids` are in the middle of the group. The filters `state=ood`, `similar_to` these, and
    `similarity_min` find it whole; `size` is how many there were when the round closed.
    """

    example_ids: list[int]
    similarity_min: float
    size: int


class Reason(TypedDict):
    """One reason, by a code that programs can rely on, and its numbers."""

    code: str
    points: Literal["stop", "go_on", "neither"]
    values: dict[str, float]


class Outlook(TypedDict):
    """Whether another round is expected to pay. See docs/api.md for the codes of the reasons."""

    advice: Literal["stop", "go_on", "unclear", "unknown"]
    goal: Literal["best_model", "find_all"]
    least_gain: float
    reasons: list[Reason]


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


class Agreement(TypedDict):
    """How far verdicts agree on whether an image is in-distribution, and on its class."""

    classes: AgreementFigures
    examples: int
    in_ood: AgreementFigures
    voters: list[Voter]


class Subset(TypedDict):
    """A subset.

    ``noise_ratio`` is of what is kept, over the ``noise_known`` examples whose truth is known.
    """

    active: bool
    created_at: str
    id: int
    job_id: int | None
    kept: int
    labeled: int
    method: str
    noise_known: int | None
    noise_ratio: float | None
    params: dict[str, Any]


class ClassShare(TypedDict):
    """How many examples are labeled with a class, and how many of those are kept."""

    class_id: int
    kept: int
    labeled: int


class Noise(TypedDict):
    """How many labels are wrong among those whose truth is known."""

    known: int
    ratio: float | None
    wrong: int


class ComparedSubset(TypedDict):
    """One of the two that are compared."""

    active: bool
    balance: list[ClassShare]
    created_at: str
    id: int
    job_id: int | None
    kept: int
    labeled: int
    method: str
    noise: Noise
    noise_known: int | None
    noise_ratio: float | None
    params: dict[str, Any]


class OnlyHere(TypedDict):
    """An example that one subset keeps and the other does not."""

    class_id: int
    example_id: int
    loss: float
    true_class_id: int | None


class SubsetComparison(TypedDict):
    """Two subsets side by side, by what they keep."""

    a: ComparedSubset
    b: ComparedSubset
    first_only_a: list[OnlyHere]
    first_only_b: list[OnlyHere]
    intersection: int
    jaccard: float
    only_a: int
    only_b: int
    union: int


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
    were.
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
    seconds: NotRequired[float]
    suggestion_id: int


class DecisionResult(TypedDict):
    """What became of a decision.

    A `late` one is stored and changes nothing, because somebody else decided first. A `rejected`
    one names a suggestion that does not exist, a key that belongs to something else, or a class
    whose name another class has by now.
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
