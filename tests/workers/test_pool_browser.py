"""What engineers do in the pool browser, as the rounds after it see it."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Select, select
from sqlalchemy.orm import sessionmaker

from core.states import ArtifactKind, ExampleState, RoundState, Verdict
from core.tables import Annotation, Artifact, Example, Project, ProjectClass, Query
from models.numerics.intervals import wilson
from models.protocols import OOD
from tests.api.test_judgements import judge
from tests.api.test_labeling import lease, send, verdict
from tests.api.test_pool_actions import act, ids_of
from tests.api.test_pool_search import find, listed
from tests.certificates import add_certificate
from tests.workers.loop import Loop
from tests.world import Caller, World
from workers.certificates.observing import go_on_with_all
from workers.labels.snapshot import take

HEAD = {"model": {"name": "patch_kmeans", "params": {"features": 16, "iterations": 2}}}


def test_what_was_sent_and_not_answered_goes_first_in_the_next_round(
    world: World, http: TestClient
) -> None:
    loop, admin = Loop(world), world.caller()
    ids = ids_of(world, loop.project)
    answered = loop.queue(0)[0][1]
    loop.answer(0, 1)
    chosen = [ids[50], ids[40], ids[answered]]
    assert act(http, loop.project, admin, "queue", ids=chosen)["again"] == 1
    # The queue is closed before anybody gets to them.
    world.session.query(Query).filter(Query.requested).update({Query.rank: Query.rank + 1000})
    world.session.commit()
    loop.advance(0, 8)
    first = [(rank, index) for rank, index, _ in loop.queue(1)][:3]
    assert first == [(-3, 50), (-2, 40), (-1, answered)]
    indices = [index for _, index, _ in loop.queue(1)]
    assert len(set(indices)) == len(indices)
    again = select(Query.again_after).join(Example, Example.id == Query.example_id)
    kept = world.session.scalars(
        again.where(Example.pool_index == answered, ~Query.done, Query.requested)
    ).one()
    assert kept is not None


def test_a_round_keeps_its_verdicts_when_images_are_asked_about_again(
    world: World, http: TestClient
) -> None:
    loop, admin = Loop(world), world.caller()
    loop.advance(0, 8)
    doubted, fresh = ids_of(world, loop.project)[0], ids_of(world, loop.project)[50]
    before = rounds_of(http, loop.project, admin)[0]
    assert before["answered"]["ood"] == 3
    act(http, loop.project, admin, "queue", ids=[doubted, fresh])
    cat = loop.classes[0]
    for id_ in (doubted, fresh):
        item = lease(http, admin, loop.project, 1)["items"][0]
        assert item["example_id"] == id_
        hasty = verdict(item["query_id"], "unsure")
        send(http, admin, loop.project, hasty)
        right = {"class_id": cat.id, "supersedes": hasty["key"]}
        send(http, admin, loop.project, verdict(item["query_id"], "label", **right))
    first, second = rounds_of(http, loop.project, admin)
    assert (first["answered"], first["in_share"]) == (before["answered"], before["in_share"])
    assert second["answered"] == {
        **{"label": 2, "no_objects": 0, "ood": 0, "skip": 0, "unsure": 0, "class": 2}
    }

    world.session.rollback()
    snapshot = take(world.session, loop.project.id, 1)
    first_said = dict(zip(snapshot.labeled.tolist(), snapshot.label_rounds.tolist(), strict=True))
    assert (first_said[0], first_said[50]) == (0, 1)
    assert snapshot.labels.outputs(OOD)[snapshot.labeled == 0].tolist() == [0]
    assert snapshot.requested.tolist() == [50]
    # To a round that closes before them these answers are not known, nor that one was corrected.
    earlier = take(world.session, loop.project.id, 0)
    assert earlier.labels.is_ood[earlier.labeled == 0].all()
    assert 50 in earlier.unlabeled
    # All that were drawn at random are in the estimate by them, with what is known of them now.
    loop.advance(1, 6)
    estimate = rounds_of(http, loop.project, admin)[1]["ood_left"]["by_random"]
    assert estimate["answers"] == 8


def test_what_is_sent_to_the_random_round_was_not_drawn(world: World, http: TestClient) -> None:
    loop, admin = Loop(world), world.caller()
    sent = [id_ for at, id_ in enumerate(ids_of(world, loop.project)) if at in (30, 33, 36)]
    act(http, loop.project, admin, "queue", ids=sent)
    loop.advance(0, 11)
    found = rounds_of(http, loop.project, admin)[0]
    assert (found["answered"]["label"], found["answered"]["ood"]) == (5, 6)
    estimate = found["ood_left"]["by_random"]
    # 3 of the 8 drawn are OOD, and so 3/8 of the 52 others; 3 of these were found.
    assert (estimate["answers"], estimate["count"]) == (8, pytest.approx(3 / 8 * 52 - 3))


def test_what_was_sent_says_nothing_of_what_a_strategy_chooses(
    world: World, http: TestClient
) -> None:
    loop, admin = Loop(world, **HEAD, strategy={"name": "eaoa"}), world.caller()
    loop.advance(0, 8)
    ids, queued = ids_of(world, loop.project), {index for _, index, _ in loop.queue(1)}
    free = [ids[at] for at in range(20, 60) if at not in queued]
    act(http, loop.project, admin, "queue", ids=free[:5])
    loop.answer(1, 5, Verdict.LABEL)
    loop.advance(1, 3, Verdict.OOD)
    statement = select(Artifact.meta).where(Artifact.kind == ArtifactKind.SCORES)
    metas = world.session.scalars(statement.order_by(Artifact.id)).all()
    # All that it chose itself was OOD, so it is to be stricter.
    assert [meta["state"] for meta in metas] == [{"k": 5}, {"k": 4}]
    round_ = rounds_of(http, loop.project, admin)[1]
    assert "purity_auroc" not in round_["metrics"]
    assert (round_["answered"]["label"], round_["answered"]["ood"]) == (5, 3)
    assert (round_["chosen"]["label"], round_["chosen"]["ood"], round_["in_share"]) == (0, 3, 0)


def test_what_was_labeled_outside_of_rounds_was_there_to_be_drawn(
    world: World, http: TestClient
) -> None:
    loop, admin = Loop(world, budget=20, goal="find_all"), world.caller()
    before = ids_of(world, loop.project)[59]
    judge(http, loop.project, admin, ids=[before], verdict="ood")
    # It was there before the first queue was drawn.
    said = select(Annotation).where(Annotation.example_id == before)
    opened = loop.rounds()[0].opened_at
    assert opened is not None
    world.session.scalars(said).one().created_at = opened - timedelta(seconds=1)
    world.session.commit()
    loop.advance(0, 8)
    by_hand = [
        example.id
        for example in world.session.scalars(unlabeled(loop.project))
        if example.pool_index % 3 == 0
    ][:4]
    judge(http, loop.project, admin, ids=by_hand, verdict="ood")
    before_it = left_now(http, loop.project, admin)
    labeled = add_certificate(world, loop.project)
    url = f"/api/projects/{loop.project.id}/certificates/{labeled.id}"
    assert http.post(f"{url}/apply", headers=admin.headers).status_code == 202
    go_on_with_all(sessionmaker(world.session.get_bind()), world.storage)
    given = http.get(url, headers=admin.headers).json()["auto"]
    assert given > 10
    # What it has found was among what is left, and is told once.
    after_it = left_now(http, loop.project, admin)
    assert after_it == {
        "found": before_it["found"] + given,
        **{name: max(0, before_it[name] - given) for name in ("left", "low", "high")},
    }
    # None of these could have been drawn.
    world.add_images(loop.project, 40)
    loop.advance(1, 6)
    found = rounds_of(http, loop.project, admin)[1]
    # 3 of the 8 drawn are OOD, and so 3/8 of the 51 others.
    known = len(by_hand) + found["answered"]["ood"]
    left = 3 / 8 * 51 - known
    assert 0 < left < found["ood_left"]["unlabeled"] - 40
    estimate = found["ood_left"]["by_random"]
    assert estimate["count"] == pytest.approx(left + 3 / 8 * 40)
    assert estimate["low"] == pytest.approx(max(0, wilson(3, 8).low * 51 - known))
    assert estimate["high"] - estimate["low"] > 40


def left_now(http: TestClient, project: Project, caller: Caller) -> dict[str, float]:
    found = http.get(f"/api/projects/{project.id}/outlook", headers=caller.headers).json()
    values: dict[str, float] = next(
        one["values"] for one in found["reasons"] if one["code"] == "left"
    )
    return values


def unlabeled(project: Project) -> Select[Example]:
    return (
        select(Example)
        .where(Example.project_id == project.id, Example.state == ExampleState.UNLABELED)
        .order_by(Example.pool_index)
    )


def rounds_of(http: TestClient, project: Project, caller: Caller) -> list[dict[str, Any]]:
    found = http.get(f"/api/projects/{project.id}/rounds", headers=caller.headers).json()
    rounds: list[dict[str, Any]] = found["items"]
    return rounds


def test_what_was_sent_goes_on_with_the_newest_prediction(world: World, http: TestClient) -> None:
    loop, admin = Loop(world), world.caller()
    loop.advance(0)
    place = loop.queue(1)[0][1]
    loop.answer(1, 1)
    answered = ids_of(world, loop.project)[place]
    other = world.session.scalars(unlabeled(loop.project).limit(1)).one()
    act(http, loop.project, admin, "queue", ids=[answered, other.id])
    waiting = select(Query).where(Query.requested).order_by(Query.id)
    before = {query.example_id: said_by(query) for query in world.session.scalars(waiting)}
    assert None not in before[answered][:2] + before[other.id][:2]
    # Nobody gets to them in this round.
    world.session.query(Query).filter(Query.requested).update({Query.rank: Query.rank + 1000})
    world.session.commit()
    loop.advance(1, 8)
    after = {
        query.example_id: said_by(query)
        for query in world.session.scalars(waiting.where(~Query.done))
    }
    # Nobody scores what has its verdict; what waits is scored by every model.
    assert after[answered] == before[answered]
    assert after[other.id][1] != before[other.id][1]
    page = listed(http, loop.project, admin, limit=100)["items"]
    newest = next(one for one in page if one["id"] == other.id)
    taken_for, sure, _ = after[other.id]
    assert taken_for == newest["predicted_class_id"]
    assert sure == pytest.approx(newest["confidence"])


def said_by(query: Query) -> tuple[int | None, float | None, float | None]:
    return query.predicted_class_id, query.probability, query.in_probability


def test_a_new_class_takes_part_from_the_next_round_on(world: World, http: TestClient) -> None:
    loop, admin = Loop(world), world.caller()
    loop.advance(0)
    ood = list(
        world.session.scalars(
            select(Example.id).where(
                Example.project_id == loop.project.id, Example.state == ExampleState.OOD
            )
        )
    )
    promoted = act(http, loop.project, admin, "promote", 201, ids=ood, name="bird")
    # The order of the classes changes as well, while the model knows the old one.
    cat, dog = loop.classes
    wanted = [
        {"id": promoted["class"]["id"], "name": "bird"},
        {"id": dog.id, "name": "dog"},
        {"id": cat.id, "name": "cat"},
    ]
    response = http.patch(
        f"/api/projects/{loop.project.id}", json={"classes": wanted}, headers=admin.headers
    )
    assert [one["name"] for one in response.json()["classes"]] == ["bird", "dog", "cat"]
    before = listed(http, loop.project, admin, sort="purity", limit=1)["items"][0]
    assert before["predicted_class_id"] in {cat.id, dog.id}
    bird = world.session.get_one(ProjectClass, promoted["class"]["id"])
    loop.classes = [bird, bird]
    loop.answer(1, len(ood))
    loop.classes = [cat, dog]
    loop.advance(1, 6)
    assert [round_.state for round_ in loop.rounds()] == [
        RoundState.CLOSED,
        RoundState.CLOSED,
        RoundState.OPEN,
    ]
    per_class = loop.rounds()[1].metrics["per_class"]
    assert set(per_class) == {str(cat.id), str(dog.id), str(bird.id)}
    page = listed(http, loop.project, admin, sort="-confidence", limit=100)
    assert page["scores_round"] == 2
    assert {one["predicted_class_id"] for one in page["items"]} <= {cat.id, dog.id, bird.id}
    predicted = [find(http, loop.project, admin, predicted=one.id) for one in (cat, dog, bird)]
    found = sorted(index for indices in predicted for index in indices)
    assert found == sorted(one["pool_index"] for one in page["items"])


def test_held_out_images_are_neither_asked_about_nor_scored(world: World, http: TestClient) -> None:
    loop, admin = Loop(world), world.caller()
    held = ids_of(world, loop.project)[20:60]
    assert act(http, loop.project, admin, "hold-out", ids=held)["example_ids"] == held
    loop.advance(0)
    assert {index for _, index, _ in loop.queue(1)} & set(range(20, 60)) == set()
    assert find(http, loop.project, admin, sort="purity") != []
    assert set(find(http, loop.project, admin, sort="purity")) <= set(range(20))


def test_neighbours_come_from_the_features_that_rounds_keep(world: World, http: TestClient) -> None:
    loop, admin = Loop(world, **HEAD), world.caller()
    ids = ids_of(world, loop.project)
    url = f"/api/projects/{loop.project.id}/examples/{ids[4]}/neighbours"
    missing = http.get(url, headers=admin.headers)
    assert (missing.status_code, missing.json()["code"]) == (409, "no_features")
    assert "learn_features" in missing.json()["detail"]
    loop.advance(0)
    found = http.get(url, params={"limit": 5}, headers=admin.headers).json()
    assert found["features"] == "patch_kmeans"
    (file,) = world.storage.features(loop.project.id).glob("*.npy")
    rows = np.load(file)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    similarity = rows @ rows[4]
    similarity[4] = -np.inf
    expected = np.argsort(-similarity)[:5]
    assert [one["pool_index"] for one in found["items"]] == expected.tolist()
    assert [one["similarity"] for one in found["items"]] == pytest.approx(
        similarity[expected].tolist(), abs=1e-5
    )
    world.add_images(loop.project, 1)
    world.session.commit()
    newest = ids_of(world, loop.project)[-1]
    late = http.get(url.replace(f"/{ids[4]}/", f"/{newest}/"), headers=admin.headers)
    assert late.json()["code"] == "no_features_yet"
