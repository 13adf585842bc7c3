"""The ``taufe`` job: freeze what is known, train three times, judge, keep the results."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

from sqlalchemy.orm import Session

from core.states import ArtifactKind
from core.storage import write_atomically
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
from models.target import load_target
from workers.artifacts import keep
from workers.context import JobContext
from workers.dry_run import dry_run
from workers.job_inputs import example_ids, frozen
from workers.taufe.dry_run import prepare
from workers.taufe.gather import divide_known, gather
from workers.yielding import Yielding

PHASES: Final = ("gather", *METHODS, "compare")


def run(context: JobContext) -> dict[str, Any]:
    """Train and compare; a killed job goes on in the training in which it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    context.plan(PHASES)
    if "result" not in context.checkpoint:
        _compare(context)
    shutil.rmtree(context.work, ignore_errors=True)
    result: dict[str, Any] = context.checkpoint["result"]
    return result


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: nothing was published, and a retry goes on where this ended."""


def _compare(context: JobContext) -> None:
    if not context.done("gather"):
        with context.phase("gather"):
            gather(context)
    task = Comparison(context)
    context.plan(PHASES, work=effort(task.parts, task.params))
    for method in METHODS:
        if not context.done(method):
            with context.phase(method):
                task.train(method)
    if not context.done("compare"):
        with context.phase("compare"):
            task.compare()
    _publish(context, task)


class Comparison:
    """The trainings of one job, over its frozen knowledge."""

    def __init__(self, context: JobContext) -> None:
        """Read what was gathered."""
        self.context = context
        self.params = TaufeParams.model_validate(context.params)
        known = frozen(context)
        self.snapshot, self.store, self.seed = known.snapshot, known.store, known.seed
        self.parts = divide_known(known, self.params)
        self.yielding = Yielding(context)

    def file(self, name: str) -> Path:
        """A file of this job's unfinished work."""
        return self.context.work / name

    def train(self, method: str) -> None:
        """Train one of ``METHODS``."""
        checkpoint = self.file(f"{method}-training.safetensors")
        model = train_method(
            method,
            images_of(self.store),
            self.parts,
            self.params,
            classes=self.snapshot.classes,
            seed=self.seed,
            checkpoint=checkpoint,
            progress=self.yielding.progress,
        )
        model.save(self.file(f"{method}.safetensors"))
        checkpoint.unlink(missing_ok=True)

    def compare(self) -> None:
        """Judge the three by the same images."""
        found, points = {}, {}
        warnings = [*doubts_of_ood(self.parts, self.params)]
        chosen, labels = drawing(self.parts, seed=self.seed)
        for method in METHODS:
            model = load_target(self.file(f"{method}.safetensors"), self.store)
            found[method] = measure(model, self.parts, progress=self.yielding.progress)
            points[method] = draw(model, chosen, seed=self.seed)
            if method == "standard":
                right = found[method]["accuracy"]
                warnings += doubts_of_training(
                    model, self.parts, right, progress=self.yielding.progress
                )
        class_ids = self.snapshot.class_ids.tolist()
        drawn = {
            "examples": example_ids(self.context, chosen).tolist(),
            "class_ids": [class_ids[label] if label >= 0 else None for label in labels.tolist()],
            "points": points,
        }
        result = {
            "methods": found,
            "settings": settings_of(self.params),
            "class_ids": class_ids,
            "judged_on": self.parts.judged_on,
            "counts": _counts(self.parts) | {"left_out": len(self.snapshot.dropped)},
            "warnings": warnings,
            "notes": warnings,
        }
        self._write("drawing.json", drawn)
        self._write("result.json", result)

    def _write(self, name: str, content: dict[str, Any]) -> None:
        text = json.dumps(content)
        write_atomically(self.file(name), lambda part: part.write_text(text))


def _counts(parts: Parts) -> dict[str, int]:
    """How many images each part holds."""
    names = ("inside", "verdicts", "auxiliary", "test", "test_ood")
    return {name: len(getattr(parts, name)) for name in names}


def _publish(context: JobContext, task: Comparison) -> None:
    """Keep the three models and the drawing as artifacts, and note that all is done."""
    files = {
        f"{method}.safetensors": (ArtifactKind.CHECKPOINT, {"method": method}) for method in METHODS
    } | {"drawing.json": (ArtifactKind.COMPARISON, {})}
    made = [
        keep(
            context,
            task.file(name),
            kind,
            f"projects/{context.project_id}/jobs/{context.job_id}/{name}",
            {**meta, "class_ids": task.snapshot.class_ids.tolist()},
        )
        for name, (kind, meta) in files.items()
    ]
    result = json.loads(task.file("result.json").read_text())
    with context.transaction() as (session, job):
        session.add_all(made)
        context.checkpoint = {**context.checkpoint, "result": result}
        job.checkpoint = context.checkpoint
