"""Means, paired differences and tables of finished runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from benchmarks.open_set import thesis
from benchmarks.open_set.protocol import Case
from benchmarks.open_set.runs import ORACLE, Outcome
from benchmarks.runs import difference

Outcomes = Mapping[tuple[str, Case], Outcome]
REFERENCE = "random"


@dataclass(frozen=True)
class Summary:
    """A strategy at one level of noise, over its runs.

    Attributes:
        accuracy: (runs, rounds).
        in_share: (runs, rounds).
        auroc: (runs, rounds); NaN without a purity.
        seconds: (runs, rounds).
        difference: (pairs,) last accuracy minus that of `random` on the same case.
        gap_closed: (rounds,) share of the way from `random` to `oracle`, of means over the cases
            that all three have; NaN without them.
    """

    accuracy: NDArray[np.float64]
    in_share: NDArray[np.float64]
    auroc: NDArray[np.float64]
    seconds: NDArray[np.float64]
    difference: NDArray[np.float64]
    gap_closed: NDArray[np.float64]


def summarise(outcomes: Outcomes, label: str, noise: float) -> Summary:
    """Collect the runs of one strategy at one level of noise."""
    own = _curves(outcomes, label, noise)
    floor, ceiling = (_curves(outcomes, name, noise) for name in (REFERENCE, ORACLE))
    runs = [outcome for (name, case), outcome in outcomes.items() if _is(name, case, label, noise)]
    shared = [case for case in own if case in floor and case in ceiling]
    rounds = len(runs[0].accuracy)
    gap = np.full(rounds, np.nan)
    if shared:
        low, mine, high = (
            np.mean([curve[case] for case in shared], axis=0) for curve in (floor, own, ceiling)
        )
        np.divide(mine - low, high - low, out=gap, where=high - low > 0)
    per_round = {
        name: np.array([getattr(outcome, name) for outcome in runs], dtype=np.float64)
        for name in ("accuracy", "in_share", "auroc", "seconds")
    }
    return Summary(
        **per_round,
        difference=np.array([own[case][-1] - floor[case][-1] for case in own if case in floor]),
        gap_closed=gap,
    )


def _curves(outcomes: Outcomes, label: str, noise: float) -> dict[Case, NDArray[np.float64]]:
    return {
        case: np.array(outcome.accuracy)
        for (name, case), outcome in outcomes.items()
        if _is(name, case, label, noise)
    }


def _is(name: str, case: Case, label: str, noise: float) -> bool:
    return name == label and case.noise == noise


def labels(outcomes: Outcomes) -> list[str]:
    """Return the strategies, in order of appearance."""
    return list(dict.fromkeys(label for label, _ in outcomes))


def noises(outcomes: Outcomes) -> list[float]:
    """Return the levels of noise, ascending."""
    return sorted({case.noise for _, case in outcomes})


def to_json(outcomes: Outcomes) -> dict[str, Any]:
    """Return per strategy lists with one entry a run, and what follows from them."""
    results: dict[str, Any] = {}
    for label in labels(outcomes):
        runs = [(case, outcome) for (name, case), outcome in outcomes.items() if name == label]
        runs.sort(key=lambda run: (run[0].noise, run[0].trial, run[0].seed))
        results[label] = {
            "noise": [case.noise for case, _ in runs],
            "trial": [case.trial for case, _ in runs],
            "seed": [case.seed for case, _ in runs],
            "final_accuracy": [outcome.accuracy[-1] for _, outcome in runs],
            "seconds": [sum(outcome.seconds) for _, outcome in runs],
            **{
                name: [outcome.to_json()[name] for _, outcome in runs]
                for name in ("accuracy", "in_share", "auroc", "notes")
            },
            "gap_closed": {
                str(noise): [
                    None if np.isnan(value) else value
                    for value in summarise(outcomes, label, noise).gap_closed.tolist()
                ]
                for noise in sorted({case.noise for case, _ in runs})
            },
        }
    return results


def tables(outcomes: Outcomes, *, cross: bool = False) -> Iterable[Table]:
    """Build the two tables of every level of noise; `cross` says what the thesis's are of."""
    for noise in noises(outcomes):
        summaries = {
            label: summarise(outcomes, label, noise)
            for label in labels(outcomes)
            if any(_is(name, case, label, noise) for name, case in outcomes)
        }
        yield _accuracy_table(noise, summaries, cross=cross)
        yield _rounds_table(noise, summaries, cross=cross)


def _accuracy_table(noise: float, summaries: Mapping[str, Summary], *, cross: bool) -> Table:
    table = Table(title=f"{noise:.0%} noise: last round, mean ± std over runs")
    for heading in (
        "strategy", "runs", "accuracy %", "- random (± s.e.)", "gap closed", "IN share first/last",
        "AUROC first/last", "s a round", "thesis %",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    for label, summary in summaries.items():
        name, _, price = label.partition(" c_ood=")
        printed = thesis.last_accuracy(name, noise, float(price or 1), cross=cross)
        table.add_row(
            label,
            str(len(summary.accuracy)),
            spread(100 * summary.accuracy[:, -1]),
            difference(list(100 * summary.difference), 2),
            _number(summary.gap_closed[-1], 2),
            _ends(summary.in_share),
            _ends(summary.auroc),
            _number(float(summary.seconds.mean()), 1),
            "" if printed is None else f"{printed:.2f}",
        )
    return table


def _rounds_table(noise: float, summaries: Mapping[str, Summary], *, cross: bool) -> Table:
    rounds = max(summary.in_share.shape[1] for summary in summaries.values())
    table = Table(title=f"{noise:.0%} noise: accuracy % / IN share of the queries %, by round")
    table.add_column("strategy", justify="right")
    for number in range(1, rounds + 1):
        table.add_column(str(number), justify="right")
    for label, summary in summaries.items():
        table.add_row(label, *_pairs(100 * summary.accuracy, 100 * summary.in_share))
    for label, shares in thesis.IN_SHARE.get(noise, {}).items():
        if label in summaries and not cross:
            accuracies = thesis.ACCURACY[noise][label]
            table.add_row(f"thesis: {label}", *_pairs(np.array([accuracies]), np.array([shares])))
    return table


def _pairs(accuracy: NDArray[np.float64], share: NDArray[np.float64]) -> Sequence[str]:
    return [
        f"{a:.1f} / {_number(s, 0) or '–'}"
        for a, s in zip(accuracy.mean(axis=0), share.mean(axis=0), strict=True)
    ]


def spread(values: NDArray[np.float64]) -> str:
    """Return "mean ± standard deviation"."""
    deviation = values.std(ddof=1) if len(values) > 1 else 0.0
    return f"{values.mean():.2f} ± {deviation:.2f}"


def _ends(values: NDArray[np.float64]) -> str:
    first, last = values[:, 0].mean(), values[:, -1].mean()
    return "" if np.isnan(first) else f"{first:.2f} / {_number(last, 2) or '–'}"


def _number(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"
