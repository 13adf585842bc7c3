"""A file that is no part of the pool: sent, looked at by a worker, and compared with all images."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobKind, JobState, Role
from core.tables import Example, Job, Project
from tests.api.test_pool_actions import ids_of
from tests.api.test_pool_search import find, listed
from tests.processes import eventually, worker
from tests.workers.loop import Loop
from tests.workers.starting import run_here
from tests.workers.test_compare import HEAD
from tests.workers.test_learn_features import learn
from tests.world import Caller, World, png
from workers.execution.runner import run_job
from workers.look_up import handler


def send(
    http: TestClient, project: Project, caller: Caller, content: bytes, status: int = 202
) -> dict[str, Any]:
    url = f"/api/projects/{project.id}/examples/look-up"
    response = http.post(url, content=content, headers=caller.headers)
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()
    return found


def looked_up(http: TestClient, world: World, project: Project, content: bytes) -> Job:
    """The job of a file, run in this process."""
    sent = send(http, project, world.caller(), content)
    job = world.session.get_one(Job, sent["id"])
    world.session.commit()
    return run_here(world, job)


def original(world: World, project: Project, pool_index: int) -> bytes:
    example = world.session.get_one(Example, ids_of(world, project)[pool_index])
    return world.storage.image(example.content_hash).read_bytes()


def uploads(world: World) -> list[Path]:
    return [path for path in (world.storage.root / "uploads").glob("*") if path.is_file()]


def test_a_file_finds_itself_first_in_a_real_worker(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    loop, admin = Loop(world, **HEAD), world.caller()
    loop.advance(0)
    sent = send(http, loop.project, admin, original(world, loop.project, 17))
    assert (sent["kind"], sent["state"]) == ("look_up", "queued")
    url = f"/api/projects/{loop.project.id}/examples"
    early = http.get(url, params={"similar_file": sent["id"]}, headers=admin.headers)
    assert (early.status_code, early.json()["code"]) == (409, "file_not_looked_up")
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(RunJob(job_id=sent["id"], kind=JobKind.LOOK_UP))

        def done() -> bool:
            path = f"/api/jobs/{sent['id']}"
            found: str = http.get(path, headers=admin.headers).json()["state"]
            return found == JobState.SUCCEEDED

        eventually(done, "the file is looked at")
    (first, second) = listed(http, loop.project, admin, similar_file=sent["id"], limit=2)["items"]
    assert first["pool_index"] == 17
    assert first["similarity"] == pytest.approx(1, abs=1e-4) != second["similarity"]
    # What was sent is no part of the pool, and nobody keeps it.
    assert len(ids_of(world, loop.project)) == 72
    assert uploads(world) == []
    # Nobody who looks through jobs is interested in it, unless they ask.
    jobs = http.get("/api/jobs", headers=admin.headers).json()["items"]
    assert "look_up" not in {one["kind"] for one in jobs}
    asked = http.get("/api/jobs", params={"kind": "look_up"}, headers=admin.headers).json()
    assert [one["id"] for one in asked["items"]] == [sent["id"]]


def test_a_file_and_images_together_are_compared_with_their_mean(
    http: TestClient, world: World
) -> None:
    loop, admin = Loop(world, **HEAD), world.caller()
    loop.advance(0)
    ids = ids_of(world, loop.project)
    job = looked_up(http, world, loop.project, original(world, loop.project, 17))
    assert (job.state, job.error) == (JobState.SUCCEEDED, None)
    both = find(http, loop.project, admin, similar_file=job.id, similar_to=str(ids[30]))
    assert both == find(http, loop.project, admin, similar_to=f"{ids[17]},{ids[30]}")
    # Workers of before keep no more than the name of what they compare with.
    name = job.checkpoint["features"].partition("@")[0]
    job.checkpoint = {**job.checkpoint, "features": name}
    world.session.commit()
    assert both == find(http, loop.project, admin, similar_file=job.id, similar_to=str(ids[30]))
    strange = looked_up(http, world, loop.project, png(999, 40))
    rows = find(http, loop.project, admin, similar_file=strange.id, split="all")
    assert sorted(rows) == list(range(72))
    other = world.project(images=2)
    url = f"/api/projects/{other.id}/examples"
    foreign = http.get(url, params={"similar_file": job.id}, headers=admin.headers)
    assert foreign.json()["code"] in {"no_features", "not_found"}


def test_features_that_a_job_has_learned_compare_files_too(http: TestClient, world: World) -> None:
    project, admin = world.project(images=20), world.caller()
    learn(http, world, project)
    job = looked_up(http, world, project, original(world, project, 5))
    assert job.state is JobState.SUCCEEDED, job.error
    assert find(http, project, admin, similar_file=job.id)[0] == 5
    # Learned anew they are other numbers, which say nothing of those of before.
    learn(http, world, project, epochs=1)
    url = f"/api/projects/{project.id}/examples"
    stale = http.get(url, params={"similar_file": job.id}, headers=admin.headers)
    assert (stale.status_code, stale.json()["code"]) == (409, "features_changed")


def test_what_is_no_image_or_too_large_says_so_and_leaves_nothing(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, admin = Loop(world, **HEAD), world.caller()
    assert send(http, loop.project, admin, png(1, 8), 409)["code"] == "no_features"
    loop.advance(0)
    annotator = world.caller(Role.ANNOTATOR, loop.project)
    assert send(http, loop.project, annotator, png(1, 8), 403)["code"] == "reviewer_required"
    assert send(http, loop.project, admin, b"", 400)["code"] == "empty_upload"
    for content in (b"[" * 1000, b"\x89PNG\r\n\x1a\n broken", b"\xff\xd8\xff" + b"{" * 100):
        job = looked_up(http, world, loop.project, content)
        assert (job.state, (job.error or {})["code"]) == (JobState.FAILED, "not_an_image")
        assert "image" in (job.error or {})["detail"] or "corrupt" in (job.error or {})["detail"]
        assert uploads(world) == []
    monkeypatch.setattr("api.examples.looking_up.MOST_BYTES", 1000)
    assert send(http, loop.project, admin, bytes(1001), 413)["code"] == "too_large"
    assert uploads(world) == []


def test_whoever_lost_the_file_says_so(http: TestClient, world: World) -> None:
    loop, admin = Loop(world, **HEAD), world.caller()
    loop.advance(0)
    sent = send(http, loop.project, admin, png(1, 8))
    for path in uploads(world):
        path.unlink()
    run_job(RunJob(job_id=sent["id"], kind=JobKind.LOOK_UP), handler)
    job = world.session.get_one(Job, sent["id"])
    assert (job.state, (job.error or {})["code"]) == (JobState.FAILED, "upload_gone")
