"""Which rows are compared with each other, and the one ranking that each author has of them. Pure.

A group are the rows of a question that are compared, directly or by others. Who compares them by
and by has one ranking of them, which contradicts as few of the comparisons as one can and says
nothing that does not follow from them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations, product
from math import inf

from core.tasks.instructions import MOST_MEMBERS, RankingLabel, central_ranking

Places = Mapping[int, float]
"""The place of each row, by its id, the best lowest; equal ones tie, and what is wrong is last."""
Pair = tuple[int, int]


@dataclass(frozen=True)
class Group:
    """Rows that are compared, by id in order, the ranking of each author, and when it was said.

    ``given`` has of authors how many seconds it took them, and when that was, if it is known.
    """

    members: tuple[int, ...]
    labels: dict[str, RankingLabel] = field(default_factory=dict)
    given: dict[str, tuple[float, datetime | None]] = field(default_factory=dict)


@dataclass
class Grouped:
    """What questions come to.

    Attributes:
        groups: Those of which there is a ranking.
        too_many: How many have more rows than one ranking may have.
        incomplete: How many authors leave open how some of the rows of a group compare.
    """

    groups: list[Group] = field(default_factory=list)
    too_many: int = 0
    incomplete: int = 0

    def add(self, said: Sequence[tuple[str, Places]]) -> None:
        """Take account of a question.

        Args:
            said: Who ranks, and how; a ranking is of two rows at least.
        """
        for of_group in _by_group(said):
            members = set[int]().union(*(places for _, places in of_group))
            if len(members) > MOST_MEMBERS:
                self.too_many += 1
                continue
            by_author: dict[str, list[Places]] = defaultdict(list)
            for author, places in of_group:
                by_author[author].append(places)
            group = Group(tuple(sorted(members)))
            for author, rankings in by_author.items():
                order = whole_ranking(rankings, members)
                if order is None:
                    self.incomplete += 1
                else:
                    group.labels[author] = _label(order, rankings)
            if group.labels:
                self.groups.append(group)


def _label(order: Sequence[Sequence[int]], rankings: Sequence[Places]) -> RankingLabel:
    """The label of a ranking, which has what is wrong in its last place."""
    wrong = {id_ for one in rankings for id_, place in one.items() if place == inf}
    tied = (tuple(id_ for id_ in level if id_ not in wrong) for level in order)
    kept = tuple(level for level in tied if level)
    return by_id(RankingLabel(type="instructions", order=kept, wrong=tuple(wrong)))


def by_id(label: RankingLabel) -> RankingLabel:
    """The same with those in order of their ids that it puts above none of each other."""
    order = tuple(tuple(sorted(tied)) for tied in label.order)
    return RankingLabel(type="instructions", order=order, wrong=tuple(sorted(label.wrong)))


def whole_ranking(rankings: Sequence[Places], members: Collection[int]) -> list[list[int]] | None:
    """The ranking of all ``members`` that an author's rankings of some of them amount to.

    Kemeny's, with neighbours tied that nothing tells apart, see ``central_ranking``. Whatever it
    has above another is so by the rankings given, directly or through others; where a ranking with
    ties cannot say just that, as of A over B, A over C and C over D, there is none.

    Args:
        rankings: At least one.
        members: 10 at most.

    Returns:
        The best first, those that are tied together; None if they leave open how some compare.
    """
    if set[int]().union(*rankings) != set(members):
        return None
    levels = central_ranking([_counted(one) for one in rankings])
    stated = {pair for ranking in rankings for pair in _above(ranking)}
    follows = _closure(rankings, stated)
    found: list[list[int]] = []
    for level in levels:
        found.append(level)
        # What stands between two that nothing puts above each other is tied with both.
        at = next((n for n, one in enumerate(found) if _is_open(one, level, follows)), len(found))
        found[at:] = [[id_ for one in found[at:] for id_ in one]] if at < len(found) else []
    places = {id_: at for at, level in enumerate(levels) for id_ in level}
    tied = (pair for level in found for pair in product(level, repeat=2))
    is_lost = any(pair in stated and places[pair[0]] < places[pair[1]] for pair in tied)
    return None if is_lost else found


def _is_open(higher: Sequence[int], lower: Sequence[int], follows: Collection[Pair]) -> bool:
    return higher is not lower and any(pair not in follows for pair in product(higher, lower))


def _above(ranking: Places) -> Iterator[Pair]:
    """Each two of which the first is better."""
    for one, other in combinations(ranking, 2):
        if ranking[one] != ranking[other]:
            yield (one, other) if ranking[one] < ranking[other] else (other, one)


def _closure(rankings: Sequence[Places], stated: Collection[Pair]) -> set[Pair]:
    """Each two of which the first is better, also by way of others, which may be tied with it."""
    ids = sorted(set[int]().union(*rankings))
    no_worse = {
        pair
        for ranking in rankings
        for pair in product(ranking, repeat=2)
        if ranking[pair[0]] <= ranking[pair[1]]
    }
    # Warshall's: ways through ``via`` besides those before it.
    for via in ids:
        for one, other in product(ids, repeat=2):
            if (one, via) in no_worse and (via, other) in no_worse:
                no_worse.add((one, other))
    return {
        (one, other)
        for better, worse in stated
        for one in ids
        if (one, better) in no_worse
        for other in ids
        if (worse, other) in no_worse
    }


def _by_group(said: Sequence[tuple[str, Places]]) -> list[list[tuple[str, Places]]]:
    """Rankings of rows that are compared with each other, directly or by others, together."""
    parents = {id_: id_ for _, places in said for id_ in places}

    def root(id_: int) -> int:
        while parents[id_] != id_:
            parents[id_] = id_ = parents[parents[id_]]
        return id_

    for _, places in said:
        first, *others = places
        for other in others:
            parents[root(other)] = root(first)
    found: dict[int, list[tuple[str, Places]]] = defaultdict(list)
    for author, places in said:
        found[root(next(iter(places)))].append((author, places))
    return list(found.values())


def _counted(ranking: Places) -> dict[int, int]:
    """Places counted from 0 for the best."""
    counted = {place: n for n, place in enumerate(sorted({*ranking.values()}))}
    return {id_: counted[place] for id_, place in ranking.items()}
