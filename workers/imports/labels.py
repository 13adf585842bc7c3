"""Labels that come with an import: what they say, and how they become annotations."""

import re
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from core import events
from core.consensus import Vote, answered, is_settled, lock_examples, votes
from core.lifecycle import mark_answered
from core.project_settings import ProjectSettings
from core.rounds import lock_unfinished
from core.states import RoundState, Source, Split, Verdict
from core.tables import Annotation, Example, Project, Query, Round
from workers.closing import close_round
from workers.imports.items import Reference, Refused

_WHOLE: Final = re.compile(r"(\d{1,9})(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class Label:
    """What one column says of an image."""

    source_name: str
    verdict: Verdict
    class_id: int | None


@dataclass(frozen=True, slots=True)
class Labeled:
    """What an upload says of one image."""

    reference: Reference
    labels: tuple[Label, ...]


def read_labels(
    written: Mapping[str, str], classes: Mapping[str, int]
) -> tuple[Label, ...] | Refused:
    """Read what the columns of a row say.

    A label is the name of a class, else ``ood`` or ``unsure``, else the number of a class; where
    classes are named by numbers, a number is always a name.

    Args:
        written: Text by name of the column, none of it empty.
        classes: Ids by name, in the order of the classes: the first has the number 0.
    """
    ids = list(classes.values())
    numbered = not any(name.isdecimal() for name in classes)
    found = []
    for column, text in written.items():
        verdict, class_id = Verdict.CLASS, classes.get(text)
        if class_id is None and text.lower() in (Verdict.OOD, Verdict.UNSURE):
            verdict = Verdict(text.lower())
        elif class_id is None and numbered and (number := _number(text)) < len(ids):
            class_id = ids[number]
        elif class_id is None:
            return Refused(
                f"{column} says {text[:100]!r}: neither a class of the project, nor the number of "
                f"one (0 to {len(ids) - 1}), ood or unsure"
            )
        found.append(Label(column, verdict, class_id))
    return tuple(found)


def _number(text: str) -> int:
    """A number as it is written, also by who keeps gaps in a column of floats; else a huge one."""
    digits = _WHOLE.fullmatch(text)
    return int(digits[1]) if digits else sys.maxsize


class LabelWriter:
    """Annotates images of one project on behalf of one import."""

    def __init__(self, project_id: int, job_id: int) -> None:
        """Note whose labels they are."""
        self._project_id, self._job_id = project_id, job_id

    def write(self, session: Session, labeled: Sequence[Labeled]) -> int:
        """Store the labels, and what each image amounts to with them.

        A column that has said the same of an image before says nothing new; if it says something
        else now, that corrects it.

        Returns:
            How many annotations were added.
        """
        if not labeled:
            return 0
        rounds = session.scalars(lock_unfinished(self._project_id)).all()
        said = self._by_example(session, labeled)
        session.execute(lock_examples(Example.id.in_(said)))
        held: dict[int, list[Any]] = defaultdict(list)
        for row in session.execute(votes().where(Annotation.example_id.in_(said))):
            held[row.example_id].append(row)
        rows: list[dict[str, Any]] = []
        changed: dict[int, list[Vote]] = {}
        for example_id, labels in said.items():
            rows_of = (self._row(example_id, label, held) for label in labels.values())
            added = [row for row in rows_of if row is not None]
            if added:
                rows += added
                corrected = {row["supersedes_id"] for row in added}
                changed[example_id] = [
                    *(Vote.of(row) for row in held[example_id] if row.id not in corrected),
                    *(Vote(row["verdict"], row["class_id"]) for row in added),
                ]
        if rows:
            session.execute(insert(Annotation), rows)
            self._settle(session, changed, rounds)
        return len(rows)

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
            "seconds": 0.0,
            "cost": 0.0,
            "counted": True,
            "supersedes_id": before.id if before else None,
        }

    def _by_example(
        self, session: Session, labeled: Iterable[Labeled]
    ) -> dict[int, dict[str, Label]]:
        """Labels by image and column, the last of each; only images of the pool are annotated."""
        meant = find(session, self._project_id, {one.reference for one in labeled})
        found: dict[int, dict[str, Label]] = {}
        for one in labeled:
            for example_id, split in meant.get(one.reference, ()):
                if split is Split.POOL:
                    mine = found.setdefault(example_id, {})
                    mine.update({label.source_name: label for label in one.labels})
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
        session.execute(events.notify(project.id, "round", data))


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
