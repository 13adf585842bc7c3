"""Waiting for what workers or people do."""

import time
from collections.abc import Callable
from typing import TypeVar

from karat.client.transport import KaratError

Seen = TypeVar("Seen")

_FIRST_PAUSE = 0.05


class TookTooLong(KaratError, TimeoutError):
    """What was waited for had not come in time; its ``code`` is ``timeout``.

    Also a ``TimeoutError``, which waiting for certificates raised alone.
    """


def waited(
    look: Callable[[], Seen],
    is_over: Callable[[Seen], bool],
    so_far: Callable[[Seen], str],
    *,
    timeout: float | None,
    interval: float,
) -> Seen:
    """Look until something is over.

    Args:
        look: Looks.
        is_over: Whether it is, by what was seen.
        so_far: What to say if it is not in time, by what was seen last.
        timeout: Seconds to wait at most; unlimited if None.
        interval: Seconds between looks, at most: the first ones are soon.

    Returns:
        What was seen last.

    Raises:
        TookTooLong: It is not over in time.
    """
    began = time.monotonic()
    pause = _FIRST_PAUSE
    while not is_over(seen := look()):
        if timeout is not None and time.monotonic() - began > timeout:
            raise TookTooLong("timeout", so_far(seen))
        time.sleep(min(pause, interval))
        pause *= 1.5
    return seen
