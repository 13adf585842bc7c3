"""A snapshot says what a data set was, whatever happens to it afterwards."""

import csv
import hashlib
import io
import json
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pyarrow import parquet
from sqlalchemy import select

from api.snapshots.differing import compared
from core.artifacts.pool_snapshots import SnapshotWriter, says
from core.database.engines import sync_engine
from core.settings import Settings
from core.states import ProjectState, Role, Verdict
from core.tables import Artifact, Example, PoolSnapshot, Project
from tests.api.test_boxes import box, boxed, said
from tests.api.test_labeling import lease, running, send, verdict
from tests.instructions import Person, ask, examples, instructions, row
from tests.world import Caller, World
from workers.verify.check import Finding, run
from workers.verify.snapshots import CHECKS

FORMATS = ("csv", "jsonl", "imagefolder", "yolo", "coco", "label_studio", "parquet")


class Snapshots:
    """The snapshots of one project, as an engineer calls for them."""

    def __init__(self, http: TestClient, project: Project, caller: Caller) -> None:
        self.http, self.caller = http, caller
        self.url = f"/api/projects/{project.id}"

    def call(self, method: str, path: str = "", status: int = 200, **more: Any) -> Any:
        url = f"{self.url}/snapshots{path}"
        response = self.http.request(method, url, headers=self.caller.headers, **more)
        assert response.status_code == status, response.text
        return response.json() if response.content else None

    def take(self, name: str, **filters: Any) -> Any:
        body = {"name": name, **({"filters": filters} if filters else {})}
        return self.call("POST", status=201, json=body)

    def diff(self, one: str, other: str, **params: Any) -> Any:
        return self.call("GET", f"/{one}/diff", params={"with": other, **params})

    def export(self, kind: str, snapshot: str | None = None, **more: Any) -> Any:
        """What an export says, in an order that does not depend on when things were said."""
        params = {"format": kind, "unlabeled": True, **more}
        if snapshot is not None:
            params["snapshot"] = snapshot
        response = self.http.get(f"{self.url}/export", params=params, headers=self.caller.headers)
        assert response.status_code == 200, response.text
        if kind == "csv":
            rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
            return sorted(rows, key=lambda one: int(one["annotation_id"]))
        if kind in ("jsonl", "rankings", "alpaca", "messages"):
            return sorted(response.text.splitlines())
        if kind == "parquet":
            return parquet.read_table(io.BytesIO(response.content)).to_pylist()
        if kind == "document":
            return response.json()
        with zipfile.ZipFile(io.BytesIO(response.content)) as found:
            return {name: found.read(name) for name in sorted(found.namelist())}


def rename(http: TestClient, world: World, project: Project, *names: str) -> None:
    admin = world.caller()
    classes = [
        {"id": one.id, "name": name, "colour": one.colour, "hotkey": one.hotkey}
        for one, name in zip(world.classes(project), names, strict=True)
    ]
    url = f"/api/projects/{project.id}"
    response = http.patch(url, json={"classes": classes}, headers=admin.headers)
    assert response.status_code == 200, response.text


@pytest.fixture
def verified(installation: Settings) -> Any:
    def found() -> Finding:
        engine = sync_engine(installation)
        try:
            return run(engine, installation, CHECKS[0], running=False)
        finally:
            engine.dispose()

    return found


def test_every_format_of_a_snapshot_is_what_it_was(
    http: TestClient, world: World, verified: Any
) -> None:
    project = running(world, images=8, evaluation=2)
    one = world.caller()
    cat, dog = (item.id for item in world.classes(project))
    snapshots = Snapshots(http, project, one)
    ids = [item["query_id"] for item in lease(http, one, project, 6)["items"]]
    wrong, ood = verdict(ids[0], "label", class_id=dog, classes_version=1), verdict(ids[1])
    send(http, one, project, wrong, ood, verdict(ids[2], "skip"), verdict(ids[3], "unsure"))
    send(http, one, project, verdict(ids[0], "label", class_id=cat, supersedes=wrong["key"]))
    then = {kind: snapshots.export(kind) for kind in FORMATS}
    effective = snapshots.export("jsonl", effective=True)
    taken = snapshots.take("first release")
    counts = {name: n for name, n in taken["counts"].items() if n}
    assert counts == {
        "examples": 10, "labeled": 1, "ood": 1, "unsure": 1, "unlabeled": 5, "evaluation": 2,
        "by_person": 3, "by_truth": 2,
    }  # fmt: skip
    assert [(item["name"], item["examples"]) for item in taken["classes"]] == [
        ("cat", 2), ("dog", 1),
    ]  # fmt: skip
    # Everything that can change what an export says.
    send(http, one, project, verdict(ids[1], "label", class_id=dog, supersedes=ood["key"]))
    late = verdict(ids[4], "label", class_id=cat)
    send(http, one, project, late, verdict(ids[5], "label", class_id=dog))
    rename(http, world, project, "tomcat", "cat")
    pool = select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    evaluation = world.session.scalars(pool).all()[-1]
    evaluation.label = {"type": "classification", "class_id": cat}
    world.add_images(project, 1)
    world.session.commit()
    assert {kind: snapshots.export(kind, "first release") for kind in FORMATS} == then
    assert snapshots.export("jsonl", "first release", effective=True) == effective
    assert snapshots.export("jsonl") != then["jsonl"]

    snapshots.take("second")
    found = snapshots.diff("first release", "second")
    numbers = {name: found[name] for name in ("same", "added", "gone", "relabeled", "unchanged")}
    assert numbers == {"same": False, "added": 1, "gone": 0, "relabeled": 4, "unchanged": 6}
    assert [(item["before"], item["after"]) for item in found["renamed"]] == [
        ("cat", "tomcat"), ("dog", "cat"),
    ]  # fmt: skip
    flows = {
        (one["before_verdict"], one["before_class"], one["after_verdict"], one["after_class"]):
        one["examples"]
        for one in found["flows"]
    }  # fmt: skip
    assert flows == {
        ("ood", None, "label", "cat"): 1,
        (None, None, "label", "tomcat"): 1,
        (None, None, "label", "cat"): 1,
        ("label", "dog", "label", "tomcat"): 1,
    }
    assert [item["pool_index"] for item in found["items"]] == [1, 4, 5, 9, 10]
    assert found["items"][0]["before"] == {
        **{"verdict": "ood", "class_name": None, "no_objects": False, "origin": "person"}
    }
    assert found["items"][-1]["change"] == "added"
    assert found["items"][-1]["before"] is None
    page = snapshots.diff("first release", "second", limit=1, change="label", cursor=2)
    assert ([item["pool_index"] for item in page["items"]], page["next_cursor"]) == ([4], 5)
    back = snapshots.diff("second", "first release", change="gone")
    assert [item["pool_index"] for item in back["items"]] == [10]
    assert snapshots.diff("second", "second")["same"] is True
    assert verified().level == "ok"


def test_a_digest_can_be_computed_by_anybody_and_a_broken_file_is_noticed(
    http: TestClient, world: World, verified: Any
) -> None:
    project, admin = running(world), world.caller()
    cat = world.classes(project)[0].id
    ids = [item["query_id"] for item in lease(http, admin, project, 2)["items"]]
    send(http, admin, project, verdict(ids[0], "label", class_id=cat), verdict(ids[1]))
    snapshots = Snapshots(http, project, admin)
    taken = snapshots.take("고양이 1.0")
    lines = [
        json.dumps([one.content_hash.hex(), *rest], separators=(",", ":"))
        for one, rest in zip(
            world.session.scalars(
                select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
            ),
            [("class", "cat", "person"), ("ood", "", "person"), *[("", "", "")] * 20],
            strict=False,
        )
    ]
    text = "".join(f"{line}\n" for line in sorted(lines))
    assert taken["digest"] == hashlib.sha256(text.encode()).hexdigest()
    again = snapshots.take("again")
    assert again["digest"] == taken["digest"]
    assert snapshots.diff("again", "고양이 1.0")["same"] is True
    artifact = world.session.get_one(Artifact, again["artifact_id"])
    path = world.storage.artifact(artifact.storage_key)
    table = parquet.read_table(path)
    parquet.write_table(table.slice(1), path)
    found = verified()
    assert (found.level, found.count) == ("problem", 1)
    assert "again: says something else" in found.objects[0]
    snapshots.call("DELETE", "/again", 204)
    assert not path.exists()
    assert verified().level == "ok"
    assert world.session.scalar(select(PoolSnapshot.name)) == "고양이 1.0"


def test_filters_choose_what_is_kept(http: TestClient, world: World) -> None:
    project, admin = running(world, evaluation=1), world.caller()
    cat = world.classes(project)[0].id
    ids = [item["query_id"] for item in lease(http, admin, project, 3)["items"]]
    send(http, admin, project, *(verdict(one, "label", class_id=cat) for one in ids[:2]))
    snapshots = Snapshots(http, project, admin)
    taken = snapshots.take("cats", class_id=cat)
    assert (taken["counts"]["examples"], taken["counts"]["evaluation"]) == (2, 0)
    assert taken["filters"] == {"split": "pool", "class_id": cat}
    send(http, admin, project, verdict(ids[2], "label", class_id=cat))
    assert len(snapshots.export("jsonl", "cats")) == 2
    snapshots.take("cats later", class_id=cat)
    assert snapshots.diff("cats", "cats later")["added"] == 1
    listed = snapshots.call("GET", params={"limit": 1})
    assert [one["name"] for one in listed["items"]] == ["cats later"]
    listed = snapshots.call("GET", params={"limit": 1, "cursor": listed["next_cursor"]})
    assert ([one["name"] for one in listed["items"]], listed["next_cursor"]) == (["cats"], None)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "", {"name": "taken"}, 409, "name_taken"),
        ("POST", "", {"name": "a/b"}, 422, "malformed"),
        ("POST", "", {"name": "empty", "filters": {"state": "ood"}}, 400, "nothing_matches"),
        ("POST", "", {"name": "x", "filters": {"purity_min": 0.5}}, 409, "no_scores"),
        ("GET", "/none", None, 404, "not_found"),
        ("DELETE", "/none", None, 404, "not_found"),
        ("GET", "/taken/diff?with=none", None, 404, "not_found"),
    ],
)
def test_what_cannot_be_is_refused(
    http: TestClient,
    world: World,
    method: str,
    path: str,
    body: Any,
    status: int,
    code: str,
) -> None:
    project = running(world)
    snapshots = Snapshots(http, project, world.caller())
    snapshots.take("taken")
    refused = snapshots.call(method, path, status, **({} if body is None else {"json": body}))
    assert refused["code"] == code
    if code == "not_found":
        assert refused["detail"].startswith("There is no snapshot 'none', or you")
    params = {"format": "csv", "snapshot": "none"}
    response = http.get(f"{snapshots.url}/export", params=params, headers=snapshots.caller.headers)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    folder = world.storage.project(project.id) / "snapshots"
    assert len(list(folder.iterdir())) == 1


def test_boxes_are_kept_as_they_were(http: TestClient, world: World) -> None:
    project, admin = boxed(world), world.caller()
    cat = world.classes(project)[0].id
    snapshots = Snapshots(http, project, admin)
    ids = [item["query_id"] for item in lease(http, admin, project, 2)["items"]]
    first = said(ids[0], box(cat, 1, 1, 4, 4))
    send(http, admin, project, first)
    kinds = ("csv", "coco", "voc", "cvat", "yolo", "parquet")
    then = {kind: snapshots.export(kind) for kind in kinds}
    snapshots.take("boxes")
    again = said(ids[0], box(cat, 2, 1, 4, 4), box(cat, 3, 1, 4, 4))
    send(http, admin, project, {**again, "supersedes": first["key"]}, said(ids[1]))
    assert {kind: snapshots.export(kind, "boxes") for kind in kinds} == then
    taken = snapshots.take("more")
    assert (taken["counts"]["labeled"], taken["counts"]["no_objects"]) == (2, 1)
    found = snapshots.diff("boxes", "more")
    parts = ("verdict", "no_objects")
    flows = {
        tuple(one[f"{when}_{part}"] for when in ("before", "after") for part in parts)
        for one in found["flows"]
    }
    assert flows == {("label", False, "label", False), (None, False, "label", True)}
    assert [one["after"]["no_objects"] for one in found["items"]] == [False, True]


def test_rankings_are_kept_as_they_were(http: TestClient, world: World) -> None:
    project = instructions(world, [row(number) for number in range(6)])
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2], [3, 4]])
    assert project.state is ProjectState.RUNNING
    ann = Person(http, world.caller(Role.ANNOTATOR, project), project)
    snapshots = Snapshots(http, project, world.caller())
    first, second = ann.lease()
    ann.rank(first["query_id"], [[ids[1]], [ids[0]], [ids[2]]])
    kinds = ("rankings", "alpaca", "parquet")
    then = {kind: snapshots.export(kind) for kind in kinds}
    taken = snapshots.take("ranked")
    assert (taken["counts"]["labeled"], taken["counts"]["by_person"]) == (3, 3)
    ann.rank(second["query_id"], [[ids[3]]], wrong=[ids[4]])
    assert {kind: snapshots.export(kind, "ranked") for kind in kinds} == then
    assert snapshots.export("alpaca") != then["alpaca"]


def counting_as(path: Path, outcomes: Sequence[tuple[str | None, int | None]]) -> Path:
    """A snapshot whose examples count as so much, those at the end as nothing."""
    writer = SnapshotWriter(path)
    writer.add(
        [
            {
                "example_id": index, "pool_index": index, "sha256": bytes(32), "verdict": verdict,
                "class_id": class_id, "says": says(verdict, str(class_id)), "origin": "person",
            }
            for index, (verdict, class_id) in enumerate(outcomes)
        ]
    )  # fmt: skip
    writer.close()
    return path


def test_comparing_makes_no_objects_of_all_that_has_changed(tmp_path: Path) -> None:
    words: list[tuple[str | None, int | None]] = [("class", 1), ("class", 2), ("ood", None)]
    words.append((None, None))
    count = 20_000
    before = [words[index % 3] for index in range(count)]
    after = [words[index % 4] for index in range(count)]
    one, other = counting_as(tmp_path / "one", before), counting_as(tmp_path / "other", after)
    # As the API calls what files call a class.
    said = {one: (Verdict.LABEL if one[0] == "class" else one[0], one[1], False) for one in words}
    pairs = zip(before, after, strict=True)
    expected = Counter((said[first], said[second]) for first, second in pairs if first != second)
    tracemalloc.start()
    try:
        page = compared(one, other, None, 0, 50)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {(first, second): number for first, second, number in page.whole.flows} == expected
    assert [number for *_, number in page.whole.flows] == sorted(expected.values(), reverse=True)
    assert len(page.rows) == 50
    # Some numbers a row; two rows as dicts take four times as much, and the whole process waits.
    assert peak < 250 * count
    assert page.next_cursor is not None
    following = compared(one, other, None, page.next_cursor, 50)
    assert following.rows[0][1] is not None
    assert following.rows[0][1]["pool_index"] == page.next_cursor
    # Who reads page by page has the files compared once.
    assert following.whole is page.whole
