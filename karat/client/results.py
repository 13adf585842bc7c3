"""What is in the ``result`` of some jobs, as typed dictionaries."""

from typing import Any, NotRequired, TypedDict

from karat.client.resources import FolderChoice, Split


class LessPromised(TypedDict):
    """What can be promised in place of what cannot: ``target`` is the share that may be wrong."""

    target: float
    answers: int
    answers_low: int
    answers_high: int
    auto: int
    in_vain: float


class Estimate(TypedDict):
    """What a dry run has found: the ``estimate`` in its result.

    ``requests``, tokens and ``price`` are of jobs that ask a judge; it is ``None`` without prices.
    What follows them is of a guarantee: checks that it takes, on average and at the ends of what
    eight of ten take, examples that it labels, the chance (0..1) that it labels none, and the
    classes of which it most likely labels none (None: OOD); ``less`` where it most likely labels
    nothing at all, if anything can be promised.
    """

    seconds: float
    memory_bytes: int
    device: str
    labeled: int
    phases: dict[str, float]
    notes: list[str]
    requests: NotRequired[int]
    tokens_in: NotRequired[int]
    tokens_out: NotRequired[int]
    price: NotRequired[float | None]
    answers: NotRequired[int]
    answers_low: NotRequired[int]
    answers_high: NotRequired[int]
    auto: NotRequired[int]
    in_vain: NotRequired[float]
    left: NotRequired[list[int | None]]
    less: NotRequired[LessPromised | None]


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

    It was chosen by the sides of so many ``images``: where their middles are seen (``fit`` crop) by
    the shorter ones, else by the longer ones. The one in the middle has ``width`` and ``height``.
    """

    side: int
    width: int
    height: int
    images: int
    fit: NotRequired[str]


class PlannedPredictions(TypedDict):
    """What an upload says that a model predicts: of how many images, and what is left aside."""

    model: str
    readable: int
    left_aside: dict[str, int]


class ImportPlan(TypedDict):
    """What an import would do: the ``result`` of its dry run.

    ``rows`` of the ``total`` are about images that the project has. ``labels`` are the columns that
    hold labels, or may; ``predictions`` those of models; ``predictions_of`` is the model whose they
    all were said to be. ``class_names`` are those that the upload lists, by their numbers, whether
    or not a label is of them: classes made in this order keep their order in exports.
    ``bad_by_reason`` is what is refused whatever you choose; ``documents`` says something of other
    files; ``input_size`` is what the first import of a project chooses, ``None`` in later ones.
    ``notes`` say how numbers are read; if it ``doubts``, there are some of which it is not certain
    what they count, unless ``count_from`` says it.
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
    predictions: NotRequired[list[PlannedPredictions]]
    predictions_of: NotRequired[str | None]
    class_names: list[str]
    documents: list[dict[str, str]]
    columns: dict[str, str]
    count_from: int | None
    notes: list[str]
    doubts: bool
    input_size: InputSize | None
