"""How large the model sees images: the rule by which a first import chooses."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.media.images.input_size import (
    LARGE,
    MEDIUM,
    PHOTOGRAPHS,
    SMALL,
    SizeChoice,
    input_size_for,
)

sides = st.integers(1, 20_000)
totals = st.integers(0, 200_000)
pictures = st.lists(st.tuples(sides, sides), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("shorter", "chosen"),
    [
        (1, 8), (8, 8), (9, 16), (16, 16), (17, 24), (24, 24), (25, 28), (28, 28), (29, 32),
        (32, 32), (33, 64), (64, 64), (96, 64), (97, 128), (159, 128),
        (160, 160), (191, 160), (192, 192), (223, 192), (224, 224), (287, 224), (288, 288),
        (20_000, 288),
    ],
)  # fmt: skip
def test_the_side_by_the_shorter_side_of_the_images(shorter: int, chosen: int) -> None:
    assert input_size_for(shorter) == chosen


@pytest.mark.parametrize(
    ("total", "chosen"),
    [
        (0, 288), (45_000, 288), (45_001, 224), (75_000, 224), (75_001, 192), (100_000, 192),
        (100_001, 160), (1_000_000, 160),
    ],
)  # fmt: skip
def test_more_photographs_than_are_embedded_soon_are_seen_smaller(total: int, chosen: int) -> None:
    assert input_size_for(480, total=total) == chosen
    assert input_size_for(170, total=total) == 160
    assert input_size_for(28, total=total) == 28
    choice = SizeChoice.of([(640, 480)], total=total)
    assert choice is not None
    assert choice.side == chosen


@given(shorter=sides)
def test_small_images_lose_no_pixel_and_no_side_is_cut_in_half_for_nothing(shorter: int) -> None:
    chosen = input_size_for(shorter)
    photographs = sorted(side for side, _ in PHOTOGRAPHS)
    assert chosen in (*SMALL, MEDIUM, LARGE, *photographs)
    if shorter <= SMALL[-1]:
        assert chosen >= shorter
        assert all(side < shorter for side in SMALL if side < chosen)
    elif shorter >= photographs[0]:
        assert chosen == max(side for side in photographs if side <= shorter)
    else:
        assert chosen == (MEDIUM if shorter <= 96 else LARGE)
        assert 3 * chosen >= 2 * shorter


@given(one=sides, other=sides, total=totals, more=totals)
def test_larger_images_are_never_seen_smaller_and_more_never_larger(
    one: int, other: int, total: int, more: int
) -> None:
    smaller, larger = sorted((one, other))
    assert input_size_for(smaller, total=total) <= input_size_for(larger, total=total)
    assert input_size_for(one, total=total + more) <= input_size_for(one, total=total)


@given(shorter=sides, total=totals, above=st.integers(0, 500))
def test_what_has_to_fit_into_it_fits(shorter: int, total: int, above: int) -> None:
    chosen, usual = (
        input_size_for(shorter, total=total, above=above),
        input_size_for(shorter, total=total),
    )
    assert above < chosen <= max(288, above + 1)
    assert chosen == usual or usual <= above


@given(sizes=pictures, order=st.randoms())
def test_half_of_the_images_are_no_larger_than_the_one_in_the_middle(
    sizes: list[tuple[int, int]], order: random.Random
) -> None:
    choice = SizeChoice.of(sizes)
    assert choice is not None
    middle = min(choice.width, choice.height)
    shorter = [min(size) for size in sizes]
    assert (choice.width, choice.height) in sizes
    assert sum(one <= middle for one in shorter) * 2 >= len(sizes)
    assert sum(one >= middle for one in shorter) * 2 >= len(sizes)
    assert choice.side == input_size_for(middle)
    shuffled = list(sizes)
    order.shuffle(shuffled)
    assert SizeChoice.of(shuffled) == choice


def test_turned_images_count_alike_and_none_choose_nothing() -> None:
    turned, upright = SizeChoice.of([(4000, 3000)]), SizeChoice.of([(3000, 4000)])
    assert turned is not None
    assert upright is not None
    assert turned.side == upright.side == 288
    assert str(turned) == "Images are typically 4000 × 3000; the model sees 288 × 288."
    assert SizeChoice.of([]) is None


def test_of_whole_images_the_longer_side_fills_the_square() -> None:
    whole = SizeChoice.of([(300, 200), (200, 300), (28, 20)], fit="pad")
    assert whole is not None
    assert (whole.side, whole.width, whole.height, whole.fit) == (288, 200, 300, "pad")
    assert str(whole) == (
        "Images are typically 200 × 300; the model sees all of each within 288 × 288."
    )
    digits = SizeChoice.of([(28, 20)], fit="pad")
    assert digits is not None
    assert digits.side == 28
