"""Boxes as answers: over the API from a lease to an export."""

import json
import uuid
from typing import Any

import hypothesis
import pytest
from fastapi.testclient import TestClient
from hypothesis import strategies as st
from sqlalchemy import select, update

from core.states import (
    ExampleState,
    JobKind,
    JobState,
    ProjectRole,
    ProjectState,
    Role,
    RoundState,
)
from core.tables import Example, Job, Project, Query, Round, Suggestion
from core.tasks.boxes import BOXES
from core.tasks.classification import stored_class
from core.tasks.proposals import to_store
from tests.api.test_labeling import lease, send, verdict
from tests.workers.import_files import Pool
from tests.world import Caller, World

SIZE = 8


def boxed(world: World, *, images: int = 4, **settings: Any) -> Project:
    """A running project of boxes in images of 8 × 8 pixels, all of them in its queue."""
    project = world.project(images=images, state=ProjectState.RUNNING, **settings)
    project.task = "boxes"
    world.open_round(project, images)
    return project


def box(class_id: int, *sides: float, **rest: Any) -> dict[str, Any]:
    return {"class_id": class_id, **dict(zip("xywh", sides, strict=True)), **rest}


def said(query_id: int, *boxes: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """An answer with boxes."""
    label = {"type": "boxes", "boxes": list(boxes), **rest}
    return verdict(query_id, "label", label=label)


def propose(world: World, *proposals: dict[str, Any], **rest: Any) -> None:
    """Have every query propose this."""
    world.session.execute(update(Query).values(proposals=to_store(proposals, **rest)))
    world.session.commit()


def result(sent: dict[str, Any]) -> tuple[str, str | None]:
    (one,) = sent["results"]
    return one["status"], one["code"]


def test_the_size_of_a_foreign_image_is_told_to_nobody(http: TestClient, world: World) -> None:
    project, other = boxed(world), boxed(world)
    (cat, *_) = world.classes(project)
    reviewer = world.caller(Role.ENGINEER, project, as_=ProjectRole.REVIEWER)
    foreign = select(Example.id).where(Example.project_id == other.id).limit(1)
    # Nowhere inside of an image of 8 × 8 pixels.
    label = {"type": "boxes", "boxes": [box(cat.id, 9, 9, 2, 2)]}
    told = []
    for id_ in (world.session.scalar(foreign), 10**9):
        body = {"ids": [id_], "verdict": "label", "label": label}
        path = f"/api/projects/{project.id}/examples/verdict"
        answer = http.post(path, json=body, headers=reviewer.headers)
        # Each call has a name of its own.
        told.append((answer.status_code, {**answer.json(), "call": None}))
    assert told[0] == told[1]
    assert told[0][0] == 200


def test_boxes_go_from_a_lease_to_the_example(http: TestClient, world: World) -> None:
    project = boxed(world)
    cat, dog = (one.id for one in world.classes(project))
    caller = world.caller(Role.ANNOTATOR, project)
    said_of = {"age": 3, "colour": "red", "parked": True}
    sure = box(cat, 0.25, 0, 4, 4, score=0.9, attributes=said_of)
    proposed = [box(dog, 1, 1, 2, 2, score=0.4), sure]
    propose(world, *proposed)
    items = lease(http, caller, project)["items"]
    assert {(one["width"], one["height"]) for one in items} == {(SIZE, SIZE)}
    # The surest first.
    assert [one["score"] for one in items[0]["proposals"]] == [0.9, 0.4]
    assert [one.get("attributes") for one in items[0]["proposals"]] == [said_of, None]

    kept = box(cat, 0.25, 0, 4, 4, origin="kept", proposal=0, attributes=said_of)
    drawn = box(dog, -1, 6.5, 3, 9, truncated=True)
    answers = [said(items[0]["query_id"], kept, drawn, threshold=0.3), said(items[1]["query_id"])]
    sent = send(http, caller, project, *answers, verdict(items[2]["query_id"], "ood"))
    assert [one["status"] for one in sent["results"]] == ["accepted"] * 3

    world.session.expire_all()
    states = [
        (one.state, None if one.label is None else len(one.label["boxes"]), one.label_class_id)
        for one in world.session.scalars(select(Example).order_by(Example.pool_index))
    ]
    # "No objects" is a label, and not the same as no picture of the kind.
    assert states == [
        (ExampleState.LABELED, 2, None), (ExampleState.LABELED, 0, None),
        (ExampleState.OOD, None, None), (ExampleState.QUERIED, None, None),
    ]  # fmt: skip
    path = f"/api/projects/{project.id}/labeling/recent"
    latest = http.get(path, headers=caller.headers).json()["items"]
    assert [one["label"] and len(one["label"]["boxes"]) for one in latest] == [None, 0, 2]
    assert latest[2]["label"]["boxes"][1]["x"] == -1
    assert [one.get("attributes") for one in latest[2]["label"]["boxes"]] == [said_of, None]
    assert latest[2]["proposals"] == items[0]["proposals"]
    # The page of the round tells how many there are: none of "no objects", and of OOD no number.
    boss = world.caller(Role.ENGINEER, project)
    asked = http.get(f"/api/projects/{project.id}/maps/0/queries", headers=boss.headers).json()
    assert [(one["verdict"], one["boxes"]) for one in asked["items"]] == [
        ("label", 2), ("label", 0), ("ood", None), (None, None),
    ]  # fmt: skip


def test_what_does_not_fit_is_refused_and_the_image_is_asked_about_again(
    http: TestClient, world: World
) -> None:
    project = boxed(world)
    cat = world.classes(project)[0].id
    caller = world.caller(Role.ANNOTATOR, project)
    query = lease(http, caller, project, 1)["items"][0]["query_id"]
    for label, code in (
        (said(query, box(cat, 8, 0, 2, 2)), "outside_image"),
        (said(query, box(cat, 0, 0, 1, 1), box(10**6, 0, 0, 2, 2)), "unknown_class"),
        (verdict(query, "label", class_id=cat), "wrong_label_type"),
    ):
        assert result(send(http, caller, project, label)) == ("rejected", code)
    assert lease(http, caller, project, 1)["items"]
    wrong = {"answers": [said(query, box(cat, 0, 0, 1, 1, attributes={"wheels": [4]}))]}
    path = f"/api/projects/{project.id}/labeling/answers"
    refused = http.post(path, json=wrong, headers=caller.headers)
    assert refused.status_code == 422
    assert "attribute wheels: a value is a text, a number, true or false" in refused.text


def test_boxes_hold_their_classes(http: TestClient, world: World) -> None:
    project = boxed(world)
    cat, dog = world.classes(project)
    admin = world.caller()
    version = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()[
        "classes_version"
    ]
    one, other = (it["query_id"] for it in lease(http, admin, project, 2)["items"])
    assert result(send(http, admin, project, said(one, box(dog.id, 0, 0, 2, 2))))[0] == "accepted"
    path = f"/api/projects/{project.id}"
    refused = http.patch(
        path, json={"classes": [{"id": cat.id, "name": "cat"}]}, headers=admin.headers
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "class_in_use")
    assert "answers: 1" in refused.json()["detail"]
    # What an import is bringing may name a class that nothing names yet.
    kept = [{"id": one.id, "name": one.name} for one in (cat, dog)]
    more = http.patch(path, json={"classes": [*kept, {"name": "fish"}]}, headers=admin.headers)
    assert more.status_code == 200
    running = Job(project_id=project.id, kind=JobKind.IMPORT_POOL, state=JobState.QUEUED, params={})
    world.session.add(running)
    world.session.commit()
    refused = http.patch(path, json={"classes": kept}, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "import_running")
    running.state = JobState.SUCCEEDED
    world.session.commit()
    assert http.patch(path, json={"classes": kept}, headers=admin.headers).status_code == 200
    # The two names change places while somebody draws.
    swapped = [{"id": cat.id, "name": "dog"}, {"id": dog.id, "name": "cat"}]
    assert http.patch(path, json={"classes": swapped}, headers=admin.headers).status_code == 200
    late = {**said(other, box(cat.id, 0, 0, 2, 2)), "classes_version": version}
    assert result(send(http, admin, project, late)) == ("rejected", "class_name_moved")


def both(
    http: TestClient, world: World, project: Project, *boxes: list[dict[str, Any]]
) -> tuple[list[Caller], Example]:
    """Let as many people answer the first image as there are lists of boxes."""
    callers = [world.caller(Role.ANNOTATOR, project) for _ in boxes]
    for caller, given in zip(callers, boxes, strict=True):
        item = lease(http, caller, project, 1)["items"][0]
        assert result(send(http, caller, project, said(item["query_id"], *given)))[0] == "accepted"
    world.session.expire_all()
    return callers, world.session.get_one(Example, item["example_id"])


def test_two_who_mean_the_same_boxes_agree_on_their_mean(http: TestClient, world: World) -> None:
    project = boxed(world, overlap=2)
    cat = world.classes(project)[0].id
    mine, theirs = box(cat, 0, 0, 6, 6), box(cat, 0.5, 0, 6, 6, attributes={"colour": "red"})
    callers, example = both(http, world, project, [mine], [theirs])
    assert (example.state, example.disputed) == (ExampleState.LABELED, False)
    assert example.label is not None
    assert [one["x"] for one in example.label["boxes"]] == [0.25]
    assert [one["attributes"] for one in example.label["boxes"]] == [{"colour": "red"}]
    headers = world.caller().headers
    agreed = http.get(f"/api/projects/{project.id}/agreement", headers=headers).json()
    assert (agreed["classes"]["pairs"], agreed["classes"]["share"]) == (1, 1)
    assert len(agreed["voters"]) == 2
    home = http.get("/api/home", headers=callers[0].headers).json()["agreement"]
    assert home["in_ood"] == {"compared": 1, "same": 1}
    # Two people draw no two boxes alike.
    assert home["classes"] == {"compared": 0, "same": 0}
    # One of the two stands for both, with what the image counts as.
    path = f"/api/projects/{project.id}/export?format=jsonl"
    lines = http.get(f"{path}&effective=true", headers=headers).text.splitlines()
    (row,) = map(json.loads, lines)
    assert [one["x"] for one in json.loads(row["class"])] == [0.25]
    assert json.loads(row["class"])[0]["class"] == "cat"
    every = [json.loads(line) for line in http.get(path, headers=headers).text.splitlines()]
    assert [json.loads(one["class"])[0]["x"] for one in every] == [0, 0.5]
    assert [one["effective"] for one in every] == [False, True]


def test_what_nobody_else_has_labeled_is_not_read_for_agreement(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = boxed(world, overlap=2)
    cat = world.classes(project)[0].id
    mine = box(cat, 0, 0, 6, 6)
    (caller, _), _ = both(http, world, project, [mine], [mine])
    for item in lease(http, caller, project, 3)["items"]:
        assert result(send(http, caller, project, said(item["query_id"], mine)))[0] == "accepted"
    read, parse = list[Any](), BOXES.parse

    def counted(stored: Any) -> Any:
        read.append(stored)
        return parse(stored)

    monkeypatch.setattr(BOXES, "parse", counted)
    headers = world.caller().headers
    found = http.get(f"/api/projects/{project.id}/agreement", headers=headers).json()
    assert (found["classes"]["pairs"], found["examples"]) == (1, 1)
    assert sorted(one["votes"] for one in found["voters"]) == [1, 4]
    assert len(read) == 2


def test_two_who_do_not_are_shown_side_by_side(http: TestClient, world: World) -> None:
    project = boxed(world, overlap=2)
    cat, dog = (one.id for one in world.classes(project))
    _, example = both(http, world, project, [box(cat, 0, 0, 3, 3)], [box(dog, 4, 4, 3, 3)])
    assert example.disputed
    headers = world.caller().headers
    base = f"/api/projects/{project.id}/reviews/disagreements"
    leased = http.post(f"{base}/lease", json={"n": 4}, headers=headers)
    assert leased.status_code == 200, leased.text
    (item,) = leased.json()["items"]
    given, suggested = item["given_label"]["boxes"], item["suggested_label"]["boxes"]
    assert {given[0]["class_id"], suggested[0]["class_id"]} == {cat, dog}
    assert (item["width"], item["given_class_id"]) == (SIZE, None)

    def decide(*boxes: dict[str, Any]) -> Any:
        one = {
            "key": str(uuid.uuid4()), "suggestion_id": item["id"], "decision": "other",
            "label": {"type": "boxes", "boxes": list(boxes)},
        }  # fmt: skip
        sent = http.post(f"{base}/decisions", json={"decisions": [one]}, headers=headers)
        assert sent.status_code == 200, sent.text
        return sent.json()["results"][0]

    assert decide(box(cat, 90, 0, 3, 3))["code"] == "outside_image"
    assert decide(box(cat, 0, 0, 3, 3), box(dog, 4, 4, 3, 3))["status"] == "accepted"
    world.session.expire_all()
    example = world.session.get_one(Example, example.id)
    assert example.label is not None
    assert (len(example.label["boxes"]), example.disputed) == (2, False)


def test_many_images_without_objects_are_said_at_once(http: TestClient, world: World) -> None:
    project = boxed(world)
    cat = world.classes(project)[0].id
    headers = world.caller().headers
    ids = world.session.scalars(select(Example.id).order_by(Example.id)).all()
    path = f"/api/projects/{project.id}/examples/verdict"
    body = {"ids": list(ids[:2]), "verdict": "label"}
    beside = {"type": "boxes", "boxes": [box(cat, 9, 0, 1, 1)]}
    refused = http.post(path, json={**body, "label": beside}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "outside_image")
    nothing = {"type": "boxes", "boxes": []}
    done = http.post(path, json={**body, "label": nothing}, headers=headers)
    assert done.status_code == 200, done.text
    world.session.expire_all()
    labels = world.session.scalars(select(Example.label).order_by(Example.id)).all()
    assert [one and one["boxes"] for one in labels] == [[], [], None, None]


def test_an_image_in_which_nothing_is_is_told_apart(http: TestClient, world: World) -> None:
    project, admin = boxed(world, images=7, goal="find_all"), world.caller()
    cat = world.classes(project)[0].id
    items = lease(http, admin, project, 6)["items"]
    ids = [item["example_id"] for item in items]
    queries = [item["query_id"] for item in items]
    drawn = said(queries[0], box(cat, 0, 0, 2, 2))
    nothing = [said(query) for query in queries[1:4]]
    send(http, admin, project, drawn, *nothing, verdict(queries[4]), verdict(queries[5], "unsure"))
    path = f"/api/projects/{project.id}"

    def get(url: str) -> Any:
        answer = http.get(f"{path}{url}", headers=admin.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def found(**filters: str) -> list[int]:
        query = "&".join(f"{name}={value}" for name, value in filters.items())
        listed = [one["id"] for one in get(f"/examples?{query}")["items"]]
        assert get(f"/examples/count?{query}") == {"count": len(listed), "exact": True}
        return sorted(listed)

    counts = get("")["counts"]
    assert [counts[one] for one in ("labeled_in", "no_objects", "labeled_ood")] == [4, 3, 1]
    (round_,) = get("/rounds")["items"]
    assert [round_["answered"][one] for one in ("label", "no_objects", "ood")] == [4, 3, 1]
    assert round_["in_share"] == 0.2
    for name, both in (("state", "labeled"), ("verdict", "label")):
        assert found(**{name: "no_objects"}) == sorted(ids[1:4])
        assert found(**{name: "objects"}) == ids[:1]
        assert found(**{name: both}) == sorted(ids[:4])
    # A reviewer says otherwise of one: it is what it counts as, and both are what was said.
    label = {"type": "boxes", "boxes": [box(cat, 0, 0, 2, 2)]}
    body = {"ids": [ids[1]], "verdict": "label", "label": label}
    assert http.post(f"{path}/examples/verdict", json=body, headers=admin.headers).is_success
    assert found(state="no_objects") == sorted(ids[2:4])
    assert found(verdict="objects", source="review") == [ids[1]]
    assert get("")["counts"]["no_objects"] == 2
    # Of all that are to be found two are; what has nothing in it is neither found nor left.
    estimate = {"count": 1.5, "low": 1.0, "high": 2.0, "answers": 8}
    shown = world.session.scalars(select(Round)).one()
    shown.state = RoundState.CLOSED
    then = {"unlabeled": 4, "of": 7, "by_random": estimate, "by_purity": None}
    # So rounds of before have noted what was found, with what has nothing in it.
    shown.metrics = {"ood_left": then | {"inside": 0}}
    world.session.commit()
    (left,) = (one for one in get("/outlook")["reasons"] if one["code"] == "left")
    assert left["values"] == {"found": 2, "left": 1, "low": 1, "high": 1}
    shown.metrics = {"ood_left": then | {"found": 0}}
    world.session.commit()
    (left,) = (one for one in get("/outlook")["reasons"] if one["code"] == "left")
    assert left["values"] == {"found": 2, "left": 0.5, "low": 0, "high": 1}


def test_copies_with_boxes_and_with_nothing_in_them_contradict_each_other(
    http: TestClient, world: World
) -> None:
    project, headers = boxed(world, images=5), world.caller().headers
    cat = world.classes(project)[0].id
    ids = list(world.session.scalars(select(Example.id).order_by(Example.id)))
    world.session.execute(update(Example).values(duplicates_of=ids[0]))
    world.session.commit()
    path = f"/api/projects/{project.id}"

    def say(chosen: list[int], *boxes: dict[str, Any]) -> None:
        label = {"type": "boxes", "boxes": list(boxes)}
        body = {"ids": chosen, "verdict": "label", "label": label}
        assert http.post(f"{path}/examples/verdict", json=body, headers=headers).is_success

    def group() -> tuple[bool, list[Any]]:
        (found,) = http.get(f"{path}/duplicates", headers=headers).json()["items"]
        return found["is_contradicting"], [tuple(one.values()) for one in found["said"]]

    say(ids[:2])
    assert group() == (False, [(None, "no_objects", 2)])
    say(ids[2:3], box(cat, 0, 0, 2, 2))
    assert group() == (True, [(None, "no_objects", 2), (None, "objects", 1)])


def test_a_project_of_boxes_is_of_images(http: TestClient, world: World) -> None:
    headers = world.caller().headers
    body = {"name": "Cranes", "task": "boxes", "classes": [{"name": "crane"}]}
    made = http.post("/api/projects", json=body, headers=headers)
    assert (made.status_code, made.json()["task"]) == (201, "boxes")
    refused = http.post("/api/projects", json={**body, "medium": "text"}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "not_for_medium")


def test_agreement_tells_who_keeps_what_is_put_beside(http: TestClient, world: World) -> None:
    project = boxed(world, overlap=2)
    cat = world.classes(project)[0].id
    propose(world, box(cat, 2, 2, 4, 4, score=0.9), shifted=1.0)
    careful, hasty = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    for caller, moves in ((careful, True), (hasty, False)):
        (item,) = lease(http, caller, project, 1)["items"]
        (one,) = item["proposals"]
        assert set(one) == {"class_id", "x", "y", "w", "h", "score"}
        place = (2, 2) if moves else (one["x"], one["y"])
        made = box(cat, *place, 4, 4, origin="adjusted" if moves else "kept", proposal=0)
        sent = said(item["query_id"], made, box(cat, 0, 0, 2, 2), threshold=0.1)
        assert result(send(http, caller, project, sent))[0] == "accepted"
    headers = world.caller().headers
    found = http.get(f"/api/projects/{project.id}/agreement", headers=headers).json()
    by_name = {one["name"]: one["proposals"] for one in found["voters"]}
    kept, moved = by_name[hasty.user.name], by_name[careful.user.name]
    assert (kept["answers"], kept["kept"], kept["shifted"], kept["shifted_kept"]) == (1, 1, 1, 1)
    assert (moved["adjusted"], moved["rejected"], moved["shifted_kept"]) == (1, 0, 0)
    assert 0.5 < moved["iou"] < 1
    assert moved["seconds_per_box"] == 0.75


def test_the_pool_shows_whole_labels_and_finds_their_classes(
    http: TestClient, world: World
) -> None:
    project = boxed(world)
    cat, dog = (one.id for one in world.classes(project))
    caller = world.caller()
    (item,) = lease(http, caller, project, 1)["items"]
    send(http, caller, project, said(item["query_id"], box(cat, 0, 0, 2, 2)))
    path = f"/api/projects/{project.id}/examples"

    def found(class_id: int) -> list[Any]:
        listed = http.get(f"{path}?class_id={class_id}", headers=caller.headers)
        assert listed.status_code == 200, listed.text
        return [(one["id"], one["width"], one["whole_label"]) for one in listed.json()["items"]]

    (one,) = found(cat)
    assert one[:2] == (item["example_id"], SIZE)
    assert one[2]["boxes"][0]["w"] == 2
    assert found(dog) == []


def test_labels_of_classes_become_the_pool_of_boxes(http: TestClient, world: World) -> None:
    admin = world.caller()
    source = world.project(images=4, evaluation=2, classes=("cat", "dog"))
    cat, _ = world.classes(source)
    cat.guide = "Has whiskers."
    labeled, ood, *_ = world.session.scalars(select(Example).order_by(Example.pool_index))
    labeled.state, labeled.label = ExampleState.LABELED, stored_class(cat.id)
    ood.state = ExampleState.OOD
    world.session.commit()
    body = {"name": "Where", "task": "boxes", "classes": [], "from_project": source.id}
    again = http.post(
        "/api/projects", json={**body, "task": "classification"}, headers=admin.headers
    )
    assert (again.status_code, again.json()["code"]) == (409, "same_task")
    other = world.caller(Role.ENGINEER)
    hidden = http.post("/api/projects", json=body, headers=other.headers)
    assert hidden.status_code == 404
    made = http.post("/api/projects", json=body, headers=admin.headers)
    assert made.status_code == 201, made.text
    assert [(one["name"], one["guide"]) for one in made.json()["classes"]] == [
        ("cat", "Has whiskers."), ("dog", ""),
    ]  # fmt: skip
    job = world.session.scalars(select(Job).where(Job.project_id == made.json()["id"])).one()
    pool = Pool(world.session, world.storage, world.session.get_one(Project, made.json()["id"]))
    assert pool.run(job).state is JobState.SUCCEEDED, job.error
    taken = world.session.scalars(
        select(Example).where(Example.project_id == made.json()["id"]).order_by(Example.pool_index)
    ).all()
    assert [(one.name, one.state, one.meta.get("label")) for one in taken] == [
        ("0.png", ExampleState.UNLABELED, "cat"), ("1.png", ExampleState.OOD, None),
        ("2.png", ExampleState.UNLABELED, None), ("3.png", ExampleState.UNLABELED, None),
    ]  # fmt: skip
    assert taken[0].content_hash == labeled.content_hash


def test_a_pool_is_taken_over_again_by_managers_of_it_alone(http: TestClient, world: World) -> None:
    source = world.project(images=1)
    both = world.caller(Role.ENGINEER, source)
    body = {"name": "Where", "task": "boxes", "classes": [], "from_project": source.id}
    made = http.post("/api/projects", json=body, headers=both.headers).json()["id"]
    project = world.session.get_one(Project, made)
    left = world.caller(Role.ENGINEER, project)
    _, bound = world.token(both.user, project=project)
    job = world.session.scalars(select(Job).where(Job.project_id == made)).one()
    path = f"/api/jobs/{job.id}"
    assert http.post(f"{path}/cancel", headers=both.headers).json()["state"] == "cancelled"
    for headers in (left.headers, bound):
        refused = http.post(f"{path}/retry", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert http.get(path, headers=both.headers).json()["state"] == "cancelled"
    assert http.post(f"{path}/retry", headers=both.headers).json()["state"] == "queued"


_numbers = st.one_of(st.floats(), st.integers(-5, 12), st.just("3"), st.none(), st.booleans())
_fuzzed = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys("xywh", _numbers),
        "class_id": st.one_of(st.integers(-1, 3), st.sampled_from([2**63, 1e300, "1", []])),
        "occluded": st.one_of(st.booleans(), st.text(max_size=3)),
        "origin": st.sampled_from(["drawn", "kept", "adjusted", "imported", "", 4]),
        "proposal": st.one_of(st.integers(-1, 400), st.none(), st.just("a")),
        "given": st.one_of(
            st.none(), st.just({"format": "coco", "values": ["1\x00", "", "2", "3"]})
        ),
        "more": st.just(1),
    },
)


@pytest.mark.parametrize("where", ["answers", "decisions", "verdict"])
def test_no_boxes_bring_the_service_down(http: TestClient, world: World, where: str) -> None:
    project = boxed(world, images=1)
    cat = world.classes(project)[0].id
    caller = world.caller()
    query = lease(http, caller, project, 1)["items"][0]["query_id"]
    example = world.session.scalars(select(Example.id)).one()
    disputed = Suggestion(
        project_id=project.id, example_id=example, rank=0, confidence=0.5, given_label=None,
        suggested_label={"type": "boxes", "boxes": []},
    )  # fmt: skip
    world.session.add(disputed)
    world.session.commit()
    suggestion_id = disputed.id
    world.session.commit()

    def whole(label: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        if where == "answers":
            return "labeling/answers", {"answers": [verdict(query, "label", label=label)]}
        if where == "verdict":
            return "examples/verdict", {"ids": [example], "verdict": "label", "label": label}
        decision = {
            "key": str(uuid.uuid4()), "suggestion_id": suggestion_id, "decision": "other",
            "seconds": 1, "label": label,
        }  # fmt: skip
        return "reviews/disagreements/decisions", {"decisions": [decision]}

    statuses = set()

    @hypothesis.settings(max_examples=80 if where == "answers" else 30, deadline=None)
    @hypothesis.given(st.lists(_fuzzed, max_size=3), st.booleans(), _numbers)
    def send_some(boxes: list[dict[str, Any]], good: bool, threshold: Any) -> None:
        if good:
            boxes = [{**box(cat, 0, 0, 2, 2), **one} for one in boxes]
        path, body = whole({"type": "boxes", "boxes": boxes, "threshold": threshold})
        # NaN and infinity are sent as some clients send them.
        head = {**caller.headers, "content-type": "application/json"}
        url = f"/api/projects/{project.id}/{path}"
        sent = http.post(url, content=json.dumps(body), headers=head)
        assert sent.status_code in (200, 400, 422), sent.text
        statuses.add(sent.status_code)

    send_some()
    assert {200, 422} <= statuses
