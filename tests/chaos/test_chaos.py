"""Nothing is lost when processes die under annotators and jobs."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.runs import Runs
from tests.chaos.episodes import Report, run

_CONFIG = {"seed": 1}


def _nothing_lost(report: Report, episodes: int) -> None:
    shown = "\n".join(report.events)
    assert report.wrong == [], shown
    assert report.jobs_failed == [], shown
    assert (report.episodes, report.lost) == (episodes, 0), shown
    assert report.answers >= 20 * episodes


@pytest.mark.timeout(900)
def test_a_few_episodes(tmp_path: Path) -> None:
    few: dict[str, Any] = {
        "episodes": 2, "seed": 1, "seconds": 5, "events": 3, "images": 120, "annotators": 6,
    }  # fmt: skip
    kept = Runs(tmp_path / "runs.json", _CONFIG, ("episode",))
    report = run(tmp_path / "data", **few, kept=kept)
    _nothing_lost(report, 2)

    # What was played is not played again, and counts.
    again = Runs(tmp_path / "runs.json", _CONFIG, ("episode",))
    unused = tmp_path / "unused"
    told = run(unused, **few, kept=again)
    assert told == report
    assert not unused.exists()


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_fifty_episodes(tmp_path: Path) -> None:
    report = run(tmp_path / "data", episodes=50, seed=0, seconds=8, events=3, images=300)
    _nothing_lost(report, 50)
