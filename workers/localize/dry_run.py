"""What comparing localizers would take."""

from collections.abc import Callable
from functools import partial
from typing import Final

from models.catalog.params.localize import LocalizeParams
from models.dry_run import extended_seconds, step_seconds
from models.tasks.localization.judge import figures, look
from models.tasks.localization.networks import Localizer
from workers.dry_run import Cost, DryRun
from workers.jobs.context import JobContext
from workers.localize.gather import Known, gather
from workers.localize.training import train_known

_SAMPLE: Final = 64


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    params = LocalizeParams.of(context)
    known = gather(context, params)
    timing = _Timing(context, known, params)
    phases: dict[str, Callable[[], Cost]] = {
        method: partial(timing.train, method) for method in params.methods
    }
    return DryRun(images=len(known.inside.indices), phases={**phases, "compare": timing.compare})


class _Timing:
    """The images of one project."""

    def __init__(self, context: JobContext, known: Known, params: LocalizeParams) -> None:
        self.context, self.known, self.params = context, known, params
        self.store = known.store(context)
        self._network: Localizer | None = None

    def train(self, method: str) -> Cost:
        """Time steps of one of the methods."""

        def train(steps: int) -> None:
            self.context.check()
            params = self.params.model_copy(update={"steps": steps})
            self._network = train_known(self.known, self.store, params, method)

        return Cost(self.params.steps * step_seconds(train))

    def compare(self) -> Cost:
        """Time a sample of what judges."""
        network, test = self._network, self.known.test
        assert network is not None

        def judge(count: int) -> None:
            self.context.check()
            part = test.indices[:count], test.classes[:count]
            found = look(network, self.store, *part, self.params)
            figures(found, test.boxes[:count], part[1], self.params, self.known.frame.side)

        count = len(test.indices)
        one = extended_seconds(judge, min(_SAMPLE, count), count)
        return Cost(len(self.params.methods) * one)
