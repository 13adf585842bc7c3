"""The logs of Karat's processes, which may run for years."""

import contextlib
import os
import shutil
from pathlib import Path

_LARGEST = 10_000_000


def keep_small(log: Path) -> None:
    """Set aside what a log says once that is much; who writes at its end goes on with an empty one.

    What is written at that moment may be lost.
    """
    # On a full disk it stays as it is.
    with contextlib.suppress(OSError):
        if log.stat().st_size > _LARGEST:
            shutil.copy(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)
