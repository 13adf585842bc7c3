"""Dry runs: they say what a job would take, refuse what it would refuse, and leave nothing."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobState, RoundState, Verdict
from core.tables import Artifact, Job, Project, Suggestion
from models.catalog import specs
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, named, state
from tests.workers.loop import Loop
from tests.workers.starting import done_job, run_here, start_job
from tests.world import World
from workers.dry_run import PHASES
from workers.embedding_map import handler as embedding_map
from workers.features import handler as features
from workers.features.stored import latest
from workers.prune import handler as prune
from workers.relabel import handler as relabel
from workers.resize import handler as resize
from workers.taufe import handler as taufe

HANDLERS = {
    "prune": prune,
    "taufe": taufe,
    "learn_features": features,
    "relabel": relabel,
    "resize": resize,
    "embedding_map": embedding_map,
}
QUICK: dict[str, dict[str, Any]] = {
    "prune": {"network": "cnn_tiny", "width": 4, "epochs": 2, "batch_size": 4, "flip": False},
    "taufe": {"network": "cnn_tiny", "width": 4, "steps": 500, "batch_size": 4},
    "learn_features": {"network": "cnn_tiny", "width": 4, "epochs": 30, "batch_size": 8},
    # Beside so short a training the second opinion is all there is to measure: see test_relabel.
    "relabel": {
        "network": "cnn_tiny", "width": 4, "epochs": 2, "batch_size": 4, "second_opinion": False,
    },
    "resize": {"input_size": 16},
    "embedding_map": {},
}  # fmt: skip
EVERY_PHASE: dict[str, dict[str, Any]] = {"taufe": {"training": "mixmatch"}}
LEARNED_FROM = {
    "prune": 8, "taufe": 8, "learn_features": 60, "relabel": 8, "resize": 72, "embedding_map": 60,
}  # fmt: skip

every_kind = pytest.mark.parametrize("kind", HANDLERS)


def test_every_job_can_be_estimated() -> None:
    # Comparing wants images that a round has embedded, certifying a model, localizing boxes,
    # choosing instructions rows of them: see their own tests.
    assert {*HANDLERS, "certify", "compare", "localize", "select_instructions"} == {
        spec.name for spec in specs() if spec.kind == "job"
    }


@pytest.fixture
def loop(world: World) -> Loop:
    """Eight labeled images and four that are OOD."""
    found = Loop(world)
    found.answer(0, 8, Verdict.LABEL)
    found.answer(0, 4, Verdict.OOD)
    return found


def dry(http: TestClient, loop: Loop, kind: str, **params: Any) -> Job:
    """A dry run that was started and run in this process."""
    return done_job(http, loop.world, loop.project, kind, QUICK[kind] | params, dry_run=True)


def files(path: Path) -> set[Path]:
    return {one for one in path.rglob("*") if one.is_file() and one.suffix != ".log"}


@every_kind
def test_an_estimate_names_every_phase_and_leaves_nothing(
    http: TestClient, loop: Loop, kind: str
) -> None:
    before = files(loop.world.storage.root)
    job = dry(http, loop, kind, **EVERY_PHASE.get(kind, {}))
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    estimate = job.result["estimate"]
    assert set(estimate["phases"]) == set(named(HANDLERS[kind].PHASES)) - {"second_opinion"}
    assert all(seconds >= 0 for seconds in estimate["phases"].values())
    assert estimate["seconds"] == pytest.approx(sum(estimate["phases"].values()), abs=0.2)
    assert estimate["memory_bytes"] > 10_000_000
    assert estimate["device"]
    # Taufe keeps some of the eight to judge by where there is no evaluation split; here there is.
    assert estimate["labeled"] == LEARNED_FROM[kind]
    assert files(loop.world.storage.root) == before
    assert loop.session.scalar(select(Artifact.id).where(Artifact.job_id == job.id)) is None


def phases_of(job: Job) -> dict[str, float]:
    assert job.result is not None
    phases: dict[str, float] = job.result["estimate"]["phases"]
    return phases


@pytest.mark.parametrize("kind", ["prune", "taufe", "learn_features", "relabel"])
def test_more_work_is_estimated_to_take_longer(http: TestClient, loop: Loop, kind: str) -> None:
    # Two measurements on a busy machine differ by a factor; the work differs by hundreds.
    longer = {name: 500 * QUICK[kind][name] for name in ("epochs", "steps") if name in QUICK[kind]}
    first, second = (phases_of(dry(http, loop, kind, **params)) for params in ({}, longer))
    training = max(second, key=second.__getitem__)
    assert second[training] > 10 * first[training]


@pytest.mark.parametrize("method", ["prune4rel", "uniform", "k_center", "grand", "forgetting"])
def test_methods_of_pruning_are_measured_as_they_would_run(
    http: TestClient, loop: Loop, method: str
) -> None:
    job = dry(http, loop, "prune", method=method, ratio=0.5)
    assert job.state is JobState.SUCCEEDED, job.error


@pytest.mark.parametrize("learner", [one.name for one in specs() if one.kind == "learner"])
def test_learners_are_measured_as_they_would_run(
    http: TestClient, loop: Loop, learner: str
) -> None:
    job = dry(http, loop, "relabel", learner=learner, epochs=3, warm_up_epochs=1)
    assert job.state is JobState.SUCCEEDED, job.error
    assert loop.session.scalar(select(Suggestion.id).where(Suggestion.job_id == job.id)) is None


@pytest.mark.parametrize(
    ("kind", "verdict", "params", "said"),
    [
        ("prune", Verdict.OOD, {}, "Fewer than two classes"),
        ("taufe", Verdict.OOD, {}, "Fewer than two classes"),
        ("taufe", Verdict.LABEL, {}, "no OOD image to learn from"),
        ("relabel", Verdict.OOD, {}, "Fewer than two classes"),
        ("relabel", Verdict.LABEL, {"subset": 9}, "no subset 9"),
        ("prune", Verdict.LABEL, {"ratio": 0.01}, "ratio 0.01 keeps none of 8"),
        ("prune", Verdict.LABEL, {"method": "ssp"}, "start the job learn_features"),
    ],
)
@pytest.mark.parametrize("is_dry", [True, False])
def test_what_a_job_refuses_its_dry_run_refuses_too(
    http: TestClient,
    world: World,
    is_dry: bool,
    kind: str,
    verdict: Verdict,
    params: dict[str, Any],
    said: str,
) -> None:
    loop = Loop(world)
    loop.answer(0, 8, verdict)
    job = done_job(http, world, loop.project, kind, QUICK[kind] | params, dry_run=is_dry)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert said in job.error["detail"]
    # Nothing was trained for nothing.
    assert "warm_up" not in job.checkpoint.get("seconds", {})
    if is_dry:
        assert not world.storage.work(job.id).exists()


def test_a_class_with_a_single_image_is_told(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 3, Verdict.LABEL)
    job = dry(http, loop, "prune")
    assert job.result is not None
    (note,) = job.result["estimate"]["notes"]
    assert note.startswith("A single image is labeled with each of these classes: dog.")


def test_an_estimate_is_no_result_of_learning(http: TestClient, loop: Loop) -> None:
    job = dry(http, loop, "learn_features")
    assert job.state is JobState.SUCCEEDED
    assert latest(loop.session, loop.project.id) is None
    shown = http.get(f"/api/jobs/{job.id}", headers=loop.world.caller().headers).json()
    assert shown["dry_run"] is True


def test_a_cancelled_dry_run_leaves_nothing(http: TestClient, loop: Loop) -> None:
    job = start_job(http, loop.world, loop.project, "prune", QUICK["prune"], dry_run=True)
    before = files(loop.world.storage.root)
    job.cancel_requested = True
    loop.session.commit()
    run_here(loop.world, job)
    assert job.state is JobState.CANCELLED
    assert files(loop.world.storage.root) == before


def test_a_killed_dry_run_is_done_again(http: TestClient, loop: Loop, tmp_path: Path) -> None:
    job = start_job(http, loop.world, loop.project, "prune", QUICK["prune"], dry_run=True)
    message = RunJob.of(job)
    kill_in_every_phase(loop.world, job, message, PHASES, tmp_path / "worker.log")
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        eventually(lambda: state(loop.world, job) is JobState.SUCCEEDED, "the estimate is made")
    assert job.result is not None
    assert set(job.result["estimate"]["phases"]) == set(named(prune.PHASES))
    assert not loop.world.storage.work(job.id).exists()


ROUND_MODELS: dict[str, dict[str, Any]] = {
    "patch_kmeans": {},
    "cnn_tiny": {"steps": 20},
    "auto": {},
}


def dry_round(http: TestClient, loop: Loop, model: dict[str, Any] | None) -> Job:
    """What a round would take, measured in this process."""
    path = f"/api/projects/{loop.project.id}/rounds/estimate"
    response = http.post(path, json={"model": model}, headers=loop.world.caller().headers)
    assert response.status_code == 202, response.text
    job = loop.world.session.get_one(Job, response.json()["id"])
    loop.world.session.commit()
    return run_here(loop.world, job)


@pytest.mark.parametrize("name", ROUND_MODELS)
def test_a_round_is_measured_before_its_model_is_chosen(
    http: TestClient, loop: Loop, name: str
) -> None:
    before = files(loop.world.storage.root)
    job = dry_round(http, loop, {"name": name, "params": ROUND_MODELS[name]})
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.dry_run
    phases = phases_of(job)
    assert set(phases) == {"gather", "embed", "train", "score"}
    frozen = name in {"patch_kmeans", "auto"}
    # Images that have no embedding yet belong to what the first round takes.
    assert (phases["embed"] > 0) == frozen
    assert job.result is not None
    assert bool(job.result["estimate"]["notes"]) == frozen
    assert files(loop.world.storage.root) == before
    assert [one.state for one in loop.rounds()] == [RoundState.OPEN]
    assert loop.session.get_one(Project, loop.project.id).settings["model"]["name"] == "cnn_tiny"


def test_images_that_are_embedded_cost_nothing_more(http: TestClient, world: World) -> None:
    loop = Loop(world, model={"name": "patch_kmeans"})
    first = phases_of(dry_round(http, loop, None))["embed"]
    loop.advance(0)
    assert first > 0 == phases_of(dry_round(http, loop, None))["embed"]


def test_longer_training_is_told_to_take_longer(http: TestClient, loop: Loop) -> None:
    quick, long = (
        phases_of(dry_round(http, loop, {"name": "cnn_tiny", "params": {"steps": steps}}))["train"]
        for steps in (20, 20_000)
    )
    # Two measurements on a busy machine differ by a factor; the work differs by a thousand.
    assert long > max(1.0, 20 * quick)


def test_a_failed_measurement_fails_no_round(http: TestClient, loop: Loop) -> None:
    # Without pixels alone they would be made again.
    lost, originals = (
        loop.world.storage.pixels(loop.project.id, 8, "crop"),
        loop.world.storage.root / "images",
    )
    kept = lost.read_bytes()
    lost.unlink()
    away = originals.rename(originals.with_name("away"))
    job = dry_round(http, loop, None)
    away.rename(originals)
    lost.write_bytes(kept)
    assert job.state is JobState.FAILED
    assert [one.state for one in loop.rounds()] == [RoundState.OPEN]
    headers = loop.world.caller().headers
    assert http.post(f"/api/jobs/{job.id}/retry", headers=headers).status_code == 200
