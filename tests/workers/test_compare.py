"""Comparing all images: which show the same picture, which are alone, and what becomes of them."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import ArtifactKind, ExampleState, JobState
from core.tables import Artifact, Example, Job, Project, Query
from models.media.images.store import PixelStore
from tests.api.test_pool_actions import act, ids_of, state_of
from tests.api.test_pool_search import find, listed
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, named, state
from tests.workers.loop import Loop
from tests.workers.starting import done_job, run_here, start_job
from tests.workers.test_learn_features import cut_off, learn, retry
from tests.world import Caller, World
from workers.compare.handler import PHASES
from workers.labels.snapshot import take

HEAD = {"model": {"name": "patch_kmeans", "params": {"features": 16, "iterations": 2}}}
SIZE = 16


def pictures(world: World, project: Project, copies: dict[int, int]) -> None:
    """Give every image a picture of its own, but those that are copies, which are a bit brighter.

    ``copies`` says by pool index of which image one is a copy.
    """
    generator = np.random.default_rng(3)
    count = len(ids_of(world, project))
    drawn = generator.integers(20, 180, (count, 4, 4, 3)).astype(np.uint8)
    with PixelStore.writer(world.storage.pixels(project.id, SIZE, "crop"), SIZE) as pixels:
        for index in range(count):
            small = Image.fromarray(drawn[copies.get(index, index)])
            picture = np.asarray(small.resize((SIZE, SIZE), Image.Resampling.BICUBIC))
            if index in copies:
                picture = (picture * 1.08).astype(np.uint8)
            pixels.write(index, picture[None])


def embedded(world: World, copies: dict[int, int], **settings: Any) -> Loop:
    """A project whose first round has embedded such pictures."""
    loop = Loop(world, **{**HEAD, "input_size": SIZE, **settings})
    pictures(world, loop.project, copies)
    loop.advance(0)
    return loop


def compare(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    job = done_job(http, world, project, "compare", params)
    assert job.state is JobState.SUCCEEDED, job.error
    return job


def duplicates(http: TestClient, project: Project, caller: Caller, **query: Any) -> dict[str, Any]:
    url = f"/api/projects/{project.id}/duplicates"
    response = http.get(url, params=query, headers=caller.headers)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def hold(http: TestClient, project: Project, caller: Caller, **body: Any) -> dict[str, Any]:
    url = f"/api/projects/{project.id}/duplicates/hold-out"
    response = http.post(url, json=body, headers=caller.headers)
    assert response.status_code == 200, response.text
    changed: dict[str, Any] = response.json()
    return changed


# 60 images are of the pool, and 12 to evaluate on.
COPIES = {31: 30, 32: 30, 33: 30, 41: 40, 65: 50}


def test_groups_are_found_and_a_pool_without_features_says_so(
    http: TestClient, world: World
) -> None:
    admin = world.caller()
    bare = world.project(images=3)
    job = done_job(http, world, bare, "compare", {})
    assert (job.state, (job.error or {})["code"]) == (JobState.FAILED, "no_features")
    loop = embedded(world, COPIES)
    before = duplicates(http, loop.project, admin)
    assert (before["compared"], before["items"], before["images"]) == (None, [], 72)
    job = compare(http, world, loop.project)
    assert job.result is not None
    notes = job.result.pop("notes")
    assert job.result == {"images": 72, "groups": 3, "duplicates": 5, "leaks": 1}
    assert "1 images" not in notes[0]
    assert not world.storage.work(job.id).exists()
    found = duplicates(http, loop.project, admin)
    assert found["compared"]["job_id"] == job.id
    assert [found[name] for name in ("groups", "copies", "leaking", "contradicting")] == [
        3, 5, 1, 0,
    ]  # fmt: skip
    members = [[one["pool_index"] for one in group["items"]] for group in found["items"]]
    # The largest first; what is to be evaluated on comes first in its group.
    assert members[0] == [30, 31, 32, 33]
    assert sorted(members[1:]) == [[40, 41], [65, 50]]
    leaking = duplicates(http, loop.project, admin, which="leaking")["items"]
    assert [(one["pool"], one["evaluation"], one["is_leaking"]) for one in leaking] == [
        (1, 1, True)
    ]
    ids = ids_of(world, loop.project)
    assert find(http, loop.project, admin, duplicate_of=ids[32]) == [30, 31, 32, 33]
    assert find(http, loop.project, admin, duplicate_of=ids[50], split="all") == [50, 65]
    assert find(http, loop.project, admin, duplicate_of=ids[1]) == []
    assert {one["duplicates_of"] for one in found["items"][0]["items"]} == {ids[30]}
    # Page by page, and every group once.
    pages: list[int] = []
    more: dict[str, int] | None = {}
    while more is not None:
        page = duplicates(http, loop.project, admin, limit=1, **more)
        pages += [group["id"] for group in page["items"]]
        more = None if page["next_cursor"] is None else {"cursor": page["next_cursor"]}
    assert pages == [group["id"] for group in found["items"]]


def test_what_is_most_alone_comes_first(http: TestClient, world: World) -> None:
    admin, loop = world.caller(), embedded(world, COPIES)
    compare(http, world, loop.project)
    (path,) = world.storage.features(loop.project.id).glob("*.npy")
    rows = np.load(path)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    expected = 1 - np.sort(cosines, axis=1)[:, -10:].mean(axis=1)
    page = listed(http, loop.project, admin, sort="-isolation", split="all", limit=100)["items"]
    assert len(page) == 72
    shown = [one["isolation"] for one in page]
    assert shown == sorted(shown, reverse=True)
    for one in page:
        assert one["isolation"] == pytest.approx(expected[one["pool_index"]], abs=1e-5)
    pool = find(http, loop.project, admin, sort="-isolation", limit=7)
    assert pool == [one["pool_index"] for one in page if one["pool_index"] < 60]
    rising = listed(http, loop.project, admin, sort="isolation", split="all", limit=100)["items"]
    assert [one["isolation"] for one in rising] == shown[::-1]
    queried = find(http, loop.project, admin, sort="-isolation", state="queried")
    assert queried == [one for one in pool if one in set(queried)]
    artifact = world.session.scalars(
        select(Artifact).where(Artifact.kind == ArtifactKind.ALIKE)
    ).one()
    kept = pq.read_table(world.storage.artifact(artifact.storage_key))
    assert kept.column_names == ["isolation", "group"]
    world.storage.artifact(artifact.storage_key).unlink()
    # Several processes may have it in memory; another project's was never there.
    url = f"/api/projects/{loop.project.id}/examples"
    artifact.sha256 = hashlib.sha256(b"other").hexdigest()
    world.session.commit()
    gone = http.get(url, params={"sort": "isolation"}, headers=admin.headers)
    assert (gone.status_code, gone.json()["code"]) == (409, "comparison_file_missing")


def test_one_of_each_group_is_kept_and_its_copies_are_held_out(
    http: TestClient, world: World
) -> None:
    admin, loop = world.caller(), embedded(world, {**COPIES, 3: 20, 22: 20})
    compare(http, world, loop.project)
    ids = ids_of(world, loop.project)
    assert state_of(world, ids[3]) is ExampleState.OOD
    held = hold(http, loop.project, admin, which="leaking")
    assert held["example_ids"] == [ids[50]]
    assert duplicates(http, loop.project, admin)["leaking"] == 0
    (group,) = [
        one for one in duplicates(http, loop.project, admin)["items"] if one["id"] == ids[3]
    ]
    assert (group["said"], group["is_contradicting"]) == (
        [{"class_id": None, "objects": None, "images": 1}], False,
    )  # fmt: skip
    # What has a verdict is kept, so both of its copies go, and nobody is asked about them.
    act(http, loop.project, admin, "queue", ids=[ids[22]])
    assert state_of(world, ids[22]) is ExampleState.QUERIED
    held = hold(http, loop.project, admin, groups=[ids[3]])
    assert (held["example_ids"], held["left_out"]) == ([ids[20], ids[22]], {})
    asked = select(Query.id).where(Query.example_id == ids[22], ~Query.done)
    assert world.session.scalars(asked).all() == []
    everything = hold(http, loop.project, admin)
    assert set(everything["example_ids"]) <= {ids[at] for at in (31, 32, 33, 30, 40, 41)}
    kept = [
        [one["state"] != "held_out" for one in group["items"]]
        for group in duplicates(http, loop.project, admin)["items"]
        if group["id"] == ids[30]
    ]
    assert sum(kept[0]) >= 1
    assert hold(http, loop.project, admin)["example_ids"] == []
    back = act(http, loop.project, admin, "release", ids=everything["example_ids"])
    assert back["example_ids"] == everything["example_ids"]


def test_what_was_learned_from_is_not_evaluated_on(http: TestClient, world: World) -> None:
    # Image 1 of the pool has a class after the first round.
    loop = embedded(world, {65: 1, 66: 50})

    def evaluated() -> list[int]:
        world.session.rollback()
        found: list[int] = take(world.session, loop.project.id, 1).evaluation.tolist()
        return found

    assert evaluated() == list(range(60, 72))
    compare(http, world, loop.project)
    assert evaluated() == [60, 61, 62, 63, 64, *range(66, 72)]
    admin = world.caller()
    url = f"/api/projects/{loop.project.id}"
    (warning,) = http.get(url, headers=admin.headers).json()["warnings"]
    assert "2 images of the pool are the same as one" in warning
    hold(http, loop.project, admin, which="leaking")
    (warning,) = http.get(url, headers=admin.headers).json()["warnings"]
    assert "1 image of the pool is the same" in warning


def test_verdicts_that_contradict_each_other_are_named(http: TestClient, world: World) -> None:
    admin, loop = world.caller(), embedded(world, COPIES)
    compare(http, world, loop.project)
    ids = ids_of(world, loop.project)
    cat, dog = loop.classes
    label: dict[str, Any] = {"verdict": "label", "class_id": cat.id}
    said = act(http, loop.project, admin, "verdict", ids=[ids[30], ids[31]], **label)
    assert set(said["example_ids"]) == {ids[30], ids[31]}
    assert duplicates(http, loop.project, admin, which="contradicting")["items"] == []
    act(http, loop.project, admin, "verdict", ids=[ids[32]], verdict="label", class_id=dog.id)
    (group,) = duplicates(http, loop.project, admin, which="contradicting")["items"]
    assert group["said"] == [
        {"class_id": cat.id, "objects": None, "images": 2},
        {"class_id": dog.id, "objects": None, "images": 1},
    ]  # fmt: skip
    whole: dict[str, Any] = {"filters": {"duplicate_of": ids[30]}}
    assert act(http, loop.project, admin, "verdict", **whole, **label)["left_out"] == {}
    assert duplicates(http, loop.project, admin)["contradicting"] == 0
    # And an image to evaluate on that is another class than its copy in the pool.
    truth = world.session.scalars(select(Example).where(Example.id == ids[65])).one()
    other = next(one for one in (cat, dog) if one.id != truth.label_class_id)
    act(http, loop.project, admin, "verdict", ids=[ids[50]], verdict="label", class_id=other.id)
    (group,) = duplicates(http, loop.project, admin, which="contradicting")["items"]
    assert (group["evaluation"], group["is_leaking"]) == (1, True)


def test_another_comparison_takes_the_place_of_the_first(http: TestClient, world: World) -> None:
    admin, loop = world.caller(), embedded(world, COPIES)
    compare(http, world, loop.project)
    first = duplicates(http, loop.project, admin)["items"]
    stricter = compare(http, world, loop.project, correlation=1.0)
    assert stricter.result is not None
    assert stricter.result["groups"] < 3
    assert duplicates(http, loop.project, admin)["groups"] == stricter.result["groups"]
    compare(http, world, loop.project)
    assert duplicates(http, loop.project, admin)["items"] == first


def test_a_dry_run_says_how_long_it_takes(http: TestClient, world: World) -> None:
    loop = embedded(world, COPIES)
    job = done_job(http, world, loop.project, "compare", {}, dry_run=True)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert set(job.result["estimate"]["phases"]) == {"gather", "search", "outline", "store"}
    marked = select(Example.id).where(Example.duplicates_of.is_not(None))
    assert world.session.scalars(marked).all() == []
    assert not world.storage.work(job.id).exists()


def test_a_killed_comparison_goes_on_and_finds_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    admin, loop = world.caller(), embedded(world, COPIES)
    compare(http, world, loop.project)
    expected = duplicates(http, loop.project, admin)["items"]
    job = start_job(http, world, loop.project, "compare", {})
    message = RunJob.of(job)
    kill_in_every_phase(world, job, message, named(PHASES), tmp_path / "worker.log")
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        eventually(lambda: state(world, job) is JobState.SUCCEEDED, "the job ends")
    assert duplicates(http, loop.project, admin)["items"] == expected
    kept = select(Artifact.job_id).where(Artifact.kind == ArtifactKind.ALIKE)
    assert job.id in world.session.scalars(kept).all()


def test_one_that_an_earlier_version_has_stored_ends_with_what_it_found(
    http: TestClient, world: World
) -> None:
    job = start_job(http, world, world.project(images=3), "compare", {})
    found = {"images": 3, "groups": 0, "duplicates": 0, "leaks": 0, "notes": []}
    job.checkpoint = {"seconds": dict.fromkeys(named(PHASES), 1.0), "found": found}
    world.session.commit()
    run_here(world, job)
    assert (job.state, job.result) == (JobState.SUCCEEDED, found), job.error


def test_one_whose_features_were_removed_compares_those_of_now(
    http: TestClient, world: World
) -> None:
    project = world.project(images=8)
    learn(http, world, project)
    job = start_job(http, world, project, "compare", {})
    cut_off(world, job, "workers.compare.handler.nearest_rows")
    job.checkpoint = {**job.checkpoint, "searched": 4}
    world.session.commit()
    *_, last = (learn(http, world, project, epochs=epochs) for epochs in (1, 3))
    retry(world, job)
    assert job.checkpoint["known"]["features"] == f"contrastive-{last.id}.npy"
    # What was searched were other features.
    assert "searched" not in job.checkpoint
    assert job.result is not None
    assert job.result["images"] == 8


def test_one_that_a_later_version_has_started_says_what_to_update(
    http: TestClient, world: World
) -> None:
    project = world.project(images=2)
    job = start_job(http, world, project, "compare", {})
    job.params = {**job.params, "later": 1}
    world.session.commit()
    run_here(world, job)
    assert job.error is not None
    assert job.error["code"] == "worker_outdated"
    assert "later. Have the worker and the API be of the same version" in job.error["detail"]
