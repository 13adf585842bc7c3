"""One gate for all decoding of a process: how many pixels may be in memory at once."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final

_PIXELS: Final = 32_000_000


class Gate:
    """Lets work pass in the order of its arrival, as long as its pixels fit together.

    What alone is larger than all that fits passes when nothing else is inside.

    Args:
        pixels: How many fit.
    """

    def __init__(self, pixels: int) -> None:
        """Nothing is inside."""
        self._all = self._free = pixels
        self._waiting: deque[object] = deque()
        self._changed = Condition()

    @contextmanager
    def hold(self, pixels: int) -> Iterator[None]:
        """Wait for room for ``pixels``, and take it until the block ends."""
        wanted = min(pixels, self._all)
        with self._changed:
            if self._waiting or self._free < wanted:
                self._wait(wanted)
            self._free -= wanted
        try:
            yield
        finally:
            with self._changed:
                self._free += wanted
                if self._waiting:
                    self._changed.notify_all()

    def _wait(self, wanted: int) -> None:
        ticket = object()
        self._waiting.append(ticket)
        try:
            self._changed.wait_for(lambda: self._waiting[0] is ticket and self._free >= wanted)
        finally:
            self._waiting.remove(ticket)
            self._changed.notify_all()


decoding: Final = Gate(_PIXELS)
"""Held by whoever has decoded pixels in memory: at 4 to 12 bytes each, some 300 MB altogether.
Of HEIC 6 to 21 bytes more are in the memory of its decoders.

A JPEG of several scans is in memory at full size, at up to 6 bytes a pixel, however small it is
decoded: it holds as much. See ``core.media.images.scans``.
"""
