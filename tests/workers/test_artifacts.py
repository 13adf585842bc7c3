"""Files that a job keeps, when its worker dies in the middle of copying them."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core import settings
from core.messages import RunJob
from core.states import ArtifactKind, JobState
from core.storage import sha256
from core.tables import Artifact
from models.regularize import METHODS
from tests.workers.loop import Loop
from tests.workers.starting import start_job
from tests.world import World
from workers.prune import handler as prune
from workers.runner import run_job
from workers.taufe import handler as taufe

ROOT = Path(__file__).resolve().parents[2]
# Runs a job as a worker does, and dies by SIGKILL when half of the n-th file is copied.
WORKER = """
import os, signal, sys
from importlib import import_module
from pathlib import Path
from core.messages import RunJob
from core.states import JobKind
from workers import artifacts, runner

kind, job, countdown = JobKind(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
original = artifacts.shutil.copyfile

def deadly(source, part):
    global countdown
    countdown -= 1
    if countdown == 0:
        content = Path(source).read_bytes()
        Path(part).write_bytes(content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return original(source, part)

artifacts.shutil.copyfile = deadly
handler = import_module(f"workers.{kind.value}.handler")
runner.run_job(RunJob(job_id=job, kind=kind), handler)
"""
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
    installation: settings.Settings,
    kind: str,
    file: int,
    kept: dict[ArtifactKind, int],
) -> None:
    loop = Loop(world)
    loop.answer(0, 10)
    job = start_job(http, world, loop.project, kind, QUICK[kind])
    environment = {
        **os.environ,
        "DATABASE_URL": installation.database_url,
        "KARAT_DATA_DIR": str(installation.data_dir),
    }
    command = [sys.executable, "-c", WORKER, kind, str(job.id), str(file)]
    child = subprocess.run(command, cwd=ROOT, env=environment, timeout=200)
    assert child.returncode == -signal.SIGKILL
    found = select(Artifact.kind, func.count()).where(Artifact.job_id == job.id)
    found = found.group_by(Artifact.kind)
    loop.session.refresh(job)
    assert (job.state, job.result) == (JobState.RUNNING, None)
    assert loop.session.execute(found).all() == []
    assert len(list(world.storage.root.rglob("*.part"))) == 1

    job.heartbeat_at = None
    loop.session.commit()
    run_job(RunJob.of(job), HANDLERS[kind])
    loop.session.refresh(job)
    assert (job.state, job.attempt) == (JobState.SUCCEEDED, 2), job.error
    assert dict(loop.session.execute(found).all()) == kept
    rows = loop.session.scalars(select(Artifact).where(Artifact.job_id == job.id)).all()
    paths = [world.storage.artifact(one.storage_key) for one in rows]
    assert [one.sha256 for one in rows] == [sha256(path) for path in paths]
    # The half is gone as well.
    assert list(paths[0].parent.glob("*.part")) == []
