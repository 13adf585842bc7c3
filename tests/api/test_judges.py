"""Judges are admins' to set up, engineers' to see, and their keys nobody's to see."""

import logging
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.lifecycle import new_job
from core.security.judge_keys import sealed_for
from core.security.sealing import KEY_FILE, Sealer
from core.settings import Settings
from core.states import JobKind, JobState, Role
from core.tables import UNANSWERED, Audit, Judge, JudgeAnswer
from tests.world import Caller, World

KEY = "sk-canary-7f3a"
URL = "https://judge.example.org/v1"


@pytest.fixture
def admin(world: World) -> Caller:
    return world.caller()


def add(http: TestClient, caller: Caller, **body: Any) -> dict[str, Any]:
    asked = {"name": "Judy", "base_url": f"{URL}/", "model": "tiny", "key": KEY, **body}
    response = http.post("/api/judges", json=asked, headers=caller.headers)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def test_a_key_is_sealed_and_never_shown(
    http: TestClient,
    world: World,
    admin: Caller,
    installation: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    made = add(http, admin, price_in=0.5)
    assert (made["base_url"], made["has_key"], made["price_in"], made["trial"]) == (
        URL, True, 0.5, None,
    )  # fmt: skip
    row = world.session.get_one(Judge, made["id"])
    assert row.key_sealed is not None
    assert KEY.encode() not in row.key_sealed
    assert Sealer.of(installation).open(row.key_sealed, sealed_for(URL)) == KEY
    assert (Path(installation.data_dir) / KEY_FILE).stat().st_mode & 0o077 == 0
    path = f"/api/judges/{made['id']}"
    http.patch(path, json={"key": KEY + "2", "concurrency": 2}, headers=admin.headers)
    refused = http.post("/api/judges", json={"name": "x", "key": KEY + " é"}, headers=admin.headers)
    assert refused.status_code == 422
    engineer = world.caller(Role.ENGINEER)
    shown = http.get("/api/judges", headers=engineer.headers)
    assert [one["name"] for one in shown.json()["items"]] == ["Judy"]
    audits = world.session.scalars(select(Audit).order_by(Audit.id)).all()
    assert [(one.object_type, one.verb) for one in audits] == [
        ("judge", "create"), ("judge", "update"),
    ]  # fmt: skip
    assert audits[1].detail["fields"] == ["concurrency", "key"]
    written = "".join(str(one.detail) for one in audits)
    said = shown.text + refused.text + str(made) + written + caplog.text
    assert "canary" not in said
    assert http.patch(path, json={"key": None}, headers=admin.headers).json()["has_key"] is False


def test_a_key_does_not_follow_the_judge_to_another_server(
    http: TestClient, world: World, admin: Caller, installation: Settings
) -> None:
    path = f"/api/judges/{add(http, admin)['id']}"
    elsewhere = {"base_url": "https://elsewhere.example.org/v1"}
    refused = http.patch(path, json=elsewhere, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "key_required")
    moved = http.patch(path, json={"base_url": f"{URL}/v2"}, headers=admin.headers)
    assert (moved.status_code, moved.json()["has_key"]) == (200, True)
    given = http.patch(path, json={**elsewhere, "key": "sk-other"}, headers=admin.headers)
    assert given.json()["base_url"] == elsewhere["base_url"]
    world.session.expire_all()
    row = world.session.scalars(select(Judge)).one()
    assert row.key_sealed is not None
    sealed = Sealer.of(installation)
    assert sealed.open(row.key_sealed, sealed_for(elsewhere["base_url"])) == "sk-other"


def test_what_cannot_be_asked_is_refused_by_field(http: TestClient, admin: Caller) -> None:
    add(http, admin)
    for body, status, code, field in (
        ({"base_url": "http://169.254.169.254/v1"}, 400, "address_not_allowed", "base_url"),
        ({"base_url": "http://localhost:11434/v1"}, 400, "address_not_allowed", "base_url"),
        ({"base_url": "https://ada:secret@a.org/"}, 422, "malformed", "base_url"),
        ({"base_url": "https://a.org/v1?key=1"}, 422, "malformed", "base_url"),
        ({"base_url": "file:///etc/passwd"}, 422, "malformed", "base_url"),
        ({"name": "Judy"}, 409, "name_taken", "name"),
        ({"concurrency": 0}, 422, "malformed", "concurrency"),
        ({"price_in": -1}, 422, "malformed", "price_in"),
    ):
        asked = {"name": "B", "base_url": URL, "model": "tiny", **body}
        answer = http.post("/api/judges", json=asked, headers=admin.headers)
        told = (answer.status_code, answer.json()["code"], answer.json()["field"])
        assert told == (status, code, field), body
    local = {"name": "C", "base_url": "http://127.0.0.1:8000/v1", "model": "tiny"}
    said = http.post("/api/judges", json=local, headers=admin.headers).json()["detail"]
    assert "KARAT_JUDGE_ALLOW" in said


def test_one_that_a_job_asks_stays(http: TestClient, world: World, admin: Caller) -> None:
    judge = add(http, admin)["id"]
    project = world.project()
    job = new_job(JobKind.PRUNE, project_id=project.id, params={"judge_id": judge})
    world.session.add(job)
    world.session.commit()
    path = f"/api/judges/{judge}"
    refused = http.delete(path, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "judge_in_use")
    assert f"Job {job.id}" in refused.json()["detail"]
    http.post(f"/api/jobs/{job.id}/cancel", headers=admin.headers)
    assert http.delete(path, headers=admin.headers).status_code == 204
    assert http.get(path, headers=admin.headers).status_code == 404


def test_one_whose_answers_a_retry_goes_on_from_stays(
    http: TestClient, world: World, admin: Caller
) -> None:
    judge, silent = add(http, admin)["id"], add(http, admin, name="Silent")["id"]
    job = new_job(JobKind.SELECT_INSTRUCTIONS, project_id=world.project().id, params={})
    world.session.add(job)
    world.session.flush()
    for key, of, finish in ((bytes(32), judge, "stop"), (bytes(31) + b"1", silent, UNANSWERED)):
        world.session.add(
            JudgeAnswer(
                key=key, judge_id=of, job_id=job.id, content="[1]", finish=finish,
                tokens_in=1, tokens_out=1,
            )
        )  # fmt: skip
    job.state = JobState.FAILED
    world.session.commit()
    assert http.delete(f"/api/judges/{silent}", headers=admin.headers).status_code == 204
    path = f"/api/judges/{judge}"
    refused = http.delete(path, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "judge_in_use")
    assert "retry and cancel" in refused.json()["detail"]
    for verb in ("retry", "cancel"):
        assert http.post(f"/api/jobs/{job.id}/{verb}", headers=admin.headers).status_code < 300
    assert http.delete(path, headers=admin.headers).status_code == 204
