"""Finding examples in pieces of bounded size, so that no request looks at a whole large pool.

Conditions that only the database knows (who said what) and those that only files know, of scores
and of subsets, meet in the pool index. Where no file is asked the pieces are ranges of it; else
they are the examples that the files name, in the order that is asked for.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Select,
    func,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import JSONPATH
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from api.examples.rankings import Ranking, unsaid
from api.examples.schemas import EVERY_SPLIT, Filters, Objects, Sort
from api.examples.scores import Positions, ScoreTable, scored_by
from api.examples.words import Words
from core.database.among import among
from core.errors import Conflict
from core.field_conditions import field_paths, parse_condition
from core.names import composed
from core.states import ExampleState, Source, Split, Verdict
from core.tables import COMPOSED_NAME, Annotation, Example, Project
from core.tables.base import no_objects
from core.tasks.registry import task_type
from core.verdicts.class_names import names_class
from core.verdicts.consensus import by_model, holds
from core.withdrawals import is_kept

_SECONDS: Final = 0.4
"""How long one request goes on looking; the next one goes on from there."""
_LARGEST_RANGE: Final = 1 << 17
_LARGEST_SAMPLE: Final = 1 << 14
_SMALLEST_PART: Final = 1 << 14
_MOST_PARTS: Final = 64
_PAGE: Final = 4000
_ANSWERED: Final = (ExampleState.LABELED, ExampleState.OOD, ExampleState.UNSURE)


@dataclass(frozen=True, slots=True)
class Found:
    """Rows in order; where to go on, None at the end; the share of the pool looked at, 0..1."""

    rows: list[Any]
    next_cursor: int | None
    searched: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the pool: a condition, how it ends, and the place of each example in the order."""

    condition: ColumnElement[bool]
    end: int
    order: np.ndarray[Any, Any] | None = None


def conditions(project: Project, filters: Filters) -> list[ColumnElement[bool]]:
    """What the database knows of the filters."""
    found: list[ColumnElement[bool]] = [Example.project_id == project.id]
    every = filters.split == EVERY_SPLIT
    found.append(is_kept() if every else Example.split == filters.split)
    if filters.state is not None:
        found += _counts_as(Example.state, ExampleState.LABELED, Example.label, filters.state)
    if filters.import_id is not None:
        found.append(Example.import_id == filters.import_id)
    if filters.class_id is not None:
        is_one = task_type(project.task).names_one_class
        found.append(
            Example.label_class_id == filters.class_id
            if is_one
            else names_class(Example.label, filters.class_id)
        )
    if filters.duplicate_of is not None:
        of = select(Example.duplicates_of).where(Example.id == filters.duplicate_of)
        found.append(Example.duplicates_of == of.scalar_subquery())
    if filters.name is not None:
        wanted = composed(filters.name)
        found.append(COMPOSED_NAME.icontains(wanted, autoescape=True))
    for path, is_there in field_paths([parse_condition(one) for one in filters.fields or ()]):
        # No text that is cast, which would be for each row again.
        there = Example.meta.path_exists(literal(path, JSONPATH))
        found.append(there if is_there else ~there)
    vote = [
        getattr(Annotation, name) == value
        for name in ("annotator_id", "source")
        if (value := getattr(filters, name)) not in (None, "people")
    ]
    if filters.verdict is not None:
        vote += _counts_as(Annotation.verdict, Verdict.LABEL, Annotation.label, filters.verdict)
    if filters.source == "people":
        vote.append(Annotation.source != Source.MODEL)
        if filters.verdict is None:
            vote.append(Annotation.verdict != Verdict.SKIP)
    elif filters.source == Source.MODEL:
        # It counts where no person has said anything.
        found.append(by_model(Example.id))
        vote.append(Annotation.verdict != Verdict.SKIP)
    if filters.note:
        vote.append(Annotation.note.is_not(None))
    elif filters.note is False:
        noted = select(Annotation.id).where(Annotation.example_id == Example.id)
        found.append(~noted.where(Annotation.note.is_not(None), holds()).exists())
    if vote:
        found.append(
            select(Annotation.id)
            .where(Annotation.example_id == Example.id, holds(), *vote)
            .exists()
        )
    if filters.disagreement is not None:
        # Whatever has an opinion has one of these states, by which most of a pool is passed over.
        found += [Example.state.in_(_ANSWERED), Example.disputed == filters.disagreement]
    return found


def _counts_as(
    column: InstrumentedAttribute[Any], labeled: StrEnum, label: Any, wanted: StrEnum | Objects
) -> list[ColumnElement[bool]]:
    """Conditions: it is a state or verdict, or ``labeled`` by boxes, by whether there are any."""
    if isinstance(wanted, StrEnum):
        return [column == wanted]
    nothing = no_objects(label)
    return [column == labeled, nothing if wanted == "no_objects" else ~nothing]


class Search:
    """Examples of a project that match."""

    def __init__(
        self,
        session: AsyncSession,
        project: Project,
        filters: Filters,
        table: ScoreTable | None,
        sort: Sort = "pool_index",
        members: Positions | None = None,
        similarity: Ranking | None = None,
        isolation: Ranking | None = None,
        words: Words | None = None,
    ) -> None:
        """Look up nothing yet.

        Args:
            session: In the transaction of the request.
            project: Whose examples.
            filters: What they have to be.
            table: Scores of the project, if there are any.
            sort: Their order; by a score only those come that have it.
            members: (M,) pool indices, ascending, of what the filters ask of subsets; None if
                they ask nothing.
            similarity: To what the filters name; None if they name nothing.
            isolation: Of the images, if they are to be ordered by it.
            words: That are searched for in them, if any are.

        Raises:
            Conflict: Scores are asked for, and there are none.
            Invalid: An order by similarity is asked for, to nothing.
        """
        self._session, self._project, self._filters = session, project, filters
        self._table, self._sort, self._members = table, sort, members
        asked = [
            name
            for name in Filters.model_fields
            if name not in {"round", "split"} and getattr(filters, name) is not None
        ]
        scored = scored_by(filters, sort)
        by = sort.removeprefix("-")
        if by == "similarity" and similarity is None:
            raise unsaid("sort")
        self._similarity = similarity
        self._order = {"similarity": similarity, "isolation": isolation}.get(by)
        self._with_words = None if words is None else words.pool_indices
        self._by_score = bool(scored)
        self._by_file = self._by_score or any(
            one is not None for one in (members, similarity, self._order, self._with_words)
        )
        if self._by_score and table is None:
            raise Conflict(
                "no_scores",
                "No model has scored this pool yet: the first scores come when round 0 is closed. "
                "Until then leave out filters and orders by score or prediction.",
                field=scored[0],
            )
        if (self._by_score or members is not None) and filters.split is Split.POOL:
            # Only images of the pool are scored, and subsets are of those alone.
            filters = filters.model_copy(update={"split": EVERY_SPLIT})
        self._every = filters.split == EVERY_SPLIT
        self._conditions = conditions(project, filters)
        if words is not None and words.pool_indices is None:
            self._conditions.append(words.condition)
        # An index gives these in order, however few they are.
        by_state = filters.split != EVERY_SPLIT and filters.state != "objects"
        self._indexed = asked == (["state"] if by_state else [])

    async def page(
        self, columns: Select[*tuple[Any, ...]], cursor: int | None, limit: int
    ) -> Found:
        """The first ``limit`` rows after ``cursor``, or fewer when looking takes too long.

        Args:
            columns: What to read of examples, the pool index as ``pool_index`` among it.
            cursor: ``next_cursor`` of the page before.
            limit: How many.
        """
        started, rows = time.monotonic(), list[Any]()
        start, end = await self._bounds(cursor)
        first = max(limit * 4, 256)
        for piece in await self._pieces(start, end, first):
            statement = columns.where(*self._conditions, piece.condition)
            if piece.order is None:
                ordered = statement.order_by(Example.pool_index).limit(limit - len(rows))
                rows += (await self._session.execute(ordered)).all()
                last = rows[-1].pool_index + 1 if rows else 0
            else:
                found = {row.pool_index: row for row in await self._session.execute(statement)}
                for place, pool_index in enumerate(piece.order.tolist()):
                    if pool_index in found and len(rows) < limit:
                        rows.append(found[pool_index])
                        last = piece.end - len(piece.order) + place + 1
            if len(rows) >= limit:
                return Found(rows, last if last < end else None, last / end)
            if time.monotonic() - started > _SECONDS and piece.end < end:
                return Found(rows, piece.end, piece.end / end)
        return Found(rows, None, 1.0)

    async def count(self) -> tuple[int, bool]:
        """How many match, and whether that is exact or what a part of the pool suggests."""
        # Rows of features stay where something was withdrawn; those of tables go.
        is_told = self._every and len(self._conditions) == 2 and self._similarity is None
        if is_told and self._by_file:
            return len(await self._candidates()), True
        statement = select(func.count()).select_from(Example)
        if self._indexed or self._filters == Filters(split=self._filters.split):
            return await self._session.scalar(statement.where(*self._conditions)) or 0, True
        total, counted = 0, (0, True)
        async for pieces, share in self._parts():
            for piece in pieces:
                found = statement.where(*self._conditions, piece)
                total += await self._session.scalar(found) or 0
            counted = round(total / share), share == 1
        return counted

    async def values(self, field: str, most: int) -> tuple[dict[str, int] | None, bool]:
        """Values that a field has, and how many have each; and whether that is exact.

        None in place of more than ``most`` values.
        """
        value = Example.meta[field].astext
        statement = (
            select(value, func.count()).where(value.is_not(None)).group_by(value).limit(most + 1)
        )
        total, share = Counter[str](), 1.0
        async for pieces, share in self._parts():
            for piece in pieces:
                found = await self._session.execute(statement.where(*self._conditions, piece))
                total.update(dict(found.all()))
            if len(total) > most:
                return None, share == 1
        ordered = sorted(total.items(), key=lambda one: (-one[1], one[0]))
        return {value: round(count / share) for value, count in ordered}, share == 1

    async def _parts(self) -> AsyncIterator[tuple[list[ColumnElement[bool]], float]]:
        """Parts of what may match, as conditions of pieces, as long as looking may take.

        With each comes the share of all that was looked at when it has been, 0..1.
        """
        started, seen = time.monotonic(), 0
        _, end = await self._bounds(None)
        # Spread over the pool: what was imported together is alike.
        parts = max(1, min(_MOST_PARTS, end // _SMALLEST_PART))
        for part in sorted(range(parts), key=lambda part: f"{part:06b}"[::-1]):
            low, high = end * part // parts, end * (part + 1) // parts
            seen += high - low
            pieces = await self._pieces(low, high, _LARGEST_SAMPLE)
            yield [piece.condition for piece in pieces], seen / end if end else 1.0
            if time.monotonic() - started > _SECONDS:
                return

    async def ids(self, most: int) -> list[int]:
        """Ids of all that match, in order; at most ``most``."""
        return [row.id async for rows in self._rows(most) for row in rows]

    async def pool_indices(self) -> NDArray[np.int64]:
        """(N,) pool indices of all that match, ascending."""
        found = [np.empty(0, dtype=np.int64)]
        async for rows in self._rows(None):
            found.append(np.fromiter((row.pool_index for row in rows), np.int64, len(rows)))
        return np.sort(np.concatenate(found))

    async def _rows(self, most: int | None) -> AsyncIterator[Sequence[Any]]:
        """Ids and pool indices of what matches, in order, page by page."""
        columns = select(Example.id, Example.pool_index)
        cursor: int | None = 0
        left = most
        while cursor is not None and left != 0:
            page = await self.page(columns, cursor, _PAGE if left is None else min(_PAGE, left))
            yield page.rows
            cursor = page.next_cursor
            left = None if left is None else left - len(page.rows)

    @cached_property
    def _kept(self) -> Positions:
        """Pool indices of what matches by the files, in order."""
        others = [one for one in (self._members, self._with_words) if one is not None]
        if self._similarity is not None:
            least = self._filters.similarity_min
            others.append(self._similarity.at_least(-1 if least is None else least))
        if self._order is not None:
            found = self._order.ordered(falls=self._sort.startswith("-"))
            if self._by_score:
                others.append(self._scored_in("pool_index"))
        elif self._by_score:
            found = self._scored_in(self._sort)
        else:
            found = others.pop()
        for other in others:
            found = found[np.isin(found, other)]
        return found

    def _scored_in(self, sort: Sort) -> Positions:
        """Pool indices of what has the scores that are asked for, in the order of ``sort``."""
        assert self._table is not None
        order = self._table.ordered(sort)
        matched = self._table.matching(self._filters)
        found: Positions = self._table.pool_index[
            order if matched is None else order[matched[order]]
        ]
        return found

    async def _candidates(self) -> Positions:
        return await to_thread.run_sync(lambda: self._kept)

    async def _bounds(self, cursor: int | None) -> tuple[int, int]:
        """Where to begin and to end: pool indices, or places among the candidates."""
        if self._by_file:
            return cursor or 0, len(await self._candidates())
        last = select(func.max(Example.pool_index)).where(Example.project_id == self._project.id)
        found = await self._session.scalar(last)
        return cursor or 0, 0 if found is None else found + 1

    async def _pieces(self, start: int, end: int, first: int) -> Iterator[Piece]:
        if not self._by_file:
            size = end if self._indexed else first
            return _ranges(start, end, size)
        candidates = await self._candidates()
        return _samples(candidates, start, end, first)


def _ranges(start: int, end: int, size: int) -> Iterator[Piece]:
    """Ever larger ranges of pool indices."""
    while start < end:
        stop = min(start + size, end)
        inside = (Example.pool_index >= start) & (Example.pool_index < stop)
        yield Piece(inside, stop)
        start, size = stop, max(size, min(2 * size, _LARGEST_RANGE))


def _samples(candidates: Positions, start: int, end: int, size: int) -> Iterator[Piece]:
    """Ever larger slices of the candidates."""
    while start < end:
        stop = min(start + size, end)
        order = candidates[start:stop]
        yield Piece(among(Example.pool_index, order.tolist()), stop, order)
        start, size = stop, max(size, min(2 * size, _LARGEST_SAMPLE))
