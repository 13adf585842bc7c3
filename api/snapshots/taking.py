"""Reading what all examples of a project count as, at one instant."""

import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from anyio import to_thread
from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.schemas import Filters
from api.examples.service import matching_pool_indices
from api.exports.portions import stored_bytes, within_bytes
from api.exports.records import Prediction, predictions_of
from api.exports.tables import is_effective, speaks
from api.exports.votes import counts_as
from core.artifacts.pool_snapshots import NO_OBJECTS, Origin, SnapshotWriter, says
from core.database.among import among
from core.files.storage import Storage
from core.states import Source, Split, Verdict
from core.tables import Annotation, Example, Project
from core.tasks.registry import class_of, label_of, task_type, written
from core.withdrawals import is_kept

_BLOCK: Final = 4000
_SHORT: Final = 200
_MOST_KNOWN: Final = 10_000
_OOD: Final = Verdict.OOD.in_files


@dataclass
class Taken:
    """How many examples a snapshot holds, of each kind.

    Attributes:
        splits: Of each split.
        outcomes: Of the pool, of each verdict in words of files, "" for those without one.
        origins: By whose word they count as what they do, of those that count as something.
        no_objects: Of the pool, of labels of boxes that have none.
        classes: Of each class, by its id; of labels that are one class.
    """

    splits: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    origins: Counter[str] = field(default_factory=Counter)
    no_objects: int = 0
    classes: Counter[int] = field(default_factory=Counter)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row of the file."""
        self.splits[row["split"]] += 1
        if row["split"] == Split.POOL:
            self.outcomes[row["verdict"] or ""] += 1
            self.no_objects += row["class_id"] is None and row["class"] == NO_OBJECTS
        if row["origin"] is not None:
            self.origins[row["origin"]] += 1
        if row["class_id"] is not None:
            self.classes[row["class_id"]] += 1

    @property
    def examples(self) -> int:
        """All together."""
        return self.splits.total()


async def take(
    session: AsyncSession,
    project: Project,
    storage: Storage,
    filters: Filters | None,
    classes: Mapping[int, str],
    path: Path,
) -> Taken:
    """Write the file of a snapshot.

    Args:
        session: In a transaction that sees one state of the database throughout.
        project: Whose examples.
        storage: Where the files are that filters ask.
        filters: What the examples have to be; all are taken if None.
        classes: Names of the project's classes by their ids.
        path: Of the file.
    """
    taken, meanings = Taken(), _Meanings(classes)
    writer = SnapshotWriter(path)
    try:
        async for read in _blocks(session, project, storage, filters, classes):
            await to_thread.run_sync(_write, writer, read, meanings, taken)
    finally:
        await to_thread.run_sync(writer.close)
    return taken


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows of examples, of all that was said of them, and what models took them for."""

    examples: Sequence[Any]
    said: Sequence[Any]
    predictions: Mapping[int, Prediction]


async def _blocks(
    session: AsyncSession,
    project: Project,
    storage: Storage,
    filters: Filters | None,
    classes: Mapping[int, str],
) -> AsyncIterator[_Block]:
    by_class = task_type(project.task).names_one_class
    wanted = None
    if filters is not None:
        wanted = await matching_pool_indices(session, project, storage, filters)
    last = -1
    while True:
        inside: ColumnElement[bool] = Example.pool_index > last
        if wanted is not None:
            at = int(np.searchsorted(wanted, last, side="right"))
            inside = among(Example.pool_index, wanted[at : at + _BLOCK].tolist())
        rows = (await session.execute(_examples(project.id, inside))).all()
        if not rows:
            return
        last = rows[-1].pool_index
        ids = [row.id for row in rows]
        said = (await session.execute(_said(ids, by_class=by_class))).all()
        yield _Block(rows, said, await predictions_of(session, ids, classes))


def _examples(project_id: int, inside: ColumnElement[bool]) -> Select[Any]:
    """As many of the examples ``inside`` as fit memory, in order."""
    block = (
        select(
            Example.id,
            Example.pool_index,
            Example.content_hash,
            Example.split,
            Example.state,
            Example.label,
            stored_bytes(Example.label).label("bytes"),
        )
        .where(Example.project_id == project_id, inside, is_kept())
        .order_by(Example.pool_index)
        .limit(_BLOCK)
    )
    fitting = within_bytes(block.subquery(), "pool_index")
    return select(fitting).order_by(fitting.c.pool_index)


def _said(ids: Sequence[int], *, by_class: bool) -> Select[*tuple[Any, ...]]:
    return (
        select(
            Annotation.example_id,
            Annotation.id,
            Annotation.source,
            Annotation.verdict,
            speaks().label("speaks"),
            is_effective(by_class).label("effective"),
        )
        .join(Example, Example.id == Annotation.example_id)
        .where(among(Annotation.example_id, ids), among(Example.id, ids))
        .order_by(Annotation.id)
    )


class _Meaning(NamedTuple):
    """What a verdict with a label is in the file."""

    class_: str | None
    class_id: int | None
    says: int


class _Meanings:
    """What labels mean; of short ones each is read once, as most examples share theirs."""

    def __init__(self, classes: Mapping[int, str]) -> None:
        self._classes = classes
        self._known: dict[tuple[str | None, str | None], _Meaning] = {}

    def of(self, verdict: str | None, stored: Any, text: str | None) -> _Meaning:
        key = (verdict, text)
        found = self._known.get(key)
        if found is None:
            label = label_of(stored)
            found = _Meaning(written(label, self._classes), class_of(label), says(*key))
            if len(text or "") <= _SHORT and len(self._known) < _MOST_KNOWN:
                self._known[key] = found
        return found


def _write(writer: SnapshotWriter, read: _Block, meanings: _Meanings, taken: Taken) -> None:
    said: dict[int, list[Any]] = defaultdict(list)
    for row in read.said:
        said[row.example_id].append(row)
    rows = [
        _row(one, said.get(one.id, []), read.predictions.get(one.id), meanings)
        for one in read.examples
    ]
    for row in rows:
        taken.add(row)
    writer.add(rows)


def _row(
    example: Any, said: Sequence[Any], prediction: Prediction | None, meanings: _Meanings
) -> dict[str, Any]:
    votes = [one for one in said if one.speaks]
    text = None if example.label is None else json.dumps(example.label, sort_keys=True)
    verdict = _verdict(example, votes)
    meaning = meanings.of(verdict, example.label, text)
    return {
        "example_id": example.id,
        "pool_index": example.pool_index,
        "sha256": example.content_hash,
        "split": example.split.value,
        "state": example.state.value,
        "verdict": verdict,
        "class": meaning.class_,
        "class_id": meaning.class_id,
        "label": text,
        "says": meaning.says,
        "origin": _origin(example.split, verdict, votes),
        "annotations": [one.id for one in said],
        "votes": [one.id for one in votes],
        "effective": max((one.id for one in said if one.effective), default=None),
        "model_version": prediction and prediction.model_version,
        "predicted": prediction and prediction.class_name,
        "probability": prediction and prediction.probability,
        "in_probability": prediction and prediction.in_probability,
    }


def _verdict(example: Any, votes: Sequence[Any]) -> str | None:
    """What an example counts as, in the word that files have for it."""
    if example.split is Split.AUXILIARY_OOD:
        return _OOD
    if example.split is not Split.POOL:
        return None if example.label is None else Verdict.LABEL.in_files
    found = counts_as(example.state, [one.verdict for one in votes])
    return found and found.in_files


def _origin(split: Split, verdict: str | None, votes: Sequence[Any]) -> str | None:
    # A skip says nothing of an example.
    if verdict in (None, Verdict.SKIP.in_files):
        return None
    if split is not Split.POOL:
        return Origin.TRUTH.value
    sources = {str(one.source) for one in votes if one.verdict is not Verdict.SKIP}
    if sources == {Origin.MODEL}:
        return Origin.MODEL.value
    if sources == {Source.IMPORT}:
        return Origin.IMPORT.value
    # Members of a group have no answer of their own, and only people rank groups.
    return Origin.PERSON.value
