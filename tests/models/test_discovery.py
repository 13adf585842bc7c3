"""Groups among OOD verdicts: what is of one kind is told of, and what is of none is not."""

import numpy as np
from numpy.typing import NDArray

from core.artifacts.nearness import unit_mean
from models.rounds.discovery import FEWEST, GROUPS, MOST, LookAlike, look_alikes

_WIDTH = 48


def _pool(
    sizes: list[int], loose: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Features of kinds that are apart, and of some that are like nothing; and which kind (-1)."""
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(len(sizes), _WIDTH))
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    rows = centres[kinds] + generator.normal(scale=0.5, size=(len(kinds), _WIDTH))
    rows = np.concatenate([rows, generator.normal(scale=1.5, size=(loose, _WIDTH))])
    kinds = np.concatenate([kinds, np.full(loose, -1)])
    order = generator.permutation(len(kinds))
    return rows[order].astype(np.float32), kinds[order]


def _shown(
    group: LookAlike, ood: NDArray[np.int64], rows: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Positions of what the pool page finds by a group's examples and limit."""
    at = np.searchsorted(ood, group.examples)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.flatnonzero(unit @ unit_mean(list(rows[at])) >= group.similarity)


def test_each_kind_is_found_and_the_page_shows_what_was_counted() -> None:
    rows, kinds = _pool([60, 25, 14], loose=40)
    ood = np.arange(1000, 1000 + 3 * len(kinds), 3)
    groups = look_alikes(ood, rows)
    assert [group.size for group in groups] == sorted((g.size for g in groups), reverse=True)
    found = set()
    for group in groups:
        shown = _shown(group, ood, rows)
        assert len(shown) == group.size >= FEWEST
        (kind, count), *_ = sorted(
            zip(*np.unique(kinds[shown], return_counts=True), strict=True), key=lambda one: -one[1]
        )
        assert count >= 0.7 * len(shown)
        assert set(kinds[np.searchsorted(ood, group.examples)]) == {kind}
        found.add(int(kind))
    assert found == {0, 1, 2}


def test_what_is_like_nothing_is_no_group() -> None:
    rows, _ = _pool([], loose=200)
    assert look_alikes(np.arange(200), rows) == []


def test_few_verdicts_and_equal_ones_say_nothing() -> None:
    rows, _ = _pool([12, 7], loose=0)
    assert look_alikes(np.arange(19), rows) == []
    assert look_alikes(np.arange(40), np.ones((40, _WIDTH), np.float32)) == []
    assert look_alikes(np.arange(40), np.zeros((40, _WIDTH), np.float32)) == []


def test_of_many_verdicts_some_are_drawn_and_sizes_are_of_all() -> None:
    rows, _ = _pool([MOST] * 3, loose=0)
    groups = look_alikes(np.arange(len(rows)), rows)
    assert len(groups) <= GROUPS
    assert all(abs(group.size - MOST) < 0.15 * MOST for group in groups)
    assert groups == look_alikes(np.arange(len(rows)), rows)
