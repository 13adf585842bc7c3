"""Imports that are killed at any instant, and what a second attempt makes of them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from core import settings
from core.states import JobState
from core.tables import Artifact, Job
from tests.workers.import_files import Pool, jpeg, png, zipped
from tests.world import World

ROOT = Path(__file__).resolve().parents[2]
N = 1300
# Runs a job as a worker does, and dies by SIGKILL when the named function is called the n-th time.
WORKER = """
import os, signal, sys
from core.messages import ImportPool
from workers import runner
from workers.imports import handler, pool, report

job, place, moment, countdown = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
owner, name = {
    "files": (pool.PoolWriter, "write_files"),
    "report": (report.ReportFile, "append"),
    "rows": (pool.PoolWriter, "add_rows"),
    "commit": (pool.PoolWriter, "advance"),
    "publish": (report.ReportFile, "publish"),
    "cleanup": (handler.shutil, "rmtree"),
    "end": (runner, "finish_job"),
}[place]
original = getattr(owner, name)

def deadly(*arguments, **options):
    global countdown
    countdown -= 1
    if countdown == 0 and moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*arguments, **options)
    if countdown == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(owner, name, deadly)
runner.run_job(ImportPool(job_id=job), handler)
"""


def upload() -> bytes:
    """Three batches with additions, duplicates and refusals in each."""
    files = []
    for index in range(N):
        content = png(index)
        if index % 50 == 7:
            content = png(index - 7)
        elif index % 60 == 11:
            content = jpeg(index)[:300]
        files.append((f"{'evaluation/cat' if index % 9 == 4 else 'pool/x'}/{index}.png", content))
    return zipped(files)


def outcome(pool: Pool, job: Job) -> dict[str, Any]:
    """All that an import leaves behind."""
    artifacts = select(Artifact).where(Artifact.job_id == job.id)
    return {
        "result": job.result,
        "examples": [
            [
                (one.pool_index, one.content_hash, one.name, one.split, one.meta),
                (one.width, one.height, one.media_type, one.bytes),
                one.label_class_id is None,
                pool.storage.image(one.content_hash).is_file(),
            ]
            for one in pool.examples()
        ],
        "pixels": pool.storage.pixels(pool.project_id).read_bytes(),
        "report": pool.report(job),
        "artifacts": len(pool.session.scalars(artifacts).all()),
        "left": [
            pool.storage.work(job.id).exists(),
            pool.storage.upload(job.params["upload"]).exists(),
        ],
    }


def start(installation: settings.Settings, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "DATABASE_URL": installation.database_url,
        "KARAT_DATA_DIR": str(installation.data_dir),
    }
    command = [sys.executable, "-c", WORKER, *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=environment)


def run_until_done(pool: Pool, job: Job) -> Job:
    """Send the job again and again, as the sweeper does, until its dead worker is given up."""
    deadline = time.monotonic() + 60
    while pool.run(job).state is JobState.RUNNING:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return job


@pytest.fixture
def expected(world: World, pool: Pool) -> dict[str, Any]:
    """What an import leaves that nobody kills."""
    other = Pool(pool.session, pool.storage, world.project())
    found = outcome(other, other.add(upload()))
    assert found["result"]["total"] == N
    assert found["result"]["duplicates"] > 20
    assert found["result"]["refused"] > 20
    return found


@pytest.mark.parametrize(
    "kills",
    [
        [("rows", "after", 1), ("report", "after", 3), ("publish", "after", 1)],
        [("commit", "after", 1), ("cleanup", "before", 1), ("end", "before", 1)],
        pytest.param(
            [("files", "before", 1), ("files", "after", 1), ("commit", "before", 2)],
            marks=pytest.mark.long,
        ),
        pytest.param(
            [("rows", "before", 2), ("publish", "before", 1), ("cleanup", "after", 1)],
            marks=pytest.mark.long,
        ),
    ],
)
def test_killed_at_every_step_it_resumes_to_the_same(
    pool: Pool,
    expected: dict[str, Any],
    installation: settings.Settings,
    kills: list[tuple[str, str, int]],
) -> None:
    job = pool.queue(upload())
    for attempt, (place, moment, count) in enumerate(kills, 1):
        _expire(pool, job)
        child = start(installation, str(job.id), place, moment, str(count))
        assert child.wait(60) == -signal.SIGKILL, (place, moment)
        pool.session.expire_all()
        assert (job.state, job.attempt) == (JobState.RUNNING, attempt)
    run_until_done(pool, job)
    assert outcome(pool, job) == expected


def test_killed_at_any_time_it_resumes_to_the_same(
    pool: Pool, expected: dict[str, Any], installation: settings.Settings
) -> None:
    job = pool.queue(upload())
    for seconds in (0.05, 0.2):
        _expire(pool, job)
        child = start(installation, str(job.id), "end", "before", "1")
        attempt = job.attempt
        while job.attempt == attempt:
            time.sleep(0.01)
            pool.session.expire_all()
        time.sleep(seconds)
        child.kill()
        child.wait()
    run_until_done(pool, job)
    assert outcome(pool, job) == expected


def _expire(pool: Pool, job: Job) -> None:
    """Let the job's dead worker have been silent for long, instead of waiting."""
    pool.session.expire_all()
    job.heartbeat_at = None
    pool.session.commit()
