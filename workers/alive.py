"""A sign of life for health checks: ``python -m workers.alive`` tells whether it is fresh.

Asking the worker itself would not do: one that trains answers when it is done.
"""

import sys
import threading
import time
from pathlib import Path
from typing import Final

from core.settings import settings

_EVERY_SECONDS: Final = 5.0
_FRESH_SECONDS: Final = 60.0


def begin(file: Path | None) -> None:
    """Touch ``file`` from now on, for as long as the process runs; nothing without one."""
    if file is not None:
        file.touch()
        threading.Thread(target=_touch, args=(file,), name="alive", daemon=True).start()


def _touch(file: Path) -> None:
    while True:
        time.sleep(_EVERY_SECONDS)
        file.touch()


def is_fresh(file: Path) -> bool:
    """Whether ``file`` was touched of late."""
    try:
        # Of the future, too, once the clock was set back: who lives touches it again at once.
        return abs(time.time() - file.stat().st_mtime) < _FRESH_SECONDS
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    given = settings().alive_file
    sys.exit(0 if given is not None and is_fresh(given) else 1)
