"""On a small file system that fills up: what is large is refused or waits, answers go on."""

import contextlib
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from karat import Client, KaratError
from karat.local.stack import Stack
from tests.karat.helpers import png
from tests.stacks import FAST, admin_login, installed

MIB = 2**20
SIZE = 700 * MIB
LOW, RESERVE = 100 * MIB, 40 * MIB


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """An empty file system of ``SIZE`` bytes."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "none", str(place)]
    if sys.platform != "linux" or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("a small file system needs Linux, and the right to mount one")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def stack(small: Path) -> Iterator[Stack]:
    environment = {
        "KARAT_DISK_LOW_BYTES": str(LOW),
        "KARAT_DISK_RESERVE_BYTES": str(RESERVE),
        "KARAT_SWEEP_SECONDS": "1",
    }
    settings = {**FAST, "max_wal_size": "64MB", "min_wal_size": "32MB"}
    with installed(small / "data", environment=environment, postgres_settings=settings) as started:
        yield started


def until(condition: Callable[[], object], what: str, seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.2)


def leave(place: Path, room: int) -> None:
    """Fill the file system, as another program would, until ``room`` bytes are left."""
    with (place / "filler").open("ab") as filler:
        while (more := psutil.disk_usage(str(place)).free - room) > 0:
            with contextlib.suppress(OSError):
                filler.write(bytes(min(more, MIB)))
                filler.flush()
            if psutil.disk_usage(str(place)).free < 4096:
                return


def refused(act: Callable[[], Any]) -> str:
    with pytest.raises(KaratError) as caught:
        act()
    return f"{caught.value.status} {caught.value.code}"


def _id(job: Any) -> int:
    return int(job["id"])


@pytest.mark.timeout(420)
def test_a_disk_that_fills_up_and_is_emptied(stack: Stack, small: Path, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stopped, Client(stack.url, retry_seconds=0) as admin:
        admin.login(*admin_login(stack))
        settings = {
            "budget": 4,
            "input_size": 8,
            "model": {"name": "cnn_tiny"},
            "zero_wait": False,
        }
        project = admin.create_project("Small", ["a", "b"], settings=settings)
        images = tmp_path / "images"
        images.mkdir()
        for seed in range(24):
            (images / f"{seed}.png").write_bytes(png(seed))
        assert admin.wait(project.import_images(images)["id"])["state"] == "succeeded"
        project.start()
        until(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
        reserve = stack.data_dir / "reserve"
        until(reserve.exists, "the reserve is set aside")
        base = f"/api/projects/{project.id}/labeling"
        secret = admin.create_token("full disk")["secret"]
        bearer = {"Authorization": f"Bearer {secret}"}
        web = stopped.enter_context(httpx.Client(base_url=stack.url, headers=bearer, timeout=30))
        tab = str(uuid.uuid4())
        leased = web.post(f"{base}/lease", json={"n": 4, "client": tab}).json()["items"]
        assert len(leased) == 4

        def answer(query: int) -> httpx.Response:
            one = {"key": str(uuid.uuid4()), "query_id": query, "verdict": "ood", "seconds": 1}
            return web.post(f"{base}/answers", json={"answers": [one]})

        # Little room: what is large is refused, answers are not.
        leave(small, LOW // 2)
        assert httpx.get(f"{stack.url}/readyz").json() == {"status": "disk_low"}
        assert "karat_disk_low 1.0" in httpx.get(f"{stack.url}/metrics").text
        assert web.get("/api/disk").json()["state"] == "low"
        assert refused(lambda: project.import_images(images / "0.png")) == "503 disk_full"
        assert refused(lambda: project.start_job("prune")) == "503 disk_full"
        assert "no room on the disk" in (stack.logs / "api.log").read_text()
        for item in leased[:3]:
            assert answer(item["query_id"]).json()["results"][0]["status"] == "accepted"

        # No room but the reserve, which goes: the last answer of the round is taken all the same.
        leave(small, 0)
        until(lambda: not reserve.exists(), "the reserve is let go", 30)

        def accepted() -> bool:
            response = answer(leased[3]["query_id"])
            if response.status_code == 503:
                assert response.json()["code"] == "disk_full", response.text
                return False
            return response.json()["results"][0]["status"] in {"accepted", "duplicate"}

        until(accepted, "the answer is stored", 60)
        waiting = web.get(f"{base}/status").json()
        assert waiting["waiting_for"] == "disk"

        def closing() -> Any:
            jobs = web.get(f"/api/jobs?project_id={project.id}").json()["items"]
            return max((job for job in jobs if job["kind"] == "advance_round"), key=_id)

        until(lambda: "room on the disk" in (closing()["message"] or ""), "the job says why")
        assert closing()["state"] == "queued"

        # Room again: all goes on by itself.
        (small / "filler").unlink()
        until(lambda: len(project.rounds()) == 2, "a second round is there")
        until(lambda: project.rounds()[1]["state"] == "open", "the second round opens", 120)
        assert httpx.get(f"{stack.url}/readyz").json() == {"status": "ok"}
        assert project.rounds()[0]["spent"] == 4
        until(reserve.exists, "the reserve is set aside again")
        assert admin.wait(project.import_images(images / "0.png")["id"])["state"] == "succeeded"
