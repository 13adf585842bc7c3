"""The ``taufe`` job: freeze what is known, train three times, judge, keep the results."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from core.tables import Job
from models.media.image import images_of
from models.params.regularize import TaufeParams
from models.regularize import (
    METHODS,
    Parts,
    doubts_of_ood,
    doubts_of_training,
    draw,
    drawing,
    effort,
    measure,
    settings_of,
    train_method,
)
from models.target.train import load_target
from workers.context import JobContext, Phase
from workers.dry_run import dry_run
from workers.job_inputs import JobInputs, example_ids, frozen
from workers.taufe.dry_run import prepare
from workers.taufe.gather import divide_known, gather
from workers.trainings import Trainings


def run(context: JobContext) -> dict[str, Any]:
    """Train and compare; a killed job goes on in the training in which it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    return context.finish(Comparison(context).run)


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: nothing was published, and a retry goes on where this ended."""


class Comparison(Trainings):
    """Classifiers of the project's classes."""

    shown = "drawing.json"

    def __init__(self, context: JobContext) -> None:
        """Read what is asked."""
        super().__init__(context)
        self.params = TaufeParams.of(context)

    def phases(self) -> tuple[Phase["Comparison"], ...]:
        """All of them."""
        return PHASES

    def methods(self) -> Sequence[str]:
        """All of them."""
        return METHODS

    def class_ids(self) -> list[int]:
        """As they were gathered."""
        found: list[int] = self.known.snapshot.class_ids.tolist()
        return found

    def effort(self) -> Mapping[str, float]:
        """By what is learned from."""
        return effort(self.parts, self.params)

    @cached_property
    def known(self) -> JobInputs:
        """What was gathered."""
        return frozen(self.context)

    @cached_property
    def parts(self) -> Parts:
        """What is learned from, and what judges."""
        return divide_known(self.known, self.params)

    def gather(self) -> None:
        """Freeze what is known."""
        gather(self.context, self.params)

    def train(self, method: str) -> None:
        """Train one of ``METHODS``."""
        checkpoint = self.file(f"{method}-training.safetensors")
        model = train_method(
            method,
            images_of(self.known.store),
            self.parts,
            self.params,
            classes=self.known.snapshot.classes,
            seed=self.known.seed,
            checkpoint=checkpoint,
            progress=self.progress,
        )
        model.save(self.file(f"{method}.safetensors"))
        checkpoint.unlink(missing_ok=True)

    def compare(self) -> None:
        """Judge the three by the same images."""
        found, points = {}, {}
        warnings = [*doubts_of_ood(self.parts, self.params)]
        chosen, labels = drawing(self.parts, seed=self.known.seed)
        for method in METHODS:
            model = load_target(self.file(f"{method}.safetensors"), self.known.store)
            found[method] = measure(model, self.parts, progress=self.progress)
            points[method] = draw(model, chosen, seed=self.known.seed)
            if method == "standard":
                right = found[method]["accuracy"]
                warnings += doubts_of_training(model, self.parts, right, progress=self.progress)
        class_ids = self.known.snapshot.class_ids.tolist()
        drawn = {
            "examples": example_ids(self.context, chosen).tolist(),
            "class_ids": [class_ids[label] if label >= 0 else None for label in labels.tolist()],
            "points": points,
        }
        result = {
            "methods": found,
            "settings": settings_of(self.params),
            "class_ids": class_ids,
            "per_class_examples": np.bincount(
                self.parts.test_labels, minlength=len(class_ids)
            ).tolist(),
            "judged_on": self.parts.judged_on,
            "counts": _counts(self.parts) | {"left_out": len(self.known.snapshot.dropped)},
            "warnings": warnings,
            "notes": warnings,
        }
        self.write(drawn, result)


def _counts(parts: Parts) -> dict[str, int]:
    """How many images each part holds."""
    names = ("inside", "verdicts", "auxiliary", "test", "test_ood")
    return {name: len(getattr(parts, name)) for name in names}


PHASES: Final = (
    Phase("gather", Comparison.gather),
    *(Phase(method, partial(Comparison.train, method=method)) for method in METHODS),
    Phase("compare", Comparison.compare),
)
