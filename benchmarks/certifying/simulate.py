"""Certify a simulated project, by this and by other ways, and look at the truth afterwards."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.certifying.people import People
from benchmarks.certifying.projects import Project
from models.guarantee.certification import AT_FIRST, Certification
from models.guarantee.human_error import from_pairs
from models.guarantee.lots import Lot, make_lots
from models.guarantee.promise import Promise
from models.guarantee.sequences import most_wrong_fixed
from models.protocols import OOD

PAIRS: Final = 300
"""Examples that two people judged before, where people err."""


@dataclass(frozen=True)
class Outcome:
    """What came of one way in one project.

    Attributes:
        pool: examples that were not labeled.
        auto: labeled by the model.
        wrong: of these.
        missed: in-distribution ones among what the model calls OOD.
        ood: what the model calls OOD, of `auto`.
        draws: examples that people looked at until it was decided.
        again: verdicts of second people among them.
        kept: whether everything that was promised is so.
    """

    pool: int
    auto: int
    wrong: int
    missed: int
    ood: int
    draws: int
    again: int
    kept: bool

    @property
    def answers(self) -> int:
        """Answers that people give until the pool is finished: of whatever no model labels."""
        return self.pool - self.auto + self.again


def certify(
    project: Project,
    promise: Promise,
    people: People,
    *,
    seed: int,
    batch: int,
    at_first: int = AT_FIRST,
    stop: bool = False,
) -> Outcome:
    """Draw a batch at a time until nothing is wanted, or until anything passes if to `stop`."""
    lots = lots_of(project)
    if people.error > 0:
        rows = np.random.default_rng([seed, 2]).choice(len(project.truth), PAIRS, replace=False)
        alpha = (1 - promise.confidence) / 10
        human = from_pairs(PAIRS, people.differ(rows.tolist()), alpha)
        promise = replace(promise, human_error=human.high, human_alpha=alpha)
        people.answers -= 2 * PAIRS  # Before this began, and used for more than this.
    state = Certification(lots, promise, seed=seed)
    answered: list[int] = []
    while draws := state.next_draws(batch, at_first=at_first):
        for draw in draws:
            state.observe(draw.index, people.contradict(draw.index))
            answered.append(draw.index)
        if stop and state.decide().bound is not None:
            break
    decision = state.decide()
    passed = [
        lot.members
        for lot, found in zip(lots, decision.lots, strict=True)
        if found.state == "passed"
    ]
    auto = np.concatenate([*passed, np.empty(0, np.int64)])
    auto = auto[~np.isin(auto, answered)]
    return judged(project, auto, len(answered), people.answers, promise)


def judged(
    project: Project, auto: NDArray[np.int64], draws: int, answers: int, promise: Promise
) -> Outcome:
    """Hold what was labeled against the truth."""
    wrong, labels = project.wrong[auto], project.labels[auto]
    ood = labels == OOD
    parts = [(wrong, promise.target)]
    if promise.is_ood_apart:
        parts = [(wrong[~ood], promise.target), (wrong[ood], promise.missed)]
    if promise.scope == "class":
        parts = [
            (wrong[labels == one], promise.missed if one == OOD else promise.target)
            for one in range(OOD, project.classes)
        ]
    kept = all(int(part.sum()) <= share * len(part) + 1e-9 for part, share in parts)
    return Outcome(
        pool=len(project.truth),
        auto=len(auto),
        wrong=int(wrong.sum()),
        missed=int(wrong[ood].sum()),
        ood=int(ood.sum()),
        draws=draws,
        again=answers - draws,
        kept=kept,
    )


def plain_threshold(project: Project, promise: Promise) -> Outcome:
    """Label whatever the model is as sure of as is promised; nobody looks."""
    auto = np.flatnonzero(project.confidence >= 1 - promise.target)
    return judged(project, auto, 0, 0, promise)


def uniform_audit(
    project: Project, promise: Promise, people: People, *, seed: int, draws: int
) -> Outcome:
    """Draw so many from everything at once; label the surest lots for as long as a limit allows.

    Exact limits of one look (hypergeometric), of ever more lots in a fixed order, so that there is
    nothing to pay for many tests.
    """
    lots = lots_of(project)
    generator = np.random.default_rng([seed, 3])
    drawn = generator.choice(len(project.truth), draws, replace=False)
    wrong = {int(row): people.contradict(int(row)) for row in drawn}
    order = sorted(range(len(lots)), key=lambda at: lots[at].expected)
    taken: list[Lot] = []
    passed: list[Lot] = []
    for at in order:
        taken.append(lots[at])
        ood = [lot for lot in taken if lot.label == OOD]
        if sum(lot.size for lot in taken) < 0.15 * len(project.truth):
            continue
        parts = [taken, ood] if promise.is_ood_apart else [taken]
        if not all(_passes(part, wrong, promise) for part in parts if part):
            break
        passed = list(taken)
    auto = np.concatenate([*(lot.members for lot in passed), np.empty(0, np.int64)])
    auto = auto[~np.isin(auto, drawn)]
    return judged(project, auto, draws, people.answers, promise)


def _passes(lots: list[Lot], wrong: dict[int, bool], promise: Promise) -> bool:
    size = sum(lot.size for lot in lots)
    seen = np.array(list(wrong))
    inside = seen[np.isin(seen, np.concatenate([lot.members for lot in lots]))].tolist()
    bad = sum(wrong[one] for one in inside)
    limit = most_wrong_fixed(len(inside), bad, size, 1 - promise.confidence)
    return limit - bad <= promise.target * (size - len(inside))


def lots_of(project: Project) -> list[Lot]:
    """Return the lots of everything."""
    return make_lots(project.labels, project.confidence, np.arange(len(project.truth)))
