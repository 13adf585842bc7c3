"""Acting on many images at once: what comes next, what is left out, and what is asked again."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, Role, RoundState, Verdict
from core.tables import Annotation, Audit, Example, Project, Query, Round
from core.verdicts.consensus import holds
from tests.api.test_labeling import lease, running, send, verdict
from tests.world import Caller, World


def act(
    http: TestClient, project: Project, caller: Caller, verb: str, status: int = 200, **body: Any
) -> dict[str, Any]:
    url = f"/api/projects/{project.id}/examples/{verb}"
    response = http.post(url, json=body, headers=caller.headers)
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()
    return found


def ids_of(world: World, project: Project) -> list[int]:
    statement = select(Example.id).where(Example.project_id == project.id)
    return list(world.session.scalars(statement.order_by(Example.pool_index)))


def state_of(world: World, example_id: int) -> ExampleState:
    world.session.expire_all()
    return world.session.get_one(Example, example_id).state


def said_of(http: TestClient, project: Project, caller: Caller, id_: int) -> list[Any]:
    """What holds of an image: verdicts and classes, the latest first."""
    url = f"/api/projects/{project.id}/examples/{id_}"
    shown = http.get(url, headers=caller.headers).json()
    return [(one["verdict"], one["class_id"]) for one in shown["annotations"] if one["holds"]]


def test_images_sent_to_the_queue_come_next_in_their_order(http: TestClient, world: World) -> None:
    project, admin = running(world, images=12, queries=4, evaluation=1), world.caller()
    ids = ids_of(world, project)
    # Two that no round has chosen, one that waits at the end, and one that is for evaluation.
    chosen = [ids[9], ids[3], ids[7], ids[12]]
    changed = act(http, project, admin, "queue", ids=chosen)
    assert changed == {
        "example_ids": [ids[9], ids[7]],
        "again": 0,
        "moved": 1,
        "left_out": {"not_in_pool": 1},
        "round": 0,
    }
    handed = [item["example_id"] for item in lease(http, admin, project, 6)["items"]]
    assert handed == [ids[9], ids[3], ids[7], ids[0], ids[1], ids[2]]
    audit = world.session.scalars(select(Audit).where(Audit.verb == "queue")).one()
    assert (audit.actor_id, audit.detail["images"]) == (admin.user.id, 2)


def test_what_was_sent_can_be_taken_back_until_somebody_looks(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=8, queries=2), world.caller()
    ids = ids_of(world, project)
    sent = act(http, project, admin, "queue", ids=ids[4:7])["example_ids"]
    assert lease(http, admin, project, 1)["items"][0]["example_id"] == ids[4]
    back = act(http, project, admin, "unqueue", ids=[*sent, ids[0]])
    assert back["example_ids"] == ids[5:7]
    assert back["left_out"] == {"looked_at": 1, "not_sent": 1}
    assert state_of(world, ids[5]) is ExampleState.UNLABELED
    handed = [item["example_id"] for item in lease(http, admin, project, 8)["items"]]
    assert handed == ids[:2]


def test_an_answer_asked_for_again_replaces_the_old_one(http: TestClient, world: World) -> None:
    project = running(world, images=6, queries=3)
    admin, second = world.caller(), world.caller(Role.ANNOTATOR, project)
    cat, dog = world.classes(project)
    first = lease(http, admin, project, 1)["items"][0]
    send(http, admin, project, verdict(first["query_id"], "label", class_id=cat.id))
    changed = act(http, project, admin, "queue", ids=[first["example_id"]])
    assert (changed["again"], changed["example_ids"]) == (1, [first["example_id"]])
    # Until somebody answers, the old one stands.
    assert state_of(world, first["example_id"]) is ExampleState.LABELED
    again = lease(http, second, project, 1)["items"][0]
    assert again["example_id"] == first["example_id"]
    skipped = verdict(again["query_id"], "skip")
    send(http, second, project, skipped)
    assert ("label", cat.id) in said_of(http, project, admin, first["example_id"])
    new = verdict(again["query_id"], "label", class_id=dog.id, supersedes=skipped["key"])
    (result,) = send(http, second, project, new)["results"]
    assert (result["status"], result["counted"]) == ("accepted", True)
    said = said_of(http, project, admin, first["example_id"])
    assert ("label", dog.id) in said
    assert ("label", cat.id) not in said
    # A correction of the new answer is a correction as any other.
    send(http, second, project, verdict(again["query_id"], supersedes=new["key"]))
    assert state_of(world, first["example_id"]) is ExampleState.OOD
    everything = world.session.scalars(
        select(Annotation.verdict).where(Annotation.example_id == first["example_id"])
    ).all()
    assert len(everything) == 4


def test_with_several_annotators_each_new_answer_replaces_one(
    http: TestClient, world: World
) -> None:
    project = running(world, images=6, queries=2, overlap=2)
    one, two = world.caller(), world.caller(Role.ANNOTATOR, project)
    cat, _ = world.classes(project)
    for caller in (one, two):
        item = lease(http, caller, project, 1)["items"][0]
        send(http, caller, project, verdict(item["query_id"]))
    act(http, project, one, "queue", ids=[item["example_id"]])
    for caller, expected in ((one, ["label", "ood"]), (two, ["label", "label"])):
        again = lease(http, caller, project, 1)["items"][0]
        assert again["example_id"] == item["example_id"]
        send(http, caller, project, verdict(again["query_id"], "label", class_id=cat.id))
        said = said_of(http, project, one, item["example_id"])
        assert [name for name, _ in said] == expected
    assert state_of(world, item["example_id"]) is ExampleState.LABELED


def test_who_answers_again_replaces_their_own_verdict(http: TestClient, world: World) -> None:
    project = running(world, images=6, queries=2, overlap=2)
    one, two = world.caller(), world.caller(Role.ANNOTATOR, project)
    cat, _ = world.classes(project)
    for caller in (one, two):
        item = lease(http, caller, project, 1)["items"][0]
        send(http, caller, project, verdict(item["query_id"]))
    act(http, project, one, "queue", ids=[item["example_id"]])
    again = lease(http, two, project, 1)["items"][0]
    send(http, two, project, verdict(again["query_id"], "label", class_id=cat.id))
    holding = select(Annotation.annotator_id, Annotation.verdict).where(
        Annotation.example_id == item["example_id"], holds()
    )
    assert dict(world.session.execute(holding).all()) == {
        one.user.id: Verdict.OOD,
        two.user.id: Verdict.LABEL,
    }


def test_an_answer_that_was_replaced_meanwhile_can_still_be_corrected(
    http: TestClient, world: World
) -> None:
    project, one = running(world, images=6, queries=3), world.caller()
    other = world.caller(Role.ANNOTATOR, project)
    cat, dog = world.classes(project)
    item = lease(http, one, project, 1)["items"][0]
    first = verdict(item["query_id"])
    send(http, one, project, first)
    act(http, project, one, "queue", ids=[item["example_id"]])
    again = lease(http, other, project, 1)["items"][0]
    send(http, other, project, verdict(again["query_id"], "label", class_id=cat.id))
    late = verdict(item["query_id"], "label", class_id=dog.id, supersedes=first["key"])
    (result,) = send(http, one, project, late)["results"]
    assert result["status"] == "late"
    assert said_of(http, project, one, item["example_id"]) == [("label", cat.id)]


def test_a_skip_is_no_verdict_that_could_be_doubted(http: TestClient, world: World) -> None:
    project, admin = running(world, images=6, queries=3), world.caller()
    item = lease(http, admin, project, 1)["items"][0]
    send(http, admin, project, verdict(item["query_id"]))
    for _ in range(2):
        changed = act(http, project, admin, "queue", ids=[item["example_id"]])
        assert (changed["again"], changed["left_out"]) == (1, {})
        again = lease(http, admin, project, 1)["items"][0]
        assert again["example_id"] == item["example_id"]
        send(http, admin, project, verdict(again["query_id"], "skip"))
    assert state_of(world, item["example_id"]) is ExampleState.OOD


def test_an_image_that_waits_for_another_annotator_is_not_held_out(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=6, queries=2, overlap=2), world.caller()
    item = lease(http, admin, project, 1)["items"][0]
    send(http, admin, project, verdict(item["query_id"], "skip"))
    changed = act(http, project, admin, "hold-out", ids=[item["example_id"]])
    assert (changed["example_ids"], changed["left_out"]) == ([], {"in_queue": 1})


def test_where_no_round_is_open_nothing_is_sent_and_the_reason_is_told(
    http: TestClient, world: World
) -> None:
    draft, admin = world.project(images=2), world.caller()
    problem = act(http, draft, admin, "queue", 409, ids=ids_of(world, draft))
    assert problem["code"] == "no_open_round"
    assert "draft" in problem["detail"]
    project = running(world, images=4, queries=2)
    http.post(f"/api/projects/{project.id}/rounds/0/close", headers=admin.headers)
    problem = act(http, project, admin, "queue", 409, ids=ids_of(world, project))
    assert "round 0 is closing" in problem["detail"]


def test_held_out_images_leave_the_pool_and_come_back(http: TestClient, world: World) -> None:
    project, admin = running(world, images=8, queries=3), world.caller()
    ids = ids_of(world, project)
    query = lease(http, admin, project, 1)["items"][0]["query_id"]
    send(http, admin, project, verdict(query))
    changed = act(http, project, admin, "hold-out", filters={})
    assert changed["example_ids"] == ids[3:]
    assert changed["left_out"] == {"in_queue": 2, "answered": 1}
    counts = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()["counts"]
    assert (counts["pool"], counts["held_out"], counts["unlabeled"]) == (3, 5, 0)
    assert act(http, project, admin, "queue", ids=ids[3:])["left_out"] == {"held_out": 5}
    back = act(http, project, admin, "release", ids=ids)
    assert back["example_ids"] == ids[3:]
    assert state_of(world, ids[3]) is ExampleState.UNLABELED


def test_an_ood_group_becomes_a_class_and_its_members_are_asked_about_again(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=8, queries=4), world.caller()
    items = lease(http, admin, project, 3)["items"]
    send(http, admin, project, *(verdict(item["query_id"]) for item in items[:2]))
    ood = [item["example_id"] for item in items[:2]]
    chosen = [*ood, items[2]["example_id"]]
    promoted = act(http, project, admin, "promote", 201, ids=chosen, name="bird")
    assert promoted["class"]["name"] == "bird"
    assert (promoted["example_ids"], promoted["left_out"]) == (ood, {"not_ood": 1})
    shown = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()
    assert [one["name"] for one in shown["classes"]] == ["cat", "dog", "bird"]
    # They stay OOD until somebody has answered.
    assert shown["counts"]["labeled_ood"] == 2
    held = {item["example_id"]: item["query_id"] for item in items}
    again = [
        item
        for item in lease(http, world.caller(), project, 8)["items"]
        if item["query_id"] not in held.values()
    ]
    assert [item["example_id"] for item in again[:2]] == ood
    bird = promoted["class"]["id"]
    send(http, admin, project, verdict(again[0]["query_id"], "label", class_id=bird))
    assert said_of(http, project, admin, ood[0]) == [("label", bird)]
    taken = act(http, project, admin, "promote", 400, ids=[ood[1]], name="Bird")
    assert taken["code"] == "invalid_class"
    none = act(http, project, admin, "promote", 409, ids=[items[2]["example_id"]], name="fish")
    assert none["code"] == "nothing_to_promote"


def test_groups_among_ood_are_told_of_until_somebody_acts_on_them(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=8, queries=4), world.caller()
    url = f"/api/projects/{project.id}/examples/look-alikes"
    assert http.get(url, headers=admin.headers).json() == {"round": None, "items": []}
    items = lease(http, admin, project, 3)["items"]
    send(http, admin, project, *(verdict(item["query_id"]) for item in items[:2]))
    first, second = (item["example_id"] for item in items[:2])
    indices = [world.session.get_one(Example, one).pool_index for one in (first, second)]
    group = {"similarity": 0.7, "size": 12, "silhouette": 0.2}
    round_ = world.session.scalars(select(Round).where(Round.project_id == project.id)).one()
    round_.state = RoundState.CLOSED
    # Of the second group one is not OOD.
    groups = [{"examples": one, **group} for one in (indices, [indices[0], 7])]
    round_.metrics = {"look_alikes": groups}
    world.session.commit()
    told = http.get(url, headers=admin.headers).json()
    assert told == {
        "round": 0,
        "items": [{"example_ids": [first, second], "similarity_min": 0.7, "size": 12}],
    }


def test_a_late_skip_brings_nothing_back_that_was_left_out(http: TestClient, world: World) -> None:
    project, admin = running(world, images=4, queries=2), world.caller()
    (item,) = lease(http, admin, project, 1)["items"]
    # Its round has closed, and has taken back what nobody had answered.
    query = world.session.get_one(Query, item["query_id"])
    query.done, query.lease_expires_at = True, None
    world.session.get_one(Example, item["example_id"]).state = ExampleState.UNLABELED
    world.session.commit()
    act(http, project, admin, "hold-out", ids=[item["example_id"]])
    skip = verdict(item["query_id"], "skip")
    send(http, admin, project, skip)
    assert state_of(world, item["example_id"]) is ExampleState.HELD_OUT
    # Who says what it is is heard.
    send(http, admin, project, verdict(item["query_id"], "ood", supersedes=skip["key"]))
    assert state_of(world, item["example_id"]) is ExampleState.OOD


@pytest.mark.parametrize("body", [{}, {"ids": []}, {"ids": [1], "filters": {}}])
def test_a_selection_is_ids_or_filters(
    http: TestClient, world: World, body: dict[str, Any]
) -> None:
    project, admin = running(world, images=2, queries=1), world.caller()
    act(http, project, admin, "queue", 422, **body)


def test_what_would_change_too_many_is_refused_whole(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.examples.actions.MOST_AT_ONCE", 3)
    project, admin = running(world, images=6, queries=1), world.caller()
    problem = act(http, project, admin, "hold-out", 409, filters={"state": "unlabeled"})
    assert problem["code"] == "too_many"
    statement = select(Example.id).where(Example.state == ExampleState.HELD_OUT)
    assert world.session.scalars(statement).all() == []


def test_images_of_other_projects_are_not_touched(http: TestClient, world: World) -> None:
    project, other = running(world, images=2, queries=1), running(world, images=2, queries=1)
    admin, foreign = world.caller(), ids_of(world, other)
    for verb in ("queue", "unqueue", "hold-out", "release", "verdict"):
        more: dict[str, Any] = {"verdict": "ood"} if verb == "verdict" else {}
        said = act(http, project, admin, verb, ids=foreign, **more)
        assert said["left_out"] == {"unknown": 2}
        unknown = act(http, project, admin, verb, ids=[10**9, 10**9 + 1], **more)
        # A verdict is named anew by each call.
        assert said == {**unknown, **({"call": said["call"]} if "call" in said else {})}
    said = act(http, project, admin, "promote", 409, ids=foreign, name="bird")
    assert said == act(http, project, admin, "promote", 409, ids=[10**9], name="bird")
    annotator = world.caller(Role.ANNOTATOR, project)
    act(http, project, annotator, "queue", 403, ids=ids_of(world, project))


def test_an_image_is_shown_with_its_history_and_its_places(http: TestClient, world: World) -> None:
    project, admin = running(world, images=4, queries=2), world.caller()
    cat, _ = world.classes(project)
    item = lease(http, admin, project, 1)["items"][0]
    first = verdict(item["query_id"], "label", class_id=cat.id)
    send(http, admin, project, first)
    send(http, admin, project, verdict(item["query_id"], supersedes=first["key"]))
    url = f"/api/projects/{project.id}/examples/{item['example_id']}"
    shown = http.get(url, headers=admin.headers).json()
    assert (shown["state"], shown["name"]) == ("ood", "0.png")
    new, old = shown["annotations"]
    assert (new["verdict"], new["holds"], new["supersedes_id"]) == ("ood", True, old["id"])
    assert (old["verdict"], old["holds"], old["superseded_by"]) == ("label", False, new["id"])
    assert (old["annotator"], old["round"], old["class_id"]) == (admin.user.name, 0, cat.id)
    (place,) = shown["places"]
    assert (place["round"], place["rank"], place["done"]) == (0, 0, True)
    assert http.get(f"{url}9", headers=admin.headers).status_code == 404
