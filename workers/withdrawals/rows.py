"""The rows of what is withdrawn: some at a time, so that nobody who answers waits for long.

What somebody has said of it stays, and counts no more; all else that tells of it goes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import and_, delete, exists, null, or_, select, text, update
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.database.engines import database_time
from core.lifecycle import mark_unqueried
from core.rounds import CERTIFICATE, lock_unfinished
from core.states import CertificateState, JobKind, RoundState
from core.tables import (
    Annotation,
    Certificate,
    Example,
    ExampleText,
    Job,
    Prediction,
    Project,
    Query,
    QueryMember,
    Removal,
    Round,
    Suggestion,
    Withdrawal,
    WithdrawalItem,
)
from core.verdicts.consensus import lock_examples
from core.verdicts.groups import of_group
from core.withdrawals import mark_out_of_group, mark_withdrawn
from workers.closing import close_round

AT_ONCE: Final = 2000

# Small versions are kept of images that lie elsewhere, too. A text has no file of its own.
_NOTE_FILES: Final = text(
    "INSERT INTO removal_items (removal_id, content_hash, bytes) "
    "SELECT :removal, content_hash, CASE WHEN location IS NULL THEN bytes ELSE 0 END "
    "FROM examples WHERE id = ANY(CAST(:ids AS bigint[])) AND width IS NOT NULL"
)
# As ``core.withdrawals.object_key`` does.
_NOTE_OBJECTS: Final = text(
    "INSERT INTO withdrawn_objects (project_id, key) "
    "SELECT DISTINCT project_id, sha256(convert_to(project_id || ' ' || location, 'UTF8')) "
    "FROM examples WHERE id = ANY(CAST(:ids AS bigint[])) AND location IS NOT NULL "
    "ON CONFLICT DO NOTHING"
)
_FORGET_OBJECTS: Final = text(
    "DELETE FROM sync_objects USING syncs, examples "
    "WHERE examples.id = ANY(CAST(:ids AS bigint[])) AND syncs.project_id = :project "
    "AND starts_with(examples.location, rtrim(syncs.location, '/') || '/') "
    "AND sync_objects.sync_id = syncs.id "
    "AND sync_objects.name = substr(examples.location, length(rtrim(syncs.location, '/')) + 2)"
)
# A group of copies is named by one of them, and one that is left alone has no copy.
_REGROUP: Final = text(
    "UPDATE examples SET duplicates_of = CASE WHEN left_.n > 1 THEN left_.first END "
    "FROM (SELECT duplicates_of AS was, min(id) AS first, count(*) AS n FROM examples "
    "WHERE project_id = :project AND split IS NOT NULL "
    "AND duplicates_of = ANY(CAST(:groups AS bigint[])) GROUP BY duplicates_of) left_ "
    "WHERE project_id = :project AND duplicates_of = left_.was AND split IS NOT NULL "
    "AND (left_.n = 1 OR left_.was = ANY(CAST(:ids AS bigint[])))"
)
_GROUPS: Final = text(
    "SELECT DISTINCT duplicates_of FROM examples "
    "WHERE id = ANY(CAST(:ids AS bigint[])) AND duplicates_of IS NOT NULL"
)


def withdraw_some(session: Session, withdrawal_id: int) -> bool:
    """Take the next examples of a withdrawal out of their project; whether any are left.

    Args:
        session: In a transaction of its own.
        withdrawal_id: Of one that may have gone with its project meanwhile.
    """
    held = _held(session, withdrawal_id)
    if held is None or held[1].withdrawn_at is not None:
        return False
    project, withdrawal = held
    ids = _withdraw_after(session, project, withdrawal, withdrawal.last_id)
    if ids:
        withdrawal.done += len(ids)
        withdrawal.last_id = ids[-1]
    if len(ids) == AT_ONCE:
        return True
    withdrawal.withdrawn_at = database_time(session)
    session.execute(events.notify(project.id, events.Topic.POOL, {}))
    session.execute(events.notify(project.id, events.Topic.REVIEW, {}))
    return False


def withdraw_again(session: Session, withdrawal_id: int, after: int) -> int | None:
    """Take back what jobs have said of withdrawn examples that had read them before.

    Args:
        session: In a transaction of its own.
        withdrawal_id: Of one whose examples are out of the project.
        after: Id of the last example that was looked at.

    Returns:
        Id of the last example; None if there are no more.
    """
    held = _held(session, withdrawal_id)
    ids = [] if held is None else _withdraw_after(session, *held, after)
    return ids[-1] if len(ids) == AT_ONCE else None


def _held(session: Session, withdrawal_id: int) -> tuple[Project, Withdrawal] | None:
    """A withdrawal and its project, locked in the order that everybody keeps; rounds come next."""
    of = select(Withdrawal.project_id).where(Withdrawal.id == withdrawal_id)
    project = session.get(Project, session.scalar(of) or 0, with_for_update={"key_share": True})
    withdrawal = session.get(Withdrawal, withdrawal_id, with_for_update={"key_share": True})
    return None if project is None or withdrawal is None else (project, withdrawal)


def _withdraw_after(
    session: Session, project: Project, withdrawal: Withdrawal, after: int
) -> list[int]:
    """The next examples of a withdrawal, which are out of the project then."""
    following = (
        select(WithdrawalItem.example_id)
        .where(WithdrawalItem.withdrawal_id == withdrawal.id, WithdrawalItem.example_id > after)
        .order_by(WithdrawalItem.example_id)
        .limit(AT_ONCE)
    )
    ids = list(session.scalars(following))
    if ids:
        rounds = session.scalars(lock_unfinished(project.id)).all()
        _withdraw(session, project, withdrawal, rounds, ids)
    return ids


def _withdraw(
    session: Session,
    project: Project,
    withdrawal: Withdrawal,
    rounds: Sequence[Round],
    ids: Sequence[int],
) -> None:
    values = {"ids": list(ids), "project": project.id}
    groups = _groups_of(session, ids)
    copies = session.scalars(_GROUPS, values).all()
    session.execute(
        lock_examples(
            or_(
                among(Example.id, sorted({*ids, *groups.members})),
                and_(Example.project_id == project.id, among(Example.duplicates_of, copies)),
            )
        )
    )
    session.execute(_NOTE_FILES, {**values, "removal": _removal(session, project, withdrawal)})
    session.execute(_NOTE_OBJECTS, values)
    session.execute(_FORGET_OBJECTS, values)
    # What a model saw in one that somebody had it look at.
    session.execute(
        update(Job)
        .where(
            Job.project_id == project.id,
            Job.kind == JobKind.LOOK_AT,
            among(Job.params["example_id"].as_integer(), ids),
        )
        .values(result=null(), checkpoint={})
        .execution_options(synchronize_session=False)
    )
    # First: by their suggestions is known which reviews are of groups.
    _count_no_more(session, ids, groups)
    asked_in = _ask_no_more(session, ids, groups)
    session.execute(delete(ExampleText).where(among(ExampleText.example_id, ids)))
    session.execute(mark_withdrawn(ids))
    session.execute(_REGROUP, {**values, "groups": list(copies)})
    for round_ in rounds:
        if round_.id in asked_in and round_.state is RoundState.OPEN:
            _close_if_empty(session, project, round_)


class _Groups(NamedTuple):
    """Queries that ask about examples together of which some are withdrawn.

    Attributes:
        queries: Their ids.
        firsts: The examples that what is said of the groups is stored with.
        members: All examples of the groups, those that are withdrawn among them.
    """

    queries: list[int]
    firsts: list[int]
    members: list[int]


def _groups_of(session: Session, ids: Sequence[int]) -> _Groups:
    with_some = select(QueryMember.query_id).where(among(QueryMember.example_id, ids))
    rows = session.execute(
        select(Query.id, Query.example_id, QueryMember.example_id.label("member"))
        .join(QueryMember, QueryMember.query_id == Query.id)
        .where(Query.id.in_(with_some))
    ).all()
    return _Groups(
        sorted({row.id for row in rows}),
        sorted({row.example_id for row in rows}),
        sorted({row.member for row in rows}),
    )


def _removal(session: Session, project: Project, withdrawal: Withdrawal) -> int:
    """Id of the row that says how far the files of a withdrawal are gone."""
    of = select(Removal.id).where(Removal.withdrawal_id == withdrawal.id)
    found = session.scalar(of)
    if found is None:
        made = Removal(project_id=project.id, project=project.name, withdrawal_id=withdrawal.id)
        session.add(made)
        session.flush()
        found = made.id
    return found


def _ask_no_more(session: Session, ids: Sequence[int], groups: _Groups) -> set[int]:
    """Nobody is asked any more; returns the ids of rounds whose queues are shorter now."""
    asks = or_(among(Query.example_id, ids), among(Query.id, groups.queries))
    closed = session.execute(
        update(Query).where(asks, ~Query.done).values(done=True).returning(Query.id, Query.round_id)
    ).all()
    ended = {row.id for row in closed}
    left = select(QueryMember.example_id).where(among(QueryMember.query_id, sorted(ended)))
    session.execute(mark_unqueried(sorted({*session.scalars(left)} - {*ids})))
    # What models took them for, and boxes that they saw in them.
    session.execute(
        update(Query)
        .where(among(Query.example_id, ids))
        .values(
            purity=None,
            informativeness=None,
            meta_score=None,
            predicted_class_id=None,
            probability=None,
            in_probability=None,
            proposals=None,
            proposed_by=None,
        )
    )
    session.execute(delete(Prediction).where(among(Prediction.example_id, ids)))
    doubted = among(Suggestion.example_id, [*ids, *groups.firsts])
    session.execute(delete(Suggestion).where(doubted))
    return {row.round_id for row in closed}


def _count_no_more(session: Session, ids: Sequence[int], groups: _Groups) -> None:
    """Answers stay, and count no more; so do those on groups that lack a row now."""
    of_them = or_(
        among(Annotation.example_id, ids),
        among(Annotation.query_id, groups.queries),
        and_(
            among(Annotation.example_id, groups.firsts), Annotation.query_id.is_(None), of_group()
        ),
    )
    # Notes tell what is in it. Of answers that come later none are kept (``AnswerLedger``).
    session.execute(
        update(Annotation)
        .where(of_them, or_(Annotation.counted, Annotation.note.is_not(None)))
        .values(counted=False, note=None)
        .execution_options(synchronize_session=False)
    )
    if left := sorted({*groups.members} - {*ids}):
        session.execute(mark_out_of_group(left))


def _close_if_empty(session: Session, project: Project, round_: Round) -> None:
    """Close a round of which nothing is left to ask: nobody will answer its last query."""
    if session.scalar(select(exists().where(Query.round_id == round_.id, ~Query.done))):
        return
    asks = exists().where(
        Certificate.project_id == project.id, Certificate.state == CertificateState.ASKING
    )
    # It gets its next checks, or is closed, when the certificate goes on.
    if round_.strategy == CERTIFICATE and session.scalar(select(asks)):
        return
    close_round(session, project, round_)
    session.execute(events.round_changed(round_))
