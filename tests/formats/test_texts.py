"""Texts leave a project and come back the same, and other tools read them."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.exports import texts as exported
from core.media import MEDIA
from core.states import ExampleState, ProjectState, Role, Split
from core.tables import Annotation, Example, ExampleText, Project
from core.tasks.classification import stored_class
from tests.api.test_labeling import lease, send, verdict
from tests.formats.conftest import Both, amounts, said
from tests.workers.import_files import reasons
from tests.world import World
from workers.jobs import context

CLASSES = ("billing", "=1+1", "고양이")
TEXTS = (
    "Where is my parcel?",
    "=SUM(A1:A9) is how I start",
    'He said "no", then\r\nleft;\ta tab, a comma',
    "고양이는 밤에 운다 🐈\u200d⬛ é vs e\u0301",
    "  blanks around, and a last line\n",
    "'quoted' at once",
    "{json: [true]}",
    "<b>not bold</b> & so on",
    "x" * 3000,
    "nobody judges me",
)
WHOLE = {"parquet": "pool.parquet", "label_studio": "pool.zip", "jsonl": "pool.jsonl"}


@pytest.fixture
def both(http: TestClient, world: World) -> Iterator[Both]:
    """Texts with every verdict of two annotators, evaluation texts and known OOD ones."""
    project = world.texts(TEXTS, classes=CLASSES, state=ProjectState.RUNNING, overlap=2)
    ids = [one.id for one in world.classes(project)]
    for place, (split, label) in enumerate(
        [(Split.EVALUATION, ids[0]), (Split.EVALUATION, ids[2]), (Split.AUXILIARY_OOD, None)],
        len(TEXTS),
    ):
        world.add_text(project, place, f"held out, {place}", split=split, label=stored_class(label))
    world.session.commit()
    world.open_round(project, len(TEXTS) - 1)
    ada, ben = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    classes: list[dict[str, Any]] = [{"verdict": "label", "class_id": id_} for id_ in ids]
    ood: dict[str, Any] = {"verdict": "ood"}
    for caller, answers in (
        (ada, [*classes, ood, {"verdict": "unsure"}, ood, classes[2], classes[0], classes[1]]),
        (ben, [*classes, ood, classes[0], ood, classes[2]]),
    ):
        items = lease(http, caller, project, len(answers))["items"]
        items.sort(key=lambda item: item["rank"])
        pairs = zip(items, answers, strict=True)
        send(http, caller, project, *(verdict(one["query_id"], **answer) for one, answer in pairs))
    # The last that Ada has said is corrected.
    hers = select(Annotation).where(Annotation.annotator_id == ada.user.id)
    last = world.session.scalars(hers.order_by(Annotation.id.desc())).first()
    assert last is not None
    what = {**classes[0], "supersedes": str(last.client_key)}
    send(http, ada, project, verdict(last.query_id or 0, **what))
    yield Both(http, world, world.caller(), project, world.texts((), classes=CLASSES))
    if context.sessions.cache_info().currsize:
        context.sessions().kw["bind"].dispose()


def contents(world: World, project: Project) -> dict[str, str]:
    """What each text says, by the hash of its content."""
    rows = world.session.execute(
        select(Example.content_hash, ExampleText.content)
        .join(ExampleText, ExampleText.example_id == Example.id)
        .where(Example.project_id == project.id)
    )
    return {content_hash.hex(): content for content_hash, content in rows}


@pytest.mark.parametrize("kind", ["parquet", "label_studio"])
def test_a_pool_of_texts_moves_whole(both: Both, kind: str) -> None:
    result = both.take(both.export(kind, unlabeled=True), WHOLE[kind])
    assert result["refused"] == 0, reasons(result)
    assert contents(both.world, both.target) == contents(both.world, both.source)
    assert said(both.world, both.target) == said(both.world, both.source)
    assert amounts(both.world, both.target) == amounts(both.world, both.source)
    names = [{key: one.name for key, one in both.examples(of).items()}
             for of in (both.source, both.target)]  # fmt: skip
    assert names[0] == names[1]
    assert both.take(both.export(kind), WHOLE[kind])["annotations"] == 0


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_rows_of_annotations_bring_their_texts(both: Both, kind: str) -> None:
    result = both.take(both.export(kind), f"labels.{kind}")
    assert result["refused"] == 0, reasons(result)
    judged = {key: votes for key, votes in said(both.world, both.source).items() if votes}
    assert said(both.world, both.target) == judged
    source = contents(both.world, both.source)
    assert contents(both.world, both.target) == {key: source[key] for key in judged}
    # What was corrected, and came first, is no note of what a text is.
    assert [one.meta.get("label") for one in both.examples(both.target).values()] == [None] * 9


def test_doccano_has_the_labels(both: Both) -> None:
    lines = [json.loads(line) for line in both.export("doccano", unlabeled=True).splitlines()]
    assert [one["text"] for one in lines[: len(TEXTS)]] == list(TEXTS)
    assert [one["label"] for one in lines[:4]] == [["billing"], ["=1+1"], ["고양이"], ["OOD"]]
    assert lines[9]["label"] == []
    both.take(both.export("doccano"), "labels.jsonl")
    wanted = {
        key: value for key, value in amounts(both.world, both.source).items()
        if value[0] == "pool" and value[1] in {ExampleState.LABELED, ExampleState.OOD}
    }  # fmt: skip
    found = amounts(both.world, both.target)
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "label_studio", "doccano"])
def test_labels_of_a_model_come_back_as_nobodys(both: Both, kind: str) -> None:
    for one in both.examples(both.source).values():
        # As a spreadsheet would compute it.
        one.name, one.meta = f"-{one.pool_index}", {"lang": "en"}
    both.world.session.commit()
    labeled = both.certify()
    result = both.take(
        both.export(kind), {"csv": "pool.csv", "doccano": "pool.jsonl", **WHOLE}[kind]
    )
    assert result["refused"] == 0, reasons(result)
    people, found = both.said_by_people(), said(both.world, both.target)
    if kind == "doccano":
        assert {key for key, some in found.items() if some}.isdisjoint(labeled)
        ((note, count),) = result["noted"].items()
        assert (note[:21], count) == ("a label is not taken:", len(labeled))
    else:
        assert found == {key: people[key] for key in found}
    assert labeled <= found.keys()
    source, target = both.examples(both.source), both.examples(both.target)
    for key, one in target.items():
        extras = {} if kind in ("csv", "jsonl") else {"lang": "en"}
        assert (one.name, one.meta) == (source[key].name, extras)


def test_other_tools_read_texts(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A piece for each text: what is cut must not show.
    monkeypatch.setattr(exported, "_AT_ONCE", 1)
    path = tmp_path / "pool.parquet"
    path.write_bytes(both.export("parquet", unlabeled=True))
    loaded = datasets.load_dataset(
        "parquet", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded["text"][: len(TEXTS)] == list(TEXTS)
    names = loaded.features["label"].names
    assert names == list(CLASSES)
    shown = [one if one is None else names[one] for one in loaded["label"]]
    assert shown[:4] == ["billing", "=1+1", "고양이", None]
    assert shown[len(TEXTS) :] == ["billing", "고양이", None]
    assert pq.read_metadata(path).num_row_groups == len(TEXTS) + 3
    rows = list(
        csv.DictReader(io.StringIO(both.export("csv", effective=True).decode(), newline=""))
    )
    # What a spreadsheet would compute has an apostrophe before it.
    told = {text: text for text in TEXTS} | {TEXTS[1]: f"'{TEXTS[1]}"}
    assert [row["text"] for row in rows] == [told[TEXTS[int(row["pool_index"])]] for row in rows]
    tasks = json.loads(both.export("label_studio", images=False))
    assert tasks[0]["data"]["text"] == TEXTS[0]
    assert {one["result"][0]["to_name"] for one in tasks[0]["annotations"]} == {"text"}
    with zipfile.ZipFile(io.BytesIO(both.export("label_studio"))) as archive:
        assert json.loads(archive.read("label-studio.json")) == tasks
        assert b'<Text name="text" value="$text"/>' in archive.read("labeling-config.xml")


def test_what_is_made_of_pictures_is_refused_before_anything_leaves(both: Both) -> None:
    url = f"/api/projects/{both.source.id}/export"
    listed = both.http.get(f"{url}/formats", headers=both.admin.headers).json()["items"]
    refused = {one["name"] for one in listed if one["refused"]}
    of_rows = {"alpaca", "messages", "rankings"}
    assert refused == {"imagefolder", "yolo", "coco", "voc", "cvat", *of_rows}
    for name in refused:
        answer = both.http.get(url, params={"format": name}, headers=both.admin.headers)
        code = "wrong_task" if name in of_rows else "wrong_medium"
        assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert "choose one of csv, jsonl, label_studio, parquet, doccano" in answer.json()["detail"]
    images = both.world.project()
    answer = both.http.get(
        f"/api/projects/{images.id}/export",
        params={"format": "doccano"},
        headers=both.admin.headers,
    )
    assert answer.json()["code"] == "wrong_medium"
    assert set(MEDIA) == {medium for one in listed for medium in one["media"]}
