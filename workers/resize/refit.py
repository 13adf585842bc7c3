"""From originals to the rows of a pixel store, as the import makes them."""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy import func, select

from core.errors import Conflict
from core.files.buckets import Buckets
from core.media.originals import ORIGINAL, Original, Originals
from core.tables import Example
from models.frame import Frame
from models.media.images.store import Pixels
from workers.imports.media.decode import Decoded, decode_all
from workers.jobs.context import JobContext

BATCH: Final = 256
_MOST_BYTES: Final = 32 << 20
_LOST: Final = frozenset({"image_gone", "image_changed", "location_not_allowed"})
_MOST_NAMED: Final = 5
_THREADS: Final = 4
_READERS: Final = 16


@dataclass(frozen=True, slots=True)
class Row:
    """An image of the pool: its row in the pixel store, its name, and where its bytes are.

    One that was withdrawn has no original, and is black.
    """

    pool_index: int
    name: str
    bytes: int
    original: Original | None


class Refit:
    """Reads the originals of one project."""

    def __init__(self, context: JobContext) -> None:
        """Look nowhere yet."""
        self._context = context
        self._originals = Originals(context.storage, Buckets(context.settings))
        # Decoding takes cores, reading mostly waits.
        self._decoders = ThreadPoolExecutor(_THREADS)
        self._readers = ThreadPoolExecutor(_READERS)

    def close(self) -> None:
        """End the threads."""
        self._decoders.shutdown(cancel_futures=True)
        self._readers.shutdown(cancel_futures=True)

    def count(self) -> int:
        """How many images the project has now."""
        statement = select(func.count()).where(Example.project_id == self._context.project_id)
        with self._context.sessions() as session:
            return session.scalar(statement) or 0

    def rows(self, start: int, most: int | None = None) -> list[Row]:
        """The images from a pool index on, in its order; at most a batch, of 32 MiB or one."""
        statement = (
            select(Example.pool_index, Example.name, Example.bytes, Example.split, *ORIGINAL)
            .where(Example.project_id == self._context.project_id, Example.pool_index >= start)
            .order_by(Example.pool_index)
            .limit(most or BATCH)
        )
        with self._context.sessions() as session:
            found = session.execute(statement).all()
        rows: list[Row] = []
        held = 0
        for one in found:
            held += one.bytes
            if rows and held > _MOST_BYTES:
                break
            original = None if one.split is None else Original.of(one)
            rows.append(Row(one.pool_index, one.name, one.bytes, original))
        return rows

    def batches(self, start: int) -> Iterator[list[Row]]:
        """All images from a pool index on."""
        while rows := self.rows(start):
            yield rows
            start = rows[-1].pool_index + 1

    def lost(self, rows: Sequence[Row]) -> list[Row]:
        """Those of ``rows`` whose original is not there any more, or is another one.

        Raises:
            DomainError: A place cannot be looked at now.
        """
        gone = self._readers.map(self._is_lost, rows)
        return [row for row, is_ in zip(rows, gone, strict=True) if is_]

    def _is_lost(self, row: Row) -> bool:
        if row.original is None:
            return False
        try:
            self._originals.find(row.original)
        except Conflict as error:
            if error.code not in _LOST:
                raise
            return True
        return False

    def pixels(self, rows: Sequence[Row], frame: Frame) -> list[Pixels]:
        """Make (S, S, 3) uint8 of each of n images.

        Raises:
            Conflict: ``originals_gone``, or ``original_unreadable``.
            DomainError: A place cannot be read now.
        """
        black = np.zeros((frame.side, frame.side, 3), dtype=np.uint8)
        kept = [(row, row.original) for row in rows if row.original is not None]
        contents = list(self._readers.map(self._read, [original for _, original in kept]))
        gone = [row for (row, _), content in zip(kept, contents, strict=True) if content is None]
        if gone:
            raise originals_gone(gone, len(gone))
        decoded = decode_all(
            [content for content in contents if content is not None],
            self._decoders,
            # The limit may have been higher when they were imported.
            max_pixels=sys.maxsize,
            frame=frame,
        )
        made = {}
        for (row, _), one in zip(kept, decoded, strict=True):
            if not isinstance(one, Decoded):
                raise Conflict(
                    "original_unreadable",
                    f"The original of {row.name} cannot be read any more: {one.reason}. Restore "
                    "it from a backup, then retry the job. Nothing was changed.",
                )
            made[row.pool_index] = one.pixels
        return [made.get(row.pool_index, black) for row in rows]

    def _read(self, original: Original) -> bytes | None:
        try:
            return self._originals.read(original)
        except Conflict as error:
            if error.code not in _LOST:
                raise
            return None


@dataclass(frozen=True, slots=True)
class Lost:
    """Images whose originals are not there any more: how many, and the first few of them."""

    count: int
    some: Sequence[Row]


def lost_originals(context: JobContext, progress: Any, first: int = 0) -> Lost:
    """Look for the originals of a pool, from the image with pool index ``first`` on.

    Args:
        context: Of the job.
        progress: Is told how many were looked at, and of how many.
        first: Pool index of the first image whose original is needed.

    Raises:
        DomainError: A place cannot be looked at now.
    """
    some: list[Row] = []
    count = 0
    with closing(Refit(context)) as refit:
        total = refit.count()
        seen = first
        for rows in refit.batches(first):
            lost = refit.lost(rows)
            some = [*some, *lost][:_MOST_NAMED]
            count += len(lost)
            seen += len(rows)
            progress(seen, total)
    return Lost(count, some)


def require_originals(context: JobContext, progress: Any) -> None:
    """Refuse a pool of which originals are lost.

    Args:
        context: Of the job.
        progress: As for ``lost_originals``.

    Raises:
        Conflict: ``originals_gone``, with the names of some.
        DomainError: A place cannot be looked at now.
    """
    lost = lost_originals(context, progress)
    if lost.count:
        raise originals_gone(lost.some, lost.count)


def originals_gone(some: Sequence[Row], count: int) -> Conflict:
    """Originals that are lost.

    Args:
        some: A few of them, to be named.
        count: How many they are.
    """
    names = ", ".join(row.name for row in some[:_MOST_NAMED])
    return Conflict(
        "originals_gone",
        f"Of {count} images the original is not there any more, or another one: {names}. Restore "
        "these from a backup, or import the same images again; then retry the job. Nothing was "
        "changed.",
    )
