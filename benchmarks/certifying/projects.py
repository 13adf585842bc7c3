"""Projects on real features: what a model that learned from some answers says of the rest."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.open_set.protocol import Images
from models.guarantee.lots import labels_of
from models.heads.head import LogisticHead, Scaling, fit_head
from models.heads.penalty import USUAL_PENALTY, choose_penalty
from models.numerics.probability import softmax
from models.protocols import OOD, Float32Array, Indices

MODEL: Final = "efficientnet_lite0"
_BLOCK: Final = 10_000

Kind = Literal["usual", "drifted"]


@dataclass(frozen=True)
class Project:
    """What is not labeled yet.

    Attributes:
        labels: (N,) int64 that the model would give, class or `OOD`.
        confidence: (N,) float64 in 0..1.
        truth: (N,) int64.
        classes: C.
        answered: answers that the model learned from.
    """

    labels: Indices
    confidence: NDArray[np.float64]
    truth: Indices
    classes: int
    answered: int

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Return which labels would be wrong."""
        wrong: NDArray[np.bool_] = self.labels != self.truth
        return wrong


@dataclass(frozen=True)
class Plan:
    """How a project is made.

    Attributes:
        seed: decides everything that is drawn.
        pool: examples.
        inside: classes of CIFAR-10 that are in-distribution; None: four to six, drawn.
        answers: that the model learns from: half at random, half with the smallest margins.
        kind: `drifted`: answers are of the first half of the pool, whose OOD is of half of the
            other classes; what comes later holds all of them, and twice as many.
    """

    seed: int
    pool: int
    inside: int | None
    answers: int
    kind: Kind = "usual"

    @property
    def name(self) -> str:
        """Return a name for what is kept of it."""
        return f"{self.kind}_{self.pool}_{self.inside}_{self.answers}_{self.seed}"


def make(plan: Plan, images: Images, cache: Path) -> Project:
    """Return a project; made once."""
    path = cache / f"{plan.name}.npz"
    if not path.exists():
        project = _made(plan, images)
        cache.mkdir(parents=True, exist_ok=True)
        np.savez(
            path,
            labels=project.labels,
            confidence=project.confidence,
            truth=project.truth,
            rest=[project.classes, project.answered],
        )
    kept = np.load(path)
    classes, answered = kept["rest"].tolist()
    return Project(kept["labels"], kept["confidence"], kept["truth"], classes, answered)


def adversarial(project: Project, target: float, seed: int) -> Project:
    """Return the same with other truths: a little more than the target wrong in every lot alike.

    Whatever passes is a promise that is broken, and nothing about confidences says so.
    """
    generator = np.random.default_rng([seed, 4])
    wrong = generator.random(len(project.truth)) < 1.05 * target
    other = generator.integers(1, project.classes + 1, len(project.truth))
    # Labels are OOD (-1) and 0..C-1: another of them, round about.
    moved = (project.labels - OOD + other) % (project.classes + 1) + OOD
    return replace(project, truth=np.where(wrong, moved, project.labels))


def _made(plan: Plan, images: Images) -> Project:
    generator = np.random.default_rng(plan.seed)
    rows: Float32Array = np.load(images.embeddings_path(MODEL), mmap_mode="r")
    kinds = generator.permutation(10)
    classes = plan.inside or int(generator.integers(4, 7))
    truth = np.full(images.count, OOD, dtype=np.int64)
    for label, kind in enumerate(np.sort(kinds[:classes])):
        truth[images.targets == kind] = label
    pool, first = _pool(plan, images.targets, truth, kinds[classes:], generator)
    scaling = Scaling.of_pool(rows)
    asked = generator.permutation(first)[: plan.answers // 2]
    head = _fit(rows, asked, truth, classes, scaling, None)
    left = np.setdiff1d(first, asked)
    top = np.sort(_probabilities(head, rows, left, classes), axis=1)[:, -2:]
    unsure = np.argsort(top[:, 1] - top[:, 0], kind="stable")[: plan.answers - len(asked)]
    asked = np.union1d(asked, left[unsure])
    left = np.setdiff1d(pool, asked)
    return learned(rows, asked, left, truth, classes, scaling, plan.seed)


def learned(
    rows: Float32Array,
    asked: Indices,
    left: Indices,
    truth: Indices,
    classes: int,
    scaling: Scaling,
    seed: int,
) -> Project:
    """Learn from what was asked as a project's model does, and look at what is left.

    Args:
        rows: (N, D) float32 embeddings.
        asked: rows that people have answered.
        left: rows that nobody has.
        truth: (N,) classes 0..C-1, or OOD.
        classes: C.
        scaling: Statistics of the pool.
        seed: Of the folds among which the penalty is chosen.
    """
    head = _fit(rows, asked, truth, classes, scaling, seed)
    probability = _probabilities(head, rows, left, classes)
    inside = 1 - probability[:, classes]
    known = probability[:, :classes]
    best = known.argmax(axis=1).astype(np.int64)
    given = known.max(axis=1) / np.maximum(inside, 1e-12)
    labels, confidence = labels_of(best, given, inside)
    return Project(labels, np.clip(confidence, 0, 1), truth[left], classes, len(asked))


def _pool(
    plan: Plan,
    targets: Indices,
    truth: Indices,
    outside: Indices,
    generator: np.random.Generator,
) -> tuple[Indices, Indices]:
    """Return the pool, and the part of it that answers are of, both ascending."""
    everything = generator.permutation(len(targets))
    if plan.kind == "usual":
        pool = np.sort(everything[: plan.pool])
        return pool, pool
    half = plan.pool // 2
    seen = (truth[everything] >= 0) | np.isin(targets[everything], outside[: len(outside) // 2])
    first = everything[seen][:half]
    later = np.setdiff1d(everything, first)
    weight = np.where(truth[later] >= 0, 1.0, 2.0)
    more = generator.choice(later, plan.pool - half, replace=False, p=weight / weight.sum())
    return np.sort(np.concatenate([first, more])), np.sort(first)


def _fit(
    rows: Float32Array,
    asked: Indices,
    truth: Indices,
    classes: int,
    scaling: Scaling,
    seed: int | None,
) -> LogisticHead:
    """Learn as a project's model with an output for OOD does; without a seed at a usual penalty."""
    asked = np.sort(asked)
    x, said = np.asarray(rows[asked]), truth[asked]
    labels = np.where(said == OOD, classes, said)
    l2 = USUAL_PENALTY
    if seed is not None:
        l2 = choose_penalty(x, labels, classes=classes, scaling=scaling, seed=seed)
    return fit_head(x, labels, classes=classes, l2=l2, scaling=scaling)


def _probabilities(
    head: LogisticHead, rows: Float32Array, wanted: Indices, classes: int
) -> NDArray[np.float64]:
    """(n, C + 1) probabilities of classes and OOD."""
    found = np.empty((len(wanted), classes + 1))
    for start in range(0, len(wanted), _BLOCK):
        block = np.asarray(rows[wanted[start : start + _BLOCK]])
        ood = head.ood_logits(block)
        assert ood is not None
        logits = np.column_stack([head.logits(block), ood])
        found[start : start + len(block)] = softmax(logits)
    return found
