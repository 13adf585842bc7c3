"""A pool that is scored in parts by several workers, as if by one."""

import shutil
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import claim_job, new_job
from core.settings import settings
from core.states import JobKind, JobState, RoundState
from core.tables import Job, Worker
from karat.local.fork_server import ForkedProcess
from models.errors import ModelError
from models.protocols import TargetModel
from tests.processes import Hold, eventually, worker
from tests.workers.killing import state
from tests.workers.loop import Loop, run
from tests.world import World
from workers.advance import handler, scoring
from workers.advance.advance import Advance
from workers.execution.runner import run_job
from workers.jobs.context import JobContext

# 60 images, 8 of them labeled: six parts.
_PARTS = 6
_ENDS = "NEW.kind = 'score_part' AND NEW.state = 'succeeded'"


@pytest.fixture(autouse=True)
def _small_parts(installation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    del installation
    monkeypatch.setenv("KARAT_SCORING_ROWS", "10")
    settings.cache_clear()


def _loop(world: World) -> Loop:
    loop = Loop(world, model={"name": "patch_kmeans", "params": {}})
    loop.answer(0, 8)
    return loop


def _parts(session: Session) -> list[Job]:
    session.rollback()
    session.expire_all()
    statement = select(Job).where(Job.kind == JobKind.SCORE_PART).order_by(Job.id)
    found = list(session.scalars(statement))
    session.rollback()
    return found


def _alone(world: World, log: Path) -> Loop:
    """A round that one worker has closed."""
    loop = _loop(world)
    job = loop.close(0)
    message = RunJob.of(job)
    world.session.rollback()
    with worker("gpu", log):
        queue.send(message)
        eventually(lambda: state(world, job) is JobState.SUCCEEDED, "one worker ends the round")
    return loop


def _workers(stack: ExitStack, world: World, log: Path) -> list[ForkedProcess]:
    """Two workers that know of each other, as on two hosts that mount one storage elsewhere."""
    processes = [stack.enter_context(worker("gpu", log, "first"))]
    mounted = log.with_suffix(".mounted")
    mounted.symlink_to(world.storage.root, target_is_directory=True)
    with pytest.MonkeyPatch.context() as other_host:
        other_host.setenv("KARAT_DATA_DIR", str(mounted))
        processes.append(stack.enter_context(worker("gpu", log, "second")))

    def both() -> bool:
        world.session.rollback()
        found = set(world.session.scalars(select(Worker.pid)))
        return {process.pid for process in processes} <= found

    eventually(both, "both workers appear")
    world.session.rollback()
    return processes


# Seven workers start one after the other.
@pytest.mark.timeout(600)
def test_however_many_score_and_whoever_is_killed_the_scores_are_the_same(
    world: World, tmp_path: Path, http: TestClient
) -> None:
    alone = _alone(world, tmp_path / "alone.log")
    assert _parts(world.session) == []
    for victim in (None, "helper", "owner"):
        together = _loop(world)
        job = together.close(0)
        _close_together(world, job, victim, tmp_path / f"{victim}.log")
        parts = [part for part in _parts(world.session) if part.parent_id == job.id]
        assert len(parts) == _PARTS
        assert {part.state for part in parts} == {JobState.SUCCEEDED}
        # What the killed one had begun was begun again.
        assert max(part.attempt for part in parts) == (1 if victim is None else 2)
        assert victim is not None or len({part.worker for part in parts}) == 2
        assert together.queue(1) == alone.queue(1)
        assert together.files() == alone.files()
    # Nobody is bothered with parts: each round has one job.
    listed = http.get("/api/jobs", headers=world.caller().headers).json()["items"]
    assert [one["kind"] for one in listed] == ["advance_round"] * 4


def _close_together(world: World, job: Job, victim: str | None, log: Path) -> None:
    """Close a round by two workers, and kill one of them while both have a part."""
    message = RunJob.of(job)
    world.session.rollback()
    hold = Hold("jobs", _ENDS)
    with ExitStack() as stack:
        processes = _workers(stack, world, log)
        queue.send(message)
        eventually(lambda: len(hold.waiting()) == 2, "both workers end a part")
        if victim is not None:
            state(world, job)
            owner = int((job.worker or "").rpartition(":")[2])
            world.session.rollback()
            killed = next(one for one in processes if (one.pid == owner) == (victim == "owner"))
            killed.kill()
            killed.wait(10)
            hold.forget()
        hold.let_go()
        if victim == "owner":
            eventually(lambda: _silent(world, job), "the owner is missed")
            queue.send(message)
        eventually(lambda: state(world, job) is JobState.SUCCEEDED, "the round ends")


def _silent(world: World, job: Job) -> bool:
    """Whether a worker may take the job over, after 1.5 silent seconds."""
    state(world, job)
    assert job.heartbeat_at is not None
    silent = datetime.now(UTC) - job.heartbeat_at > timedelta(seconds=2)
    world.session.rollback()
    return silent


def test_a_cancelled_round_stops_its_parts(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More parts than the other worker can score before the round notices.
    monkeypatch.setenv("KARAT_SCORING_ROWS", "1")
    settings.cache_clear()
    loop = _loop(world)
    job = loop.close(0)
    message = RunJob.of(job)
    world.session.rollback()
    hold = Hold("jobs", _ENDS)
    with ExitStack() as stack:
        _workers(stack, world, tmp_path / "cancelled.log")
        queue.send(message)
        eventually(lambda: len(hold.waiting()) == 2, "both workers end a part")
        state(world, job)
        job.cancel_requested = True
        world.session.commit()
        hold.let_go()
        eventually(lambda: state(world, job) is JobState.CANCELLED, "the round stops")
        ended = {JobState.SUCCEEDED, JobState.CANCELLED}
        eventually(lambda: {one.state for one in _parts(world.session)} == ended, "parts stop")
    assert loop.rounds()[0].state is RoundState.FAILED


def _left_behind(world: World, job: Job, rows: int) -> Job:
    """A part that a dead worker had when the attempt before was cancelled."""
    part = new_job(
        JobKind.SCORE_PART,
        project_id=job.project_id,
        params={**job.params, "part": 1, "rows": rows},
        parent_id=job.id,
    )
    world.session.add(part)
    world.session.flush()
    claim_job(part, "gone:1")
    part.cancel_requested = True
    part.heartbeat_at = datetime.now(UTC) - timedelta(minutes=5)
    world.session.commit()
    return part


@pytest.mark.parametrize(("rows", "anew"), [(10, False), (25, False), (10, True)])
def test_what_a_cancelled_attempt_left_does_not_stop_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch, rows: int, anew: bool
) -> None:
    """Its parts stop late, and may have been of another size, or of files that are gone."""
    if not anew:
        monkeypatch.setattr(scoring, "_work", lambda _: "")
    whole = _loop(world)
    whole_job = whole.close(0)
    loop = _loop(world)
    job = loop.close(0)
    left = _left_behind(world, job, rows)
    for one in (whole_job, job):
        message = RunJob.of(one)
        world.session.rollback()
        run_job(message, handler)
        assert state(world, one) is JobState.SUCCEEDED, one.error
    taken_up = rows == 10 and not anew
    assert state(world, left) is (JobState.SUCCEEDED if taken_up else JobState.RUNNING)
    assert loop.queue(1) == whole.queue(1)
    assert loop.files() == whole.files()


@pytest.mark.parametrize("shared", [False, True])
def test_parts_of_what_was_begun_anew_are_taken_for_no_others(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shared: bool
) -> None:
    other = {"name": "cnn_tiny", "params": {"steps": 20, "augment": False}}
    whole = Loop(world, model=other)
    whole.advance(0)
    loop = _loop(world)
    monkeypatch.setattr(scoring, "_others_work", lambda _: shared)
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "_join", _stop)
        job = loop.finish(0)
    work = world.storage.work(job.id)
    shutil.copytree(work / "parts", tmp_path / "parts")
    loop.project.settings = {**loop.project.settings, "model": other}
    world.session.commit()
    retried = http.post(f"/api/jobs/{job.id}/retry", headers=world.caller().headers)
    assert retried.status_code == 200, retried.text
    looks = Advance.look_at_verdicts

    def late(advance: Advance, model: TargetModel) -> None:
        """Have a worker that was at work meanwhile end its parts."""
        shutil.copytree(tmp_path / "parts", work / "parts")
        looks(advance, model)

    monkeypatch.setattr(Advance, "look_at_verdicts", late)
    run(world.session, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert loop.queue(1) == whole.queue(1)
    assert loop.files() == whole.files()
    # Others may take those of the second attempt, too.
    assert len(_parts(world.session)) == (2 * _PARTS if shared else 0)


def _stop(*_: object) -> NoReturn:
    raise ModelError("It ends here.")


def test_a_part_that_misses_pixels_fails_the_round_by_why_they_are_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world)
    loop.answer(0, 8)

    def lose(_: JobContext) -> bool:
        """Lose half of the pixels, and all originals, when the model is trained."""
        (pixels,) = world.storage.all_pixels(loop.project.id)
        content = pixels.read_bytes()
        # Another file: who has mapped it reads on.
        pixels.unlink()
        pixels.write_bytes(content[: len(content) // 2])
        (world.storage.root / "images").rename(world.storage.root / "images.hidden")
        return True

    monkeypatch.setattr(scoring, "_others_work", lose)
    job = loop.finish(0)
    assert (job.state, (job.error or {}).get("code")) == (JobState.FAILED, "originals_gone")
    failed = [one for one in _parts(world.session) if one.state is JobState.FAILED]
    assert {(one.error or {}).get("code") for one in failed} == {"originals_gone"}
