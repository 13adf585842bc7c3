"""Asking once more for the answers that are most probably wrong, while the round goes on."""

from collections import defaultdict
from typing import Any, Final

import numpy as np
from sqlalchemy import ColumnElement, and_, distinct, func, or_, select
from sqlalchemy.orm import Session, aliased

from core.database.among import among
from core.states import ExampleState, Source, Verdict
from core.tables import Annotation, Example, Query, Round
from core.tasks.registry import task_type
from core.verdicts.consensus import Vote, lock_examples, opinions, votes
from models.relabeling.second_looks import doubtful
from workers.advance.advance import Advance
from workers.labels.timing import price_of_verdict

_USUAL: Final = 0.05
"""Share of the budget where several people label, and nobody has chosen another."""
_SEVERAL: Final = 2


def choose(advance: Advance) -> list[int]:
    """Pool indices of the answers to ask for once more, the most doubtful first.

    Only where labels are judged by what has not learned from them: by embeddings that stay.
    """
    snapshot = advance.snapshot
    if advance.closing is None or not advance.frozen or len(snapshot.labeled) == 0:
        return []
    if not task_type(snapshot.task).names_one_class:
        return []
    with advance.context.sessions() as session:
        most = _most(session, advance)
        if most == 0:
            return []
        before = _asked_again(session, advance.context.project_id)
    labels = snapshot.labels.outputs(snapshot.classes)
    left_alone = (
        np.isin(snapshot.labeled, snapshot.reviewed)
        | np.isin(snapshot.labeled, before)
        # What came with a label is for the job that looks at labels, and for whoever pays for it.
        | (snapshot.label_rounds < 0)
    )
    rows = advance.used_embeddings()
    found = doubtful(
        np.asarray(rows[snapshot.labeled]),
        labels,
        classes=snapshot.classes + 1,
        most=most,
        seed=advance.seed,
        settled=left_alone,
        progress=advance.context.progress,
    )
    return [int(index) for index in snapshot.labeled[found]]


def _most(session: Session, advance: Advance) -> int:
    """How many second looks the coming round's budget has room for."""
    chosen, cost = advance.settings.second_looks, advance.settings.cost
    if chosen is None:
        people = select(func.count(distinct(Annotation.annotator_id))).where(
            Annotation.project_id == advance.context.project_id,
            Annotation.source == Source.ANNOTATOR,
            Annotation.counted,
        )
        chosen = _USUAL if (session.scalar(people) or 0) >= _SEVERAL else 0.0
    price = price_of_verdict(session, advance.context.project_id, cost)
    return int(chosen * advance.settings.budget / price)


def _asked_again(session: Session, project_id: int) -> list[int]:
    """Pool indices of what was asked for twice already: once more would hardly say more."""
    statement = (
        select(Example.pool_index)
        .join(Query, Query.example_id == Example.id)
        .where(Query.project_id == project_id, Query.again_after.is_not(None))
        .distinct()
    )
    return list(session.scalars(statement))


def queries(session: Session, project_id: int, pool_indices: list[int]) -> list[dict[str, Any]]:
    """What the head of a queue asks for once more, as it stands now; the examples are locked.

    What a reviewer has settled meanwhile, or waits in a queue already, is left out; and so is what
    several have answered: a second look replaces one vote, and those that stay would outvote it.
    """
    if not pool_indices:
        return []
    mine = and_(Example.project_id == project_id, among(Example.pool_index, pool_indices))
    session.execute(lock_examples(mine))
    found = dict(
        session.execute(
            select(Example.pool_index, Example.id).where(
                mine, Example.state.in_((ExampleState.LABELED, ExampleState.OOD)), ~_waits()
            )
        ).all()
    )
    said: dict[int, list[Any]] = defaultdict(list)
    for row in session.execute(votes().where(among(Annotation.example_id, list(found.values())))):
        said[row.example_id].append(row)
    rows = []
    for example_id in (found[one] for one in pool_indices if one in found):
        held = [row for row in said[example_id] if opinions([Vote.of(row)])]
        if len(held) == 1 and not Vote.of(held[0]).final:
            again = {"requested": True, "again_after": held[0].id}
            rows.append({"example_id": example_id, **again})
    return rows


def _waits() -> ColumnElement[bool]:
    return select(Query.id).where(Query.example_id == Example.id, ~Query.done).exists()


def asked(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What an open round keeps of its second looks: ``outcome`` tells them from what people ask."""
    return {"second_looks": {"examples": [row["example_id"] for row in rows]}} if rows else {}


def outcome(session: Session, round_: Round) -> dict[str, int] | None:
    """How many second looks of a round were answered, and how many gave another answer.

    None without any. Of a round that closes once more it is what was found at first.
    """
    known: dict[str, Any] = round_.metrics.get("second_looks", {})
    if "answered" in known:
        return known
    if not (examples := known.get("examples")):
        return None
    before = aliased(Annotation)
    statement = (
        select(
            func.count(),
            func.count().filter(
                or_(
                    before.verdict != Annotation.verdict,
                    before.label.is_distinct_from(Annotation.label),
                )
            ),
        )
        .select_from(Annotation)
        .join(Query, Query.id == Annotation.query_id)
        .join(before, before.id == Annotation.supersedes_id)
        .where(
            Query.round_id == round_.id,
            among(Query.example_id, examples),
            # A correction of the second look itself is none.
            before.id <= Query.again_after,
            Annotation.counted,
            Annotation.verdict != Verdict.SKIP,
        )
    )
    answered, changed = session.execute(statement).one()
    return {"answered": answered, "changed": changed} if answered else None


def opening_note(count: int) -> list[str]:
    """What a round says of its second looks as it opens."""
    if count == 0:
        return []
    if count == 1:
        return ["Its queue begins with an answer that is most probably wrong, for a second look."]
    return [
        f"Its queue begins with {count} answers that are most probably wrong, for a second look."
    ]


def closing_note(found: dict[str, int] | None) -> list[str]:
    """What a round says of its second looks as it closes."""
    if found is None:
        return []
    return [f"Second looks: {found['changed']} of {found['answered']} gave another answer."]
