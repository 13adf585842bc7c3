"""What changed between two snapshots."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.schemas.pictures import image_url
from api.snapshots.schemas import (
    RenamedClass,
    SnapshotChange,
    SnapshotDiff,
    SnapshotFlow,
    SnapshotSide,
)
from core.artifacts.pool_snapshots import (
    CHANGES,
    NO_OBJECTS,
    Change,
    Differences,
    Int64Array,
    columns_at,
)
from core.database.among import among
from core.states import Verdict
from core.tables import Example, PoolSnapshot

_FLOWS: Final = 100
# Pairs of files that are still compared when the next page is asked for: 32 bytes a difference.
_KEPT: Final = 2
_COLUMNS: Final = ("example_id", "pool_index", "verdict", "class", "class_id", "origin")


class _Outcome(NamedTuple):
    """What an example counts as: its verdict, and its class if it is one, or boxes without any."""

    verdict: Verdict | None
    class_id: int | None
    no_objects: bool


@dataclass(frozen=True)
class Comparison:
    """All that differs between two files.

    Attributes:
        differences: Where.
        changes: How many examples there are of each change.
        unchanged: How many count as the same by the same word.
        flows: Outcomes before and after, and how many examples, the most frequent first.
    """

    differences: Differences
    changes: Mapping[Change, int]
    unchanged: int
    flows: list[tuple[_Outcome, _Outcome, int]]


@dataclass(frozen=True)
class Page:
    """Some examples that differ.

    Attributes:
        rows: Of each example its change, and its rows in both files, None where it is not there.
        next_cursor: Pool index of the next; None after the last.
        whole: What they are a part of.
    """

    rows: list[tuple[Change, dict[str, Any] | None, dict[str, Any] | None]]
    next_cursor: int | None
    whole: Comparison


def compared(one: Path, other: Path, change: Change | None, cursor: int, limit: int) -> Page:
    """Compare two files. Blocks.

    Args:
        one: The snapshot that changes are counted from.
        other: That they lead to.
        change: Which are wanted; all if None.
        cursor: The lowest pool index.
        limit: How many.

    Raises:
        FileNotFoundError: One of them is not there.
    """
    whole = _whole(one, other)
    found = whole.differences
    wanted = found.pool_index >= cursor
    if change is not None:
        wanted &= found.change == CHANGES.index(change)
    places = np.flatnonzero(wanted)
    page, after = places[:limit], found.pool_index[places[limit : limit + 1]].tolist()
    rows = zip(
        (CHANGES[at] for at in found.change[page].tolist()),
        _rows(one, found.before[page]),
        _rows(other, found.after[page]),
        strict=True,
    )
    return Page(list(rows), after[0] if after else None, whole)


@lru_cache(maxsize=_KEPT)
def _whole(one: Path, other: Path) -> Comparison:
    """Compare two files, which never change."""
    found = Differences(one, other)
    counts = np.bincount(found.change, minlength=len(CHANGES)).tolist()
    changes = dict(zip(CHANGES, counts, strict=True))
    with pq.ParquetFile(one) as file:
        total = file.metadata.num_rows
    unchanged = total - changes[Change.GONE] - changes[Change.LABEL] - changes[Change.ORIGIN]
    return Comparison(found, changes, unchanged, _flows(one, other, found))


def _rows(path: Path, places: Int64Array) -> Iterator[dict[str, Any] | None]:
    """Rows at places, of which those are -1 that are not in the file."""
    there = iter(columns_at(path, places[places >= 0], *_COLUMNS).to_pylist())
    return (next(there) if place >= 0 else None for place in places.tolist())


def _flows(one: Path, other: Path, found: Differences) -> list[tuple[_Outcome, _Outcome, int]]:
    """Count in columns: rows as objects would take seconds, in which nobody is answered."""
    relabeled = found.change == CHANGES.index(Change.LABEL)
    columns = []
    for path, places in ((one, found.before), (other, found.after)):
        side = columns_at(path, places[relabeled], "verdict", "class", "class_id")
        nothing = pc.and_(pc.is_null(side["class_id"]), pc.equal(side["class"], NO_OBJECTS))
        columns += [side["verdict"].cast(pa.string()), side["class_id"], nothing.fill_null(False)]
    names = [f"{name}{of}" for of in ("", "_after") for name in ("verdict", "class_id", "nothing")]
    pairs = pa.table(columns, names=names).group_by(names, use_threads=False)
    counted = pairs.aggregate([([], "count_all")])
    # A stable order, that the same two files give every time.
    order = pc.sort_indices(counted, sort_keys=[("count_all", "descending")])[:_FLOWS]
    return [
        (
            _outcome(row, ""),
            _outcome(row, "_after"),
            row["count_all"],
        )
        for row in counted.take(order).to_pylist()
    ]


def _outcome(row: Mapping[str, Any], of: str) -> _Outcome:
    return _Outcome(_verdict(row[f"verdict{of}"]), row[f"class_id{of}"], row[f"nothing{of}"])


async def described(
    session: AsyncSession, one: PoolSnapshot, other: PoolSnapshot, page: Page
) -> SnapshotDiff:
    """Tell of differences by names."""
    before, after = (
        {item["id"]: item["name"] for item in snapshot.classes} for snapshot in (one, other)
    )
    ids = [_id(first or second) for _, first, second in page.rows]
    statement = select(Example.id, Example.name, Example.width).where(among(Example.id, ids))
    known = {row.id: row for row in await session.execute(statement)}
    whole = page.whole
    return SnapshotDiff(
        one=one.name,
        other=other.name,
        same=one.digest == other.digest,
        unchanged=whole.unchanged,
        added=whole.changes[Change.ADDED],
        gone=whole.changes[Change.GONE],
        relabeled=whole.changes[Change.LABEL],
        other_origin=whole.changes[Change.ORIGIN],
        flows=[
            SnapshotFlow(
                before_verdict=first.verdict,
                before_class=_name(first, before),
                before_no_objects=first.no_objects,
                after_verdict=second.verdict,
                after_class=_name(second, after),
                after_no_objects=second.no_objects,
                examples=count,
            )
            for first, second, count in whole.flows
        ],
        renamed=[
            RenamedClass(id=id_, before=name, after=after[id_])
            for id_, name in before.items()
            if after.get(id_, name) != name
        ],
        items=[
            SnapshotChange(
                example_id=id_,
                pool_index=(first or second or {})["pool_index"],
                name=known[id_].name,
                image_url=image_url(id_, is_text=known[id_].width is None),
                change=change,
                before=_side(first),
                after=_side(second),
            )
            for id_, (change, first, second) in zip(ids, page.rows, strict=True)
            if id_ in known
        ],
        next_cursor=page.next_cursor,
    )


def _id(row: dict[str, Any] | None) -> int:
    assert row is not None
    found: int = row["example_id"]
    return found


def _verdict(word: str | None) -> Verdict | None:
    """Of the word that files have for it."""
    return None if word is None else Verdict(word)


def _name(outcome: _Outcome, classes: Mapping[int, str]) -> str | None:
    return None if outcome.class_id is None else classes.get(outcome.class_id)


def _side(row: dict[str, Any] | None) -> SnapshotSide | None:
    if row is None:
        return None
    is_one = row["class_id"] is not None
    return SnapshotSide(
        verdict=_verdict(row["verdict"]),
        class_name=row["class"] if is_one else None,
        no_objects=not is_one and row["class"] == NO_OBJECTS,
        origin=row["origin"],
    )
