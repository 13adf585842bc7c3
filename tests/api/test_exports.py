"""Exports say what holds, what was said, and nothing that a path should not."""

import asyncio
import csv
import io
import json
import uuid
import zipfile
from pathlib import PurePosixPath
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.exports import since, tables
from core.database.engines import async_engine, async_sessions
from core.settings import Settings
from core.states import Role, Source, Verdict
from core.tables import Annotation, Example, Project
from tests.api.test_labeling import lease, running, send, verdict
from tests.world import Caller, World


def export(http: TestClient, project: Project, caller: Caller, kind: str) -> Any:
    response = http.get(
        f"/api/projects/{project.id}/export", params={"format": kind}, headers=caller.headers
    )
    assert response.status_code == 200, response.text
    return response


def test_jsonl_holds_every_answer_and_marks_those_in_force(http: TestClient, world: World) -> None:
    project = running(world, cost={"c_ood": 0.5})
    one, two = world.caller(Role.ADMIN), world.caller(Role.ANNOTATOR, project)
    cat = world.classes(project)[0]
    items = lease(http, one, project, 3)["items"]
    ids = [item["query_id"] for item in items]
    wrong, skipped, sure = verdict(ids[0]), verdict(ids[1], "skip"), verdict(ids[2], "unsure")
    right = verdict(ids[0], "label", class_id=cat.id, supersedes=wrong["key"])
    late = verdict(ids[2])
    send(http, one, project, wrong, skipped, sure)
    send(http, one, project, right)
    send(http, two, project, late)
    exported = export(http, project, one, "jsonl")
    assert exported.headers["content-type"] == "application/x-ndjson"
    lines = exported.text.splitlines()
    rows = {row["key"]: row for row in map(json.loads, lines)}
    assert list(rows) == [answer["key"] for answer in (wrong, skipped, sure, right, late)]
    effective = {key: (row["effective"], row["counted"]) for key, row in rows.items()}
    assert effective == {
        wrong["key"]: (False, True),
        skipped["key"]: (True, True),
        sure["key"]: (True, True),
        right["key"]: (True, True),
        late["key"]: (False, False),
    }
    params: dict[str, str | bool] = {"format": "jsonl", "effective": True}
    path = f"/api/projects/{project.id}/export"
    holding = http.get(path, params=params, headers=one.headers).text.splitlines()
    # In the order of the pool.
    assert [json.loads(line)["key"] for line in holding] == [
        answer["key"] for answer in (right, skipped, sure)
    ]
    row = rows[right["key"]]
    assert (row["verdict"], row["class"], row["supersedes"]) == ("class", "cat", wrong["key"])
    assert (row["annotator"], row["round"], row["cost"]) == (one.user.email, 0, 0.5)
    assert row["example_id"] == items[0]["example_id"]
    example = world.session.get_one(Example, row["example_id"])
    assert (row["sha256"], row["name"]) == (example.content_hash.hex(), example.name)


@pytest.mark.parametrize("only_effective", [True, False])
def test_what_is_corrected_during_the_download_is_there_once(
    http: TestClient,
    world: World,
    installation: Settings,
    monkeypatch: pytest.MonkeyPatch,
    only_effective: bool,
) -> None:
    monkeypatch.setattr(tables, "_FETCH", 1)
    project, admin = running(world), world.caller()
    cat, dog = (one.id for one in world.classes(project))
    items = lease(http, admin, project, 3)["items"]
    said = [verdict(item["query_id"], "label", class_id=cat) for item in items]
    send(http, admin, project, *said)

    async def read() -> list[tuple[int, bool]]:
        engine = async_engine(installation)
        found: list[tuple[int, bool]] = []
        table = tables.Table(async_sessions(engine), project.id, {}, only_effective=only_effective)
        async for block in table.blocks():
            if not found:
                for answer in (said[0], said[2]):
                    now = verdict(
                        answer["query_id"], "label", class_id=dog, supersedes=answer["key"]
                    )
                    send(http, admin, project, now)
            found += [(row[1], row[effective]) for row in block]
        await engine.dispose()
        return found

    effective = tables.COLUMNS.index("effective")
    found = asyncio.run(read())
    assert [id_ for id_, _ in found] == [item["example_id"] for item in items]
    # The last was corrected before it was read, and what it counts as now is in no whole table.
    assert [holds for _, holds in found] == [True, True, only_effective]


def test_who_goes_on_after_the_last_annotation_misses_none_that_commits_late(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, admin = running(world), world.caller()
    first, second, third = lease(http, admin, project, 3)["items"]
    send(http, admin, project, verdict(first["query_id"], "ood"))
    path = f"/api/projects/{project.id}/export?format=jsonl&after="

    def rows(after: int) -> list[dict[str, Any]]:
        response = http.get(f"{path}{after}", headers=admin.headers)
        assert response.status_code == 200, response.text
        return [json.loads(line) for line in response.text.splitlines()]

    (said,) = rows(0)
    last = said["annotation_id"]
    assert rows(last) == []
    # An import has drawn its id, and somebody answers before it commits.
    late = Annotation(
        project_id=project.id,
        example_id=third["example_id"],
        source=Source.IMPORT,
        source_name="label",
        client_key=uuid.uuid4(),
        verdict=Verdict.OOD,
        seconds=0,
        cost=0,
        counted=True,
    )
    world.session.add(late)
    world.session.flush()
    late_id = late.id
    answer = verdict(second["query_id"], "ood")
    send(http, admin, project, answer)
    monkeypatch.setattr(since, "_WAIT_SECONDS", 0)
    refused = http.get(f"{path}{last}", headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (503, "annotations_under_way")
    world.session.commit()
    imported, answered = rows(last)
    assert (imported["annotation_id"], answered["key"]) == (late_id, answer["key"])


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("format=jsonl&after=1000", 409, "annotations_cut"),
        ("format=csv&after=0&effective=true", 400, "not_after"),
        ("format=csv&after=0&snapshot=May", 400, "not_after"),
        ("format=coco&after=0", 400, "not_after"),
    ],
)
def test_an_export_that_cannot_go_on_is_refused(
    http: TestClient, world: World, query: str, status: int, code: str
) -> None:
    project, admin = running(world), world.caller()
    refused = http.get(f"/api/projects/{project.id}/export?{query}", headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (status, code)


def test_csv_holds_the_same_as_jsonl(http: TestClient, world: World) -> None:
    project, admin = running(world), world.caller()
    world.classes(project)[0].name = 'a "big", wild\ncat'
    world.session.commit()
    cat = world.classes(project)[0].id
    ids = [item["query_id"] for item in lease(http, admin, project, 2)["items"]]
    send(http, admin, project, verdict(ids[0], "label", class_id=cat), verdict(ids[1]))
    response = export(http, project, admin, "csv")
    assert response.headers["content-type"].startswith("text/csv")
    name = f'attachment; filename="karat-project-{project.id}.csv"'
    assert response.headers["content-disposition"] == name
    rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
    others = [json.loads(line) for line in export(http, project, admin, "jsonl").text.splitlines()]
    assert rows == [
        {key: "" if value is None else str(value) for key, value in other.items()}
        for other in others
    ]
    assert rows[0]["class"] == 'a "big", wild\ncat'


def test_export_of_nothing_is_empty_and_well_formed(http: TestClient, world: World) -> None:
    project, admin = world.project(), world.caller()
    assert export(http, project, admin, "csv").text.startswith("annotation_id,")
    assert export(http, project, admin, "jsonl").text == ""
    with zipfile.ZipFile(io.BytesIO(export(http, project, admin, "imagefolder").content)) as found:
        assert found.namelist() == ["metadata.jsonl", "CLASSES.txt"]


@pytest.mark.parametrize(
    "names",
    [
        ("../x", "a/b"),
        ("..", "."),
        ("a/b", "a_b"),
        ("cat", "CAT."),
        ("C:\\x", "/etc"),
    ],
)
def test_image_folder_holds_one_safe_folder_a_class(
    http: TestClient, world: World, names: tuple[str, str]
) -> None:
    project, admin = running(world, classes=names), world.caller()
    one, two = (item.id for item in world.classes(project))
    items = lease(http, admin, project, 4)["items"]
    ids = [item["query_id"] for item in items]
    example = world.session.get_one(Example, items[0]["example_id"])
    example.name = "../../home/evil\\up.png"
    world.session.commit()
    first = verdict(ids[1])
    send(http, admin, project, verdict(ids[0], "label", class_id=one), first, verdict(ids[2]))
    corrected = verdict(ids[1], "label", class_id=two, supersedes=first["key"])
    send(http, admin, project, corrected, verdict(ids[3], "unsure"))
    content = export(http, project, admin, "imagefolder").content
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        assert found.testzip() is None
        *images, metadata, told = [one for one in found.namelist() if one != "RENAMED.txt"]
        assert (metadata, told) == ("metadata.jsonl", "CLASSES.txt")
        paths = [PurePosixPath(name) for name in images]
        stored = world.storage.image(example.content_hash).read_bytes()
        assert found.read(str(paths[0])) == stored
    # Only what is labeled with a class, and each class in a folder of its own.
    assert [path.name for path in paths] == ["up.png", "1.png"]
    folders = [path.parent.name for path in paths]
    assert len({folder.casefold() for folder in folders}) == 2
    for path in paths:
        assert len(path.parts) == 2
        assert not set(path.parts[0]) & set('/\\:*?"<>|')
        assert path.parts[0].strip(". ") == path.parts[0] != ""


def test_plain_class_names_are_kept(http: TestClient, world: World) -> None:
    project, admin = running(world, classes=("a/b", "a_b")), world.caller()
    slash, plain = (item.id for item in world.classes(project))
    ids = [item["query_id"] for item in lease(http, admin, project, 2)["items"]]
    answers = [
        verdict(query, "label", class_id=id_)
        for query, id_ in zip(ids, (slash, plain), strict=True)
    ]
    send(http, admin, project, *answers)
    content = export(http, project, admin, "imagefolder").content
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        assert found.namelist()[:-2] == ["a%2Fb/0.png", "a_b/1.png"]
