"""A backup of a running Karat, put back into an empty installation, is whole."""

import io
import json
import shutil
import tarfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from karat import Client
from karat.stack import Stack
from tests.karat.helpers import Run, image_folder


@pytest.fixture(scope="session")
def labeled(live: Stack, admin: Client, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A running project with answers; returns its name."""
    name = f"Pets {uuid.uuid4().hex[:8]}"
    settings = {"budget": 100, "strategy": {"name": "random"}}
    project = admin.create_project(name, classes=["cat", "dog"], settings=settings)
    project.upload(image_folder(tmp_path_factory.mktemp("pool") / "images", 12, first=900)).wait()
    project.start()
    deadline = time.monotonic() + 60
    while not (queries := project.lease(6)["items"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    project.answer([{"query_id": one["query_id"], "verdict": "ood"} for one in queries])
    return name


@pytest.fixture(scope="session")
def archive(labeled: str, live: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it."""
    del labeled
    from karat.backup import back_up
    from karat.installation import Installation

    file = tmp_path_factory.mktemp("backup") / "karat.tar"
    back_up(Installation(live.data_dir, live.environment["DATABASE_URL"], running=True), file)
    return file


def levels(output: str) -> dict[str, str]:
    return {one["name"]: one["level"] for one in json.loads(output)}


def test_backup_restore_verify(
    labeled: str, archive: Path, live: Stack, karat: Run, tmp_path: Path
) -> None:
    assert set(levels(karat("verify", "--data", live.data_dir, "--json").stdout).values()) == {"ok"}
    taken = karat("backup", archive, "--data", live.data_dir, status=1)
    assert "exists already" in taken.stderr

    data = tmp_path / "second"
    done = karat("restore", archive, "--data", data)
    assert done.stdout.startswith("Restored ")
    found = levels(karat("verify", "--data", data, "--json").stdout)
    assert set(found.values()) == {"ok"}
    with Stack(data, port=0, postgres_settings={"fsync": "off"}) as stack:
        assert stack.admin_password is None
        with Client(stack.url) as client:
            assert live.admin_email is not None
            assert live.admin_password is not None
            client.login(live.admin_email, live.admin_password)
            (project,) = (one for one in client.projects() if one["name"] == labeled)
            mine = client.project(project["id"])
            assert mine.status()["mine"]["total"] == 6
            assert mine.lease(4)["items"]
        assert "Karat already runs" in karat("restore", archive, "--data", data, status=1).stderr
    refused = karat("restore", archive, "--data", data, status=1)
    assert "--replace" in refused.stderr
    (data / "images" / "00").mkdir(exist_ok=True)
    (data / "images" / "00" / "stray").write_bytes(b"")
    karat("restore", archive, "--data", data, "--replace")
    assert set(levels(karat("verify", "--data", data, "--json").stdout).values()) == {"ok"}
    assert not (data / "images" / "00" / "stray").exists()
    assert not list(data.glob("*.part"))


@contextmanager
def edited(archive: Path, target: Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarFile]]:
    with tarfile.open(archive) as source, tarfile.open(target, "w") as output:
        yield source, output


@pytest.mark.parametrize("how", ["cut", "changed", "removed", "outside", "newer", "other"])
def test_a_damaged_backup_changes_nothing(
    archive: Path, karat: Run, tmp_path: Path, how: str
) -> None:
    broken, data = tmp_path / "broken.tar", tmp_path / "data"
    if how == "cut":
        shutil.copy(archive, broken)
        with broken.open("r+b") as file:
            file.truncate(archive.stat().st_size // 2)
    elif how == "other":
        broken.write_bytes(b"no archive")
    else:
        with edited(archive, broken) as (source, output):
            for member in source:
                content = source.extractfile(member)
                assert content is not None
                if member.name.startswith("storage/images") and how != "newer":
                    how, before = "", how
                    if before == "removed":
                        continue
                    if before == "changed":
                        content.read(1)
                        member.size -= 1
                    if before == "outside":
                        member.name = "storage/images/../../../outside"
                if member.name == "manifest.json" and how == "newer":
                    text = content.read().replace(b'"schema": "0', b'"schema": "9')
                    member.size = len(text)
                    output.addfile(member, io.BytesIO(text))
                    continue
                output.addfile(member, content)
    said = karat("restore", broken, "--data", data, status=1).stderr
    assert "is no whole backup" in said or "newer than this" in said
    assert {one.name for one in data.iterdir()} <= {"postgres", "postgres.lock", "karat.lock", "logs"}
    assert not (tmp_path / "outside").exists()
