"""Rankings of rows of instruction data: which is worth most to tune on, which is wrong."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from core.tasks.spec import Label, TaskType, refused

FEWEST_MEMBERS: Final = 2
MOST_MEMBERS: Final = 10
"""How many rows one query holds at most: as many as there are digits to rank them by."""

ExampleId = Annotated[int, Field(ge=1, lt=2**63)]
Tied = Annotated[tuple[ExampleId, ...], Field(min_length=1, max_length=MOST_MEMBERS)]


class RankingLabel(Label):
    """The rows of a query, the best first; those of one inner list are equally good.

    ``wrong`` are those that say something wrong or harmful, none of them better than another.
    """

    type: Literal["instructions"]
    order: Annotated[tuple[Tied, ...], Field(max_length=MOST_MEMBERS)]
    wrong: Annotated[tuple[ExampleId, ...], Field(max_length=MOST_MEMBERS)] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        members = list(members_of(self))
        if not members:
            raise ValueError("a ranking ranks at least one row")
        if len(set(members)) < len(members):
            raise ValueError("each row stands once in order or in wrong")
        return self


def members_of(label: RankingLabel) -> Iterator[int]:
    """Ids of the examples that a ranking ranks, the best first."""
    for tied in label.order:
        yield from tied
    yield from label.wrong


def places(label: RankingLabel) -> dict[int, int]:
    """The place of each example, 0 for the best; wrong ones share the last."""
    found = {id_: place for place, tied in enumerate(label.order) for id_ in tied}
    return found | dict.fromkeys(label.wrong, len(label.order))


def kendall_distance(one: Mapping[int, int], other: Mapping[int, int]) -> float:
    """The share of pairs that two rankings order differently, 0..1.

    A pair that is tied in only one of them counts half (Fagin et al. 2006, K with p = 1/2). Of
    examples that only one ranks nothing is said.

    Args:
        one: Place by example, 0 for the best.
        other: Likewise.
    """
    pairs = list(combinations(sorted(one.keys() & other.keys()), 2))
    if not pairs:
        return 0.0 if one.keys() & other.keys() or not (one or other) else 1.0
    return sum(_apart(one, other, *pair) for pair in pairs) / len(pairs)


def _apart(one: Mapping[int, int], other: Mapping[int, int], a: int, b: int) -> float:
    first, second = _sign(one[a] - one[b]), _sign(other[a] - other[b])
    return abs(first - second) / 2


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def central_ranking(rankings: Sequence[Mapping[int, int]]) -> list[list[int]]:
    """The ranking whose distances to those given have the smallest sum (Kemeny 1959).

    Exact over all orders without ties, by dynamic programming over sets; neighbours are then tied
    where that makes the sum no larger, so that what rankings contradict each other in stays open.

    Args:
        rankings: Place by example, 0 for the best; of 10 examples at most. Of those that one does
            not rank it says nothing; what none compares is tied where it stands together.

    Returns:
        Examples, the best first, those that are tied together; of equal ones as in the first.
    """
    first = rankings[0]
    ids = sorted(set().union(*rankings), key=lambda id_: (first.get(id_, len(first)), id_))
    behind = _counted(ids, rankings)
    size = len(ids)
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for chosen in range(1, 1 << size):
        # Whoever of the chosen comes last has all others of them before it.
        options = ((best[chosen ^ (1 << last)], last) for last in range(size) if chosen >> last & 1)
        best.append(
            min(
                (cost + sum(behind[one][last] for one in order), (*order, last))
                for (cost, order), last in options
            )
        )
    groups = [[one] for one in best[-1][1]]
    at = 0
    while at + 1 < len(groups):
        pairs = [(one, other) for one in groups[at] for other in groups[at + 1]]
        apart = sum(behind[one][other] for one, other in pairs)
        tied = sum(_untied(ids, rankings, one, other) for one, other in pairs) / 2
        if tied <= apart:
            groups[at : at + 2] = [groups[at] + groups[at + 1]]
            at = max(0, at - 1)
        else:
            at += 1
    return [[ids[one] for one in sorted(group)] for group in groups]


def _counted(ids: Sequence[int], rankings: Iterable[Mapping[int, int]]) -> list[list[float]]:
    """What it costs to place one before another, by their numbers in ``ids``."""
    cost = [[0.0] * len(ids) for _ in ids]
    for ranking in rankings:
        for (one, a), (other, b) in combinations(enumerate(ids), 2):
            if a not in ranking or b not in ranking:
                continue
            sign = _sign(ranking[a] - ranking[b])
            cost[one][other] += (1 + sign) / 2
            cost[other][one] += (1 - sign) / 2
    return cost


def _untied(ids: Sequence[int], rankings: Iterable[Mapping[int, int]], one: int, other: int) -> int:
    """How many rankings put one of two before the other."""
    both = ((ranking.get(ids[one]), ranking.get(ids[other])) for ranking in rankings)
    return sum(a is not None and b is not None and a != b for a, b in both)


class Instructions(TaskType[RankingLabel]):
    """People rank a few rows that are alike; two mean the same who order nearly all pairs alike."""

    name = "instructions"
    label = RankingLabel
    media = frozenset({"text"})
    fewest_classes = 0
    noun = "a ranking of rows"
    in_files = "rows"
    alike = 0.2
    of_groups = True
    # Of two random orders half of the pairs differ; so agreement beyond chance is Kendall's tau.
    chance = 0.5

    def check(self, label: RankingLabel, classes: Collection[int]) -> None:
        """It names no classes."""

    def check_members(self, label: RankingLabel, members: Collection[int]) -> None:
        """Look whether a ranking holds what was asked about, each once, and nothing else."""
        held = set(members_of(label))
        if missing := sorted(set(members) - held):
            raise refused(
                "incomplete_ranking",
                f"The ranking leaves out {_listed(missing)}; give each row of the query a place in "
                "order or in wrong.",
            )
        if others := sorted(held - set(members)):
            raise refused(
                "not_a_member",
                f"The query does not ask about {_listed(others)}; rank its members only.",
            )

    def distance(self, one: RankingLabel, other: RankingLabel) -> float:
        """The share of pairs in another order, half of those tied in one; see there."""
        return kendall_distance(places(one), places(other))

    def agree(self, labels: Sequence[RankingLabel]) -> RankingLabel:
        """Kemeny's central ranking; wrong is what most call so."""
        if all(one == labels[0] for one in labels[1:]):
            return labels[0]
        asked = set(members_of(labels[0]))
        # Of other rows, by a query of another time, they say nothing together.
        held = [one for one in labels if set(members_of(one)) == asked]
        wrong = {id_ for id_ in asked if 2 * sum(id_ in one.wrong for one in held) > len(held)}
        rankings = [
            {id_: place for id_, place in places(one).items() if id_ not in wrong} for one in held
        ]
        order = central_ranking(rankings) if len(wrong) < len(asked) else []
        return RankingLabel(
            type="instructions",
            order=tuple(tuple(tied) for tied in order),
            wrong=tuple(sorted(wrong)),
        )

    def class_of(self, label: RankingLabel) -> None:  # noqa: ARG002  it names none
        """None."""
        return

    def read(self, text: str, classes: Mapping[str, int]) -> None:  # noqa: ARG002
        """None: rankings are of examples of this pool, and a row of a file is one example."""
        return

    def write(self, label: RankingLabel, classes: Mapping[int, str]) -> str:  # noqa: ARG002
        """A JSON object with order and wrong, in ids of examples."""
        return json.dumps({"order": label.order, "wrong": label.wrong})


def _listed(ids: Sequence[int]) -> str:
    return (
        "example " + ", ".join(map(str, ids))
        if len(ids) == 1
        else ("examples " + ", ".join(map(str, ids)))
    )


INSTRUCTIONS = Instructions()
