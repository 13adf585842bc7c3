"""One verdict for many images: a review that settles them, and that can be taken back."""

import json
import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, Role
from core.tables import Example, Project, Query
from tests.api.test_labeling import lease, running, send, verdict
from tests.api.test_pool_actions import act, ids_of, said_of, state_of
from tests.world import World


def judge(http: TestClient, project: Project, caller: Any, **body: Any) -> dict[str, Any]:
    return act(http, project, caller, "verdict", **body)


def exported(http: TestClient, project: Project, caller: Any, **asked: Any) -> list[dict[str, Any]]:
    path = f"/api/projects/{project.id}/export"
    found = http.get(path, params={"format": "jsonl", **asked}, headers=caller.headers)
    return [json.loads(line) for line in found.text.splitlines()]


def test_many_get_a_verdict_at_no_cost_and_leave_the_queue(http: TestClient, world: World) -> None:
    project, admin = running(world, images=10, queries=4, evaluation=1), world.caller()
    ids = ids_of(world, project)
    cat, _ = world.classes(project)
    act(http, project, admin, "hold-out", ids=[ids[8]])
    wanted = [ids[1], ids[6], ids[8], ids[10], 10**9]
    said = judge(http, project, admin, ids=wanted, verdict="label", class_id=cat.id)
    assert said["example_ids"] == [ids[1], ids[6]]
    assert said["left_out"] == {"held_out": 1, "not_in_pool": 1, "unknown": 1}
    for one in (ids[1], ids[6]):
        assert state_of(world, one) is ExampleState.LABELED
        assert said_of(http, project, admin, one) == [("label", cat.id)]
    handed = [item["example_id"] for item in lease(http, admin, project, 9)["items"]]
    assert handed == [ids[0], ids[2], ids[3]]
    rounds = http.get(f"/api/projects/{project.id}/rounds", headers=admin.headers).json()
    assert rounds["items"][0]["spent"] == 0


def test_it_stands_above_annotators_until_it_is_taken_back(http: TestClient, world: World) -> None:
    project, admin = running(world, images=6, queries=3), world.caller()
    other = world.caller(Role.ENGINEER, project)
    cat, dog = world.classes(project)
    item = lease(http, admin, project, 1)["items"][0]
    send(http, admin, project, verdict(item["query_id"], "label", class_id=cat.id))
    one = item["example_id"]
    judge(http, project, other, ids=[one], verdict="ood")
    assert state_of(world, one) is ExampleState.OOD
    judge(http, project, other, ids=[one], verdict="label", class_id=dog.id)
    assert ("label", dog.id) in said_of(http, project, admin, one)
    assert ("ood", None) not in said_of(http, project, admin, one)
    # Nobody takes back what somebody else has said.
    assert judge(http, project, admin, ids=[one], verdict="skip")["left_out"] == {"not_judged": 1}
    assert judge(http, project, other, ids=[one], verdict="skip")["example_ids"] == [one]
    world.session.expire_all()
    found = world.session.get_one(Example, one)
    assert (found.state, found.label_class_id) == (ExampleState.LABELED, cat.id)
    # And of what nobody else has spoken of nothing is known again.
    fresh = ids_of(world, project)[5]
    judge(http, project, other, ids=[fresh], verdict="unsure")
    assert state_of(world, fresh) is ExampleState.UNSURE
    judge(http, project, other, ids=[fresh], verdict="skip")
    assert state_of(world, fresh) is ExampleState.UNLABELED
    assert [row["class"] for row in exported(http, project, admin) if row["effective"]] == [
        cat.name
    ]
    counted = exported(http, project, admin, effective=True)
    assert [(row["example_id"], row["class"]) for row in counted] == [(one, cat.name)]


def test_a_verdict_that_is_taken_back_hides_no_skip(http: TestClient, world: World) -> None:
    project, admin = running(world, images=4, queries=1), world.caller()
    item = lease(http, admin, project, 1)["items"][0]
    send(http, admin, project, verdict(item["query_id"], "skip"))
    for said in ("ood", "skip"):
        judge(http, project, admin, ids=[item["example_id"]], verdict=said)
    counted = exported(http, project, admin, effective=True)
    assert [(row["verdict"], row["source"]) for row in counted] == [("skip", "annotator")]


def test_one_call_is_undone_and_what_was_said_before_counts_again(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=4, queries=2), world.caller()
    cat, dog = world.classes(project)
    _, _, first, second = ids_of(world, project)
    judge(http, project, admin, ids=[first], verdict="label", class_id=cat.id)
    said = judge(http, project, admin, ids=[first, second], verdict="label", class_id=dog.id)
    undo = {"ids": [first, second], "verdict": "skip", "undoes": said["call"]}
    assert judge(http, project, admin, **undo)["example_ids"] == [first, second]
    assert said_of(http, project, admin, first) == [("label", cat.id)]
    assert state_of(world, first) is ExampleState.LABELED
    assert state_of(world, second) is ExampleState.UNLABELED
    # What was undone is not undone once more, nor is it anybody else's.
    other = world.caller(Role.ENGINEER, project)
    for caller in (admin, other):
        assert judge(http, project, caller, **undo)["left_out"] == {"not_judged": 2}
    assert said_of(http, project, admin, first) == [("label", cat.id)]


def test_what_is_said_again_is_as_old_as_it_was(http: TestClient, world: World) -> None:
    project, admin = running(world, images=4, queries=1), world.caller()
    other = world.caller(Role.ENGINEER, project)
    cat, dog = world.classes(project)
    one = ids_of(world, project)[3]
    judge(http, project, admin, ids=[one], verdict="label", class_id=cat.id)
    judge(http, project, other, ids=[one], verdict="label", class_id=dog.id)
    call = judge(http, project, admin, ids=[one], verdict="ood")["call"]
    judge(http, project, admin, ids=[one], verdict="skip", undoes=call)
    world.session.expire_all()
    assert world.session.get_one(Example, one).label_class_id == dog.id
    told = exported(http, project, admin)
    assert [row["class"] for row in told if row["effective"]] == [dog.name]
    assert [row["class"] for row in told if row["holds"]] == [dog.name]


def test_what_was_said_before_is_no_answer_to_what_is_asked_again(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=4, queries=2), world.caller()
    cat, dog = world.classes(project)
    one = ids_of(world, project)[3]
    judge(http, project, admin, ids=[one], verdict="label", class_id=cat.id)
    call = judge(http, project, admin, ids=[one], verdict="label", class_id=dog.id)["call"]
    assert act(http, project, admin, "queue", ids=[one])["example_ids"] == [one]
    judge(http, project, admin, ids=[one], verdict="skip", undoes=call)
    assert said_of(http, project, admin, one) == [("skip", None)]
    (item,) = lease(http, admin, project, 1)["items"]
    assert item["example_id"] == one
    send(http, admin, project, verdict(item["query_id"], "label", class_id=cat.id))
    assert state_of(world, one) is ExampleState.LABELED


def test_what_somebody_looks_at_and_the_last_of_a_round_stay(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=6, queries=3), world.caller()
    ids = ids_of(world, project)
    assert lease(http, admin, project, 1)["items"][0]["example_id"] == ids[0]
    said = judge(http, project, admin, ids=ids[:2], verdict="ood")
    assert (said["example_ids"], said["left_out"]) == ([ids[1]], {"looked_at": 1})
    short = running(world, images=3, queries=2)
    last = ids_of(world, short)
    said = judge(http, short, admin, ids=[last[0]], verdict="ood")
    assert (said["example_ids"], said["left_out"]) == ([last[0]], {})
    assert judge(http, short, admin, ids=[last[1]], verdict="ood")["left_out"] == {
        "last_of_round": 1
    }
    waiting = select(Query.example_id).where(Query.example_id.in_(last), ~Query.done)
    assert world.session.scalars(waiting).all() == [last[1]]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"ids": [1], "verdict": "label"}, 422),
        ({"ids": [1], "verdict": "ood", "class_id": 1}, 422),
        ({"ids": [1], "verdict": "maybe"}, 422),
        ({"ids": [1], "verdict": "ood", "undoes": str(uuid.UUID(int=0))}, 422),
        ({"ids": [], "verdict": "ood"}, 422),
        ({"verdict": "ood"}, 422),
        ({"ids": [1], "filters": {}, "verdict": "ood"}, 422),
        ({"ids": [1], "verdict": "label", "class_id": 10**9}, 400),
    ],
)
def test_what_is_no_verdict_is_refused(
    http: TestClient, world: World, body: dict[str, Any], status: int
) -> None:
    project, admin = running(world, images=2, queries=1), world.caller()
    found = act(http, project, admin, "verdict", status, **body)
    assert found["code"] == ("unknown_class" if status == 400 else "malformed")
