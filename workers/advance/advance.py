"""What the phases of ``advance_round`` work with: settings, files of the phases before, notes."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors.numpy import load_file, save_file

from core.errors import Conflict
from core.files.storage import write_atomically
from core.jobs.params import AdvanceParams
from core.settings.project import ProjectSettings
from core.states import ArtifactKind
from core.tables import Project
from models.catalog import find
from models.features.embed import uses_embeddings
from models.media.base import Store
from models.protocols import Indices, OpenSetLabels, Outputs, Progress, TargetModel
from models.rounds import view_files
from models.rounds.query import QuerySettings, Scored, infer, score_pool
from models.tasks.base import Learner
from workers.advance.reads import artifacts_of, chosen_before, round_of
from workers.features.stored import LearnedFeatures, embeddings_file
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_of, open_store
from workers.jobs.work import read_json, write_json
from workers.labels.learners import learner_of
from workers.labels.snapshot import Snapshot
from workers.weights import with_file

_VERDICTS: Final = "verdicts.safetensors"
_NO_EVALUATION: Final = (
    "Accuracy was not measured, as there is no evaluation image; import labeled images into the "
    "split evaluation."
)


@dataclass
class Advance:
    """One run of the job: from closing round ``closing`` to publishing round ``selecting``."""

    context: JobContext
    work: Path
    closing: int | None
    selecting: int | None
    settings: ProjectSettings
    seed: int
    previous: dict[ArtifactKind, Path]
    previous_class_ids: list[int]
    previous_state: dict[str, float]
    chosen: int | None = None
    """The round that ``previous`` has chosen the queue of: the one that closes, but for checks."""
    has_weights: bool = True
    """Whether uploaded weights that the settings name were there when these were read."""
    model_class_ids: list[int] | None = None
    """Class of each output of the model, where that is of an earlier job than the snapshot."""

    @classmethod
    def open(cls, context: JobContext) -> "Advance":
        """Read the rounds, and the artifacts that the last queue was selected with.

        Args:
            context: Of the job, or of a part of it, which works with the files of the whole.

        Raises:
            Conflict: ``weights_gone`` or ``weights_file_gone``, unless a first queue is to open,
                which needs no model: nobody waits for one then.
        """
        params = AdvanceParams.of(context)
        closing, selecting = params.closing, params.selecting
        with context.sessions() as session:
            # The settings frozen into the round that is being prepared.
            round_ = round_of(session, context.project_id, params.numbers[-1])
            chosen = chosen_before(session, context.project_id, closing)
            before = {} if chosen is None else artifacts_of(session, context.project_id, chosen)
            settings = ProjectSettings.model_validate(round_.settings)
            has_weights = True
            try:
                settings = with_file(session, context.storage, settings)
            except Conflict:
                if closing is not None or context.done("publish"):
                    raise
                has_weights = False
        meta = before[ArtifactKind.SCORES].meta if ArtifactKind.SCORES in before else {}
        return cls(
            context=context,
            work=context.storage.work(context.parent_id or context.job_id),
            closing=closing,
            selecting=selecting,
            settings=settings,
            seed=round_.seed,
            previous={
                kind: context.storage.fetch(item.storage_key) for kind, item in before.items()
            },
            previous_class_ids=meta["class_ids"] if meta else [],
            previous_state=meta.get("state", {}),
            chosen=chosen,
            has_weights=has_weights,
        )

    def file(self, name: str) -> Path:
        """A file of this job's unfinished work."""
        return self.work / name

    def note(self, phase: str, values: dict[str, Any]) -> None:
        """Keep what a phase found out, beside its files."""
        write_json(self.file(f"{phase}.json"), values)

    def noted(self, phase: str) -> dict[str, Any]:
        """What ``note`` kept; empty if the phase had nothing to say."""
        path = self.file(f"{phase}.json")
        return read_json(path) if path.exists() else {}

    @cached_property
    def snapshot(self) -> Snapshot:
        """The frozen knowledge."""
        return Snapshot.load(self.file("snapshot.npz"))

    @cached_property
    def learner(self) -> Learner:
        """What learns the labels of the project's task type."""
        return learner_of(self.snapshot.task)

    @cached_property
    def store(self) -> Store:
        """Examples of the project."""
        context = self.context
        with context.sessions() as session:
            medium = session.get_one(Project, context.project_id).medium
        frame = frame_of(medium, self.settings)
        return open_store(context.storage, context.project_id, frame, self.snapshot.count)

    @property
    def embeddings_file(self) -> Path:
        """Embeddings of the pool, in a file of its own for each thing they depend on."""
        return embeddings_file(self.context.storage, self.context.project_id, self.settings)

    @property
    def frozen(self) -> bool:
        """Whether what the model learns from are embeddings, which are computed once."""
        return uses_embeddings(self.settings.model.name, self.settings.model.params)

    def embeddings(self) -> Any:
        """Embeddings of the pool, (N, D) float32, or None."""
        return np.load(self.embeddings_file, mmap_mode="r") if self.frozen else None

    def used_embeddings(self) -> Any:
        """Of `embeddings` the columns that the model of this job looks at."""
        rows, columns = self.embeddings(), self.noted("train").get("columns")
        return rows if rows is None or columns is None else rows[:, slice(*columns)]

    @property
    def learned_features(self) -> LearnedFeatures | None:
        """What the latest job has learned that succeeded before this round's began, if needed."""
        job_id = self.noted("snapshot").get("learned_by")
        if job_id is None:
            return None
        context = self.context
        features = LearnedFeatures.of(context.storage, context.project_id, job_id)
        # Rows that are missing are completed.
        return features if features.encoder.exists() else None

    def contrastive(self) -> Any:
        """Features of the pool by the contrastive learner, (N, E) float32, or None without any."""
        features = self.learned_features
        return None if features is None else features.rows()

    @property
    def looks_at_embeddings(self) -> bool:
        """Whether the strategy needs embeddings of what it chooses from."""
        return "embeddings" in find("strategy", self.settings.strategy.name).needs

    @property
    def needs_learned_features(self) -> bool:
        """Whether the strategy or a score looks at features of the contrastive learner."""
        chosen = self.settings
        choices = {
            "strategy": chosen.strategy,
            "purity": chosen.purity,
            "informativeness": chosen.informativeness,
        }
        return any("contrastive" in find(kind, one.name).needs for kind, one in choices.items())

    def model(self) -> TargetModel | None:
        """The model that this job trained, or None if there was nothing to train on."""
        if not self.has_model:
            return None
        path = self.file("model.safetensors")
        return self.learner.restore(path, self.store, embeddings=self.embeddings())

    @property
    def query_settings(self) -> QuerySettings:
        """The algorithms of the coming selection."""
        chosen = self.settings
        return QuerySettings(
            strategy=chosen.strategy.name,
            strategy_params=chosen.strategy.params,
            purity=chosen.purity.name,
            purity_params=chosen.purity.params,
            informativeness=chosen.informativeness.name,
            informativeness_params=chosen.informativeness.params,
        )

    @property
    def closing_notes(self) -> list[str]:
        """What closing the round has shown; notes of the next batch belong to the next round."""
        notes = [
            note for phase in ("train", "evaluate") for note in self.noted(phase).get("notes", [])
        ]
        drawn = self.noted("evaluate").get("audit", {}).get("n", 0)
        judged = len(self.snapshot.evaluation) + drawn > 0
        if self.has_model and not judged:
            notes = [*notes, _NO_EVALUATION]
        return notes

    @property
    def has_model(self) -> bool:
        """Whether this job has trained a model."""
        return self.file("model.safetensors").exists()

    @property
    def looked_at(self) -> int:
        """Of how many images, by pool index, all is there that the model and the scores look at.

        Rounds complete it before they score; of what came since there is none.
        """
        features = self.learned_features
        files = [self.embeddings_file] if self.frozen else []
        files += [] if features is None else [features.file]
        rows = (len(np.load(one, mmap_mode="r")) if one.exists() else 0 for one in files)
        return min(rows, default=self.snapshot.count)

    @cached_property
    def judged(self) -> tuple[Indices, OpenSetLabels]:
        """Pool indices of the verdicts that the model knows, and what these say by its outputs."""
        snapshot = self.snapshot
        if self.model_class_ids is None:
            return snapshot.labeled, snapshot.labels
        there = np.flatnonzero(snapshot.labeled < self.looked_at)
        positions, labels = snapshot.known_to(self.model_class_ids, there)
        return snapshot.labeled[positions], labels

    def scored(self, model: TargetModel, rows: Any, progress: Progress) -> Scored:
        """Purity and informativeness of the unlabeled images at (n,) pool indices."""
        return score_pool(
            model,
            rows,
            *self.judged,
            self.query_settings,
            seed=self.seed,
            contrastive=self.contrastive(),
            verdicts=self.verdicts(),
            progress=progress,
        )

    def look_at_verdicts(self, model: TargetModel) -> None:
        """Keep what the model says of the labeled images, which each part is scored beside."""
        if self.verdicts() is not None:
            return
        outputs = infer(model, self.judged[0], self.context.progress)
        # What is written is the memory as it lies.
        arrays = {
            "logits": np.ascontiguousarray(outputs.logits),
            "embeddings": np.ascontiguousarray(outputs.embeddings),
        }
        write_atomically(self.file(_VERDICTS), lambda part: save_file(arrays, part))

    def verdicts(self) -> Outputs | None:
        """What the model says of the labeled images, if it was kept."""
        path = self.file(_VERDICTS)
        return Outputs(**dict[str, Any](load_file(path))) if path.exists() else None

    def save_view(self, scored: Scored, folder: Path) -> None:
        """Keep what the selection looks at beside the scores."""
        keep = self.looks_at_embeddings and not self.frozen
        view_files.save(scored.view, folder, embeddings=keep)
