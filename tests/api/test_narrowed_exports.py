"""What leaves can be narrowed by the filters of the pool, and says that it is a part."""

import io
import json
import uuid
import zipfile
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pyarrow import parquet
from sqlalchemy import select, update

from api.exports import part, records, tables
from core.states import Role, Source, Verdict
from core.tables import Annotation, Audit, CertificateLot, Example, Project
from core.tasks.classification import stored_class
from tests.api.test_judgements import judge
from tests.api.test_labeling import lease, running, send, verdict
from tests.certificates import add_certificate
from tests.explain import statements
from tests.instructions import Person, ask, examples, instructions, row
from tests.world import Caller, World


def answer(http: TestClient, project: Project, caller: Caller, **params: Any) -> Any:
    url = f"/api/projects/{project.id}/export"
    return http.get(url, params=params, headers=caller.headers)


def export(http: TestClient, project: Project, caller: Caller, kind: str, **params: Any) -> Any:
    response = answer(http, project, caller, format=kind, **params)
    assert response.status_code == 200, response.text
    return response


def lines(response: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in response.text.splitlines()]


def set_fields(world: World, project: Project, *values: str) -> None:
    for place, value in enumerate(values):
        world.session.execute(
            update(Example)
            .where(Example.project_id == project.id, Example.pool_index == place)
            .values(meta={"camera": value})
        )
    world.session.commit()


@pytest.fixture
def labeled(http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Six images by two cameras, the first three answered, the second one twice."""
    # Each block holds one.
    for module in (tables, records):
        monkeypatch.setattr(module, "_FETCH", 1)
    monkeypatch.setattr(part, "_AT_ONCE", 1)
    project, admin = running(world, images=6, queries=3, evaluation=1), world.caller()
    cat, dog = world.classes(project)
    items = lease(http, admin, project, 3)["items"]
    said = [verdict(one["query_id"], "label", class_id=cat.id) for one in items]
    send(http, admin, project, *said)
    again = verdict(items[1]["query_id"], "label", class_id=dog.id, supersedes=said[1]["key"])
    send(http, admin, project, again)
    set_fields(world, project, *"abaabb")
    return project


def test_only_what_matches_leaves(http: TestClient, world: World, labeled: Project) -> None:
    admin = world.caller()
    dog = world.classes(labeled)[1]

    def places(kind: str, **asked: Any) -> list[int]:
        found = export(http, labeled, admin, kind, **asked)
        if kind == "jsonl":
            return [one["pool_index"] for one in lines(found)]
        document = found.json()
        ids = {one["id"] for name in ("images", "undecided") for one in document[name]}
        statement = select(Example.pool_index).where(Example.id.in_(ids))
        return sorted(world.session.scalars(statement))

    assert places("jsonl") == [0, 1, 2, 1]
    assert places("jsonl", fields="camera=b") == [1, 1]
    assert places("jsonl", fields="camera=a", effective=True) == [0, 2]
    assert places("jsonl", class_id=dog.id) == [1, 1]
    assert places("jsonl", fields="camera=c") == []
    # An evaluation image is no part of the pool.
    assert places("coco", images=False) == [0, 1, 2, 6]
    assert places("coco", images=False, fields="camera=a") == [0, 2]
    assert places("coco", images=False, fields="camera=a", unlabeled=True) == [0, 2, 3]
    assert places("coco", images=False, split="evaluation") == [6]
    assert places("coco", images=False, split="all", state="labeled") == [0, 1, 2]
    entry = world.session.scalars(select(Audit).order_by(Audit.id.desc()).limit(1)).one()
    assert entry.detail["filters"] == {"split": "all", "state": "labeled"}


def test_answers_beside_a_part_are_not_read(
    http: TestClient, world: World, labeled: Project
) -> None:
    admin = world.caller()

    def asked() -> list[int]:
        """How often answers are asked for: all of what matches, and those that hold."""
        counts = []
        for effective in (False, True):
            with statements() as found:
                export(http, labeled, admin, "csv", fields="camera=b", effective=effective)
            counts.append(sum("FROM annotations" in sql for sql, _ in found))
        return counts

    before = asked()
    others = select(Example.id).where(
        Example.project_id == labeled.id, Example.pool_index.in_((0, 2, 3))
    )
    judge(http, labeled, admin, ids=[*world.session.scalars(others)], verdict="ood")
    assert asked() == before


def test_a_part_says_that_it_is_one(http: TestClient, world: World, labeled: Project) -> None:
    admin, asked = world.caller(), {"fields": ["camera=b"]}
    filters = {"split": "pool", **asked}
    zipped = export(http, labeled, admin, "coco", **asked)
    assert "-filtered-coco.zip" in zipped.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(zipped.content)) as found:
        assert json.dumps(filters) in found.read("FILTERS.txt").decode()
        assert json.loads(found.read("annotations.json"))["info"]["filters"] == filters
        # Files are called as in an export of all.
        names = [name for name in found.namelist() if name.endswith(".png")]
    whole = export(http, labeled, admin, "coco")
    assert "filtered" not in whole.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(whole.content)) as found:
        assert set(names) < set(found.namelist())
        assert "FILTERS.txt" not in found.namelist()
    table = parquet.read_table(io.BytesIO(export(http, labeled, admin, "parquet", **asked).content))
    assert json.loads(table.schema.metadata[b"karat"]) == {"filters": filters}
    assert b"huggingface" in table.schema.metadata
    assert table.num_rows == 1


def test_what_is_promised_of_all_is_not_said_of_a_part(http: TestClient, world: World) -> None:
    project, admin = running(world, images=3, queries=1), world.caller()
    certificate = add_certificate(world, project)
    statement = select(CertificateLot).where(CertificateLot.certificate_id == certificate.id)
    lot = world.session.scalars(statement).first()
    assert lot is not None
    lot.bound = 0.2
    for one in world.session.scalars(select(Example).where(Example.project_id == project.id)):
        label = stored_class(lot.class_id)
        given = Annotation(
            project_id=project.id, example_id=one.id, lot_id=lot.id, source=Source.MODEL,
            client_key=uuid.uuid4(), verdict=Verdict.LABEL, label=label, probability=0.9, seconds=0,
            cost=0, counted=True,
        )  # fmt: skip
        world.session.add(given)
    world.session.commit()
    for asked, bound in (({}, 0.2), ({"source": "model"}, None)):
        rows = lines(export(http, project, admin, "jsonl", **asked))
        assert {(one["lot"], one["bound"]) for one in rows} == {(lot.id, bound)}
        document = export(http, project, admin, "coco", images=False, **asked).json()
        shown = [*document["images"], *document["undecided"]]
        assert {(one["label_lot"], one["label_bound"]) for one in shown} == {(lot.id, bound)}


def test_what_would_be_taken_for_something_else_is_refused(http: TestClient, world: World) -> None:
    project, admin = world.project(), world.caller()
    for asked, status, code in (
        ({"format": "jsonl", "after": 0, "state": "labeled"}, 400, "not_after"),
        ({"snapshot": "then", "fields": "camera=a"}, 400, "whole_snapshot"),
        ({"clas_id": 3}, 422, "malformed"),
        ({"purity_max": 0.5}, 409, "no_scores"),
    ):
        refused = answer(http, project, admin, **asked)
        assert (refused.status_code, refused.json()["code"]) == (status, code)


def test_rows_and_their_groups_are_narrowed(http: TestClient, world: World) -> None:
    project = instructions(world, [row(number) for number in range(6)])
    ids = [one.id for one in examples(world, project)]
    set_fields(world, project, *"abaabb")
    ask(world, project, [[0, 1, 2], [4, 5]])
    person = Person(http, world.caller(Role.ANNOTATOR, project), project)
    person.rank(person.lease()[0]["query_id"], [[ids[1]], [ids[0]], [ids[2]]])
    admin, asked = world.caller(), {"fields": "camera=a"}
    assert len(lines(export(http, project, admin, "alpaca"))) == 6
    assert len(lines(export(http, project, admin, "alpaca", **asked))) == 3
    # A group leaves whole, if one of its rows is meant.
    [group] = lines(export(http, project, admin, "rankings", **asked))
    assert [one["example_id"] for one in group["rows"]] == ids[:3]
    table = parquet.read_table(io.BytesIO(export(http, project, admin, "parquet", **asked).content))
    assert table["pool_index"].to_pylist() == [0, 2, 3]
