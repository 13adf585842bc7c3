"""Comparing localizers on a project of boxes: started through the API, run by a worker."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load_file
from sqlalchemy import select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobState, Split
from core.tables import Annotation, Artifact, Example, Job, Project
from models.tasks.localization.networks import Localizer
from tests.processes import eventually, worker
from tests.workers.boxed import SIDE, boxed_project, said
from tests.workers.killing import kill_in_every_phase, kill_publishing, named, state
from tests.workers.starting import done_job, start_job, watch_progress
from tests.world import World
from workers.execution.runner import run_job
from workers.jobs.context import JobContext
from workers.localize import handler
from workers.localize.handler import PHASES

QUICK = {"network": "cnn_tiny", "width": 4, "steps": 12, "batch_size": 8}


def compare(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    """A job that was started and run in this process."""
    return done_job(http, world, project, "localize", QUICK | params)


def artifacts(world: World, job: Job) -> dict[str, Artifact]:
    found = world.session.scalars(select(Artifact).where(Artifact.job_id == job.id))
    return {artifact.meta.get("method", artifact.kind.value): artifact for artifact in found}


@pytest.mark.parametrize("localize", ["cam", "regression"])
def test_what_each_method_finds_is_compared_and_kept(
    http: TestClient, world: World, localize: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = boxed_project(world)
    seen = watch_progress(monkeypatch)
    job = compare(http, world, project, localize=localize)
    assert job.state is JobState.SUCCEEDED, job.error
    result = job.result
    assert result is not None
    methods = ["standard", "oat", "taufe"] if localize == "cam" else ["standard", "taufe"]
    assert set(result["methods"]) == set(methods)
    assert ("oat" in result["refused"]) == (localize == "regression")
    weights = {"oat": 1.0, "taufe": 0.1}
    assert result["weights"] == {name: weights[name] for name in methods[1:]}
    for found in (*result["methods"].values(), *result["floors"].values()):
        assert 0 <= found["localized"] <= 1
        assert len(found["overlaps"]) == len(result["overlaps"])
    assert ("max_box_acc" in result["methods"]["taufe"]) == (localize == "cam")
    assert result["counts"] == {
        "inside": 24, "ood": 6, "test": 8, "none": 0, "several": 0, "cropped": 0,
    }  # fmt: skip
    assert result["judged_on"] == "evaluation"
    # The whole square is 16 x 16, the box 8 x 6.
    assert result["floors"]["whole_image"]["iou"] == pytest.approx(8 * 6 / 256)
    kept = artifacts(world, job)
    assert set(kept) == {*methods, "comparison"}
    network = Localizer.load(world.storage.artifact(kept["taufe"].storage_key))
    assert (network.kind, network.size) == (localize, SIDE)
    overlays = json.loads(world.storage.artifact(kept["comparison"].storage_key).read_text())
    assert len(overlays["examples"]) == 8
    for example_id, truth in zip(overlays["examples"], overlays["truth"], strict=True):
        example = world.session.get_one(Example, example_id)
        assert example.label is not None
        (box,) = example.label["boxes"]
        assert truth == [box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"]]
    for found in overlays["methods"].values():
        assert len(found["boxes"]) == len(found["iou"]) == 8
        assert (found["maps"] is None) == (localize == "regression")
    phases = [one["phase"] for one in seen]
    assert list(dict.fromkeys(phases)) == ["gather", *methods, "compare"]
    assert {one["steps"] for one in seen if one["phase"] == methods[0]} == {0, 12}


def test_images_of_no_thing_or_several_are_left_out_and_counted(
    http: TestClient, world: World
) -> None:
    project = boxed_project(world, evaluation=0)
    pool = world.session.scalars(
        select(Example)
        .where(Example.project_id == project.id, Example.split == Split.POOL)
        .order_by(Example.pool_index)
    ).all()
    changes: list[tuple[int, dict[str, Any] | None]] = []
    assert pool[0].label is not None
    (box,) = pool[0].label["boxes"]
    changes.append((0, {"type": "boxes", "boxes": [box, {**box, "x": box["x"] + 1}]}))
    changes.append((1, {"type": "boxes", "boxes": []}))
    # Models see columns 2 to 18 of 20.
    changes.append((2, {"type": "boxes", "boxes": [{**box, "x": 0, "w": 3}]}))
    changes.append((3, None))
    for number, label in changes:
        annotation = said(pool[number], label)
        before = select(Annotation.id).where(Annotation.example_id == pool[number].id)
        annotation.supersedes_id = world.session.scalars(before).one()
        world.session.add(annotation)
    world.session.commit()
    job = compare(http, world, project, steps=1)
    assert job.result is not None, job.error
    counts = job.result["counts"]
    assert (counts["several"], counts["none"], counts["cropped"]) == (1, 1, 1)
    assert counts["ood"] == 6 + 1
    assert counts["inside"] + counts["test"] == 20
    assert counts["test"] > 0
    assert job.result["judged_on"] == "held_out"
    again = compare(http, world, project, steps=1)
    assert again.result is not None
    assert again.result["counts"] == counts


def test_what_is_missing_is_said_at_once(http: TestClient, world: World) -> None:
    without_ood = compare(http, world, boxed_project(world, ood=0))
    assert without_ood.error is not None
    assert "no OOD image" in without_ood.error["detail"]
    one_class = compare(http, world, boxed_project(world, images=1))
    assert one_class.error is not None
    assert "two classes" in one_class.error["detail"]
    headers = world.caller().headers
    project = boxed_project(world)
    body = {"kind": "localize", "params": {"localize": "regression", "oat": 1}}
    refused = http.post(f"/api/projects/{project.id}/jobs", json=body, headers=headers)
    assert refused.status_code == 400
    assert "class probabilities" in refused.text
    classes = world.project(images=4)
    body = {"kind": "localize", "params": {}}
    refused = http.post(f"/api/projects/{classes.id}/jobs", json=body, headers=headers)
    assert refused.json()["code"] == "not_for_task"


def test_an_estimate_names_every_phase_and_leaves_nothing(http: TestClient, world: World) -> None:
    project = boxed_project(world)
    job = done_job(http, world, project, "localize", QUICK | {"steps": 500}, dry_run=True)
    assert job.result is not None, job.error
    estimate = job.result["estimate"]
    assert set(estimate["phases"]) == set(named(PHASES))
    assert estimate["labeled"] == 24
    assert estimate["phases"]["taufe"] > 0
    assert artifacts(world, job) == {}
    assert not world.storage.work(job.id).exists()


def test_a_cancelled_comparison_stops_in_its_training_and_can_be_retried(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = boxed_project(world)
    job = start_job(http, world, project, "localize", QUICK)
    report = JobContext.progress

    def cancelled(context: JobContext, step: int, steps: int, phase: str | None = None) -> None:
        report(context, step, steps, phase)
        assert context._progress is not None
        if context._progress["phase"] == "oat" and step >= 6:
            context.cancel()
            context.check()

    with monkeypatch.context() as patch:
        patch.setattr(JobContext, "progress", cancelled)
        run_job(RunJob.of(job), handler)
    assert state(world, job) is JobState.CANCELLED, job.error
    assert set(job.checkpoint["seconds"]) == {"gather", "standard"}
    assert artifacts(world, job) == {}
    url = f"/api/jobs/{job.id}/retry"
    assert http.post(url, headers=world.caller().headers).status_code == 200
    world.session.commit()
    run_job(RunJob.of(job), handler)
    assert state(world, job) is JobState.SUCCEEDED, job.error
    assert set(artifacts(world, job)) == {"standard", "oat", "taufe", "comparison"}


# Some workers start one after the other, each for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_finds_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    first, second = boxed_project(world), boxed_project(world)
    victim = start_job(http, world, first, "localize", QUICK)
    message = RunJob.of(victim)
    kill_in_every_phase(world, victim, message, named(PHASES), tmp_path / "worker.log")
    kill_publishing(world, victim, message, tmp_path / "worker.log")
    assert artifacts(world, victim) == {}
    unharmed = start_job(http, world, second, "localize", QUICK)
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    assert (victim.attempt, unharmed.attempt) == (len(PHASES) + 2, 1)
    assert victim.result is not None
    assert unharmed.result is not None
    assert victim.result["methods"] == unharmed.result["methods"]
    mine, theirs = artifacts(world, victim), artifacts(world, unharmed)
    for method in ("standard", "oat", "taufe"):
        paths = [world.storage.artifact(kept[method].storage_key) for kept in (mine, theirs)]
        weights = [load_file(path) for path in paths]
        for name, value in weights[0].items():
            assert np.array_equal(weights[1][name], value)
