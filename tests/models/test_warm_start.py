"""The images that a first queue chooses stand for the parts of a pool."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from models.selection.warm_start import MOST, typical_first

SIZES = (300, 200, 120, 80, 60, 40, 30, 20, 10, 10)
NOBODY = np.empty(0, dtype=np.int64)


def pool(seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Features of ten kinds of images, the first the most frequent; and the kind of each."""
    rng = np.random.default_rng(seed)
    kinds = rng.permutation(np.repeat(np.arange(len(SIZES)), SIZES))
    centres = 6 * rng.standard_normal((len(SIZES), 16))
    rows = centres[kinds] + rng.standard_normal((len(kinds), 16))
    return rows.astype(np.float32), kinds


@pytest.mark.parametrize("seed", range(3))
def test_every_frequent_kind_comes_early(seed: int) -> None:
    rows, kinds = pool(seed)
    found = typical_first(rows, np.arange(len(rows)), NOBODY, 10, seed=seed)
    of = kinds[found]
    assert len(set(found.tolist())) == 10
    # Of the rarest there are too few for a cluster of each.
    assert set(range(6)) <= set(of)
    by_chance = [len(set(np.random.default_rng(at).choice(kinds, 10))) for at in range(100)]
    assert len(set(of)) > np.quantile(by_chance, 0.95)
    # What stands for its kind is nearer to its middle than most of it.
    nearer = []
    for index, kind in zip(found, of, strict=True):
        middle = rows[kinds == kind].mean(axis=0)
        apart = np.linalg.norm(rows[kinds == kind] - middle, axis=1)
        nearer.append(np.linalg.norm(rows[index] - middle) <= np.median(apart))
    assert sum(nearer) >= 7


def test_what_is_asked_anyway_stands_for_its_kind() -> None:
    rows, kinds = pool()
    # In the order of the queue, as many as the others: of each of the five largest kinds.
    places = [np.flatnonzero(kinds == kind)[:2] for kind in range(5)]
    staying = np.array(places).T.ravel()
    found = typical_first(rows, np.arange(len(rows)), staying, 10, seed=1)
    assert not np.isin(found, staying).any()
    assert np.isin(kinds[found[:5]], range(5, 10)).sum() >= 4


def test_the_same_seed_chooses_the_same_and_only_candidates() -> None:
    rows, _ = pool()
    candidates = np.random.default_rng(5).permutation(len(rows))[:300]
    first, again, other = (
        typical_first(rows, candidates, candidates[:9], 40, seed=seed) for seed in (3, 3, 4)
    )
    assert_array_equal(first, again)
    assert first.tolist() != other.tolist()
    assert np.isin(first, candidates).all()
    assert len(set(first.tolist())) == len(first) == 40


def test_a_large_pool_is_sampled() -> None:
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 8, 30_000)
    rows = (9 * np.eye(8)[kinds] + rng.standard_normal((30_000, 8))).astype(np.float32)
    staying = np.arange(4)
    found = typical_first(rows, np.arange(30_000), staying, 12, seed=0)
    assert set(kinds[found]) | set(kinds[staying]) == set(range(8))
    assert not np.isin(found, staying).any()


@pytest.mark.parametrize("count", [1, 2, 15])
def test_a_small_pool_and_one_of_copies_are_no_trouble(count: int) -> None:
    everything = np.arange(count)
    rows, _ = pool()
    found = typical_first(rows[:count], everything, NOBODY, MOST, seed=0)
    assert sorted(found.tolist()) == everything.tolist()
    alike = np.ones((count, 4), dtype=np.float32)
    copies = typical_first(alike, everything, NOBODY, MOST, seed=0)
    assert 1 <= len(copies) == len(set(copies.tolist()))
    assert len(typical_first(rows[:count], everything, everything, 5, seed=0)) == 0
