"""Random draws that judge the models: who is drawn, who learns from them, and when."""

from collections import Counter

import numpy as np
from sqlalchemy import select

from core.tables import Example, Query
from tests.workers.loop import Loop
from tests.world import World
from workers.advance.drawing import walk
from workers.snapshot import Snapshot, take

SHARED = {"audit_share": 0.25, "strategy": {"name": "margin"}}


def taken(loop: Loop, closing: int) -> Snapshot:
    with loop.session.begin_nested():
        return take(loop.session, loop.project.id, closing)


def drawn(loop: Loop, number: int) -> dict[int, Query]:
    """Draws of a round, by pool index."""
    statement = (
        select(Example.pool_index, Query)
        .join(Query, Query.example_id == Example.id)
        .where(Query.round_id == loop.rounds()[number].id, Query.audit)
    )
    return dict(loop.session.execute(statement).all())


def test_a_queue_holds_its_share_of_draws_that_no_model_learns_from(world: World) -> None:
    loop = Loop(world, **SHARED)
    loop.advance(0)
    draws = drawn(loop, 1)
    assert len(draws) == 3
    assert all(0 < query.audit_probability < 0.1 for query in draws.values())
    assert loop.rounds()[1].queries == 12

    loop.answer(1, 12)
    found = taken(loop, 1)
    assert set(found.audited) == set(draws)
    assert not set(found.labeled) & set(draws)
    assert set(draws) <= set(found.candidates)
    assert not set(draws) & set(found.unlabeled)


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
