"""What comparing regularizers would take."""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from models.dry_run import extended_seconds, step_seconds, timed
from models.media.image import images_of
from models.params.regularize import TaufeParams
from models.protocols import TargetModel
from models.regularize import METHODS, Parts, doubts_of_ood, draw, drawing, train_method
from workers.context import JobContext
from workers.dry_run import Cost, DryRun, class_notes
from workers.job_inputs import JobInputs
from workers.taufe.gather import divide_known, gather

_SAMPLE: Final = 512


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    params = TaufeParams.of(context)
    known = gather(context, params)
    timing = _Timing(context, known, params)
    phases: dict[str, Callable[[], Cost]] = {
        method: partial(timing.train, method) for method in METHODS
    }
    return DryRun(
        images=len(timing.parts.inside),
        phases={**phases, "compare": timing.compare},
        notes=(*class_notes(context, known.snapshot), *doubts_of_ood(timing.parts, timing.params)),
    )


class _Timing:
    """The images of one project."""

    def __init__(self, context: JobContext, known: JobInputs, params: TaufeParams) -> None:
        self.context, self.known = context, known
        self.params = params
        self.parts: Parts = divide_known(known, params)
        self._model: TargetModel | None = None

    def train(self, method: str) -> Cost:
        """Time steps of one of the methods."""

        def train(steps: int) -> None:
            self.context.check()
            self._model = train_method(
                method,
                images_of(self.known.store),
                self.parts,
                self.params.model_copy(update={"steps": steps}),
                classes=self.known.snapshot.classes,
                seed=self.known.seed,
            )

        return Cost(self.params.steps * step_seconds(train))

    def compare(self) -> Cost:
        """Time inference on a sample of what judges, and one of the three maps."""
        model, parts = self._model, self.parts
        assert model is not None
        judging = np.concatenate([parts.test, parts.test_ood])
        if len(judging) == 0:
            return Cost(0.0)
        inference = extended_seconds(
            lambda n: model.infer(judging[:n]), min(_SAMPLE, len(judging)), len(judging)
        )
        chosen, _ = drawing(parts, seed=self.known.seed)
        self.context.check()
        mapped = timed(lambda _: draw(model, chosen, seed=self.known.seed), len(chosen))
        return Cost(len(METHODS) * (inference + mapped))
