"""What pruning refuses, and when."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, JobState, Verdict
from core.tables import Artifact, Example, Job
from tests.workers.loop import Loop
from tests.workers.starting import done_job
from tests.workers.test_prune import QUICK, pruned
from tests.world import World
from workers.features.stored import LearnedFeatures


@pytest.mark.parametrize("dry_run", [False, True])
def test_more_than_there_are_is_refused_before_the_warm_up(
    http: TestClient, world: World, dry_run: bool
) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    params = {**QUICK, "ratio": None, "count": 13}
    job = done_job(http, world, loop.project, "prune", params, dry_run=dry_run)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert "count 13 exceeds the 12 labeled images; give 12 or less" in job.error["detail"]
    assert "warm_up" not in job.checkpoint.get("seconds", {})


def learned_features(http: TestClient, loop: Loop) -> Path:
    """Features as the job that learns them has left them."""
    params = {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 16, "flip": False}
    job = done_job(http, loop.world, loop.project, "learn_features", params)
    assert job.state is JobState.SUCCEEDED, job.error
    return LearnedFeatures.of(loop.world.storage, loop.project.id, job.id).file


@pytest.mark.parametrize("dry_run", [False, True])
def test_learned_features_that_are_not_finite_are_refused_before_the_warm_up(
    http: TestClient, world: World, dry_run: bool
) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    statement = select(Example).where(Example.project_id == loop.project.id)
    examples = {one.pool_index: one for one in loop.session.scalars(statement)}
    labeled = [one for one in examples.values() if one.state is ExampleState.LABELED]
    broken = sorted(one.pool_index for one in labeled)[3:5]
    file = learned_features(http, loop)
    rows = np.load(file)
    # Of images without a label nothing is asked.
    rows[broken[0], 2], rows[broken[1], 0], rows[-1] = np.nan, np.inf, np.nan
    np.save(file, rows)

    def outcome() -> Job:
        params = QUICK | {"method": "ssp"}
        return done_job(http, world, loop.project, "prune", params, dry_run=dry_run)

    job = outcome()
    assert job.state is JobState.FAILED
    assert job.error is not None
    ids = ", ".join(str(examples[index].id) for index in broken)
    said = f"not finite for 2 of 12 labeled images (id {ids}); start the job learn_features"
    assert said in job.error["detail"]
    assert "warm_up" not in job.checkpoint.get("seconds", {})
    learned_features(http, loop)
    assert outcome().state is JobState.SUCCEEDED


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"ratio": 0}, "ratio"),
        ({"ratio": 1.2}, "ratio"),
        ({"ratio": None}, "give ratio or count"),
        ({"count": 5}, "give ratio or count"),
        ({"method": "best"}, "method"),
        ({"tau": 2}, "tau"),
        ({"method": "forgetting", "epochs": 1}, "two epochs"),
    ],
)
def test_bad_parameters_are_refused_at_once(
    http: TestClient, world: World, params: dict[str, Any], fault: str
) -> None:
    loop = Loop(world)
    body = {"kind": "prune", "params": {**QUICK, **params}}
    headers = world.caller().headers
    response = http.post(f"/api/projects/{loop.project.id}/jobs", json=body, headers=headers)
    assert response.status_code == 400
    assert fault in response.json()["detail"]


def test_too_few_labels_are_refused_before_the_warm_up(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8, Verdict.OOD)
    job = pruned(http, loop)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert "Fewer than two classes" in job.error["detail"]
    assert loop.session.scalar(select(Artifact.id).where(Artifact.job_id == job.id)) is None
