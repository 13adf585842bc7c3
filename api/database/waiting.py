"""Waiting for a database only so long."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


async def within(seconds: float, work: Coroutine[Any, Any, _T]) -> _T:
    """What ``work`` returns, unless that takes longer: it is then left to end by itself.

    To end a statement the driver waits for the server, which is what hangs.

    Raises:
        TimeoutError: It takes longer.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _leave(task)
        raise
    if not done:
        _leave(task)
        raise TimeoutError
    return task.result()


def _leave(task: "asyncio.Future[Any]") -> None:
    task.add_done_callback(lambda one: one.cancelled() or one.exception())
    task.cancel()
