"""Several annotators for each image: nobody sees one twice, and all votes are kept."""

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select, update

from core.lifecycle import move_round
from core.states import ExampleState, Role, RoundState
from core.tables import Annotation, Example, Project, Query, Round
from tests.api.test_labeling import lease, running, send, verdict
from tests.world import Caller, World


def three(world: World, project: Project) -> list[Caller]:
    return [world.caller(Role.ANNOTATOR, project) for _ in range(3)]


def examples(found: dict[str, Any]) -> list[int]:
    return [item["example_id"] for item in found["items"]]


def first_query(http: TestClient, caller: Caller, project: Project) -> int:
    query: int = lease(http, caller, project, 1)["items"][0]["query_id"]
    return query


def example_of(world: World, query_id: int) -> Example:
    world.session.expire_all()
    query = world.session.get_one(Query, query_id)
    return world.session.get_one(Example, query.example_id)


def test_each_annotator_is_shown_every_image_once(http: TestClient, world: World) -> None:
    project = running(world, images=6, queries=6, overlap=2)
    one, two, _ = three(world, project)

    mine, theirs = lease(http, one, project, 20), lease(http, two, project, 20)

    assert len(examples(mine)) == len(set(examples(mine))) == 6
    assert sorted(examples(mine)) == sorted(examples(theirs))
    # In the order of the queue, and never the same row.
    assert [item["rank"] for item in mine["items"]] == [0, 2, 4, 6, 8, 10]
    assert [item["rank"] for item in theirs["items"]] == [1, 3, 5, 7, 9, 11]


def test_a_third_annotator_finds_nothing_where_two_are_wanted(
    http: TestClient, world: World
) -> None:
    project = running(world, images=4, queries=4, overlap=2)
    one, two, third = three(world, project)
    lease(http, one, project, 4)
    lease(http, two, project, 4)
    found = lease(http, third, project, 4)
    assert found["items"] == []
    assert found["status"]["waiting_for"] == "others"


def test_who_has_answered_is_not_asked_again_and_the_image_stays_for_others(
    http: TestClient, world: World
) -> None:
    project = running(world, images=3, queries=3, overlap=2)
    one, two, _ = three(world, project)
    held = lease(http, one, project, 1)["items"][0]
    send(http, one, project, verdict(held["query_id"]))
    assert held["example_id"] not in examples(lease(http, one, project, 20))
    assert held["example_id"] in examples(lease(http, two, project, 20))


def test_every_vote_counts_and_costs_and_most_decide(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, overlap=3)
    cat, dog = (item.id for item in world.classes(project))
    said = [("label", dog), ("label", cat), ("label", cat)]
    labels = []
    for caller, (what, class_id) in zip(three(world, project), said, strict=True):
        query = first_query(http, caller, project)
        result = send(http, caller, project, verdict(query, what, class_id=class_id))
        assert result["results"][0]["counted"]
        labels.append(example_of(world, query).label_class_id)
    # The first vote holds until others outweigh it.
    assert labels == [dog, dog, cat]
    assert world.session.scalars(select(Round.spent)).one() == 3
    assert len(world.session.scalars(select(Annotation)).all()) == 3


def test_a_vote_beyond_those_wanted_is_kept_and_not_counted(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, overlap=2, lease_seconds=1)
    one, two, third = three(world, project)
    query = first_query(http, one, project)
    send(http, one, project, verdict(query))
    send(http, two, project, verdict(query))
    # The slot was answered by another, but a second vote was wanted: it counted, and that is all.
    result = send(http, third, project, verdict(query, "unsure"))
    assert (result["results"][0]["status"], result["results"][0]["counted"]) == ("late", False)
    assert example_of(world, query).state is ExampleState.OOD
    slots = select(Query.done).where(Query.example_id == example_of(world, query).id)
    assert world.session.scalars(slots).all() == [True, True]


def test_one_annotator_has_one_vote(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, overlap=2)
    one, *_ = three(world, project)
    query = first_query(http, one, project)
    assert send(http, one, project, verdict(query))["results"][0]["counted"]
    assert not send(http, one, project, verdict(query))["results"][0]["counted"]


def test_a_correction_moves_the_vote(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, overlap=3)
    cat, dog = (item.id for item in world.classes(project))
    one, two, third = three(world, project)
    earlier = verdict(first_query(http, one, project), "label", class_id=dog)
    send(http, one, project, earlier)
    for caller, class_id in ((two, cat), (third, dog)):
        query = first_query(http, caller, project)
        send(http, caller, project, verdict(query, "label", class_id=class_id))
    assert example_of(world, earlier["query_id"]).label_class_id == dog

    later = verdict(earlier["query_id"], "label", class_id=cat, supersedes=earlier["key"])
    assert send(http, one, project, later)["results"][0]["counted"]

    assert example_of(world, earlier["query_id"]).label_class_id == cat
    # A correction is charged the difference, which is none.
    assert world.session.scalars(select(Round.spent)).one() == 3


def test_the_round_closes_when_the_last_vote_of_the_last_image_is_in(
    http: TestClient, world: World
) -> None:
    project = running(world, images=2, queries=2, overlap=2)
    one, two, _ = three(world, project)
    for caller in (one, two):
        assert world.session.scalars(select(Round.state).order_by(Round.number)).all() == [
            RoundState.OPEN
        ]
        for item in lease(http, caller, project, 2)["items"]:
            send(http, caller, project, verdict(item["query_id"]))
        world.session.expire_all()
    states = world.session.scalars(select(Round.state).order_by(Round.number)).all()
    assert states == [RoundState.CLOSING, RoundState.SELECTING]


def test_who_skips_leaves_the_image_to_the_others(http: TestClient, world: World) -> None:
    project = running(world, images=2, queries=2, overlap=2)
    one, two, _ = three(world, project)
    query = first_query(http, one, project)
    send(http, one, project, verdict(query, "skip"))
    example = example_of(world, query)
    assert example.id not in examples(lease(http, one, project, 20))
    assert example.id in examples(lease(http, two, project, 20))


def test_who_skipped_an_image_may_be_asked_again_in_a_later_round(
    http: TestClient, world: World
) -> None:
    project = running(world, images=2, queries=2, overlap=2)
    one, *_ = three(world, project)
    query = first_query(http, one, project)
    send(http, one, project, verdict(query, "skip"))
    example = example_of(world, query)
    round_ = world.session.scalars(select(Round)).one()
    for state in (RoundState.CLOSING, RoundState.CLOSED):
        move_round(round_, state)
    world.session.execute(update(Query).values(done=True))
    world.session.execute(update(Example).values(state=ExampleState.UNLABELED))
    world.open_round(project, 2, number=1)
    assert example.id in examples(lease(http, one, project, 20))
