"""What comparing regularizers would take."""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from models.catalog.params.regularize import TaufeParams
from models.dry_run import affine_seconds, extended_seconds, step_seconds, timed
from models.features.chosen import embed_rows
from models.features.embed import extractor_path
from models.media.images.store import images_of
from models.media.images.training.adversarial import attacked_accuracy
from models.protocols import TargetModel
from models.purity.inside import FEATURES
from models.regularization.doubts import doubts_of_ood
from models.regularization.judging import draw, drawing, judged_by_attacks
from models.regularization.parts import Parts
from models.regularization.training import train_method
from models.target.trained import NetworkModel
from workers.dry_run import Cost, DryRun, class_notes
from workers.jobs.context import JobContext
from workers.labels.job_inputs import JobInputs
from workers.taufe.gather import divide_known, gather
from workers.weights import located

_SAMPLE: Final = 512
# Features of both kinds beside each other.
_WIDTH: Final = 1_800


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    params = located(context, TaufeParams.of(context))
    known = gather(context, params)
    timing = _Timing(context, known, params)
    phases: dict[str, Callable[[], Cost]] = {}
    if params.chooses_unlabeled:
        phases["embed"] = timing.embed
    phases |= {method: partial(timing.train, method) for method in params.methods}
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

    def embed(self) -> Cost:
        """Time the features of a sample."""
        parts, out = self.parts, self.context.work / "dry_run.npy"
        rows = np.concatenate([parts.inside, parts.known_ood(self.known.seed), parts.unlabeled])
        mixed = np.random.default_rng(self.known.seed).permutation(rows)

        def run(size: int) -> None:
            self.context.check()
            # Afresh each time: a file that is there would be gone on with.
            out.unlink(missing_ok=True)
            extractor_path(out).unlink(missing_ok=True)
            embed_rows(
                self.known.store, mixed[:size], FEATURES, {"flip": self.params.flip},
                seed=self.known.seed, out=out,
            )  # fmt: skip

        count = len(rows)
        return Cost(affine_seconds(run, min(_SAMPLE, count), count), 4 * count * _WIDTH)

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
        """Time inference on a sample of what judges, one step of an attack, and one map."""
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
        return Cost(len(self.params.methods) * (inference + mapped + self._attack()))

    def _attack(self) -> float:
        """Return the seconds in which one network is attacked."""
        model, parts, params = self._model, self.parts, self.params
        count = judged_by_attacks(parts, params)
        if count == 0:
            return 0.0
        assert isinstance(model, NetworkModel)
        one_step = params.model_copy(update={"judging_steps": 1})

        def attack(size: int) -> None:
            self.context.check()
            attacked_accuracy(
                model.network, model.store, parts.test[:size], parts.test_labels[:size], one_step,
                seed=0,
            )  # fmt: skip

        return params.judging_steps * extended_seconds(attack, min(_SAMPLE, count), count)
