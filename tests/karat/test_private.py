"""The data directory is its owner's: from the start, after a restore, and for older ones."""

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg import sql

from core import settings
from core.security.private import open_to_others, protect
from karat import Client
from karat.local.backup import back_up
from karat.local.doctor import examine
from karat.local.installation import Installation
from karat.local.restore import restore_from
from karat.local.stack import Stack
from tests.fixtures import Services
from tests.karat.helpers import png, wait_for
from tests.world import World


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """That of most machines, under which files are everybody's to read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def others(root: Path) -> dict[str, str]:
    """Everything that others may read, write or enter, with its mode."""
    found = {}
    inside = (
        Path(folder, name) for folder, below, names in os.walk(root) for name in (*below, *names)
    )
    for path in (root, *inside):
        # What runs may remove files while they are looked at.
        with suppress(FileNotFoundError):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & 0o077:
                found[str(path)] = oct(stat.S_IMODE(mode))
    return found


def test_nothing_that_karat_makes_is_open_to_others(
    live: Stack, admin: Client, tmp_path: Path
) -> None:
    project = admin.create_project(f"Private {uuid.uuid4()}", ["a", "b"], settings={"budget": 4})
    for seed in range(3):
        (tmp_path / f"{seed}.png").write_bytes(png(seed + 77_000))
    for seed in range(3):
        job = project.import_images(tmp_path / f"{seed}.png")
        project_job = admin.wait(job["id"])
        assert project_job["state"] == "succeeded"
    project.start()
    wait_for(lambda: project.rounds()[0]["state"] == "open", "the first round opens", 120)
    folders = {path.name for path in live.data_dir.iterdir()}
    assert {"postgres", "redis", "logs", "images", "projects", "uploads", "running.json"} <= folders
    assert others(live.data_dir) == {}


def test_neither_a_backup_nor_what_is_restored_is_open_to_others(
    services: Services, world: World, installation: settings.Settings, tmp_path: Path
) -> None:
    world.project(images=3)
    file = tmp_path / "karat.tar"
    back_up(Installation(installation.data_dir, installation.database_url, running=True), file)
    assert others(file) == {}
    name = f"restored_{uuid.uuid4().hex}"
    services.administer(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    empty = Installation(tmp_path / "empty", services.database_url(name), running=False)
    try:
        assert restore_from(file, empty).files > 3
    finally:
        services.administer(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
    assert others(empty.data_dir) == {}


def test_what_earlier_versions_left_open_is_closed(tmp_path: Path) -> None:
    root = tmp_path / "data"
    inner = root / "images" / "ab"
    inner.mkdir(parents=True)
    (inner / "original").write_bytes(b"image")
    (root / "logs").mkdir()
    (root / "logs" / "api.log").write_text("log")
    (root / "running.json").write_text("{}")
    outside = tmp_path / "outside"
    outside.write_text("of somebody else")
    (root / "images" / "link").symlink_to(outside)
    (root / "postgres").mkdir(mode=0o750)
    assert len(open_to_others(root)) == 7
    found = next(one for one in examine(root, None) if one.subject == "privacy")
    assert not found.ok
    assert f"chmod -R go= {root}" in found.remedy

    protect(root)
    assert others(root) == {str(root / "postgres"): "0o750"}
    assert open_to_others(root) == []
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644
    (root / "running.json").unlink()
    assert next(one for one in examine(root, None) if one.subject == "privacy").ok

    # Folders that were made since are looked through, whatever the directory's own mode.
    (root / "uploads").mkdir()
    (root / "uploads" / "a.zip").write_bytes(b"zip")
    protect(root)
    assert others(root) == {str(root / "postgres"): "0o750"}
