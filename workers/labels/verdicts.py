"""What is known of examples by the closing of a round: what their votes amount to."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, FromClause, Text, cast, func, or_, select, true
from sqlalchemy.orm import Session, aliased

from core.media.images.duplicates import answered_in_pool
from core.states import Source, Split, Verdict
from core.tables import Annotation, Example, Query, Round
from core.tasks.registry import label_of, stored_text
from core.tasks.spec import TaskType
from core.verdicts.consensus import Vote, as_said, by_people, consensus, holds
from models.protocols import OOD
from models.tasks.base import Targets
from workers.labels.learners import learner_of

# Number of the round of a label that was there before the first.
BEFORE_ROUNDS: Final = -1
# Below any class: an example that was looked at and has no verdict a model can learn from.
_UNSURE: Final = -2

# Of a million rows, no more are objects at a time.
_ROWS: Final = 10_000
# Of labels that may hold thousands of things.
_LABELS: Final = 20
# Of a text 0.
_SIZE: Final = (func.coalesce(Example.width, 0), func.coalesce(Example.height, 0))

Array = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Verdicts:
    """Examples with a verdict, by ascending pool index, L of them.

    Attributes:
        indices: (L,) int64 pool indices.
        is_ood: (L,) bool.
        is_unsure: (L,) bool, of which a model can learn nothing.
        targets: L; where either is true the rows mean nothing.
        rounds: (L,) int64 number of the round of the first verdict, or ``BEFORE_ROUNDS``.
        reviewed: (L,) bool, whether a reviewer settled it.
        requested: (L,) bool, whether it was first asked about on request.
        typical: (L,) bool, whether it was first asked about as typical of the pool.
    """

    indices: Array
    is_ood: Flags
    is_unsure: Flags
    targets: Targets
    rounds: Array
    reviewed: Flags
    requested: Flags
    typical: Flags


def read_verdicts(
    session: Session,
    project_id: int,
    task: TaskType[Any],
    class_ids: Sequence[int],
    closing: int | None,
    *,
    models: bool = False,
) -> Verdicts:
    """Read what is known when round ``closing`` closes; without one, before the first.

    Args:
        session: To read with.
        project_id: The project.
        task: Its task type.
        class_ids: Its classes, in the order of a model's outputs.
        closing: Number of the round.
        models: Whether what models say under certificates is known, too, where no person has said
            anything. Only labels of one class are certified.
    """
    if task.names_one_class:
        return _of_classes(session, project_id, task, class_ids, closing, models)
    return _of_labels(session, project_id, task, class_ids, closing)


def read_labeled_by_models(session: Session, project_id: int) -> Array:
    """Pool indices of what models have labeled under certificates, ascending."""
    statement = (
        select(Example.pool_index)
        .join(Annotation, Annotation.example_id == Example.id)
        .where(
            Annotation.project_id == project_id,
            Annotation.lot_id.is_not(None),
            Annotation.verdict != Verdict.SKIP,
            holds(),
        )
        .distinct()
        .order_by(Example.pool_index)
        .execution_options(yield_per=_ROWS)
    )
    return np.fromiter(session.scalars(statement), dtype=np.int64)


def read_truths(
    session: Session, project_id: int, task: TaskType[Any], class_ids: Sequence[int]
) -> tuple[Array, Targets]:
    """Pool indices of the evaluation images that can measure anything, and what they are."""
    is_class = task.names_one_class
    column = Example.label_class_id if is_class else Example.label
    found = session.execute(
        select(Example.pool_index, column if is_class else cast(column, Text), *_SIZE)
        .where(
            Example.project_id == project_id,
            Example.split == Split.EVALUATION,
            # Those whose labels contradict each other are the truth of nothing.
            column.is_not(None),
            # What the model has learned from says nothing of what it will meet.
            or_(Example.duplicates_of.is_(None), ~answered_in_pool(project_id)),
        )
        .order_by(Example.pool_index)
        .execution_options(yield_per=_ROWS if is_class else _LABELS)
    )
    learner = learner_of(task.name)
    indices: list[int] = []
    if is_class:
        output_of = {class_id: number for number, class_id in enumerate(class_ids)}
        outputs: list[int] = []
        for pool_index, class_id, *_ in found:
            indices.append(pool_index)
            outputs.append(output_of[class_id])
        classes = np.array(outputs, dtype=np.int64)
        return np.array(indices, dtype=np.int64), learner.load({"classes": classes})
    labels, sizes = _Stored(), list[tuple[int, int]]()
    for pool_index, label, width, height in found:
        indices.append(pool_index)
        labels.append(label)
        sizes.append((width, height))
    targets = learner.targets(labels, class_ids, np.array(sizes, np.int64).reshape(-1, 2))
    return np.array(indices, dtype=np.int64), targets


def _of_classes(
    session: Session,
    project_id: int,
    task: TaskType[Any],
    class_ids: Sequence[int],
    closing: int | None,
    models: bool,
) -> Verdicts:
    """Count classes as numbers: of a million verdicts in seconds."""
    output_of = {class_id: number for number, class_id in enumerate(class_ids)}
    rows = (
        (pool_index, _code(verdict, class_id, output_of), *rest)
        for pool_index, verdict, class_id, *rest in _held(
            session, project_id, (Annotation.class_id,), closing, models=models
        )
    )
    table: Array = np.fromiter(rows, dtype=np.dtype((np.int64, 6))).astype(np.int64, copy=False)
    indices, codes, first, reviewed = settle(table[:, 0], table[:, 1], table[:, 3] == 1)
    return Verdicts(
        indices=indices,
        is_ood=codes == OOD,
        is_unsure=codes == _UNSURE,
        targets=learner_of(task.name).load({"classes": np.maximum(codes, 0)}),
        rounds=table[first, 2],
        reviewed=reviewed,
        requested=table[first, 4] == 1,
        typical=table[first, 5] == 1,
    )


def _of_labels(
    session: Session,
    project_id: int,
    task: TaskType[Any],
    class_ids: Sequence[int],
    closing: int | None,
) -> Verdicts:
    """Let the task type say what labels amount to, example by example."""
    indices: list[int] = []
    labels, sizes, first = _Stored(), list[tuple[int, int]](), list[tuple[int, bool, bool]]()
    verdicts: list[Verdict] = []
    final: list[bool] = []
    for one in _agreed(session, project_id, closing):
        indices.append(one.pool_index)
        labels.append(stored_text(one.vote.label))
        verdicts.append(one.vote.verdict)
        final.append(one.vote.final)
        first.append(one.first)
        sizes.append(one.size)
    return Verdicts(
        indices=np.array(indices, dtype=np.int64),
        is_ood=np.array([one is Verdict.OOD for one in verdicts], dtype=np.bool_),
        is_unsure=np.array([one is Verdict.UNSURE for one in verdicts], dtype=np.bool_),
        targets=learner_of(task.name).targets(
            labels, class_ids, np.array(sizes, np.int64).reshape(-1, 2)
        ),
        rounds=np.array([one[0] for one in first], dtype=np.int64),
        reviewed=np.array(final, dtype=np.bool_),
        requested=np.array([one[1] for one in first], dtype=np.bool_),
        typical=np.array([one[2] for one in first], dtype=np.bool_),
    )


class _Stored(Sequence[Mapping[str, Any] | None]):
    """Labels as rows hold them, each made anew when it is asked for: as texts they are small.

    A box takes over a kilobyte as an object, and a tenth of that as text.
    """

    def __init__(self) -> None:
        self._texts: list[bytes | None] = []

    def append(self, text: str | None) -> None:
        """Add one at the end, in JSON."""
        self._texts.append(None if text is None else text.encode())

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any] | None: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Mapping[str, Any] | None]: ...

    def __getitem__(self, place: int | slice) -> Any:
        """Those at a place."""
        found = self._texts[place]
        if isinstance(found, list):
            return [None if one is None else json.loads(one) for one in found]
        return None if found is None else json.loads(found)


class Known(NamedTuple):
    """What is known of an example.

    Attributes:
        pool_index: Which.
        vote: What the votes on it amount to.
        first: Round of the first, whether that was on request, and whether as typical.
        size: Width and height; 0 of what has none.
    """

    pool_index: int
    vote: Vote
    first: tuple[int, bool, bool]
    size: tuple[int, int]


def agreed_labels(
    session: Session, project_id: int, closing: int | None
) -> Iterator[tuple[int, Vote]]:
    """What is known of examples by the closing of a round, as labels: by pool index, ascending."""
    return ((one.pool_index, one.vote) for one in _agreed(session, project_id, closing))


def _agreed(session: Session, project_id: int, closing: int | None) -> Iterator[Known]:
    """What is known of each example, by pool index, ascending: one after the other."""
    rows = _held(
        session, project_id, (Annotation.label, *_SIZE), closing, (Example.pool_index,), _LABELS
    )
    for pool_index, of_one in groupby(rows, key=itemgetter(0)):
        found = list(of_one)
        votes = [Vote(Verdict(row[1]), label_of(row[2]), row[6]) for row in found]
        vote = consensus(votes)
        assert vote is not None  # a skip is not among them
        first = found[0]
        yield Known(pool_index, vote, (first[5], *first[7:]), (first[3], first[4]))


def _held(
    session: Session,
    project_id: int,
    what: Sequence[Any],
    closing: int | None,
    by: Sequence[Any] = (),
    rows: int = _ROWS,
    *,
    models: bool = False,
) -> Iterable[Any]:
    """Votes that are known by the closing round, ordered ``by``, and then the oldest first.

    Those of ``models`` only if wanted, and where there is none of a person.

    Returns:
        Pool index, verdict, ``what`` was said, number of the round of the first verdict, whether it
        is a reviewer's, whether it was first asked about on request, and whether as typical.
    """
    last = BEFORE_ROUNDS if closing is None else closing
    rounds = select(Round.id).where(Round.project_id == project_id, Round.number <= last)

    def known(one: type[Annotation]) -> ColumnElement[bool]:
        # Imported labels are of no round.
        return or_(one.round_id.is_(None), one.round_id.in_(rounds.correlate(None)))

    said = Annotation.source != Source.MODEL
    if models:
        said = or_(said, ~by_people(Annotation.example_id, known))
    origin = _said_first()
    return session.execute(
        select(
            Example.pool_index,
            Annotation.verdict,
            *what,
            func.coalesce(origin.c.number, Round.number, BEFORE_ROUNDS),
            Annotation.source == Source.REVIEW,
            func.coalesce(origin.c.requested, Query.requested, False),
            func.coalesce(origin.c.typical, Query.typical, False),
        )
        .join(Example, Example.id == Annotation.example_id)
        .outerjoin(Round, Round.id == Annotation.round_id)
        .outerjoin(Query, Query.id == Annotation.query_id)
        .outerjoin(origin, true())
        .where(
            Annotation.project_id == project_id,
            Annotation.verdict != Verdict.SKIP,
            known(Annotation),
            said,
            # Of a later round neither an answer is known, nor that it corrects another.
            holds(considering=known),
        )
        .order_by(*by, *as_said())
        .execution_options(yield_per=rows)
    )


def _said_first() -> FromClause:
    """Of an answer to a query that asks again: the first verdict on its example.

    Its round, and whether that was asked for or typical; nothing of any other answer.
    """
    said, round_, query = aliased(Annotation), aliased(Round), aliased(Query)
    return (
        select(
            func.coalesce(round_.number, BEFORE_ROUNDS).label("number"),
            func.coalesce(query.requested, False).label("requested"),
            func.coalesce(query.typical, False).label("typical"),
        )
        .select_from(said)
        .outerjoin(round_, round_.id == said.round_id)
        .outerjoin(query, query.id == said.query_id)
        .where(
            Query.again_after.is_not(None),
            said.example_id == Annotation.example_id,
            said.counted,
            said.verdict != Verdict.SKIP,
        )
        .order_by(said.id)
        .limit(1)
        .correlate(Annotation, Query)
        .lateral()
    )


def settle(
    indices: Array, labels: Array, final: NDArray[np.bool_]
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """What the votes on each example amount to, by the rule of ``core.verdicts.consensus``.

    Args:
        indices: (V,) pool index of each vote, oldest vote first.
        labels: (V,) int64, at least ``_UNSURE``.
        final: (V,) whether a reviewer gave it.

    Returns:
        (L,) distinct pool indices, ascending; (L,) label of each; (L,) position of its first vote
        in 0..V-1; (L,) whether the label is a reviewer's.
    """
    unique, first = np.unique(indices, return_index=True)
    if len(unique) == len(indices):
        return unique, labels[first], first, final[first]
    span = labels.max() - _UNSURE + 1
    said, earliest, count = np.unique(
        indices * span + labels - _UNSURE, return_index=True, return_counts=True
    )
    order = np.lexsort((earliest, -count, said // span))
    _, best = np.unique(said[order] // span, return_index=True)
    agreed = said[order][best] % span + _UNSURE
    last_first = np.flatnonzero(final)[::-1]
    reviewed, latest = np.unique(indices[last_first], return_index=True)
    settled = np.searchsorted(unique, reviewed)
    agreed[settled] = labels[last_first][latest]
    by_reviewer = np.zeros(len(unique), dtype=np.bool_)
    by_reviewer[settled] = True
    return unique, agreed, first, by_reviewer


def _code(verdict: Verdict, class_id: int | None, output_of: dict[int, int]) -> int:
    if verdict is Verdict.LABEL:
        assert class_id is not None
        return output_of[class_id]
    return OOD if verdict is Verdict.OOD else _UNSURE
