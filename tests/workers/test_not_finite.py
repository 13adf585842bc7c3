"""Scores that are not finite fail the round and name the images by the ids that people look up."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from sqlalchemy import select

from core.jobs.messages import RunJob
from core.settings import settings
from core.states import JobKind, JobState, RoundState
from core.tables import Example, Job, Worker
from models import catalog
from models.catalog.spec import Spec
from models.protocols import PoolView
from tests.workers.loop import Loop
from tests.world import World
from workers.advance import handler
from workers.execution.runner import run_job

BROKEN = {20: np.nan, 23: np.inf}
"""Pool indices, and what their purity is."""


def broken(view: PoolView, _: object) -> NDArray[np.float32]:
    """A purity that fails at some images."""
    assert view.indices is not None
    return np.array([BROKEN.get(index, 0) for index in view.indices.tolist()], dtype=np.float32)


SPEC = Spec(
    name="broken",
    kind="purity",
    title="Broken",
    summary="A plug-in.",
    target=f"{__name__}:broken",
    by_row=True,
)


@pytest.fixture(autouse=True)
def _plugged(installation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    del installation
    found = (*catalog.specs(), SPEC)
    monkeypatch.setattr(catalog, "specs", lambda: found)


def fails(world: World) -> tuple[Loop, Job]:
    """A round that closes with such a purity, in a project that is not the first."""
    world.project(images=7)
    model = {"name": "patch_kmeans", "params": {}}
    loop = Loop(world, model=model, purity={"name": "broken"})
    loop.answer(0, 8)
    job = loop.finish(0)
    assert job.state is JobState.FAILED
    assert loop.rounds()[0].state is RoundState.FAILED
    return loop, job


def again(loop: Loop, job: Job) -> JobState:
    message = RunJob.of(job)
    loop.session.rollback()
    run_job(message, handler)
    loop.session.expire_all()
    return job.state


def expected(loop: Loop, count: int) -> str:
    statement = select(Example.id).where(
        Example.project_id == loop.project.id, Example.pool_index.in_(BROKEN)
    )
    first, second = loop.session.scalars(statement.order_by(Example.pool_index))
    assert (first, second) != tuple(BROKEN)
    return (
        f"Purity broken is not finite for 2 of {count} examples (id {first}, {second}); choose "
        "another score or train the model again."
    )


def test_the_job_names_images_that_can_be_looked_up(world: World, http: TestClient) -> None:
    loop, job = fails(world)
    assert job.error == {"code": "model_error", "detail": expected(loop, 52)}
    headers = world.caller().headers
    shown = http.get(f"/api/jobs/{job.id}", headers=headers).json()["error"]["detail"]
    names = shown.partition("(id ")[2].partition(")")[0].split(", ")
    found = [
        http.get(f"/api/projects/{loop.project.id}/examples/{name}", headers=headers).json()
        for name in names
    ]
    assert [one["pool_index"] for one in found] == list(BROKEN)


def test_a_retry_goes_on_with_the_score_that_was_chosen_instead(
    world: World, http: TestClient
) -> None:
    loop, job = fails(world)
    admin, project = world.caller(), f"/api/projects/{loop.project.id}"
    left = loop.rounds()[1].settings
    changes = {"purity": {"name": "energy"}, "budget": 5}
    assert http.patch(project, json={"settings": changes}, headers=admin.headers).is_success
    retried = http.post(f"{project}/rounds/0/retry", headers=admin.headers)
    assert retried.json()["state"] == "closing"
    assert again(loop, job) is JobState.SUCCEEDED
    following = loop.rounds()[1]
    assert following.state is RoundState.OPEN
    assert following.settings["purity"]["name"] == "energy"
    # What its first answers may have been charged by is as it was.
    assert (following.budget, following.settings["budget"]) == (8, left["budget"])


def test_a_retry_without_changes_repeats_no_phase(world: World, http: TestClient) -> None:
    loop, job = fails(world)
    before = dict(job.checkpoint["seconds"])
    assert "train" in before
    headers = world.caller().headers
    assert http.post(f"/api/jobs/{job.id}/retry", headers=headers).is_success
    world.session.expire_all()
    assert job.checkpoint["seconds"] == before
    assert again(loop, job) is JobState.FAILED
    assert loop.rounds()[0].state is RoundState.FAILED


def test_a_part_that_another_worker_may_score_names_them_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_SCORING_ROWS", "10")
    settings.cache_clear()
    later = datetime.now(UTC) + timedelta(hours=1)
    world.session.add(
        Worker(name="another", host="elsewhere", pid=1, queues=["gpu"], heartbeat_at=later)
    )
    world.session.commit()
    loop, job = fails(world)
    part = world.session.scalars(
        select(Job).where(Job.kind == JobKind.SCORE_PART, Job.state == JobState.FAILED)
    ).one()
    assert part.error == job.error == {"code": "model_error", "detail": expected(loop, 10)}
