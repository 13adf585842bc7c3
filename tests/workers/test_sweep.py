"""Jobs whose message was lost or whose worker died are found again."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from celery.beat import Scheduler
from celery.utils.imports import symbol_by_name
from fastapi.testclient import TestClient
from sqlalchemy import select, text

from core.jobs import queue
from core.jobs.messages import (
    HOUSEKEEPING,
    MESSAGES,
    QUEUES,
    TICKS,
    WEB,
    DeliverWebhooks,
    FollowPeople,
    GoOnCertifying,
    RemoveFiles,
    RunJob,
    Sweep,
    TryJudges,
)
from core.lifecycle import claim_job, requeue_job
from core.settings import Settings, settings
from core.states import CertificateState, JobKind, JobState, RoundState
from core.tables import Certificate, Job, Round, WebhookEvent, Withdrawal, Worker
from tests.fixtures import Services
from tests.processes import eventually, scheduler, worker
from tests.security.targets import add_judge
from tests.workers.import_files import Pool, png, zipped
from tests.workers.starting import run_here, start_job
from tests.world import World
from workers.app import TASK_MODULES, app
from workers.celery_tasks.sweep import sweep
from workers.execution.claiming import claim
from workers.execution.runner import MOST_DEATHS
from workers.jobs.context import JobContext, sessions
from workers.jobs.fairness import is_claimable, own_job


def test_every_message_has_exactly_one_task() -> None:
    for module in TASK_MODULES:
        app.loader.import_task_module(module)
    tasks = [name for name in app.tasks if not name.startswith("celery.")]
    assert sorted(tasks) == sorted(message.task for message in MESSAGES)


def test_flushed_broker_loses_no_job(
    http: TestClient, world: World, services: Services, tmp_path: Path
) -> None:
    project = world.project(images=20, evaluation=4, model={"name": "cnn_tiny"}, budget=4)
    admin = world.caller()
    started = http.post(f"/api/projects/{project.id}/start", headers=admin.headers)
    assert started.status_code == 200, started.text
    assert queue.waiting(HOUSEKEEPING) == 1
    redis.Redis(unix_socket_path=str(services.redis.socket_path)).flushall()
    assert queue.waiting(HOUSEKEEPING) == 0
    with (
        worker("housekeeping", tmp_path / "housekeeping.log"),
        scheduler(tmp_path / "beat.log"),
    ):

        def opened() -> bool:
            world.session.expire_all()
            return world.session.scalar(select(Round.state)) is RoundState.OPEN

        eventually(opened, "the sweeper sends the job again")


def test_a_job_whose_message_is_of_an_earlier_version_is_done(pool: Pool, tmp_path: Path) -> None:
    job = pool.queue(zipped([("0.png", png(41_000))]))
    job.sent_at = datetime.now(UTC) - timedelta(minutes=1)
    pool.session.commit()
    # As version 0.1 sent it, with a task for each kind of job.
    queue.celery().send_task("import_pool", kwargs={"payload": {"job_id": job.id}}, queue="cpu")
    with worker("cpu", tmp_path / "cpu.log"):
        eventually(lambda: queue.waiting("cpu") == 0, "the worker takes the message, and drops it")
        sweep({})

        def done() -> bool:
            pool.session.refresh(job)
            state = job.state
            pool.session.commit()
            return state is JobState.SUCCEEDED

        eventually(done, "the import is done")


@pytest.mark.parametrize(
    ("sent", "again"),
    [
        pytest.param(40.0, 1, id="before it died"),
        pytest.param(14.0, 0, id="since it died"),
        pytest.param(16.0, 1, id="so long ago that the message may be lost"),
    ],
)
def test_a_dead_workers_job_is_sent_again_once_while_others_wait(
    http: TestClient, world: World, sent: float, again: int
) -> None:
    dead = start_job(http, world, world.project(images=4), "prune", {})
    start_job(http, world, world.project(images=4), "prune", {})
    waiting = queue.waiting("gpu")
    claim_job(dead, "gone")
    now = datetime.now(UTC)
    dead.heartbeat_at, dead.sent_at = now - timedelta(hours=30), now - timedelta(hours=sent)
    world.session.commit()
    for _ in range(3):
        sweep({})
    assert queue.waiting("gpu") == waiting + again


def test_a_job_at_work_is_not_sent_again(http: TestClient, world: World) -> None:
    job = start_job(http, world, world.project(images=4), "prune", {})
    claim_job(job, "alive")
    job.heartbeat_at = datetime.now(UTC) + timedelta(hours=1)
    job.sent_at = None
    world.session.commit()
    with queue.celery().connection_for_read() as connection:
        connection.default_channel.client.delete("gpu")
    sweep({})
    assert queue.waiting("gpu") == 0


_SET_BACK = [timedelta(seconds=30), timedelta(hours=1), timedelta(days=400)]


def _empty(name: str) -> None:
    with queue.celery().connection_for_read() as connection:
        connection.default_channel.client.delete(name)


@pytest.mark.parametrize(
    ("minutes", "again"), [(2, 1), (0, 0), pytest.param(-60, 1, id="the clock was set back")]
)
def test_the_sweep_asks_again_for_a_trial_that_was_lost(
    world: World, minutes: int, again: int
) -> None:
    judge = add_judge(world)
    judge.trial_asked_at = datetime.now(UTC) - timedelta(minutes=minutes)
    world.session.commit()
    for _ in range(3):
        sweep({})
    assert queue.waiting(TryJudges.queue) == again


def _abandoned(http: TestClient, world: World, ahead: timedelta) -> Job:
    """A job whose worker died before the clock was set back by ``ahead``, its message delivered."""
    job = start_job(http, world, world.project(images=4), "prune", {})
    claim_job(job, "gone")
    job.heartbeat_at = job.sent_at = datetime.now(UTC) + ahead
    world.session.commit()
    _empty("gpu")
    return job


@pytest.mark.parametrize("ahead", _SET_BACK, ids=str)
def test_a_clock_set_back_does_not_keep_a_dead_worker_alive(
    http: TestClient, world: World, ahead: timedelta
) -> None:
    job = _abandoned(http, world, ahead)
    sweep({})
    assert queue.waiting("gpu") == 0, "it may be alive, and not have beaten since"

    def sent() -> bool:
        sweep({})
        return queue.waiting("gpu") == 1

    eventually(sent, "it counts as dead once it was silent for as long as any other", seconds=10)
    world.session.refresh(job)
    with sessions().begin() as session:
        taken = own_job(session, job.id)
        assert taken is not None
        assert is_claimable(session, taken), "whoever gets the message may take it"


def test_a_live_worker_keeps_its_job_when_the_clock_is_set_back(
    http: TestClient, world: World
) -> None:
    job = _abandoned(http, world, timedelta(hours=1))
    context = JobContext(job, settings())
    for _ in range(4):
        sweep({})
        context.beat()
        time.sleep(settings().stale_seconds / 2)
    assert queue.waiting("gpu") == 0
    world.session.refresh(job)
    assert (job.state, job.attempt) == (JobState.RUNNING, 1)


def test_what_kills_its_worker_again_and_again_fails_until_it_is_tried_again(
    http: TestClient, world: World
) -> None:
    job = start_job(http, world, world.project(images=4), "prune", {})

    def killed(step: int) -> None:
        """A worker takes the job, gets to a step of it, and is heard of no more."""
        assert claim(RunJob.of(job)) is not None
        world.session.refresh(job)
        job.progress = {"phase": "train", "step": step}
        job.heartbeat_at = datetime.now(UTC) - timedelta(hours=1)
        world.session.commit()

    # As long as each gets further than the one before it is none of its doing.
    for step in range(MOST_DEATHS + 1):
        killed(step)
    for _ in range(MOST_DEATHS - 1):
        killed(MOST_DEATHS)
    run_here(world, job)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error["code"] == "workers_died"
    requeue_job(job)
    world.session.commit()
    context = claim(RunJob.of(job))
    assert context is not None
    assert context.deaths == 0


def test_a_message_lost_before_the_clock_was_set_back_is_sent_again(
    http: TestClient, world: World
) -> None:
    job = start_job(http, world, world.project(images=4), "prune", {})
    job.sent_at = datetime.now(UTC) + timedelta(hours=1)
    world.session.commit()
    _empty("gpu")

    def sent() -> bool:
        sweep({})
        return queue.waiting("gpu") == 1

    eventually(sent, "the queued job is sent again", seconds=10)


def test_a_killed_worker_is_missed_when_the_clock_is_set_back(
    http: TestClient, world: World
) -> None:
    ahead = datetime.now(UTC) + timedelta(hours=1)
    world.session.add(
        Worker(name="gpu@gone", host="gone", pid=1, queues=["gpu"], heartbeat_at=ahead)
    )
    world.session.commit()
    admin = world.caller()

    def missed() -> bool:
        sweep({})
        (found,) = http.get("/api/admin/workers", headers=admin.headers).json()["workers"]
        return not found["alive"]

    eventually(missed, "the list of workers says that it is gone", seconds=10)


@pytest.fixture
def ticks(installation: Settings) -> Scheduler:
    """The scheduler as its command starts it, on the broker of this installation."""
    del installation
    own = queue.celery()
    own.conf.beat_schedule = app.conf.beat_schedule
    found: Scheduler = symbol_by_name(app.conf.beat_scheduler)(app=own)
    found.setup_schedule()
    return found


def test_what_counts_all_that_was_ever_said_is_asked_for_seldom() -> None:
    every = {name: one["schedule"].run_every for name, one in app.conf.beat_schedule.items()}
    assert every[FollowPeople.task] >= 60 * every[Sweep.task]


def asked_for(ticks: Scheduler, turn: int = 1) -> set[str]:
    """Names of the tasks whose messages are sent when all are due for the ``turn``-th time."""
    # What was seen holds for all that are due at once, and no longer.
    ticks._looked = None
    with queue.celery().connection_for_read() as connection:
        broker = connection.default_channel.client
        broker.delete(*QUEUES)
        for entry in ticks.schedule.values():
            entry.total_run_count = turn
            ticks.apply_entry(entry)
        waiting = [json.loads(one) for name in QUEUES for one in broker.lrange(name, 0, -1)]
    return {one["headers"]["task"] for one in waiting}


def test_only_what_has_anything_to_do_is_asked_for(ticks: Scheduler, world: World) -> None:
    always = {FollowPeople.task}
    assert asked_for(ticks) == always
    project = world.project(images=2, evaluation=0)
    assert asked_for(ticks) == always
    asking: dict[str, Any] = {"state": CertificateState.ASKING, "settings": {}}
    waiting = {"kind": JobKind.IMPORT_POOL, "state": JobState.QUEUED}
    for row, task in (
        (Job(project_id=project.id, params={}, **waiting), Sweep.task),
        (WebhookEvent(kind="round.opened", data={}), DeliverWebhooks.task),
        (Withdrawal(project_id=project.id, images=1, answered=0), RemoveFiles.task),
        (Certificate(project_id=project.id, **asking), GoOnCertifying.task),
    ):
        world.session.add(row)
        world.session.commit()
        assert asked_for(ticks) == always | {task}
        world.session.delete(row)
        world.session.commit()
    # What comes up in the course of hours is looked after all the same.
    assert asked_for(ticks, turn=6) == {message.task for message in TICKS}


def test_where_nobody_can_tell_what_there_is_to_do_all_of_it_is_asked_for(
    ticks: Scheduler, world: World
) -> None:
    world.session.execute(text("ALTER TABLE webhook_events RENAME TO elsewhere"))
    world.session.commit()
    assert asked_for(ticks) == {message.task for message in TICKS}


def test_ticks_that_nobody_takes_are_few_and_good_by_any_clock(
    ticks: Scheduler, services: Services
) -> None:
    for _ in range(60):
        for entry in ticks.schedule.values():
            ticks.apply_entry(entry)
    assert [queue.waiting(one) for one in (HOUSEKEEPING, WEB)] == [100, 60]
    with redis.Redis(unix_socket_path=str(services.redis.socket_path)) as broker:
        messages = [json.loads(one) for one in broker.lrange(HOUSEKEEPING, 0, -1)]
    # A worker whose clock is ahead of the scheduler's would throw them away.
    assert {one["headers"]["expires"] for one in messages} == {None}


def test_sweeps_go_on_when_the_clock_is_set_back(
    ticks: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = timedelta(0)
    monkeypatch.setattr(ticks.app, "now", lambda: datetime.now(UTC) + shift)
    ticks.tick()
    shift = -timedelta(hours=1)
    before = queue.waiting(Sweep.queue)

    def swept() -> bool:
        ticks.tick()
        return queue.waiting(Sweep.queue) > before

    eventually(swept, "the scheduler asks for a sweep within seconds", seconds=30)
