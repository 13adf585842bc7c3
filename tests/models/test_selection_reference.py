"""Selections against slow transcriptions of their formulas, and against scikit-activeml."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from skactiveml.pool import CoreSet, MaxHerding

from models.protocols import Float32Array
from models.selection import coverage, k_center, lazy_greedy, plus_plus
from models.selection.coverage import Demand, greedy_cover, sampled
from models.selection.leaders import Leaders
from models.selection.log_det import log_det_cmi
from models.selection.picks import Picks
from models.selection.points import Points
from tests.models.vectors import Exact, unit


def draw(count: int, seed: int = 0, dimension: int = 20) -> Float32Array:
    rng = np.random.default_rng(seed)
    centers = 2 * rng.standard_normal((5, dimension))
    which = rng.integers(0, 5, count)
    return (centers[which] + rng.standard_normal((count, dimension))).astype(np.float32)


def farthest_first(points: Float32Array, labeled: Float32Array, n: int) -> Picks:
    return k_center.k_center(Points(points), Points(points).squared_norms(), Points(labeled), n)


@pytest.mark.parametrize("active", [3, 40, 4096])
def test_k_center_is_the_plain_loop(active: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(k_center, "_ACTIVE", active)
    points, labeled = draw(300), draw(30, seed=1)
    distance = np.linalg.norm(points[:, None].astype(float) - labeled, axis=2).min(axis=1)
    order, gains = [], []
    for _ in range(80):
        order.append(int(distance.argmax()))
        gains.append(distance.max())
        to_pick = np.linalg.norm(points.astype(float) - points[order[-1]], axis=1)
        distance = np.minimum(distance, to_pick)
    picks = farthest_first(points, labeled, 80)
    assert_array_equal(picks.order, order)
    assert_allclose(picks.gains, gains, rtol=1e-5)
    left = np.setdiff1d(np.arange(300), order)
    assert_allclose(picks.rest[left], distance[left], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("active", [1, 7, 64])
@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_k_center_breaks_ties_by_position(active: int, seed: int) -> None:
    # On a grid many distances are the same, and exact.
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (90, 3)).astype(np.float32)
    labeled = rng.integers(0, 4, (2, 3)).astype(np.float32)
    distance = np.square(points[:, None] - labeled).sum(axis=2).min(axis=1)
    order: list[int] = []
    for _ in range(60):
        distance[order] = -1
        order.append(int(distance.argmax()))
        distance = np.minimum(distance, np.square(points - points[order[-1]]).sum(axis=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(k_center, "_ACTIVE", active)
        picks = farthest_first(points, labeled, 60)
    assert_array_equal(picks.order, order)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 40))
def test_leaders_are_the_first_by_value_and_position(drawn: list[int], count: int) -> None:
    values = np.array(drawn, dtype=np.float32)
    order = np.lexsort((np.arange(len(values)), -values))
    leaders = Leaders.of(values, count)
    assert_array_equal(leaders.positions, np.sort(order[:count]))
    for position in leaders.positions:
        assert not leaders.is_beaten(float(values[position]), int(position))
        if len(order) > count:
            worse = float(values[order[count]])
            assert leaders.is_beaten(worse - 1, int(position))
            assert leaders.is_beaten(worse, len(values))


def test_k_center_is_that_of_scikit_activeml() -> None:
    points, labeled = draw(400), draw(10, seed=1)
    known = np.concatenate([np.full(400, np.nan), np.zeros(10)])
    theirs = CoreSet(random_state=0).query(np.concatenate([points, labeled]), known, batch_size=60)
    assert_array_equal(farthest_first(points, labeled, 60).order, theirs)


def test_k_center_starts_in_the_middle_and_ends_with_duplicates() -> None:
    line = np.array([[9.0], [4.0], [0.0], [9.0], [4.5]], dtype=np.float32)
    picks = farthest_first(line, line[:0], 5)
    assert_array_equal(picks.order, [4, 0, 2, 1, 3])
    assert_allclose(picks.gains, [4.5, 4.5, 4.5, 0.5, 0])


def gradients(count: int, seed: int = 0) -> tuple[Points, Exact]:
    rng = np.random.default_rng(seed)
    error = rng.dirichlet(np.full(4, 0.5), count).astype(np.float32)
    error[np.arange(count), error.argmax(axis=1)] -= 1
    embeddings = draw(count, seed, dimension=6)
    written_down: Exact = np.einsum("ij,ik->ijk", error.astype(float), embeddings)
    return Points(embeddings, error), written_down.reshape(count, -1)


def test_distances_of_gradients_need_no_gradients() -> None:
    points, full = gradients(120)
    norms = points.squared_norms()
    expected = np.square(full[:, None] - full).sum(axis=2)
    found = points.squared_distances(norms, points, norms)
    assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
    assert (np.diag(found) == 0).all()


@pytest.mark.parametrize("pending", [1, 64])
def test_draws_follow_squared_distances(pending: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The three picks after the first, against the product of their exact probabilities."""
    monkeypatch.setattr(plus_plus, "_PENDING", pending)
    points, full = gradients(5, seed=2)
    norms = points.squared_norms()
    first = int(np.square(full).sum(axis=1).argmax())
    squared = np.square(full[:, None] - full).sum(axis=2)
    repeats = 3000
    counts = Counter(
        tuple(plus_plus.plus_plus(points, norms, 4, seed).order.tolist()) for seed in range(repeats)
    )

    def likely(picks: tuple[int, ...], sequence: tuple[int, ...]) -> float:
        if not sequence:
            return 1.0
        nearest = squared[:, list(picks)].min(axis=1)
        share = float(nearest[sequence[0]] / nearest.sum())
        return share * likely((*picks, sequence[0]), sequence[1:])

    others = [one for one in range(5) if one != first]
    possible = [(a, b, c) for a in others for b in others for c in others if len({a, b, c}) == 3]
    expected = np.array([likely((first,), sequence) for sequence in possible])
    assert_allclose(expected.sum(), 1)
    seen = np.array([counts[first, *sequence] for sequence in possible]) / repeats
    assert set(counts) <= {(first, *sequence) for sequence in possible}
    deviation = np.abs(seen - expected) / np.sqrt(expected * (1 - expected) / repeats)
    assert deviation.max() < 4.5


def test_draws_of_duplicates_end_by_position() -> None:
    points, _ = gradients(3)
    twice = points.take(np.array([0, 1, 2, 0, 1, 2]))
    picks = plus_plus.plus_plus(twice, twice.squared_norms(), 6, seed=0)
    assert len(set((picks.order[:3] % 3).tolist())) == 3
    assert_array_equal(picks.order[3:], np.setdiff1d(np.arange(6), picks.order[:3]))
    assert (picks.gains[3:] == 0).all()
    assert (picks.gains[:3] > 0).all()


def cover_slowly(similarity: Exact, demand: Demand, n: int) -> tuple[list[int], list[float]]:
    weights, ceiling, covered = (
        array.astype(np.float64) for array in (demand.weights, demand.ceiling, demand.covered)
    )
    order: list[int] = []
    gains = []
    for _ in range(n):
        value = weights * np.maximum(np.minimum(similarity, ceiling) - covered, 0)
        gain = value.sum(axis=1)
        gain[order] = -1
        order.append(int(gain.argmax()))
        gains.append(gain.max())
        covered = np.maximum(covered, np.minimum(similarity[order[-1]], ceiling))
    return order, gains


@pytest.mark.parametrize("radius", [None, 0.7])
@pytest.mark.parametrize(("active", "kept"), [(4096, 1_000_000), (4096, 0), (16, 0)])
def test_lazy_cover_is_the_plain_greedy(
    radius: float | None, active: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy_greedy, "_ACTIVE", active)
    monkeypatch.setattr(coverage, "_KEPT_VALUES", kept)
    points, rng = draw(250), np.random.default_rng(5)
    weights, ceiling, covered = rng.random((3, 250)).astype(np.float32)
    demand = Demand(weights, ceiling, covered / 2, radius, sampled(ceiling > covered / 2, 250, 0))
    similarity = unit(points) @ unit(points).T
    if radius is not None:
        similarity = np.exp((similarity - 1) * 2 / radius**2)
    order, gains = cover_slowly(similarity, demand, 100)
    picks = greedy_cover(Points(points), np.linalg.norm(points, axis=1), demand, 100)
    assert_allclose(picks.gains, gains, atol=1e-4)
    telling = int((np.array(gains) > 1e-3).sum())
    assert telling > 20
    assert_array_equal(picks.order[:telling], order[:telling])


def test_once_nothing_is_gained_what_was_wanted_most_comes_first() -> None:
    alike = np.tile(draw(1), (4, 1))
    ones = np.ones(4, dtype=np.float32)
    demand = Demand(ones, np.array([0.5, 0.9, 0.3, 0.7], np.float32), 0 * ones, None, np.arange(4))
    picks = greedy_cover(Points(alike), np.linalg.norm(alike, axis=1), demand, 4)
    assert_array_equal(picks.order, [0, 1, 3, 2])
    assert_allclose(picks.gains, [2.4, 0, 0, 0], atol=1e-6)


def test_cover_of_everything_is_max_herding_of_scikit_activeml() -> None:
    points = draw(200)
    ones = np.ones(200, dtype=np.float32)
    demand = Demand(ones, ones, 0 * ones, 0.8, np.arange(200))
    picks = greedy_cover(Points(points), np.linalg.norm(points, axis=1), demand, 40)
    theirs = MaxHerding(metric="rbf", metric_dict={"gamma": 1 / 0.8**2}, random_state=0)
    assert_array_equal(picks.order, theirs.query(points, np.full(200, np.nan), batch_size=40))


def test_a_sample_stands_for_all() -> None:
    """At a quarter of the pool the value of the picks stays close to that of the full greedy."""
    points = draw(800)
    ones = np.ones(800, dtype=np.float32)
    everything = Demand(ones, ones, 0 * ones, 0.8, np.arange(800))
    part = Demand(ones, ones, 0 * ones, 0.8, sampled(ones > 0, 200, seed=0))
    assert len(part.sample) == 200
    lengths = np.linalg.norm(points, axis=1)
    similarity = np.exp((unit(points) @ unit(points).T - 1) * 2 / 0.8**2)

    def value(demand: Demand) -> float:
        order = greedy_cover(Points(points), lengths, demand, 30).order
        return float(similarity[order].max(axis=0).sum())

    assert value(part) > 0.93 * value(everything)


def test_a_sample_counts_what_only_the_candidate_itself_gains() -> None:
    """With a tiny radius each example covers itself only, so the order is that of the weights."""
    points, weights = draw(60), np.random.default_rng(0).random(60).astype(np.float32)
    ones = np.ones(60, dtype=np.float32)
    demand = Demand(weights, ones, 0 * ones, 0.01, sampled(ones > 0, 20, seed=0))
    picks = greedy_cover(Points(points), np.linalg.norm(points, axis=1), demand, 60)
    assert_array_equal(picks.order, np.argsort(-weights))
    assert_allclose(picks.gains, weights[picks.order], atol=1e-5)


@pytest.mark.parametrize(("eta", "nu", "diagonal"), [(1, 1, 1), (0.5, 0.8, 0.3), (1, 0, 2)])
def test_log_det_cmi_is_the_definition(eta: float, nu: float, diagonal: float) -> None:
    points, wanted, unwanted = draw(60), draw(8, seed=1), draw(9, seed=2)
    rows = unit(np.concatenate([points, wanted, unwanted]))
    pool, query, private = range(60), list(range(60, 68)), list(range(68, 77))
    covariance = rows @ rows.T
    for others, weight in ((query, eta), (private, nu)):
        covariance[np.ix_(pool, others)] *= weight
        covariance[np.ix_(others, pool)] *= weight
    covariance += diagonal * np.eye(77)

    def entropy(positions: list[int]) -> float:
        return float(np.linalg.slogdet(covariance[np.ix_(positions, positions)])[1])

    def information(a: list[int]) -> float:
        return (
            entropy(a + private) + entropy(query + private)
            - entropy(a + query + private) - entropy(private)
        )  # fmt: skip

    picked: list[int] = []
    gains = []
    for _ in range(6):
        before = information(picked)
        values = [information([*picked, x]) if x not in picked else -np.inf for x in pool]
        picked.append(int(np.argmax(values)))
        gains.append(max(values) - before)
    picks = log_det_cmi(
        Points(points), np.linalg.norm(points, axis=1), wanted, unwanted, 6,
        eta=eta, nu=nu, diagonal=diagonal,
    )  # fmt: skip
    assert_array_equal(picks.order, picked)
    assert_allclose(picks.gains, gains, atol=1e-5)


def test_meta_scores_never_rise_along_the_queue() -> None:
    picks = Picks(np.array([2, 0, 3]), np.array([3.0, 1.0, 2.0]), np.array([9, 9, 9, 9, 0.5]))
    assert_allclose(picks.ranking().meta_scores, [1, 1, 3, 1, 0.5])
