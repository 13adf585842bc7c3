import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from models.catalog.params.strategies import MQNetParams
from models.numerics.random_split import interleave, lots
from models.protocols import PoolView
from models.ranking.candidates import Candidates
from models.ranking.mqnet import MQNet
from models.ranking.pool_scores import PoolScores
from models.rounds.meta_training import meta_train
from models.rounds.query import QuerySettings
from models.strategies import mqnet
from tests.models.open_set import said

RANDOM = MQNetParams(validation="random", validation_share=0.25)


def splitmix64(state: int) -> int:
    """The generator's output function, in Python's unbounded integers."""
    mask = 2**64 - 1
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & mask
    return state ^ (state >> 31)


def test_lots_equal_the_definition_and_are_uniform() -> None:
    gold, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    for index in (0, 1, 12_345, 2**40):
        state = splitmix64((index + 1) * gold & mask)
        expected = (splitmix64((state + 8 * gold) & mask) >> 11) * 2.0**-53
        assert lots(np.array([index]), 7)[0] == expected
    drawn = lots(np.arange(100_000), 0)
    assert_allclose(np.histogram(drawn, bins=20, range=(0, 1))[0], 5000, rtol=0.06)
    other = lots(np.arange(100_000), 1)
    assert abs(np.corrcoef(drawn, other)[0, 1]) < 0.02
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.02


def test_interleaving_keeps_both_orders_and_the_share_of_every_prefix() -> None:
    first, second = np.arange(100), np.arange(1000, 1030)
    merged = interleave(first, second, 0.2, 130)
    assert_array_equal(merged[merged < 1000], first)
    assert_array_equal(merged[merged >= 1000], second)
    for length in range(10, 110, 10):
        assert abs((merged[:length] >= 1000).mean() - 0.2) <= 1.5 / length
    assert_array_equal(interleave(first, second[:0], 0.2, 5), first[:5])
    assert_array_equal(interleave(first[:0], second, 0.2, 5), second[:5])


def _pool(count: int = 400) -> tuple[PoolScores, Candidates]:
    rng = np.random.default_rng(0)
    scores = PoolScores(
        3 * np.arange(count),
        rng.standard_normal((count, 2)).astype(np.float32),
        rng.random(count).astype(np.float32),
        rng.random(count).astype(np.float32),
    )
    nothing = np.empty((0, 2), dtype=np.float32)
    none = np.empty(0, dtype=np.int64)
    view = PoolView(scores.logits, nothing, nothing, nothing, said(none), 2, seed=0)
    return scores, Candidates(scores, view, MQNet())


def test_a_fixed_share_of_the_pool_is_asked_for_in_random_order() -> None:
    scores, candidates = _pool()
    aside = lots(scores.indices, 0) < 0.25
    order = mqnet.rank(candidates, 80, RANDOM).order
    assert 18 <= aside[order].sum() <= 22
    by_phi = mqnet.rank(candidates, 400, MQNetParams(balance=0)).order
    kept = by_phi[~aside[by_phi]]
    chosen = order[~aside[order]]
    assert_array_equal(chosen, kept[: len(chosen)])
    best = mqnet.rank(candidates, 100, MQNetParams(balance=0)).order
    assert aside[best].sum() > 10, "the set aside would otherwise have been among the best"
    assert sorted(mqnet.rank(candidates, 400, RANDOM).order) == list(range(400))


def test_only_the_share_set_aside_trains_the_network() -> None:
    scores, _ = _pool()
    drawn = lots(scores.indices, 0) < 0.25
    labels = np.where(np.arange(400) % 3 == 0, -1, np.arange(400) % 2)

    def trained(query: np.ndarray, answers: np.ndarray, validation: str) -> MQNet | None:
        params = {"validation": validation, "validation_share": 0.25, "epochs": 3}
        settings = QuerySettings(strategy="mqnet", strategy_params=params)
        return meta_train(scores, query, said(answers), settings, seed=0)[0]

    everything = trained(scores.indices, labels, "random")
    only = trained(scores.indices[drawn], labels[drawn], "self")
    assert everything is not None
    assert only is not None
    inputs = np.random.default_rng(1).random((20, 2)).astype(np.float32)
    assert_array_equal(everything.scores(inputs), only.scores(inputs))
    assert trained(scores.indices[~drawn], labels[~drawn], "random") is None
