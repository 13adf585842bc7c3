"""What the label page says while there is no image."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from core.lifecycle import new_job
from core.rounds import REFINING
from core.states import JobKind, JobState, Role, RoundState
from core.tables import Job, Project, Round, Worker
from tests.api.test_labeling import lease, running, send, url, verdict
from tests.world import Caller, World
from workers.advance.handler import FIRST_PHASES

PROGRESS: dict[str, Any] = {
    "phase": "train",
    "phase_index": 2,
    "phases": ["snapshot", "meta_train", "train", "evaluate"],
    "step": 3,
    "steps": 10,
    "eta_seconds": 42.0,
    "seconds": {"snapshot": 0.5},
}


def between(http: TestClient, caller: Caller, project: Project) -> Any:
    response = http.get(url(project, "between"), headers=caller.headers)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_closing_round_tells_its_phase_what_is_next_and_what_i_did(
    http: TestClient, world: World
) -> None:
    project = running(world, images=8, queries=4, budget=4, zero_wait=False)
    one, two = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    cat, _ = world.classes(project)
    items = lease(http, one, project, 4)["items"]
    said = [
        verdict(items[0]["query_id"], "label", class_id=cat.id),
        verdict(items[1]["query_id"], "ood"),
        verdict(items[2]["query_id"], "unsure"),
    ]
    send(http, one, project, *said)
    # A corrected answer counts once.
    send(http, one, project, verdict(items[0]["query_id"], "ood", supersedes=said[0]["key"]))
    open_ = between(http, one, project)
    assert (open_["round"]["state"], open_["next"], open_["progress"]) == ("open", None, None)
    send(http, one, project, verdict(items[3]["query_id"], "label", class_id=cat.id))

    world.session.execute(update(Job).values(state=JobState.RUNNING, progress=PROGRESS))
    world.session.commit()
    found = between(http, one, project)
    assert (found["round"]["number"], found["round"]["state"]) == (0, "closing")
    assert (found["next"]["number"], found["next"]["budget"]) == (1, 4)
    assert found["progress"] == PROGRESS
    assert found["job_id"] is not None
    assert found["mine"] == {"answers": 4, "inside": 1, "ood": 2, "median_seconds": 1.5}
    assert between(http, two, project)["mine"]["answers"] == 0


def test_a_round_whose_job_has_not_begun_says_what_keeps_it(http: TestClient, world: World) -> None:
    project = running(world, images=8, queries=4, budget=4, zero_wait=False)
    ada = world.caller(Role.ANNOTATOR, project)
    assert between(http, ada, project)["waits"] is None
    for item in lease(http, ada, project, 4)["items"]:
        send(http, ada, project, verdict(item["query_id"], "ood"))
    ago = datetime.now(UTC) - timedelta(minutes=5)
    world.session.execute(update(Job).values(sent_at=ago))
    world.session.commit()
    admin = world.caller()
    # Annotators are not told of workers and other jobs, but whom to tell.
    nobody = "Nothing on the server works on this just now. Tell an admin: "
    assert between(http, ada, project)["waits"] == f"{nobody}{admin.user.name}."
    assert "a worker of the queue gpu" in between(http, admin, project)["waits"]
    (mine,) = http.get("/api/home", headers=ada.headers).json()["projects"]
    assert mine["waits"].startswith(nobody)
    world.session.execute(update(Job).values(message="Waits for job 17 of this project to end."))
    world.session.commit()
    plain = "Waits for something else, and goes on by itself."
    assert between(http, ada, project)["waits"] == plain
    assert "job 17" in between(http, admin, project)["waits"]
    world.session.execute(update(Job).values(message=None))
    busy = new_job(JobKind.PRUNE, project_id=world.project().id, params={})
    busy.attempt, busy.state, busy.sent_at = 1, JobState.RUNNING, ago
    worker = Worker(name="gpu-1", host="here", pid=1, queues=["gpu"])
    world.session.add_all([busy, worker])
    world.session.commit()
    said = "Waits for its turn, with one job before it."
    assert between(http, ada, project)["waits"] == said
    (mine,) = http.get("/api/home", headers=ada.headers).json()["projects"]
    assert (mine["waiting_for"], mine["waits"]) == ("training", said)
    world.session.execute(update(Job).values(state=JobState.RUNNING))
    world.session.commit()
    assert between(http, ada, project)["waits"] is None
    (mine,) = http.get("/api/home", headers=ada.headers).json()["projects"]
    assert (mine["waiting_for"], mine["waits"]) == ("training", None)


def test_a_failed_round_names_who_can_help_and_tells_only_them_why(
    http: TestClient, world: World
) -> None:
    project = running(world, images=8, queries=4, budget=4, zero_wait=False)
    mina = world.caller(Role.ANNOTATOR, project)
    admin = world.caller()
    for item in lease(http, mina, project, 4)["items"]:
        send(http, mina, project, verdict(item["query_id"], "ood"))
    assert between(http, mina, project)["failure"] is None
    failed = {"code": "no_weights", "detail": "It has no weights."}
    world.session.execute(update(Job).values(state=JobState.FAILED, error=failed))
    world.session.execute(update(Round).where(Round.number == 0).values(state=RoundState.FAILED))
    world.session.commit()

    # The round after it has begun, and waits for it; nothing comes by itself.
    waiting = lease(http, mina, project)["status"]
    assert (waiting["round"]["state"], waiting["waiting_for"]) == ("selecting", "failed")
    home = http.get("/api/home", headers=mina.headers).json()
    assert home["projects"][0]["waiting_for"] == "failed"
    found = between(http, mina, project)["failure"]
    assert found == {"number": 0, "tell": [admin.user.name], "job_id": None, "detail": None}
    theo = world.caller(Role.ENGINEER, project)
    found = between(http, theo, project)["failure"]
    assert (found["tell"], found["detail"]) == ([theo.user.name], failed["detail"])
    assert http.post(f"/api/jobs/{found['job_id']}/retry", headers=theo.headers).is_success
    assert between(http, theo, project)["failure"] is None
    assert lease(http, mina, project)["status"]["waiting_for"] == "training"


@pytest.mark.parametrize(
    ("phase", "waits"), [("embed", True), ("warm_start", False), ("propose_more", False)]
)
def test_an_open_round_waits_for_help_only_with_what_something_needs(
    http: TestClient, world: World, phase: str, waits: bool
) -> None:
    assert {one.name for one in FIRST_PHASES} >= REFINING | {phase}
    project = running(world, images=8, queries=4)
    admin = world.caller()
    job = new_job(JobKind.ADVANCE_ROUND, project_id=project.id, params={"selecting": 0})
    world.session.add(job)
    world.session.flush()
    job.state, job.error = JobState.FAILED, {"code": "no_weights", "detail": "It has no weights."}
    job.progress = {**PROGRESS, "phase": phase}
    world.session.execute(update(Round).values(job_id=job.id))
    world.session.commit()
    assert (between(http, admin, project)["failure"] is not None) == waits
    shown = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()
    assert (shown["current_round"]["state"], shown["current_round"]["failed"]) == ("open", waits)


def test_strangers_see_nothing(http: TestClient, world: World) -> None:
    project = running(world)
    stranger = world.caller(Role.ANNOTATOR)
    assert http.get(url(project, "between"), headers=stranger.headers).status_code == 404
