"""With every slot for imports taken, what finds the jobs of dead workers goes on."""

import os
import signal
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from karat import Client
from karat.local.stack import Stack
from tests.karat.helpers import image_folder, png
from tests.processes import Hold, eventually, libpq_url
from tests.stacks import admin_login, installed

IMPORTS = 6


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    environment = {
        "KARAT_HEARTBEAT_SECONDS": "0.2",
        "KARAT_STALE_SECONDS": "2",
        "KARAT_SWEEP_SECONDS": "0.5",
    }
    with installed(tmp_path / "data", environment=environment) as started:
        yield started


def test_a_killed_job_is_taken_over_while_imports_hold_every_slot(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = stack.environment["DATABASE_URL"]
    monkeypatch.setenv("DATABASE_URL", address)
    with Client(stack.url) as client:
        client.login(*admin_login(stack))
        settings = {"input_size": 8, "model": {"name": "cnn_tiny"}}
        trained = client.create_project("Trained", classes=["cat", "dog"], settings=settings)
        client.wait(trained.import_images(image_folder(tmp_path / "images", 20))["id"], timeout=90)
        trained.start()
        (first,) = (one["id"] for one in client.jobs(kind="advance_round"))
        client.wait(first, timeout=90)

        # Each import stops at its first row, and keeps its slot.
        hold = Hold("examples", "TG_OP = 'INSERT'")
        imports = []
        for number in range(IMPORTS):
            archive = tmp_path / f"{number}.zip"
            with zipfile.ZipFile(archive, "w") as pool:
                pool.writestr("image.png", png(1_000 + number))
            project = client.create_project(f"Full {number}", classes=["cat"], settings=settings)
            imports.append(project.import_images(archive)["id"])
        eventually(lambda: len(hold.waiting()) >= 4, "imports hold every slot")

        def state(job: int) -> tuple[str, int]:
            with psycopg.connect(libpq_url(address)) as connection:
                row = connection.execute("SELECT state, attempt FROM jobs WHERE id = %s", (job,))
                found = row.fetchone()
            assert found is not None
            return found

        with psycopg.connect(libpq_url(address)) as blocker:
            blocker.execute("LOCK TABLE queries IN SHARE MODE")
            trained.close_round(0)
            eventually(lambda: _blocked(address), "the round is about to be published", 60)
            job = max(one["id"] for one in client.jobs(kind="advance_round"))
            worker = stack.processes["worker-gpu"]
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait(10)
            assert state(job) == ("running", 1)
        eventually(lambda: state(job)[1] == 2, "another worker takes the job over", 90)
        assert len(hold.waiting()) >= 4
        assert {state(one)[0] for one in imports} <= {"running", "queued"}
        hold.let_go()
        for one in (job, *imports):
            assert client.wait(one, timeout=90)["state"] == "succeeded"


def _blocked(address: str) -> bool:
    time.sleep(0.05)
    with psycopg.connect(libpq_url(address)) as connection:
        waiting = connection.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation "
            "WHERE relname = 'queries' AND NOT granted"
        ).fetchone()
    assert waiting is not None
    return bool(waiting[0] > 0)
