"""What a ranking is, how far two are apart, and what several amount to."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import kendalltau

from core.errors import Invalid
from core.tasks.instruction_rows import InstructionRow, Turn, canonical, digest, rendered
from core.tasks.instructions import (
    INSTRUCTIONS,
    RankingLabel,
    central_ranking,
    kendall_distance,
    places,
)


def label(*order: tuple[int, ...], wrong: tuple[int, ...] = ()) -> RankingLabel:
    return RankingLabel(type="instructions", order=order, wrong=wrong)


def strict(*ids: int) -> RankingLabel:
    return label(*((one,) for one in ids))


def test_a_ranking_holds_each_row_once() -> None:
    for order, wrong in (((), ()), (((1,), (1,)), ()), (((1, 2), (3,)), (3,)), (((),), ())):
        with pytest.raises(ValidationError):
            RankingLabel(type="instructions", order=order, wrong=wrong)
    assert places(label((3,), (1, 2), wrong=(4,))) == {3: 0, 1: 1, 2: 1, 4: 2}


def test_a_ranking_is_of_what_was_asked() -> None:
    INSTRUCTIONS.check_members(label((1,), wrong=(2,)), {1, 2})
    for said, code in ((strict(1), "incomplete_ranking"), (strict(1, 2, 3), "not_a_member")):
        with pytest.raises(Invalid) as caught:
            INSTRUCTIONS.check_members(said, {1, 2})
        assert caught.value.code == code


def test_distances() -> None:
    assert INSTRUCTIONS.distance(strict(1, 2, 3), strict(1, 2, 3)) == 0
    assert INSTRUCTIONS.distance(strict(1, 2, 3), strict(3, 2, 1)) == 1
    assert INSTRUCTIONS.distance(strict(1, 2, 3), strict(2, 1, 3)) == pytest.approx(1 / 3)
    # A tie in one of them counts half; wrong ones are last, and tie.
    assert INSTRUCTIONS.distance(strict(1, 2), label((1, 2))) == 0.5
    assert INSTRUCTIONS.distance(strict(1, 2, 3), label((1,), wrong=(2, 3))) == pytest.approx(1 / 6)
    assert INSTRUCTIONS.distance(label(wrong=(1, 2)), label((1, 2))) == 0


@given(st.permutations(range(6)), st.permutations(range(6)))
@settings(max_examples=30)
def test_without_ties_it_is_kendalls_tau(one: list[int], other: list[int]) -> None:
    found = kendall_distance(dict(enumerate(one)), dict(enumerate(other)))
    assert 1 - 2 * found == pytest.approx(kendalltau(one, other).statistic)


def test_the_central_ranking_is_the_best_of_all_orders() -> None:
    random = Random(1)
    for _ in range(20):
        given = [{one: random.randrange(4) for one in range(5)} for _ in range(5)]

        def cost(ranking: dict[int, int], given: list[dict[int, int]] = given) -> float:
            return sum(kendall_distance(ranking, one) for one in given)

        found = central_ranking(given)
        ranked = {one: place for place, tied in enumerate(found) for one in tied}
        best = min(
            cost({one: place for place, one in enumerate(order)})
            for order in permutations(range(5))
        )
        assert cost(ranked) <= best + 1e-9


def test_what_rankings_amount_to() -> None:
    agreed = INSTRUCTIONS.agree([strict(1, 2, 3), strict(1, 3, 2), strict(1, 2, 3)])
    assert agreed == strict(1, 2, 3)
    # Nobody decides between two who contradict each other.
    assert INSTRUCTIONS.agree([strict(1, 2, 3), strict(1, 3, 2)]) == label((1,), (2, 3))
    # Wrong is what most call so.
    said = [label((1,), (2,), wrong=(3,)), label((2,), (1,), wrong=(3,)), strict(3, 1, 2)]
    assert INSTRUCTIONS.agree(said).wrong == (3,)


def test_ten_rows_are_ranked_at_once() -> None:
    random = Random(0)
    orders = [random.sample(range(1, 11), 10) for _ in range(5)]
    agreed = INSTRUCTIONS.agree([strict(*one) for one in orders])
    assert sorted(one for tied in agreed.order for one in tied) == list(range(1, 11))


def test_equal_rows_have_one_digest() -> None:
    one = InstructionRow(instruction="Add.", input="1, 2", responses=("3",))
    assert digest(one) == digest(InstructionRow.model_validate_json(canonical(one)))
    assert digest(one) != digest(InstructionRow(instruction="Add.\n\n1, 2", responses=("3",)))
    assert rendered(one) == "Add.\n\n1, 2\n\n3"


def test_a_row_asks_and_answers_something() -> None:
    turns = (
        Turn(role="user", content="a"),
        Turn(role="assistant", content="b"),
        Turn(role="user", content="c"),
        Turn(role="assistant", content="d"),
    )
    InstructionRow(instruction="a", responses=("d",), turns=turns)
    for fields in (
        {"instruction": " ", "responses": ("x",)},
        {"instruction": "x", "responses": ()},
        {"instruction": "x", "responses": ("\n",)},
        {"instruction": "a", "responses": ("b",), "turns": turns},
    ):
        with pytest.raises(ValidationError):
            InstructionRow.model_validate(fields)
