"""Jobs whose message was lost or whose worker died are found again."""

from pathlib import Path

import redis
from fastapi.testclient import TestClient
from sqlalchemy import select

from core import queue
from core.messages import MESSAGES
from core.states import RoundState
from core.tables import Round
from tests.conftest import Services
from tests.processes import eventually, scheduler, worker
from tests.world import World
from workers.app import TASK_MODULES, app


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
        worker("cpu", tmp_path / "cpu.log"),
        scheduler(tmp_path / "beat.log"),
    ):

        def opened() -> bool:
            world.session.expire_all()
            return world.session.scalar(select(Round.state)) is RoundState.OPEN

        eventually(opened, "the sweeper sends the job again")
