"""Shares are told with their intervals, by the command line and in notebooks."""

import re

import pytest

from karat.client.intervals import (
    FEWEST,
    at_least,
    at_most,
    band,
    inside_share,
    measured,
    sure,
    wilson,
)
from karat.client.notebook import ROUNDS, RoundRows, accuracy_curve, strategy_of
from models.numerics import intervals


@pytest.mark.parametrize("count", [20, 49, 1000])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.97, 1.0])
def test_intervals_are_those_of_the_pages_and_the_models(share: float, count: int) -> None:
    found = intervals.wilson(share * count, count)
    assert wilson(share, count) == pytest.approx((found.low, found.high), abs=1e-12)
    assert FEWEST == intervals.FEWEST


def test_a_share_is_told_with_its_interval_and_of_few_not_at_all() -> None:
    # R: binom.confint(45, 49, method = "wilson")
    assert measured(45 / 49, 49) == "91.8% (80–97)"
    assert measured(1.0, 5) == "too few yet"
    assert measured(0.5, None) == "50.0%"
    assert measured(None, 49) is None


@pytest.mark.parametrize("count", [30, 200, 3000, 20_000, 1_000_000])
@pytest.mark.parametrize("share", [0, 0.0002, 0.002, 0.05, 0.5, 0.972, 0.993, 0.9996, 1])
def test_what_is_read_holds_what_was_measured(share: float, count: int) -> None:
    right = round(share * count) / count
    text = measured(right, count)
    assert text is not None
    value, low, high = map(float, re.findall(r"[\d.]+", text))
    assert low <= value <= high
    assert (value == 0, value == 100) == (right == 0, right == 1)


def test_nothing_more_is_promised_than_holds() -> None:
    assert [at_most(share) for share in (0.02, 0.0201, 0.07, 0.0004)] == [
        "2.0%",
        "2.1%",
        "7.0%",
        "0.1%",
    ]
    assert [at_least(share) for share in (0.07, 0.9996, 1.0)] == ["7.0%", "99.9%", "100.0%"]
    assert [sure(share) for share in (0.95, 0.999, 0.99999, 0.57)] == [
        "95%",
        "99.9%",
        "99.99%",
        "57%",
    ]
    assert [band(0.9, 1.0), band(0.9983, 1.0), band(0.994, 0.9951)] == [
        "90%–100%",
        "99.83%–100%",
        "99.4%–99.51%",
    ]


def test_what_the_first_round_asks_is_no_strategy() -> None:
    rounds = [_round(number, None, 0) for number in (0, 1)]
    assert [strategy_of(one) for one in rounds] == ["first_queue", "random"]
    assert strategy_of({"number": 0, "strategy": "import"}) == "import"
    told = RoundRows(ROUNDS, rounds)._repr_html_()
    assert (told.count("first_queue"), told.count("random")) == (1, 1)


def _round(number: int, accuracy: float | None, examples: int) -> dict[str, object]:
    answered = {"label": 20, "ood": 5, "unsure": 0, "skip": 0}
    return {"number": number, "strategy": "random", "answered": answered, "accuracy": accuracy,
            "in_share": 0.8, "metrics": {"examples": examples}, "settings": {}}  # fmt: skip


def test_verdicts_of_several_on_an_example_are_no_examples_of_their_own() -> None:
    alone = {**_round(0, None, 0), "answered": {"label": 20, "ood": 10}, "in_share": 2 / 3}
    three = {**alone, "answered": {"label": 60, "ood": 30}, "settings": {"overlap": 3}}
    assert inside_share(three) == inside_share(alone) == "66.7% (48–81)"
    checked = {**alone, "answered": {"label": 20, "ood": 90}, "chosen": alone["answered"]}
    assert inside_share(checked) == inside_share(alone)


def test_a_notebook_draws_how_sure_each_accuracy_is_and_leaves_out_those_of_few() -> None:
    rounds = [_round(0, 0.5, 100), _round(1, None, 0), _round(2, 0.75, 100), _round(3, 1.0, 4)]
    curve = accuracy_curve(rounds)
    titles = re.findall(r"<title>(.*?)</title>", curve)
    assert titles == ["25 answers: 50.0% (40–60)", "75 answers: 75.0% (65–83)"]
    bars = re.findall(r'd="M[\d.]+ ([\d.]+)V([\d.]+)" stroke="cu', curve)
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', curve)]
    assert len(bars) == 2
    assert all(float(low) > y > float(high) for (low, high), y in zip(bars, heights, strict=True))
    assert accuracy_curve(rounds[:2]) == ""
    table = RoundRows(ROUNDS, rounds)._repr_html_()
    assert table.count("<td>80.0% (60–92)</td>") == 4
    assert "<td>too few yet</td>" in table
