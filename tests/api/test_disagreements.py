"""Images on which annotators disagree: who is handed them, and what settles them."""

import threading
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, ProjectRole, Role
from core.tables import Annotation, Example, Member, Project, Query, Suggestion
from tests.api.reviewing import call
from tests.api.test_home import home
from tests.api.test_labeling import lease, running, send, verdict
from tests.processes import Hold, eventually
from tests.world import Caller, World


@dataclass
class Crowd:
    """A project that asks two people about each image, those two, and a third who reviews."""

    http: TestClient
    world: World
    project: Project
    ada: Caller
    ben: Caller
    eve: Caller

    @property
    def classes(self) -> tuple[int, int]:
        cat, dog = (item.id for item in self.world.classes(self.project))
        return cat, dog

    def say(self, caller: Caller, *verdicts: int | str | None) -> list[dict[str, Any]]:
        """Answer the next images in order: a class id, a verdict, or nothing."""
        held = lease(self.http, caller, self.project, len(verdicts))["items"]
        answers = [
            verdict(item["query_id"], "label", class_id=said)
            if isinstance(said, int)
            else verdict(item["query_id"], said)
            for item, said in zip(held, verdicts, strict=True)
            if said is not None
        ]
        send(self.http, caller, self.project, *answers)
        return answers

    def call(self, verb: str, body: Any = None, caller: Caller | None = None) -> dict[str, Any]:
        url = f"/api/projects/{self.project.id}/reviews/disagreements{verb}"
        return call(self.http, self.world, url, body, caller or self.eve)

    def lease(self, n: int = 16, caller: Caller | None = None) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.call("/lease", {"n": n}, caller)["items"]
        return items

    def decide(
        self, item: dict[str, Any], decision: str | None, caller: Caller | None = None, **more: Any
    ) -> dict[str, Any]:
        made = {"key": str(uuid.uuid4()), "suggestion_id": item["id"], "decision": decision}
        found = self.call("/decisions", {"decisions": [{**made, **more}]}, caller)
        result: dict[str, Any] = found["results"][0]
        return result

    def example(self, item: dict[str, Any]) -> Example:
        self.world.session.expire_all()
        return self.world.session.get_one(Example, item["example_id"])


@pytest.fixture
def crowd(http: TestClient, world: World) -> Crowd:
    project = running(world, images=6, queries=6, overlap=2)
    callers = [world.caller(Role.ANNOTATOR, project) for _ in range(3)]
    return Crowd(http, world, project, *callers)


@pytest.fixture
def disputed(crowd: Crowd) -> Crowd:
    """Of six images two are disputed: whether the second is a dog, and the third a cat at all."""
    cat, dog = crowd.classes
    crowd.say(crowd.ada, cat, cat, cat, "ood", "unsure", cat)
    crowd.say(crowd.ben, cat, dog, "ood", "ood", cat, "skip")
    return crowd


def counted(item: dict[str, Any]) -> list[tuple[int | None, int]]:
    return [(one["class_id"], one["count"]) for one in item["votes"]]


def test_those_who_contradict_each_other_disagree(disputed: Crowd) -> None:
    cat, dog = disputed.classes
    which, whether = disputed.lease()
    assert (which["given_class_id"], which["suggested_class_id"]) == (cat, dog)
    assert (whether["given_class_id"], whether["suggested_class_id"]) == (cat, None)
    assert counted(whether) == [(cat, 1), (None, 1)]
    assert whether["confidence"] == 0.5
    review = disputed.call("")
    assert (review["job_id"], review["open"], review["total"]) == (None, 2, 2)
    listed = disputed.http.get(
        f"/api/projects/{disputed.project.id}/reviews", headers=disputed.eve.headers
    )
    assert listed.json()["items"] == [review]


def test_what_was_settled_stays_so_where_a_later_verdict_is_undone(disputed: Crowd) -> None:
    cat, dog = disputed.classes
    item, _ = disputed.lease()
    manager = disputed.world.caller()
    assert disputed.decide(item, "keep", manager)["status"] == "accepted"
    url = f"/api/projects/{disputed.project.id}/examples/verdict"
    ids = [item["example_id"]]
    body = {"ids": ids, "verdict": "label", "class_id": dog}
    said = call(disputed.http, disputed.world, url, body, manager)
    assert disputed.example(item).label_class_id == dog
    body = {"ids": ids, "verdict": "skip", "undoes": said["call"]}
    assert call(disputed.http, disputed.world, url, body, manager)["example_ids"] == ids
    example = disputed.example(item)
    assert (example.label_class_id, example.disputed) == (cat, False)
    review = disputed.call("", caller=manager)
    assert (review["open"], review["decided"]["keep"]) == (1, 1)
    # And who has decided may still take that back.
    assert disputed.decide(item, None, manager)["status"] == "accepted"
    assert disputed.example(item).disputed


def test_an_image_waits_until_everybody_who_is_asked_has_answered(
    http: TestClient, world: World
) -> None:
    project = running(world, images=1, queries=1, overlap=3)
    callers = [world.caller(Role.ANNOTATOR, project) for _ in range(3)]
    crowd = Crowd(http, world, project, *callers)
    cat, dog = crowd.classes
    crowd.say(crowd.ada, cat)
    crowd.say(crowd.ben, dog)
    assert crowd.call("")["open"] == 0
    crowd.say(crowd.eve, dog)
    assert crowd.lease() == []
    (item,) = crowd.lease(caller=world.caller())
    assert counted(item) == [(dog, 2), (cat, 1)]
    assert item["confidence"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("decision", "state", "label"),
    [
        ("keep", ExampleState.LABELED, 0),
        ("accept", ExampleState.OOD, None),
        ("other", ExampleState.LABELED, 1),
        ("ood", ExampleState.OOD, None),
        ("unsure", ExampleState.UNSURE, None),
    ],
)
def test_a_decision_settles_it_and_taking_it_back_opens_it_again(
    disputed: Crowd, decision: str, state: ExampleState, label: int | None
) -> None:
    item = disputed.lease()[1]
    class_id = None if label is None else disputed.classes[label]
    named: dict[str, Any] = {"class_id": class_id} if decision == "other" else {}
    assert disputed.decide(item, decision, **named)["status"] == "accepted"
    example = disputed.example(item)
    assert (example.state, example.label_class_id, example.disputed) == (state, class_id, False)
    review = disputed.call("")
    assert (review["open"], review["decided"][decision]) == (1, 1)
    (shown,) = disputed.call("/recent")["items"]
    assert (shown["decision"], shown["decided_class_id"]) == (decision, class_id)
    assert len(shown["votes"]) == 2

    disputed.decide(item, None)
    example = disputed.example(item)
    assert (example.label_class_id, example.disputed) == (disputed.classes[0], True)
    assert item["id"] in [one["id"] for one in disputed.lease()]
    # Nothing was taken away: two verdicts, a decision and its undoing.
    kept = select(Annotation.id).where(Annotation.example_id == example.id)
    assert len(disputed.world.session.scalars(kept).all()) == 4


def test_nobody_settles_their_own_but_who_manages_the_project(disputed: Crowd) -> None:
    engineer = disputed.world.caller(Role.ENGINEER, disputed.project)
    assert disputed.lease(caller=disputed.ada) == []
    assert home(disputed.http, disputed.ada)["projects"][0]["disagreements"] == 0
    assert home(disputed.http, disputed.eve)["projects"][0]["disagreements"] == 2
    assert len(disputed.lease(caller=engineer)) == 2


def test_who_has_taken_a_side_decides_nothing_that_was_handed_to_others(disputed: Crowd) -> None:
    which, whether = disputed.lease()
    refused = disputed.decide(which, "keep", disputed.ada)
    assert (refused["status"], refused["code"]) == ("rejected", "own_disagreement")
    assert disputed.example(which).disputed
    for decision in ("keep", "accept"):
        # What somebody has decided as a reviewer is no side.
        assert disputed.decide(which, decision)["status"] == "accepted"
    member = select(Member).where(Member.user_id == disputed.ada.user.id)
    disputed.world.session.scalars(member).one().role = ProjectRole.MANAGER
    disputed.world.session.commit()
    assert disputed.decide(whether, "keep", disputed.ada)["status"] == "accepted"


def test_two_reviewers_see_different_images_and_the_second_of_two_is_late(disputed: Crowd) -> None:
    other = disputed.world.caller(Role.ENGINEER, disputed.project)
    (mine,) = disputed.lease(1)
    (theirs,) = disputed.lease(caller=other)
    assert mine["id"] != theirs["id"]
    assert [one["id"] for one in disputed.lease(1)] == [mine["id"]]
    disputed.decide(mine, "accept")
    assert disputed.decide(mine, "ood", other)["status"] == "late"
    assert disputed.example(mine).label_class_id == disputed.classes[1]


def test_who_thinks_better_of_it_ends_the_disagreement(crowd: Crowd) -> None:
    cat, dog = crowd.classes
    (said,) = crowd.say(crowd.ada, cat)
    crowd.say(crowd.ben, dog)
    assert crowd.call("")["open"] == 1
    better = verdict(said["query_id"], "label", class_id=dog, supersedes=said["key"])
    send(crowd.http, crowd.ada, crowd.project, better)
    assert crowd.call("")["total"] == 0
    assert crowd.lease() == []


@pytest.fixture
def doubted(disputed: Crowd) -> dict[str, Any]:
    """A disagreement that was settled, but asked about again and answered otherwise."""
    item = disputed.lease()[0]
    disputed.decide(item, "keep")
    session = disputed.world.session
    held = session.scalars(
        select(Annotation).where(Annotation.example_id == item["example_id"])
    ).all()
    review = next(one for one in held if one.source == "review")
    first = session.scalars(
        select(Query).where(Query.example_id == item["example_id"]).order_by(Query.id)
    ).first()
    assert first is not None
    # As an answer to an image that was sent to the queue again: it corrects what was said.
    session.add(
        Annotation(
            project_id=disputed.project.id, example_id=item["example_id"], source="annotator",
            query_id=first.id, round_id=first.round_id, annotator_id=disputed.eve.user.id,
            client_key=uuid.uuid4(), verdict="ood", seconds=1, cost=0, counted=True,
            supersedes_id=review.id,
        )
    )  # fmt: skip
    session.get_one(Example, item["example_id"]).disputed = True
    session.commit()
    return item


def test_what_was_settled_may_be_disputed_anew(disputed: Crowd, doubted: dict[str, Any]) -> None:
    assert disputed.call("")["open"] == 2
    again = disputed.lease(caller=disputed.world.caller())[0]
    assert (again["id"], again["decision"], len(again["votes"])) == (doubted["id"], None, 3)
    session = disputed.world.session
    assert session.get_one(Suggestion, doubted["id"]).annotation_id is None


def test_a_decision_that_an_answer_has_corrected_is_not_corrected_again(
    disputed: Crowd, doubted: dict[str, Any]
) -> None:
    assert disputed.decide(doubted, None)["code"] == "not_decided"
    engineer = disputed.world.caller(Role.ENGINEER, disputed.project)
    disputed.call("/revert", {}, engineer)
    suggestion = disputed.world.session.get_one(Suggestion, doubted["id"])
    assert (suggestion.decision, suggestion.annotation_id) == (None, None)
    assert disputed.decide(doubted, "accept", engineer)["status"] == "accepted"
    assert disputed.example(doubted).label_class_id == disputed.classes[1]


def test_all_decisions_are_taken_back_at_once(disputed: Crowd) -> None:
    engineer = disputed.world.caller(Role.ENGINEER, disputed.project)
    for item in disputed.lease():
        disputed.decide(item, "ood")
    assert disputed.call("")["open"] == 0
    assert disputed.call("/revert", {}, engineer)["reverted"] == 2
    assert disputed.call("")["open"] == 2


@pytest.mark.parametrize("more", [{"decision": "other"}, {"decision": "keep", "class_id": 1}])
def test_a_class_goes_with_another_label_alone(disputed: Crowd, more: dict[str, Any]) -> None:
    item = disputed.lease()[0]
    one = {"key": str(uuid.uuid4()), "suggestion_id": item["id"], **more}
    response = disputed.http.post(
        f"/api/projects/{disputed.project.id}/reviews/disagreements/decisions",
        json={"decisions": [one]},
        headers=disputed.eve.headers,
    )
    assert response.status_code == 422
    assert "class_id goes with the decision 'other'" in response.text


def test_a_class_of_another_project_is_refused(disputed: Crowd) -> None:
    foreign = disputed.world.classes(disputed.world.project())[0].id
    item = disputed.lease()[0]
    result = disputed.decide(item, "other", class_id=foreign)
    assert (result["status"], result["code"]) == ("rejected", "unknown_class")
    assert disputed.example(item).disputed


def handing_out() -> Hold:
    """Stops whoever is handed disagreements once their images are locked."""
    return Hold("suggestions", "TG_OP = 'INSERT'")


def test_who_decides_while_more_are_handed_out_waits_in_turn(disputed: Crowd) -> None:
    """Both lock images first: otherwise each would wait for the other."""
    first, _ = disputed.lease()
    hold = handing_out()
    found: list[Any] = []
    leasing = threading.Thread(target=lambda: found.append(disputed.lease()))
    leasing.start()
    eventually(hold.waiting, "images are locked")
    deciding = threading.Thread(target=lambda: found.append(disputed.decide(first, "keep")))
    deciding.start()
    eventually(hold.blocks, "the decision waits")
    hold.let_go()
    for one in (leasing, deciding):
        one.join(30)
    held, decided = found
    assert [len(held), decided["status"]] == [2, "accepted"]


def test_what_somebody_else_has_taken_meanwhile_is_not_handed_out(disputed: Crowd) -> None:
    first, second = disputed.lease()
    session = disputed.world.session
    for one in (first, second):
        session.get_one(Suggestion, one["id"]).lease_expires_at = None
    session.commit()
    hold = handing_out()
    found: list[list[dict[str, Any]]] = []
    engineer = disputed.world.caller()
    leasing = threading.Thread(target=lambda: found.append(disputed.lease(caller=engineer)))
    leasing.start()
    eventually(hold.waiting, "images were looked for")
    taken = session.get_one(Suggestion, first["id"])
    taken.lease_holder = disputed.eve.user.id
    taken.lease_expires_at = datetime.now(UTC) + timedelta(minutes=5)
    session.commit()
    hold.let_go()
    leasing.join(30)
    assert [one["id"] for one in found[0]] == [second["id"]]
