"""What an entry of the catalog says. Torch-free."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel

from models.catalog.params import NoParams

Choosable = Literal["model", "informativeness", "purity", "strategy"]
Kind = Literal[Choosable, "pruning", "learner", "instruction_selection", "job"]
Group = Literal[
    "recommended",
    # Strategies, by what they weigh.
    "both",
    "informativeness",
    "diversity",
    "baseline",
    # Scores, by what they look at.
    "features",
    "outputs",
    "names",
    # Models, by where their weights come from.
    "scratch",
    "published",
    "other",
]

CLASSES: Final = frozenset({"classification"})
"""The tasks of what knows labels as classes only."""
BOXES: Final = frozenset({"boxes"})
"""The tasks of what finds boxes, or looks at those that were found."""
INSTRUCTIONS: Final = frozenset({"instructions"})
"""The tasks of what chooses rows of instruction data."""

THESIS: Final = (
    "D. Park, Prioritizing Informative Features and Examples for Deep Learning from Noisy Data, "
    "KAIST"
)


IMAGES: Final = frozenset({"image"})
TEXTS: Final = frozenset({"text"})


@dataclass(frozen=True)
class OfTexts:
    """What is otherwise with an algorithm where the pool holds texts.

    Attributes:
        defaults: of a job: values to begin with, in place of its own and of those `without_gpu`.
        idle: parameters that say nothing there, so that forms do without them.
        summary: in place of its own; empty: its own, said of texts.
        descriptions: of parameters, in place of their own.
    """

    defaults: Mapping[str, Any] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()
    summary: str = ""
    descriptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spec:
    """One algorithm.

    Attributes:
        name: what settings call it; unique within its kind.
        kind: decides the signature of the target.
        title: for headings.
        summary: one sentence that helps to choose.
        target: "module:function", imported only where it runs.
        params: schema of its parameters, with defaults and bounds.
        paper: where it comes from.
        needs: what it uses. Of a strategy: "purity", "informativeness" (the scores that the project
            has chosen), "embeddings". Of a score: "contrastive" (features of the job that learns
            them once per pool), "predicted_losses" (a network with a loss-prediction module),
            "ood_class" (a model with an output for OOD), "weights" (downloaded where the workers
            run). Of either: "detections" (a detector). Of a model: "embeddings" when it is always
            frozen. Of a pruning method: the fields of `models.pruning.view.PruningView` that must
            not be None; of a way to choose instructions, those of
            `models.tasks.instructions.view.InstructionView`.
        fallback: name of the entry of the same kind that stands in while this one is not ready
            (`models.errors.NotReady`); empty: the job fails with the reason.
        probability: of a purity: whether its values are probabilities of being in-distribution;
            where its parameters decide, a function of these.
        by_row: of a score: whether the value of an example depends on no other candidate, so that a
            pool may be scored in parts, by several workers and in little memory.
        by_features: of a purity: whether it looks at features that no verdict has taught, and at
            nothing that the model has learned.
        group: under which heading it is offered, in the order of `Group`. "other" is for jobs,
            pruning methods, learners and ways to choose instructions, which no project chooses, and
            for packages of third parties that say nothing.
        tasks: names of the task types that it serves; empty: of pruning methods and learners, which
            know labels as classes, classification; of models all but boxes, which detectors of
            their own find; of all else every one.
        media: what it serves, "image" or "text"; empty: of a model images, of all else both.
        without_gpu: of a job: values to begin with where no worker has a GPU, instead of defaults
            that would take hours there.
        of_texts: what is otherwise where the pool holds texts.
    """

    name: str
    kind: Kind
    title: str
    summary: str
    target: str
    params: type[BaseModel] = NoParams
    paper: str = ""
    needs: frozenset[str] = frozenset()
    fallback: str = ""
    probability: bool | Callable[[Any], bool] = False
    by_row: bool = False
    by_features: bool = False
    group: Group = "other"
    tasks: frozenset[str] = frozenset()
    media: frozenset[str] = frozenset()
    without_gpu: Mapping[str, Any] = field(default_factory=dict, hash=False)
    of_texts: OfTexts = field(default_factory=OfTexts, hash=False)

    def is_probability(self, params: BaseModel) -> bool:
        """Say whether a purity with these parameters gives probabilities."""
        return self.probability if isinstance(self.probability, bool) else self.probability(params)

    def serves_task(self, task: str) -> bool:
        """Say whether it can be used where labels are of a task type."""
        by_class = self.kind in ("pruning", "learner")
        if not self.tasks and self.kind == "model":
            return task not in BOXES
        tasks = self.tasks or (CLASSES if by_class else frozenset({task}))
        return task in tasks

    def serves(self, medium: str) -> bool:
        """Say whether it can be chosen for a project of "image" or "text" examples."""
        return medium in (self.media or (IMAGES if self.kind == "model" else IMAGES | TEXTS))
