"""The benchmark of pruning at scale, on two thousand examples."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_it_times_the_selection_beside_the_plain_loop(tmp_path: Path) -> None:
    file = tmp_path / "results" / "pruning.json"
    command = [
        sys.executable, "-m", "benchmarks.pruning", "--n", "2000", "--d", "16", "--ratio", "0.1",
        "--json", str(file),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
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
