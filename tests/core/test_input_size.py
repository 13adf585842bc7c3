"""How large the model sees images: the rule by which a first import chooses."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.input_size import LARGE, MEDIUM, PHOTOGRAPH, SMALL, SizeChoice, input_size_for

sides = st.integers(1, 20_000)
pictures = st.lists(st.tuples(sides, sides), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("shorter", "chosen"),
    [
        (1, 8), (8, 8), (9, 16), (16, 16), (17, 24), (24, 24), (25, 28), (28, 28), (29, 32),
        (32, 32), (33, 64), (64, 64), (96, 64), (97, 128), (159, 128),
        (160, 160), (480, 160), (20_000, 160),
    ],
)  # fmt: skip
def test_the_side_by_the_shorter_side_of_the_images(shorter: int, chosen: int) -> None:
    assert input_size_for(shorter) == chosen


@given(shorter=sides)
def test_small_images_lose_no_pixel_and_no_side_is_cut_in_half_for_nothing(shorter: int) -> None:
    chosen = input_size_for(shorter)
    assert chosen in (*SMALL, MEDIUM, LARGE, PHOTOGRAPH)
    if shorter <= SMALL[-1]:
        assert chosen >= shorter
        assert all(side < shorter for side in SMALL if side < chosen)
    elif shorter >= PHOTOGRAPH:
        assert chosen == PHOTOGRAPH
    else:
        assert chosen == (MEDIUM if shorter <= 96 else LARGE)
        assert 3 * chosen >= 2 * shorter


@given(one=sides, other=sides)
def test_larger_images_are_never_seen_smaller(one: int, other: int) -> None:
    assert input_size_for(min(one, other)) <= input_size_for(max(one, other))


@given(shorter=sides, above=st.integers(0, 500))
def test_what_has_to_fit_into_it_fits(shorter: int, above: int) -> None:
    chosen = input_size_for(shorter, above)
    assert above < chosen <= max(160, above + 1)
    assert chosen == input_size_for(shorter) or input_size_for(shorter) <= above


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
    assert turned.side == upright.side == 160
    assert str(turned) == "Images are typically 4000 × 3000; the model sees 160 × 160."
    assert SizeChoice.of([]) is None
