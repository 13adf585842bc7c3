"""A process counts the processors that it may use, and not those of the machine."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.process.cpus import cpu_quota, usable_cpus
from tests.processes import ROOT

_BOUND = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from core.process.cpus import usable_cpus
from core.media.images.heif_processes import decoders
print(usable_cpus(), decoders._room._initial_value)
"""


def test_of_a_machine_it_takes_what_it_is_let() -> None:
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="macOS binds no process")
def test_bound_to_one_it_uses_one() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BOUND], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "1"]


def test_the_least_quota_of_its_groups_counts(tmp_path: Path) -> None:
    for group, quota in {"": "max 100000", "a": "150000 100000", "a/b": "400000 100000"}.items():
        (tmp_path / group).mkdir(exist_ok=True)
        (tmp_path / group / "cpu.max").write_text(f"{quota}\n")
    assert cpu_quota(tmp_path, "0::/a/b\n") == 1.5
    assert cpu_quota(tmp_path, "0::/a/c\n") == 1.5
    assert cpu_quota(tmp_path, "0::/\n") == math.inf
    # In a container its own group is the root of what it sees.
    assert cpu_quota(tmp_path / "a", "0::/\n") == 1.5
    # Version 1 has groups for each resource.
    assert cpu_quota(tmp_path, "1:cpu:/a\n") == math.inf
