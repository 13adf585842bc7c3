"""What a snapshot holds, for every format: labels and votes of then, files and names of now."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from anyio import to_thread
from sqlalchemy import false, null, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.exports.records import Images, Prediction, Record
from api.exports.tables import COLUMNS, Table, columns
from api.exports.texts import within_memory
from api.exports.votes import SAID, read_votes, votes_of
from api.transfers.streams import in_threads
from core.artifacts.pool_snapshots import batches
from core.database.among import among
from core.errors import NotFound
from core.states import ExampleState, Source, Split
from core.tables import Annotation, Artifact, Example, PoolSnapshot
from core.tasks.registry import label_of, written
from core.verdicts.class_names import seen_by_author
from core.withdrawals import is_kept

_FETCH: Final = 500
_MOST_TEXT: Final = 1 << 20
_EFFECTIVE: Final = COLUMNS.index("effective")
_SEEN: Final = COLUMNS.index("seen_as")
_HOLDS: Final = COLUMNS.index("holds")
_JUDGED: Final = frozenset(state.value for state in SAID)
_OF_PREDICTION: Final = ("model_version", "predicted", "probability", "in_probability")


@dataclass(frozen=True)
class Taken:
    """A snapshot as exports need it.

    Attributes:
        key: Of its file in storage.
        classes: Names of the classes of then, by their ids, in their order.
        last_query_id: The newest query of then, if there was one.
    """

    key: str
    classes: Mapping[int, str]
    last_query_id: int | None


async def find_taken(session: AsyncSession, project_id: int, name: str) -> Taken:
    """The snapshot of a name.

    Raises:
        NotFound: There is none.
    """
    statement = (
        select(Artifact.storage_key, PoolSnapshot.classes, PoolSnapshot.last_query_id)
        .join(Artifact, Artifact.id == PoolSnapshot.artifact_id)
        .where(PoolSnapshot.project_id == project_id, PoolSnapshot.name == name)
    )
    found = (await session.execute(statement)).one_or_none()
    if found is None:
        raise NotFound("snapshot", name)
    key, classes, last_query_id = found
    return Taken(key, {one["id"]: one["name"] for one in classes}, last_query_id)


@dataclass(frozen=True, kw_only=True)
class TakenImages(Images):
    """Which examples leave, as they were in a snapshot.

    Attributes:
        path: Of its file.
        last_query_id: The newest query of then, if there was one.
    """

    path: Path
    last_query_id: int | None

    async def blocks(self) -> AsyncIterator[list[Record]]:
        """The examples of the snapshot in order of import, some hundreds at a time."""
        async for rows in _pieces(self.path):
            some = [row for row in rows if self.all or _is_judged(row)]
            if some:
                yield self.heard(await self._described(some))

    async def _described(self, rows: Sequence[dict[str, Any]]) -> list[Record]:
        ids = [row["example_id"] for row in rows]
        voted = [id_ for row in rows for id_ in row["votes"]]
        statement = select(
            Example.id.label("example_id"),
            Example.name,
            Example.media_type,
            Example.bytes,
            Example.width,
            Example.height,
            Example.meta,
            Example.location,
            Example.location_tag,
        ).where(among(Example.id, ids), is_kept())
        async with self.sessions() as session:
            known = {one.example_id: one for one in await session.execute(statement)}
            said = await votes_of(session, among(Annotation.id, voted))
        votes = await to_thread.run_sync(read_votes, said, self.classes)
        return [
            Record(
                **known[row["example_id"]]._asdict(),
                **_example(row),
                class_name=row["class"],
                label=_label(row),
                votes=votes[row["example_id"]],
                prediction=_prediction(row),
            )
            for row in rows
            if row["example_id"] in known
        ]


def _example(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says of its example, as ``Example`` names and has it."""
    return {
        "pool_index": row["pool_index"],
        "content_hash": row["sha256"],
        "split": Split(row["split"]),
        "state": ExampleState(row["state"]),
    }


def _is_judged(row: Mapping[str, Any]) -> bool:
    return bool(row["split"] != Split.POOL or row["state"] in _JUDGED or row["annotations"])


def _label(row: Mapping[str, Any]) -> Any:
    return None if row["label"] is None else label_of(json.loads(row["label"]))


def _prediction(row: Mapping[str, Any]) -> Prediction | None:
    found = [row[name] for name in _OF_PREDICTION]
    return None if found[0] is None else Prediction(*found)


async def _pieces(path: Path) -> AsyncIterator[list[dict[str, Any]]]:
    """Rows of the file, read without holding up other requests, as many as fit memory together."""
    async for rows in in_threads(batches(path, size=_FETCH)):
        for some in within_memory(rows, _label_size, _MOST_TEXT):
            yield some


def _label_size(row: Mapping[str, Any]) -> int:
    return len(row["label"] or "")


def taken_images(images: Images, taken: Taken, path: Path) -> TakenImages:
    """``images`` as they were in a snapshot whose file is at ``path``."""
    return TakenImages(
        images.sessions,
        images.project_id,
        taken.classes,
        all=images.all,
        people_only=images.people_only,
        path=path,
        last_query_id=taken.last_query_id,
    )


@dataclass(frozen=True, kw_only=True)
class _TakenTable(Table):
    """Annotations of a snapshot, in the order of the pool."""

    path: Path

    async def blocks(self) -> AsyncIterator[Sequence[Any]]:
        async for rows in _pieces(self.path):
            wanted = {
                id_: row
                for row in rows
                for id_ in row["annotations"]
                if not self.only_effective or id_ == row["effective"]
            }
            if wanted:
                yield await self._found(wanted)

    async def _found(self, wanted: Mapping[int, dict[str, Any]]) -> list[list[Any]]:
        # Classes are called what they were called then, and so not by what the database says.
        statement = columns(null(), seen_by_author(), false(), false(), Annotation.label)
        if self.people_only:
            statement = statement.where(Annotation.source != Source.MODEL)
        async with self.sessions() as session:
            said = await session.execute(statement.where(among(Annotation.id, list(wanted))))
        by_id = {row[0]: list(row) for row in said}
        found = []
        for id_, row in wanted.items():
            if id_ in by_id:
                values = by_id[id_]
                values[_EFFECTIVE] = id_ == row["effective"]
                values[_HOLDS] = id_ in row["votes"]
                if values[_SEEN] == written(label_of(values[-2]), self.classes):
                    values[_SEEN] = None
                if self.only_effective and not self.by_class:
                    values[-2] = row["label"] and json.loads(row["label"])
                found.append(values)
        return found


def taken_table(images: TakenImages, table: Table) -> Table:
    """``table`` as it was in a snapshot."""
    given = {one.name: getattr(table, one.name) for one in fields(table)}
    return _TakenTable(**given, path=images.path)


async def taken_rows(images: TakenImages) -> AsyncIterator[list[Any]]:
    """Examples of a snapshot, as ``Example`` has them."""
    columns_ = (Example.id, Example.name, Example.meta, Example.bytes)
    async for rows in _pieces(images.path):
        ids = [row["example_id"] for row in rows]
        async with images.sessions() as session:
            known = {
                one.id: one
                for one in await session.execute(
                    select(*columns_).where(among(Example.id, ids), is_kept())
                )
            }
        yield [
            SimpleNamespace(
                **known[row["example_id"]]._asdict(),
                **_example(row),
                label=row["label"] and json.loads(row["label"]),
            )
            for row in rows
            if row["example_id"] in known
        ]


class TakenVotes:
    """What had been asked and said when a snapshot was taken, example by example."""

    def __init__(self, images: TakenImages) -> None:
        """Read it; 8 bytes an example and an annotation are in memory. Blocks."""
        table = pq.read_table(images.path, columns=["example_id", "annotations"])
        said = table["annotations"].combine_chunks()
        examples = table["example_id"].to_numpy()
        order = np.argsort(examples)
        self._last_query_id = images.last_query_id or 0
        self._examples = examples[order]
        self._first = said.offsets.to_numpy()[:-1][order]
        self._end = said.offsets.to_numpy()[1:][order]
        self._annotations = said.values.to_numpy()

    def asked(self, groups: Sequence[Any]) -> list[Any]:
        """Of queries those that were there, about examples of the snapshot."""
        known = np.isin([one.example_id for one in groups], self._examples)
        return [
            one
            for one, inside in zip(groups, known.tolist(), strict=True)
            if inside and one.query_id <= self._last_query_id
        ]

    def of(self, example_ids: Sequence[int]) -> list[int]:
        """Ids of the annotations of examples that are part of the snapshot."""
        found: list[int] = []
        for at in np.searchsorted(self._examples, example_ids).tolist():
            found += self._annotations[self._first[at] : self._end[at]].tolist()
        return found
