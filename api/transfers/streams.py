"""Bodies whose pieces are made by code that waits or computes."""

from collections.abc import AsyncIterator, Iterable
from typing import Final

from anyio import CapacityLimiter, to_thread

WAITING: Final = CapacityLimiter(32)
"""For work that waits for a bucket. Beyond these, threads are left for everything else."""


async def in_threads(
    pieces: Iterable[bytes], limiter: CapacityLimiter | None = None
) -> AsyncIterator[bytes]:
    """The pieces, each made in a thread, so that nobody else waits for it."""
    made = iter(pieces)
    while (piece := await to_thread.run_sync(next, made, None, limiter=limiter)) is not None:
        yield piece
