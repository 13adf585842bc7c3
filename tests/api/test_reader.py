"""Exports and metrics are read from a streaming replica; exports lack nothing that was there."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from api.main import create_app
from core.settings import Settings
from core.tables.base import Base
from karat.local.embedded import EmbeddedPostgres, postgres_programs
from tests.fixtures import Services
from tests.processes import eventually, libpq_url
from tests.world import World

FAST = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "16MB"}
SENDS = {"wal_level": "replica", "max_wal_senders": "4"}


@pytest.fixture(scope="module")
def primary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    directory = tmp_path_factory.mktemp("primary")
    with EmbeddedPostgres(directory / "postgres", settings={**FAST, **SENDS}) as server:
        engine = create_engine(server.url)
        Base.metadata.create_all(engine)
        engine.dispose()
        yield server


@pytest.fixture(scope="module")
def replica(
    primary: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmbeddedPostgres]:
    directory = tmp_path_factory.mktemp("replica") / "postgres"
    copy = [str(postgres_programs() / "pg_basebackup"), "--write-recovery-conf", "--no-sync"]
    where = ["--host", str(primary.sockets), "--username", "postgres", "--checkpoint", "fast"]
    subprocess.run([*copy, *where, "--pgdata", str(directory)], check=True, capture_output=True)
    # The server runs as somebody else where the tests run as root.
    owner = primary.directory.stat()
    for parent, folders, names in os.walk(directory):
        for name in (".", *folders, *names):
            shutil.chown(Path(parent, name), owner.st_uid, owner.st_gid)
    with EmbeddedPostgres(directory, settings={**FAST, **SENDS}) as server:
        yield server


@pytest.fixture
def world(primary: EmbeddedPostgres, tmp_path: Path) -> Iterator[World]:
    engine = create_engine(primary.url)
    with Session(engine, expire_on_commit=False) as session:
        yield World(session, tmp_path / "data")
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(table.delete())
        session.commit()
    engine.dispose()


Reading = Callable[[str, float], TestClient]


@pytest.fixture
def reading(primary: EmbeddedPostgres, tmp_path: Path) -> Iterator[Reading]:
    """The application with a database to read from, and how long exports wait for that."""
    opened: list[TestClient] = []

    def open_(url: str, seconds: float) -> TestClient:
        given = {"DATABASE_READ_URL": url, "read_wait_seconds": seconds}
        settings = Settings(
            database_url=primary.url,
            data_dir=tmp_path / "data",
            **given,  # type: ignore[arg-type]
        )
        client = TestClient(
            create_app(settings), base_url="http://karat.test", client=("127.0.0.1", 9)
        )
        opened.append(client)
        return client.__enter__()

    yield open_
    for client in opened:
        client.__exit__(None, None, None)


def _metrics(http: TestClient) -> str:
    answer = http.get("/metrics")
    assert answer.status_code == 200, answer.text
    return answer.text


def used(replica: EmbeddedPostgres) -> int:
    """How many connections exports have open there."""
    with psycopg.connect(libpq_url(replica.url)) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'karat-reader'"
        ).fetchone()
    assert found is not None
    return int(found[0])


@contextmanager
def paused(replica: EmbeddedPostgres) -> Iterator[None]:
    """Nothing that is written reaches the replica."""
    with psycopg.connect(libpq_url(replica.url), autocommit=True) as connection:
        connection.execute("SELECT pg_wal_replay_pause()")
        try:
            yield
        finally:
            connection.execute("SELECT pg_wal_replay_resume()")


def exported(http: TestClient, world: World, images: int) -> list[str]:
    """Images in an export of a project that was made just now."""
    project, admin = world.project(images=images), world.caller()
    path = f"/api/projects/{project.id}/export?format=coco&images=false&unlabeled=true"
    answer = http.get(path, headers=admin.headers)
    assert answer.status_code == 200, answer.text
    return [one["file_name"] for one in answer.json()["undecided"]]


def test_what_was_written_just_now_is_in_an_export_from_the_replica(
    reading: Reading, world: World, replica: EmbeddedPostgres, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "api.database.reader")
    patient, hasty = reading(replica.url, 60.0), reading(replica.url, 0.2)
    assert "karat_open_queries 0.0" in _metrics(patient)
    assert used(replica) == 1
    assert len(exported(patient, world, 3)) == 3
    assert "replica" not in caplog.text
    with paused(replica):
        # It lags: nothing that is missing there is left out for that.
        assert len(exported(hasty, world, 4)) == 4
        assert "more than 0.2 s behind" in caplog.text

    def comes_back() -> bool:
        return len(exported(hasty, world, 2)) == 2 and "the replica again" in caplog.text

    eventually(comes_back, "exports are read from the replica again")


def test_a_replica_that_hangs_keeps_no_export_waiting(
    reading: Reading, world: World, replica: EmbeddedPostgres, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    http = reading(replica.url, 60.0)
    assert len(exported(http, world, 2)) == 2
    with psycopg.connect(libpq_url(replica.url)) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'karat-reader'"
        ).fetchall()
    monkeypatch.setattr("api.database.reader._ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(http.app.state.reader, "_wait", 0.5)  # type: ignore[attr-defined]
    for (pid,) in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert len(exported(http, world, 3)) == 3
        assert "karat_open_queries" in _metrics(http)
        assert "does not answer (TimeoutError)" in caplog.text
    finally:
        for (pid,) in found:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("which", ["away", "itself", "another"])
def test_what_is_no_replica_is_said_and_passed_over(
    which: str, reading: Reading, world: World, primary: EmbeddedPostgres, services: Services,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    other = services.database_url("postgres")
    urls = {
        "away": "postgresql://nobody@127.0.0.1:9/karat",
        "itself": primary.url,
        "another": other,
    }
    http = reading(urls[which], 0.2)
    assert len(exported(http, world, 2)) == 2
    assert "karat_open_queries" in _metrics(http)
    said = {
        "away": "does not answer",
        "itself": "is no replica",
        "another": "is of another database",
    }
    assert said[which] in caplog.text
    assert "nobody" not in caplog.text
