"""Rounds as engineers see them, and closing one early."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.jobs import queue
from core.states import ProjectState, Role, RoundState
from core.tables import Job, Project, Round
from tests.api.test_labeling import lease, running, send, verdict
from tests.world import Caller, World


def rounds(http: TestClient, project: Project, caller: Caller) -> list[dict[str, Any]]:
    response = http.get(f"/api/projects/{project.id}/rounds", headers=caller.headers)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["items"]
    return found


def act(http: TestClient, project: Project, caller: Caller, verb: str, number: int = 0) -> Any:
    return http.post(f"/api/projects/{project.id}/rounds/{number}/{verb}", headers=caller.headers)


def test_corrected_answers_count_as_what_they_were_corrected_to(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=8, queries=8, seed=5), world.caller()
    cat = world.classes(project)[0].id
    ids = [item["query_id"] for item in lease(http, admin, project, 6)["items"]]
    wrong = verdict(ids[0])
    send(
        http,
        admin,
        project,
        wrong,
        *(verdict(query, "label", class_id=cat) for query in ids[1:3]),
        verdict(ids[3]),
        verdict(ids[4], "unsure"),
        verdict(ids[5], "skip"),
    )
    corrected = verdict(ids[0], "label", class_id=cat, supersedes=wrong["key"])
    send(http, admin, project, corrected)
    (shown,) = rounds(http, project, admin)
    assert shown["answered"] == {
        "label": 3,
        "no_objects": 0,
        "ood": 1,
        "skip": 1,
        "unsure": 1,
        "class": 3,
    }
    assert shown["in_share"] == 0.75
    assert (shown["number"], shown["state"], shown["strategy"]) == (0, "open", "random")
    assert (shown["queries"], shown["spent"], shown["budget"]) == (8, 5, 100)
    assert shown["accuracy"] is None
    single = http.get(f"/api/projects/{project.id}/rounds/0", headers=admin.headers)
    assert single.json() == shown


def test_late_answers_are_not_among_the_answered(http: TestClient, world: World) -> None:
    project, admin = running(world), world.caller()
    colleague = world.caller(Role.ANNOTATOR, project)
    query = lease(http, admin, project, 1)["items"][0]["query_id"]
    send(http, colleague, project, verdict(query))
    send(http, admin, project, verdict(query, "unsure"))
    (shown,) = rounds(http, project, admin)
    assert shown["answered"] == {
        "label": 0,
        "no_objects": 0,
        "ood": 1,
        "skip": 0,
        "unsure": 0,
        "class": 0,
    }
    assert shown["in_share"] == 0


def test_engineer_closes_a_round_early(http: TestClient, world: World) -> None:
    project = running(world)
    engineer = world.caller(Role.ENGINEER, project)
    response = act(http, project, engineer, "close")
    assert response.status_code == 200
    closed = response.json()
    job = world.session.scalars(select(Job)).one()
    assert (closed["state"], closed["job_id"]) == ("closing", job.id)
    assert closed["closing_at"] is not None
    assert job.params == {"closing": 0, "selecting": 1}
    assert queue.waiting("gpu") == 1
    assert [(item["number"], item["state"]) for item in rounds(http, project, engineer)] == [
        (0, "closing"),
        (1, "selecting"),
    ]
    again = act(http, project, engineer, "close")
    assert (again.status_code, again.json()["code"]) == (409, "round_closing")
    following = act(http, project, engineer, "close", 1)
    assert (following.status_code, following.json()["code"]) == (409, "round_selecting")
    assert act(http, project, engineer, "close", 2).status_code == 404


@pytest.mark.parametrize("state", [RoundState.CLOSED, RoundState.FAILED, RoundState.SELECTING])
def test_only_an_open_round_is_closed(http: TestClient, world: World, state: RoundState) -> None:
    project, admin = running(world), world.caller()
    world.session.scalars(select(Round)).one().state = state
    world.session.commit()
    response = http.post(f"/api/projects/{project.id}/rounds/0/close", headers=admin.headers)
    assert (response.status_code, response.json()["code"]) == (409, f"round_{state}")
    assert world.session.scalars(select(Job)).all() == []


def test_last_round_is_followed_by_none(http: TestClient, world: World) -> None:
    project, admin = running(world, max_rounds=1), world.caller()
    assert act(http, project, admin, "close").status_code == 200
    assert [item["number"] for item in rounds(http, project, admin)] == [0]
    assert world.session.scalars(select(Job.params)).all() == [{"closing": 0, "selecting": None}]


def test_annotators_neither_see_nor_close_rounds(http: TestClient, world: World) -> None:
    project = running(world)
    annotator = world.caller(Role.ANNOTATOR, project)
    path = f"/api/projects/{project.id}/rounds"
    for response, code in (
        (http.get(path, headers=annotator.headers), "reviewer_required"),
        (http.get(f"{path}/0", headers=annotator.headers), "reviewer_required"),
        (act(http, project, annotator, "close"), "manager_required"),
        (act(http, project, annotator, "retry"), "manager_required"),
    ):
        assert (response.status_code, response.json()["code"]) == (403, code)
    assert world.session.scalar(select(Round.state)) is RoundState.OPEN


@pytest.mark.parametrize("through", ["round", "job"])
def test_round_whose_job_was_cancelled_fails_and_is_retried(
    http: TestClient, world: World, through: str
) -> None:
    project, admin = running(world), world.caller()
    not_failed = act(http, project, admin, "retry")
    assert (not_failed.status_code, not_failed.json()["code"]) == (409, "round_open")
    job_id = act(http, project, admin, "close").json()["job_id"]
    job = f"/api/jobs/{job_id}"
    assert http.post(f"{job}/cancel", headers=admin.headers).json()["state"] == "cancelled"
    states = [item["state"] for item in rounds(http, project, admin)]
    assert states == ["failed", "selecting"]
    if through == "round":
        assert act(http, project, admin, "retry").json()["state"] == "closing"
    else:
        assert http.post(f"{job}/retry", headers=admin.headers).status_code == 200
    states = [item["state"] for item in rounds(http, project, admin)]
    assert states == ["closing", "selecting"]
    assert http.get(job, headers=admin.headers).json()["state"] == "queued"
    assert queue.waiting("gpu") == 2


def test_first_selection_that_was_cancelled_is_retried(http: TestClient, world: World) -> None:
    project, admin = world.project(images=2), world.caller()
    assert http.post(f"/api/projects/{project.id}/start", headers=admin.headers).status_code == 200
    job_id = world.session.scalar(select(Job.id))
    http.post(f"/api/jobs/{job_id}/cancel", headers=admin.headers)
    assert [item["state"] for item in rounds(http, project, admin)] == ["failed"]
    retried = http.post(f"/api/jobs/{job_id}/retry", headers=admin.headers)
    assert retried.json()["state"] == "queued"
    assert [item["state"] for item in rounds(http, project, admin)] == ["selecting"]
    world.session.refresh(project)
    assert project.state is ProjectState.RUNNING
