"""Files that a job keeps, when its worker dies in the middle of copying them."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.files.storage import sha256
from core.jobs.messages import RunJob
from core.states import ArtifactKind, JobState
from core.tables import Artifact
from models.catalog.params.regularize import METHODS
from tests.workers.killing import die, killed
from tests.workers.loop import Loop
from tests.workers.starting import run_here, start_job
from tests.world import World
from workers.execution.runner import run_job
from workers.prune import handler as prune
from workers.taufe import handler as taufe


def copy_until(message: RunJob, countdown: int) -> None:
    """Run a job as a worker does, and die when half of the n-th file is copied."""
    original = shutil.copyfile

    def deadly(source: Path, part: Path) -> Any:
        nonlocal countdown
        countdown -= 1
        if countdown == 0:
            content = source.read_bytes()
            part.write_bytes(content[: len(content) // 2])
            die()
        return original(source, part)

    vars(shutil)["copyfile"] = deadly
    run_job(message)


HANDLERS = {"prune": prune, "taufe": taufe}
QUICK: dict[str, dict[str, Any]] = {
    "prune": {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 4},
    "taufe": {"network": "cnn_tiny", "width": 4, "steps": 5, "batch_size": 4},
}


@pytest.mark.parametrize(
    ("kind", "file", "kept"),
    [
        ("prune", 1, {ArtifactKind.SUBSET: 1}),
        ("taufe", 2, {ArtifactKind.CHECKPOINT: len(METHODS), ArtifactKind.COMPARISON: 1}),
    ],
)
def test_killed_in_the_middle_of_a_file_the_job_keeps_each_once_and_whole(
    http: TestClient,
    world: World,
    kind: str,
    file: int,
    kept: dict[ArtifactKind, int],
) -> None:
    loop = Loop(world)
    loop.answer(0, 10)
    job = start_job(http, world, loop.project, kind, QUICK[kind])
    assert killed(copy_until, RunJob.of(job), file)
    found = select(Artifact.kind, func.count()).where(Artifact.job_id == job.id)
    found = found.group_by(Artifact.kind)
    loop.session.refresh(job)
    assert (job.state, job.result) == (JobState.RUNNING, None)
    assert loop.session.execute(found).all() == []
    assert len(list(world.storage.root.rglob("*.part"))) == 1

    job.heartbeat_at = None
    loop.session.commit()
    run_here(world, job)
    assert (job.state, job.attempt) == (JobState.SUCCEEDED, 2), job.error
    assert dict(loop.session.execute(found).all()) == kept
    rows = loop.session.scalars(select(Artifact).where(Artifact.job_id == job.id)).all()
    paths = [world.storage.artifact(one.storage_key) for one in rows]
    assert [one.sha256 for one in rows] == [sha256(path) for path in paths]
    # The half is gone as well.
    assert list(paths[0].parent.glob("*.part")) == []
