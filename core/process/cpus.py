"""How many processors a process may use: in a container fewer than the machine has."""

import math
import os
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

_GROUPS: Final = Path("/sys/fs/cgroup")
_MEMBERSHIP: Final = Path("/proc/self/cgroup")


@cache
def usable_cpus() -> int:
    """Those that this process may use at once: by its affinity, and by the quota of its container.

    Returns:
        At least 1; a quota of one and a half counts as two.
    """
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    quota = math.inf
    with suppress(OSError):
        quota = cpu_quota(_GROUPS, _MEMBERSHIP.read_text())
    return allowed if quota == math.inf else max(1, min(allowed, math.ceil(quota)))


def cpu_quota(groups: Path, membership: str) -> float:
    """Processors that control groups leave a process: the least of its own group and those above.

    Args:
        groups: Where the groups lie, such as ``/sys/fs/cgroup``.
        membership: In which group it is, as ``/proc/self/cgroup`` says.

    Returns:
        Above 0; infinity where nothing is said, as in groups of version 1.
    """
    least = math.inf
    for line in membership.splitlines():
        number, _, group = line.split(":", 2)
        if number != "0":
            continue
        path = PurePosixPath(group.lstrip("/"))
        for inner in (path, *path.parents):
            with suppress(OSError, ValueError):
                most, period = (groups / inner / "cpu.max").read_text().split()
                # The other word is "max".
                least = min(least, int(most) / int(period))
    return least
