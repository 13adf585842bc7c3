"""Asking people about what was drawn for a certificate: in the open round, or one of its own."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Select, and_, exists, func, insert, or_, select
from sqlalchemy.orm import Session, aliased

from core import events
from core.artifacts.certificates import Draw, Members, taken_back
from core.database.among import among
from core.lifecycle import mark_queried, mark_unqueried, move_project, move_round
from core.rounds import (
    CERTIFICATE,
    lock_unfinished,
    new_certificate_round,
    next_number,
    pay_for_checks,
)
from core.settings.project import ProjectSettings
from core.states import CertificateState, ExampleState, ProjectState, RoundState
from core.tables import Annotation, Certificate, Example, Project, Query, Round
from core.verdicts.consensus import lock_examples
from models.catalog.params.certify import CertifyParams
from workers.closing import close_round
from workers.labels.timing import price_of_verdict

_BLOCK: Final = 2000


def asking_round(session: Session, project: Project, params: CertifyParams) -> Round | None:
    """The round in which people can be asked now; one is opened where none is under way.

    Args:
        session: In a transaction in which the project is locked.
        project: The project.
        params: Of the certificate.

    Returns:
        None while a round closes, or is being chosen: the next sweep comes back.
    """
    rounds = session.scalars(lock_unfinished(project.id)).all()
    for round_ in rounds:
        if round_.state is RoundState.OPEN:
            return round_
    if rounds or project.state not in {ProjectState.FINISHED, ProjectState.RUNNING}:
        return None
    number = session.scalars(next_number(project.id)).one()
    round_ = new_certificate_round(project, number, params.overlap)
    session.add(round_)
    session.flush()
    move_round(round_, RoundState.OPEN)
    if project.state is not ProjectState.RUNNING:
        move_project(project, ProjectState.RUNNING)
    session.execute(events.project_changed(project))
    return round_


def ask(session: Session, round_: Round, draws: Sequence[Draw], members: Members) -> None:
    """Put draws at the head of the queue of an open round, its row locked.

    What has been judged since, or waits in a queue already, needs no query of its own. The round
    may cost as much more as their answers will.
    """
    settings = ProjectSettings.model_validate(round_.settings)
    ids = [draw.example_id for draw in draws]
    session.execute(lock_examples(among(Example.id, ids)))
    unlabeled = select(Example.id).where(
        among(Example.id, ids), Example.state == ExampleState.UNLABELED
    )
    free = set(session.scalars(unlabeled)) - asked(session, ids)
    wanted = [draw for draw in draws if draw.again or draw.example_id in free]
    head = session.scalar(
        select(func.min(Query.rank)).where(Query.round_id == round_.id, ~Query.done)
    )
    first = min(head or 0, 0) - sum(_copies(draw, settings.overlap) for draw in wanted)
    rows: list[dict[str, Any]] = []
    for draw in wanted:
        known = _known(members, draw)
        for _ in range(_copies(draw, settings.overlap)):
            rows.append({**_query(round_, draw), **known, "rank": first + len(rows)})
    for start in range(0, len(rows), _BLOCK):
        session.execute(insert(Query), rows[start : start + _BLOCK])
    session.execute(mark_queried([draw.example_id for draw in wanted]))
    round_.queries += len(rows)
    if round_.strategy != CERTIFICATE:
        price = price_of_verdict(session, round_.project_id, settings.cost)
        pay_for_checks(round_, len(rows) * price)
    session.execute(events.round_changed(round_))
    session.execute(events.notify(round_.project_id, events.Topic.POOL, {}))


def cost_of_checks(session: Session, round_: Round) -> float:
    """What checks cost a round that is about to open, which the one before has left to it.

    Those that were answered meanwhile, and those that wait.
    """
    checked = aliased(Query)
    asks = exists().where(
        Certificate.project_id == round_.project_id, Certificate.state == CertificateState.ASKING
    )
    # Who looks again at one has a query of their own, which is no draw; once no certificate asks,
    # somebody else has sent it.
    again = exists().where(
        checked.example_id == Query.example_id, checked.is_drawn_for_certificate()
    )
    is_check = or_(Query.is_drawn_for_certificate(), and_(asks, Query.requested, again))
    waiting = select(func.count()).where(
        Query.project_id == round_.project_id, ~Query.done, is_check
    )
    answered = (
        select(func.coalesce(func.sum(Annotation.cost), 0.0))
        .join(Query, Query.id == Annotation.query_id)
        .where(Annotation.round_id == round_.id, is_check)
    )
    cost = ProjectSettings.model_validate(round_.settings).cost
    price = price_of_verdict(session, round_.project_id, cost)
    return session.scalars(answered).one() + session.scalars(waiting).one() * price


def _copies(draw: Draw, overlap: int) -> int:
    return 1 if draw.again else overlap


def _query(round_: Round, draw: Draw) -> dict[str, Any]:
    return {
        "project_id": round_.project_id,
        "round_id": round_.id,
        "example_id": draw.example_id,
        "requested": True,
        # No model learns from what the first of a draw's queries is answered with; who looks again
        # at what contradicts the model says nothing of how often people differ.
        "audit": not draw.again,
        "again_after": draw.after if draw.again else None,
    }


def _known(members: Members, draw: Draw) -> dict[str, Any]:
    """What the model takes it for, as of whatever else is asked."""
    at = members.place(draw.index)
    inside = float(members.inside[at])
    return {
        "predicted_class_id": int(members.likeliest[at]),
        "probability": float(members.given_any[at]),
        "in_probability": None if inside != inside else inside,
    }


def asked(session: Session, example_ids: Sequence[int]) -> set[int]:
    """Those that wait in a queue."""
    statement = select(Query.example_id).where(among(Query.example_id, example_ids), ~Query.done)
    return set(session.scalars(statement))


def last_annotation(session: Session, example_ids: Sequence[int]) -> dict[int, int]:
    """Of each example the id of the last annotation."""
    statement = (
        select(Annotation.example_id, func.max(Annotation.id))
        .where(among(Annotation.example_id, example_ids))
        .group_by(Annotation.example_id)
    )
    return dict(session.execute(statement).all())


def _asked_in(round_: Round, example_ids: Collection[int]) -> Select[int]:
    """Statement: one of the examples that wait in the queue of a round."""
    return (
        select(Query.example_id)
        .where(
            Query.round_id == round_.id,
            Query.requested,
            ~Query.done,
            among(Query.example_id, sorted(example_ids)),
        )
        .order_by(Query.example_id)
        .limit(1)
    )


def ask_no_more(session: Session, project: Project, draws: Sequence[Draw]) -> None:
    """Take back what nobody has judged; a round of its own closes, unless it asks for more.

    Of another round that would be left without a query one stays: whoever answers the last query
    of a round closes it.
    """
    rounds = session.scalars(lock_unfinished(project.id)).all()
    round_ = next((one for one in rounds if one.state is RoundState.OPEN), None)
    if round_ is None:
        return
    waiting = {draw.example_id for draw in draws if draw.outcome == "waiting"}
    others = select(func.count()).where(
        Query.round_id == round_.id, ~Query.done, ~among(Query.example_id, sorted(waiting))
    )
    # What others have sent to the queue meanwhile waits there for no certificate.
    is_empty = not session.scalar(others)
    mine = round_.strategy == CERTIFICATE
    if not mine and is_empty:
        waiting -= {session.scalar(_asked_in(round_, waiting))}
    taken = session.scalars(taken_back(round_.id, waiting)).all()
    session.execute(mark_unqueried(sorted(set(taken))))
    if mine and is_empty:
        close_round(session, project, round_)
        session.execute(events.round_changed(round_))
