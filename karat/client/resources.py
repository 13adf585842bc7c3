"""Users, projects and jobs, as the API returns them.

Times are ISO 8601 strings in UTC. Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, NotRequired, TypedDict

Scope = Literal["read", "label", "write", "admin"]
"""How much of what its user may do an API token may do; each includes the ones before it."""
Role = Literal["admin", "engineer", "annotator"]
"""What a user may do beside what a project lets its members do (``ProjectRole``).

Each includes the ones after it: admins manage everything and everybody, engineers make
projects."""
Medium = Literal["image", "text"]
"""What the examples of a project are."""
Split = Literal["pool", "evaluation", "auxiliary_ood"]
"""What an example is for."""
FolderChoice = Literal["pool", "evaluation", "auxiliary_ood", "leave_out", "class"]
"""What becomes of a folder, or of the rows with one value of the split column."""
Verdict = Literal["label", "ood", "skip", "unsure"]
"""What an annotator says of an example.

With ``LABEL`` goes a label of the project's task type. It was called ``class`` while labels
were classes: files keep that word, and clients and files that say it are understood."""
ProjectState = Literal["draft", "running", "paused", "finished"]
"""A project is set up, labeled, perhaps paused, and finished when its pool is used up."""
RoundState = Literal["selecting", "open", "closing", "closed", "failed"]
"""Where a round is in its life."""
JobState = Literal["queued", "running", "paused", "succeeded", "failed", "cancelled"]
"""Where a job is in its life; one that is paused waits for somebody to decide."""
JobKind = Literal[
    "import_pool",
    "advance_round",
    "learn_features",
    "taufe",
    "prune",
    "relabel",
    "score_part",
    "resize",
    "embedding_map",
    "compare",
    "look_up",
    "localize",
    "look_at",
    "select_instructions",
    "certify",
]
"""What a job does."""
ExampleState = Literal["unlabeled", "queried", "labeled", "ood", "unsure", "held_out"]
"""What is known of an example; nothing is asked about one that is held out."""
ExportFormat = Literal[
    "csv",
    "jsonl",
    "imagefolder",
    "yolo",
    "coco",
    "label_studio",
    "parquet",
    "doccano",
    "voc",
    "cvat",
    "alpaca",
    "messages",
    "rankings",
]
ProjectRole = Literal["annotator", "reviewer", "manager"]
"""What a member may do in a project; each role includes the ones before it.

Annotators label and decide reviews; reviewers also see what the project has found; managers
also change it. Admins are managers everywhere."""


class ExportFormatInfo(TypedDict):
    """A format, the media that it can hold, and why not that of the project, if it cannot."""

    media: list[Medium]
    name: str
    refused: str | None


class User(TypedDict):
    """A person or a program that logs in."""

    active: bool
    created_at: str
    email: str
    erased_at: str | None
    id: int
    must_change_password: bool
    name: str
    role: Role


class Token(TypedDict):
    """An API token, without its secret."""

    created_at: str
    expires_at: str | None
    id: int
    last_used_at: str | None
    name: str
    prefix: str
    project_id: int | None
    revoked_at: str | None
    scope: Scope


class NewToken(TypedDict):
    """An API token at the only moment its secret is shown."""

    created_at: str
    expires_at: str | None
    id: int
    last_used_at: str | None
    name: str
    prefix: str
    project_id: int | None
    revoked_at: str | None
    scope: Scope
    secret: str


class ClassSpec(TypedDict):
    """A class to be made or changed; without `id` it is a new one.

    Of one with an `id`, `colour`, `hotkey` and `guide` that are left out stay, a key unless another
    class asks for it. Otherwise a key is given out, also where it is null.
    """

    colour: NotRequired[str | None]
    guide: NotRequired[str | None]
    hotkey: NotRequired[str | None]
    id: NotRequired[int | None]
    name: str


class Class(TypedDict):
    """A class of a project."""

    colour: str
    guide: str
    hotkey: str | None
    id: int
    name: str
    position: int


class Counts(TypedDict):
    """Examples by what is known of them. All but the last three count the pool.

    `no_objects` are those of `labeled_in` that have a label of boxes, and no box: somebody has
    looked, and nothing of the classes is there.
    """

    auxiliary_ood: int
    evaluation: int
    held_out: int
    labeled_in: int
    labeled_ood: int
    no_objects: int
    pool: int
    queried: int
    unlabeled: int
    unsure: int


class CurrentRound(TypedDict):
    """How far the budget of the current round is spent."""

    budget: float
    failed: bool
    number: int
    spent: float
    state: RoundState


class ProjectListed(TypedDict):
    """`pictures` are ids of a few of its examples, spread over all that there are.

    `excerpts` are how these begin, where they are texts.
    """

    counts: Counts
    created_at: str
    current_round: CurrentRound | None
    excerpts: list[str]
    id: int
    medium: Medium
    name: str
    permissions: list[Literal["label", "review", "manage"]]
    pictures: list[int]
    state: ProjectState
    task: Literal["classification", "boxes", "instructions"]


class Project(TypedDict):
    """A project, with what people have written for it.

    `classes_version` is raised by every change of what is shown of classes where they are answered;
    answers carry it. `setup_version` is another whenever name, classes, guides or guidelines are;
    who writes them sends it.
    """

    classes: list[Class]
    classes_version: int
    counts: Counts
    created_at: str
    current_round: CurrentRound | None
    guidelines: str
    id: int
    medium: Medium
    modes: list[Literal["single", "grid"]]
    name: str
    permissions: list[Literal["label", "review", "manage"]]
    settings: dict[str, Any]
    setup_version: str
    state: ProjectState
    task: Literal["classification", "boxes", "instructions"]
    warnings: list[str]


class Retention(TypedDict):
    """How long a project is kept, and what goes when.

    `since` is when that was said, `due_at` when the project goes: null while it is not finished or
    is kept. `images` and `answers` are what it holds now. Nothing goes in the week after `since`,
    nor while a job is at work.
    """

    answers: int
    days: int | None
    due_at: str | None
    finished_at: str | None
    images: int
    project: str
    project_id: int
    since: str | None
    state: ProjectState


class Member(TypedDict):
    """A member of a project."""

    added_at: str
    role: ProjectRole
    user: User


class Progress(TypedDict):
    """Where a running job is. ``seconds`` holds the phases done so far."""

    eta_seconds: float | None
    phase: str
    phase_index: int
    phases: list[str]
    seconds: dict[str, float]
    step: int
    steps: int


class JobError(TypedDict):
    """Why a job failed."""

    code: str
    detail: str


class JobPause(TypedDict):
    """Why a job is paused, and how far it is: what somebody needs to know who decides.

    `spent` of `cap` is by the judge's prices. Of `of` clusters, rows that are scored, or texts that
    are embedded, `done` are done, and the others cost about `rest`. `may_finish` says whether the
    job can end with these.
    """

    cap: float
    done: int
    may_finish: bool
    of: int
    reason: Literal["spending_cap"]
    rest: float | None
    spent: float
    what: Literal["clusters", "rows", "texts"]


class Job(TypedDict):
    """Work done by a worker."""

    attempt: int
    cancel_requested: bool
    created_at: str
    dry_run: bool
    error: JobError | None
    finished_at: str | None
    id: int
    kind: JobKind
    message: str | None
    params: dict[str, Any]
    pause: JobPause | None
    progress: Progress | None
    project_id: int | None
    result: dict[str, Any] | None
    started_at: str | None
    state: JobState


class OfTexts(TypedDict):
    """`summary` and `descriptions` are empty where those that it has speak of texts as well.

    `defaults` has the parameters that say something there, and no others.
    """

    defaults: dict[str, Any]
    descriptions: dict[str, str]
    summary: str


class Algorithm(TypedDict):
    """`defaults` are what the parameters begin with: of jobs they suit the workers' devices.

    `media` and `tasks` are what projects have to be of, for it to be chosen in them. `of_texts` is
    what is otherwise in projects of texts, null where it serves none.
    """

    defaults: dict[str, Any]
    fallback: str
    group: Literal[
        "recommended",
        "both",
        "informativeness",
        "diversity",
        "baseline",
        "features",
        "outputs",
        "names",
        "scratch",
        "published",
        "other",
    ]
    kind: Literal[
        "model",
        "informativeness",
        "purity",
        "strategy",
        "pruning",
        "learner",
        "instruction_selection",
        "job",
    ]
    media: list[Medium]
    name: str
    needs: list[str]
    of_texts: OfTexts | None
    paper: str
    params_schema: dict[str, Any]
    summary: str
    tasks: list[str]
    title: str
