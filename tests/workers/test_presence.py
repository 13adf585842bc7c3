"""Workers and the scheduler say that they live, leave in order, and are missed when killed."""

import signal
from pathlib import Path

import pytest
from sqlalchemy import select

from core.process.version import build
from core.tables import Worker
from models.device import best_device
from tests.processes import eventually, running, scheduler
from tests.world import World


def present(world: World) -> dict[str, Worker]:
    world.session.expire_all()
    found = {row.name.partition("@")[0]: row for row in world.session.scalars(select(Worker))}
    world.session.commit()
    return found


@pytest.mark.usefixtures("installation")
def test_a_worker_appears_stays_and_leaves(world: World, tmp_path: Path) -> None:
    # Started as people do, since what it does at its end is the point.
    arguments = ("-A", "workers.app", "worker", "--pool=solo", "-Q", "cpu", "-n", "cpu@%h")
    with running("celery", *arguments, log=tmp_path / "worker.log") as process:
        eventually(lambda: "cpu" in present(world), "the worker appears")
        found = present(world)["cpu"]
        assert (found.queues, found.pid) == (["cpu"], process.pid)
        assert found.version == build()
        first = found.heartbeat_at
        eventually(lambda: present(world)["cpu"].heartbeat_at > first, "it goes on living")
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        assert present(world) == {}


@pytest.mark.usefixtures("installation")
def test_a_worker_that_trains_says_on_what(world: World, tmp_path: Path) -> None:
    arguments = ("-A", "workers.app", "worker", "--pool=solo", "-Q", "gpu", "-n", "gpu@%h")
    with running("celery", *arguments, log=tmp_path / "worker.log"):
        eventually(lambda: "gpu" in present(world), "the worker appears")
        eventually(lambda: present(world)["gpu"].device is not None, "it knows its device")
        assert present(world)["gpu"].device == best_device().type


@pytest.mark.usefixtures("installation")
def test_a_killed_scheduler_stays_listed_until_another_takes_its_place(
    world: World, tmp_path: Path
) -> None:
    with scheduler(tmp_path / "beat.log") as process:
        eventually(lambda: "scheduler" in present(world), "the scheduler appears")
        process.kill()
        process.wait(30)
    (gone,) = present(world).values()
    assert gone.queues == []
    before = gone.pid
    with scheduler(tmp_path / "beat.log") as process:
        eventually(lambda: present(world)["scheduler"].pid == process.pid, "another takes over")
        assert len(present(world)) == 1
        assert process.pid != before
