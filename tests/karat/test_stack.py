"""All processes together: killed, stopped, started twice."""

import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg import sql

from core.process.version import build
from core.settings import Settings
from core.tables import Worker
from karat import Client, KaratError
from karat.local.doctor import _backups, examine
from karat.local.processes import AlreadyRunningError, Process, ServiceError
from karat.local.stack import Stack, choose_port, is_ready
from karat.local.workers import examine_workers
from tests.fixtures import Services
from tests.karat.helpers import Run, descendants, wait_for, wait_gone
from tests.processes import children_called, libpq_url
from tests.world import World


@contextmanager
def karat_up(
    data: Path, environment: dict[str, str], *words: str
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """``karat up`` on ``data``, ready, and what it said."""
    with subprocess.Popen(
        [sys.executable, "-m", "karat", "up", "--data-dir", str(data), "--port", "0", *words],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        while said[-1] and "Ctrl-C" not in said[-1]:
            said.append(process.stdout.readline())
        try:
            yield process, said
        finally:
            process.kill()


def findings_on(data: Path, karat: Run) -> list[dict[str, str]]:
    """What ``karat doctor`` says when something is wrong."""
    found: list[dict[str, str]] = json.loads(
        karat("doctor", "--data-dir", data, "--json", status=1).stdout
    )
    return found


def test_up_prints_the_password_once_and_ends_cleanly_on_sigterm(
    tmp_path: Path, environment: dict[str, str], karat: Run
) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    with karat_up(data, environment, "--backup-to", str(backups)) as (process, said):
        url = said[0].split()[-1]
        assert is_ready(url)
        email, password = said[1].split()[3], said[1].split()[7]
        with Client(url) as client:
            assert client.login(email, password)["role"] == "admin"
        second = karat("up", "--data-dir", data, status=1)
        assert f"Karat already runs on {data}" in second.stderr
        assert str(process.pid) in second.stderr
        wait_for(lambda: [*backups.glob("karat-*.tar")] != [], "a backup is written by itself")
        asked = json.loads((data / "running.json").read_text())["backups"]
        made = _backups(shlex.split(asked))
        assert made.ok
        assert "The newest is of" in made.detail
        none = _backups([str(tmp_path / "none"), *shlex.split(asked)[1:]])
        assert not none.ok
        assert "one is long due" in none.detail
        children = descendants(process.pid)
        assert len(children) >= 6
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        wait_gone(children, seconds=1.0)
    with karat_up(data, environment) as (process, said):
        assert "shown this once" not in "".join(said)
        children = descendants(process.pid)
        process.kill()
        process.wait()
        if sys.platform == "linux":
            wait_gone(children)
    found = {one["subject"]: one for one in findings_on(data, karat)}
    assert "was killed" in found["Karat"]["detail"]
    assert f"karat up --data-dir {data}" in found["Karat"]["remedy"]
    # Its servers went with it: what they answer says nothing.
    assert not {"API", "database", "broker"} & found.keys()
    (data / "links.killed.part").mkdir()
    # What the kill left behind does not keep it from starting again.
    with karat_up(data, environment) as (process, said):
        assert not [*data.glob("links.*.part")], "of a backup that was killed"
        assert is_ready(said[0].split()[-1])
        children = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == 0
        wait_gone(children, seconds=1.0)


def test_up_uses_the_servers_it_is_given(
    services: Services, tmp_path: Path, environment: dict[str, str]
) -> None:
    name = "karat_up_elsewhere"
    services.administer(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    given = {"DATABASE_URL": services.database_url(name), "REDIS_URL": services.redis.url}
    with psycopg.connect(libpq_url(given["DATABASE_URL"]), autocommit=True) as connection:
        # As a restore leaves it that was killed before it had put anything in place.
        connection.execute("CREATE TABLE mine ()")
        connection.execute("ALTER SCHEMA public RENAME TO karat_replaced")
        connection.execute("CREATE SCHEMA public")
    with karat_up(tmp_path / "data", environment | given) as (process, said):
        assert is_ready(said[0].split()[-1])
        names = {child.name() for child in descendants(process.pid)}
        assert not names & {"postgres", "redis-server", "valkey-server"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not (tmp_path / "data" / "postgres").exists()
    with psycopg.connect(libpq_url(given["DATABASE_URL"])) as connection:
        assert connection.execute("SELECT count(*) FROM public.mine").fetchone() == (0,)
    services.administer(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def forked(pid: int) -> list[psutil.Process]:
    """What the fork server of ``karat up`` has forked."""
    servers = children_called("karat: libraries", pid)
    return [one for server in servers for one in server.children()]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_killed_preparation_names_what_killed_it_and_every_log(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    data = tmp_path / "data"
    log = data / "logs" / "database.log"
    with subprocess.Popen(
        [sys.executable, "-m", "karat", "up", "--data-dir", str(data), "--port", "0"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            # The API, and what prepares the database.
            wait_for(lambda: len(forked(process.pid)) == 2, "the database is prepared", 60)
            server = forked(process.pid)[0].parent()
            assert server is not None
            server.kill()
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 1
    assert "Error: The database was not prepared, as that was ended by SIGKILL:" in said
    assert said.rstrip().endswith(f"See {log} and {log.with_name('fork-server.log')}.")


def kill(live: Stack, name: str) -> Process:
    """Kill a process; where it is just being replaced, as workers without Redis are, the next."""
    while True:
        found = live.processes[name]
        try:
            os.kill(found.pid, signal.SIGKILL)
        except ProcessLookupError:
            wait_for(lambda: live.processes[name] is not found, f"{name} is replaced")  # noqa: B023
        else:
            return found


@pytest.mark.parametrize(
    "name", ["api", "redis", "postgres", "worker-cpu", "worker-housekeeping", "scheduler"]
)
def test_what_is_killed_comes_back(live: Stack, admin: Client, name: str) -> None:
    first = kill(live, name)
    if name != "redis":
        # The client waits until the API can answer again.
        assert admin.me()["role"] == "admin"
    wait_for(lambda: live.processes[name] is not first, f"{name} is started again")
    wait_for(lambda: is_ready(live.url), "the API is ready again")


def test_a_client_gives_up_after_a_while() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with Client(url, retry_seconds=0.2) as client, pytest.raises(KaratError) as caught:
            client.me()
    assert caught.value.code == "unreachable"
    assert url in str(caught.value)


def test_one_stack_per_directory(live: Stack) -> None:
    second = Stack(live.data_dir, port=0)
    with pytest.raises(AlreadyRunningError, match=str(os.getpid())):
        second.start()
    second.stop()
    assert is_ready(live.url)
    assert (live.data_dir / "running.json").exists()


def test_services_listen_on_nothing_but_the_api(live: Stack) -> None:
    listening = {
        name: [
            one.laddr.port
            for one in psutil.Process(process.pid).net_connections("tcp")
            if one.status == psutil.CONN_LISTEN
        ]
        for name, process in live.processes.items()
    }
    assert listening.pop("api") == [live.port]
    assert not any(listening.values())


def test_state_for_other_commands_is_private(live: Stack) -> None:
    file = live.data_dir / "running.json"
    assert json.loads(file.read_text())["url"] == live.url
    assert file.stat().st_mode & 0o077 == 0


def test_a_taken_port_is_refused_if_asked_for_and_else_avoided() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServiceError, match=f"Port {port}"):
            choose_port("127.0.0.1", port)
        assert choose_port("127.0.0.1", 0) not in {0, port}
    assert choose_port("127.0.0.1", None) >= 1024
    with pytest.raises(ServiceError, match="no address"):
        choose_port("nowhere.invalid", 0)


def test_doctor_finds_nothing_wrong_with_a_running_stack(live: Stack, karat: Run) -> None:
    findings = json.loads(karat("doctor", "--data-dir", live.data_dir, "--json").stdout)
    found = {one["subject"]: one for one in findings}
    assert {"database", "broker", "worker gpu", "worker cpu", "API", "torch"} <= found.keys()
    assert build() in found["packages"]["detail"]


def test_doctor_tells_who_is_busy_and_who_was_not_upgraded(
    world: World, installation: Settings
) -> None:
    # For as long as it takes to ask.
    alive = datetime.now(UTC) + timedelta(minutes=5)
    world.session.add(
        Worker(name="gpu-1@here", host="here", pid=1, queues=["gpu"], heartbeat_at=alive)
    )
    world.session.commit()
    urls = {"DATABASE_URL": installation.database_url, "REDIS_URL": installation.redis_url}
    found = {one.subject: one for one in examine_workers({**os.environ, **urls})}
    assert found["broker"].ok
    assert (found["worker gpu"].ok, found["worker cpu"].ok) == (True, False)
    assert not found["gpu-1@here"].ok
    assert found["gpu-1@here"].detail.endswith(f"and this is {build()}.")


def test_doctor_is_content_with_a_running_demo(live: Stack, tmp_path: Path, karat: Run) -> None:
    """Nothing runs on the directory that is asked about, but the demo does below it."""
    (tmp_path / "demo").symlink_to(live.data_dir)
    found = {
        one["subject"]: one
        for one in json.loads(karat("doctor", "--data-dir", tmp_path, "--json").stdout)
    }
    assert found["Karat"]["detail"].startswith("the demo is running on")
    assert {"API", "database", "broker", "worker gpu"} <= found.keys()


def test_the_earlier_name_of_the_data_directory_still_works(tmp_path: Path, karat: Run) -> None:
    for words in (["--data-dir", tmp_path], ["--data", tmp_path], [f"--data={tmp_path}"]):
        assert f"{tmp_path} holds no Karat" in karat("verify", *words, status=1).stderr
    shown = karat("verify", "--help", COLUMNS="200").stdout
    assert "--data-dir" in shown
    assert "--data " not in shown


def test_doctor_minds_a_taken_port_only_where_that_one_is_wanted(
    tmp_path: Path, karat: Run
) -> None:
    with socket.socket() as taken:
        # Connections that have just ended on it are nobody who has it.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # then somebody else has it
            taken.bind(("127.0.0.1", 8080))
            taken.listen()
        free = next(one for one in examine(tmp_path, None) if one.subject == "port")
        assert free.ok
        assert free.detail.startswith("8080 is taken; karat up takes ")
        words = ("doctor", "--data-dir", tmp_path, "--port", "8080", "--json")
        said = json.loads(karat(*words, status=1, KARAT_STORAGE_URL="http://example.org").stdout)
        port, settings = (one for one in said if one["subject"] in ("port", "settings"))
        assert not port["ok"]
        assert "--port" in port["remedy"]
        # What is wrong with one does not keep it from looking at the other.
        assert "KARAT_STORAGE_URL" in settings["detail"]


def test_doctor_says_what_is_wrong(tmp_path: Path, karat: Run) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = karat(
        *("doctor", "--data-dir", blocked / "data"),
        status=1,
        DATABASE_URL="postgresql://localhost:1/none",
        KARAT_FRONTEND_DIR=str(tmp_path),
    )
    lines = done.stdout.splitlines()
    (reason,) = (line for line in lines if line.startswith("problem database:"))
    assert "connection failed" in reason
    assert "Background on this error" not in done.stdout
    for subject in ("frontend", "data directory", "database"):
        index = next(k for k, line in enumerate(lines) if line.startswith(f"problem {subject}:"))
        assert lines[index + 1].startswith("        ")
