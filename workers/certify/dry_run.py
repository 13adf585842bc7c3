"""What a certificate would take: seconds of a worker, and answers of people."""

import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from models.catalog.params.certify import CertifyParams
from models.guarantee.certification import Certification
from models.guarantee.lots import Lot, labels_of, make_lots
from workers.certificates.promises import human_error, promise_of
from workers.certify.scoring import CANDIDATES, Facts, Outputs, gather, infer
from workers.dry_run import Cost, DryRun
from workers.jobs.context import JobContext

_SAMPLE: Final = 4_096


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
        self.outputs: Outputs | None = None

    def score(self) -> Cost:
        """Score some images."""
        rows = np.load(self.context.work / CANDIDATES)
        chosen = np.random.default_rng(self.facts.seed).permutation(len(rows))[:_SAMPLE]
        sample = np.sort(rows[chosen])
        started = time.perf_counter()
        self.outputs = infer(self.context, self.facts, sample, lambda *_: self.context.check())
        return Cost((time.perf_counter() - started) * self.count / len(sample))

    def expected(self) -> Mapping[str, Any]:
        """How many answers it would take, and how much would be labeled, were the model right.

        Right, that is, about how sure it is; the whole pool is taken to be as the sample.
        """
        assert self.outputs is not None
        outputs = self.outputs
        labels, sure = labels_of(outputs.classes, outputs.probability, outputs.inside)
        place = np.arange(self.count) % len(labels)
        lots = make_lots(labels[place], np.minimum(sure, 1.0)[place], np.arange(self.count))
        with self.context.sessions() as session:
            human = human_error(session, self.context.project_id, self.params.confidence)
        promise = promise_of(self.params, human)
        certification = Certification(lots, promise, seed=self.facts.seed)
        answers, decision = certification.expected_answers(), certification.decide()
        # Some hold too few for the promise, whatever anybody says of them.
        tried = [
            lot for lot, known in zip(lots, decision.lots, strict=True) if known.state != "people"
        ]
        labeled = _labeled(tried, self.params.target)
        return {"answers": answers, "auto": max(0, labeled - answers)}


def _labeled(lots: list[Lot], target: float) -> int:
    """How many of the surest are wrong at the target, as sure as the model is."""
    ordered = sorted(lots, key=lambda lot: lot.expected)
    sizes = np.cumsum([lot.size for lot in ordered])
    wrong = np.cumsum([lot.size * lot.expected for lot in ordered])
    fits = np.flatnonzero(wrong <= target * sizes)
    return int(sizes[fits[-1]]) if len(fits) else 0
