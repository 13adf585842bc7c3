"""Learning features: started through the API, run by a worker, used by the rounds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from safetensors.numpy import load_file
from sqlalchemy import select

from core.files.storage import sha256
from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import requeue_job
from core.states import ArtifactKind, JobState, Split
from core.tables import Artifact, Job, Project
from models import catalog
from models.catalog.spec import Spec
from models.errors import ModelError, NotReady
from models.media.images.contrastive import learn_encoder
from models.protocols import PoolView
from models.ranking.pool_scores import PoolScores
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, named, state
from tests.workers.loop import Loop
from tests.workers.starting import run_here, start_job
from tests.world import World
from workers.features.handler import PHASES
from workers.features.stored import LearnedFeatures

QUICK = {"network": "cnn_tiny", "width": 4, "epochs": 2, "batch_size": 8, "flip": False}


def start(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    return start_job(http, world, project, "learn_features", QUICK | params)


def learn(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    """A job that was started, run in this process, and succeeded."""
    job = run_here(world, start(http, world, project, **params))
    assert job.state is JobState.SUCCEEDED, job.error
    return job


def features(world: World, job: Job) -> LearnedFeatures:
    assert job.project_id is not None
    return LearnedFeatures.of(world.storage, job.project_id, job.id)


def test_every_image_gets_features_and_the_pool_is_learned_from(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = world.project(images=20, evaluation=4)
    world.add_images(project, 3, Split.AUXILIARY_OOD)
    world.session.commit()
    learned_from: list[list[int]] = []

    def watched(store: Any, indices: NDArray[np.int64], *args: Any, **options: Any) -> None:
        learned_from.append(indices.tolist())
        learn_encoder(store, indices, *args, **options)

    monkeypatch.setattr("workers.features.handler.learn_encoder", watched)
    job = learn(http, world, project)
    assert learned_from == [list(range(20))]
    assert job.result == {"images": 27, "dimension": 16}
    rows = features(world, job).rows()
    assert (rows.dtype, rows.shape) == (np.float32, (27, 16))
    assert np.isfinite(rows).all()
    assert not world.storage.work(job.id).exists()


# A dozen workers start one after the other, each for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_learns_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    victim = start(http, world, world.project(images=20))
    message = RunJob.of(victim)
    kill_in_every_phase(world, victim, message, named(PHASES), tmp_path / "worker.log")
    unharmed = start(http, world, world.project(images=20))
    # In one process: the number of threads, which rounding depends on, is the process's own.
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    assert (victim.attempt, unharmed.attempt) == (len(PHASES) + 1, 1)
    mine, theirs = features(world, victim), features(world, unharmed)
    assert sha256(mine.file) == sha256(theirs.file)
    weights = load_file(theirs.encoder)
    assert all(np.array_equal(weights[k], v) for k, v in load_file(mine.encoder).items())


def test_a_running_job_is_followed_cancelled_and_retried(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    job = start(http, world, world.project(images=20), epochs=100_000)
    admin = world.caller().headers

    def at_work() -> bool:
        told = http.get(f"/api/jobs/{job.id}", headers=admin).json()
        seen = told["progress"] or {}
        # While it waits for its second attempt it tells how far the first has come.
        at = (told["state"], seen.get("phase"), seen.get("steps"))
        return at == ("running", "learn", 250_000) and seen["eta_seconds"] is not None

    with worker("gpu", tmp_path / "worker.log"):
        for attempt in (1, 2):
            eventually(at_work, "learning reports its progress")
            cancelled = http.post(f"/api/jobs/{job.id}/cancel", headers=admin)
            assert cancelled.json()["cancel_requested"]
            eventually(lambda: state(world, job) is JobState.CANCELLED, "the job stops")
            assert job.attempt == attempt
            if attempt == 1:
                assert http.post(f"/api/jobs/{job.id}/retry", headers=admin).status_code == 200
    assert not features(world, job).exist


def test_a_round_that_wants_the_worker_goes_first(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    """Learning takes hours; with one worker, annotators would wait for as long."""
    job = start(http, world, world.project(images=20), epochs=100_000)
    project = world.project(images=20)
    admin = world.caller().headers

    def step() -> int:
        progress = http.get(f"/api/jobs/{job.id}", headers=admin).json()["progress"] or {}
        return int(progress["step"]) if progress.get("phase") == "learn" else 0

    with (
        worker("housekeeping", tmp_path / "housekeeping.log"),
        worker("gpu", tmp_path / "worker.log"),
    ):
        eventually(lambda: step() > 0, "learning is at work")
        before = step()
        http.post(f"/api/projects/{project.id}/start", headers=admin)
        rounds = f"/api/projects/{project.id}/rounds"
        eventually(
            lambda: http.get(rounds, headers=admin).json()["items"][0]["state"] == "open",
            "the round opens",
        )
        # What is left of the first round, when it is open, goes first.
        eventually(
            lambda: (state(world, job), job.attempt) == (JobState.RUNNING, 2) and step() > before,
            "it goes on",
        )
        http.post(f"/api/jobs/{job.id}/cancel", headers=admin)
        eventually(lambda: state(world, job) is JobState.CANCELLED, "the job stops")
    assert job.attempt == 2


def test_the_features_of_the_last_two_jobs_are_kept(http: TestClient, world: World) -> None:
    """A round may be working with those before the last; older ones take up space for nothing."""
    project = world.project(images=8)
    jobs = [learn(http, world, project, epochs=epochs) for epochs in (1, 2, 3)]
    assert [features(world, job).exist for job in jobs] == [False, True, True]


def fail(*_: object, **__: object) -> None:
    raise ModelError("Not this time.")


def cut_off(world: World, job: Job, target: str) -> None:
    """Run a job until it comes to what ``target`` names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, fail)
        run_here(world, job)
    assert job.state is JobState.FAILED


def retry(world: World, job: Job) -> None:
    requeue_job(job)
    world.session.commit()
    run_here(world, job)
    assert job.state is JobState.SUCCEEDED, job.error


def test_one_that_is_retried_after_two_others_learns_anew(http: TestClient, world: World) -> None:
    project = world.project(images=8)
    job = start(http, world, project)
    cut_off(world, job, "workers.features.handler.LearnedFeatures.complete")
    others = [learn(http, world, project, epochs=epochs) for epochs in (1, 3)]
    assert not features(world, job).encoder.exists()
    retry(world, job)
    assert [features(world, one).exist for one in (job, *others)] == [True, False, True]
    assert features(world, job).rows().shape == (8, 16)


def by_length(view: PoolView, _: object) -> NDArray[np.float32]:
    """A purity that needs learned features."""
    if view.contrastive is None:
        raise NotReady("No features are learned yet; start the job learn_features.")
    assert view.labeled_contrastive is not None
    assert len(view.labeled_contrastive) == len(view.labels)
    lengths: NDArray[np.float32] = np.linalg.norm(view.contrastive, axis=1)
    return lengths


BY_LENGTH = Spec(
    name="by_length",
    kind="purity",
    title="By length",
    summary="A plug-in.",
    target=f"{__name__}:by_length",
    needs=frozenset({"contrastive"}),
    fallback="knn",
)


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog with a purity that needs learned features and shows what it was given."""
    found = (*catalog.specs(), BY_LENGTH)
    monkeypatch.setattr(catalog, "specs", lambda: found)


def scores_of(world: World, loop: Loop, number: int) -> PoolScores:
    statement = select(Artifact).where(
        Artifact.round_id == loop.rounds()[number].id, Artifact.kind == ArtifactKind.SCORES
    )
    artifact = world.session.scalars(statement).one()
    return PoolScores.from_parquet(world.storage.artifact(artifact.storage_key))


@pytest.mark.usefixtures("plugged")
def test_without_features_another_score_stands_in_and_the_round_says_so(world: World) -> None:
    loop = Loop(world, purity={"name": "by_length", "params": {}})
    loop.advance(0)
    notes = " ".join(loop.rounds()[1].notes)
    assert "start the job learn_features. Purity knn stands in." in notes


@pytest.mark.usefixtures("plugged")
def test_a_round_uses_the_features_and_embeds_what_was_imported_since(
    http: TestClient, world: World
) -> None:
    loop = Loop(world, purity={"name": "by_length", "params": {}})
    job = learn(http, world, loop.project)
    before = np.array(features(world, job).rows())
    world.add_images(loop.project, 9)
    world.session.commit()
    loop.advance(0)
    rows = np.array(features(world, job).rows())
    assert len(rows) == len(before) + 9
    assert_array_equal(rows[: len(before)], before)
    scores = scores_of(world, loop, 1)
    assert scores.indices.max() == len(rows) - 1
    assert_array_equal(scores.purity, np.linalg.norm(rows[scores.indices], axis=1))
    assert "learn_features" not in " ".join(loop.rounds()[1].notes)


@pytest.mark.usefixtures("plugged")
def test_what_was_learned_last_counts(http: TestClient, world: World) -> None:
    loop = Loop(world, purity={"name": "by_length", "params": {}})
    learn(http, world, loop.project)
    last = learn(http, world, loop.project, epochs=3)
    loop.advance(0)
    rows = features(world, last).rows()
    scores = scores_of(world, loop, 1)
    assert_array_equal(scores.purity, np.linalg.norm(rows[scores.indices], axis=1))


def test_features_that_nobody_asks_for_are_left_alone(http: TestClient, world: World) -> None:
    loop = Loop(world)
    job = learn(http, world, loop.project)
    world.add_images(loop.project, 9)
    world.session.commit()
    loop.advance(0)
    assert len(features(world, job).rows()) == 72
