"""An author's comparisons become one ranking that says nothing which nobody said."""

import time
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from random import Random

import pytest

from workers.imports.ranked_groups import Grouped, Places, whole_ranking

Pairs = Sequence[tuple[int, int]]


def of_pairs(pairs: Pairs) -> list[Places]:
    return [{better: 0.0, worse: 1.0} for better, worse in pairs]


def ranked(rankings: Sequence[Places]) -> list[list[int]] | None:
    return whole_ranking(rankings, {id_ for one in rankings for id_ in one})


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1, 2)], [[1], [2]]),
        ([(1, 2), (2, 3)], [[1], [2], [3]]),
        ([(2, 3), (1, 2)], [[1], [2], [3]]),
        ([(1, 2), (1, 3)], [[1], [2, 3]]),
        ([(1, 3), (2, 3)], [[1, 2], [3]]),
        ([(1, 2), (2, 3), (1, 4), (4, 3)], [[1], [2, 4], [3]]),
        # Nobody says how 2 and 4 compare, and 4 is below 3.
        ([(1, 2), (1, 3), (3, 4)], None),
        ([(1, 2), (3, 4), (1, 4)], None),
        # Of what contradicts itself as little as can be is given up.
        ([(1, 2), (2, 1)], [[1, 2]]),
        ([(1, 2), (1, 2), (2, 1)], [[1], [2]]),
        ([(1, 2), (2, 3), (3, 1)], [[1], [2], [3]]),
    ],
)
def test_pairs_are_put_together(pairs: Pairs, expected: list[list[int]] | None) -> None:
    found = ranked(of_pairs(pairs))
    assert (found and [sorted(level) for level in found]) == expected


def test_ties_carry_on_what_is_said_of_one() -> None:
    assert ranked([{1: 0, 2: 0}, {2: 0, 3: 1}]) == [[1, 2], [3]]
    assert ranked([{1: 0, 2: 1, 3: 1}, {3: 0, 4: 2}]) == [[1], [2, 3], [4]]
    assert whole_ranking([{1: 0, 2: 1}], {1, 2, 3}) is None


def orders(ids: Sequence[int]) -> Iterator[set[tuple[int, int]]]:
    """What every ranking with ties puts above what."""
    for places in product(range(len(ids)), repeat=len(ids)):
        placed = dict(zip(ids, places, strict=True))
        yield {(a, b) for a, b in product(ids, repeat=2) if placed[a] < placed[b]}


def test_there_is_a_ranking_just_where_one_says_what_was_said() -> None:
    """Against all rankings of four, of comparisons that do not contradict each other."""
    lot, ids, met = Random(0), (1, 2, 3, 4), set()
    for _ in range(150):
        true = dict(zip(lot.sample(ids, 4), ids, strict=True))
        some = [
            (one, other) if true[one] < true[other] else (other, one)
            for one, other in combinations(ids, 2)
            if lot.random() < 0.6
        ]
        if len({id_ for pair in some for id_ in pair}) < 4:
            continue
        follows = set(some)
        for _ in ids:
            follows |= {(a, d) for (a, b), (c, d) in product(follows, repeat=2) if b == c}
        found = ranked(of_pairs(some))
        is_possible = any(order == follows for order in orders(ids))
        assert (found is not None) == is_possible, some
        met.add(is_possible)
        if found is not None:
            places = {id_: at for at, level in enumerate(found) for id_ in level}
            above = {(a, b) for a, b in product(ids, repeat=2) if places[a] < places[b]}
            assert above == follows
    assert met == {True, False}


def test_groups_are_what_is_compared() -> None:
    found = Grouped()
    pairs = [("ada", (1, 2)), ("ada", (3, 4)), ("ben", (5, 4)), ("ben", (1, 2)), ("cat", (6, 5))]
    found.add([(who, {better: 0, worse: 1}) for who, (better, worse) in pairs])
    assert [one.members for one in found.groups] == [(1, 2)]
    assert found.groups[0].labels.keys() == {"ada", "ben"}
    assert (found.too_many, found.incomplete) == (0, 3)


def test_many_pairs_of_one_question_take_no_longer_each() -> None:
    """As where nothing but a greeting is asked."""

    def seconds(n: int) -> float:
        found, began = Grouped(), time.perf_counter()
        found.add([("ada", {2 * at + 1: 0.0, 2 * at + 2: 1.0}) for at in range(n)])
        took = time.perf_counter() - began
        assert len(found.groups) == n
        return took

    seconds(100)
    assert seconds(8_000) < 40 * min(seconds(1_000) for _ in range(3))
