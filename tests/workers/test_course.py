"""How long a job still takes, by what is known of its phases."""

from types import SimpleNamespace

import pytest

from workers.jobs.eta import Eta


class Clock:
    """Time that passes when it is told to."""

    now = 100.0

    def pass_(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("workers.jobs.eta.time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_phases_to_come_count_as_far_as_they_are_known(clock: Clock) -> None:
    course = Eta(["first", "unknown", "known"], {"known": 7.0})
    # Of the present phase something has to be known.
    assert course.left("first", 0, 10) is None
    clock.pass_(2)
    assert course.left("first", 1, 10) == 2 * 9 + 7
    course.begin()
    assert course.left("unknown", 0, 0) is None
    course.begin()
    assert course.left("known", 0, 0) == 7
    clock.pass_(3)
    assert course.left("known", 0, 0) == 4
    # It takes longer than expected.
    clock.pass_(30)
    assert course.left("known", 0, 0) == 0


def test_the_pace_of_one_phase_tells_how_long_those_take_that_are_like_it(clock: Clock) -> None:
    course = Eta(["plain", "double", "look"], work={"plain": 10, "double": 20, "look": 5})
    assert course.left("plain", 0, 100) is None
    clock.pass_(4)
    # 100 steps take 40 s, so a unit of work takes 4 s.
    assert course.left("plain", 10, 100) == 36 + 80 + 20
    clock.pass_(36)
    assert course.left("plain", 100, 100) == 80 + 20
    course.begin()
    assert course.left("double", 0, 50) == 80 + 20
    clock.pass_(2)
    # Faster than it was: 50 steps take 20 s.
    assert course.left("double", 5, 50) == 18 + 5


def test_a_phase_that_goes_on_is_measured_from_where_it_goes_on(clock: Clock) -> None:
    course = Eta(["plain", "double"], work={"plain": 10, "double": 20})
    assert course.left("plain", 80, 100) is None
    clock.pass_(5)
    assert course.left("plain", 90, 100) == 5 + 100


def test_what_is_counted_anew_is_measured_anew(clock: Clock) -> None:
    course = Eta(["only"])
    course.left("only", 0, 10)
    clock.pass_(100)
    assert course.left("only", 5, 10) == 100
    course.left("only", 0, 1000)
    clock.pass_(1)
    assert course.left("only", 500, 1000) == 1
