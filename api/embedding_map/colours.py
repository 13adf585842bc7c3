"""What each image of a map is coloured by: one column for a tile, in its order."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Integer,
    LargeBinary,
    Select,
    case,
    cast,
    func,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from api.embedding_map.schemas import Colour
from api.examples.scores import ScoreTable, scores_if_there
from api.maps.planes import DENSITY, POINTS, SIDE, is_single
from api.selections.service import path_of
from core.artifacts.pool_map import Int64Array, Plane
from core.artifacts.selections import LEFT_OUT, read_columns
from core.files.storage import Storage
from core.states import ExampleState, Split
from core.tables import Artifact, Example, Project, Query, Round
from core.tables.base import no_objects
from core.tasks.registry import lists_objects

NONE: Final = -1
STATES: Final = {
    ExampleState.UNLABELED: NONE,
    ExampleState.QUERIED: -2,
    ExampleState.OOD: -3,
    ExampleState.UNSURE: -4,
    ExampleState.HELD_OUT: -5,
    ExampleState.LABELED: 0,
}
"""Numbers of states; an image that has a class has its id instead, which is at least 1."""
NO_OBJECTS: Final = -6
"""Of a label of boxes that has none."""
_CATEGORIES, _VALUES = 0, 1

KEPT: Final = 1
DROPPED: Final = 0
"""Of rows that a job has chosen from."""

Column = NDArray[np.int32] | NDArray[np.float32]


OfCell = Callable[[Int64Array, Column], Column]


@dataclass(frozen=True)
class Known:
    """What is known of some images.

    Attributes:
        indices: (n,) int64 pool indices, ascending.
        values: (n,) of each.
    """

    indices: Int64Array
    values: Column


async def column(
    session: AsyncSession,
    storage: Storage,
    project: Project,
    shown: Plane,
    by: Colour,
    place: tuple[int, int, int],
) -> bytes:
    """The colours of one tile, little-endian, in the order of the tile itself.

    Four uint32: kind (0 images, 1 density), how many images, cells on a side, type (0 int32, 1
    float32). Then a value for each image or cell. Categories are ids of classes, numbers of
    rounds, or negative as ``STATES``, with -1 for nothing; of a cell, the most frequent of what is
    known. Other values are the score, NaN for none; of a cell, their mean.

    Args:
        session: Of the request.
        storage: Where scores are.
        project: Whose map.
        shown: The map.
        by: What to colour by.
        place: Level, column and row of the tile.
    """
    found = await to_thread.run_sync(shown.tile, *place)
    known = await _known(session, storage, project, by)
    return await to_thread.run_sync(_encoded, shown, found, known, place)


def selected(
    storage: Storage, chosen: Artifact, shown: Plane, place: tuple[int, int, int]
) -> bytes:
    """The colours of one tile by a selection: ``KEPT``, ``DROPPED``, or ``NONE``. Blocks.

    Laid out as ``column`` says; but a cell is kept as soon as one of its rows is, as few are.

    Args:
        storage: Where the selection is.
        chosen: The selection.
        shown: The map.
        place: Level, column and row of the tile.
    """
    known = _chosen(path_of(storage, chosen), chosen.sha256)
    return _encoded(shown, shown.tile(*place), [known], place, of_cell=_largest)


@lru_cache(maxsize=2)
def _chosen(path: Path, sha256: str) -> Known:
    """What a selection says of each row; kept, as a page asks for many tiles."""
    del sha256
    columns = read_columns(path, "pool_index", "kept", "reason")
    order = np.argsort(columns["pool_index"], kind="stable")
    order = order[~np.isin(columns["reason"], LEFT_OUT)[order]]
    values = np.where(columns["kept"], KEPT, DROPPED).astype(np.int32)
    return Known(columns["pool_index"][order].astype(np.int64), values[order])


async def _known(
    session: AsyncSession, storage: Storage, project: Project, by: Colour
) -> list[Known]:
    """What is known, the surest last."""
    if by == "state":
        return [await _read(session, _states(project))]
    if by == "round":
        return [await _read(session, _rounds(project.id))]
    table = await scores_if_there(session, project, storage)
    if by == "predicted":
        asked = await _read(session, _predicted(project.id))
        return [asked] if table is None else [asked, _predictions(table)]
    if table is None:
        return [Known(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))]
    return [Known(table.pool_index.astype(np.int64), table.columns[by])]


def _predictions(table: ScoreTable) -> Known:
    classes = np.array([*table.class_ids, NONE], dtype=np.int32)
    return Known(table.pool_index.astype(np.int64), classes[table.predicted])


def _states(project: Project) -> Select[*tuple[Any, ...]]:
    numbers = case({state.value: number for state, number in STATES.items()}, value=Example.state)
    value: ColumnElement[int] = func.coalesce(Example.label_class_id, numbers)
    if lists_objects(project.task):
        value = case((no_objects(Example.label), NO_OBJECTS), else_=value)
    return select(Example.pool_index, value.label("value")).where(
        Example.project_id == project.id,
        Example.split == Split.POOL,
        Example.state != ExampleState.UNLABELED,
    )


def _rounds(project_id: int) -> Select[*tuple[Any, ...]]:
    return (
        select(Example.pool_index, func.max(Round.number).label("value"))
        .join(Query, Query.example_id == Example.id)
        .join(Round, Round.id == Query.round_id)
        .where(Query.project_id == project_id)
        .group_by(Example.pool_index)
    )


def _predicted(project_id: int) -> Select[*tuple[Any, ...]]:
    return (
        select(Example.pool_index, Query.predicted_class_id.label("value"))
        .ext(distinct_on(Example.pool_index))
        .join(Query, Query.example_id == Example.id)
        .where(Query.project_id == project_id, Query.predicted_class_id.is_not(None))
        .order_by(Example.pool_index, Query.id.desc())
    )


async def _read(session: AsyncSession, pairs: Select[*tuple[Any, ...]]) -> Known:
    """Pairs of a pool index and a value, as bytes: a row for each of a million would be seconds."""
    found = pairs.subquery()

    def sent(value: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.int4send(cast(value, Integer))

    both = sent(found.c.pool_index).op("||")(sent(found.c.value))
    joined = select(func.string_agg(cast(both, LargeBinary), literal(b"", LargeBinary)))
    content = await session.scalar(joined)
    table = np.frombuffer(content or b"", dtype=">i4").reshape(-1, 2)
    order = np.argsort(table[:, 0], kind="stable")
    return Known(table[order, 0].astype(np.int64), table[order, 1].astype(np.int32))


def _encoded(
    shown: Plane,
    found: Int64Array,
    known: list[Known],
    place: tuple[int, int, int],
    of_cell: OfCell | None = None,
) -> bytes:
    values = _of(shown.indices[found], known)
    is_score = values.dtype == np.float32
    of_cell = of_cell or (_mean if is_score else _most_frequent)
    kind, side = POINTS, 0
    if not is_single(len(found), place[0]):
        kind, side = DENSITY, SIDE
        bins = shown.bins_of(found, *place, SIDE)
        values = of_cell(bins, values)
    head = np.array(
        [kind, len(found), side, _VALUES if is_score else _CATEGORIES], dtype="<u4"
    ).tobytes()
    return bytes(head + values.astype("<f4" if is_score else "<i4").tobytes())


def _of(indices: Int64Array, known: list[Known]) -> Column:
    """What is known of (n,) images."""
    is_score = known[0].values.dtype == np.float32
    values: Any = np.full(len(indices), np.nan if is_score else NONE, dtype=known[0].values.dtype)
    for one in known:
        if len(one.indices) == 0:
            continue
        at = np.searchsorted(one.indices, indices).clip(max=len(one.indices) - 1)
        has = one.indices[at] == indices
        values[has] = one.values[at[has]]
    found: Column = values
    return found


def _mean(bins: Int64Array, values: Column) -> Column:
    has = np.isfinite(values)
    counts = np.bincount(bins[has], minlength=SIDE * SIDE)
    total = np.bincount(bins[has], weights=values[has], minlength=SIDE * SIDE)
    mean = np.full(SIDE * SIDE, np.nan, dtype=np.float32)
    mean[counts > 0] = (total[counts > 0] / counts[counts > 0]).astype(np.float32)
    return mean


def _largest(bins: Int64Array, values: Column) -> Column:
    chosen = np.full(SIDE * SIDE, NONE, dtype=np.int32)
    np.maximum.at(chosen, bins, values)
    return chosen


def _most_frequent(bins: Int64Array, values: Column) -> Column:
    chosen = np.full(SIDE * SIDE, NONE, dtype=np.int32)
    most = np.zeros(SIDE * SIDE, dtype=np.int64)
    for one in np.unique(values[values != NONE]):
        counts = np.bincount(bins[values == one], minlength=SIDE * SIDE)
        chosen[counts > most] = one
        most = np.maximum(most, counts)
    return chosen
