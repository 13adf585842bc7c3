"""Random draws of queues as the first draws of a certificate."""

import time
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, JobState, Verdict
from core.tables import Certificate, Example, Job, Query
from models.guarantee.certification import Certification
from models.guarantee.outlook import Outlook, outlook
from tests.workers.loop import run
from tests.workers.test_certify import Pool, expected
from tests.world import World
from workers.certify.earlier import with_earlier
from workers.labels.snapshot import take


def test_fair_draws_of_queues_are_its_first(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun_with: list[int] = []

    def noted(state: Certification, **how: Any) -> Outlook:
        begun_with.append(sum(lot.drawn for lot in state.decide().lots))
        return outlook(state, **how)

    monkeypatch.setattr("workers.certify.dry_run.outlook", noted)
    pool = Pool(world, images=260, max_rounds=3, audit_share=0.4, zero_wait=False)
    pool.learn()
    pool.say(pool.rounds()[1])
    assert pool.finish(1).state is JobState.SUCCEEDED
    drawn, chosen = skipped_in(pool, 2)
    pool.say(pool.rounds()[2])
    assert pool.finish(2).state is JobState.SUCCEEDED
    said = expected(http, pool)
    begun = pool.certify(http)
    assert said == pytest.approx(begun["expected_answers"], rel=0.4)
    certificate = pool.session.get_one(Certificate, begun["id"])
    first = certificate.result["first"]
    # They were judged before, and nobody is asked again.
    asked = sum(lot["drawn"] for lot in begun["lots_of"])
    assert asked - begun["answered"] == len(first) > 1
    # What it would take was told with them.
    assert begun_with == [len(first)]
    assert begun["images"] > len(first)
    # They were shown before, round after round, and so may have had somebody begin.
    report = pool.call(http, "get", f"/{begun['id']}/report").json()
    assert "earlier_draws" in report["assumptions"]
    # What everybody has skipped nobody can say the model is right of.
    outcomes = {one["index"]: one["outcome"] for one in certificate.observations}
    assert outcomes[drawn] == "unsure"
    assert {outcomes[index] for index in first} <= {"right", "wrong", "unsure"}

    assert pool.done(http, "revoke", begun["id"])["state"] == "revoked"
    run(pool.session, pool.session.scalars(select(Job).where(Job.state == JobState.QUEUED)).one())
    left, again = earlier_of(pool)
    assert (len(left), again.tolist()) == (begun["images"], first)
    # None of the draws could have been it, so no draw speaks for it.
    assert chosen not in left
    assert set(first) <= set(left)
    # Who leaves images out, or takes them in, chooses what is left: the draws are of another pool.
    free = select(Example.id).where(Example.state == ExampleState.UNLABELED)
    body = {"ids": [pool.session.scalar(free.where(Example.pool_index != chosen).limit(1))]}
    for verb in ("hold-out", "release"):
        url = f"/api/projects/{pool.project.id}/examples/{verb}"
        assert http.post(url, json=body, headers=pool.admin.headers).json()["example_ids"]
    pool.session.rollback()
    assert earlier_of(pool)[1].tolist() == []
    # What was said before the draws, they do not mind; of a class that is made since nobody knew.
    now = time.time()
    for one in pool.rounds():
        batches = [{**batch, "at": now} for batch in one.metrics.get("draws", [])]
        one.metrics = {**one.metrics, "draws": batches} if batches else one.metrics
    pool.session.commit()
    assert earlier_of(pool)[1].tolist() == first
    url = f"/api/projects/{pool.project.id}"
    named = [{"id": one.id, "name": one.name} for one in pool.classes]
    made = {"classes": [*named, {"name": "turtle"}]}
    assert http.patch(url, json=made, headers=pool.admin.headers).status_code == 200
    pool.session.rollback()
    assert earlier_of(pool)[1].tolist() == []


def skipped_in(pool: Pool, number: int) -> list[int]:
    """Pool indices of a draw and of what was chosen that people skip in a round, in this order."""
    round_ = pool.rounds()[number]
    found = []
    for audit in (True, False):
        asked = select(Query).where(
            Query.round_id == round_.id,
            Query.audit == audit,
            Query.again_after.is_(None),
            # No strategy has come upon it, so nothing learns from it.
            Query.audit_rank.is_(None),
        )
        query = pool.session.scalars(asked.order_by(Query.rank.desc()).limit(1)).one()
        example = pool.session.get_one(Example, query.example_id)
        pool._store(round_, query, example, Verdict.SKIP, None)
        found.append(example.pool_index)
    pool.session.commit()
    return found


def earlier_of(pool: Pool) -> tuple[Any, Any]:
    """What there is to label, and the draws that count for it: pool indices."""
    number = pool.rounds()[-1].number
    snapshot = take(pool.session, pool.project.id, number)
    left, earlier = with_earlier(
        pool.session, pool.project.id, snapshot, number, snapshot.unlabeled
    )
    return left, earlier["indices"]
