"""Where learned features are. Each job writes files of its own; the latest that succeeded counts.

So features and the encoder that made them always belong together, and a round that began with the
features of one job ends with them, whatever is learned meanwhile.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.artifacts.features import learned_digest
from core.files.storage import Storage
from core.media.images.input_size import not_resized_since
from core.settings.project import ProjectSettings
from core.states import JobKind, JobState
from core.tables import Job
from models.errors import ModelError
from models.features.embed import embedding_params
from models.media.embedding_files import discard_work
from models.media.images.store import PixelStore
from models.protocols import Progress

_PREFIX = "contrastive-"
_ENCODER = ".encoder.safetensors"


def embeddings_file(storage: Storage, project_id: int, settings: ProjectSettings) -> Path:
    """Where a pool's embeddings by a frozen model are: a file for each thing they depend on."""
    model = settings.model
    decisive = embedding_params(model.name, model.params)
    facts = [model.name, decisive, settings.input_size]
    if settings.fit != "crop":
        # Of cropped images there are files of earlier versions.
        facts.append(settings.fit)
    key = json.dumps(facts, sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return storage.features(project_id) / f"{model.name}-{digest}.npy"


def require_same_features(learned_from: str | None, embeddings: Path) -> None:
    """Refuse a pool's embeddings for a head that was trained on those of another extractor.

    Args:
        learned_from: ``learned_digest`` of what the head was trained on; None where that is not
            known, or nothing was learned.
        embeddings: What it is to look at.

    Raises:
        ModelError: They were learned anew since.
    """
    now = learned_digest(embeddings)
    if learned_from is not None and now is not None and now != learned_from:
        raise ModelError(
            "The features of this pool were learned anew, from more images, since the newest "
            "model learned; close a round, so that it learns from these, and try again."
        )


@dataclass(frozen=True)
class LearnedFeatures:
    """The features that one job has learned for a project."""

    directory: Path
    job_id: int

    @classmethod
    def of(cls, storage: Storage, project_id: int, job_id: int) -> "LearnedFeatures":
        """Those of a job, there or not yet."""
        return cls(storage.features(project_id), job_id)

    @property
    def file(self) -> Path:
        """(N, E) float32 .npy, rows by pool index."""
        return self.directory / f"{_PREFIX}{self.job_id}.npy"

    @property
    def encoder(self) -> Path:
        """What made them, for images that are imported later."""
        return self.directory / f"{_PREFIX}{self.job_id}{_ENCODER}"

    @classmethod
    def encoder_of(cls, path: Path) -> Path | None:
        """What has made the features of a file, if a job has learned them."""
        if not path.name.startswith(_PREFIX):
            return None
        return path.with_name(f"{path.stem}{_ENCODER}")

    @property
    def exist(self) -> bool:
        """Whether both files are there; those of long ago are removed."""
        return self.file.exists() and self.encoder.exists()

    def discard(self) -> None:
        """Remove all rows, those of an embedding that was cut off too: another encoder comes."""
        self.file.unlink(missing_ok=True)
        discard_work(self.file)

    def complete(self, store: PixelStore, progress: Progress) -> None:
        """Embed the images that have no features yet."""
        from models.media.images.contrastive import embed_with_encoder

        embed_with_encoder(store, self.encoder, out=self.file, progress=progress)

    def rows(self) -> Any:
        """The (N, E) float32 features, mapped."""
        return np.load(self.file, mmap_mode="r")

    def remove_others(self, keep: int | None) -> None:
        """Remove the files of all jobs but this and ``keep``, which a round may be working with."""
        kept = {self.job_id, keep}
        for path in self.directory.glob(f"{_PREFIX}*"):
            number = path.name.removeprefix(_PREFIX).partition(".")[0]
            if number.isdigit() and int(number) not in kept:
                path.unlink(missing_ok=True)


def latest(session: Session, project_id: int) -> int | None:
    """The job whose features count, if any has succeeded."""
    statement = (
        select(Job.id)
        .where(
            Job.project_id == project_id,
            Job.kind == JobKind.LEARN_FEATURES,
            Job.state == JobState.SUCCEEDED,
            Job.is_real(),
            not_resized_since(),
        )
        .order_by(Job.finished_at.desc(), Job.id.desc())
        .limit(1)
    )
    return session.scalar(statement)
