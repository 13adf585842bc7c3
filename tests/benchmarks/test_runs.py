"""Tables of benchmarks say of differences the same, whichever prints them."""

from collections.abc import Callable
from typing import Any

import pytest
from rich.table import Table

from benchmarks import pruning_features, pruning_frozen
from benchmarks.open_set import report
from benchmarks.open_set.protocol import Case
from benchmarks.open_set.runs import Outcome
from benchmarks.runs import difference

GAINS = (0.02, 0.05, 0.03)


def frozen(gains: tuple[float, ...]) -> Table:
    rest = {"ce": 0.5, "noise": 0.1, "corrected_sop_plus": None}
    runs: list[dict[str, Any]] = []
    for seed, gain in enumerate(gains):
        runs.append({"method": "uniform", "seed": seed, "sop_plus": 0.5, **rest})
        runs.append({"method": "margin", "seed": seed, "sop_plus": 0.5 + gain, **rest})
    return pruning_frozen.table(runs, "")


def features(gains: tuple[float, ...]) -> Table:
    heads = dict.fromkeys(pruning_frozen.HEADS, 0.5)
    rest = {"ratio": 0.2, "premise": None, "wrong": 0.1, **{f"{one}_all": 0.9 for one in heads}}
    runs: list[dict[str, Any]] = []
    for seed, gain in enumerate(gains):
        runs.append({"method": "uniform", "seed": seed, **rest, **heads})
        better = {name: value + gain for name, value in heads.items()}
        runs.append({"method": "margin", "seed": seed, **rest, **better})
    return pruning_features.table(runs)


def open_set(gains: tuple[float, ...]) -> Table:
    outcomes: dict[tuple[str, Case], Outcome] = {}
    for seed, gain in enumerate(gains):
        for name, accuracy in ((report.REFERENCE, 0.5), ("mqnet", 0.5 + gain)):
            outcomes[name, Case(0.4, 0, seed)] = Outcome([accuracy], [0.5], [0.5], [1.0], [])
    return next(iter(report.tables(outcomes)))


def cells(table: Table) -> set[str]:
    return {str(cell) for column in table.columns for cell in column.cells}


@pytest.mark.parametrize(("make", "digits"), [(frozen, 1), (features, 1), (open_set, 2)])
def test_differences_of_pairs_are_printed_alike(
    make: Callable[[tuple[float, ...]], Table], digits: int
) -> None:
    gains = [100 * one for one in GAINS]
    assert difference(gains, digits) in cells(make(GAINS))
    # One pair has no error that could be said.
    one = cells(make(GAINS[:1]))
    assert not any("nan" in cell or cell.startswith("+2.0") for cell in one)
    assert "–" in one
