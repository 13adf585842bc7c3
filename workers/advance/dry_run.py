"""What a round would take here, with the model of the project or with another."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sqlalchemy import func, select

from core.jobs.params import AdvanceParams
from core.settings.project import ProjectSettings
from core.states import ExampleState, Split
from core.tables import Example, Project, ProjectClass
from core.tasks.registry import task_type
from models.catalog import parse
from models.catalog.params.detection import DetectorParams
from models.catalog.params.networks import TrainingParams
from models.dry_run import (
    affine_seconds,
    extended_seconds,
    long_step_seconds,
    step_seconds,
    timed,
)
from models.features.embed import embed_pool, extractor_path, uses_embeddings
from models.media.base import Store
from models.protocols import TargetModel
from models.target.train import train_target
from models.tasks.base import Training
from workers.dry_run import Cost, DryRun
from workers.features.stored import embeddings_file
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_of, open_store
from workers.labels.learners import learner_of
from workers.weights import with_file

_FEW: Final = 64
_SAMPLE: Final = 512
_QUICK_SECONDS: Final = 3.0
_MOST_LABELS: Final = 2_000


def prepare(context: JobContext) -> DryRun:
    """Read what a round works with, and say what to measure.

    The phases are those of a round that take time: ``embed`` looks at images that have no embedding
    yet, and is done once for each, the others are done in every round.
    """
    timing = _Timing(context)
    notes: tuple[str, ...] = ()
    if timing.missing:
        notes = (f"{timing.missing:,} images have no embeddings yet; they are made once.",)
    phases: dict[str, Callable[[], Cost]] = {
        "embed": timing.embed, "train": timing.train, "score": timing.look,
    }  # fmt: skip
    return DryRun(images=timing.labels, phases=phases, notes=notes)


class _Timing:
    """A project as its next round would find it; made-up labels take as long as real ones."""

    def __init__(self, context: JobContext) -> None:
        self.context = context
        with context.sessions() as session:
            project = session.get_one(Project, context.project_id)
            settings = ProjectSettings.model_validate(project.settings)
            if (model := AdvanceParams.of(context).model) is not None:
                settings = settings.model_copy(update={"model": model})
            self.frame = frame_of(project.medium, settings)
            # By what the embeddings depend on, wherever the weights lie.
            self.settings = with_file(session, context.storage, settings)
            rows = (
                select(Example.split, Example.state, func.count())
                .where(Example.project_id == context.project_id)
                .group_by(Example.split, Example.state)
            )
            self.task = project.task
            self.lists_objects = task_type(project.task).lists_objects
            classes = select(func.count()).where(ProjectClass.project_id == project.id)
            self.classes = max(2, session.scalar(classes) or 0)
            counts = {(split, state): count for split, state, count in session.execute(rows)}
        self.count = sum(counts.values())
        labeled = counts.get((Split.POOL, ExampleState.LABELED), 0)
        # As many as there are, and those that the coming round may bring.
        self.labels = max(2, labeled + round(settings.budget / settings.cost.c_in))
        self.labels = min(self.labels, max(2, self.count))
        self.looked_at = sum(
            count
            for (split, state), count in counts.items()
            if split is Split.EVALUATION
            or (split is Split.POOL and state in {ExampleState.UNLABELED, ExampleState.QUERIED})
        )
        self.name, self.params = self.settings.model.name, self.settings.model.params
        self.frozen = uses_embeddings(self.name, self.params)
        self.stored = embeddings_file(context.storage, context.project_id, self.settings)
        self.missing = max(0, self.count - self._present()) if self.frozen else 0
        self.model: TargetModel | None = None
        self.sample = min(_FEW, self.count)

    def _store(self, count: int) -> Store:
        return open_store(self.context.storage, self.context.project_id, self.frame, count)

    def _present(self) -> int:
        return int(np.load(self.stored, mmap_mode="r").shape[0]) if self.stored.exists() else 0

    def embed(self) -> Cost:
        """Time the first images, and the fitting of what embeds them."""
        if self.missing == 0:
            return Cost(0.0)
        first = timed(self._embed, self.sample)
        if first < _QUICK_SECONDS:
            self.sample = min(_SAMPLE, self.count)
        if self.sample < 2:
            return Cost(first * self.missing)
        return Cost(affine_seconds(self._embed, self.sample, self.missing))

    def _embed(self, size: int) -> None:
        self.context.check()
        out = self.context.work / "sample" / "embeddings.npy"
        # Afresh each time: a file that is there would be gone on with.
        out.unlink(missing_ok=True)
        extractor_path(out).unlink(missing_ok=True)
        embed_pool(self._store(size), self.name, self.params, out=out, seed=self.settings.seed)

    def train(self) -> Cost:
        """Time a head on some labels, or steps of a network."""
        params = parse("model", self.name, self.params)
        if self.frozen and not isinstance(params, DetectorParams):
            size = min(self.labels, _MOST_LABELS)
            return Cost(timed(self._fit, size) * self.labels / size)
        assert isinstance(params, TrainingParams | DetectorParams)
        step = long_step_seconds(self._step_on, params.batch_size) or step_seconds(self._step)
        return Cost(params.steps * step)

    def _fit(self, size: int) -> None:
        self._learn(size, self.params)

    def _step(self, steps: int) -> None:
        self._learn(min(self.labels, _MOST_LABELS), {**self.params, "steps": steps})

    def _step_on(self, examples: int) -> None:
        size = min(self.labels, _MOST_LABELS)
        self._learn(size, {**self.params, "steps": 1, "batch_size": examples})

    def _learn(self, size: int, params: dict[str, Any]) -> None:
        self.context.check()
        count = min(self.count, max(2, size))
        labels = np.random.default_rng(self.settings.seed).integers(self.classes, size=count)
        rows = self._rows()
        if self.lists_objects:
            self._learn_boxes(labels if rows is None else labels[: len(rows)], params, rows)
            return
        self.model = train_target(
            self._store(self.count),
            np.arange(count),
            labels,
            classes=self.classes,
            name=self.name,
            params=params,
            seed=self.settings.seed,
            embeddings=rows,
        )

    def _learn_boxes(self, labels: Any, params: dict[str, Any], rows: Any) -> None:
        """Learn one box in the middle of each image."""
        assert self.frame is not None
        side = self.frame.side
        quarter = side / 4
        place = {"x": quarter, "y": quarter, "w": 2 * quarter, "h": 2 * quarter}
        made = [{"boxes": [{"class_id": one, **place}]} for one in labels.tolist()]
        sizes = np.full((len(made), 2), side, dtype=np.int64)
        learner, nothing = learner_of(self.task), np.empty(0, dtype=np.int64)
        self.model = learner.train(
            Training(
                self._store(self.count),
                np.arange(len(made)),
                learner.targets(made, range(self.classes), sizes),
                classes=self.classes,
                name=self.name,
                params=params,
                seed=self.settings.seed,
                ood_indices=nothing,
                auxiliary_indices=nothing,
                embeddings=rows,
            )
        )

    def _rows(self) -> Any:
        """Embeddings of the whole pool, or those of the sample again and again."""
        if not self.frozen:
            return None
        if self.missing == 0:
            return np.load(self.stored, mmap_mode="r")
        rows = np.load(self.context.work / "sample" / "embeddings.npy")
        if self.lists_objects:
            # Rows with maps are large, and steps on a few take as long.
            return rows
        return np.resize(rows, (min(self.count, _MOST_LABELS), rows.shape[1]))

    def look(self) -> Cost:
        """Time what the model says of some images."""
        assert self.model is not None
        model, size = self.model, min(_FEW, self.count)

        def run(images: int) -> None:
            self.context.check()
            model.infer(np.arange(images))

        if self.looked_at == 0:
            return Cost(0.0)
        return Cost(extended_seconds(run, size, max(size, self.looked_at)))
