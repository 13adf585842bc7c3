"""What was imported of a model is suggested, counts as nothing, and the numbers tell how it did."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update

from api.predictions.service import models_of
from core.states import JobKind, JobState, Role
from core.tables import Example, Job, Prediction, Project, Query
from core.tasks.proposals import plant
from tests.api.test_boxes import box, boxed, propose, said
from tests.api.test_labeling import lease, running, send, verdict
from tests.explain import statements
from tests.world import World


def predict(
    world: World, project: Project, model: str, *proposals: dict[str, Any], import_id: int = 1
) -> None:
    """Have a model predict this of every image, as an import stores it."""
    mine = select(Example.id).where(Example.project_id == project.id)
    for example_id in world.session.scalars(mine):
        row = Prediction(
            project_id=project.id,
            example_id=example_id,
            model=model,
            import_id=import_id,
            proposals=list(proposals),
        )
        if project.task == "boxes":
            planted = plant(proposals, (example_id, model))
            row.planted = {"place": planted.place, "box": planted.box}
            row.luck = planted.luck
        world.session.add(row)
    world.session.commit()


def agreement(http: TestClient, world: World, project: Project) -> list[dict[str, Any]]:
    headers = world.caller().headers
    found = http.get(f"/api/projects/{project.id}/agreement", headers=headers).json()
    models: list[dict[str, Any]] = found["models"]
    return models


def test_imported_boxes_go_before_those_of_the_own_detector(http: TestClient, world: World) -> None:
    project = boxed(world)
    cat = world.classes(project)[0].id
    own, theirs = box(cat, 1, 1, 2, 2, score=0.4), box(cat, 2, 2, 4, 4, score=0.9)
    propose(world, own)
    caller = world.caller(Role.ANNOTATOR, project)
    (first,) = lease(http, caller, project, 1)["items"]
    assert (first["proposals"], first["proposed_by"]) == ([own], None)
    # Also in a round that is open; but what somebody was shown stays as it was.
    predict(world, project, "older", own)
    predict(world, project, "newer", theirs, import_id=2)
    client = "6b1f3c1e-0d5b-4a53-9b44-3a1f7f6f6f01"
    items = lease(http, caller, project, 2, client, [])["items"]
    by_query = {one["query_id"]: one for one in items}
    again = by_query.pop(first["query_id"])
    assert (again["proposals"], again["proposed_by"]) == ([own], None)
    (second,) = by_query.values()
    assert (second["proposals"], second["proposed_by"]) == ([theirs], "newer")
    for item, fate in ((first, "kept"), (second, "adjusted")):
        (one,) = item["proposals"]
        sides = [one[side] for side in "xywh"]
        if fate == "adjusted":
            sides[2] += 1
        answer = said(item["query_id"], box(cat, *sides, origin=fate, proposal=0), threshold=0.1)
        assert send(http, caller, project, answer)["results"][0]["status"] == "accepted"
    newer, karats = agreement(http, world, project)
    assert (newer["model"], newer["proposals"]["adjusted"], newer["agreed"]) == ("newer", 1, None)
    assert (karats["model"], karats["proposals"]["kept"]) == (None, 1)


def test_shifts_are_planted_among_imported_boxes(http: TestClient, world: World) -> None:
    project = boxed(world, images=24, shifted_proposals=0.5)
    cat = world.classes(project)[0].id
    there = box(cat, 2, 2, 4, 4, score=0.9)
    predict(world, project, "m", there)
    caller = world.caller(Role.ANNOTATOR, project)
    items = lease(http, caller, project, 24)["items"]
    shown = [one["proposals"][0] for one in items]
    beside = [one for one in shown if one != there]
    assert 2 < len(beside) < 22
    assert all(one.keys() == there.keys() and one["x"] != there["x"] for one in beside)
    held = world.session.scalars(select(Query.proposals).where(Query.proposed_by == "m")).all()
    assert sum("shifted" in (one or [{}])[0] for one in held) == len(beside)


def test_a_class_is_suggested_but_not_where_others_are_judged(
    http: TestClient, world: World
) -> None:
    project = running(world, images=7, queries=7)
    cat, dog = (one.id for one in world.classes(project)[:2])
    predict(world, project, "m", {"class_id": cat, "score": 0.93})
    looks = select(Query.id).order_by(Query.rank.desc()).limit(3)
    again, check, draw = world.session.scalars(looks).all()
    drawn = {"requested": True, "audit": True}
    shown = {**drawn, "audit_probability": 0.5}
    kinds: dict[int, dict[str, Any]] = {again: {"again_after": 1}, check: drawn, draw: shown}
    for query, kind in kinds.items():
        world.session.execute(update(Query).where(Query.id == query).values(**kind))
    world.session.commit()
    caller = world.caller(Role.ANNOTATOR, project)
    items = lease(http, caller, project, 7)["items"]
    told = {one["query_id"]: (one["suggested"], one["proposed_by"]) for one in items}
    assert [told.pop(id_) for id_ in (again, check)] == [(None, None)] * 2
    assert [*told.values()] == [({"class_id": cat, "score": 0.93}, "m")] * 5
    assert all(one["proposals"] is None for one in items)
    one, other, third, *_ = told
    answers = [
        verdict(one, "label", class_id=cat),
        verdict(other, "label", class_id=dog),
        verdict(third, "ood"),
        verdict(again, "label", class_id=cat),
    ]
    send(http, caller, project, *answers)
    expected = {"model": "m", "answers": 3, "agreed": 1, "proposals": None}
    assert agreement(http, world, project) == [expected]
    recent = http.get(f"/api/projects/{project.id}/labeling/recent", headers=caller.headers)
    assert [item["proposals"] for item in recent.json()["items"]] == [None] * 4


def test_predictions_are_listed_and_removed_by_managers(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3)
    cat, dog = (one.id for one in world.classes(project)[:2])
    predict(world, project, "a/b", {"class_id": cat, "score": None})
    predict(world, project, "m", {"class_id": dog, "score": 0.5}, import_id=7)
    url, headers = f"/api/projects/{project.id}/predictions", world.caller().headers
    listed = http.get(url, headers=headers).json()["items"]
    assert [tuple(one.values()) for one in listed] == [("m", 3, 7), ("a/b", 3, 1)]
    removed = http.delete(url, params={"model": "m"}, headers=headers)
    assert removed.json() == {"removed": 3}
    gone = http.delete(url, params={"model": "m"}, headers=headers)
    assert gone.status_code == 404
    job = Job(project_id=project.id, kind=JobKind.IMPORT_POOL, state=JobState.QUEUED, params={})
    world.session.add(job)
    world.session.commit()
    refused = http.delete(url, params={"model": "a/b"}, headers=headers)
    assert refused.json()["code"] == "import_running"


def test_models_are_listed_from_an_index_alone(world: World) -> None:
    for setting in ("enable_seqscan", "enable_bitmapscan"):
        world.session.execute(text(f"SET LOCAL {setting} = off"))
    listed = models_of(1).compile(compile_kwargs={"literal_binds": True})
    plan = world.session.scalars(text(f"EXPLAIN {listed}")).all()
    assert any("Index Only Scan" in line for line in plan), plan


@pytest.mark.parametrize("task", ["classification", "boxes"])
def test_a_class_that_goes_takes_what_was_predicted_of_it(
    http: TestClient, world: World, task: str
) -> None:
    project = world.project(images=2, classes=("cat", "dog"))
    project.task = task
    cat, dog = world.classes(project)
    one, other = {"class_id": cat.id, "score": 0.5}, {"class_id": dog.id, "score": 0.5}
    sides = {"x": 1, "y": 1, "w": 2, "h": 2}
    if task == "boxes":
        predict(world, project, "m", {**one, **sides}, {**other, **sides})
    else:
        predict(world, project, "m", other)
        predict(world, project, "n", one)
    kept = [{"id": cat.id, "name": "cat"}]
    url, headers = f"/api/projects/{project.id}", world.caller().headers
    changed = http.patch(url, json={"classes": kept}, headers=headers)
    assert changed.status_code == 200, changed.text
    world.session.expire_all()
    left = world.session.scalars(select(Prediction.proposals)).all()
    assert left == [[{**one, **sides} if task == "boxes" else one]] * 2


@pytest.mark.parametrize(
    ("task", "query", "field"),
    [
        ("classification", {"probability_column": "p"}, "probability_column"),
        ("instructions", {"predictions": "m"}, "predictions"),
        ("classification", {"predictions": "m", "annotation_column": ["a", "b"]},
         "annotation_column"),
        ("classification", {"predictions": "m", "probability_column": "p"}, "annotation_column"),
    ],
)  # fmt: skip
def test_an_import_says_what_it_needs_of_predictions(
    http: TestClient, world: World, task: str, query: dict[str, Any], field: str
) -> None:
    project = world.project()
    project.task = task
    world.session.commit()
    response = http.post(
        f"/api/projects/{project.id}/imports",
        params={"filename": "p.csv", **query},
        content=b"file,a,p\n",
        headers=world.caller().headers,
    )
    found = response.json()
    assert (found["code"], found["field"]) == ("invalid_predictions", field)


@pytest.mark.parametrize("task", ["classification", "boxes"])
def test_label_studio_alone_gets_what_was_imported(
    http: TestClient, world: World, task: str
) -> None:
    project = world.project(images=1, classes=("cat", "dog"))
    project.task = task
    cat = world.classes(project)[0].id
    sides = {} if task == "classification" else {"x": 2, "y": 4, "w": 4, "h": 2}
    predict(world, project, "v8", {"class_id": cat, **sides, "score": 0.75})
    caller = world.caller()

    def export(kind: str) -> Any:
        url = f"/api/projects/{project.id}/export?format={kind}&images=false&unlabeled=true"
        return http.get(url, headers=caller.headers).json()

    # What others do not write is not read for them.
    with statements() as sent:
        assert len(export("coco")["undecided"]) == 1
    assert not any("FROM predictions" in sql for sql, _ in sent)
    (found,) = export("label_studio")[0]["predictions"]
    (result,) = found["result"]
    assert found["model_version"] == "v8"
    if task == "boxes":
        value = {"x": 25, "y": 50, "width": 50, "height": 25, "rotation": 0}
        assert result["value"] == {**value, "rectanglelabels": ["cat"]}
        assert result["score"] == 0.75
    else:
        assert (result["value"], found["score"]) == ({"choices": ["cat"]}, 0.75)
