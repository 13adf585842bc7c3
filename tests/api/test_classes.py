"""Editing a project's classes: labels keep their meaning."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.test_labeling import lease, running, send, verdict
from tests.world import World


def classes_of(response: Any) -> list[tuple[int, str, str | None]]:
    assert response.status_code == 200, response.text
    return [(item["id"], item["name"], item["hotkey"]) for item in response.json()["classes"]]


@pytest.mark.parametrize(
    ("classes", "code"),
    [
        ([{"name": "cat"}, {"name": "Cat "}], "invalid_class"),
        ([{"name": "caf\u00e9"}, {"name": "cafe\u0301"}], "invalid_class"),
        ([{"name": "CAFE\u0301"}, {"name": "caf\u00e9"}], "invalid_class"),
        ([{"name": "cat"}, {"name": "cat\u200b"}], "invalid_class"),
        ([{"name": "\ufeffdog"}, {"name": "do\u200dg"}], "invalid_class"),
        ([{"name": "cat"}, {"name": "ood"}], "invalid_class"),
        ([{"name": "cat"}, {"name": "ood\u2060"}], "invalid_class"),
        ([{"name": "cat", "id": 1}], "invalid_class"),
        ([{"name": "cat", "hotkey": "s"}], "invalid_hotkey"),
        ([{"name": "cat", "hotkey": "X"}], "invalid_hotkey"),
        ([{"name": "cat", "hotkey": "a"}, {"name": "dog", "hotkey": "A"}], "invalid_hotkey"),
    ],
)
def test_confusable_classes_are_refused(
    http: TestClient, world: World, classes: list[dict[str, Any]], code: str
) -> None:
    body = {"name": "Pets", "classes": classes}
    response = http.post("/api/projects", json=body, headers=world.caller().headers)
    assert (response.status_code, response.json()["code"]) == (400, code)
    assert response.json()["field"] == "classes"


@pytest.mark.parametrize("end", [[""], ["", "  "], ["\t"] * 3])
def test_empty_rows_at_the_end_are_nothing(http: TestClient, world: World, end: list[str]) -> None:
    headers = world.caller().headers
    blank = [{"name": name, "colour": "#d9822b", "hotkey": "5", "guide": " "} for name in end]
    body = {"name": "Typed", "classes": [{"name": "cat"}, *blank]}
    made = http.post("/api/projects", json=body, headers=headers).json()
    assert [one["name"] for one in made["classes"]] == ["cat"]
    kept = [{"id": made["classes"][0]["id"], "name": "cat"}, {"name": "dog"}, *blank]
    url = f"/api/projects/{made['id']}"
    changed = http.patch(url, json={"classes": kept}, headers=headers)
    assert [name for _, name, _ in classes_of(changed)] == ["cat", "dog"]
    # Anywhere else, or where something was said of it, a class without a name is a mistake.
    for classes in ([*blank, {"name": "cat"}], [{"name": "", "guide": "with ears"}]):
        refused = http.patch(url, json={"classes": classes}, headers=headers)
        assert refused.status_code == 422


def test_hotkeys_are_given_out_around_those_chosen(http: TestClient, world: World) -> None:
    names = [{"name": f"class {number}"} for number in range(11)]
    body = {"name": "Many", "classes": [{"name": "first", "hotkey": "2"}, *names]}
    response = http.post("/api/projects", json=body, headers=world.caller().headers)
    keys = [item["hotkey"] for item in response.json()["classes"]]
    assert keys == ["2", *"134567890", "shift+1", "shift+2"]


def test_a_key_that_is_left_out_stays_with_its_class(http: TestClient, world: World) -> None:
    headers = world.caller().headers
    given = [{"name": "cat", "hotkey": "1"}, {"name": "dog", "hotkey": "d"}, {"name": "owl"}]
    made = http.post("/api/projects", json={"name": "P", "classes": given}, headers=headers).json()
    cat, dog = (one["id"] for one in made["classes"][:2])
    url = f"/api/projects/{made['id']}"
    turned = [{"id": dog, "name": "dog"}, {"name": "fox"}, {"id": cat, "name": "tomcat"}]
    kept = http.patch(url, json={"classes": turned}, headers=headers)
    assert [(name, key) for _, name, key in classes_of(kept)] == [
        ("dog", "d"),
        ("fox", "2"),
        ("tomcat", "1"),
    ]
    # Another takes it by name, and null has a new one given out.
    moved = [{"id": cat, "name": "cat"}, {"id": dog, "name": "dog", "hotkey": "1"}]
    changed = http.patch(url, json={"classes": moved}, headers=headers)
    assert [key for _, _, key in classes_of(changed)] == ["2", "1"]
    moved = [{"id": cat, "name": "cat", "hotkey": None}, {"id": dog, "name": "dog"}]
    changed = http.patch(url, json={"classes": moved}, headers=headers)
    assert [key for _, _, key in classes_of(changed)] == ["2", "1"]


def test_rename_keeps_the_class_and_names_can_be_swapped(http: TestClient, world: World) -> None:
    admin, project = world.caller(), running(world)
    cat, dog = world.classes(project)
    query = lease(http, admin, project, 1)["items"][0]["query_id"]
    send(http, admin, project, verdict(query, "label", class_id=cat.id))
    path = f"/api/projects/{project.id}"
    swapped = [{"id": cat.id, "name": "dog"}, {"id": dog.id, "name": "cat"}]
    response = http.patch(path, json={"classes": swapped}, headers=admin.headers)
    assert [(id_, name) for id_, name, _ in classes_of(response)] == [
        (cat.id, "dog"),
        (dog.id, "cat"),
    ]
    # A colour that is not sent stays.
    assert {item["colour"] for item in response.json()["classes"]} == {"#336699"}
    labeled = http.get(f"{path}/examples?state=labeled", headers=admin.headers).json()["items"]
    assert [item["label"] for item in labeled] == ["dog"]


def test_class_with_labels_stays(http: TestClient, world: World) -> None:
    admin, project = world.caller(), running(world, evaluation=1)
    # Image 20 is for evaluation and shows the first class; the annotator chose the second.
    cat, dog = world.classes(project)
    query = lease(http, admin, project, 1)["items"][0]["query_id"]
    send(http, admin, project, verdict(query, "label", class_id=dog.id))
    path = f"/api/projects/{project.id}"
    for kept in (cat, dog):
        wanted = [{"id": kept.id, "name": kept.name}, {"name": "bird"}]
        response = http.patch(path, json={"classes": wanted}, headers=admin.headers)
        assert (response.status_code, response.json()["code"]) == (409, "class_in_use")
        assert "images labeled with it: 1" in response.json()["detail"]
    shown = http.get(path, headers=admin.headers)
    assert [id_ for id_, *_ in classes_of(shown)] == [cat.id, dog.id]


def test_order_is_that_of_the_list_in_a_draft_and_afterwards(
    http: TestClient, world: World
) -> None:
    admin, draft, started = world.caller(), world.project(), running(world)
    for project in (draft, started):
        cat, dog = world.classes(project)
        wanted = [
            {"name": "bird"},
            {"id": dog.id, "name": "dog"},
            {"id": cat.id, "name": "cat"},
        ]
        path = f"/api/projects/{project.id}"
        response = http.patch(path, json={"classes": wanted}, headers=admin.headers)
        assert [name for _, name, _ in classes_of(response)] == ["bird", "dog", "cat"]


def test_unused_class_can_go_and_a_class_is_listed_once(http: TestClient, world: World) -> None:
    admin, project, other = world.caller(), world.project(), world.project()
    cat = world.classes(project)[0]
    path = f"/api/projects/{project.id}"
    one = {"id": cat.id, "name": "cat", "hotkey": "c"}
    twice = [one, {"id": cat.id, "name": "tiger"}]
    foreign = [one, {"id": world.classes(other)[0].id, "name": "tiger"}]
    for wanted in (twice, foreign):
        response = http.patch(path, json={"classes": wanted}, headers=admin.headers)
        assert (response.status_code, response.json()["code"]) == (400, "invalid_class")
    response = http.patch(path, json={"classes": [one]}, headers=admin.headers)
    assert classes_of(response) == [(cat.id, "cat", "c")]
