"""What is on its way to a judge outlives the worker that has sent it."""

import os
import signal
from functools import partial
from pathlib import Path

import psutil
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Integer, cast, func, select

from core.errors import Conflict
from core.files.disk import is_full
from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobState
from core.tables import Job, JudgeAnswer
from karat.demo.stand_in_judge import Behaviour, StandIn
from tests.processes import eventually, worker
from tests.workers.instructed import judge_of, pool_of, rows_of
from tests.workers.killing import state
from tests.workers.starting import start_job
from tests.world import World
from workers.judges.courier import LOCK
from workers.judges.dispatch import dispatch
from workers.judges.orders import Order
from workers.judges.settings import JudgeSettings

KEY = "sk-canary-of-couriers"
# Of a process, what others of the machine may see.
_SEEN = ("cmdline", "environ")


def on_way(served: StandIn) -> int:
    return served.requests - served.answered.total()


def couriers_of(pid: int | None) -> list[int]:
    found = psutil.process_iter(["ppid"])
    return [one.pid for one in found if one.info["ppid"] == pid]


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def left_by_a_dead_worker(world: World, job: Job) -> None:
    """Time passes in the row: a job is free after some silent seconds."""
    world.session.refresh(job)
    job.heartbeat_at = func.now() - func.make_interval(0, 0, 0, 0, 0, 60)
    world.session.commit()


def test_a_worker_that_is_killed_while_it_asks_pays_for_nothing_twice(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows, truth = rows_of(8)
    project = pool_of(world, rows)
    slow = Behaviour(key=KEY, seconds=0.7)
    with judge_of(world, monkeypatch, truth, slow) as (judge, served):
        headers = world.caller().headers
        keyed = http.patch(f"/api/judges/{judge.id}", json={"key": KEY}, headers=headers)
        assert keyed.status_code == 200, keyed.json()
        params = {"method": "sample_scores", "at_least": 3.5}
        job = start_job(http, world, project, "select_instructions", params)
        message, log = RunJob.of(job), tmp_path / "worker.log"
        said = world.storage.job_log(project.id, job.id)
        couriers: list[int] = []
        for _ in range(3):
            with worker(message.queue, log) as process:
                queue.send(message)
                eventually(partial(couriers_of, process.pid), "it asks")
                # None begins before what the one before had on its way is there.
                eventually(lambda: not any(map(is_alive, couriers)), "the one before ends")
                eventually(lambda: on_way(served) >= 3, "several are on their way")
                [courier] = couriers_of(process.pid)
                couriers.append(courier)
                shown = "".join(Path(f"/proc/{courier}/{one}").read_text() for one in _SEEN)
                # As of a machine that stops: it ends when it has nothing on its way.
                os.kill(courier, signal.SIGTERM)
                process.kill()
                process.wait(10)
                assert KEY not in shown
            left_by_a_dead_worker(world, job)
        eventually(lambda: not any(map(is_alive, couriers)), "all that was sent is there")
        sent = served.requests
        assert sent < len(rows)
        assert served.answered.total() == sent
        # Nobody asks beside a process that still brings answers home.
        lock = (LOCK, cast(job.id, Integer))
        world.session.scalar(select(func.pg_advisory_lock(*lock)))
        with worker(message.queue, log) as process:
            queue.send(message)
            eventually(lambda: "waits for what a worker that died" in said.read_text(), "it waits")
            assert served.requests == sent
            [courier] = couriers_of(process.pid)
            os.kill(courier, signal.SIGKILL)
            eventually(lambda: state(world, job) is JobState.FAILED, "it is told")
            assert job.error is not None
            assert job.error["code"] == "courier_lost"
            assert couriers_of(process.pid) == []
            assert http.post(f"/api/jobs/{job.id}/retry", headers=headers).status_code == 200
            world.session.scalar(select(func.pg_advisory_unlock(*lock)))
            ends = {JobState.SUCCEEDED, JobState.FAILED}
            eventually(lambda: state(world, job) in ends, "the job ends")
        assert state(world, job) is JobState.SUCCEEDED, log.read_text()
        # Once each, although three workers have died with several on their way.
        assert served.requests == served.answered.total() == len(rows)
        assert set(served.answered.values()) == {1}
        kept = world.session.scalar(select(func.count()).select_from(JudgeAnswer))
        assert kept == len(rows)


@pytest.mark.parametrize(
    ("said", "error", "full"),
    [
        ('{"number": 1, "fou', Conflict, False),
        ('{"error": "full", "detail": "No space left on device"}\n', OSError, True),
    ],
    ids=["killed", "no room"],
)
def test_how_one_ends_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, error: type[Exception], full: bool
) -> None:
    """Killed in the middle of a word, or where there is no room for answers."""
    dying = tmp_path / "dying"
    dying.write_text(f"#!/bin/sh\nprintf '%s' '{said}'\nkill -KILL $$\n")
    dying.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(dying))
    order = Order(JudgeSettings(1, "http://127.0.0.1/v1", "tiny"), 1, None)
    with pytest.raises(error) as caught:
        dispatch(order, [], lambda *_: None, check=lambda: None, say=lambda _: None)
    assert is_full(caught.value) is full
