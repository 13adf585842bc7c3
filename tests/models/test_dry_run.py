"""How long work would take, by a clock that goes as the work says."""

from collections.abc import Callable

import pytest

from models.dry_run import long_step_seconds

BEFORE = 1.5


@pytest.fixture
def done() -> list[int]:
    """Sizes of the steps that were run."""
    return []


def work(monkeypatch: pytest.MonkeyPatch, done: list[int], each: float) -> Callable[[int], object]:
    """A step that takes ``each`` seconds for an example, and some before it begins."""
    monkeypatch.setattr("time.perf_counter", lambda: len(done) * BEFORE + sum(done) * each)
    return done.append


def test_a_step_of_minutes_is_measured_on_a_few_examples(
    monkeypatch: pytest.MonkeyPatch, done: list[int]
) -> None:
    step = work(monkeypatch, done, each=3.0)
    assert long_step_seconds(step, 64) == pytest.approx(192.0)
    assert sum(done) < 20


def test_short_steps_and_small_ones_are_measured_as_they_are(
    monkeypatch: pytest.MonkeyPatch, done: list[int]
) -> None:
    step = work(monkeypatch, done, each=0.01)
    assert long_step_seconds(step, 64) is None
    done.clear()
    assert long_step_seconds(step, 8) is None
    assert done == []
