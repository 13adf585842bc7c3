"""Jobs whose message was lost or whose worker died are found again."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
from fastapi.testclient import TestClient
from sqlalchemy import select

from core import queue
from core.lifecycle import claim_job
from core.messages import MESSAGES
from core.states import RoundState
from core.tables import Round
from tests.conftest import Services
from tests.processes import eventually, scheduler, worker
from tests.workers.starting import start_job
from tests.world import World
from workers.app import TASK_MODULES, app
from workers.tasks.sweep import sweep


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
    assert queue.waiting("gpu") == 1
    redis.Redis(unix_socket_path=str(services.redis.socket_path)).flushall()
    assert queue.waiting("gpu") == 0
    with (
        worker("gpu", tmp_path / "gpu.log"),
        worker("housekeeping", tmp_path / "housekeeping.log"),
        scheduler(tmp_path / "beat.log"),
    ):

        def opened() -> bool:
            world.session.expire_all()
            return world.session.scalar(select(Round.state)) is RoundState.OPEN

        eventually(opened, "the sweeper sends the job again")


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
