"""The scheduler of what comes up every few seconds."""

import time
from typing import Any, Final

from celery.beat import Scheduler

from core.jobs import queue
from core.settings import settings
from workers.due import nothing_to_do
from workers.jobs.context import sessions

_MOST_WAITING: Final = 100
_WITHOUT_A_LOOK: Final = 6
"""In so many times that a message is due it is sent once, whether there is anything to do or not.
"""


class Ticks(Scheduler):  # type: ignore[misc]
    """Sends what is due if there is anything to do, and unless its queue is long.

    One that waits is as good as the next one. No message ends by a date: where the clocks of two
    hosts differ, a worker would throw each away unread.
    """

    _idle: frozenset[str] = frozenset()
    _looked: float | None = None

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send the message of ``entry``, unless nobody needs it."""
        if entry.total_run_count % _WITHOUT_A_LOOK and entry.task in self._nothing_to_do():
            return
        super().apply_entry(entry, producer=producer)

    def apply_async(
        self, entry: Any, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Send the message of ``entry``, unless so many wait."""
        if queue.waiting(entry.options["queue"]) >= _MOST_WAITING:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **options)

    def _nothing_to_do(self) -> frozenset[str]:
        """Tasks that have nothing to do: one look for all that are due at a time."""
        now = time.monotonic()
        if self._looked is None or now - self._looked > settings().sweep_seconds / 2:
            self._idle = nothing_to_do(sessions())
            self._looked = now
        return self._idle
