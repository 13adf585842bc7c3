"""Whole texts for what leaves, some megabytes at a time: one may be as long as a book."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from core.database.among import among
from core.tables import ExampleText

TEXT: Final = "text"
"""Column that holds texts."""
_AT_ONCE: Final = 4 << 20
_Row = TypeVar("_Row")


def within_memory(
    rows: Iterable[_Row], size: Callable[[_Row], int], most: int | None = None
) -> Iterator[list[_Row]]:
    """``rows`` in their order, in pieces of some megabytes.

    Args:
        rows: All of them.
        size: Bytes of the text of a row.
        most: Bytes of a piece, unless it is one row; 4 MiB if None.
    """
    most = most or _AT_ONCE
    piece: list[_Row] = []
    held = 0
    for row in rows:
        if piece and held + size(row) > most:
            yield piece
            piece, held = [], 0
        piece.append(row)
        held += size(row)
    if piece:
        yield piece


async def contents(
    sessions: async_sessionmaker[AsyncSession], example_ids: Sequence[int]
) -> Mapping[int, str]:
    """The texts of examples, by their ids."""
    statement = select(ExampleText.example_id, ExampleText.content)
    async with sessions() as session:
        found = await session.execute(
            statement.where(among(ExampleText.example_id, list(example_ids)))
        )
        return dict(found.all())


async def with_texts(
    sessions: async_sessionmaker[AsyncSession], rows: Sequence[tuple[dict[str, Any], int]]
) -> AsyncIterator[list[dict[str, Any]]]:
    """Rows about texts, each with all of its text in the column ``TEXT``.

    Args:
        sessions: Makes a session for each piece.
        rows: Rows with an ``example_id``, and how many bytes the text of each has.
    """
    for some in within_memory(rows, lambda row: row[1]):
        found = await contents(sessions, [row["example_id"] for row, _ in some])
        yield [{**row, TEXT: found.get(row["example_id"])} for row, _ in some]
