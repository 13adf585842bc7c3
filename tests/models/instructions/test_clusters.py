"""Clusters of at most so many rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from models.errors import Cancelled, ModelError, NotFinite
from models.tasks.instructions.clusters import constrained_clusters, inertia
from models.tasks.instructions.swaps import means_of, swapped, to_own_mean

Rows = NDArray[np.float32]


def topics(n: int, seed: int, dimension: int = 16, of_each: int = 8) -> Rows:
    """Rows around centers, eight or so around each."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(-(-n // of_each), dimension))
    rows = centers[rng.integers(len(centers), size=n)] + 0.5 * rng.normal(size=(n, dimension))
    return rows.astype(np.float32)


def require_clusters(labels: NDArray[np.int64], n: int, largest: int, most: int | None) -> None:
    """Every row once, no cluster empty or too large, and no more of them than allowed."""
    assert labels.shape == (n,)
    sizes = np.bincount(labels)
    assert sizes.min() >= 1
    assert sizes.max() <= largest
    assert most is None or len(sizes) <= most


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 700),
    distinct=st.integers(1, 700),
    largest=st.integers(1, 12),
    spare=st.none() | st.integers(0, 900),
    seed=st.integers(0, 99),
)
def test_every_row_is_in_one_cluster_that_is_small_enough(
    n: int, distinct: int, largest: int, spare: int | None, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = topics(distinct, seed, dimension=5)[rng.integers(distinct, size=n)]
    most = None if spare is None else -(-n // largest) + spare
    labels = constrained_clusters(rows, largest=largest, seed=seed, clusters=most)
    require_clusters(labels, n, largest, most)
    assert_array_equal(
        labels, constrained_clusters(rows, largest=largest, seed=seed, clusters=most)
    )


def test_as_many_clusters_as_asked_for_where_rows_differ() -> None:
    rows = topics(2_000, 0)
    for most in (200, 201, 640, 2_000):
        assert constrained_clusters(rows, largest=10, seed=0, clusters=most).max() == most - 1
    assert constrained_clusters(rows, largest=10, seed=0, clusters=9_000).max() == 1_999


def test_duplicates_by_the_thousand_lie_together() -> None:
    copies = np.array([3_000, 1, 1_500, 10, 1, 25])
    rows = np.repeat(topics(6, 1), copies, axis=0)
    order = np.random.default_rng(0).permutation(len(rows))
    labels = constrained_clusters(rows[order], largest=10, seed=0, clusters=4_000)
    # Of 4,000 clusters hardly more than hold the copies of each are used, and nothing else joins.
    fewest = (-(-copies // 10)).sum()
    assert fewest <= labels.max() + 1 <= 1.05 * fewest
    require_clusters(labels, len(rows), 10, 4_000)
    assert inertia(rows[order], labels) < 1e-6


@pytest.mark.parametrize("rows", [np.ones((1, 3)), np.zeros((2_500, 3)), np.empty((0, 3))])
def test_one_row_none_and_empty_texts_are_no_special_case(rows: Rows) -> None:
    labels = constrained_clusters(rows.astype(np.float32), largest=10, seed=3)
    assert len(labels) == len(rows)
    assert_array_equal(np.bincount(labels), np.full(-(-len(rows) // 10), min(10, len(rows) or 10)))


def test_too_few_clusters_and_bad_rows_are_refused_with_the_remedy() -> None:
    rows = topics(95, 0)
    with pytest.raises(ModelError, match="allow 10 clusters or more"):
        constrained_clusters(rows, largest=10, seed=0, clusters=9)
    with pytest.raises(ModelError, match="at least 1"):
        constrained_clusters(rows, largest=0, seed=0)
    rows[[4, 7], 2] = np.nan
    with pytest.raises(NotFinite, match="4, 7"):
        constrained_clusters(rows, largest=10, seed=0)


def test_work_can_be_cancelled() -> None:
    def stop(step: int, steps: int) -> None:
        assert 0 < step <= steps
        raise Cancelled

    with pytest.raises(Cancelled):
        constrained_clusters(topics(1_000, 0), largest=10, seed=0, progress=stop)


def optimal(rows: Rows, largest: int, clusters: int, seed: int) -> float:
    """Inertia of k-means with exactly optimal assignments to at most `largest` places a mean."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(4):
        means = rows[rng.choice(len(rows), clusters, replace=False)]
        for _ in range(20):
            places = np.repeat(means, largest, axis=0)
            costs = ((rows[:, None] - places) ** 2).sum(axis=2)
            labels = linear_sum_assignment(costs)[1] // largest
            used = np.unique(labels)
            means = means.copy()
            means[used] = [rows[labels == one].mean(axis=0) for one in used]
        found.append(((rows - means[labels]) ** 2).sum())
    return float(min(found))


@pytest.mark.parametrize(("n", "largest", "clusters", "most"), [
    (100, 5, 20, 1.15),
    (100, 5, 30, 1.1),
    (120, 10, 12, 1.35),
    (120, 10, 30, 1.05),
])  # fmt: skip
def test_clusters_are_nearly_as_tight_as_with_optimal_assignments(
    n: int, largest: int, clusters: int, most: float
) -> None:
    for seed in range(3):
        rows = topics(n, seed)
        labels = constrained_clusters(rows, largest=largest, seed=seed, clusters=clusters)
        by_chance = np.random.default_rng(seed).permutation(n) % clusters
        reference = optimal(rows, largest, clusters, seed)
        assert inertia(rows, labels) <= most * reference
        assert inertia(rows, by_chance) > 2 * reference


def test_swaps_come_as_near_to_standing_means_as_pairs_can() -> None:
    rows = topics(60, 2)
    random = np.random.default_rng(0).permutation(60) % 12
    means = means_of(rows, random)
    labels = swapped(rows, random, np.array([0, 12]), 5)
    require_clusters(labels, 60, 5, 12)
    costs = ((rows[:, None] - np.repeat(means, 5, axis=0)) ** 2).sum(axis=2)
    best = costs[linear_sum_assignment(costs)].sum()
    before, after = (to_own_mean(rows, one, means).sum() for one in (random, labels))
    assert best <= after < before
    # Most of what can be won without moving the means.
    assert before - after > 0.6 * (before - best)
    assert inertia(rows, labels) <= after


def test_inertia_is_the_sum_of_squares_around_means() -> None:
    rows = np.array([[0, 0], [2, 0], [5, 5]], dtype=np.float32)
    assert inertia(rows, np.array([0, 0, 1])) == pytest.approx(2)
    assert inertia(rows[:0], np.empty(0, dtype=np.int64)) == 0
