"""What a certificate would take: seconds of a worker, and answers of people."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.certify import CertifyParams
from models.files.arrays import read_arrays
from models.guarantee.certification import Certification
from models.guarantee.lots import Lot, labels_of, make_lots
from models.guarantee.outlook import Outlook, outlook
from models.guarantee.promise import Promise
from models.protocols import OOD, Indices
from workers.certificates.promises import ASKED_AT_ONCE, human_error, promise_of
from workers.certify.scoring import (
    CANDIDATES,
    EARLIER,
    Facts,
    Outputs,
    gather,
    named_by,
    score,
    scores_of,
)
from workers.dry_run import Cost, DryRun
from workers.jobs.context import JobContext

_SAMPLE: Final = 4_096
_PLAYS: Final = 20
_LESS: Final = (0.03, 0.05, 0.1, 0.15, 0.2, 0.3)
"""Shares of wrong labels that are tried where what was asked for cannot be promised."""
_UNLIKELY: Final = 0.5


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    facts = gather(context)
    rows = np.load(context.work / CANDIDATES)
    timing = _Timing(context, facts, len(rows))
    return DryRun(
        images=facts.model["learned_from"],
        phases={"score": timing.score},
        facts=timing.expected,
    )


class _Timing:
    """A sample of what would be scored."""

    def __init__(self, context: JobContext, facts: Facts, count: int) -> None:
        self.context, self.facts, self.count = context, facts, count
        self.params = CertifyParams.of(context)
        self.earlier = read_arrays(context.work / EARLIER)
        self.sample: Indices = np.empty(0, dtype=np.int64)
        self.outputs: Outputs | None = None

    def score(self) -> Cost:
        """Score some images, and those that people have judged for it before."""
        rows = np.load(self.context.work / CANDIDATES)
        chosen = np.random.default_rng(self.facts.seed).permutation(len(rows))[:_SAMPLE]
        sample = self.sample = np.union1d(rows[chosen], self.earlier["indices"])
        # It takes no longer for all than for a sample.
        known = scores_of(self.context, self.facts)
        started = time.perf_counter()
        self.outputs = score(
            self.context, self.facts, known, sample, lambda *_: self.context.check()
        )
        return Cost((time.perf_counter() - started) * self.count / len(sample))

    def expected(self) -> Mapping[str, Any]:
        """How many answers it would take, how much would be labeled, and what would be left.

        The whole pool is taken to be as the sample.
        """
        assert self.outputs is not None
        outputs = self.outputs
        class_ids = named_by(self.context, self.facts, outputs)
        labels, sure = labels_of(outputs.classes, outputs.probability, outputs.inside)
        place = np.arange(self.count) % len(labels)
        said = np.where(labels == OOD, OOD, class_ids[labels])
        lots = make_lots(said[place], np.minimum(sure, 1.0)[place], np.arange(self.count))
        with self.context.sessions() as session:
            human = human_error(session, self.context.project_id, self.params.confidence)

        def foreseen(params: CertifyParams) -> Outlook:
            begun = self._begun(lots, promise_of(params, human), said)
            return outlook(begun, at_once=ASKED_AT_ONCE, plays=_PLAYS, seed=self.facts.seed)

        found = foreseen(self.params)
        return {
            **_told(found),
            "left": _left(lots, found.passing),
            "less": self._less(foreseen) if found.in_vain > _UNLIKELY else None,
        }

    def _less(self, foreseen: Callable[[CertifyParams], Outlook]) -> Mapping[str, Any] | None:
        """The most that can be promised in place of what cannot, and what that would take."""
        for target in _LESS:
            if target <= self.params.target:
                continue
            self.context.check()
            found = foreseen(self.params.model_copy(update={"target": target}))
            # What takes more than it brings people do better by themselves.
            if found.in_vain <= _UNLIKELY and found.labeled > found.answers:
                return {"target": target, **_told(found)}
        return None

    def _begun(self, lots: list[Lot], promise: Promise, said: Indices) -> Certification:
        """With what people have judged already, by what the model says of that."""
        at = np.searchsorted(self.sample, self.earlier["indices"])
        wrong = (self.earlier["class_ids"] != said[at]).tolist()
        found = Certification(lots, promise, seed=self.facts.seed, first=at.tolist())
        for place, is_wrong, unsure in zip(
            at.tolist(), wrong, self.earlier["unsure"].tolist(), strict=True
        ):
            found.observe(place, None if unsure else is_wrong)
        return found


def _told(found: Outlook) -> dict[str, Any]:
    return {
        "answers": found.answers,
        "answers_low": found.low,
        "answers_high": found.high,
        "auto": found.labeled,
        "in_vain": found.in_vain,
    }


def _left(lots: list[Lot], passing: NDArray[np.float64]) -> list[int | None]:
    """Ids of the classes of which the model would most likely label none; None is OOD."""
    likely: dict[int, float] = {}
    for lot, share in zip(lots, passing.tolist(), strict=True):
        likely[lot.label] = max(likely.get(lot.label, 0.0), share)
    return [None if label == OOD else label for label, share in likely.items() if share < 0.5]
