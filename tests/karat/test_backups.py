"""Backups that are made by themselves: in time, only so many, and each can be put back.

And restores that are ended before they are done.
"""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import create_engine, text

from karat.cli import _explain
from karat.local import backup
from karat.local.backup import BackedUp, back_up
from karat.local.backups import Backups, read_every
from karat.local.database import connected, told
from karat.local.installation import Installation
from karat.local.links import locked, remove_links
from karat.local.processes import ServiceError
from karat.local.restore import restore_from
from karat.local.unfinished import discard, set_aside, settle, undo
from tests.karat.helpers import Run
from tests.karat.test_backup import empty, problems, source
from tests.processes import eventually
from tests.world import World

__all__ = ["empty", "source"]

DAY: Final = timedelta(days=1)
START: Final = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)


def written(path: Path) -> BackedUp:
    path.write_bytes(b"tar")
    return BackedUp(1, 3)


def test_the_newest_of_the_backups_that_stay_is_put_back_and_whole(
    source: Installation, empty: Installation, world: World, tmp_path: Path
) -> None:
    backups = Backups(tmp_path / "backups", DAY, keep=2)
    for day in range(3):
        project = world.project(images=1)
        project.name = f"of day {day}"
        # Due long ago, and deleted before anybody thought of the backup.
        project.retain_days, project.retain_since = 7, START
        world.session.commit()
        backups.make(lambda path: back_up(source, path), START + day * DAY)
    assert [one.at for one in backups.found()] == [START + 2 * DAY, START + DAY]
    restored = restore_from(backups.found()[0].path, empty)
    assert restored.files > 0
    assert problems(empty) == []
    engine = create_engine(empty.database_url)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT name FROM projects WHERE name LIKE 'of day%'"))
        assert sorted(found.scalars()) == ["of day 0", "of day 1", "of day 2"]
        since = connection.execute(text("SELECT min(retain_since) FROM projects")).scalar_one()
        assert datetime.now(UTC) - since < timedelta(hours=1), "a week to keep what is back"
    engine.dispose()


def test_what_one_that_was_killed_leaves_goes_before_the_next(
    source: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups = Backups(tmp_path / "backups", DAY, keep=2)
    left: list[str] = []
    dump = backup._dump

    def copied(*given: Any) -> None:
        """Keeps a copy of what lies there once the database is dumped."""
        dump(*given)
        for path in backups.directory.iterdir():
            shutil.copy(path, tmp_path)
            left.append(path.name)

    killed, alive = (source.data_dir / f"links.{one}.part" for one in ("killed", "alive"))
    for links in (killed, alive):
        links.mkdir()
        (links / "waiting.zip").write_bytes(b"zip")
    with monkeypatch.context() as patched, locked(alive):
        patched.setattr(backup, "_dump", copied)
        backups.make(lambda path: back_up(source, path), START)
    assert len(left) == 2, "the archive and the dump, and nothing elsewhere"
    assert list(source.data_dir.glob("links.*")) == [alive]
    assert len(list(backups.directory.iterdir())) == 1
    for name in left:
        shutil.move(tmp_path / name, backups.directory)
    backups.make(written, START + DAY)
    assert sorted(backups.directory.iterdir()) == sorted(one.path for one in backups.found())


def test_where_folders_cannot_be_locked_links_go_when_they_are_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    old, new, mine = map(tmp_path.joinpath, ("links.old.part", "links.new.part", "backup-mine"))
    for folder in (old, new, mine):
        folder.mkdir()
    for folder in (old, mine):
        os.utime(folder, (0, 0))
    monkeypatch.setattr(fcntl, "flock", refused)
    remove_links(tmp_path)
    assert {*tmp_path.iterdir()} == {new, mine}


def test_a_backup_that_fails_removes_none_and_is_tried_sooner(tmp_path: Path) -> None:
    backups = Backups(tmp_path, DAY, keep=1)
    backups.make(written, START)
    (tmp_path / "karat.tar").write_bytes(b"by hand")
    left = [tmp_path / f"karat-20260228T040000Z.tar.{'0' * 32}.{end}" for end in ("part", "dump")]
    for path in left:
        path.write_bytes(b"of one that was killed")

    def fails(path: Path) -> BackedUp:
        raise OSError(28, "No space left on device", str(path))

    now = START + DAY
    assert backups.left(now) == timedelta(0)
    with pytest.raises(ServiceError, match="No space left"):
        backups.make(fails, now)
    assert [one.at for one in backups.found()] == [START]
    assert not any(path.exists() for path in left)
    assert backups.left(now) == timedelta(minutes=15)
    backups.make(written, now + timedelta(minutes=15))
    assert len(backups.found()) == 1
    assert (tmp_path / "karat.tar").read_bytes() == b"by hand"


def test_one_is_due_when_the_newest_is_old_whatever_the_clock_says(tmp_path: Path) -> None:
    backups = Backups(tmp_path, DAY, keep=7)
    assert backups.left(START) == timedelta(0)
    assert backups.is_late(START)
    backups.make(written, START)
    assert backups.left(START + timedelta(hours=1)) == timedelta(hours=23)
    assert not backups.is_late(START + DAY)
    assert backups.is_late(START + 2 * DAY + timedelta(seconds=1))


def test_one_from_the_future_keeps_none_from_being_made(tmp_path: Path) -> None:
    backups = Backups(tmp_path, DAY, keep=2)
    backups.make(written, START + timedelta(days=365))
    # The clock was set back: neither a year without backups, nor one without an alarm.
    for day in range(3):
        now = START + day * DAY
        assert backups.left(now) == timedelta(0)
        assert backups.is_late(now) is (day == 0)
        backups.make(written, now)
        assert backups.left(now + timedelta(hours=1)) == timedelta(hours=23)
    assert [one.at for one in backups.found()] == [START + 2 * DAY, START + DAY]


@pytest.mark.parametrize(
    ("said", "meant"),
    [("24h", DAY), ("30m", timedelta(minutes=30)), ("7D", 7 * DAY), ("1 d", DAY)],
)
def test_intervals_are_read(said: str, meant: timedelta) -> None:
    assert read_every(said) == meant


@pytest.mark.parametrize("said", ["", "24", "h", "0h", "-1h", "1.5h", "24 hours", "1w", "999999d"])
def test_what_is_no_interval_is_refused(said: str, karat: Run, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no interval"):
        read_every(said)
    if said == "24":
        refused = karat("backup", tmp_path, "--every", said, status=2)
        assert "Write it as 24h" in refused.stderr


@pytest.fixture
def mine(source: Installation, empty: Installation, tmp_path: Path) -> Installation:
    """An installation with a job of its own, and a backup of another beside it."""
    back_up(source, tmp_path / "karat.tar")
    restore_from(tmp_path / "karat.tar", empty)
    execute(empty, "UPDATE jobs SET message = 'mine'")
    (empty.data_dir / "images" / "mine").write_bytes(b"")
    return empty


def execute(installation: Installation, *statements: str) -> None:
    with connected(installation.database_url, autocommit=True) as connection:
        for one in statements:
            connection.execute(one)


def messages(installation: Installation) -> list[Any]:
    with connected(installation.database_url) as connection:
        return [row[0] for row in connection.execute("SELECT message FROM jobs").fetchall()]


def left(installation: Installation) -> list[str]:
    return [path.name for path in installation.data_dir.glob("*.part")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_restore_that_is_ended_while_it_writes_hides_nothing(
    mine: Installation, karat: Run, tmp_path: Path, number: signal.Signals
) -> None:
    there = {"DATABASE_URL": mine.database_url, "KARAT_DATA_DIR": str(mine.data_dir)}
    command = [sys.executable, "-m", "karat", "restore", str(tmp_path / "karat.tar"), "--replace"]
    with (
        connected(mine.database_url) as connection,
        connected(mine.database_url, autocommit=True) as watching,
    ):
        # What is restored waits for this with its first table.
        connection.execute("LOCK TABLE pg_catalog.pg_class IN SHARE MODE")
        process = subprocess.Popen(
            command, env={**os.environ, **there}, stderr=subprocess.PIPE, text=True
        )
        writes = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND application_name = 'pg_restore' AND wait_event_type = 'Lock'"
        )
        eventually(lambda: watching.execute(writes).fetchone() == (1,), "it writes", 60)
        process.send_signal(number)
        time.sleep(0.2)
    _, said = process.communicate(timeout=60)
    if number == signal.SIGTERM:
        assert (process.returncode, said) == (1, "Error: Stopped. Nothing was changed.\n")
    else:
        for verb in ("backup", "verify", "doctor --orphans --free"):
            words = [*verb.split(), *(["x.tar"] if verb == "backup" else [])]
            assert "karat restore --unfinished before" in karat(*words, status=1, **there).stderr
        with pytest.raises(ServiceError, match="ended before it was done"):
            mine.migrate()
        told: list[str] = []
        eventually(lambda: undone(mine, told), "it is undone")
        assert told == ["A restore that was ended is undone: what was there before it is back."]
    assert messages(mine) == ["mine"]
    assert left(mine) == []
    assert (mine.data_dir / "images" / "mine").exists()


def undone(installation: Installation, told: list[str]) -> bool:
    undo(installation.database_url, installation.data_dir, told.append)
    return bool(told)


@pytest.mark.parametrize("stays", ["before", "now"])
def test_what_was_put_in_the_place_of_what_is_hidden_goes_only_if_told(
    mine: Installation, karat: Run, tmp_path: Path, stays: str
) -> None:
    """Earlier versions began anew there, and people labeled."""
    restored = restore_from(tmp_path / "karat.tar", mine, replace=True)
    execute(
        mine,
        "UPDATE jobs SET message = 'hidden'",
        "ALTER SCHEMA public RENAME TO karat_replaced",
        "CREATE SCHEMA public",
        "CREATE TABLE public.jobs AS SELECT 'since' AS message",
    )
    staging = mine.data_dir / "restore.killed.part"
    (staging / "storage" / "images").mkdir(parents=True)
    with pytest.raises(ServiceError, match="--unfinished now"):
        restore_from(tmp_path / "karat.tar", mine, replace=True)
    with pytest.raises(ServiceError, match="--unfinished now"):
        undo(mine.database_url, mine.data_dir, print)
    assert messages(mine) == ["since"]
    assert left(mine) == ["restore.killed.part"]
    there = {"DATABASE_URL": mine.database_url, "KARAT_DATA_DIR": str(mine.data_dir)}
    karat("restore", "--unfinished", stays, **there)
    assert messages(mine) == ["hidden" if stays == "before" else "since"]
    assert left(mine) == []
    assert "nothing to do" in karat("restore", "--unfinished", stays, status=1, **there).stderr
    assert restore_from(tmp_path / "karat.tar", mine, replace=True) == restored


def test_a_restore_that_is_killed_while_files_move_can_be_undone_and_not_half_kept(
    mine: Installation,
) -> None:
    with connected(mine.database_url, autocommit=True) as connection:
        set_aside(connection)
        connection.execute("CREATE TABLE jobs AS SELECT 'restored' AS message")
        staging = mine.data_dir / "restore.killed.part"
        for name in ("images", "projects"):
            (staging / "storage" / name).mkdir(parents=True)
        # As far as it came: images are in place, projects are not.
        (mine.data_dir / "images").rename(staging / "images.replaced")
        (staging / "storage" / "images").rename(mine.data_dir / "images")
        with pytest.raises(ServiceError, match="not in their places"):
            settle(connection, mine.data_dir, "now")
        # And where none has come into its place yet.
        (staging / "images.replaced").rename(mine.data_dir / "aside")
        with pytest.raises(ServiceError, match="not in their places"):
            settle(connection, mine.data_dir, "now")
        (mine.data_dir / "aside").rename(staging / "images.replaced")
        settle(connection, mine.data_dir, "before")
    assert messages(mine) == ["mine"]
    assert (mine.data_dir / "images" / "mine").exists()
    assert left(mine) == []


def test_originals_that_cannot_be_moved_back_are_not_removed(tmp_path: Path) -> None:
    staging = tmp_path / "restore.failed.part"
    (staging / "images.replaced").mkdir(parents=True)
    discard(staging)
    assert (staging / "images.replaced").exists()
    discard(staging, originals=True)
    assert not [*tmp_path.iterdir()]


def test_a_backup_made_beside_hidden_tables_can_be_put_back(
    source: Installation, empty: Installation, tmp_path: Path
) -> None:
    """As earlier versions wrote them."""
    execute(source, "CREATE SCHEMA karat_replaced", "CREATE TABLE karat_replaced.jobs ()")
    back_up(source, tmp_path / "karat.tar")
    restore_from(tmp_path / "karat.tar", empty)
    assert problems(empty) == []


def test_what_is_no_fault_of_the_program_is_told_in_a_line(
    karat: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "karat.tar").write_bytes(b"")
    away = {"DATABASE_URL": "postgresql://localhost:1/none"}
    for words in (("backup", "new.tar"), ("restore", "karat.tar"), ("verify",)):
        said = karat(*words, status=1, **away).stderr
        assert said.startswith("Error: The database does not do it: connection ")
        assert said.endswith("Check DATABASE_URL.\n")
    # As a file that is open says it.
    assert _explain(OSError(errno.ENOSPC, "No space left on device")) == 1
    assert "Nothing more can be written: No space left on device." in capsys.readouterr().err
    assert _explain(OSError(errno.EBADF, "Bad file descriptor")) is None


def test_a_lost_network_ends_what_works_on_the_database(mine: Installation) -> None:
    names = ("connect_timeout", "keepalives_idle", "keepalives_count", "tcp_user_timeout")
    with connected(mine.database_url) as connection:
        found = connection.info.get_parameters()
    assert [found.get(name) for name in names] == ["10", "15", "3", "20000"]
    address, secret = told(
        "postgresql+psycopg://karat:se%20c[re#t@db/karat?sslmode=verify-full&keepalives_idle=60"
    )
    said = conninfo_to_dict(address)
    assert [said.get(name) for name in names] == ["10", "60", "3", "20000"]
    assert (said["host"], said["dbname"], said["sslmode"]) == ("db", "karat", "verify-full")
    assert "password" not in said, "everybody on the machine can read a command line"
    assert secret == {"PGPASSWORD": "se c[re#t"}


@pytest.mark.parametrize(
    "left", [-1, 100], ids=["before it begins", "before a file that is larger"]
)
def test_a_backup_beside_the_data_leaves_answers_their_room(
    source: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    def used(_: object) -> SimpleNamespace:
        return SimpleNamespace(free=2**30 + left, total=2**40)

    backups = Backups(tmp_path / "backups", DAY, keep=2)
    backups.make(written, START)
    monkeypatch.setattr("core.files.disk.shutil.disk_usage", used)
    with pytest.raises(ServiceError, match="too little room for a backup"):
        backups.make(lambda path: back_up(source, path), START + DAY)
    assert [*backups.directory.iterdir()] == [backups.found()[0].path], "and none is removed"
