"""Weights from files, from their check to the embeddings of a round."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import psycopg
import pytest
import torch
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.weights.receiving import Asked, _place
from core.errors import DomainError
from core.events import CHANNEL
from core.jobs import queue
from core.jobs.messages import CheckWeights, RunJob
from core.lifecycle import new_job, requeue_job
from core.settings import Settings
from core.states import JobKind, RoundState
from core.tables import Job, PublishedWeights, Round, Weights
from models.files.tensorfile import read_metadata
from models.media.images.networks import weight_check
from models.media.images.store import PixelStore
from tests.security.targets import add_weights
from tests.weight_files import TINY, tiny_weights
from tests.workers.loop import Loop, run
from tests.world import World
from workers import weights
from workers.advance import handler
from workers.advance.advance import Advance
from workers.celery_tasks.check_weights import check_weights
from workers.celery_tasks.sweep import sweep
from workers.cleanup.strays import strays
from workers.embedding_map.features import Features, source_of
from workers.execution.claiming import claim
from workers.execution.runner import run_job
from workers.jobs.context import JobContext, sessions
from workers.jobs.locks import alone


def stored(world: World, name: str, tmp_path: Path, **how: Any) -> tuple[Weights, Any]:
    """Weights that nobody has checked, with their file, and the network."""
    file = tmp_path / "upload.safetensors"
    values = {key: how.pop(key) for key in ("library", "architecture") if key in how}
    model = tiny_weights(file, **how)
    kept = _place(file, Asked(name, "tiny.safetensors"), world.storage)
    row = add_weights(
        world, name, storage_key=kept.key, sha256=kept.sha256, bytes=kept.bytes, meta=kept.meta,
        checked_at=None, left_aside=[], **values,
    )  # fmt: skip
    return row, model


def check(world: World) -> None:
    check_weights({})
    world.session.expire_all()


def test_a_worker_says_what_fits_and_what_does_not(world: World, tmp_path: Path) -> None:
    good, _ = stored(world, "good", tmp_path)
    wrong, _ = stored(world, "wrong", tmp_path, seed=1, architecture="resnet18")
    lost = add_weights(world, "lost", checked_at=None)
    assert weights.unchecked(world.session)
    check(world)
    assert good.problem is None
    assert set(good.left_aside) == {"fc.weight", "fc.bias"}
    assert good.checked_at is not None
    assert wrong.problem is not None
    assert "is this file of resnet18?" in wrong.problem
    assert lost.problem is not None
    assert not weights.unchecked(world.session)


@pytest.mark.parametrize("published", [False, True])
def test_weights_that_end_their_worker_do_so_twice_at_most(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, published: bool
) -> None:
    if published:
        row: Any = PublishedWeights(library="timm", architecture="resnet18")
        world.session.add(row)
        world.session.commit()
    else:
        row, _ = stored(world, "large", tmp_path)
    looks = []

    def end(*_: object) -> NoReturn:
        looks.append(row.id)
        raise SystemExit

    monkeypatch.setattr(weight_check, "check_published" if published else "check_file", end)
    for _ in range(2):
        with pytest.raises(SystemExit):
            check(world)
        # Nobody knows yet: it may be at work.
        with alone(sessions(), weights._LOOKING, 0):
            check(world)
        assert row.checked_at is None
    for _ in range(2):
        check(world)
    assert looks == [row.id] * 2
    assert "ended" in (row.problem or "")
    assert not weights.unchecked(world.session)


def test_weights_in_a_bucket_that_is_away_are_looked_at_later(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, _ = stored(world, "mine", tmp_path)

    def away(*_: object) -> NoReturn:
        raise DomainError("location_unavailable", "The bucket is away.")

    with monkeypatch.context() as patch:
        patch.setattr(type(world.storage), "fetch", away)
        check(world)
    assert (row.checked_at, row.problem) == (None, None)
    check(world)
    assert row.checked_at is not None
    assert row.problem is None


def test_pages_of_a_purity_hear_of_its_weights(world: World, installation: Settings) -> None:
    captions = add_weights(world, "words", library="open_clip", checked_at=None)
    chosen = {"name": "clip", "params": {"uploaded": captions.name}}
    project, _ = world.project(purity=chosen), world.project()
    with psycopg.connect(installation.libpq_url, autocommit=True) as connection:
        connection.execute(f'LISTEN "{CHANNEL}"')
        check(world)
        # The first comes however late, and another one would come with it.
        (told,) = connection.notifies(timeout=60, stop_after=1)
        others = [*connection.notifies(timeout=0)]
    assert captions.problem is not None
    assert (json.loads(told.payload)["project_id"], others) == (project.id, [])


def test_a_round_embeds_with_the_uploaded_weights_as_timm_does(
    world: World, tmp_path: Path
) -> None:
    row, model = stored(world, "mine", tmp_path, metadata={"input_size": "40"})
    check(world)
    params = {"architecture": TINY, "mode": "frozen", "weights": "mine", "precision": "float32"}
    loop = Loop(world, model={"name": "timm", "params": params}, strategy={"name": "margin"})
    loop.advance(0)
    (file,) = world.storage.features(loop.project.id).glob("timm-*.npy")
    found = np.load(file)
    size = loop.project.settings["input_size"]
    store = PixelStore.open(world.storage.pixels(loop.project.id, size, "crop"), size, 72)
    pixels = torch.from_numpy(store[slice(0, None)]).permute(0, 3, 1, 2).float() / 255
    config = model.pretrained_cfg
    mean, std = (torch.tensor(config[one])[:, None, None] for one in ("mean", "std"))
    images = torch.nn.functional.interpolate(
        (pixels - mean) / std, (40, 40), mode="bilinear", antialias=True
    )
    model.reset_classifier(0)
    with torch.inference_mode():
        np.testing.assert_allclose(found, model(images).numpy(), rtol=1e-3, atol=1e-4)
    noted = json.loads(read_metadata(file.with_suffix(".extractor.safetensors"))["params"])
    assert noted["weights"] == row.sha256
    assert noted["input_size"] == 40
    # A map of the pool finds them, too.
    job = new_job(JobKind.EMBEDDING_MAP, project_id=loop.project.id, params={})
    world.session.add(job)
    world.session.commit()
    context = claim(RunJob.of(job))
    assert context is not None
    assert Features(context, source_of(context)).missing == 0


def test_other_weights_of_the_same_name_embed_anew(world: World, tmp_path: Path) -> None:
    first, _ = stored(world, "mine", tmp_path)
    check(world)
    params = {"architecture": TINY, "mode": "frozen", "weights": "mine"}
    loop = Loop(world, model={"name": "timm", "params": params}, strategy={"name": "margin"})
    loop.advance(0)
    world.session.delete(first)
    world.session.commit()
    stored(world, "mine", tmp_path, seed=1)
    check(world)
    loop.advance(1)
    one, two = (
        np.load(file) for file in world.storage.features(loop.project.id).glob("timm-*.npy")
    )
    assert not np.allclose(one, two)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def overwritten(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:-8] + bytes(one ^ 1 for one in content[-8:]))


@pytest.mark.parametrize("damage", [Path.unlink, cut, overwritten])
def test_a_round_whose_weights_are_gone_says_which(
    world: World, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    row, _ = stored(world, "mine", tmp_path)
    file = world.storage.artifact(row.storage_key)
    params = {"architecture": TINY, "mode": "frozen", "weights": "mine"}
    loop = Loop(world, model={"name": "timm", "params": params}, strategy={"name": "margin"})
    damage(file)
    loop.answer(0, 8)
    job = loop.finish(0)
    assert job.error is not None
    assert job.error["code"] == "weights_file_gone"
    says = f"'mine' of timm {TINY} is missing or damaged: {file}. Have an admin upload a.saf"
    assert says in job.error["detail"]
    world.session.delete(row)
    world.session.commit()
    run(world.session, again(world, job))
    assert job.error is not None
    assert job.error["code"] == "weights_gone"
    assert "'mine'" in job.error["detail"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_first_round_looks_for_its_weights_again_only_where_they_were_missing(
    world: World, tmp_path: Path, http: TestClient, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    row, _ = stored(world, "mine", tmp_path)
    params = {"architecture": TINY, "mode": "frozen", "weights": "mine"}
    project = world.project(images=40, budget=8, model={"name": "timm", "params": params})
    started = http.post(f"/api/projects/{project.id}/start", headers=world.caller().headers)
    assert started.status_code == 200, started.text
    job = world.session.scalars(select(Job).where(Job.project_id == project.id)).one()
    if not is_there:
        world.storage.artifact(row.storage_key).unlink()
    reads, read = [], Advance.open

    def counted(context: JobContext) -> Advance:
        reads.append(context.job_id)
        return read(context)

    monkeypatch.setattr(Advance, "open", counted)
    message = RunJob(job_id=job.id, kind=job.kind)
    world.session.rollback()
    # All of it, as by a worker that trains where there are boxes to begin with.
    run_job(message, handler)
    world.session.expire_all()
    assert len(reads) == (1 if is_there else 2)
    # Nobody waits for a file that the first images do not need.
    round_ = world.session.scalars(select(Round).where(Round.project_id == project.id)).one()
    assert round_.state is RoundState.OPEN
    assert (job.error or {}).get("code") == (None if is_there else "weights_file_gone")


def again(world: World, job: Job) -> Job:
    requeue_job(job)
    world.session.commit()
    return job


def test_published_weights_that_cannot_be_had_are_noted_with_their_place(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody listens there.
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    row = PublishedWeights(library="torchvision", architecture="resnet18")
    world.session.add(row)
    world.session.commit()
    check(world)
    assert row.problem is not None
    assert f"is not at {tmp_path}/checkpoints/resnet18-f37072fd.pth" in row.problem
    assert row.checked_at is not None


def test_the_sweep_asks_again_for_a_check_that_was_lost(world: World) -> None:
    sweep({})
    assert queue.waiting(CheckWeights.queue) == 0
    add_weights(world, checked_at=None)
    for _ in range(3):
        sweep({})
    assert queue.waiting(CheckWeights.queue) == 1


def test_files_that_no_row_names_are_strays(world: World, tmp_path: Path) -> None:
    row, _ = stored(world, "mine", tmp_path)
    other = world.storage.artifact(f"weights/{'0' * 32}/{'ab' * 32}.safetensors")
    other.parent.mkdir(parents=True)
    other.write_bytes(b"left")
    for path in (other, world.storage.artifact(row.storage_key)):
        os.utime(path, (0, 0))
    with sessions()() as session:
        found = [one.name for one in strays(session.connection(), world.storage)]
    assert found == [str(other.relative_to(world.storage.root))]
    assert world.session.scalars(select(Weights.name)).all() == ["mine"]
