"""The screen lets every similar pair pass, and few others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array
from models.pruning.screen import BLUR, Screen


def screened(rows: Float32Array, least: float) -> set[tuple[int, int]]:
    screen = Screen(len(rows), rows.shape[1], np.random.default_rng(0))
    screen.put(slice(0, len(rows)), rows)
    asked = screen.at(np.arange(len(rows)))
    room = screen.room(len(rows), len(rows))
    row, column = screen.passing(asked, slice(0, len(rows)), least, room)
    assert (np.diff(row) >= 0).all()
    return set(zip(row.tolist(), column.tolist(), strict=True))


def pairs(rows: Float32Array, least: float) -> set[tuple[int, int]]:
    wide = rows.astype(np.float64)
    return set(zip(*np.nonzero(wide @ wide.T >= least), strict=True))


@given(
    seed=st.integers(0, 10**6),
    dimension=st.sampled_from([1, 2, 3, 17, 97, 512]),
    least=st.floats(-0.5, 0.99),
    spiked=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_no_similar_pair_is_lost(seed: int, dimension: int, least: float, spiked: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((60, dimension)) + rng.standard_normal(dimension)
    rows[::3] += rows[0]
    if spiked:
        rows[:, 0] += 50 * rng.standard_normal(60)
    rows[1] = 0
    unit = unit_rows(rows.astype(np.float32))
    unit[2] *= 0.3
    assert pairs(unit, least + 1e-4) <= screened(unit, least)


def test_a_row_that_is_cut_off_is_not_lost() -> None:
    rows = np.random.default_rng(1).standard_normal((40, 64)).astype(np.float32)
    (turn,) = Screen(1, 64, np.random.default_rng(0))._turns
    # After the turn all of its length is in one coordinate, beyond what codes reach.
    rows[5] = turn[:, 7]
    unit = unit_rows(rows)
    assert pairs(unit, 0.2) <= screened(unit, 0.2 - 1e-4)


@pytest.mark.parametrize("dimension", [64, 512])
def test_few_others_pass(dimension: int) -> None:
    rows = np.random.default_rng(2).standard_normal((300, dimension)) + 0.5
    unit = unit_rows(rows.astype(np.float32))
    assert screened(unit, 0.3) <= pairs(unit, 0.3 - 2 * BLUR)
