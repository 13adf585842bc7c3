"""Subsets: listed, compared, exported, and used or not."""

import csv
import io
import zipfile
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.artifacts.subsets import UNKNOWN, noise
from core.files.storage import sha256
from core.lifecycle import new_job
from core.states import ArtifactKind, JobKind, Role
from core.tables import Artifact, Example, Project
from models.pruning.view import Pruned, PruningView
from tests.world import Caller, World
from workers.labels.subset import write_subset


def add_subset(world: World, project: Project, kept: list[int], *, truth: bool = True) -> Artifact:
    """What a pruning job leaves that kept the images at ``kept`` of all, the first one first.

    Images are labeled in turn; every third label is wrong.
    """
    examples = world.session.scalars(
        select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    ).all()
    class_ids = np.array([one.id for one in world.classes(project)])
    count = len(examples)
    labels = np.arange(count) % len(class_ids)
    wrong = np.arange(count) % 3 == 0
    true_ids = class_ids[np.where(wrong, 1 - labels, labels)]
    if not truth:
        true_ids = np.full(count, UNKNOWN)
    order = np.array(kept)
    job = new_job(JobKind.PRUNE, project_id=project.id, params={"method": "uniform", "ratio": 0.5})
    world.session.add(job)
    world.session.flush()
    path = world.storage.artifact(f"projects/{project.id}/jobs/{job.id}/subset.parquet")
    view = PruningView(labels, len(class_ids), losses=np.arange(count, dtype=np.float32))
    write_subset(
        path,
        np.array([one.pool_index for one in examples]),
        np.array([one.id for one in examples]),
        class_ids[labels],
        true_ids,
        np.empty(0, dtype=np.int64),
        view,
        Pruned(order, np.ones(len(order))),
    )
    known = {"kept": noise(class_ids[labels][order], true_ids[order])} if truth else None
    subset = Artifact(
        project_id=project.id,
        job_id=job.id,
        kind=ArtifactKind.SUBSET,
        storage_key=str(path.relative_to(world.storage.root)),
        sha256=sha256(path),
        bytes=path.stat().st_size,
        meta={"method": "uniform", "labeled": count, "kept": len(order), "noise": known},
    )
    world.session.add(subset)
    world.session.commit()
    return subset


def ids(world: World, project: Project, indices: list[int]) -> list[int]:
    statement = select(Example.id).where(Example.project_id == project.id)
    found = world.session.scalars(statement.order_by(Example.pool_index)).all()
    return [found[index] for index in indices]


def ask(http: TestClient, project: Project, caller: Caller, path: str = "", **query: Any) -> Any:
    url = f"/api/projects/{project.id}/subsets{path}"
    return http.get(url, params=query or None, headers=caller.headers)


def export(http: TestClient, project: Project, subset: Artifact, caller: Caller, kind: str) -> Any:
    response = ask(http, project, caller, f"/{subset.id}/export", format=kind)
    assert response.status_code == 200, response.text
    return response


def test_subsets_are_listed_newest_first_with_the_one_in_use(
    http: TestClient, world: World
) -> None:
    project, admin = world.project(images=6), world.caller()
    assert ask(http, project, admin).json() == {"items": []}
    first = add_subset(world, project, [0, 1, 2])
    second = add_subset(world, project, [1, 2], truth=False)
    add_subset(world, world.project(images=2), [0])
    body = {"settings": {"subset": first.id}}
    http.patch(f"/api/projects/{project.id}", json=body, headers=admin.headers)
    items = ask(http, project, admin).json()["items"]
    assert [(one["id"], one["active"]) for one in items] == [(second.id, False), (first.id, True)]
    assert [(one["labeled"], one["kept"]) for one in items] == [(6, 2), (6, 3)]
    assert [one["noise_ratio"] for one in items] == [None, pytest.approx(1 / 3)]
    assert [one["noise_known"] for one in items] == [None, 3]
    assert items[0]["params"] == {"method": "uniform", "ratio": 0.5}
    assert items[0]["job_id"] == second.job_id


def test_two_subsets_are_compared_by_what_they_keep(http: TestClient, world: World) -> None:
    project, admin = world.project(images=60), world.caller()
    one = add_subset(world, project, [30, 1, 2, 3, 4])
    two = add_subset(world, project, list(range(3, 40)), truth=False)
    found = ask(http, project, admin, "/compare", a=one.id, b=two.id).json()
    assert (found["a"]["id"], found["b"]["id"]) == (one.id, two.id)
    assert (found["intersection"], found["union"]) == (3, 39)
    assert found["jaccard"] == pytest.approx(3 / 39)
    assert (found["only_a"], found["only_b"]) == (2, 34)
    shown = [example["example_id"] for example in found["first_only_a"]]
    assert shown == ids(world, project, [1, 2])
    assert len(found["first_only_b"]) == 24
    cat, dog = (item.id for item in world.classes(project))
    assert found["a"]["balance"] == [
        {"class_id": cat, "labeled": 30, "kept": 3},
        {"class_id": dog, "labeled": 30, "kept": 2},
    ]
    # Of those that a keeps, 30 and 3 have a wrong label.
    assert found["a"]["noise"] == {"known": 5, "wrong": 2, "ratio": pytest.approx(0.4)}
    assert found["b"]["noise"] == {"known": 0, "wrong": 0, "ratio": None}
    first = found["first_only_a"][0]
    assert (first["class_id"], first["true_class_id"], first["loss"]) == (dog, dog, 1.0)
    assert found["first_only_b"][0]["true_class_id"] is None
    same = ask(http, project, admin, "/compare", a=one.id, b=one.id).json()
    assert (same["jaccard"], same["first_only_a"]) == (1.0, [])


def test_ids_are_those_that_are_kept_by_rank(http: TestClient, world: World) -> None:
    project, admin = world.project(images=6), world.caller()
    subset = add_subset(world, project, [4, 0, 5])
    response = export(http, project, subset, admin, "ids")
    assert response.text.split() == [str(one) for one in ids(world, project, [4, 0, 5])]
    assert f"karat-subset-{subset.id}.txt" in response.headers["content-disposition"]


def test_csv_and_parquet_have_every_row_with_names(http: TestClient, world: World) -> None:
    project, admin = world.project(images=4), world.caller()
    subset = add_subset(world, project, [2, 1])
    rows = list(csv.DictReader(io.StringIO(export(http, project, subset, admin, "csv").text)))
    assert [row["rank"] for row in rows] == ["1", "2", "", ""]
    assert [row["name"] for row in rows] == ["2.png", "1.png", "0.png", "3.png"]
    assert [row["class"] for row in rows] == ["cat", "dog", "cat", "dog"]
    assert [row["true_class"] for row in rows] == ["cat", "dog", "dog", "cat"]
    example = world.session.get_one(Example, int(rows[0]["example_id"]))
    assert rows[0]["sha256"] == example.content_hash.hex()
    content = export(http, project, subset, admin, "parquet").content
    table = pq.read_table(io.BytesIO(content))
    assert table["rank"].to_pylist() == [1, 2, None, None]
    assert table.column_names == list(rows[0])
    assert table.column_names[:6] == [
        "example_id",
        "name",
        "sha256",
        "pool_index",
        "class_id",
        "class",
    ]
    for row, typed in zip(rows, table.to_pylist(), strict=True):
        assert row == {name: "" if one is None else str(one) for name, one in typed.items()}


def test_a_csv_for_excel_begins_with_a_mark(http: TestClient, world: World) -> None:
    project, admin = world.project(images=4), world.caller()
    subset = add_subset(world, project, [2, 1])
    marked = ask(http, project, admin, f"/{subset.id}/export", format="csv", bom=True).content
    plain = export(http, project, subset, admin, "csv").content
    assert marked == b"\xef\xbb\xbf" + plain


def test_a_class_that_is_gone_has_an_id_and_no_name(http: TestClient, world: World) -> None:
    project, admin = world.project(images=4), world.caller()
    subset = add_subset(world, project, [0], truth=False)
    cat, dog = world.classes(project)
    gone = cat.id
    world.session.delete(cat)
    world.session.commit()
    table = pq.read_table(io.BytesIO(export(http, project, subset, admin, "parquet").content))
    assert table["class_id"].to_pylist() == [gone, dog.id, gone, dog.id]
    assert table["class"].to_pylist() == [None, "dog", None, "dog"]
    assert table["true_class"].to_pylist() == [None] * 4


def test_the_image_folder_holds_what_is_kept_by_its_label(http: TestClient, world: World) -> None:
    project, admin = world.project(images=6, classes=("cat", "a/b")), world.caller()
    subset = add_subset(world, project, [3, 0])
    content = export(http, project, subset, admin, "imagefolder").content
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        assert found.testzip() is None
        assert found.namelist() == ["a%2Fb/3.png", "cat/0.png"]
        (example,) = ids(world, project, [0])
        stored = world.session.get_one(Example, example)
        image = world.storage.image(stored.content_hash)
        assert found.read("cat/0.png") == image.read_bytes()


def test_a_large_subset_is_exported_whole(http: TestClient, world: World) -> None:
    project, admin = world.project(images=40), world.caller()
    subset = add_subset(world, project, list(range(40)))
    # The same rows again and again, so that they are read in several pieces.
    path = world.storage.artifact(subset.storage_key)
    table = pq.read_table(path)
    many = table.take(np.arange(10_000) % 40)
    pq.write_table(many, path)
    assert len(export(http, project, subset, admin, "ids").text.split()) == 10_000
    assert len(export(http, project, subset, admin, "csv").text.splitlines()) == 10_001
    content = export(http, project, subset, admin, "parquet").content
    assert pq.read_table(io.BytesIO(content))["example_id"].equals(many["example_id"])


@pytest.mark.parametrize("path", ["", "/compare?a={id}&b={id}", "/{id}/export"])
def test_only_engineers_of_the_project_see_subsets(
    http: TestClient, world: World, path: str
) -> None:
    project, other = world.project(images=2), world.project(images=2)
    subset = add_subset(world, project, [0])
    path = path.format(id=subset.id)
    annotator = world.caller(Role.ANNOTATOR, project)
    refused = ask(http, project, annotator, path)
    assert (refused.status_code, refused.json()["code"]) == (
        403,
        "manager_required" if path.endswith("export") else "reviewer_required",
    )
    assert ask(http, project, world.caller(Role.ENGINEER), path).status_code == 404
    engineer = world.caller(Role.ENGINEER, project, other)
    assert ask(http, project, engineer, path).status_code == 200
    if path:
        # A subset belongs to one project only.
        missing = ask(http, other, engineer, path)
        assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
        assert "subset" in missing.json()["detail"]


def test_a_lost_file_and_an_unknown_format_are_named(http: TestClient, world: World) -> None:
    project, admin = world.project(images=2), world.caller()
    subset = add_subset(world, project, [0])
    unknown = ask(http, project, admin, f"/{subset.id}/export", format="xlsx")
    assert (unknown.status_code, unknown.json()["code"]) == (422, "malformed")
    world.storage.artifact(subset.storage_key).unlink()
    for path in ("/compare?a={0}&b={0}", "/{0}/export"):
        lost = ask(http, project, admin, path.format(subset.id))
        assert (lost.status_code, lost.json()["code"]) == (409, "subset_file_missing")
        assert f"subset {subset.id}" in lost.json()["detail"]
