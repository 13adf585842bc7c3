"""What rounds and jobs found and made.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, TypedDict

from karat.client.resources import RoundState

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

    An answer counts as what it was corrected to, unless a later round asked about it again.
    `no_objects` are those of `label` that are boxes, and no box. `class` is what `label` was called
    before, for clients of then.
    """

    label: int
    no_objects: int
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

    ``by_random`` goes by the share in what round 0 drew at random, ``by_purity`` by purity
    calibrated on the last answers; either may be null. ``count`` is that of the narrower interval;
    where the two do not meet (``agree`` is false) ``by_random``, which no choice of queries can
    bias.
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

    ``strategy`` chose its images; of round 0, which goes by ``first_queue`` of its settings, it is
    ``random``.

    ``chosen`` are the answers to images that its strategy chose: neither drawn as a check, nor
    asked for a second time, nor sent by somebody. ``in_share`` is the share of these that name a
    class, of those that are a label or OOD.

    ``budget`` is what its answers may cost: what ``settings`` say and checks for a certificate
    add, or all that it asks where that is less.

    ``purity_auroc`` judges the purity of the round's queries by their verdicts. ``drawn`` are the
    answers to images that were drawn at random from the pool, of round 0 alone: neither chosen as
    typical nor sent by somebody.
    """

    accuracy: float | None
    annotator_seconds: float
    answered: Answered
    budget: float
    chosen: Answered
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
    yet. The shares are ``of`` so many images, from which the draws were made, and say nothing of
    those that were left ``beyond`` these, as they came later. So many answered draws are ``past``:
    they do not count, as too many of the images that they were drawn from were labeled or held out
    otherwise since. ``drawn``, ``answered`` and ``waiting`` count the draws as they are now,
    ``unlooked`` the images of the pool that nobody has judged. ``inside`` is of images of a class,
    whether they are given it, ``ood`` of the others, whether they are taken for that; ``ood_share``
    how many others there are. ``refused`` says why no draws can be made.
    """

    accuracy: DrawnShare | None
    answered: int
    beyond: int
    confidence: float
    drawn: int
    inside: DrawnShare | None
    of: int | None
    ood: DrawnShare | None
    ood_share: DrawnShare | None
    past: int
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
