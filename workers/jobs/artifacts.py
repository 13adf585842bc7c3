"""Keeping files beyond the job that made them."""

import os
import shutil
from pathlib import Path
from typing import Any

from core.files.storage import Storage, sha256, write_atomically
from core.states import ArtifactKind
from core.tables import Artifact
from workers.jobs.context import JobContext


def keep(
    context: JobContext,
    source: Path,
    kind: ArtifactKind,
    meta: dict[str, Any],
    key: str | None = None,
) -> Artifact:
    """Copy ``source`` to where artifacts are; the caller adds the row that is returned.

    Args:
        context: Of the job.
        source: A file of its unfinished work.
        kind: What the file holds.
        meta: For the row.
        key: Where it is kept, beside what else the job keeps if left out; an earlier copy is
            replaced.
    """
    key = key or f"projects/{context.project_id}/jobs/{context.job_id}/{source.name}"
    target = keep_file(context.storage, source, key)
    return Artifact(
        project_id=context.project_id,
        job_id=context.job_id,
        kind=kind,
        storage_key=key,
        sha256=sha256(target),
        bytes=target.stat().st_size,
        meta=meta,
    )


def keep_file(storage: Storage, source: Path, key: str) -> Path:
    """Copy ``source`` to where artifacts are, under a key; returns the copy."""
    target = storage.artifact(key)
    # What a worker has left that was killed in the middle of this.
    for unfinished in target.parent.glob(f"{target.name}.*.part"):
        unfinished.unlink(missing_ok=True)

    def copy(part: Path) -> None:
        shutil.copyfile(source, part)
        with part.open("rb") as file:
            os.fsync(file.fileno())

    write_atomically(target, copy)
    storage.publish(key)
    return target
