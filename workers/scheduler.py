"""The scheduler of what comes up every few seconds."""

from typing import Any, Final

from celery.beat import Scheduler

from core.jobs import queue

_MOST_WAITING: Final = 100


class Ticks(Scheduler):  # type: ignore[misc]
    """Sends what is due, unless its queue is long: one that waits is as good as the next one.

    No message ends by a date: where the clocks of two hosts differ, a worker would throw each away
    unread.
    """

    def apply_async(
        self, entry: Any, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Send the message of ``entry``, unless so many wait."""
        if queue.waiting(entry.options["queue"]) >= _MOST_WAITING:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **options)
