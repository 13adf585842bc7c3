"""Live events, over real connections to a real API process."""

import asyncio
import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from api.events.broadcaster import Broadcaster, Event
from core.events import CHANNEL, Topic, notify
from core.settings import Settings
from core.states import Role
from core.tables import Project
from tests.api.test_labeling import running
from tests.fixtures import Services
from tests.processes import api, eventually, libpq_url
from tests.world import Caller, World


class Watcher(threading.Thread):
    """Somebody who reads events of a project, or of lists, until the stream ends."""

    def __init__(self, url: str, project_id: int | None, caller: Caller) -> None:
        super().__init__(daemon=True)
        project = "" if project_id is None else f"/projects/{project_id}"
        self.url = f"{url}/api{project}/events"
        self.headers = caller.headers
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.start()

    def run(self) -> None:
        try:
            with httpx.stream("GET", self.url, headers=self.headers, timeout=60) as response:
                kind = ""
                for line in response.iter_lines():
                    name, _, value = line.partition(": ")
                    if name == "event":
                        kind = value
                    elif name == "data":
                        self.events.append((kind, json.loads(value)))
        except httpx.RemoteProtocolError:
            # The server was stopped before it could say that the stream is over.
            pass

    def wait_until_open(self) -> float:
        """The first event says that everything is to be read; for how long nothing had changed."""
        eventually(lambda: self.events, "the stream opens")
        kind, data = self.events[0]
        assert (kind, list(data)) == ("project", ["quiet_seconds"])
        return float(data["quiet_seconds"])

    def wait_for(self, kind: str, data: dict[str, Any]) -> None:
        eventually(lambda: (kind, data) in self.events, f"{kind} {data} arrives")


@pytest.fixture
def server(world: World, tmp_path: Path) -> Iterator[tuple[Any, str]]:
    """An API process and its address."""
    assert world.session
    with api(tmp_path / "api.log") as found:
        yield found


def test_members_hear_of_their_project_and_of_no_other(
    world: World, server: tuple[Any, str]
) -> None:
    _, url = server
    project, other = running(world), running(world)
    admin = world.caller()
    member = world.caller(Role.ANNOTATOR, project)
    mine = Watcher(url, project.id, member)
    theirs = Watcher(url, other.id, admin)
    for watcher in (mine, theirs):
        watcher.wait_until_open()
    with httpx.Client(base_url=f"{url}/api/projects", headers=admin.headers) as client:
        client.post(f"/{project.id}/rounds/0/close").raise_for_status()
        mine.wait_for("round", {"number": 0, "state": "closing"})
        client.post(f"/{project.id}/pause").raise_for_status()
        mine.wait_for("project", {"state": "paused"})
        # Neither event of the one project went to the other, although both came first.
        client.post(f"/{other.id}/pause").raise_for_status()
        theirs.wait_for("project", {"state": "paused"})
    assert theirs.events[1:] == [("project", {"state": "paused"})]


def test_annotators_do_not_hear_which_answers_were_checks(
    world: World, server: tuple[Any, str]
) -> None:
    _, url = server
    project = running(world)
    annotator = Watcher(url, project.id, world.caller(Role.ANNOTATOR, project))
    owner = Watcher(url, project.id, world.caller())
    for one in (annotator, owner):
        one.wait_until_open()
    for topic in (Topic.CERTIFICATE, Topic.POOL):
        world.session.execute(notify(project.id, topic, {"n": 1}))
    world.session.commit()
    for one in (annotator, owner):
        one.wait_for("pool", {"n": 1})
    assert ("certificate", {"n": 1}) in owner.events
    assert ("certificate", {"n": 1}) not in annotator.events


def test_strangers_hear_nothing(world: World, server: tuple[Any, str]) -> None:
    _, url = server
    project, stranger = running(world), world.caller(Role.ENGINEER)
    path = f"{url}/api/projects/{project.id}/events"
    response = httpx.get(path, headers=stranger.headers, timeout=10)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert httpx.get(path, timeout=10).status_code == 401


def test_events_go_on_after_the_database_dropped_the_connection(
    world: World, server: tuple[Any, str], services: Services
) -> None:
    _, url = server
    project, admin = running(world), world.caller()
    watcher = Watcher(url, project.id, admin)
    watcher.wait_until_open()
    drop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
    before = time.monotonic()
    with psycopg.connect(libpq_url(services.postgres.url)) as connection:
        connection.execute(drop, ("karat-events",))
    # Whatever was missed meanwhile: it is told to read everything again.
    eventually(lambda: ("project", {}) in watcher.events, "the stream recovers", 20)
    assert Watcher(url, project.id, admin).wait_until_open() < time.monotonic() - before
    with httpx.Client(base_url=f"{url}/api/projects", headers=admin.headers) as client:
        client.post(f"/{project.id}/pause").raise_for_status()
    watcher.wait_for("project", {"state": "paused"})


def test_who_opens_a_stream_hears_for_how_long_nothing_has_changed(
    world: World, server: tuple[Any, str]
) -> None:
    _, url = server
    early, late, never = running(world), running(world), running(world)
    admin = world.caller()

    def change(project: Project) -> None:
        watcher = Watcher(url, project.id, admin)
        watcher.wait_until_open()
        world.session.execute(notify(project.id, Topic.POOL, {}))
        world.session.commit()
        watcher.wait_for("pool", {})

    def quiet(project_id: int | None) -> float:
        return Watcher(url, project_id, admin).wait_until_open()

    before = time.monotonic()
    change(early)
    between = time.monotonic()
    change(late)
    after = time.monotonic()
    assert quiet(never.id) > after - before
    assert quiet(early.id) > after - between
    for changed in (late.id, None):
        known = quiet(changed)
        assert known < time.monotonic() - between


def test_slow_reader_is_told_to_read_everything_again(installation: Settings) -> None:
    url, everything = installation.libpq_url, {"event": "project", "data": "{}"}

    async def overflow() -> list[Event]:
        broadcaster = Broadcaster(url)
        listening = asyncio.create_task(broadcaster.run())
        with broadcaster.watch(7) as slow, broadcaster.watch(7) as quick:
            assert [await quick.get(), await slow.get()] == [everything] * 2
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                for number in range(150):
                    payload = {"project_id": 7, "event": "job", "data": {"id": number}}
                    await connection.execute(
                        "SELECT pg_notify(%s, %s)", (CHANNEL, json.dumps(payload))
                    )
                    assert json.loads((await quick.get())["data"]) == {"id": number}
            listening.cancel()
            return [slow.get_nowait() for _ in range(slow.qsize())]

    first, *_, last = asyncio.run(overflow())
    assert first == everything
    assert json.loads(last["data"]) == {"id": 149}


def test_open_streams_do_not_keep_the_server_from_stopping(
    world: World, server: tuple[Any, str]
) -> None:
    process, url = server
    project, admin = running(world), world.caller()
    watchers = [Watcher(url, project.id, admin) for _ in range(5)]
    for watcher in watchers:
        watcher.wait_until_open()
    process.send_signal(signal.SIGTERM)
    # Nobody closes a stream from outside: the server ends them, and then itself.
    eventually(lambda: process.poll() is not None, "the server stops")
    assert process.returncode in {0, -signal.SIGTERM}
    eventually(lambda: not any(one.is_alive() for one in watchers), "every stream ends")
