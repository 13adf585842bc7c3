"""Imports of several projects take turns: nobody waits for all of somebody else's."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
from sqlalchemy import select, update

from core import settings
from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import claim_job, finish_job, give_back_job, new_job
from core.states import JobKind, JobState
from core.tables import DRY_RUN, Job, Project
from karat.local.embedded import EmbeddedRedis
from tests.processes import eventually, worker
from tests.workers.import_files import Pool, png, zipped
from tests.world import World
from workers.celery_tasks.run_job import run_job
from workers.execution.claiming import claim, let_others_in
from workers.jobs import yielding
from workers.jobs.context import JobContext, SteppedAside
from workers.jobs.fairness import next_import

SEEDS = iter(range(30_000, 40_000))


def images(number: int) -> bytes:
    return zipped([(f"{n}.png", png(next(SEEDS))) for n in range(number)])


def another(pool: Pool, world: World) -> Pool:
    return Pool(pool.session, pool.storage, world.project())


def job(world: World, project: Project, *, dry_run: bool = False) -> Job:
    """An import that waits for a worker; nothing will run it."""
    params = {DRY_RUN: True} if dry_run else {}
    made = new_job(JobKind.IMPORT_POOL, project_id=project.id, params=params)
    world.session.add(made)
    world.session.flush()
    return made


def send(*jobs: Job) -> None:
    for one in jobs:
        queue.send(RunJob.of(one))


def begun(world: World) -> list[int]:
    """Ids of the imports in the order in which they began; all have ended."""

    def ended() -> bool:
        world.session.rollback()
        return set(world.session.scalars(select(Job.state))) == {JobState.SUCCEEDED}

    eventually(ended, "the imports end")
    return list(world.session.scalars(select(Job.id).order_by(Job.started_at)))


def test_an_import_of_another_project_goes_before_the_second_of_the_first(
    pool: Pool, world: World, tmp_path: Path
) -> None:
    first = [pool.queue(images(3)) for _ in range(3)]
    second = [another(pool, world).queue(images(3))]
    send(*first, *second)
    with worker("cpu", tmp_path / "cpu.log"):
        order = begun(world)
    assert order == [one.id for one in (first[0], second[0], first[1], first[2])]


def test_a_long_import_makes_way_and_loses_nothing(
    pool: Pool, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_IMPORT_TURN_SECONDS", "0")
    settings.settings.cache_clear()
    other = another(pool, world)
    long, short = pool.queue(images(700)), other.queue(images(3))
    world.session.execute(update(Job).values(sent_at=datetime.now(UTC) - timedelta(minutes=1)))
    world.session.commit()
    send(long, short)
    with worker("cpu", tmp_path / "cpu.log"):
        assert begun(world) == [long.id, short.id]
    world.session.expire_all()
    assert long.finished_at is not None
    assert short.finished_at is not None
    assert short.finished_at < long.finished_at
    assert (len(pool.examples()), len(other.examples())) == (700, 3)
    assert [one.pool_index for one in pool.examples()] == list(range(700))
    log = pool.storage.job_log(pool.project_id, long.id).read_text()
    assert "steps aside for an import of another project" in log


def test_an_import_alone_does_not_make_way(
    pool: Pool, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_IMPORT_TURN_SECONDS", "0")
    settings.settings.cache_clear()
    mine, next_of_mine = pool.queue(images(300)), pool.queue(images(3))
    world.session.execute(update(Job).values(sent_at=datetime.now(UTC) - timedelta(minutes=1)))
    world.session.commit()
    run_job(RunJob.of(mine).model_dump())
    world.session.expire_all()
    assert (mine.state, next_of_mine.state) == (JobState.SUCCEEDED, JobState.QUEUED)
    assert mine.attempt == 1


def test_plans_of_one_project_take_one_worker(world: World) -> None:
    busy, other = world.project(), world.project()
    plans = [job(world, busy, dry_run=True) for _ in range(3)]
    real, theirs = job(world, busy), job(world, other, dry_run=True)
    chosen = []
    while (found := next_import(world.session, plans[0].id)) is not None:
        claim_job(found, "here:1")
        chosen.append(found.id)
    assert chosen == [plans[0].id, theirs.id, real.id]
    assert [one.message for one in plans[1:]] == [
        f"Waits for job {plans[0].id} of this project to end."
    ] * 2


@pytest.mark.parametrize("seed", range(12))
def test_whatever_comes_no_project_is_served_twice_while_another_waits(
    world: World, seed: int
) -> None:
    """Two workers, and imports that come, end and make way at random."""
    chance = random.Random(seed)
    projects = [world.project() for _ in range(4)]
    at_work: list[Job] = []
    served: dict[int, int] = {}
    for turn in range(60):
        if chance.random() < 0.6:
            job(world, chance.choices(projects, (8, 1, 1, 1))[0])
        if len(at_work) == 2:
            ended = at_work.pop(chance.randrange(2))
            assert ended.project_id is not None
            served[ended.project_id] = turn
            if chance.random() < 0.3:
                give_back_job(ended)
            else:
                finish_job(ended, JobState.SUCCEEDED, result={})
            world.session.flush()
            # What waited for it is sent again.
            of_project = (Job.project_id == ended.project_id, Job.state == JobState.QUEUED)
            world.session.execute(update(Job).where(*of_project).values(message=None))
        waiting = {
            one
            for one in world.session.scalars(
                select(Job.project_id).where(Job.state == JobState.QUEUED)
            )
            if one is not None
        } - {one.project_id for one in at_work}
        found = next_import(world.session, 0)
        assert (found is None) == (not waiting)
        if found is None:
            continue
        assert found.project_id is not None
        assert served.get(found.project_id, -1) == min(served.get(one, -1) for one in waiting)
        claim_job(found, "here:1")
        world.session.flush()
        at_work.append(found)


@pytest.mark.parametrize(
    ("kind", "running"),
    [
        (JobKind.ADVANCE_ROUND, JobKind.RESIZE),
        (JobKind.LOOK_AT, JobKind.RESIZE),
        (JobKind.LOOK_UP, JobKind.LOOK_UP),
    ],
)
def test_a_long_job_steps_aside_for_what_can_begin(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: JobKind, running: JobKind
) -> None:
    monkeypatch.setattr(yielding, "_LOOK_SECONDS", 0.0)
    there, other = world.project(), world.project()
    before, waits = (
        new_job(one, project_id=there.id, params={"closing": 0}) for one in (running, kind)
    )
    long, next_long = (
        new_job(JobKind.LEARN_FEATURES, project_id=one.id, params={}) for one in (there, other)
    )
    world.session.add_all((before, waits, long, next_long))
    world.session.flush()
    for one in (before, long):
        claim_job(one, "here:1")
    before.heartbeat_at = datetime.now(UTC)
    world.session.commit()
    assert claim(RunJob.of(waits)) is None
    send(next_long)
    sent(world, waits)
    context = JobContext(long, settings.settings())
    context.plan(["learn"])
    with context.phase("learn"):
        progress = yielding.Yielding(context).progress
        # It cannot begin: whoever made way for it would be in the queue for nothing.
        progress(1, 3)
        finish_job(before, JobState.SUCCEEDED, result={})
        let_others_in(world.session, before)
        world.session.commit()
        sent(world, waits)
        with pytest.raises(SteppedAside):
            progress(2, 3)


def test_a_long_job_goes_on_while_the_broker_is_away(
    world: World, monkeypatch: pytest.MonkeyPatch, broker: EmbeddedRedis
) -> None:
    monkeypatch.setattr(yielding, "_LOOK_SECONDS", 0.0)
    long, waits = (
        new_job(kind, project_id=world.project().id, params={"closing": 0})
        for kind in (JobKind.LEARN_FEATURES, JobKind.ADVANCE_ROUND)
    )
    world.session.add_all((long, waits))
    world.session.flush()
    claim_job(long, "here:1")
    sent(world, waits)
    context = JobContext(long, settings.settings())
    context.plan(["learn"])
    with context.phase("learn"):
        progress = yielding.Yielding(context).progress
        with redis.Redis(unix_socket_path=str(broker.socket_path)) as its:
            # It is there, and does not say how many wait.
            its.execute_command("ACL", "SETUSER", "default", "-llen")
        progress(1, 4)
        broker.stop()
        progress(2, 4)
        broker.start()
        # Its message is lost; the sweep sends another one.
        progress(3, 4)
        send(waits)
        with pytest.raises(SteppedAside):
            progress(4, 4)


def sent(world: World, job: Job) -> None:
    """Have a message of ``job`` be long enough on its way."""
    world.session.refresh(job)
    job.sent_at = datetime.now(UTC) - timedelta(minutes=1)
    world.session.commit()
