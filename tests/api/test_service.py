"""The process as a whole: health, version, the app's files, and what a wrong request is told."""

import gc
import gzip
import socket
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.script import ScriptDirectory
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine, event, select
from sqlalchemy.exc import OperationalError

from api.__main__ import main
from api.callers.principal import COOKIE
from api.main import create_app
from api.middleware import problems
from api.operations import health
from core.database.engines import sync_engine
from core.settings import Settings
from core.states import JobState
from core.tables import Job
from karat.local.embedded import EmbeddedRedis
from tests.processes import ROOT, free_port
from tests.world import World

PROBLEM = "application/problem+json"


@pytest.fixture
def frontend(tmp_path: Path) -> Path:
    """A built frontend."""
    directory = tmp_path / "dist"
    (directory / "assets").mkdir(parents=True)
    (directory / "index.html").write_text("<title>Karat</title>")
    (directory / "assets" / "app-1a2b.js").write_text("let karat")
    return directory


def test_healthy_service_is_ready_and_says_its_version(http: TestClient) -> None:
    assert http.get("/healthz").json() == {"status": "ok"}
    assert http.get("/readyz").json() == {"status": "ok"}
    schema = ScriptDirectory(str(ROOT / "migrations")).get_current_head()
    assert http.get("/api/version").json() == {"version": f"{version('karat')}+{schema}"}


def test_full_garbage_collections_skip_what_lives_as_long_as_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked = []
    # This process has logs of its own.
    monkeypatch.setattr("core.telemetry.logs.configure", lambda _: None)
    monkeypatch.setattr("uvicorn.Server.run", lambda _: walked.append(len(gc.get_objects())))
    monkeypatch.setattr(sys, "argv", ["api"])
    try:
        # It says by its status that it never served.
        with pytest.raises(SystemExit, match="3"):
            main()
    finally:
        gc.unfreeze()
    # A request makes a few hundred objects; the frozen ones are over 100,000.
    assert walked[0] < 10_000


def test_without_a_database_the_process_lives_and_is_not_ready(
    installation: Settings,
) -> None:
    away = installation.model_copy(
        update={"database_url": f"postgresql://karat@127.0.0.1:{free_port()}/karat"}
    )
    with TestClient(create_app(away)) as client:
        assert client.get("/healthz").status_code == 200
        ready = client.get("/readyz")
        me = client.get("/api/auth/me", headers={"Authorization": "Bearer karat_x"})
    assert (ready.status_code, ready.json()["code"]) == (503, "database_unavailable")
    assert (me.status_code, me.json()["code"]) == (503, "unavailable")
    assert int(ready.headers["Retry-After"]) > 0
    assert me.headers["retry-after"] == "1"
    assert ready.headers["content-type"] == me.headers["content-type"] == PROBLEM


def test_a_database_that_hangs_is_away(
    installation: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_DATABASE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://karat@127.0.0.1:{silent.getsockname()[1]}/karat"
        with TestClient(create_app(installation.model_copy(update={"database_url": url}))) as http:
            ready = http.get("/readyz")
    assert (ready.status_code, ready.json()["code"]) == (503, "database_unavailable")


@pytest.mark.parametrize("said", ["", "&keepalives_idle=60&tcp_user_timeout=0"])
def test_connections_notice_that_the_server_is_gone(installation: Settings, said: str) -> None:
    given = installation.model_copy(update={"database_url": installation.database_url + said})
    engine = sync_engine(given)
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        found = driver.info.get_parameters()
    engine.dispose()
    names = ("connect_timeout", "keepalives_idle", "keepalives_count", "tcp_user_timeout")
    assert [found.get(name) for name in names] == (
        ["10", "60", "3", "0"] if said else ["10", "15", "3", "20000"]
    )


def test_what_came_in_the_way_of_another_request_is_not_said_of_the_database(
    installation: Settings,
) -> None:
    app = FastAPI()
    app.state.settings = installation
    problems.install(app)

    @app.get("/")
    def crossed() -> None:
        raise OperationalError("DELETE", {}, psycopg.errors.DeadlockDetected())

    answer = TestClient(app).get("/")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.json()["detail"].startswith("Somebody else changed the same just now.")


@pytest.fixture
def lost_commits() -> Iterator[list[Exception]]:
    """What requests are told of each commit, which is made all the same, until it is empty."""
    said: list[Exception] = []

    def answer(connection: Connection) -> None:
        if said:
            connection.connection.commit()
            raise said.pop(0)

    event.listen(Engine, "commit", answer)
    yield said
    event.remove(Engine, "commit", answer)


def test_a_commit_whose_answer_is_lost_may_have_stored_something(
    http: TestClient,
    world: World,
    lost_commits: list[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    admin = world.caller()
    monkeypatch.setattr(http._transport, "raise_server_exceptions", False)

    def tokens(method: str) -> Any:
        body = {"name": "robot"} if method == "POST" else None
        return http.request(method, "/api/tokens", json=body, headers=admin.headers)

    lost = OperationalError("COMMIT", {}, psycopg.OperationalError("the connection is lost"))
    lost_commits += [lost, lost, RuntimeError("a bug")]
    made, listed, broken = tokens("POST"), tokens("GET"), tokens("POST")
    assert (made.status_code, made.json()["code"]) == (504, "unknown_outcome")
    assert "Retry-After" not in made.headers
    assert (listed.status_code, listed.json()["code"]) == (503, "unavailable")
    assert (broken.status_code, broken.json()["code"]) == (500, "internal")
    assert "may have been stored" in broken.json()["detail"]
    assert [one["name"] for one in tokens("GET").json()["items"]].count("robot") == 2
    # What has transactions of its own, as passwords and second factors do.
    lost_commits.append(lost)
    left = http.post("/api/auth/logout", headers={"Cookie": f"{COOKIE}=secret"})
    assert (left.status_code, left.json()["code"]) == (504, "unknown_outcome")


def test_broker_that_goes_away_stops_readiness_and_no_work(
    http: TestClient, world: World, broker: EmbeddedRedis
) -> None:
    admin = world.caller()
    projects = [world.project(images=1) for _ in range(3)]
    start = f"/api/projects/{projects[0].id}/start"
    assert http.post(start, headers=admin.headers).status_code == 200
    assert http.get("/readyz").status_code == 200
    broker.stop()
    # Over the connection that broke, and without one: the sweeper sends what was accepted.
    for project in projects[1:]:
        started = http.post(f"/api/projects/{project.id}/start", headers=admin.headers)
        assert started.status_code == 200, started.text
    assert world.session.scalars(select(Job.state)).all() == [JobState.QUEUED] * 3
    ready = http.get("/readyz")
    assert (ready.status_code, ready.json()["code"]) == (503, "broker_unavailable")
    assert int(ready.headers["Retry-After"]) > 0


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_unknown_api_route_is_a_problem_and_no_page(
    installation: Settings, frontend: Path, method: str
) -> None:
    served = installation.model_copy(update={"frontend_dir": frontend})
    with TestClient(create_app(served)) as client:
        response = client.request(method, "/api/nothing/here")
    assert response.status_code == 404
    assert response.headers["content-type"] == PROBLEM
    assert response.json()["code"] == "not_found"


def test_app_is_served_for_its_own_addresses(installation: Settings, frontend: Path) -> None:
    served = installation.model_copy(update={"frontend_dir": frontend})
    with TestClient(create_app(served)) as client:
        for path in ("/", "/projects/7/label", "/login"):
            page = client.get(path)
            assert page.text == "<title>Karat</title>"
            # A new version must be seen at the next visit; its parts never change.
            assert page.headers["cache-control"] == "no-cache"
        script = client.get("/assets/app-1a2b.js")
        assert "immutable" in script.headers["cache-control"]
        assert client.get("/assets/gone.js").status_code == 404
        for path in ("/..%2f..%2fetc/passwd", "/%00"):
            assert client.get(path).status_code in {200, 404}
            assert "root:" not in client.get(path).text


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0.5,gzip;q=1.0", "br"),
        ("GZIP", "gzip"),
        ("gzip; q=0.001, br; q=0", "gzip"),
        ("br;q=0.0, gzip;q=0", None),
        ("identity", None),
        ("", None),
    ],
)
def test_assets_are_sent_as_small_as_the_browser_can_read_them(
    installation: Settings, frontend: Path, accepted: str, coding: str | None
) -> None:
    script = b"const one = 1;\n" * 1000
    path = frontend / "assets/large-3c4d.js"
    path.write_bytes(script)
    # Sent as they are: what is in them is the build's, and nothing is compressed here.
    packed = {"br": b"brotli", "gzip": gzip.compress(script)}
    path.with_suffix(".js.br").write_bytes(packed["br"])
    path.with_suffix(".js.gz").write_bytes(packed["gzip"])
    served = installation.model_copy(update={"frontend_dir": frontend})
    headers = {"Accept-Encoding": accepted}
    with (
        TestClient(create_app(served)) as client,
        client.stream("GET", "/assets/large-3c4d.js", headers=headers) as response,
    ):
        assert b"".join(response.iter_raw()) == packed.get(coding or "", script)
        assert response.headers.get("content-encoding") == coding
        assert response.headers["content-type"] == "text/javascript; charset=utf-8"
        assert response.headers["vary"] == "Accept-Encoding"
        assert "immutable" in response.headers["cache-control"]
        known = {**headers, "If-None-Match": response.headers["etag"]}
        assert client.get("/assets/large-3c4d.js", headers=known).status_code == 304
        other = {"Accept-Encoding": "br" if coding != "br" else "gzip"}
        assert client.get("/assets/large-3c4d.js", headers=known | other).status_code == 200


def test_what_the_database_cannot_hold_is_refused_and_no_crash(http: TestClient) -> None:
    response = http.post("/api/auth/login", json={"email": "a\0@b", "password": "x"})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_value")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/api/auth/login", b"\xff{", 400, "bad_request"),
        ("POST", "/api/auth/login", b"[" * 100_000, 413, "body_too_large"),
        ("POST", "/api/auth/login", b'{"email":', 422, "malformed"),
        ("PUT", "/projects", b"", 405, "method_not_allowed"),
        ("GET", "/api/nothing", b"", 404, "not_found"),
    ],
)
def test_what_no_route_sees_has_a_documented_code(
    http: TestClient, method: str, path: str, body: bytes, status: int, code: str
) -> None:
    response = http.request(
        method, path, content=body, headers={"Content-Type": "application/json"}
    )
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert f"| {status} | `{code}` |" in (ROOT / "docs/api.md").read_text()
    if code == "malformed":
        assert response.json()["field"] == "body"
        assert response.json()["detail"].startswith("body: not valid JSON at character 10: ")
    if code == "bad_request":
        assert response.json()["field"] == "body"
        assert "UTF-8" in response.json()["detail"]


def test_malformed_request_names_every_field(http: TestClient, world: World) -> None:
    response = http.post(
        "/api/projects", json={"classes": [{"colour": "red"}]}, headers=world.caller().headers
    )
    assert response.status_code == 422
    assert response.headers["content-type"] == PROBLEM
    assert response.json()["code"] == "malformed"
    errors = response.json()["errors"]
    fields = [error["field"] for error in errors]
    assert fields == ["name", "classes.0.name", "classes.0.colour"]
    assert [error["type"] for error in errors] == ["missing", "missing", "string_pattern_mismatch"]
    assert errors[2]["ctx"]["pattern"].startswith("^#")
    detail = response.json()["detail"]
    assert "name: missing; add it" in detail
    assert "colour: must match" in detail


@pytest.mark.parametrize(
    ("path", "field", "expected"),
    [
        (
            "examples?state=lost",
            "state",
            "'unlabeled', 'queried', 'labeled', 'ood', 'unsure', 'held_out', 'objects' or "
            "'no_objects'",
        ),
        ("examples/count?split=1", "split", "'pool', 'evaluation', 'auxiliary_ood' or 'all'"),
        ("reviews/0", "review", "an id or 'disagreements'"),
    ],
)
def test_what_may_be_of_several_kinds_is_said_once_by_its_field(
    http: TestClient, world: World, path: str, field: str, expected: str
) -> None:
    project = world.project()
    url = f"/api/projects/{project.id}/{path}"
    response = http.get(url, headers=world.caller().headers)
    (error,) = response.json()["errors"]
    assert (error["field"], error["type"]) == (field, "enum")
    assert error["ctx"] == {"expected": expected}
    assert response.json()["detail"] == f"{field}: must be {expected}"


def test_a_misspelt_setting_is_named_beside_the_right_one(http: TestClient, world: World) -> None:
    response = http.post(
        "/api/projects",
        json={"name": "p", "classes": [], "settings": {"cost": {"c_odd": 2}}},
        headers=world.caller().headers,
    )
    assert response.status_code == 400
    problem = response.json()
    assert problem["field"] == "settings.cost.c_odd"
    assert "there is no such name; the nearest is c_ood" in problem["detail"]
    (error,) = problem["errors"]
    assert (error["field"], error["type"]) == ("settings.cost.c_odd", "extra_forbidden")
    assert error["ctx"] == {"nearest": "c_ood"}


def test_each_parameter_that_is_wrong_is_told_by_itself(http: TestClient, world: World) -> None:
    caller = world.caller()
    settings = {"purity": {"name": "clip", "params": {"temperature": 0, "templat": "a {}"}}}
    response = http.post(
        "/api/projects",
        json={"name": "p", "classes": [], "settings": settings},
        headers=caller.headers,
    )
    assert (response.status_code, response.json()["code"]) == (400, "invalid_settings")
    found = {one["field"]: (one["type"], one["ctx"]) for one in response.json()["errors"]}
    assert found == {
        "settings.purity.params.temperature": ("greater_than_equal", {"ge": 0.001}),
        "settings.purity.params.templat": ("extra_forbidden", {"nearest": "template"}),
    }


def test_catalog_lists_algorithms_with_schema_and_defaults(http: TestClient, world: World) -> None:
    assert http.get("/api/algorithms").status_code == 401
    caller = world.caller()
    listed = http.get("/api/algorithms", headers=caller.headers).json()["items"]
    found = {(item["kind"], item["name"]): item for item in listed}
    kinds = {"model", "strategy", "purity", "informativeness", "pruning", "learner", "job"}
    kinds |= {"instruction_selection"}
    assert kinds == {kind for kind, _ in found}
    mqnet = found["strategy", "mqnet"]
    assert mqnet["needs"] == ["informativeness", "purity"]
    assert (mqnet["group"], mqnet["fallback"]) == ("both", "")
    assert set(mqnet["defaults"]) == set(mqnet["params_schema"]["properties"])
    # The defaults of a new project come from the same list.
    defaults = http.get("/api/settings/defaults", headers=caller.headers).json()
    for kind in ("model", "strategy", "purity", "informativeness"):
        choice = defaults[kind]
        assert choice["params"] == found[kind, choice["name"]]["defaults"]
