"""Nothing is lost when processes die under annotators and jobs."""

from pathlib import Path

import pytest

from tests.chaos.episodes import Report, run


def _nothing_lost(report: Report, episodes: int) -> None:
    shown = "\n".join(report.events)
    assert report.wrong == [], shown
    assert report.jobs_failed == [], shown
    assert (report.episodes, report.lost) == (episodes, 0), shown
    assert report.answers >= 20 * episodes


@pytest.mark.timeout(900)
def test_a_few_episodes(tmp_path: Path) -> None:
    report = run(tmp_path / "data", episodes=2, seed=1, seconds=5, events=3, images=120)
    _nothing_lost(report, 2)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_fifty_episodes(tmp_path: Path) -> None:
    report = run(tmp_path / "data", episodes=50, seed=0, seconds=8, events=3, images=300)
    _nothing_lost(report, 50)
