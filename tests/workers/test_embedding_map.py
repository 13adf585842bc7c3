"""Maps of pools: made by a worker from what rounds have embedded, kept, and made anew."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file
from sqlalchemy import Engine, select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import claim_job, new_job
from core.settings.project import ProjectSettings
from core.states import ArtifactKind, JobKind, JobState, Split
from core.tables import Artifact, Job, Project
from models.features.embed import embed_pool, extractor_path
from models.media.images.store import PixelStore
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, kill_publishing, named, state
from tests.workers.loop import Loop
from tests.workers.starting import run_here, start_job, watch_progress
from tests.workers.test_learn_features import cut_off, learn, retry
from tests.workers.test_verify import findings
from tests.world import World
from workers.embedding_map import handler
from workers.embedding_map.handler import PHASES
from workers.execution.runner import run_job
from workers.features.stored import LearnedFeatures, embeddings_file
from workers.jobs.context import JobContext

PATCHES: dict[str, Any] = {"model": {"name": "patch_kmeans", "params": {"features": 20}}}


def start(http: TestClient, world: World, project: Project, **options: Any) -> Job:
    return start_job(http, world, project, "embedding_map", {"perplexity": 5.0}, **options)


def make(http: TestClient, world: World, project: Project) -> Job:
    """A map that was started, made in this process."""
    job = run_here(world, start(http, world, project))
    assert job.state is JobState.SUCCEEDED, job.error
    return job


def kept(world: World, project: Project) -> Artifact:
    """The one map that there is."""
    world.session.expire_all()
    statement = select(Artifact).where(
        Artifact.project_id == project.id, Artifact.kind == ArtifactKind.EMBEDDING_MAP
    )
    return world.session.scalars(statement).one()


def table(world: World, artifact: Artifact) -> Any:
    return pq.read_table(world.storage.artifact(artifact.storage_key))


def wrong(engine: Engine) -> dict[str, list[str]]:
    """What a check of the files finds wrong."""
    found = findings(engine, running=False)
    return {
        name: found[name].objects
        for name in ("artifacts", "stray_files")
        if found[name].level != "ok"
    }


def stored(world: World, project: Project) -> Path:
    settings = ProjectSettings.model_validate(project.settings)
    return embeddings_file(world.storage, project.id, settings)


def test_a_map_is_of_the_pool_and_kept_with_its_project(
    http: TestClient, world: World, engine: Engine
) -> None:
    project = world.project(images=40, evaluation=6, **PATCHES)
    world.add_images(project, 3, Split.AUXILIARY_OOD)
    world.session.commit()
    job = make(http, world, project)
    artifact = kept(world, project)
    assert job.result is not None
    assert job.result["map_id"] == artifact.id
    assert (job.result["images"], job.result["features"]) == (40, "patch_kmeans")
    rows = table(world, artifact)
    assert_array_equal(rows["pool_index"].to_numpy(), np.arange(40))
    at = np.stack([rows["x"].to_numpy(), rows["y"].to_numpy()], axis=1)
    assert at.dtype == np.float32
    assert np.abs(at).max() == pytest.approx(1.0)
    assert len(np.unique(at, axis=0)) == 40
    assert not world.storage.work(job.id).exists()
    assert wrong(engine) == {}


def test_what_it_embeds_the_next_round_uses_as_if_it_had_embedded_it(
    http: TestClient, world: World
) -> None:
    project = world.project(images=30, evaluation=5, **PATCHES)
    make(http, world, project)
    settings = ProjectSettings.model_validate(project.settings)
    mine = stored(world, project)
    assert np.load(mine).shape[0] == 35
    theirs = mine.with_name("theirs.npy")
    pixels = PixelStore.open(world.storage.pixels(project.id, 8, "crop"), 8, 35)
    embed_pool(pixels, settings.model.name, settings.model.params, out=theirs, seed=settings.seed)
    assert_array_equal(np.load(mine), np.load(theirs))
    assert load_file(extractor_path(mine)).keys() == load_file(extractor_path(theirs)).keys()
    for name, tensor in load_file(extractor_path(mine)).items():
        assert_array_equal(tensor, load_file(extractor_path(theirs))[name])


def test_what_a_round_has_embedded_is_not_embedded_again(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world, **PATCHES)
    loop.advance(0)
    before = stored(world, loop.project).stat()
    seen = watch_progress(monkeypatch)
    make(http, world, loop.project)
    after = stored(world, loop.project).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert max(one["steps"] for one in seen if one["phase"] == "embed") == 0


def test_while_a_round_embeds_what_the_map_needs_is_written_elsewhere(
    http: TestClient, world: World
) -> None:
    project = world.project(images=20, **PATCHES)
    round_job = new_job(JobKind.ADVANCE_ROUND, project_id=project.id, params={})
    world.session.add(round_job)
    world.session.flush()
    claim_job(round_job, "elsewhere:1")
    world.session.commit()
    make(http, world, project)
    assert not stored(world, project).exists()
    assert len(table(world, kept(world, project))) == 20


def test_a_network_that_is_trained_gives_its_own_features_once_it_is(
    http: TestClient, world: World
) -> None:
    loop = Loop(world)
    # Nothing is trained yet.
    first = make(http, world, loop.project)
    assert first.result is not None
    assert first.result["features"] == "auto"
    loop.advance(0)
    second = make(http, world, loop.project)
    assert second.result is not None
    assert second.result["features"] == "cnn_tiny"
    assert len(table(world, kept(world, loop.project))) == 60


def test_learned_features_stand_in_for_a_network_that_no_round_has_trained(
    http: TestClient, world: World
) -> None:
    project = world.project(images=24, model={"name": "cnn_tiny", "params": {}})
    learned = learn(http, world, project)
    job = make(http, world, project)
    assert job.result is not None
    assert job.result["features"] == "learn_features"
    # Images that came later are embedded by what was learned, beside its own file.
    world.add_images(project, 5)
    world.session.commit()
    make(http, world, project)
    assert len(table(world, kept(world, project))) == 29
    assert len(LearnedFeatures.of(world.storage, project.id, learned.id).rows()) == 24


@pytest.mark.parametrize("place", ["Features.complete", "reduce"])
def test_one_whose_features_were_removed_lays_out_those_of_now(
    http: TestClient, world: World, place: str
) -> None:
    project = world.project(images=24, model={"name": "cnn_tiny", "params": {}})
    learn(http, world, project)
    job = start(http, world, project)
    cut_off(world, job, f"workers.embedding_map.handler.{place}")
    *_, last = (learn(http, world, project, epochs=epochs) for epochs in (1, 3))
    retry(world, job)
    assert job.checkpoint["known"]["job_id"] == last.id
    assert len(table(world, kept(world, project))) == 24


def test_the_same_pool_has_the_same_map_and_the_new_one_takes_the_place_of_the_old(
    http: TestClient, world: World, engine: Engine
) -> None:
    project = world.project(images=30, **PATCHES)
    make(http, world, project)
    first = kept(world, project)
    digest, path = first.sha256, world.storage.artifact(first.storage_key)
    make(http, world, project)
    second = kept(world, project)
    assert second.sha256 == digest
    assert not path.exists()
    world.add_images(project, 4)
    world.session.commit()
    make(http, world, project)
    third = kept(world, project)
    assert third.sha256 != digest
    assert len(table(world, third)) == 34
    assert wrong(engine) == {}


@pytest.mark.parametrize("images", [1, 2, 4, 5, 7])
def test_small_pools_have_maps(http: TestClient, world: World, images: int) -> None:
    project = world.project(images=images, **PATCHES)
    make(http, world, project)
    rows = table(world, kept(world, project))
    assert len(rows) == images
    assert np.isfinite(rows["x"].to_numpy()).all()


# A worker starts for each phase, for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_makes_the_same_map(
    http: TestClient, world: World, engine: Engine, tmp_path: Path
) -> None:
    victim_project, other = (world.project(images=30, **PATCHES) for _ in range(2))
    victim = start(http, world, victim_project)
    message = RunJob.of(victim)
    log = tmp_path / "worker.log"
    kill_in_every_phase(world, victim, message, named(PHASES), log)
    kill_publishing(world, victim, message, log)
    unharmed = start(http, world, other)
    with worker("gpu", log):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    assert (victim.attempt, unharmed.attempt) == (len(PHASES) + 2, 1)
    assert kept(world, victim_project).sha256 == kept(world, other).sha256
    assert wrong(engine) == {}


def test_a_map_that_is_made_can_be_stopped_and_gone_on_with(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = world.project(images=400, **PATCHES)
    job = start(http, world, project)
    admin = world.caller().headers
    report = JobContext.progress

    def stop_in_layout(context: Any, step: int, steps: int, phase: str | None = None) -> None:
        report(context, step, steps, phase)
        assert context._progress is not None
        if context._progress["phase"] == "layout" and step == 200:
            http.post(f"/api/jobs/{job.id}/cancel", headers=admin).raise_for_status()
            context.beat()

    with monkeypatch.context() as patched:
        patched.setattr(JobContext, "progress", stop_in_layout)
        run_job(RunJob.of(job), handler)
    assert state(world, job) is JobState.CANCELLED
    log = http.get(f"/api/jobs/{job.id}/log", headers=admin).text
    assert "layout begins" in log
    assert "cancel was asked for" in log
    http.post(f"/api/jobs/{job.id}/retry", headers=admin).raise_for_status()
    seen = watch_progress(monkeypatch)
    run_job(RunJob.of(job), handler)
    assert state(world, job) is JobState.SUCCEEDED
    steps = [one["step"] for one in seen if one["phase"] == "layout" and one["steps"] == 750]
    assert steps[0] == 200
    assert any(one["eta_seconds"] is not None for one in seen)
