"""Files that belong to nothing: they are named, and only removed if somebody asks."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from core import settings
from tests.processes import ended
from tests.workers.test_removals import OWN, SHARED, age, delete, files, is_of, pool_of
from tests.world import World
from workers.cleanup import strays


def test_orphans_are_named_and_only_freed_if_asked(
    http: TestClient, world: World, engine: Engine, installation: settings.Settings
) -> None:
    pool, other = pool_of(world, range(9)), pool_of(world, SHARED)
    assert delete(http, world, pool.project_id) == 204
    # Nothing has removed them yet, as where no worker runs.
    age(world.storage.root)
    before = files(world.storage)
    dry = list(strays.examine(engine, installation, remove=False))
    assert files(world.storage) == before
    *named, sums = dry
    # Three files of each image, the project's folder, an upload, and its unfinished work.
    assert sums["count"] == len(named) == 3 * len(OWN) + 3
    assert sums["freed_files"] == 0
    *_, sums = strays.examine(engine, installation, remove=True)
    assert sums["freed_files"] > 3 * len(OWN)
    left = files(world.storage)
    assert not [one for one in left if any(is_of(one, seed) for seed in OWN)]
    assert len([one for one in left if any(is_of(one, seed) for seed in SHARED)]) == 12
    assert any(f"projects/{other.project_id}/" in one for one in left)
    *named, sums = strays.examine(engine, installation, remove=False)
    assert (named, sums["count"]) == ([], 0)


def test_an_orphan_that_cannot_be_removed_is_named_and_costs_no_other(
    world: World, engine: Engine, installation: settings.Settings
) -> None:
    world.project(images=1)
    digests = [bytes([number]) * 32 for number in range(1, 6)]
    for digest in digests:
        world.storage.put_image(digest, b"bytes")
    # A folder where a small version was: nothing can unlink it.
    stuck = world.storage.root / "thumbnails" / "64" / digests[1].hex()[:2]
    stuck = stuck / f"{digests[1].hex()}.webp"
    stuck.mkdir(parents=True)
    age(world.storage.root)
    *lines, sums = strays.examine(engine, installation, remove=True)
    stays = {line["name"]: line["stays"] for line in lines if "stays" in line}
    assert list(stays) == [str(world.storage.image(digests[1]).relative_to(world.storage.root))]
    assert sums["freed_files"] == len(digests) - 1
    assert not any(map(world.storage.has_image, digests))


def test_a_database_that_knows_no_project_frees_nothing(
    world: World, engine: Engine, installation: settings.Settings
) -> None:
    world.storage.put_image(b"1" * 32, b"another installation's")
    age(world.storage.root)
    with pytest.raises(Exception, match="Check DATABASE_URL"):
        list(strays.examine(engine, installation, remove=True))
    assert world.storage.has_image(b"1" * 32)


def test_doctor_says_what_would_be_freed_and_frees_it(
    world: World, installation: settings.Settings
) -> None:
    world.project(images=1)
    world.storage.put_image(b"1" * 32, bytes(5000))
    age(world.storage.root)

    def doctor(*more: str) -> str:
        directory = ("--data-dir", str(installation.data_dir))
        done = ended("karat", "doctor", *directory, "--orphans", *more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = doctor()
    assert f"{b'1'.hex() * 32}, 8.0 KiB" in said
    assert "1 files or folders belong to nothing, 8.0 KiB" in said
    assert "--orphans --free" in said
    assert world.storage.has_image(b"1" * 32)
    said = doctor("--free")
    assert "1 files were removed" in said
    assert "were free before" in said
    assert not world.storage.has_image(b"1" * 32)
    assert "0 files or folders" in doctor()
