"""What the API returns, as typed dictionaries. Times are ISO 8601 strings in UTC."""

from typing import Any, Literal, NotRequired, TypedDict

Scope = Literal["read", "label", "write", "admin"]
Role = Literal["admin", "engineer", "annotator"]
Split = Literal["pool", "evaluation", "auxiliary_ood"]
FolderChoice = Literal["pool", "evaluation", "auxiliary_ood", "leave_out", "class"]
Verdict = Literal["class", "ood", "skip", "unsure"]
ProjectState = Literal["draft", "running", "paused", "finished"]
RoundState = Literal["selecting", "open", "closing", "closed", "failed"]
JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]
Medium = Literal["image", "text"]
ExportFormat = Literal[
    "csv", "jsonl", "imagefolder", "yolo", "coco", "label_studio", "parquet", "doccano"
]


class User(TypedDict):
    """A person or a program that logs in."""

    id: int
    email: str
    name: str
    role: Role
    active: bool
    must_change_password: bool
    created_at: str


class Token(TypedDict):
    """An API token, without its secret."""

    id: int
    name: str
    prefix: str
    scope: Scope
    created_at: str
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None


class NewToken(Token):
    """An API token at the only moment its secret is shown."""

    secret: str


class ClassSpec(TypedDict):
    """A class to be made or changed; without ``id`` it is a new one."""

    id: NotRequired[int]
    name: str
    colour: NotRequired[str]
    hotkey: NotRequired[str]
    guide: NotRequired[str]


class Class(TypedDict):
    """A class of a project."""

    id: int
    name: str
    colour: str
    hotkey: str | None
    position: int
    guide: str


class Counts(TypedDict):
    """How many examples are in which state."""

    pool: int
    unlabeled: int
    queried: int
    labeled_in: int
    labeled_ood: int
    unsure: int
    held_out: int
    evaluation: int
    auxiliary_ood: int


class CurrentRound(TypedDict):
    """How far the budget of the current round is spent."""

    number: int
    state: RoundState
    spent: float
    budget: float


class ProjectSummary(TypedDict):
    """A project in a list; ``medium`` is what its examples are, image or text."""

    id: int
    name: str
    task: str
    medium: Medium
    state: ProjectState
    created_at: str
    counts: Counts
    current_round: CurrentRound | None


class ProjectListed(ProjectSummary):
    """The same with ids of a few of its examples, spread over all that there are.

    ``excerpts`` are how these begin, where they are texts.
    """

    pictures: list[int]
    excerpts: list[str]


class Project(ProjectSummary):
    """A project with its classes and settings, and what those need that is not there yet."""

    guidelines: str
    classes: list[Class]
    settings: dict[str, Any]
    modes: list[str]
    permissions: list[str]
    warnings: list[str]


class Member(TypedDict):
    """A member of a project."""

    user: User
    added_at: str


class Progress(TypedDict):
    """How far a job is; ``seconds`` has the time of each phase."""

    phase: str
    phase_index: int
    phases: list[str]
    step: int
    steps: int
    eta_seconds: float | None
    seconds: dict[str, float]


class JobError(TypedDict):
    """Why a job failed."""

    code: str
    detail: str


class Job(TypedDict):
    """Work done by a worker."""

    id: int
    project_id: int | None
    kind: str
    dry_run: bool
    state: JobState
    params: dict[str, Any]
    progress: Progress | None
    message: str | None
    error: JobError | None
    result: dict[str, Any] | None
    attempt: int
    cancel_requested: bool
    created_at: str
    started_at: str | None
    finished_at: str | None


class Estimate(TypedDict):
    """What a dry run has found: the ``estimate`` in its result."""

    seconds: float
    memory_bytes: int
    device: str
    labeled: int
    phases: dict[str, float]
    notes: list[str]


class ExportedClass(TypedDict):
    """A class as exports write it, and the numbers of images that show it.

    ``number`` is that of Parquet, and of COCO less one; ``folder`` is where folders by class have
    it.
    """

    id: int
    name: str
    number: int
    folder: str
    labeled: int
    evaluation: int


class ExportFormatInfo(TypedDict):
    """A format of exports, the media that it can hold, and why not the project's, if it cannot."""

    name: ExportFormat
    media: list[Medium]
    refused: str | None


class PlannedLabel(TypedDict):
    """A label of planned images; ``known`` if it is a class of the project."""

    name: str
    count: int
    known: bool


class PlannedGroup(TypedDict):
    """Images that a folder, or a value of the split column, has in common; ``None`` for the rest.

    ``proposal`` is what becomes of them unless you say otherwise, ``reason`` why that is not sure.
    ``fixed`` is what becomes of several folders or values that are shown as one: a split,
    ``left_out`` or ``refused``. Of these, ``name`` is none that you can choose by.
    """

    name: str | None
    proposal: FolderChoice
    reason: str | None
    may_be_class: bool
    count: int
    unlabeled: int
    labels: list[PlannedLabel]
    examples: list[str]
    fixed: str | None


class InputSize(TypedDict):
    """How large the model sees images: ``side`` × ``side`` pixels.

    It was chosen by the shorter sides of so many ``images``; the one in the middle has ``width``
    and ``height``.
    """

    side: int
    width: int
    height: int
    images: int


class ImportPlan(TypedDict):
    """What an import would do: the ``result`` of its dry run.

    ``rows`` of the ``total`` are about images that the project has. ``labels`` are the columns that
    hold labels, or may; ``bad_by_reason`` is what is refused whatever you choose; ``documents``
    says something of other files; ``input_size`` is what the first import of a project chooses,
    ``None`` in later ones. ``notes`` say how numbers are read; if it ``doubts``, there are some of
    which it is not certain what they count, unless ``count_from`` says it.
    """

    total: int
    split: Split
    rows: int
    by_split: dict[str, int]
    left_out: int
    left_out_by_reason: dict[str, int]
    refused: int
    refused_by_reason: dict[str, int]
    refused_examples: list[dict[str, str]]
    bad_by_reason: dict[str, int]
    groups: list[PlannedGroup]
    labels: list[dict[str, Any]]
    documents: list[dict[str, str]]
    columns: dict[str, str]
    count_from: int | None
    notes: list[str]
    doubts: bool
    input_size: InputSize | None


class Example(TypedDict):
    """An image or a text of a pool.

    A text has no ``width`` and ``height``; ``excerpt`` is how it begins, at most 300 characters.
    ``confidence`` is the probability of the predicted class among the classes, ``in_probability``
    that of being in-distribution at all. ``similarity`` is to what images were compared with,
    ``isolation`` the distance to the nearest others where they are ordered by it, and
    ``duplicates_of`` the image that stands for all that show the same picture.
    """

    id: int
    pool_index: int
    name: str
    width: int | None
    height: int | None
    excerpt: str | None
    split: Split
    state: str
    label: str | None
    label_class_id: int | None
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


class Query(TypedDict):
    """An image or a text to be labeled.

    ``text`` is all of a text of at most 20,000 characters; of a longer one ``PoolClient.text`` has
    the rest.
    """

    query_id: int
    example_id: int
    rank: int
    round: int
    image_url: str
    width: int | None
    height: int | None
    excerpt: str | None
    text: str | None
    name: str
    predicted_class_id: int | None
    probability: float | None
    in_probability: float | None
    duplicates_of: int | None


class Mine(TypedDict):
    """How many verdicts the user gave."""

    today: int
    total: int
    round: int


class LabelingStatus(TypedDict):
    """What there is to label, and if nothing, why. ``mine`` comes with ``labeling_status``."""

    project_state: ProjectState
    round: CurrentRound | None
    waiting_for: Literal["nothing", "training", "failed", "disk", "paused", "finished", "others"]
    mine: Mine | None
    remaining: int | None


class Lease(TypedDict):
    """Queries held for one annotator until ``expires_at``; both are None without queries.

    Without queries ``held_elsewhere`` says whether another client of theirs holds some.
    """

    lease_token: str | None
    expires_at: str | None
    items: list[Query]
    held_elsewhere: bool
    status: LabelingStatus


class Answer(TypedDict):
    """A verdict on a query. ``key`` names it: sent twice, it counts once."""

    key: NotRequired[str]
    query_id: int
    verdict: Verdict
    class_id: NotRequired[int | None]
    seconds: float
    supersedes: NotRequired[str]
    lease_token: NotRequired[str]


class AnswerResult(TypedDict):
    """What became of an answer."""

    key: str
    status: Literal["accepted", "duplicate", "late", "rejected"]
    annotation_id: int | None
    counted: bool
    round: int | None
    code: str | None
    detail: str | None


class AnswerReceipt(TypedDict):
    """The results of a batch of answers, in their order."""

    results: list[AnswerResult]
    status: LabelingStatus


class Round(TypedDict):
    """One turn of querying, labeling and training."""

    number: int
    state: RoundState
    strategy: str
    budget: float
    spent: float
    seed: int
    queries: int
    answered: dict[str, int]
    in_share: float | None
    accuracy: float | None
    purity_auroc: float | None
    ood_left: dict[str, Any] | None
    annotator_seconds: float
    settings: dict[str, Any]
    metrics: dict[str, Any]
    notes: list[str]
    seconds: dict[str, float]
    opened_at: str | None
    closing_at: str | None
    closed_at: str | None
    job_id: int | None


class Outlook(TypedDict):
    """Whether another round is expected to pay: stop, go_on, unclear or unknown, with reasons.

    ``goal`` is what the project is after: ``best_model`` or ``find_all``.
    """

    goal: str
    advice: str
    least_gain: float
    reasons: list[dict[str, Any]]


class Artifact(TypedDict):
    """A file that a job made."""

    id: int
    job_id: int | None
    round_id: int | None
    kind: str
    bytes: int
    sha256: str
    created_at: str
    meta: dict[str, Any]


class AgreementFigures(TypedDict):
    """Share of pairs that say the same, and Krippendorff's alpha; None without any pair."""

    pairs: int
    share: float | None
    alpha: float | None


class Voter(TypedDict):
    """An annotator, or a column of imported labels, beside all others."""

    user_id: int | None
    name: str
    votes: int
    in_ood: AgreementFigures
    classes: AgreementFigures


class Agreement(TypedDict):
    """How far verdicts agree on whether an image is in-distribution, and on its class."""

    examples: int
    in_ood: AgreementFigures
    classes: AgreementFigures
    voters: list[Voter]


class Algorithm(TypedDict):
    """An entry of the catalog of algorithms; ``media`` and ``tasks`` are what it serves."""

    name: str
    kind: str
    title: str
    summary: str
    paper: str | None
    needs: list[str]
    fallback: str
    group: str
    media: list[Medium]
    tasks: list[str]
    params_schema: dict[str, Any]
    defaults: dict[str, Any]
