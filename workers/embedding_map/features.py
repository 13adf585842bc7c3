"""What a map lays out: the embeddings that rounds have stored, or what completes them.

A round may embed the same pool at the same time, on another worker. So whatever is embedded here is
written beside, and takes the stored file's place only while no round of the project runs.
"""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from core.files.storage import write_atomically
from core.settings.project import Fit, ProjectSettings
from core.states import ArtifactKind, JobKind, JobState, Split
from core.tables import Artifact, Example, Job, Project, Round
from models.features.embed import embed_pool, extractor_path, uses_embeddings
from models.features.embedding_map import feature_spans
from models.files import tensorfile
from models.media.base import Store
from models.media.embedding_files import write_embeddings
from models.media.images.extractor import NetworkExtractor
from models.media.images.store import images_of
from models.protocols import Indices, Progress
from models.target.train import load_target
from models.target.trained import NetworkModel
from workers.features.stored import LearnedFeatures, embeddings_file, latest
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_noted, frame_of, noted, open_store
from workers.weights import with_file

STORED: Final = "stored"
LEARNED: Final = "learned"
TRAINED: Final = "trained"
_UNTIL_TRAINED: Final = "auto"


@dataclass(frozen=True)
class Source:
    """Whose embeddings are laid out, as it was when the job began.

    Attributes:
        kind: ``STORED`` of a frozen model, ``TRAINED`` of the network that the last round trained,
            or ``LEARNED`` by the job learn_features.
        model: Of the catalog.
        params: Its parameters.
        input_size: Side of the images in pixels; None of texts.
        fit: How images lie in their squares.
        seed: Of the project.
        images: How many the project has, of all splits.
        columns: What the last model looked at of the stored ones; None = all.
        job_id: That learned the features.
        checkpoint: Storage key of the trained network.
    """

    kind: str
    model: str
    params: dict[str, Any]
    input_size: int | None
    seed: int
    images: int
    columns: tuple[int, int] | None = None
    job_id: int | None = None
    checkpoint: str | None = None
    fit: Fit = "crop"

    @property
    def name(self) -> str:
        """What made the embeddings, for people."""
        return "learn_features" if self.kind == LEARNED else self.model

    def noted(self) -> dict[str, Any]:
        """As the job's checkpoint keeps it."""
        return asdict(self)

    @classmethod
    def of(cls, noted: dict[str, Any]) -> "Source":
        """Read what ``noted`` wrote."""
        columns = noted["columns"]
        return cls(**{**noted, "columns": None if columns is None else tuple(columns)})


def pool_of(session: Session, project_id: int) -> Indices:
    """Pool indices of the images that people are asked about: (n,) int64, ascending."""
    statement = (
        select(Example.pool_index)
        .where(Example.project_id == project_id, Example.split == Split.POOL)
        .order_by(Example.pool_index)
    )
    return np.array(session.scalars(statement).all(), dtype=np.int64)


def source_of(context: JobContext) -> Source:
    """Find out whose embeddings the project's model works with, or which others there are."""
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        frame = frame_of(project.medium, settings)
        settings = with_file(session, context.storage, settings)
        total = select(func.count()).where(Example.project_id == context.project_id)
        images = session.scalar(total) or 0
        trained = session.scalars(_last_model(context.project_id)).first()
        learned = latest(session, context.project_id)
    model = settings.model
    common: dict[str, Any] = {
        "model": model.name,
        "params": dict(model.params),
        **noted(frame),
        "seed": settings.seed,
        "images": images,
    }
    metadata = {}
    if trained is not None and (path := context.storage.fetch(trained.storage_key)).exists():
        metadata = tensorfile.read_metadata(path)
    is_of_model = metadata.get("name") == model.name
    if uses_embeddings(model.name, model.params):
        columns = json.loads(metadata["columns"]) if is_of_model and "columns" in metadata else None
        return Source(STORED, **common, columns=None if columns is None else tuple(columns))
    if trained is not None and is_of_model:
        return Source(TRAINED, **common, checkpoint=trained.storage_key)
    if learned is not None:
        features = LearnedFeatures.of(context.storage, context.project_id, learned)
        if features.exist:
            return Source(LEARNED, **common, job_id=learned)
    # Of a network that no round has trained yet there is nothing; these need no round.
    return Source(STORED, **{**common, "model": _UNTIL_TRAINED, "params": {}})


def _last_model(project_id: int) -> Any:
    return (
        select(Artifact)
        .join(Round, Round.id == Artifact.round_id)
        .where(Artifact.project_id == project_id, Artifact.kind == ArtifactKind.CHECKPOINT)
        .order_by(Round.number.desc(), Artifact.id.desc())
        .limit(1)
    )


class Features:
    """The embeddings of one source, for one job."""

    def __init__(self, context: JobContext, source: Source) -> None:
        """Look at nothing yet."""
        self.context, self.source = context, source
        self._work = context.work / "embeddings"

    @property
    def _stored(self) -> Path | None:
        """Where others keep the same embeddings."""
        context, source = self.context, self.source
        if source.kind == STORED:
            with context.sessions() as session:
                project = session.get_one(Project, context.project_id)
                settings = ProjectSettings.model_validate(project.settings)
            settings = settings.model_copy(
                update={
                    "model": settings.model.model_copy(
                        update={"name": source.model, "params": source.params}
                    ),
                    "input_size": source.input_size,
                    "fit": source.fit,
                }
            )
            return embeddings_file(context.storage, context.project_id, settings)
        return None if self._learned is None else self._learned.file

    @property
    def _own(self) -> Path:
        return self._work / ((self._stored or Path("trained.npy")).name)

    def store(self, count: int | None = None) -> Store:
        """The examples of the project, or the first of them."""
        context, source = self.context, self.source
        wanted = source.images if count is None else count
        frame = frame_noted(source.noted())
        return open_store(context.storage, context.project_id, frame, wanted)

    @property
    def missing(self) -> int:
        """How many images have no embedding yet."""
        known = max(_rows(self._own), 0 if self._stored is None else _rows(self._stored))
        return max(0, self.source.images - known)

    @property
    def can_be_made(self) -> bool:
        """Whether what embeds the images is there, or can be had."""
        learned = self._learned
        return learned is None or learned.encoder.exists()

    @property
    def _learned(self) -> LearnedFeatures | None:
        context, job_id = self.context, self.source.job_id
        if job_id is None:
            return None
        return LearnedFeatures.of(context.storage, context.project_id, job_id)

    def complete(self, progress: Progress) -> None:
        """Embed what is missing; killed, it goes on where it was."""
        if self._stored is not None and _rows(self._stored) >= self.source.images:
            return
        self._work.mkdir(parents=True, exist_ok=True)
        self._begin()
        self.embed(self.store(), self._own, progress)
        if self.source.kind == STORED:
            self._hand_on()

    def _begin(self) -> None:
        """Take over what others have embedded, and what embeds."""
        stored = self._stored
        if stored is None or self._own.exists():
            return
        for path in (extractor_path(stored), stored):
            if path.exists() and not (target := self._work / path.name).exists():
                _copy(path, target)

    def embed(self, store: Store, out: Path, progress: Progress) -> None:
        """Embed the images of ``store`` that ``out`` lacks."""
        source = self.source
        if source.kind == STORED:
            embed_pool(
                store, source.model, source.params, out=out, seed=source.seed, progress=progress
            )
        elif source.kind == LEARNED:
            from models.media.images.contrastive import embed_with_encoder

            assert self._learned is not None
            encoder = self._learned.encoder
            embed_with_encoder(images_of(store), encoder, out=out, progress=progress)
        else:
            write_embeddings(store, lambda: self._network(store), out=out, progress=progress)

    def _network(self, store: Store) -> NetworkExtractor:
        assert self.source.checkpoint is not None
        model = load_target(self.context.storage.fetch(self.source.checkpoint), store)
        assert isinstance(model, NetworkModel)
        return NetworkExtractor(
            model.network, self.source.params.get("precision", "auto"), whole=True
        )

    def _hand_on(self) -> None:
        """Let the next round find what was embedded here."""
        stored = self._stored
        assert stored is not None
        with self.context.sessions.begin() as session:
            # A worker that begins a round takes the same lock before.
            lock = text("SELECT pg_advisory_xact_lock(:id)")
            session.execute(lock, {"id": self.context.project_id})
            rounds = select(Job.id).where(
                Job.project_id == self.context.project_id,
                Job.kind == JobKind.ADVANCE_ROUND,
                Job.state == JobState.RUNNING,
            )
            if session.scalar(rounds.limit(1)) is not None or _rows(stored) >= _rows(self._own):
                return
            stored.parent.mkdir(parents=True, exist_ok=True)
            # The rows last: without what makes them, they are removed.
            for path in (extractor_path(self._own), self._own):
                write_atomically(stored.parent / path.name, partial(_copy, path))

    def rows(self) -> Any:
        """(N, D) float32, mapped; N at least the images of the source."""
        own, stored = self._own, self._stored
        if stored is None or _rows(own) >= self.source.images:
            return np.load(own, mmap_mode="r")
        return np.load(stored, mmap_mode="r")

    def spans(self) -> list[tuple[int, int]]:
        """Which columns are one kind of features each."""
        source = self.source
        width = int(self.rows().shape[1])
        model = source.model if source.kind == STORED else ""
        return feature_spans(model, source.input_size, width, source.columns)


def _rows(path: Path) -> int:
    return int(np.load(path, mmap_mode="r").shape[0]) if path.exists() else 0


def _copy(source: Path, target: Path) -> None:
    """Have the same file under another name; neither is ever written to, but replaced."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
