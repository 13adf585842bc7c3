"""What belongs to each class, with examples that annotators agree on or an engineer has pinned."""

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import Role, Split
from core.tables import Example, Project, ProjectClass
from tests.api.reviewing import labeled
from tests.api.test_boxes import box, boxed, said
from tests.api.test_labeling import lease, running, send, verdict
from tests.world import Caller, World


def guides(http: TestClient, caller: Caller, project: Project, examples: int = 6) -> Any:
    url = f"/api/projects/{project.id}/guides?examples={examples}"
    response = http.get(url, headers=caller.headers)
    assert response.status_code == 200, response.text
    return response.json()


def shown(found: Any, place: int) -> list[int]:
    return [example["example_id"] for example in found["classes"][place]["examples"]]


def pin(http: TestClient, caller: Caller, project: Project, class_id: int, ids: list[int]) -> Any:
    url = f"/api/projects/{project.id}/classes/{class_id}/examples"
    return http.put(url, json={"example_ids": ids}, headers=caller.headers)


def test_examples_are_what_most_agree_on_and_ood_has_its_own(
    http: TestClient, world: World
) -> None:
    project = running(world, images=6, queries=6, overlap=2)
    cat, dog = world.classes(project)
    one, two = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    first = lease(http, one, project, 4)["items"]
    for item in first[:3]:
        send(http, one, project, verdict(item["query_id"], "label", class_id=cat.id))
    send(http, one, project, verdict(first[3]["query_id"], "ood"))
    # The second annotator agrees on the third image alone.
    for item, class_id in zip(lease(http, two, project, 3)["items"], (dog, dog, cat), strict=True):
        send(http, two, project, verdict(item["query_id"], "label", class_id=class_id.id))

    found = guides(http, one, project)
    assert shown(found, 0)[0] == first[2]["example_id"]
    assert [example["example_id"] for example in found["ood"]] == [first[3]["example_id"]]
    assert len(shown(guides(http, one, project, examples=1), 0)) == 1


def test_evaluation_images_stand_in_before_anything_is_labeled(
    http: TestClient, world: World
) -> None:
    project = world.project(images=4, evaluation=4)
    found = guides(http, world.caller(), project)
    assert [len(shown(found, place)) for place in (0, 1)] == [2, 2]
    assert found["ood"] == []


def imported(world: World, project: Project, of: ProjectClass, images: int) -> list[int]:
    """Have an import have said of the last images of the pool that they are of a class."""
    statement = select(Example).where(Example.project_id == project.id, Example.split == Split.POOL)
    pool = list(world.session.scalars(statement.order_by(Example.pool_index)))
    world.session.add_all(labeled(example, of.id) for example in pool[-images:])
    world.session.commit()
    return [example.id for example in pool[-images:]]


def test_examples_of_imported_labels_are_from_all_over_the_pool(
    http: TestClient, world: World
) -> None:
    project = world.project(images=60)
    cat, _ = world.classes(project)
    images = imported(world, project, cat, 60)
    # As an import is sorted by what its images show, those at one end are of something else.
    found = shown(guides(http, world.caller(), project), 0)
    assert len(found) == 6
    assert not set(found) <= set(images[50:])
    assert not set(found) <= set(images[:10])


def test_imported_labels_stand_behind_what_people_said_and_behind_the_evaluation(
    http: TestClient, world: World
) -> None:
    project = running(world, images=12, queries=4, evaluation=4)
    cat, _ = world.classes(project)
    annotator = world.caller(Role.ANNOTATOR, project)
    query = lease(http, annotator, project, 1)["items"][0]
    images = imported(world, project, cat, 8)
    # Of cats there are evaluation images, whose labels are taken to be right.
    assert not set(shown(guides(http, annotator, project), 0)) & set(images)
    send(http, annotator, project, verdict(query["query_id"], "label", class_id=cat.id))
    found = guides(http, annotator, project)
    assert shown(found, 0)[0] == query["example_id"]
    assert len(shown(found, 0)) == 6
    assert len(shown(found, 1)) == 2


def test_pinned_examples_replace_the_others_in_their_order(http: TestClient, world: World) -> None:
    project = world.project(images=4, evaluation=4)
    engineer = world.caller(Role.ENGINEER, project)
    cat, _ = world.classes(project)
    url = f"/api/projects/{project.id}/examples?split=pool"
    pool = [item["id"] for item in http.get(url, headers=engineer.headers).json()["items"]]
    assert pin(http, engineer, project, cat.id, [pool[2], pool[0]]).status_code == 204
    found = guides(http, world.caller(Role.ANNOTATOR, project), project)
    assert shown(found, 0) == [pool[2], pool[0]]
    assert all(example["pinned"] for example in found["classes"][0]["examples"])
    assert len(shown(found, 1)) == 2
    # None pinned: what was there before comes back.
    assert pin(http, engineer, project, cat.id, []).status_code == 204
    assert not set(shown(guides(http, engineer, project), 0)) & set(pool)


def test_pinned_images_come_with_the_boxes_that_are_on_them(http: TestClient, world: World) -> None:
    project = boxed(world)
    cat, _ = (one.id for one in world.classes(project))
    engineer = world.caller(Role.ENGINEER, project)
    first, second, *_ = lease(http, engineer, project)["items"]
    send(http, engineer, project, said(first["query_id"], box(cat, 1, 1, 2, 2)))
    images = [first["example_id"], second["example_id"]]
    assert pin(http, engineer, project, cat, images).status_code == 204
    examples = guides(http, engineer, project)["classes"][0]["examples"]
    labels = [one["whole_label"] for one in examples]
    assert [one["class_id"] for one in labels[0]["boxes"]] == [cat]
    assert labels[1] is None


def test_only_engineers_pin_and_only_images_of_the_project(http: TestClient, world: World) -> None:
    project, other = world.project(images=2), world.project(images=2)
    cat, _ = world.classes(project)
    annotator = world.caller(Role.ANNOTATOR, project)
    assert pin(http, annotator, project, cat.id, []).status_code == 403
    admin = world.caller()
    examples = http.get(f"/api/projects/{other.id}/examples", headers=admin.headers).json()
    foreign = examples["items"][0]["id"]
    refused = pin(http, admin, project, cat.id, [foreign])
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_example")
    assert refused.json()["field"] == "example_ids"
    assert pin(http, admin, other, cat.id, []).status_code == 404


def test_a_guide_is_written_with_the_class_and_stays_when_it_is_not_sent(
    http: TestClient, world: World
) -> None:
    project, admin = world.project(), world.caller()
    cat, dog = world.classes(project)
    path = f"/api/projects/{project.id}"
    described = [
        {"id": cat.id, "name": "cat", "guide": " Four legs. "},
        {"id": dog.id, "name": "dog"},
    ]
    http.patch(path, json={"classes": described}, headers=admin.headers)
    renamed = [{"id": cat.id, "name": "tomcat"}, {"id": dog.id, "name": "dog"}]
    response = http.patch(path, json={"classes": renamed}, headers=admin.headers)
    assert [item["guide"] for item in response.json()["classes"]] == ["Four legs.", ""]
    assert guides(http, admin, project)["classes"][0]["guide"] == "Four legs."
