"""Threads of linear algebra: small searches have one, large ones what there is."""

import pytest

from models.numerics.threads import libraries, threads_for


def counts() -> set[int]:
    """How many threads each library would take now."""
    return {one["num_threads"] for one in libraries().info()}


@pytest.mark.parametrize(("multiplications", "alone"), [(1_000, True), (10**9, False)])
def test_small_searches_take_one_thread(multiplications: int, alone: bool) -> None:
    with libraries().limit(limits=2):
        with threads_for(multiplications):
            assert counts() == ({1} if alone else {2})
        # What comes after has what was there before.
        assert counts() == {2}


def test_a_fault_leaves_no_limit() -> None:
    with libraries().limit(limits=2):
        with pytest.raises(ZeroDivisionError), threads_for(1):
            _ = 1 // 0
        assert counts() == {2}
