"""Labels that come with an import: what they say, and how they become annotations."""

import re
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from core import events
from core.consensus import Vote, answered, is_settled, lock_examples, opinions, votes
from core.lifecycle import mark_answered
from core.project_settings import ProjectSettings
from core.rounds import lock_unfinished
from core.states import RoundState, Source, Split, Verdict
from core.tables import Annotation, Example, Project, Query, Round
from workers.closing import close_round
from workers.imports.items import Reference, Refused, Said

_WHOLE: Final = re.compile(r"(\d{1,9})(?:\.0+)?")
_NO_CLASS: Final = frozenset({Verdict.OOD, Verdict.UNSURE, Verdict.SKIP})


@dataclass(frozen=True, slots=True)
class Label:
    """What one column, or one person, says of an image; ``at`` is when, if it is known."""

    source_name: str
    verdict: Verdict
    class_id: int | None
    seconds: float = 0.0
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Labeled:
    """What an upload says of one image."""

    reference: Reference
    labels: tuple[Label, ...]


def read_labels(
    written: Mapping[str, str], classes: Mapping[str, int]
) -> tuple[Label, ...] | Refused:
    """Read what the columns of a row say.

    A label is the name of a class, else ``ood``, ``unsure`` or ``skip``, else the number of a
    class; where classes are named by numbers, a number is always a name.

    Args:
        written: Text by name of the column, none of it empty.
        classes: Ids by name, in the order of the classes: the first has the number 0.
    """
    found = []
    for column, text in written.items():
        label = _read(column, text, classes)
        if isinstance(label, Refused):
            return label
        found.append(label)
    return tuple(found)


def read_said(said: Iterable[Said], classes: Mapping[str, int]) -> tuple[Label, ...] | Refused:
    """Look up the classes of verdicts that a file states.

    Args:
        said: The verdicts.
        classes: Ids by name, in the order of the classes.
    """
    found = []
    for one in said:
        if one.verdict is None:
            label = _read(one.source_name, one.class_name or "", classes)
            if isinstance(label, Refused):
                return label
            found.append(replace(label, seconds=one.seconds, at=one.at))
            continue
        class_id = classes.get(one.class_name or "") if one.verdict is Verdict.CLASS else None
        if one.verdict is Verdict.CLASS and class_id is None:
            return Refused(
                f"{one.source_name} says {(one.class_name or '')[:100]!r}, which is not a class of "
                "the project; add it, and import again"
            )
        found.append(Label(one.source_name, one.verdict, class_id, one.seconds, one.at))
    return tuple(found)


def _read(column: str, text: str, classes: Mapping[str, int]) -> Label | Refused:
    ids = list(classes.values())
    numbered = not any(name.isdecimal() for name in classes)
    class_id = classes.get(text)
    if class_id is not None:
        return Label(column, Verdict.CLASS, class_id)
    if text.lower() in _NO_CLASS:
        return Label(column, Verdict(text.lower()), None)
    if numbered and (number := _number(text)) < len(ids):
        return Label(column, Verdict.CLASS, ids[number])
    return Refused(
        f"{column} says {text[:100]!r}: neither a class of the project, nor the number of "
        f"one (0 to {len(ids) - 1}), ood, unsure or skip"
    )


def _number(text: str) -> int:
    """A number as it is written, also by who keeps gaps in a column of floats; else a huge one."""
    digits = _WHOLE.fullmatch(text)
    return int(digits[1]) if digits else sys.maxsize


@dataclass(frozen=True, slots=True)
class Written:
    """What came of labels: annotations that were added, and the keys of what said anything new."""

    annotations: int
    news: frozenset[int]


class LabelWriter:
    """Annotates images of one project on behalf of one import."""

    def __init__(self, project_id: int, job_id: int) -> None:
        """Note whose labels they are."""
        self._project_id, self._job_id = project_id, job_id

    def write(self, session: Session, labeled: Mapping[int, Labeled]) -> Written:
        """Store the labels, and what each image amounts to with them.

        A column that has said the same of an image before says nothing new; if it says something
        else now, that corrects it.

        Args:
            session: Of the transaction.
            labeled: What is said, in its order, by keys of the caller's.
        """
        if not labeled:
            return Written(0, frozenset())
        rounds = session.scalars(lock_unfinished(self._project_id)).all()
        said = self._by_example(session, labeled)
        session.execute(lock_examples(Example.id.in_(said)))
        held: dict[int, list[Any]] = defaultdict(list)
        for row in session.execute(votes().where(Annotation.example_id.in_(said))):
            held[row.example_id].append(row)
        rows: list[dict[str, Any]] = []
        changed: dict[int, list[Vote]] = {}
        news: set[int] = set()
        for example_id, told in said.items():
            news |= _new(told, held[example_id])
            # Of what one column says several times, the last holds.
            labels = {label.source_name: label for _, label in told}
            rows_of = (self._row(example_id, label, held) for label in labels.values())
            added = [row for row in rows_of if row is not None]
            if added:
                rows += added
                corrected = {row["supersedes_id"] for row in added}
                before = [Vote.of(row) for row in held[example_id]]
                after = [
                    *(Vote.of(row) for row in held[example_id] if row.id not in corrected),
                    *(Vote(row["verdict"], row["class_id"]) for row in added),
                ]
                # Where there was no opinion and is none, a skip leaves the image where it is.
                if opinions(before) or opinions(after):
                    changed[example_id] = after
        if rows:
            session.execute(insert(Annotation), rows)
        if changed:
            self._settle(session, changed, rounds)
        return Written(len(rows), frozenset(news))

    def _row(
        self, example_id: int, label: Label, held: Mapping[int, list[Any]]
    ) -> dict[str, Any] | None:
        before = next(
            (
                row
                for row in held.get(example_id, ())
                if row.source == Source.IMPORT and row.source_name == label.source_name
            ),
            None,
        )
        if before and (before.verdict, before.class_id) == (label.verdict, label.class_id):
            return None
        return {
            "project_id": self._project_id,
            "example_id": example_id,
            "source": Source.IMPORT,
            "source_name": label.source_name,
            "job_id": self._job_id,
            "client_key": uuid.uuid4(),
            "verdict": label.verdict,
            "class_id": label.class_id,
            "seconds": label.seconds,
            "cost": 0.0,
            "counted": True,
            "supersedes_id": before.id if before else None,
            "created_at": label.at or datetime.now(UTC),
        }

    def _by_example(
        self, session: Session, labeled: Mapping[int, Labeled]
    ) -> dict[int, list[tuple[int, Label]]]:
        """Labels by image, with their keys; only images of the pool are annotated."""
        meant = find(session, self._project_id, {one.reference for one in labeled.values()})
        found: dict[int, list[tuple[int, Label]]] = defaultdict(list)
        for key, one in labeled.items():
            for example_id, split in meant.get(one.reference, ()):
                if split is Split.POOL:
                    found[example_id] += ((key, label) for label in one.labels)
        return found

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
            update(Query).where(Query.example_id.in_(settled), ~Query.done).values(done=True)
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
        data = {"number": round_.number, "state": round_.state}
        session.execute(events.notify(project.id, events.Topic.ROUND, data))


def _new(told: Iterable[tuple[int, Label]], held: Iterable[Any]) -> set[int]:
    """Keys of the labels that differ from what their column said before.

    Before is also an earlier label here, so that it is the same wherever batches end.
    """
    known = {
        row.source_name: (row.verdict, row.class_id) for row in held if row.source == Source.IMPORT
    }
    news = set()
    for key, label in told:
        if known.get(label.source_name) != (label.verdict, label.class_id):
            known[label.source_name] = label.verdict, label.class_id
            news.add(key)
    return news


def find(
    session: Session, project_id: int, references: Iterable[Reference]
) -> dict[Reference, list[tuple[int, Split]]]:
    """Id and split of the images that each of ``references`` may mean."""
    wanted: dict[str, list[Any]] = defaultdict(list)
    for one in references:
        wanted[one.column].append(one.value)
    found: dict[Reference, list[tuple[int, Split]]] = defaultdict(list)
    for name, values in wanted.items():
        column = getattr(Example, name)
        statement = select(column, Example.id, Example.split).where(
            Example.project_id == project_id, column.in_(values)
        )
        for value, example_id, split in session.execute(statement):
            found[Reference(name, value)].append((example_id, split))  # type: ignore[arg-type]
    return dict(found)
