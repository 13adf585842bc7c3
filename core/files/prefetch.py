"""Work that mostly waits: several at once, in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

AT_ONCE: Final = 16
_T = TypeVar("_T")
_R = TypeVar("_R")


@contextmanager
def readers() -> Iterator[Executor]:
    """Threads for ``in_order``; whoever leaves does not wait for what is still under way."""
    threads = ThreadPoolExecutor(AT_ONCE)
    try:
        yield threads
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def in_order(
    values: Iterable[_T], work: Callable[[_T], _R], threads: Executor
) -> Iterator[tuple[_T, _R]]:
    """``work`` of each value, begun up to ``AT_ONCE`` values before it is asked for."""
    waiting: deque[tuple[_T, Future[_R]]] = deque()
    try:
        for value in values:
            waiting.append((value, threads.submit(work, value)))
            if len(waiting) >= AT_ONCE:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        for _, future in waiting:
            future.cancel()
