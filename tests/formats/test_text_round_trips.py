"""What leaves a project of texts comes back the same, in every format that holds texts."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.tables import Project
from tests.formats.conftest import amounts, said
from tests.workers.import_files import Pool, jsonl, reasons
from tests.workers.test_import_text import HARD
from tests.world import World

CLASSES = ("cat", "=1+1", "skip", "고양이")
COMING_BACK = {
    "csv": "moved.csv",
    "jsonl": "moved.jsonl",
    "parquet": "moved.parquet",
    "label_studio": "moved.zip",
}
# A row is a verdict there, and only its text comes with it.
ANNOTATIONS = ("csv", "jsonl")


def called(pool: Pool) -> dict[bytes, tuple[str, Any]]:
    """Name and an extra of each text, by content."""
    return {one.content_hash: (one.name, one.meta.get("lang")) for one in pool.examples()}


@pytest.fixture
def source(world: World) -> Project:
    """Texts of every split, with votes of two columns, some of which contradict each other."""
    project = world.texts([], classes=CLASSES)
    words = [*CLASSES, "ood", "unsure"]
    rows: list[dict[str, Any]] = [
        {
            "id": f"-{n}, é",
            "text": one,
            "ada": words[n % 6],
            "ben": words[n % 4],
            "split": "train",
            "lang": f"l{n}",
        }
        for n, one in enumerate(HARD)
    ]
    rows.append({"id": "t", "text": "test", "label": "고양이", "split": "test"})
    rows.append({"id": "o", "text": "other", "split": "auxiliary_ood"})
    pool = Pool(world.session, world.storage, project)
    job = pool.add(jsonl(*rows), "rows.jsonl", annotations=["ada", "ben"])
    assert job.result is not None, job.error
    assert job.result["refused"] == 0, reasons(job.result)
    return project


def test_texts_move_with_what_is_said_of_them(
    http: TestClient, world: World, source: Project
) -> None:
    before = Pool(world.session, world.storage, source)
    contents = before.contents()
    headers = world.caller().headers
    for kind, filename in COMING_BACK.items():
        query: dict[str, Any] = {"format": kind, "unlabeled": True}
        found = http.get(f"/api/projects/{source.id}/export", params=query, headers=headers)
        assert found.status_code == 200, found.text
        target = world.texts([], classes=CLASSES)
        pool = Pool(world.session, world.storage, target)
        job = pool.add(found.content, filename)
        assert job.result is not None, (kind, job.error)
        assert job.result["refused"] == 0, (kind, reasons(job.result))
        assert pool.stored() == pool.contents(), kind
        votes, come = said(world, source), amounts(world, source)
        if kind in ANNOTATIONS:
            # Of the others nobody has said anything.
            votes = {key: some for key, some in votes.items() if some}
            come = {key: one for key, one in come.items() if key in votes}
        else:
            assert sorted(pool.contents()) == sorted(contents), kind
            assert called(pool) == called(before), kind
        assert said(world, target) == votes, kind
        assert amounts(world, target) == come, kind
        again = pool.add(found.content, filename)
        assert again.result is not None
        assert (again.result["added"], again.result["annotations"]) == (0, 0), kind


def test_doccano_takes_and_gives_back_what_texts_are(
    http: TestClient, world: World, source: Project
) -> None:
    query = {"format": "doccano"}
    headers = world.caller().headers
    found = http.get(f"/api/projects/{source.id}/export", params=query, headers=headers)
    target = world.texts([], classes=CLASSES)
    pool = Pool(world.session, world.storage, target)
    job = pool.add(found.content, "project.jsonl")
    assert job.result is not None, job.error
    assert job.result["refused"] == 0, reasons(job.result)
    source_labels, labels = amounts(world, source), amounts(world, target)
    assert labels
    for key, (split, _, class_name) in labels.items():
        if split == "pool" and class_name is not None:
            assert class_name == source_labels[key][2]
    assert {who for votes in said(world, target).values() for who, _, _ in votes} == {"doccano"}
