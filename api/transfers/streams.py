"""Bodies whose pieces are made by code that waits or computes."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final, TypeVar

from anyio import CapacityLimiter, to_thread

from core.files.csv_escape import BOM, plain_row

Piece = TypeVar("Piece")
WAITING: Final = CapacityLimiter(32)
"""For work that waits for a bucket. Beyond these, threads are left for everything else."""


async def in_threads(
    pieces: Iterable[Piece], limiter: CapacityLimiter | None = None
) -> AsyncIterator[Piece]:
    """The pieces, each made in a thread, so that nobody else waits for it."""
    made = iter(pieces)
    while (piece := await to_thread.run_sync(next, made, None, limiter=limiter)) is not None:
        yield piece


async def csv_of(
    columns: Sequence[str], blocks: AsyncIterator[Iterable[Iterable[Any]]], *, bom: bool = False
) -> AsyncIterator[str]:
    """A CSV of blocks of rows, in which no cell is a formula; the header comes with the first.

    Args:
        columns: The header.
        blocks: Values in the order of ``columns``.
        bom: Whether it begins so that Excel takes it for UTF-8.
    """
    text = io.StringIO()
    text.write(BOM if bom else "")
    writer = csv.writer(text)
    writer.writerow(columns)
    async for block in blocks:
        writer.writerows(map(plain_row, block))
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()
