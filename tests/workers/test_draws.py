"""Random draws that judge the models: who is drawn, who learns from them, and when."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.states import (
    ArtifactKind,
    CertificateState,
    ExampleState,
    JobState,
    ProjectState,
    Role,
    RoundState,
    Verdict,
)
from core.tables import Annotation, Artifact, Example, Job, Query
from models.guarantee.estimates import Part
from models.guarantee.lots import labels_of
from models.protocols import OOD
from models.ranking.pool_scores import PoolScores
from models.rounds.predictions import predict
from tests.certificates import add_certificate
from tests.workers.loop import Loop
from tests.workers.test_warm_start import begun, queue_of, run
from tests.world import World
from workers.advance.drawing import walk
from workers.certificates.applying import work_off
from workers.jobs.context import sessions
from workers.labels.draws import pairs, reached, read_draws
from workers.labels.snapshot import Snapshot, take
from workers.labels.whole import Whole, departures, whole_of

# A course of rounds in which what was skipped comes once more, and one draw is asked again.
FROZEN: dict[str, Any] = {
    "model": {
        "name": "patch_kmeans",
        "params": {"features": 16, "iterations": 2, "ood_class": False},
    },
    "strategy": {"name": "margin"},
    "second_looks": 0,
    "images": 130,
    "evaluation": 0,
    "budget": 40,
    "audit_share": 0.25,
}


def taken(loop: Loop, closing: int) -> Snapshot:
    with loop.session.begin_nested():
        return take(loop.session, loop.project.id, closing)


def draws_of(loop: Loop, number: int) -> dict[int, Query]:
    """Draws that a round asks about for the first time, by pool index."""
    statement = (
        select(Example.pool_index, Query)
        .join(Query, Query.example_id == Example.id)
        .where(Query.round_id == loop.rounds()[number].id, Query.audit, Query.again_after.is_(None))
        .order_by(Query.rank)
    )
    return dict(loop.session.execute(statement).all())


def state_of(loop: Loop) -> ProjectState:
    loop.session.expire_all()
    return loop.project.state


def skip(loop: Loop, query: Query) -> None:
    """Somebody is shown a query of the open round, and skips it."""
    query.lease_token = loop.session.scalar(select(func.gen_random_uuid()))
    example = loop.session.get_one(Example, query.example_id)
    loop._store(loop.rounds()[query_round(loop, query)], query, example, Verdict.SKIP, None)
    loop.session.commit()


def query_round(loop: Loop, query: Query) -> int:
    return next(one.number for one in loop.rounds() if one.id == query.round_id)


def test_draws_judge_the_model_and_are_learned_from_once_the_strategy_comes_to_them(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, **FROZEN)
    loop.advance(0, 12)
    draws = draws_of(loop, 1)
    # 60 queries, of which 15 drawn from what was free.
    assert (loop.rounds()[1].queries, len(draws)) == (60, 15)
    assert {query.audit_probability for query in draws.values()} == {15 / 118}
    left = next(iter(draws))
    skip(loop, draws[left])
    loop.answer(1, 44)
    answered = {index for index, query in draws_of(loop, 1).items() if query.done} - {left}
    due = set(reached(loop.session, loop.project.id, 1, 1)) & answered
    assert 0 < len(due) < len(answered) < 15

    assert loop.finish(1).state is JobState.SUCCEEDED
    found = taken(loop, 1)
    assert set(found.audited) == answered - due
    assert due <= set(found.labeled)
    assert set(found.label_rounds[np.isin(found.labeled, list(due))]) == {1}
    assert not set(found.audited) & set(found.labeled)
    assert set(found.audited) <= set(found.candidates)
    closed = loop.rounds()[1]
    judged = closed.metrics["audit"]
    assert (judged["n"], judged["unsure"]) == (len(answered - due), 0)
    for name in ("accuracy", "in", "ood", "ood_share"):
        if (one := judged[name]) is not None:
            assert 0 <= one["low"] <= one["share"] <= one["high"] <= 1
    kinds = [(judged[name] or {"n": 0})["n"] for name in ("in", "ood")]
    assert sum(kinds) == judged["accuracy"]["n"] == judged["ood_share"]["n"] == judged["n"]
    assert sum(one["n"] for one in judged["per_class"]) == kinds[0]
    assert not any("Accuracy was not measured" in note for note in closed.notes)
    # It counts as right where the label is that a guarantee would give.
    scored = select(Artifact.storage_key).where(Artifact.kind == ArtifactKind.SCORES)
    key = loop.session.scalars(scored.order_by(Artifact.id.desc()).limit(1)).one()
    said = predict(PoolScores.from_parquet(world.storage.artifact(key)), found.audited)
    labels, _ = labels_of(said.classes, said.probability, said.inside)
    truth, _ = found.said_of_draws(found.audited)
    assert judged["accuracy"]["share"] == (labels == truth.outputs(OOD)).mean()

    # What nobody was shown is free again, and what was skipped is asked once more.
    assert set(draws_of(loop, 1)) == answered | {left}
    following = draws_of(loop, 2)
    assert left in following
    # What was undone was never drawn, and every image had its chance in either queue.
    first, second = len(answered | {left}) / 118, loop.rounds()[2].metrics["draws"][0]
    missed = (1 - first) * (1 - second["drawn"] / second["free"])
    drawn = read_draws(loop.session, loop.project.id, 2)
    chances = drawn.probability[np.isin(drawn.indices, taken(loop, 2).audited)]
    assert chances.tolist() == pytest.approx([1 - missed] * len(answered - due))
    headers = loop.world.caller().headers
    url = f"/api/projects/{loop.project.id}/audit"
    told = http.get(url, headers=headers).json()
    assert (told["round"], told["accuracy"]["share"]) == (1, judged["accuracy"]["share"])
    assert (told["answered"], told["waiting"]) == (len(answered - due), len(following))
    assert told["share_of_queue"] == 0.25

    # One of ten is asked again of whoever labels alone; said by somebody else it is a pair.
    again = select(Query).where(Query.round_id == loop.rounds()[2].id, Query.again_after > 0)
    (twice,) = loop.session.scalars(again.where(Query.audit)).all()
    before = loop.session.get_one(Annotation, twice.again_after)
    assert pairs(loop.session, loop.project.id) == (0, 0)
    example = loop.session.get_one(Example, twice.example_id)
    with loop.session.begin_nested() as alone:
        # Who says the same again may be wrong twice: no promise is made of that.
        loop._store(loop.rounds()[2], twice, example, before.verdict, before.class_id)
        loop.session.flush()
        assert pairs(loop.session, loop.project.id) == (1, 0)
        assert pairs(loop.session, loop.project.id, by_two=True) == (0, 0)
        alone.rollback()
    loop.annotator = world.caller(Role.ANNOTATOR).user
    other = Verdict.OOD if before.verdict is Verdict.LABEL else Verdict.LABEL
    chosen = loop.classes[0].id if other is Verdict.LABEL else None
    loop._store(loop.rounds()[2], twice, example, other, chosen)
    loop.session.commit()
    assert pairs(loop.session, loop.project.id, by_two=True) == (1, 1)


def test_a_finished_project_is_audited_in_a_round_of_its_own(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, **{**FROZEN, "audit_share": 0, "max_rounds": 1})
    headers = world.caller().headers
    url = f"/api/projects/{loop.project.id}"
    loop.advance(0, 12)
    assert state_of(loop) is ProjectState.FINISHED
    asked = http.post(f"{url}/audit", json={"n": 20}, headers=headers).json()
    assert asked == {"asked": 20, "round": 1}
    audited = loop.rounds()[1]
    assert (audited.state, audited.strategy, audited.budget) == (RoundState.OPEN, "audit", 20)
    assert state_of(loop) is ProjectState.RUNNING
    body = {"client": "9b2f6a9e-58e8-4a53-9e2a-6f1c4a4a5a10", "n": 2}
    leased = http.post(f"{url}/labeling/lease", json=body, headers=headers)
    assert len(leased.json()["items"]) == 2
    assert "audit" not in leased.text

    # Whatever comes now none of them could have been.
    world.add_images(loop.project, 30)
    # What is skipped now nobody is asked about again: no model counts as right about it.
    skip(loop, next(iter(draws_of(loop, 1).values())))
    loop.answer(1, 19)
    assert loop.finish(1).state is JobState.SUCCEEDED
    assert len(loop.rounds()) == 2
    assert state_of(loop) is ProjectState.FINISHED
    judged = loop.rounds()[1].metrics["audit"]
    assert (judged["n"], judged["unsure"], judged["accuracy"]["n"]) == (20, 1, 20)
    assert judged["accuracy"]["share"] <= 19 / 20
    assert (judged["lot"], judged["beyond"]) == (118, 30)
    world.add_images(loop.project, 2)
    loop.session.commit()
    told = http.get(f"{url}/audit", headers=headers).json()
    assert (told["accuracy"]["n"], told["of"], told["beyond"]) == (20, 118, 30)

    # It goes on from there, as from any other round.
    loop.project.settings = {**loop.project.settings, "max_rounds": None}
    world.session.commit()
    assert http.post(f"{url}/resume", headers=headers).status_code == 200
    (job,) = world.session.scalars(select(Job).where(Job.state == JobState.QUEUED))
    run(world, job)
    following = loop.rounds()[2]
    assert (following.state, following.strategy, following.queries) == ("open", "margin", 60)
    # All are drawn in the end, and then there is none to draw.
    asked = http.post(f"{url}/audit", json={"n": 200}, headers=headers).json()
    assert asked == {"asked": 130, "round": 2}
    refused = http.post(f"{url}/audit", json={"n": 1}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_draw")


def test_a_draw_that_waits_in_the_queue_comes_first_and_is_learned_from_in_its_place(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, images=16, audit_share=0)
    headers, url = world.caller().headers, f"/api/projects/{loop.project.id}/audit"
    queued = {index: rank for rank, index, _ in loop.queue(0)}
    assert http.post(url, json={"n": 15}, headers=headers).json()["asked"] == 15
    draws = draws_of(loop, 0)
    assert all(query.rank < 0 for query in draws.values())
    ranks = {index: query.audit_rank for index, query in draws.items()}
    assert ranks == {index: queued[index] - 1 if index in queued else None for index in draws}
    (rest,) = set(range(16)) - set(draws)
    waiting = sum(not query.done for query in loop.session.scalars(select(Query)))
    assert waiting == 15 + (rest in queued)
    loop.answer(0, 16)
    # Where the one that was not drawn was in the queue, those before it are learned from.
    met = {index for index, rank in queued.items() if rest in queued and rank < queued[rest]}
    assert set(reached(loop.session, loop.project.id, 0, 0)) == met


def test_a_round_may_be_drawn_for_twice_while_its_pool_grows(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, images=20, evaluation=0, audit_share=0)
    headers, url = world.caller().headers, f"/api/projects/{loop.project.id}/audit"
    for _ in range(2):
        http.post(url, json={"n": 8}, headers=headers).raise_for_status()
        world.add_images(loop.project, 20)
        loop.session.commit()
    drawn = read_draws(loop.session, loop.project.id, None)
    # Eight of 20, then eight of the 32 that were left and had come.
    chances = np.where(drawn.indices < 20, 1 - (1 - 8 / 20) * (1 - 8 / 32), 8 / 32)
    assert drawn.probability.tolist() == pytest.approx(chances.tolist())
    assert len(set(chances.tolist())) == 2


def test_draws_count_as_long_as_what_they_were_drawn_from_is_left(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, **{**FROZEN, "audit_share": 0, "images": 80})
    headers, url = world.caller().headers, f"/api/projects/{loop.project.id}"

    def draw(n: int) -> None:
        http.post(f"{url}/audit", json={"n": n}, headers=headers).raise_for_status()
        loop.answer(0, n)

    def whole() -> Whole:
        with loop.session.begin_nested():
            draws = read_draws(loop.session, loop.project.id, 0)
            gone = departures(loop.session, loop.project.id, draws.batches)
            known = take(loop.session, loop.project.id, 0)
            return whole_of(draws, known, gone, skipped=False)

    def free() -> list[int]:
        statement = select(Example.id).where(
            Example.project_id == loop.project.id, Example.state == ExampleState.UNLABELED
        )
        return list(loop.session.scalars(statement.order_by(Example.id)))

    draw(20)
    loop.answer(0, 12)
    size = len(taken(loop, 0).candidates)
    assert whole().parts == [Part(size)]
    # One in twenty may be judged by hand or held out; of these nothing is known.
    body = {"ids": free()[:2], "verdict": "ood"}
    http.post(f"{url}/examples/verdict", json=body, headers=headers).raise_for_status()
    http.post(f"{url}/examples/hold-out", json={"ids": free()[:2]}, headers=headers)
    found = whole()
    assert (len(found.places), found.parts, found.past) == (20, [Part(size - 4, 4)], 0)
    # A model labels the rest, under a certificate, and others come.
    certificate = add_certificate(world, loop.project, CertificateState.APPLYING)
    while work_off(sessions(), world.storage, certificate.id, seconds=60):
        pass
    loop.session.expire_all()
    assert (len(whole().places), whole().past, free()) == (0, 20, [])
    world.add_images(loop.project, 20)
    loop.session.commit()
    draw(8)
    assert loop.finish(0).state is JobState.SUCCEEDED
    judged = loop.rounds()[0].metrics["audit"]
    assert (judged["n"], judged["lot"]) == (8, 20)
    # Those that had waited in the queue are learned from.
    assert 0 < judged["past"] <= 20
    told = http.get(f"{url}/audit", headers=headers).json()
    assert (told["accuracy"]["n"], told["past"], told["of"]) == (8, judged["past"], 20)


def test_typical_images_are_chosen_as_though_nothing_had_been_drawn(
    world: World, http: TestClient
) -> None:
    project, job = begun(http, world, audit_share=0.5)
    run(world, job)
    queries = queue_of(world, project)
    draws = [one for one in queries if one.audit]
    assert (len(queries), len(draws)) == (24, 12)
    assert not any(one.typical for one in draws)
    met = [one for one in draws if one.audit_rank is not None]
    assert 0 < len(met) < len(draws)
    # Each was met after a place that was given to a typical image.
    typical = {one.rank for one in queries if one.typical}
    assert {one.audit_rank for one in met} <= typical | {-1}
    assert len({one.example_id for one in queries}) == 24


def test_what_is_left_of_the_draws_is_a_fair_sample_of_what_no_strategy_chose() -> None:
    size, rounds, budget = 24, 4, 3
    order = np.random.default_rng(3).permutation(size).tolist()
    kept, open_ = Counter[int](), Counter[int]()
    for seed in range(1500):
        generator = np.random.default_rng(seed)
        unlabeled, audited = set(range(size)), set[int]()
        for _ in range(rounds):
            new = generator.choice(sorted(unlabeled), 2, replace=False).tolist()
            audited |= set(new)
            unlabeled -= set(new)
            chosen, met = walk(order, audited, unlabeled, budget)
            # Of those chosen not all are answered: as many as people come to.
            answered = int(generator.integers(1, len(chosen) + 1))
            unlabeled -= set(chosen[:answered])
            audited -= {one for one, before in met.items() if before < answered}
        for one in audited:
            kept[one] += 1
        for one in audited | unlabeled:
            open_[one] += 1
    often = [one for one in open_ if open_[one] > 500]
    shares = np.array([kept[one] / open_[one] for one in often])
    # Five standard deviations of a share of 0.4 in 500.
    assert np.ptp(shares) < 0.11
