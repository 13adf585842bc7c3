"""Comparing regularizers: started through the API, run by a worker, used by later rounds."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load_file
from sqlalchemy import select

from core.files.storage import sha256
from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import ArtifactKind, JobState, Split, Verdict
from core.tables import Artifact, Example, Job
from models.catalog.params.regularize import METHODS
from models.media.images.store import PixelStore
from models.target.train import load_target
from tests.processes import eventually, worker
from tests.workers.killing import kill_ending, kill_in_every_phase, kill_publishing, state
from tests.workers.loop import Loop
from tests.workers.starting import done_job, run_here, start_job, watch_progress
from tests.world import World
from workers.execution.runner import run_job
from workers.jobs.context import SteppedAside
from workers.jobs.yielding import Yielding
from workers.taufe import handler

QUICK = {"network": "cnn_tiny", "width": 4, "steps": 12, "batch_size": 8, "flip": False}


def start(http: TestClient, loop: Loop, **params: Any) -> Job:
    return start_job(http, loop.world, loop.project, "taufe", QUICK | params)


def compare(http: TestClient, loop: Loop, **params: Any) -> Job:
    """A job that was started and run in this process."""
    return run_here(loop.world, start(http, loop, **params))


def artifacts(loop: Loop, job: Job) -> dict[str, Artifact]:
    found = loop.session.scalars(select(Artifact).where(Artifact.job_id == job.id))
    return {artifact.meta.get("method", artifact.kind.value): artifact for artifact in found}


def test_three_models_are_compared_and_kept(http: TestClient, world: World) -> None:
    loop = Loop(world)
    world.add_images(loop.project, 6, Split.AUXILIARY_OOD)
    loop.answer(0, 12)
    job = compare(http, loop)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert set(job.result["methods"]) == set(METHODS)
    for found in job.result["methods"].values():
        assert 0 <= found["accuracy"] <= 1
        assert -1 <= found["similarity"] <= 1
    counts = job.result["counts"]
    assert job.result["judged_on"] == "evaluation"
    assert counts["test"] == 12
    answered = loop.session.scalars(
        select(Example.state).where(Example.project_id == loop.project.id)
    ).all()
    ood = sum(one.value == "ood" for one in answered)
    assert counts["inside"] + ood == 12
    assert counts["verdicts"] + counts["auxiliary"] + counts["test_ood"] == ood + 6

    kept = artifacts(loop, job)
    assert set(kept) == {*METHODS, "comparison"}
    store = PixelStore.open(world.storage.pixels(loop.project.id, 8, "crop"), 8, 78)
    for artifact in kept.values():
        path = world.storage.artifact(artifact.storage_key)
        assert artifact.sha256 == sha256(path)
        if artifact.kind is ArtifactKind.CHECKPOINT:
            assert load_target(path, store).classes == 2
    drawn = json.loads(world.storage.artifact(kept["comparison"].storage_key).read_text())
    count = counts["test"] + counts["test_ood"]
    assert len(drawn["examples"]) == len(drawn["class_ids"]) == count
    assert all(len(drawn["points"][method]) == count for method in METHODS)
    assert not world.storage.work(job.id).exists()


def test_unlabeled_images_are_learned_from_but_for_those_that_may_be_ood(
    http: TestClient, world: World
) -> None:
    loop = Loop(world)
    world.add_images(loop.project, 12, Split.AUXILIARY_OOD)
    loop.answer(0, 12)
    job = compare(http, loop, training="mixmatch", steps=4, least_purity=0.2)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    methods = {"supervised", *METHODS}
    assert (job.result["training"], set(job.result["methods"])) == ("mixmatch", methods)
    assert job.result["weights"] == {"oat": 1.0, "taufe": 0.1}
    assert job.result["settings"] == {}
    counts = job.result["counts"]
    in_pool = select(Example.state).where(
        Example.project_id == loop.project.id, Example.split == Split.POOL
    )
    unanswered = sum(one.value == "unlabeled" for one in loop.session.scalars(in_pool))
    assert counts["unlabeled"] > 0
    assert counts["unlabeled"] + counts["unlabeled_left_out"] == unanswered
    assert set(artifacts(loop, job)) == {*methods, "comparison"}

    # Nobody knows what OOD looks like here, and that is said.
    blind = compare(http, loop, training="mixmatch", steps=1, ood_from="verdicts")
    assert blind.result is not None
    assert blind.result["counts"]["unlabeled"] == unanswered
    assert any("Too little is known of OOD images" in one for one in blind.result["warnings"])


def test_networks_are_judged_by_attacked_images(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12)
    attack = {"attack_steps": 2, "judging_steps": 3, "judging_images": 5}
    job = compare(http, loop, training="adversarial", steps=4, **attack)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert set(job.result["methods"]) == {"supervised", *METHODS}
    assert job.result["weights"] == {"oat": 1.0, "taufe": 0.1}
    assert job.result["counts"]["attacked"] == 5
    for found in job.result["methods"].values():
        assert 0 <= found["attacked_accuracy"] <= 1


def test_a_comparison_that_means_little_is_warned_of(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12)
    blind = compare(http, loop, learning_rate=1e-9)
    assert blind.result is not None
    few, *_, untrained = blind.result["warnings"]
    assert "learn from fewer than 10 OOD images" in few
    assert "Plain training names the given label of" in untrained
    assert blind.result["notes"] == blind.result["warnings"]
    assert few in world.storage.job_log(loop.project.id, blind.id).read_text()
    world.add_images(loop.project, 40, Split.AUXILIARY_OOD)
    taught = compare(http, loop, steps=60, learning_rate=0.05)
    assert taught.result is not None
    assert taught.result["warnings"] == []


def test_unlabeled_images_that_do_harm_are_warned_of(http: TestClient, world: World) -> None:
    loop = Loop(world, evaluation=60)
    world.add_images(loop.project, 20, Split.AUXILIARY_OOD)
    loop.answer(0, 12)
    steep = {"lambda_u": 1000, "ramp_steps": 0, "least_purity": 0}
    job = compare(http, loop, training="mixmatch", steps=60, learning_rate=0.05, **steep)
    assert job.result is not None
    (said,) = job.result["warnings"]
    assert "the unlabeled images do harm. Raise ramp_steps" in said


def test_labels_that_the_subset_drops_are_not_learned_from(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12)
    everything = compare(http, loop, steps=1).result
    assert everything is not None
    some = {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 8, "method": "uniform"}
    pruning = done_job(http, world, loop.project, "prune", some)
    assert pruning.result is not None
    subset = pruning.result["subset_id"]
    body = {"settings": {"subset": subset}}
    url = f"/api/projects/{loop.project.id}"
    assert http.patch(url, json=body, headers=world.caller().headers).status_code == 200
    found = compare(http, loop, steps=1).result
    assert found is not None
    left_out = pruning.result["labeled"] - pruning.result["kept"]
    assert found["counts"]["left_out"] == left_out > 0 == everything["counts"]["left_out"]
    assert found["counts"]["inside"] == everything["counts"]["inside"] - left_out
    # The file is gone: no half-truths.
    file = world.session.get_one(Artifact, subset).storage_key
    world.storage.artifact(file).unlink()
    failed = compare(http, loop, steps=1)
    assert failed.error is not None
    assert failed.error["code"] == "subset_file_missing"


def test_the_settings_of_a_method_train_the_next_round(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = compare(http, loop)
    assert job.result is not None
    headers = world.caller().headers
    for method, weights in (("taufe", (0.1, 0)), ("oat", (0, 1)), ("standard", (0, 0))):
        body = {"settings": {"model": job.result["settings"][method]}}
        response = http.patch(f"/api/projects/{loop.project.id}", json=body, headers=headers)
        assert response.status_code == 200, response.text
        model = response.json()["settings"]["model"]
        assert model["name"] == "cnn_tiny"
        assert (model["params"]["taufe"], model["params"]["oat"]) == weights


@pytest.mark.parametrize(
    ("verdict", "fault"), [(Verdict.OOD, "Fewer than two classes"), (Verdict.LABEL, "no OOD image")]
)
def test_what_is_missing_is_said_at_once(
    http: TestClient, world: World, verdict: Verdict, fault: str
) -> None:
    loop = Loop(world)
    loop.answer(0, 8, verdict)
    job = compare(http, loop)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert fault in job.error["detail"]
    assert artifacts(loop, job) == {}


def test_the_time_left_is_that_of_all_three_trainings(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world)
    loop.answer(0, 12)
    seen = watch_progress(monkeypatch)
    job = compare(http, loop, steps=40)
    assert job.state is JobState.SUCCEEDED, job.error
    # After the last step of a training nothing is left of it: what is told is what follows.
    plain, oat = (
        [one for one in seen if one["phase"] == method and one["step"] == one["steps"] == 40][-1]
        for method in METHODS[:2]
    )
    assert plain["eta_seconds"] > 0
    assert oat["eta_seconds"] > 0


def test_nothing_was_labeled_yet(http: TestClient, world: World) -> None:
    job = compare(http, Loop(world))
    assert job.state is JobState.FAILED


def test_it_steps_aside_for_a_round_and_goes_on_in_the_very_step(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    steps: list[int] = []
    progress = Yielding.progress

    def watched(self: Yielding, step: int, of: int) -> None:
        steps.append(step)
        # A round waits for the worker in the middle of the first training, once.
        if step == 10 and steps.count(10) == 1:
            raise SteppedAside("a round")
        progress(self, step, of)

    monkeypatch.setattr(Yielding, "progress", watched)
    job = start(http, loop)
    run_job(RunJob.of(job), handler)
    assert state(world, job) is JobState.QUEUED
    assert steps == [0, 10]
    run_job(RunJob.of(job), handler)
    assert state(world, job) is JobState.SUCCEEDED
    assert steps[2] == 10
    assert job.attempt == 2


# A dozen workers start one after the other, each for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_finds_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    loop, other = Loop(world), Loop(world)
    for one in (loop, other):
        one.answer(0, 10)
    victim = start(http, loop)
    message = RunJob.of(victim)
    phases = ["gather", *METHODS, "compare"]
    kill_in_every_phase(world, victim, message, phases, tmp_path / "worker.log")
    kill_publishing(world, victim, message, tmp_path / "worker.log")
    assert artifacts(loop, victim) == {}
    kill_ending(world, victim, message, tmp_path / "worker.log")
    kept = select(Artifact.id).where(Artifact.job_id == victim.id).order_by(Artifact.id)
    published = loop.session.scalars(kept).all()
    assert len(published) == len(METHODS) + 1
    unharmed = start(http, other)
    # In one process: the number of threads, which rounding depends on, is the process's own.
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    assert (victim.attempt, unharmed.attempt) == (len(phases) + 3, 1)
    assert loop.session.scalars(kept).all() == published
    assert victim.result is not None
    assert unharmed.result is not None
    assert victim.result["methods"] == unharmed.result["methods"]
    mine, theirs = artifacts(loop, victim), artifacts(other, unharmed)
    for artifact in mine.values():
        assert artifact.sha256 == sha256(world.storage.artifact(artifact.storage_key))
    for method in METHODS:
        paths = [world.storage.artifact(kept[method].storage_key) for kept in (mine, theirs)]
        weights = [load_file(path) for path in paths]
        assert all((weights[0][name] == value).all() for name, value in weights[1].items())
