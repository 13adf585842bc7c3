"""Reading objects before they are asked for: most of the time of each is waiting."""

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Final

from core.files.prefetch import in_order
from workers.imports.items import Fetched, Item, Refused

# Larger ones are read when it is their turn, so that memory stays bounded.
_MOST_BYTES: Final = 8 << 20


def read_ahead(items: Iterable[Item], threads: Executor) -> Iterator[Item]:
    """The same items, most of them read already."""
    for item, content in in_order(items, _content, threads):
        yield item if content is None else replace(item, read=partial(_same, content))


def _content(item: Item) -> bytes | Fetched | Refused | None:
    return item.read() if item.size <= _MOST_BYTES else None


def _same(content: bytes | Fetched | Refused) -> bytes | Fetched | Refused:
    return content
