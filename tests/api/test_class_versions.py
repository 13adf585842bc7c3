"""Classes that change while somebody answers: each answer is to what its annotator saw."""

import csv
import io
import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import Role
from core.tables import Annotation, Project, ProjectClass
from tests.api.test_labeling import lease, running, send, url, verdict
from tests.api.test_reviews import Review, review
from tests.world import Caller, World

__all__ = ["review"]


def put(http: TestClient, world: World, project: Project, *wanted: dict[str, Any]) -> int:
    """Make these the classes; returns their version."""
    path, headers = f"/api/projects/{project.id}", world.caller().headers
    response = http.patch(path, json={"classes": list(wanted)}, headers=headers)
    assert response.status_code == 200, response.text
    world.session.expire_all()
    found: int = response.json()["classes_version"]
    return found


def as_now(item: ProjectClass, **changes: Any) -> dict[str, Any]:
    shown = {"id": item.id, "name": item.name, "colour": item.colour, "hotkey": item.hotkey}
    return {**shown, **changes}


def answer(
    http: TestClient,
    caller: Caller,
    project: Project,
    class_id: int,
    version: int | None,
    query: int | None = None,
) -> dict[str, Any]:
    """Answer the head of the queue; returns what became of it."""
    head = query or lease(http, caller, project, 1)["items"][0]["query_id"]
    more = {} if version is None else {"classes_version": version}
    sent = send(http, caller, project, verdict(head, "label", class_id=class_id, **more))
    found: dict[str, Any] = sent["results"][0]
    return found


@pytest.mark.parametrize(
    ("change", "rises"),
    [
        (lambda _: None, False),
        (lambda all_: all_[0].update(guide="Has whiskers."), False),
        (lambda all_: all_[0].update(name="lion"), True),
        (lambda all_: all_[0].update(hotkey="c"), True),
        (lambda all_: all_[0].update(colour="#000000"), True),
        (lambda all_: all_.append({"name": "bird"}), True),
        (lambda all_: all_.pop(), True),
        (lambda all_: all_.reverse(), True),
    ],
)
def test_what_pages_show_of_the_classes_has_a_version(
    http: TestClient, world: World, change: Any, *, rises: bool
) -> None:
    project = running(world)
    wanted = [as_now(item) for item in world.classes(project)]
    change(wanted)
    assert put(http, world, project, *wanted) == (2 if rises else 1)
    caller = world.caller(Role.ANNOTATOR, project)
    told = [
        http.get(f"/api/projects/{project.id}", headers=caller.headers).json(),
        http.get(url(project, "status"), headers=caller.headers).json(),
        lease(http, caller, project, 1)["status"],
    ]
    query = lease(http, caller, project, 1)["items"][0]["query_id"]
    told.append(send(http, caller, project, verdict(query))["status"])
    assert {one["classes_version"] for one in told} == {2 if rises else 1}


def test_an_answer_under_the_old_name_stays_with_its_class_and_says_what_was_read(
    http: TestClient, world: World
) -> None:
    project = running(world)
    robin, wren = world.classes(project)
    put(http, world, project, as_now(robin, name="robin"), as_now(wren, name="wren"))
    put(http, world, project, as_now(robin, name="European robin"), as_now(wren, name="wren"))
    caller, admin = world.caller(Role.ANNOTATOR, project), world.caller()
    for version in (2, 3, 1, None):
        assert answer(http, caller, project, robin.id, version)["status"] == "accepted"
    rows = world.session.scalars(select(Annotation).order_by(Annotation.id)).all()
    assert [(row.class_id, row.classes_version) for row in rows] == [
        (robin.id, 2), (robin.id, 3), (robin.id, 1), (robin.id, None),
    ]  # fmt: skip
    path = f"/api/projects/{project.id}"
    exported = http.get(f"{path}/export?format=csv", headers=admin.headers).text
    table = list(csv.DictReader(io.StringIO(exported)))
    assert [(one["class"], one["seen_as"]) for one in table] == [
        ("European robin", "robin"), ("European robin", ""), ("European robin", "cat"),
        ("European robin", ""),
    ]  # fmt: skip
    shown = http.get(f"{path}/examples/{rows[0].example_id}", headers=admin.headers).json()
    assert [one["seen_as"] for one in shown["annotations"]] == ["robin"]


def test_a_name_that_another_class_has_by_now_is_not_guessed(
    http: TestClient, world: World
) -> None:
    project = running(world)
    cat, dog = world.classes(project)
    caller = world.caller(Role.ANNOTATOR, project)
    tab = str(uuid.uuid4())
    query = lease(http, caller, project, 1, tab)["items"][0]["query_id"]
    put(http, world, project, as_now(cat, name="dog"), as_now(dog, name="cat"))
    refused = answer(http, caller, project, cat.id, 1, query)
    assert (refused["status"], refused["code"]) == ("rejected", "class_name_moved")
    assert "'cat'" in refused["detail"]
    assert "'dog'" in refused["detail"]
    assert world.session.scalars(select(Annotation)).all() == []
    # Asked again, first of all, and answered by what is shown now.
    again = lease(http, caller, project, 1, tab)["items"][0]["query_id"]
    assert answer(http, caller, project, dog.id, 2, again)["status"] == "accepted"
    assert world.session.scalars(select(Annotation.query_id)).all() == [query]


@pytest.mark.parametrize("taken", ["CAT", "c\u200cat", "ca\u00adt"])
def test_a_name_is_another_classes_if_nobody_can_tell_them_apart(
    http: TestClient, world: World, taken: str
) -> None:
    project = running(world)
    cat, dog = world.classes(project)
    caller = world.caller(Role.ANNOTATOR, project)
    query = lease(http, caller, project, 1)["items"][0]["query_id"]
    put(http, world, project, as_now(cat, name="lion"), as_now(dog, name=taken))
    refused = answer(http, caller, project, cat.id, 1, query)
    assert (refused["status"], refused["code"]) == ("rejected", "class_name_moved")


def test_an_answer_of_a_class_that_was_removed_is_refused_by_its_name(
    http: TestClient, world: World
) -> None:
    project = running(world)
    cat, dog = world.classes(project)
    caller = world.caller(Role.ANNOTATOR, project)
    query = lease(http, caller, project, 1)["items"][0]["query_id"]
    cat_id, name = cat.id, cat.name
    put(http, world, project, as_now(dog), {"name": "bird"})
    for version in (1, None):
        refused = answer(http, caller, project, cat_id, version, query)
        assert (refused["status"], refused["code"]) == ("rejected", "unknown_class")
        assert name in refused["detail"]
    # The good ones beside it are kept.
    (one, two) = lease(http, caller, project, 2)["items"]
    sent = send(
        http, caller, project,
        verdict(one["query_id"], "label", class_id=cat_id, classes_version=1),
        verdict(two["query_id"], "label", class_id=dog.id, classes_version=1),
    )  # fmt: skip
    assert [result["status"] for result in sent["results"]] == ["rejected", "accepted"]


def test_other_keys_and_another_order_change_no_answer_on_its_way(
    http: TestClient, world: World
) -> None:
    project = running(world)
    cat, dog = world.classes(project)
    caller = world.caller(Role.ANNOTATOR, project)
    put(http, world, project, as_now(dog, hotkey="1"), as_now(cat, hotkey="2"))
    assert answer(http, caller, project, cat.id, 1)["status"] == "accepted"
    (row,) = world.session.scalars(select(Annotation)).all()
    assert (row.class_id, row.classes_version) == (cat.id, 1)


def test_a_version_that_never_was_is_not_noted(http: TestClient, world: World) -> None:
    project = running(world)
    cat, _ = world.classes(project)
    caller = world.caller(Role.ANNOTATOR, project)
    assert answer(http, caller, project, cat.id, 9)["status"] == "accepted"
    assert world.session.scalars(select(Annotation.classes_version)).all() == [None]


def test_classes_made_from_an_old_list_are_refused(http: TestClient, world: World) -> None:
    project = running(world)
    cat, dog = world.classes(project)
    put(http, world, project, as_now(cat, name="lion"), as_now(dog))
    stale = {"classes": [as_now(cat, name="puma"), as_now(dog)], "classes_version": 1}
    path, headers = f"/api/projects/{project.id}", world.caller().headers
    refused = http.patch(path, json=stale, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "classes_changed")
    response = http.patch(path, json={**stale, "classes_version": 2}, headers=headers)
    assert [one["name"] for one in response.json()["classes"]] == ["puma", "dog"]


@pytest.mark.parametrize(
    "theirs",
    [{"classes": "guide"}, {"guidelines": "Look twice."}],
)
@pytest.mark.parametrize("mine", ["classes", "guidelines"])
def test_what_somebody_has_written_meanwhile_is_not_overwritten(
    http: TestClient, world: World, theirs: dict[str, Any], mine: str
) -> None:
    project = world.project()
    path, headers = f"/api/projects/{project.id}", world.caller().headers
    read = http.get(path, headers=headers).json()
    version = read["setup_version"]

    def save(field: str, value: Any, version: str) -> Any:
        if field == "classes":
            items = [
                {**item, **change} for item, change in zip(read["classes"], value, strict=True)
            ]
            value = [{k: v for k, v in item.items() if k != "position"} for item in items]
        body = {field: value, "setup_version": version}
        return http.patch(path, json=body, headers=headers)

    ((field, value),) = theirs.items()
    first = save(field, [{value: "Changed"}, {}] if field == "classes" else value, version)
    assert first.status_code == 200, first.text
    ours = [{}, {"colour": "#000000"}] if mine == "classes" else "Look once."
    refused = save(mine, ours, version)
    assert (refused.status_code, refused.json()["code"]) == (409, "setup_changed")
    now = http.get(path, headers=headers).json()
    assert now == first.json()
    # Settings are merged, and change nothing that was read; who has read again, may write.
    merged = http.patch(path, json={"settings": {"budget": 3}}, headers=headers).json()
    assert merged["setup_version"] == now["setup_version"] != version
    assert save(mine, ours, now["setup_version"]).status_code == 200


def test_a_version_of_classes_without_classes_is_told(http: TestClient, world: World) -> None:
    project, headers = world.project(), world.caller().headers
    body = {"guidelines": "Look twice.", "classes_version": 1}
    refused = http.patch(f"/api/projects/{project.id}", json=body, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (422, "malformed")


def test_decisions_of_a_review_are_to_what_was_shown_too(review: Review) -> None:
    http, world, project = review.http, review.world, review.project
    cat, dog = world.classes(project)
    cat_id, dog_id = review.classes
    first, second, third = (item["id"] for item in review.lease(3))
    # A rename goes with the decision; a swap of names does not.
    put(http, world, project, as_now(cat), as_now(dog, name="hound"))
    kept = review.decide((first, "accept"), classes_version=1)
    assert (kept["results"][0]["status"], kept["classes_version"]) == ("accepted", 2)
    cat, dog = world.classes(project)
    put(http, world, project, as_now(cat, name="hound"), as_now(dog, name="cat"))
    moved: list[tuple[str, dict[str, Any]]] = [
        ("accept", {}), ("keep", {}), ("other", {"class_id": dog_id}),
    ]  # fmt: skip
    for decision, extra in moved:
        (refused,) = review.decide((second, decision), classes_version=2, **extra)["results"]
        assert (refused["status"], refused["code"]) == ("rejected", "class_name_moved")
    assert review.decide((second, "accept"), classes_version=3)["results"][0]["status"] == (
        "accepted"
    )
    # It waits still, for whoever asks next.
    assert [item["id"] for item in review.lease(3)] == [third]
    statement = select(Annotation).where(Annotation.classes_version.is_not(None))
    rows = world.session.scalars(statement.order_by(Annotation.id)).all()
    assert [(row.class_id, row.classes_version) for row in rows] == [(dog_id, 1), (dog_id, 3)]
    assert cat_id not in {row.class_id for row in rows}
    listed = review.call("/lease", {"n": 1})
    assert listed["classes_version"] == 3
