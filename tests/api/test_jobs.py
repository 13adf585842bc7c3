"""Jobs: who sees them, what can be cancelled and what can be retried."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.jobs import queue
from core.lifecycle import claim_job, finish_job, move_round, new_job
from core.rounds import close
from core.settings import Settings
from core.states import JobKind, JobState, ProjectState, Role, RoundState
from core.tables import Job, Project, Worker
from tests.world import Caller, World
from workers.jobs.context import JobContext


def add_job(world: World, project: Project, state: JobState = JobState.QUEUED) -> Job:
    job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params={})
    job.attempt = 0
    if state is not JobState.QUEUED:
        claim_job(job, "test")
    if state not in {JobState.QUEUED, JobState.RUNNING}:
        error = {"code": "internal", "detail": "Boom."} if state is JobState.FAILED else None
        finish_job(job, state, error=error, message="Said at the end.")
    world.session.add(job)
    world.session.commit()
    return job


def act(http: TestClient, job: Job, caller: Caller, verb: str) -> Any:
    return http.post(f"/api/jobs/{job.id}/{verb}", headers=caller.headers)


def listed(http: TestClient, caller: Caller, **query: Any) -> list[int]:
    response = http.get("/api/jobs", params=query, headers=caller.headers)
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]


def test_jobs_are_listed_newest_first_in_pages_and_by_filter(
    http: TestClient, world: World
) -> None:
    one, two = world.project(), world.project()
    jobs = [add_job(world, one), add_job(world, two), add_job(world, one, JobState.FAILED)]
    first, second, third = (job.id for job in jobs)
    admin = world.caller()
    assert listed(http, admin) == [third, second, first]
    assert listed(http, admin, project_id=one.id) == [third, first]
    assert listed(http, admin, state="failed") == [third]
    assert listed(http, admin, kind="advance_round") == []
    assert listed(http, admin, limit=2) == [third, second]
    page = http.get("/api/jobs?limit=2", headers=admin.headers).json()
    assert listed(http, admin, limit=2, cursor=page["next_cursor"]) == [first]


def test_engineers_see_the_jobs_of_their_projects_only(http: TestClient, world: World) -> None:
    mine, theirs = world.project(), world.project()
    own, foreign = add_job(world, mine), add_job(world, theirs)
    engineer = world.caller(Role.ENGINEER, mine)
    assert listed(http, engineer) == [own.id]
    for response in (
        http.get(f"/api/jobs/{foreign.id}", headers=engineer.headers),
        act(http, foreign, engineer, "cancel"),
        act(http, foreign, engineer, "retry"),
    ):
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
        assert "job" in response.json()["detail"]


def test_annotators_have_no_business_with_jobs(http: TestClient, world: World) -> None:
    project = world.project()
    job, annotator = add_job(world, project), world.caller(Role.ANNOTATOR, project)
    assert http.get("/api/jobs", headers=annotator.headers).json()["items"] == []
    for response, code in (
        (http.get(f"/api/jobs/{job.id}", headers=annotator.headers), "reviewer_required"),
        (act(http, job, annotator, "cancel"), "manager_required"),
    ):
        assert (response.status_code, response.json()["code"]) == (403, code)


def test_a_part_is_cancelled_and_tried_again_with_the_whole(http: TestClient, world: World) -> None:
    whole, admin = add_job(world, world.project(), JobState.RUNNING), world.caller()
    part = new_job(JobKind.SCORE_PART, project_id=whole.project_id, params={}, parent_id=whole.id)
    world.session.add(part)
    world.session.commit()
    for verb in ("cancel", "retry"):
        refused = act(http, part, admin, verb)
        assert (refused.status_code, refused.json()["code"]) == (409, "job_is_part")
        assert f"part of job {whole.id}" in refused.json()["detail"]
    shown = http.get("/api/admin/workers", headers=admin.headers).json()["jobs"]
    assert {one["id"]: one["parent_id"] for one in shown} == {whole.id: None, part.id: whole.id}


def test_queued_job_is_cancelled_at_once(http: TestClient, world: World) -> None:
    job, admin = add_job(world, world.project()), world.caller()
    cancelled = act(http, job, admin, "cancel").json()
    assert (cancelled["state"], cancelled["cancel_requested"]) == ("cancelled", False)
    assert cancelled["finished_at"] is not None


def test_running_job_is_asked_to_stop(http: TestClient, world: World) -> None:
    job, admin = add_job(world, world.project(), JobState.RUNNING), world.caller()
    for _ in range(2):
        asked = act(http, job, admin, "cancel").json()
        assert (asked["state"], asked["cancel_requested"]) == ("running", True)
    retried = act(http, job, admin, "retry")
    assert (retried.status_code, retried.json()["code"]) == (409, "job_running")


@pytest.mark.parametrize("state", [JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED])
def test_ended_job_cannot_be_cancelled(http: TestClient, world: World, state: JobState) -> None:
    job, admin = add_job(world, world.project(), state), world.caller()
    response = act(http, job, admin, "cancel")
    assert (response.status_code, response.json()["code"]) == (409, f"job_{state}")
    ended = "was cancelled" if state is JobState.CANCELLED else f"has {state}"
    assert f"The job {ended} already" in response.json()["detail"]


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED])
def test_retried_job_starts_with_a_clean_record(
    http: TestClient, world: World, state: JobState
) -> None:
    job, admin = add_job(world, world.project(), state), world.caller()
    job.cancel_requested = True
    job.started_at = job.finished_at = datetime(2026, 1, 1, tzinfo=UTC)
    world.session.commit()
    retried = act(http, job, admin, "retry").json()
    assert retried["state"] == "queued"
    assert not retried["cancel_requested"]
    cleared = ("error", "message", "started_at", "finished_at")
    assert [retried[name] for name in cleared] == [None] * 4
    assert queue.waiting("cpu") == 1


def test_a_last_round_is_learned_from_as_is_chosen_now_and_says_who_chose_its_queue(
    http: TestClient, world: World
) -> None:
    admin = world.caller()
    project = world.project(images=4, state=ProjectState.RUNNING, max_rounds=2)
    round_ = world.open_round(project, 4, number=1)
    chosen = round_.strategy
    _, job = close(project, round_, None)
    world.session.add(job)
    world.session.flush()
    round_.job_id = job.id
    claim_job(job, "test")
    finish_job(job, JobState.FAILED, error={"code": "internal", "detail": "Boom."})
    move_round(round_, RoundState.FAILED)
    world.session.commit()
    changes = {"strategy": {"name": "random"}, "model": {"name": "cnn_tiny"}}
    url = f"/api/projects/{project.id}"
    assert http.patch(url, json={"settings": changes}, headers=admin.headers).status_code == 200
    assert act(http, job, admin, "retry").status_code == 200
    world.session.expire_all()
    assert (round_.state, round_.strategy) == (RoundState.CLOSING, chosen)
    assert chosen != "random"
    assert round_.settings["model"]["name"] == "cnn_tiny"


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.SUCCEEDED])
def test_nothing_to_retry(http: TestClient, world: World, state: JobState) -> None:
    job, admin = add_job(world, world.project(), state), world.caller()
    response = act(http, job, admin, "retry")
    assert (response.status_code, response.json()["code"]) == (409, f"job_{state}")
    assert queue.waiting("cpu") == 0


def said(http: TestClient, caller: Caller, job: Job) -> str | None:
    """What a job waits for, which is the same wherever it is shown."""
    shown = http.get(f"/api/jobs/{job.id}", headers=caller.headers).json()
    found = http.get("/api/jobs", headers=caller.headers).json()["items"]
    messages = {shown["message"], *(one["message"] for one in found if one["id"] == job.id)}
    active = http.get("/api/admin/workers", headers=caller.headers).json()["jobs"]
    messages |= {one["message"] for one in active if one["id"] == job.id}
    (message,) = messages
    return None if message is None else str(message)


def test_a_job_says_what_it_waits_for(http: TestClient, world: World) -> None:
    admin = world.caller()
    project, ago = world.project(), datetime.now(UTC) - timedelta(minutes=5)

    def queued(kind: JobKind, minutes: int) -> Job:
        job = new_job(kind, project_id=project.id, params={})
        job.attempt, job.sent_at = 0, ago + timedelta(minutes=minutes)
        world.session.add(job)
        world.session.commit()
        return job

    first, second, third = (queued(JobKind.PRUNE, minutes) for minutes in range(3))
    imported = queued(JobKind.IMPORT_POOL, 0)
    none = "Waits for a worker of the queue gpu, and none is running: the page Workers tells an "
    assert said(http, admin, second) == f"{none}admin how to start one."
    assert "queue cpu, and none" in str(said(http, admin, imported))
    # A worker that is being started says so within seconds.
    assert said(http, admin, queued(JobKind.PRUNE, 5)) is None

    worker = Worker(name="gpu-1", host="here", pid=1, queues=["gpu"])
    world.session.add(worker)
    world.session.commit()
    # The first is about to be taken; another queue is no business of this one.
    assert said(http, admin, first) is None
    assert said(http, admin, second) == ("Waits for its turn, with one job before it.")
    claim_job(first, "here:1")
    part = new_job(JobKind.SCORE_PART, project_id=project.id, params={}, parent_id=first.id)
    world.session.add(part)
    world.session.commit()
    assert said(http, admin, third) == ("Waits for its turn, with 2 jobs before it.")
    # What was sent this moment is on its way.
    third.sent_at = datetime.now(UTC)
    # A worker has looked at this one, and knows better.
    second.message = f"Waits for job {first.id} of this project to end."
    world.session.commit()
    assert said(http, admin, third) is None
    assert said(http, admin, second) == second.message
    worker.heartbeat_at = third.sent_at = ago
    world.session.commit()
    assert "none is running" in str(said(http, admin, third))
    assert said(http, admin, first) is None


def test_an_import_is_told_how_many_take_turns_with_it(http: TestClient, world: World) -> None:
    admin, ago = world.caller(), datetime.now(UTC) - timedelta(minutes=5)
    world.session.add(Worker(name="cpu-1", host="here", pid=1, queues=["cpu"]))
    jobs = []
    for minutes, kind in enumerate([JobKind.PRUNE, *[JobKind.IMPORT_POOL] * 3]):
        job = new_job(kind, project_id=world.project().id, params={})
        job.attempt, job.sent_at = 0, ago + timedelta(minutes=minutes)
        world.session.add(job)
        world.session.commit()
        jobs.append(job)
    _, first, second, third = jobs
    waits = "Waits for its turn among the imports, of which"
    # The first of the queue may be the last to be served, so each is told the same.
    for job in (first, second, third):
        assert said(http, admin, job) == f"{waits} 2 others run or wait."
    claim_job(second, "here:1")
    # It waits for another of its project, and takes no turn.
    third.message = f"Waits for job {second.id} of this project to end."
    world.session.commit()
    assert said(http, admin, first) == f"{waits} one other runs or waits."


def test_progress_is_shown_as_the_worker_reports_it(
    http: TestClient, world: World, installation: Settings
) -> None:
    job, admin = add_job(world, world.project(), JobState.RUNNING), world.caller()
    path = f"/api/jobs/{job.id}"
    assert http.get(path, headers=admin.headers).json()["progress"] is None
    context = JobContext(job, installation)
    context.plan(["embed", "train"], {"train": 2.0})
    with context.phase("embed"):
        context.progress(0, 4)
        context.progress(1, 4)
        context.beat()
    shown = http.get(path, headers=admin.headers).json()["progress"]
    assert (shown["phase"], shown["phase_index"], shown["phases"]) == (
        "embed",
        0,
        ["embed", "train"],
    )
    assert (shown["step"], shown["steps"]) == (1, 4)
    assert shown["eta_seconds"] >= 2.0
    context.progress(0, 0, "train")
    context.beat()
    shown = http.get(path, headers=admin.headers).json()["progress"]
    assert list(shown["seconds"]) == ["embed"]
