"""Reading several objects at once, in their order: most of the time of each is waiting."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from workers.imports.items import Fetched, Item, Refused

AT_ONCE: Final = 16
# Larger ones are read when it is their turn, so that memory stays bounded.
_MOST_BYTES: Final = 8 << 20
_T = TypeVar("_T")
_R = TypeVar("_R")


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


def read_ahead(items: Iterable[Item], threads: Executor) -> Iterator[Item]:
    """The same items, most of them read already."""
    for item, content in in_order(items, _content, threads):
        yield item if content is None else replace(item, read=partial(_same, content))


def _content(item: Item) -> bytes | Fetched | Refused | None:
    return item.read() if item.size <= _MOST_BYTES else None


def _same(content: bytes | Fetched | Refused) -> bytes | Fetched | Refused:
    return content
