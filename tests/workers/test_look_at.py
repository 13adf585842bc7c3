"""Where a round's model looks on an image: asked through the API, found by a real worker."""

from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from core.errors import NotFound
from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import new_job
from core.states import JobKind, JobState, ProjectState
from core.tables import Example, Job
from core.withdrawals import mark_withdrawn
from tests.api.test_pool_actions import ids_of
from tests.processes import eventually, worker
from tests.workers.boxed import boxed_project
from tests.workers.loop import Loop
from tests.workers.starting import run_here
from tests.world import World


def ask(
    http: TestClient, world: World, project_id: int, example_id: int, **body: Any
) -> dict[str, Any]:
    url = f"/api/projects/{project_id}/examples/{example_id}/look-at"
    response = http.post(url, json=body, headers=world.caller().headers)
    return {"status": response.status_code, **response.json()}


def looked_at(http: TestClient, world: World, loop: Loop, example_id: int, **body: Any) -> Job:
    """The job, run in this process."""
    asked = ask(http, world, loop.project.id, example_id, **body)
    assert asked["status"] == 202, asked
    job = world.session.get_one(Job, asked["id"])
    world.session.commit()
    return run_here(world, job)


def test_a_worker_shows_where_the_last_model_sees_a_class(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    loop, admin = Loop(world, input_size=16), world.caller()
    loop.advance(0)
    example = world.session.get_one(Example, ids_of(world, loop.project)[5])
    # Pictures may be wider than what models see of them.
    example.width = 24
    world.session.commit()
    asked = ask(http, world, loop.project.id, example.id)
    assert (asked["status"], asked["kind"], asked["state"]) == (202, "look_at", "queued")
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(RunJob(job_id=asked["id"], kind=JobKind.LOOK_AT))
        job = world.session.get_one(Job, asked["id"])

        def done() -> bool:
            world.session.refresh(job)
            found = job.state
            world.session.commit()
            return found not in (JobState.QUEUED, JobState.RUNNING)

        eventually(done, "the image is looked at")
    found = job.result
    assert found is not None, job.error
    assert found["round"] == 0
    assert found["predicted_class_id"] == found["class_id"]
    assert found["probability"] >= 0.5
    assert found["square"] == [4, 0, 20, 16]
    levels = [value for row in found["map"] for value in row]
    assert all(0 <= value <= 255 for value in levels)
    if found["box"] is not None:
        assert max(levels) == 255
    # The other class is seen elsewhere, and surely no more.
    (other,) = {one.id for one in loop.classes} - {found["class_id"]}
    second = looked_at(http, world, loop, example.id, class_id=other).result
    assert second is not None
    assert (second["class_id"], second["predicted_class_id"]) == (other, found["class_id"])
    assert second["probability"] <= 0.5
    # Nobody who looks through jobs is interested in it, unless they ask.
    jobs = http.get("/api/jobs", headers=admin.headers).json()["items"]
    assert "look_at" not in {one["kind"] for one in jobs}


def test_features_without_a_place_say_so(http: TestClient, world: World) -> None:
    loop = Loop(world, model={"name": "patch_kmeans", "params": {"features": 16}})
    loop.advance(0)
    job = looked_at(http, world, loop, ids_of(world, loop.project)[0])
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert "no place on the image" in job.error["detail"]
    # Of 8 px images four convolutions leave a single place.
    coarse = Loop(world)
    coarse.advance(0)
    job = looked_at(http, world, coarse, ids_of(world, coarse.project)[0])
    assert job.error is not None
    assert "a single place" in job.error["detail"]


def test_what_cannot_be_looked_at_is_refused_at_once(http: TestClient, world: World) -> None:
    loop = Loop(world)
    example = ids_of(world, loop.project)[0]
    early = ask(http, world, loop.project.id, example)
    assert (early["status"], early["code"]) == (409, "no_model")
    foreign = world.project(images=1)
    assert ask(http, world, loop.project.id, ids_of(world, foreign)[0])["status"] == 404
    strange = ask(http, world, loop.project.id, example, class_id=world.classes(foreign)[0].id)
    assert (strange["status"], strange["code"]) == (400, "unknown_class")
    boxes = boxed_project(world, images=2)
    refused = ask(http, world, boxes.id, ids_of(world, boxes)[0])
    assert (refused["status"], refused["code"]) == (409, "not_for_task")
    texts = world.texts(["one", "two"], state=ProjectState.RUNNING)
    refused = ask(http, world, texts.id, ids_of(world, texts)[0])
    assert refused["code"] == "wrong_medium"


def test_one_that_was_withdrawn_meanwhile_is_not_looked_at(world: World) -> None:
    loop = Loop(world)
    (example_id, *_) = ids_of(world, loop.project)
    params = {"example_id": example_id}
    job = new_job(JobKind.LOOK_AT, project_id=loop.project.id, params=params)
    world.session.add(job)
    world.session.execute(mark_withdrawn([example_id]))
    world.session.commit()
    run_here(world, job)
    assert job.error == {"code": "not_found", "detail": NotFound("example").detail}
