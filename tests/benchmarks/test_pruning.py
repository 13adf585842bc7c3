"""The benchmark of pruning at scale, on two thousand examples."""

import json
from pathlib import Path

import pytest

from tests.processes import ended


def test_it_times_the_selection_beside_the_plain_loop(tmp_path: Path) -> None:
    file = tmp_path / "results" / "pruning.json"
    size = ("--n", "2000", "--d", "16", "--ratio", "0.1")
    done = ended("benchmarks.pruning", *size, "--json", str(file))
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert found["seconds"] > 0
    assert found["reference_seconds"] > 0
    assert found["speedup"] == pytest.approx(found["reference_seconds"] / found["seconds"])
    assert found["same_subset"] is True
    assert isinstance(found["peak_mb"], float)
    # The plain loop made every pick, and a table says the same to people.
    assert found["reference_picks"] == found["kept"] == 200
    assert found["exact"]
    assert found["runs"] == [{key: found[key] for key in found["runs"][0]}]
    assert "prune4rel" in done.stdout
