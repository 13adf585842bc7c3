"""What operators see: metrics, ids of requests, logs, and when the service is not ready."""

import json
import logging
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from sqlalchemy import text

from api.main import create_app
from core.lifecycle import claim_job, finish_job, new_job
from core.settings import Settings
from core.states import JobKind, JobState, ProjectState, Role
from core.tables import Worker
from core.telemetry import logs
from migrations import ready
from migrations.locks import LOCK
from tests.world import World

HERE = ("127.0.0.1", 50_000)
Samples = dict[tuple[str, ...], float]


@contextmanager
def client(settings: Settings, address: tuple[str, int] = HERE) -> Iterator[TestClient]:
    with TestClient(create_app(settings), client=address, raise_server_exceptions=False) as made:
        yield made


def scraped(http: TestClient) -> Samples:
    """Samples by name and the values of their labels, those in order of the labels' names."""
    response = http.get("/metrics")
    assert response.status_code == 200, response.text
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def test_labeling_and_jobs_are_counted(world: World, installation: Settings) -> None:
    project = world.project(images=9, state=ProjectState.RUNNING)
    world.open_round(project, 8)
    job = new_job(JobKind.PRUNE, project_id=project.id, params={})
    world.session.add(job)
    world.session.flush()
    claim_job(job, "worker:1")
    finish_job(job, JobState.SUCCEEDED)
    gone = datetime.now(UTC) - timedelta(minutes=5)
    for name, queues, more in (
        ("gpu", ["gpu"], {}),
        ("cpu", ["cpu", "judge"], {}),
        ("web", ["web"], {"heartbeat_at": gone}),
        ("scheduler", [], {}),
    ):
        world.session.add(Worker(name=name, host="here", pid=1, queues=queues, **more))
    world.session.commit()
    headers = world.caller(Role.ANNOTATOR, project).headers
    base = f"/api/projects/{project.id}/labeling"
    with client(installation) as http:
        leased = http.post(
            f"{base}/lease", json={"n": 3, "client": str(uuid.uuid4())}, headers=headers
        )
        answers = [
            {
                "key": str(uuid.uuid4()),
                "query_id": one["query_id"],
                "verdict": verdict,
                "seconds": 1,
            }
            for one, verdict in zip(leased.json()["items"], ["ood", "ood", "skip"], strict=True)
        ]
        for _ in range(2):
            sent = http.post(f"{base}/answers", json={"answers": answers}, headers=headers)
            assert sent.status_code == 200
        http.get("/api/nothing/here")
        found = scraped(http)
    assert found["karat_answers_total", "accepted", "ood"] == 2
    assert found["karat_answers_total", "accepted", "skip"] == 1
    assert found["karat_answers_total", "duplicate", "ood"] == 2
    assert found["karat_lease_seconds_count",] == 1
    route = "/api/projects/{project_id}/labeling/answers"
    assert found["karat_http_request_seconds_count", "POST", route, "200"] == 2
    assert found["karat_open_queries",] == 5
    assert found["karat_jobs", "prune", "succeeded"] == 1
    assert found["karat_job_seconds_count", "prune"] == 1
    assert found["karat_job_seconds_bucket", "prune", "1.0"] == 1
    assert found["karat_queue_messages", "gpu"] == 0
    alive = {key[1]: value for key, value in found.items() if key[0] == "karat_workers"}
    assert alive == {
        "gpu": 1, "cpu": 1, "judge": 1, "web": 0, "housekeeping": 0, "scheduler": 1,
    }  # fmt: skip
    assert found["karat_database_connections", "most"] == installation.database_pool
    # No id of anything is a label: there would be a series for each.
    assert not any(str(project.id) in "".join(key).split("/") for key in found)


@pytest.mark.parametrize(
    ("address", "headers", "allowed"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("192.0.2.7", {}, False),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, False),
        ("192.0.2.7", {"Authorization": "Bearer open sesame"}, True),
        ("192.0.2.7", {"Authorization": "Bearer close sesame"}, False),
    ],
)
def test_metrics_are_for_this_machine_or_for_the_token(
    installation: Settings, address: str, headers: dict[str, str], allowed: bool
) -> None:
    opened = installation.model_copy(update={"metrics_token": SecretStr("open sesame")})
    with client(opened, (address, 50_000)) as http:
        response = http.get("/metrics", headers=headers)
    assert response.status_code == (200 if allowed else 403)


def test_every_response_has_the_id_of_its_request(installation: Settings) -> None:
    app = create_app(installation)

    @app.get("/api/broken")
    async def broken() -> None:
        raise RuntimeError("broken")

    # Before the routes of the pages, which answer whatever no other does.
    app.router.routes.insert(0, app.router.routes.pop())

    with TestClient(app, raise_server_exceptions=False) as http:
        mine = http.get("/healthz", headers={"X-Request-ID": "mine-1"})
        assert mine.headers["x-request-id"] == "mine-1"
        made = {http.get("/healthz").headers["x-request-id"] for _ in range(3)}
        assert len(made) == 3
        odd = http.get("/healthz", headers={"X-Request-ID": "a b"})
        assert odd.headers["x-request-id"] != "a b"
        bug = http.get("/api/broken", headers={"X-Request-ID": "mine-2"})
        assert (bug.status_code, bug.headers["x-request-id"]) == (500, "mine-2")
        assert http.get("/api/auth/me").headers["x-request-id"]


def test_logs_say_nothing_of_each_message(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This process has logs of its own.
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    caplog.set_level(logging.INFO)
    logs.configure("text")
    names = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
    assert {logging.getLogger(name).isEnabledFor(logging.INFO) for name in names} == {False}
    assert {logging.getLogger(name).isEnabledFor(logging.WARNING) for name in names} == {True}


def test_lines_of_the_log_name_the_request_or_the_job() -> None:
    record = logging.LogRecord("karat", logging.WARNING, "", 0, "lost %s", ("it",), None)
    known, job = logs.request_id.set("mine"), logs.job_id.set(7)
    try:
        line = json.loads(logs.JsonFormatter().format(record))
        plain = logs.TextFormatter().format(record)
    finally:
        logs.request_id.reset(known)
        logs.job_id.reset(job)
    assert (line["level"], line["message"]) == ("warning", "lost it")
    assert (line["request_id"], line["job_id"]) == ("mine", 7)
    assert plain.endswith("WARNING karat: lost it [request mine] [job 7]")
    try:
        raise ValueError("a\nb")
    except ValueError as error:
        record.exc_info = (type(error), error, error.__traceback__)
    text_ = logs.JsonFormatter().format(record)
    assert "\n" not in text_
    assert "ValueError" in json.loads(text_)["traceback"]


def test_ready_with_our_schema_or_a_later_one_and_storage(
    world: World, installation: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", installation.database_url)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with client(installation.model_copy(update={"data_dir": blocked / "data"})) as http:
        assert http.get("/readyz").json()["code"] == "storage_unavailable"
    shutil.rmtree(installation.data_dir, ignore_errors=True)
    with client(installation) as http:
        assert http.get("/readyz").status_code == 200
        world.session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        world.session.commit()
        assert http.get("/readyz").json()["code"] == "schema_outdated"
        with pytest.raises(SystemExit, match="has schema 0001"):
            ready.main()
        world.session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        world.session.commit()
        newer = http.get("/readyz")
        assert (newer.status_code, newer.json()) == (200, {"status": "schema_newer"})
        ready.main()
    world.session.execute(text("CREATE SCHEMA karat_replaced"))
    world.session.commit()
    with pytest.raises(SystemExit, match="karat restore --unfinished before"):
        ready.main()
    world.session.execute(text("DROP SCHEMA karat_replaced"))
    world.session.commit()
    world.session.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    with pytest.raises(SystemExit, match="is at work"):
        ready.main()
