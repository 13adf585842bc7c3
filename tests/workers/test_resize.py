"""Bringing a pool to another size: pixels as an import makes them, swapped with the settings."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save_file
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from core import settings
from core.artifacts.features import features_of
from core.database.engines import sync_engine
from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import claim_job, new_job, request_cancel, requeue_job
from core.rounds import lock_unfinished, new_round
from core.settings.project import ProjectSettings
from core.states import JobKind, JobState, RoundState
from core.tables import DRY_RUN, Job, Project, Round
from models.errors import ModelError
from models.features.embed import extractor_path
from models.frame import Frame
from models.media import embedding_files
from models.media.images.contrastive import embed_with_encoder
from models.media.images.store import PixelStore
from tests.processes import blocks, eventually, worker
from tests.s3 import Bucket
from tests.workers.import_files import Pool, encoded, picture, zipped
from tests.workers.killing import ended_by_kill, state, victim
from tests.workers.loop import Loop
from tests.workers.starting import start_job
from tests.workers.test_learn_features import QUICK, learn
from tests.workers.test_verify import findings
from tests.world import World
from workers.advance import handler as advance
from workers.execution.runner import run_job
from workers.features import handler as features
from workers.features.stored import LearnedFeatures, embeddings_file, latest
from workers.jobs.context import JobContext
from workers.jobs.fairness import in_the_way
from workers.resize import handler, refit
from workers.resize.refit import Refit
from workers.resize.swap import name

BATCH = 64
"""How many images are fitted at once here."""
N = 2 * BATCH + 40


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refit, "BATCH", BATCH)


def content(number: int) -> tuple[str, bytes]:
    name = f"{number:04}"
    if number % 7 == 3:
        return f"{name}.jpg", encoded(picture(number, 90, 60), "JPEG")
    return f"{name}.png", encoded(picture(number, 40, 50 + number % 3))


@pytest.fixture(scope="module")
def upload() -> bytes:
    return zipped([content(number) for number in range(N)])


def imported(pool: Pool, upload: bytes) -> Pool:
    job = pool.add(upload)
    assert job.result is not None
    assert job.result["added"] == N
    return pool


@pytest.fixture
def full(pool: Pool, upload: bytes) -> Pool:
    """A pool of 8-pixel images."""
    return imported(pool, upload)


def start(http: TestClient, world: World, pool: Pool, size: int | None, **options: Any) -> Job:
    project = world.session.get_one(Project, pool.project_id)
    params = {} if size is None else {"input_size": size}
    return start_job(http, world, project, "resize", params, **options)


def run(world: World, job: Job) -> Job:
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    return job


def resize(http: TestClient, world: World, pool: Pool, size: int | None) -> Job:
    job = run(world, start(http, world, pool, size))
    assert job.state is JobState.SUCCEEDED, job.error
    return job


def side(pool: Pool) -> int:
    pool.session.expire_all()
    project = pool.session.get_one(Project, pool.project_id)
    return ProjectSettings.model_validate(project.settings).side


def pixels(pool: Pool, size: int) -> Any:
    return PixelStore.open(pool.storage.pixels(pool.project_id, size, "crop"), size, N)[:]


def files(pool: Pool) -> list[str]:
    return [path.name for path in pool.storage.all_pixels(pool.project_id)]


@pytest.mark.parametrize("size", [16, 32, 100])
def test_pixels_are_those_of_an_import_at_that_size(
    http: TestClient, world: World, full: Pool, upload: bytes, size: int
) -> None:
    job = resize(http, world, full, size)
    assert job.result is not None
    assert (job.result["images"], job.result["before"], job.result["input_size"]) == (N, 8, size)
    assert side(full) == size
    assert files(full) == [f"pixels-{size}.u8"]
    assert not world.storage.work(job.id).exists()
    other = Pool(full.session, full.storage, world.project(input_size=size))
    np.testing.assert_array_equal(pixels(full, size), pixels(imported(other, upload), size))


def test_there_and_back_and_imported_into_it_is_the_same_pool(
    http: TestClient, world: World, full: Pool
) -> None:
    before = pixels(full, 8)
    resize(http, world, full, 24)
    more = full.add(zipped([(f"more {n}.png", encoded(picture(N + n))) for n in range(3)]))
    assert more.result is not None
    assert more.result["added"] == 3
    assert full.storage.pixels(full.project_id, 24, "crop").stat().st_size == (N + 3) * 24 * 24 * 3
    resize(http, world, full, 8)
    assert files(full) == ["pixels-8.u8"]
    np.testing.assert_array_equal(pixels(full, 8), before)


def test_models_come_to_see_all_of_each_image_and_back(
    http: TestClient, world: World, full: Pool, upload: bytes, installation: settings.Settings
) -> None:
    project = world.session.get_one(Project, full.project_id)
    model = {"name": "patch_kmeans", "params": {}}
    now = ProjectSettings.model_validate({**project.settings, "model": model})
    before = pixels(full, 8)
    job = run(world, start_job(http, world, project, "resize", {"fit": "pad", "input_size": 8}))
    assert job.state is JobState.SUCCEEDED, job.error
    result: Any = job.result
    assert (result["fit_before"], result["fit"], result["input_size"]) == ("crop", "pad", 8)
    assert result["notes"] == [
        "The model sees the whole of each image now, instead of its middle square."
    ]
    world.session.refresh(project)
    assert (project.settings["fit"], files(full)) == ("pad", ["pixels-pad-8.u8"])
    other = Pool(full.session, full.storage, world.project(input_size=8, fit="pad"))
    imported(other, upload)
    assert files(other) == ["pixels-pad.u8"]
    mine, theirs = (
        one.storage.pixels(one.project_id, 8, "pad").read_bytes() for one in (full, other)
    )
    assert mine == theirs
    engine = sync_engine(installation)
    assert {name: one.objects for name, one in findings(engine).items() if one.level != "ok"} == {}
    engine.dispose()
    # No features of the one are ever taken for those of the other.
    then = now.model_copy(update={"fit": "pad"})
    cropped, padded = (embeddings_file(full.storage, project.id, one) for one in (now, then))
    cropped.parent.mkdir(exist_ok=True)
    for path in (cropped, padded):
        np.save(path, np.zeros((N, 2), dtype=np.float32))
        save_file({"rows": np.zeros(1)}, extractor_path(path))
    project.settings = then.model_dump(mode="json")
    world.session.commit()
    again = start_job(http, world, project, "resize", {"fit": "crop", "input_size": 8})
    assert run(world, again).state is JobState.SUCCEEDED
    np.testing.assert_array_equal(pixels(full, 8), before)
    found = features_of(full.storage, project.id, "patch_kmeans", lambda _, width: width)
    assert found.path == cropped


def test_without_a_size_it_is_what_an_import_would_choose(
    http: TestClient, world: World, full: Pool
) -> None:
    job = resize(http, world, full, None)
    assert job.params["input_size"] == side(full) == 64


def test_whoever_asks_for_whole_images_alone_keeps_the_size(
    http: TestClient, world: World, full: Pool
) -> None:
    project = world.session.get_one(Project, full.project_id)
    job = start_job(http, world, project, "resize", {"fit": "pad"})
    assert (job.params["input_size"], job.params["fit"]) == (8, "pad")


def test_a_dry_run_says_what_it_costs_and_leaves_nothing(
    http: TestClient, world: World, full: Pool
) -> None:
    job = run(world, start(http, world, full, 128, dry_run=True))
    assert job.state is JobState.SUCCEEDED, job.error
    found: Any = (job.result or {})["estimate"]
    assert found["labeled"] == N
    assert found["seconds"] >= 0
    assert found["phases"].keys() == {"check", "fit", "swap"}
    assert found["notes"][0].startswith(f"The pixels take {N * 128 * 128 * 3 / 1e6:.1f} MB")
    assert (side(full), files(full)) == (8, ["pixels.u8"])
    assert not world.storage.work(job.id).exists()


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_lost_original_is_named_before_anything_changes(
    http: TestClient, world: World, full: Pool, dry_run: bool
) -> None:
    examples = full.examples()
    lost = [examples[3], examples[N - 1]]
    kept = {}
    for one in lost:
        path = full.storage.image(one.content_hash)
        kept[path] = path.read_bytes()
        path.unlink()
    job = run(world, start(http, world, full, 16, dry_run=dry_run))
    assert (job.state, (job.error or {})["code"]) == (JobState.FAILED, "originals_gone")
    detail = (job.error or {})["detail"]
    said = "Of 2 images the original is not there any more, or another one: "
    assert f"{said}{lost[0].name}, {lost[1].name}. Restore" in detail
    assert (side(full), files(full)) == (8, ["pixels.u8"])
    if dry_run:
        return
    for path, bytes_ in kept.items():
        path.write_bytes(bytes_)
    requeue_job(job)
    world.session.commit()
    assert run(world, job).state is JobState.SUCCEEDED, job.error
    assert side(full) == 16


def test_originals_in_a_bucket_are_read_there(
    bucket: Bucket, http: TestClient, world: World, pool: Pool
) -> None:
    photographs = {f"photos/{n}.jpg": encoded(picture(n, 60, 40), "JPEG") for n in range(5)}
    bucket.put(photographs)
    assert (pool.bucket(f"{bucket.url}/photos").result or {})["added"] == 5
    resize(http, world, pool, 16)
    other = Pool(pool.session, pool.storage, world.project(input_size=16))
    other.zip(photographs)
    for one in (pool, other):
        assert files(one) == ["pixels-16.u8" if one is pool else "pixels.u8"]
    mine, theirs = (
        PixelStore.open(one.storage.pixels(one.project_id, 16, "crop"), 16, 5)[:]
        for one in (pool, other)
    )
    np.testing.assert_array_equal(mine, theirs)
    bucket.put({"photos/2.jpg": encoded(picture(99, 60, 40), "JPEG")})
    job = run(world, start(http, world, pool, 32))
    assert (job.error or {})["code"] == "originals_gone"
    assert ": 2.jpg. Restore" in (job.error or {})["detail"]
    assert side(pool) == 16


PLACES = {
    "check": "workers.resize.refit:Refit.lost",
    "pixels": "workers.resize.refit:Refit.pixels",
    "saved": "workers.jobs.context:JobContext.save",
    "place": "workers.resize.handler:put_in_place",
    "name": "workers.resize.handler:name",
    "tidy": "workers.resize.handler:tidy",
    "end": "workers.execution.runner:finish_job",
}
"""Functions at whose calls a worker dies."""


def kill(pool: Pool, job: Job, place: str, moment: str, count: int) -> None:
    at_once = {"workers.resize.handler:_SAVE_SECONDS": 0.0, "workers.resize.refit:BATCH": BATCH}
    child = victim(RunJob.of(job), PLACES[place], moment, count, at_once)
    assert ended_by_kill(child), (place, moment, count)
    pool.session.refresh(job)
    assert job.state is JobState.RUNNING
    # A dead worker's job is free after some silent seconds; time passes here in the row.
    job.heartbeat_at = func.now() - func.make_interval(0, 0, 0, 0, 1)
    pool.session.commit()


def test_killed_at_any_step_it_is_the_old_pool_or_the_new_one(
    http: TestClient, world: World, full: Pool
) -> None:
    """At every moment the settings and the file that they name say the same."""
    before = pixels(full, 8)
    resize(http, world, full, 24)
    expected = pixels(full, 24)
    resize(http, world, full, 8)
    job = start(http, world, full, 24)
    old = [
        ("check", "after", 2), ("pixels", "before", 1), ("saved", "after", 1),
        ("pixels", "after", 2), ("place", "before", 1), ("place", "after", 1),
        ("name", "before", 1), ("name", "after", 1),
    ]  # fmt: skip
    for attempt, where in enumerate(old, 1):
        kill(full, job, *where)
        assert (side(full), job.attempt) == (8, attempt), where
        np.testing.assert_array_equal(pixels(full, 8), before)
    for where in [("tidy", "before", 1), ("tidy", "after", 1), ("end", "before", 1)]:
        kill(full, job, *where)
        assert side(full) == 24, where
        np.testing.assert_array_equal(pixels(full, 24), expected)
    assert run(world, job).state is JobState.SUCCEEDED
    np.testing.assert_array_equal(pixels(full, 24), expected)
    assert files(full) == ["pixels-24.u8"]


def test_what_was_put_in_place_and_not_named_misses_no_image_that_comes_later(
    http: TestClient, world: World, full: Pool
) -> None:
    job = start(http, world, full, 24)
    kill(full, job, "place", "after", 1)
    assert files(full) == ["pixels-24.u8", "pixels.u8"]
    job.cancel_requested = True
    world.session.commit()
    assert run(world, job).state is JobState.CANCELLED
    more = [(f"more {n}.png", encoded(picture(N + n, 30, 30))) for n in range(5)]
    assert (full.add(zipped(more)).result or {})["added"] == 5
    requeue_job(job)
    world.session.commit()
    assert run(world, job).state is JobState.SUCCEEDED, job.error
    assert (job.result or {})["images"] == N + 5
    store = PixelStore.open(full.storage.pixels(full.project_id, 24, "crop"), 24, N + 5)
    assert store[N:].any(axis=(1, 2, 3)).all()


def test_a_cancelled_one_changes_nothing_and_a_retry_goes_on(
    http: TestClient, world: World, full: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "_SAVE_SECONDS", 0.0)
    job = start(http, world, full, 16)
    made: list[int] = []
    make = Refit.pixels

    def watched(refit: Refit, rows: Any, frame: Frame) -> Any:
        if len(made) == 1:
            refit._context.cancel()
        made.append(rows[0].pool_index)
        return make(refit, rows, frame)

    monkeypatch.setattr(Refit, "pixels", watched)
    assert run(world, job).state is JobState.CANCELLED
    assert (side(full), files(full)) == (8, ["pixels.u8"])
    done = job.checkpoint["fitted"]
    assert 0 < done < N
    requeue_job(job)
    world.session.commit()
    made[:] = [-1, -1]
    assert run(world, job).state is JobState.SUCCEEDED
    assert made[2] == done
    assert side(full) == 16


def test_what_came_too_late_to_be_cancelled_succeeds(
    http: TestClient, world: World, full: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = start(http, world, full, 16)

    def cancelled(session: Any, *given: Any) -> Any:
        found = name(session, *given)
        contexts[0].cancel()
        return found

    contexts: list[JobContext] = []
    monkeypatch.setattr(handler, "name", cancelled)
    begin = JobContext.plan

    def noted(context: JobContext, *given: Any, **more: Any) -> None:
        contexts.append(context)
        begin(context, *given, **more)

    monkeypatch.setattr(JobContext, "plan", noted)
    assert run(world, job).state is JobState.SUCCEEDED, job.error
    assert (side(full), files(full)) == (16, ["pixels-16.u8"])


def test_an_old_job_that_is_retried_does_not_touch_what_another_has_done(
    http: TestClient, world: World, full: Pool
) -> None:
    first = start(http, world, full, 16)
    request_cancel(first)
    world.session.commit()
    resize(http, world, full, 16)
    requeue_job(first)
    world.session.commit()
    run(world, first)
    assert (first.state, (first.error or {})["code"]) == (JobState.FAILED, "input_size_same")
    assert (side(full), files(full)) == (16, ["pixels-16.u8"])
    assert pixels(full, 16).any(axis=(1, 2, 3)).all()


def test_a_patch_that_does_not_fit_any_more_ends_it(
    http: TestClient, world: World, full: Pool
) -> None:
    resize(http, world, full, 32)
    job = start(http, world, full, 16)
    project = world.session.get_one(Project, full.project_id)
    model = {"name": "patch_kmeans", "params": {"patch_size": 16}}
    project.settings = {**project.settings, "model": model}
    world.session.commit()
    run(world, job)
    assert (job.error or {})["code"] == "patch_too_large"
    assert (side(full), files(full)) == (32, ["pixels-32.u8"])


# A file that is looked up is no image of the pool.
KINDS = [kind for kind in JobKind if kind not in {JobKind.SCORE_PART, JobKind.LOOK_UP}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("running", [True, False], ids=["it runs", "the other runs"])
def test_nothing_that_reads_or_writes_pixels_runs_beside_it(
    world: World, kind: JobKind, running: bool
) -> None:
    project, other = world.project(), world.project()
    mine = new_job(JobKind.RESIZE, project_id=project.id, params={})
    beside = new_job(kind, project_id=project.id, params={})
    elsewhere = new_job(kind, project_id=other.id, params={})
    plan = new_job(JobKind.IMPORT_POOL, project_id=project.id, params={DRY_RUN: True})
    world.session.add_all([mine, beside, elsewhere, plan])
    world.session.flush()
    runs, waits = (mine, beside) if running else (beside, mine)
    assert world.session.scalar(in_the_way(waits)) is None
    claim_job(runs, "here:1")
    world.session.flush()
    assert world.session.scalar(in_the_way(waits)) == runs.id
    assert world.session.scalar(in_the_way(elsewhere)) is None
    if kind is not JobKind.IMPORT_POOL:
        assert world.session.scalar(in_the_way(plan)) is None


@pytest.mark.parametrize("model", ["cnn_tiny", "patch_kmeans"])
def test_rounds_go_on_at_the_new_size_and_closed_ones_keep_theirs(
    http: TestClient, world: World, model: str
) -> None:
    params = {"steps": 20, "augment": False} if model == "cnn_tiny" else {}
    loop = Loop(world, model={"name": model, "params": params}, strategy={"name": "margin"})
    loop.advance(0)
    closed = loop.rounds()[0]
    kept = (dict(closed.settings), dict(closed.metrics), list(closed.notes))
    # One that fails midway, and whose work is of the old size.
    loop.answer(1, 8)
    job = loop.close(1)
    with pytest.MonkeyPatch.context() as patch:
        phases = [
            replace(one, run=_fail) if one.name == "evaluate" else one for one in advance.PHASES
        ]
        patch.setattr(advance, "PHASES", phases)
        run_job(RunJob.of(job), advance)
    world.session.expire_all()
    assert (job.state, loop.rounds()[1].state) == (JobState.FAILED, RoundState.FAILED)
    assert "train" in job.checkpoint["seconds"]
    before = set(world.storage.features(loop.project.id).glob("*"))
    resized = run(world, start_job(http, world, loop.project, "resize", {"input_size": 16}))
    assert resized.state is JobState.SUCCEEDED, resized.error
    world.session.expire_all()
    assert (job.checkpoint, world.storage.work(job.id).exists()) == ({}, False)
    headers = world.caller().headers
    assert http.post(f"/api/jobs/{job.id}/retry", headers=headers).status_code == 200
    world.session.rollback()
    run_job(RunJob.of(job), advance)
    world.session.expire_all()
    assert job.state is JobState.SUCCEEDED, job.error
    first, second, third = loop.rounds()[:3]
    assert (first.settings, first.metrics, first.notes) == kept
    assert first.settings["input_size"] == 8
    assert [one.settings["input_size"] for one in (second, third)] == [16, 16]
    assert second.accuracy is not None
    if model == "patch_kmeans":
        (made,) = set(world.storage.features(loop.project.id).glob("*.npy")) - before
        assert len(np.load(made, mmap_mode="r")) == 72
    loop.advance(2)
    assert len(loop.rounds()) == 4


def _fail(*_: object) -> None:
    raise ModelError("Not this time.")


def test_a_round_that_an_answer_makes_meanwhile_goes_on_at_the_new_size(
    world: World, engine: Engine
) -> None:
    project, session = world.project(images=1), world.session
    world.open_round(project, 1)
    session.execute(lock_unfinished(project.id))
    session.add(new_round(project, 1))
    session.flush()
    with ThreadPoolExecutor(1) as threads, Session(engine) as swapping:
        named = threads.submit(name, swapping, project.id, Frame(16))
        eventually(lambda: blocks(session), "the swap waits for the answer")
        session.commit()
        named.result()
        swapping.commit()
    rounds = session.scalars(select(Round).where(Round.project_id == project.id))
    assert [round_.settings["input_size"] for round_ in rounds] == [16, 16]


def test_features_that_were_learned_at_another_size_count_no_more(
    http: TestClient, world: World
) -> None:
    project = world.project(images=20, purity={"name": "csi"})
    job = learn(http, world, project)
    assert latest(world.session, project.id) == job.id
    headers = world.caller().headers
    url = f"/api/projects/{project.id}"
    assert http.get(url, headers=headers).json()["warnings"] == []
    world.session.commit()
    assert run(world, start_job(http, world, project, "resize", {"input_size": 12})).error is None
    assert latest(world.session, project.id) is None
    (warning,) = http.get(url, headers=headers).json()["warnings"]
    assert "start the job learn_features" in warning
    world.session.commit()
    again = learn(http, world, project)
    assert latest(world.session, project.id) == again.id


@pytest.mark.parametrize("embedded", [0, 8, 20])
def test_an_unfinished_job_of_the_old_size_begins_anew(
    http: TestClient, world: World, tmp_path: Path, embedded: int
) -> None:
    project = world.project(images=20)
    job = start_job(http, world, project, "learn_features", QUICK)
    complete = LearnedFeatures.complete

    def cut_off(self: LearnedFeatures, store: PixelStore, _: object) -> None:
        def progress(step: int, steps: int) -> None:
            assert steps == 20
            if step >= embedded:
                _fail()

        complete(self, store, progress)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding_files, "_BLOCK", 8)
        patch.setattr(embedding_files, "_BLOCKS_PER_SAVE", 1)
        patch.setattr(LearnedFeatures, "complete", cut_off)
        run_job(RunJob.of(job), features)
    world.session.expire_all()
    assert "learn" in job.checkpoint["seconds"]
    run(world, start_job(http, world, project, "resize", {"input_size": 12}))
    requeue_job(job)
    world.session.commit()
    run_job(RunJob.of(job), features)
    world.session.expire_all()
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.checkpoint["known"]["input_size"] == 12
    learned = LearnedFeatures.of(world.storage, project.id, job.id)
    store = PixelStore.open(world.storage.pixels(project.id, 12, "crop"), 12, 20)
    embed_with_encoder(store, learned.encoder, out=tmp_path / "all.npy")
    assert np.array_equal(learned.rows(), np.load(tmp_path / "all.npy"))


def test_a_worker_does_it_while_annotators_go_on(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    loop = Loop(world, model={"name": "patch_kmeans"}, strategy={"name": "margin"})
    job = start_job(http, world, loop.project, "resize", {"input_size": 16})
    queue.send(RunJob.of(job))
    loop.answer(0, 3)
    with worker("cpu", tmp_path / "cpu.log"):
        eventually(lambda: state(world, job) is JobState.SUCCEEDED, "the images are resized")
    loop.advance(0, 5)
    assert loop.rounds()[0].settings["input_size"] == 16


def test_verify_finds_what_a_resized_pool_lacks(
    http: TestClient, world: World, full: Pool, installation: settings.Settings
) -> None:
    engine = sync_engine(installation)
    resize(http, world, full, 16)
    assert {name: one.objects for name, one in findings(engine).items() if one.level != "ok"} == {}
    os.truncate(full.storage.pixels(full.project_id, 16, "crop"), 16 * 16 * 3 * 7)
    assert findings(engine)["pixels"].objects == [
        f"project {full.project_id} has {N} images, pixels of 7"
    ]
    engine.dispose()


def test_imports_of_other_projects_go_first_for_a_while(
    http: TestClient, world: World, full: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_IMPORT_TURN_SECONDS", "0")
    settings.settings.cache_clear()
    monkeypatch.setattr(handler, "_SAVE_SECONDS", 0.0)
    other = Pool(full.session, full.storage, world.project())
    waiting = other.queue(zipped([content(0)]))
    waiting.sent_at = func.now() - func.make_interval(0, 0, 0, 0, 0, 1)
    world.session.commit()
    job = start(http, world, full, 16)
    assert run(world, job).state is JobState.QUEUED
    assert 0 < job.checkpoint["fitted"] < N
    assert (side(full), files(full)) == (8, ["pixels.u8"])
    assert (other.run(waiting).result or {})["added"] == 1
    assert run(world, job).state is JobState.SUCCEEDED, job.error
    assert pixels(full, 16).any(axis=(1, 2, 3)).all()
