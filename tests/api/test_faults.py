"""The API under many clients, and killed at the worst instants."""

import socket
import threading
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Select, func, select

from core.states import ProjectState, Role
from core.tables import Annotation, Project, Round
from tests.processes import Hold, api, eventually, free_port
from tests.world import Caller, World

IMAGES = 320


def answer(query: int, key: str) -> dict[str, Any]:
    return {"answers": [{"key": key, "query_id": query, "verdict": "ood", "seconds": 1}]}


class Tab(threading.Thread):
    """A browser tab that leases and answers until the queue is empty."""

    def __init__(self, url: str, project: Project, caller: Caller) -> None:
        super().__init__(daemon=True)
        self.base = f"{url}/api/projects/{project.id}/labeling"
        self.headers = caller.headers
        self.leased: list[int] = []
        self.sent: list[str] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            with httpx.Client(headers=self.headers, timeout=30) as client:
                self._label(client)
        except BaseException as error:
            self.error = error

    def _label(self, client: httpx.Client) -> None:
        tab = str(uuid.uuid4())
        while True:
            lease = client.post(f"{self.base}/lease", json={"n": 4, "client": tab})
            lease.raise_for_status()
            queries = [item["query_id"] for item in lease.json()["items"]]
            if not queries:
                return
            self.leased += queries
            for query in queries:
                key = str(uuid.uuid4())
                response = client.post(f"{self.base}/answers", json=answer(query, key))
                response.raise_for_status()
                assert response.json()["results"][0]["status"] == "accepted"
                self.sent.append(key)


def test_sixteen_clients_and_two_tabs_share_a_queue_without_overlap(
    world: World, tmp_path: Path
) -> None:
    project = world.project(images=IMAGES, state=ProjectState.RUNNING, budget=10_000)
    world.open_round(project, IMAGES)
    callers = [world.caller(Role.ANNOTATOR, project) for _ in range(15)]
    with api(tmp_path / "api.log") as (_, url):
        # The last user labels in two tabs.
        tabs = [Tab(url, project, caller) for caller in [*callers, callers[-1]]]
        for tab in tabs:
            tab.start()
        for tab in tabs:
            tab.join(60)
    assert [tab.error for tab in tabs] == [None] * len(tabs)
    leases = Counter(query for tab in tabs for query in tab.leased)
    assert len(leases) == IMAGES
    assert set(leases.values()) == {1}
    stored = world.session.scalars(select(Annotation.client_key)).all()
    assert sorted(map(str, stored)) == sorted(key for tab in tabs for key in tab.sent)
    assert world.session.scalar(select(Round.spent).where(Round.number == 0)) == IMAGES


@pytest.mark.parametrize("committed", [False, True], ids=["before commit", "after commit"])
def test_api_killed_while_an_answer_is_on_its_way(
    world: World, tmp_path: Path, committed: bool
) -> None:
    project = world.project(images=4, state=ProjectState.RUNNING)
    world.open_round(project, 4)
    caller = world.caller(Role.ANNOTATOR, project)
    key, port = str(uuid.uuid4()), free_port()
    labeling = f"http://127.0.0.1:{port}/api/projects/{project.id}/labeling"
    lost: list[Exception] = []
    with httpx.Client(headers=caller.headers, timeout=30) as client:
        with api(tmp_path / "api.log", port) as (process, _):
            lease = client.post(f"{labeling}/lease", json={"n": 1, "client": str(uuid.uuid4())})
            query = lease.json()["items"][0]["query_id"]
            hold = Hold("annotations", "true")

            def send() -> None:
                try:
                    client.post(f"{labeling}/answers", json=answer(query, key))
                except httpx.TransportError as error:
                    lost.append(error)

            sender = threading.Thread(target=send)
            sender.start()
            eventually(hold.waiting, "the answer reaches the database")
            process.kill()
            sender.join(30)
        assert lost, "the client must see a broken connection"
        if not committed:
            hold.forget()
        hold.let_go()
        expected = 1 if committed else 0
        count = select(func.count()).select_from(Annotation)
        eventually(lambda: _fresh(world, count) == expected, "the database settles")
        with api(tmp_path / "api.log", port):
            response = client.post(f"{labeling}/answers", json=answer(query, key))
    result = response.json()["results"][0]
    assert result["status"] == ("duplicate" if committed else "accepted")
    assert result["counted"]
    assert _fresh(world, count) == 1
    assert world.session.scalar(select(Round.spent)) == 1.0


def test_a_client_that_leaves_in_the_middle_of_an_upload_is_no_mistake(
    world: World, tmp_path: Path
) -> None:
    project, caller = world.project(), world.caller()
    log = tmp_path / "api.log"
    with api(log) as (_, url):
        host, port = url.removeprefix("http://").split(":")
        head = [
            f"POST /api/projects/{project.id}/imports?filename=a.zip HTTP/1.1",
            f"Host: {host}",
            *(f"{name}: {value}" for name, value in caller.headers.items()),
            "Content-Length: 1000000",
        ]
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall("\r\n".join([*head, "", "the beginning"]).encode())
        eventually(lambda: "left in the middle" in log.read_text(), "the server notices")
        assert httpx.get(f"{url}/healthz").status_code == 200
    assert "unexpected error" not in log.read_text()
    assert not any(path.is_file() for path in world.storage.root.rglob("*.zip*"))


def _fresh(world: World, statement: Select[int]) -> int | None:
    """The present value, not that of an older snapshot."""
    world.session.rollback()
    return world.session.scalar(statement)
