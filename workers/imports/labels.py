"""How the labels of an import become annotations."""

import json
import sqlite3
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.lifecycle import mark_answered
from core.rounds import lock_unfinished
from core.settings.project import ProjectSettings
from core.states import RoundState, Source, Split, Verdict
from core.tables import Annotation, Example, Job, Project, Query, Round
from core.tasks.classification import class_label
from core.tasks.registry import class_of, label_of, stored, stored_text
from core.tasks.spec import Label
from core.verdicts.consensus import (
    STANCES,
    Vote,
    answered,
    is_settled,
    lock_examples,
    opinions,
    stances,
    votes,
)
from workers.closing import close_round
from workers.imports.items import Reference
from workers.imports.lookup import find
from workers.imports.predicted import Foreseen
from workers.imports.reading import Opinion

Statement = tuple[str, Label | None]
"""A verdict, and its label if it has one."""


@dataclass(frozen=True, slots=True)
class Labeled:
    """What an upload says of one image."""

    reference: Reference
    labels: tuple[Opinion, ...]
    predicted: tuple[Foreseen, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What came of labels.

    Attributes:
        annotations: How many were added.
        news: Keys of what said anything new.
        contradicted: By key, what the same source says of the image in this import.
        contradicting: Images of which that is so since these labels.
    """

    annotations: int
    news: frozenset[int]
    contradicted: Mapping[int, Sequence[Statement]]
    contradicting: int


@dataclass(frozen=True, slots=True)
class _Told:
    """A label with the caller's key, and its place among those of its item."""

    key: int
    place: int
    opinion: Opinion

    @property
    def statement(self) -> Statement:
        return self.opinion.verdict.value, self.opinion.label


class Confirmed:
    """What this import said that earlier ones had said already: it writes no row, but it holds.

    On disk, as it may be a whole pool's. A batch's is on the disk before the transaction that
    counts on it commits. If that does not commit, the batch is done again, and reads only what
    batches before it noted.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._index = sqlite3.connect(path)
        self._index.execute(
            "CREATE TABLE IF NOT EXISTS confirmed (example INT, source TEXT, verdict TEXT, "
            "class INT, batch INT, PRIMARY KEY (example, source, verdict, class)) WITHOUT ROWID"
        )

    def add(
        self, example_id: int, source: str, statements: Iterable[Statement], batch: int
    ) -> None:
        """Note what ``source`` said again of an image.

        Args:
            example_id: The image.
            source: Who said it.
            statements: What.
            batch: How many items came before those of the batch.
        """
        self._index.executemany(
            "INSERT OR IGNORE INTO confirmed VALUES (?, ?, ?, ?, ?)",
            (
                (example_id, source, verdict, stored_text(label) or 0, batch)
                for verdict, label in statements
            ),
        )

    def of(self, example_id: int, source: str, batch: int) -> set[Statement]:
        """What it said again before ``batch``."""
        rows = self._index.execute(
            "SELECT verdict, class FROM confirmed WHERE example = ? AND source = ? AND batch < ?",
            (example_id, source, batch),
        )
        return {(verdict, _noted(label)) for verdict, label in rows}

    def commit(self) -> None:
        """Have on the disk what was noted."""
        self._index.commit()

    def close(self) -> None:
        """Close the file, without what is not committed."""
        self._index.close()


class LabelWriter:
    """Annotates images of one project on behalf of one import.

    What an import says of an image is a set: if its rows contradict each other, all of them are
    kept, and it makes no difference in which order and in what batches they come. Only what an
    earlier import said for the same source, and this one does not, is corrected.
    """

    def __init__(self, session: Session, project_id: int, job_id: int, work: Path) -> None:
        """Note whose labels they are.

        Args:
            session: To look up when the import was asked for: so old are labels without a date.
            project_id: Whose images they are of.
            job_id: The import.
            work: Folder of the job.
        """
        self._project_id, self._job_id = project_id, job_id
        self._at = session.get_one(Job, job_id).created_at
        self._confirmed = Confirmed(work / "confirmed.sqlite")

    def close(self) -> None:
        """Close what was opened."""
        self._confirmed.close()

    def write(self, session: Session, labeled: Mapping[int, Labeled], batch: int) -> Written:
        """Store the labels, and what each image amounts to with them.

        Args:
            session: Of the transaction.
            labeled: What is said, in its order, by keys of the caller's.
            batch: How many items of the import came before these.
        """
        labeled = {key: one for key, one in labeled.items() if one.labels}
        if not labeled:
            return Written(0, frozenset(), {}, 0)
        rounds = session.scalars(lock_unfinished(self._project_id)).all()
        said = self._by_example(session, labeled)
        session.execute(lock_examples(among(Example.id, said)))
        held: dict[int, list[Any]] = defaultdict(list)
        for row in session.execute(votes().where(among(Annotation.example_id, said))):
            held[row.example_id].append(row)
        written = _Batch(batch)
        for example_id, told in said.items():
            by_source: dict[str, list[_Told]] = defaultdict(list)
            for one in told:
                by_source[one.opinion.source_name].append(one)
            for source, ones in by_source.items():
                self._compare(session, example_id, source, ones, held[example_id], written)
        self._confirmed.commit()
        if written.rows:
            session.execute(insert(Annotation), written.rows)
            self._settle_those(session, held, written.rows, rounds)
        return Written(
            len(written.rows), frozenset(written.news), written.contradicted, written.contradicting
        )

    def _compare(
        self,
        session: Session,
        example_id: int,
        source: str,
        told: Sequence[_Told],
        held: Sequence[Any],
        written: "_Batch",
    ) -> None:
        """Add what ``source`` says of an image and did not, and correct what it no longer says."""
        before = [row for row in held if row.source == Source.IMPORT and row.source_name == source]
        known = {_statement(row): row for row in before}
        mine = {_statement(row) for row in before if row.job_id == self._job_id}
        mine |= self._confirmed.of(example_id, source, written.before)
        new: dict[Statement, _Told] = {}
        for one in told:
            if one.statement not in known and one.statement not in new:
                new[one.statement] = one
                written.news.add(one.key)
        said = mine | {one.statement for one in told}
        self._confirmed.add(
            example_id,
            source,
            {
                one.statement
                for one in told
                if one.statement in known and known[one.statement].job_id != self._job_id
            },
            written.before,
        )
        stale = [
            row
            for row in before
            if row.job_id != self._job_id
            and _statement(row) not in said
            and row.verdict != Verdict.SKIP
        ]
        since = self._said_before(session, example_id, source) if mine and new else {}
        for statement, one in new.items():
            at = one.opinion.at or since.get(statement) or self._at + _moments(one.place)
            corrected = stale.pop(0).id if stale else None
            written.rows.append(self._row(example_id, one.opinion, at, corrected))
        for row in stale:
            # It says less than it did: a skip in its place says nothing of the image.
            nothing = Opinion(source, Verdict.SKIP, None)
            written.rows.append(self._row(example_id, nothing, self._at, row.id))
        if _contradict(said):
            shown = sorted(_stances(said), key=_rank)
            written.contradicted.update({one.key: shown for one in told})
            written.contradicting += not _contradict(mine)

    def _said_before(
        self, session: Session, example_id: int, source: str
    ) -> dict[Statement, datetime]:
        """When an earlier import said for ``source`` what this one has corrected on its way."""
        ours = select(Annotation.supersedes_id).where(
            Annotation.example_id == example_id, Annotation.job_id == self._job_id
        )
        rows = session.execute(
            select(Annotation.verdict, Annotation.label, Annotation.created_at).where(
                Annotation.id.in_(ours), Annotation.source_name == source
            )
        )
        return {_statement(row): row.created_at for row in rows}

    def _row(
        self, example_id: int, opinion: Opinion, at: datetime, supersedes_id: int | None
    ) -> dict[str, Any]:
        return {
            "project_id": self._project_id,
            "example_id": example_id,
            "source": Source.IMPORT,
            "source_name": opinion.source_name,
            "job_id": self._job_id,
            "client_key": uuid.uuid4(),
            "verdict": opinion.verdict,
            "label": stored(opinion.label),
            "note": opinion.note,
            "seconds": opinion.seconds,
            "cost": 0.0,
            "counted": True,
            "supersedes_id": supersedes_id,
            "created_at": at,
        }

    def _by_example(
        self, session: Session, labeled: Mapping[int, Labeled]
    ) -> dict[int, list[_Told]]:
        """Labels by image, with their keys; only images of the pool are annotated."""
        meant = find(session, self._project_id, {one.reference for one in labeled.values()})
        found: dict[int, list[_Told]] = defaultdict(list)
        for key, one in labeled.items():
            for example_id, split in meant.get(one.reference, ()):
                if split is Split.POOL:
                    found[example_id] += (
                        _Told(key, place, opinion) for place, opinion in enumerate(one.labels)
                    )
        return found

    def _settle_those(
        self,
        session: Session,
        held: Mapping[int, Sequence[Any]],
        rows: Sequence[Mapping[str, Any]],
        rounds: Sequence[Round],
    ) -> None:
        """Settle the images of which something is said anew."""
        said = {row["example_id"] for row in rows}
        after: dict[int, list[Vote]] = defaultdict(list)
        # Read again, as they are in the order that decides between equals.
        for row in session.execute(votes().where(among(Annotation.example_id, said))):
            after[row.example_id].append(Vote.of(row))
        # Where there was no opinion and is none, a skip leaves the image where it is.
        changed = {
            example_id: after[example_id]
            for example_id in said
            if opinions(after[example_id]) or opinions(map(Vote.of, held.get(example_id, ())))
        }
        if changed:
            self._settle(session, changed, rounds)

    def _settle(
        self, session: Session, changed: Mapping[int, list[Vote]], rounds: Sequence[Round]
    ) -> None:
        """Bring the images up to date, and take them out of the queue that asks for them."""
        session.execute(mark_answered(), answered(changed))
        if not rounds:
            return
        overlap = ProjectSettings.model_validate(rounds[0].settings).overlap
        settled = [one for one, said in changed.items() if is_settled(said, overlap)]
        session.execute(
            update(Query).where(among(Query.example_id, settled), ~Query.done).values(done=True)
        )
        for round_ in rounds:
            if round_.state is RoundState.OPEN:
                self._close_if_empty(session, round_)

    def _close_if_empty(self, session: Session, round_: Round) -> None:
        left = select(Query.id).where(Query.round_id == round_.id, ~Query.done).limit(1)
        if session.scalar(left) is not None:
            return
        project = session.get_one(Project, self._project_id)
        close_round(session, project, round_)
        session.execute(events.round_changed(round_))


class _Batch:
    """What is to be written of one batch."""

    def __init__(self, before: int) -> None:
        self.before = before
        self.rows: list[dict[str, Any]] = []
        self.news: set[int] = set()
        self.contradicted: dict[int, Sequence[Statement]] = {}
        self.contradicting = 0


def _statement(row: Any) -> Statement:
    return Verdict(row.verdict).value, label_of(row.label)


def _stances(said: Iterable[Statement]) -> set[Statement]:
    """What can contradict each other: who is unsure or skips says nothing of the image."""
    return {one for one in said if one[0] in STANCES}


def _noted(label: str | int) -> Label | None:
    """A label as ``Confirmed`` keeps it; a class alone was noted by an earlier version."""
    if isinstance(label, str):
        return label_of(json.loads(label))
    return class_label(label) if label else None


def _contradict(said: Iterable[Statement]) -> bool:
    return len(stances(Vote(Verdict(verdict), label) for verdict, label in said)) > 1


def _rank(statement: Statement) -> tuple[str, int, str]:
    verdict, label = statement
    return verdict, class_of(label) or 0, stored_text(label) or ""


def _moments(place: int) -> timedelta:
    """Labels of one row are in its order, though all of them were there at once."""
    return timedelta(microseconds=place)
