"""PostgreSQL and Redis, started, killed and started again."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from karat.local.embedded import EmbeddedPostgres, EmbeddedRedis
from karat.local.processes import AlreadyRunningError, ServiceError
from tests.processes import libpq_url

FAST = {"fsync": "off"}
OWNER = """
import sys, time
from pathlib import Path
from karat.local.embedded import EmbeddedPostgres, EmbeddedRedis
directory = Path(sys.argv[1])
postgres = EmbeddedPostgres(directory / "postgres").start()
redis = EmbeddedRedis(directory / "redis").start()
print(postgres.pid, redis.pid, flush=True)
time.sleep(600)
"""


def query(postgres: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(libpq_url(postgres.url), autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def wait_gone(pids: list[int], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(psutil.pid_exists(pid) for pid in pids):
            return
        time.sleep(0.05)
    pytest.fail(f"still running: {[pid for pid in pids if psutil.pid_exists(pid)]}")


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(tmp_path / "postgres", settings=FAST) as server:
        yield server


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Another program that has both services on ``tmp_path``, and their pids."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        yield process, pids
        process.kill()
        process.wait()
        wait_gone(pids)


def test_postgres_keeps_its_rows_and_listens_on_a_socket_only(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / "postgres", settings=FAST)
    with server:
        pid = server.pid
        query(server, "CREATE EXTENSION vector")
        query(server, "CREATE TABLE kept (value int)")
        query(server, "INSERT INTO kept VALUES (7)")
        assert query(server, "SHOW listen_addresses") == [("",)]
        assert query(server, "SHOW synchronous_commit") == [("on",)]
        assert not psutil.Process(pid).net_connections("tcp")
    assert not psutil.pid_exists(pid)
    assert not list(tmp_path.rglob(".s.PGSQL*"))
    with server:
        assert query(server, "SELECT value FROM kept") == [(7,)]


def test_postgres_comes_back_after_a_kill(postgres: EmbeddedPostgres) -> None:
    query(postgres, "CREATE TABLE kept (value int)")
    query(postgres, "INSERT INTO kept VALUES (7)")
    backends = [child.pid for child in psutil.Process(postgres.pid).children(recursive=True)]
    os.kill(postgres.pid, signal.SIGKILL)
    assert postgres.process is not None
    postgres.process.wait()
    assert (postgres.directory / "postmaster.pid").exists()
    postgres.start()
    assert query(postgres, "SELECT value FROM kept") == [(7,)]
    wait_gone(backends)


def test_postgres_ignores_a_stale_pid_that_now_belongs_to_another_program(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / "postgres", settings=FAST)
    with server:
        lines = (server.directory / "postmaster.pid").read_text().splitlines()
        status = (server.directory / "postmaster.pid").stat()
    stale = server.directory / "postmaster.pid"
    with subprocess.Popen(["sleep", "60"]) as stranger:
        stale.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        os.chown(stale, status.st_uid, status.st_gid)
        with server:
            assert query(server, "SELECT 1") == [(1,)]
        assert stranger.poll() is None
        stranger.kill()


def test_redis_takes_messages_and_writes_nothing_to_disk(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path / "redis")
    with server:
        pid = server.pid
        assert server.url == f"redis+socket://{server.socket_path}"
        with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
            client.lpush("queue", "message")
            assert client.config_get("save") == {"save": ""}
            assert client.config_get("port") == {"port": "0"}
        os.kill(pid, signal.SIGKILL)
        assert server.process is not None
        server.process.wait()
        server.start()
        with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
            assert client.ping()
        pid = server.pid
    assert not psutil.pid_exists(pid)
    assert [path.name for path in (tmp_path / "redis").iterdir()] == []


@pytest.mark.parametrize("name", ["d" * 120, "with space & 'quote'"])
def test_awkward_directories_get_a_short_socket(tmp_path: Path, name: str) -> None:
    directory = tmp_path / name
    with (
        EmbeddedPostgres(directory / "postgres", settings=FAST) as postgres,
        EmbeddedRedis(directory / "redis") as redis_server,
    ):
        assert query(postgres, "SELECT current_database()") == [("karat",)]
        with redis.Redis(unix_socket_path=str(redis_server.socket_path)) as client:
            assert client.ping()
        sockets = [postgres.sockets, redis_server.sockets]
        assert all(one.stat().st_mode & 0o077 == 0 for one in sockets)
        assert len({*sockets}) == 2
    assert not any(one.exists() for one in sockets)


def test_services_end_with_a_killed_owner_and_start_again(
    tmp_path: Path, owner: tuple[subprocess.Popen[str], list[int]]
) -> None:
    process, pids = owner
    with pytest.raises(AlreadyRunningError, match=str(process.pid)):
        EmbeddedPostgres(tmp_path / "postgres").start()
    with pytest.raises(AlreadyRunningError):
        EmbeddedRedis(tmp_path / "redis").start()
    assert all(psutil.pid_exists(pid) for pid in pids)
    process.kill()
    process.wait()
    with (
        EmbeddedPostgres(tmp_path / "postgres", settings=FAST) as postgres,
        EmbeddedRedis(tmp_path / "redis"),
    ):
        assert query(postgres, "SELECT 1") == [(1,)]
        wait_gone(pids)


def test_a_server_left_without_owner_is_ended_first(tmp_path: Path) -> None:
    """As on systems that cannot tie a process to its parent."""
    server = EmbeddedPostgres(tmp_path / "postgres", settings=FAST)
    server.start()
    left_over, server.process = server.process, None
    server._lock.release()
    assert left_over is not None
    again = EmbeddedPostgres(tmp_path / "postgres", settings=FAST)
    with again:
        assert again.pid != left_over.pid
        assert left_over.wait(10) == 0
        assert query(again, "SELECT 1") == [(1,)]


def test_an_interrupted_first_start_is_made_good(tmp_path: Path) -> None:
    (tmp_path / "postgres.new").mkdir()
    (tmp_path / "postgres.new" / "PG_VERSION").write_text("18\n")
    with EmbeddedPostgres(tmp_path / "postgres", settings=FAST) as server:
        assert query(server, "SELECT 1") == [(1,)]
    assert not (tmp_path / "postgres.new").exists()


def test_a_cluster_of_another_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ServiceError, match="is of PostgreSQL 17, and this is 18") as refused:
        EmbeddedPostgres(tmp_path / "postgres").start()
    assert "write a backup" in refused.value.remedy
