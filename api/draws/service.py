"""Random draws that judge the models: what they say, and asking for more at once."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, distinct, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.audit import record
from api.callers.principal import Principal
from api.draws.schemas import AuditAsked, AuditEstimate, AuditShare, ClassAudit, HumanError
from api.examples.predicted import UNKNOWN, predictions_of
from api.examples.scores import scores_if_there
from api.telling import tell
from core.database.among import among
from core.database.engines import database_time
from core.errors import Conflict
from core.events import Topic
from core.files.storage import Storage
from core.lifecycle import mark_queried, move_project, move_round
from core.rounds import extend_budget, lock_unfinished, new_audit_round, next_number, note_draws
from core.settings.project import ProjectSettings
from core.states import ExampleState, ProjectState, RoundState, Split, Verdict
from core.tables import Annotation, Example, Project, Query, Round
from core.tasks.registry import task_type
from core.verdicts.consensus import lock_examples
from core.withdrawals import is_kept

_BLOCK: Final = 2000
_CONFIDENCE: Final = 0.95
_UNJUDGED: Final = (ExampleState.UNLABELED, ExampleState.QUERIED)


async def show(session: AsyncSession, project: Project) -> AuditEstimate:
    """What the draws of a project say of its newest model that was measured by them."""
    measured = (
        select(Round.number, Round.metrics["audit"])
        .where(Round.project_id == project.id, Round.metrics.has_key("audit"))
        .order_by(Round.number.desc())
        .limit(1)
    )
    found = (await session.execute(measured)).one_or_none()
    number, known = (None, {}) if found is None else found
    drawn, answered, waiting = await _counts(session, project)
    unlooked = await session.scalar(
        select(func.count()).where(
            Example.project_id == project.id,
            Example.split == Split.POOL,
            Example.state.in_(_UNJUDGED),
        )
    )
    refused = _refusal(project)
    settings = ProjectSettings.model_validate(project.settings)
    return AuditEstimate(
        round=number,
        drawn=drawn,
        answered=answered,
        waiting=waiting,
        unsure=known.get("unsure", 0),
        confidence=known.get("confidence", _CONFIDENCE),
        of=known.get("lot"),
        beyond=known.get("beyond", 0),
        past=known.get("past", 0),
        unlooked=unlooked or 0,
        accuracy=_share(known.get("accuracy")),
        inside=_share(known.get("in")),
        ood=_share(known.get("ood")),
        ood_share=_share(known.get("ood_share")),
        per_class=[ClassAudit.model_validate(one) for one in known.get("per_class", [])],
        people=HumanError.model_validate(known["people"]) if known.get("people") else None,
        share_of_queue=0.0 if refused else settings.audit_share,
        refused=refused,
    )


def _share(known: Any) -> AuditShare | None:
    return None if known is None else AuditShare.model_validate(known)


def _refusal(project: Project) -> str | None:
    """Why no draws can be made, in words; None if they can."""
    if task_type(project.task).names_one_class:
        return None
    return "Only where a label is one class can draws say how often a model is right."


async def _counts(session: AsyncSession, project: Project) -> tuple[int, int, int]:
    """How many draws judge the models, how many of them are answered, and how many wait."""
    said = exists().where(
        Annotation.query_id == Query.id, Annotation.counted, Annotation.verdict != Verdict.SKIP
    )

    def count(*which: ColumnElement[bool]) -> ColumnElement[int]:
        return func.count(distinct(Query.example_id)).filter(*which)

    statement = (
        select(count(), count(said), count(~Query.done))
        .join(Example, Example.id == Query.example_id)
        .where(
            Query.project_id == project.id,
            Query.audit,
            Query.audit_probability.is_not(None),
            Query.audit_released.is_(None),
            is_kept(),
        )
    )
    drawn, answered, waiting = (await session.execute(statement)).one()
    return drawn, answered, waiting


async def ask(
    session: AsyncSession, principal: Principal, project: Project, storage: Storage, n: int
) -> AuditAsked:
    """Draw up to ``n`` images uniformly from what nobody has been shown, and ask about them first.

    Raises:
        Conflict: Labels are no classes, no image is left to draw, the project has not begun, or
            its round is about to open.
    """
    if (refusal := _refusal(project)) is not None:
        raise Conflict("no_draws", refusal)
    if project.state is ProjectState.DRAFT:
        raise Conflict(
            "project_draft", "The project has not started; start it, then have images drawn."
        )
    # Before answers have to wait: the scores are read from files, and then kept.
    await scores_if_there(session, project, storage)
    # Rounds before examples, as everybody who stores verdicts locks them.
    rounds = (await session.scalars(lock_unfinished(project.id))).all()
    round_ = _open(rounds)
    at = await session.run_sync(database_time)
    drawn, free = await _draw(session, project, round_, n)
    if not drawn:
        raise Conflict(
            "nothing_to_draw",
            "Every image of the pool was answered, is being looked at, or was drawn before.",
        )
    if round_ is None:
        round_ = await _opened(session, project, len(drawn))
    await _put(session, project, storage, round_, drawn, len(drawn) / free)
    last = await session.scalar(
        select(func.max(Example.pool_index)).where(Example.project_id == project.id)
    )
    note_draws(round_, of=(last or 0) + 1, free=free, drawn=len(drawn), requested=True, at=at)
    record(
        session,
        principal,
        "draw",
        "examples",
        None,
        project_id=project.id,
        images=len(drawn),
        round=round_.number,
    )
    tell(session, project.id, Topic.ROUND, number=round_.number, state=round_.state)
    return AuditAsked(asked=len(drawn), round=round_.number)


def _open(rounds: Sequence[Round]) -> Round | None:
    """The open round; None where all are closed.

    Raises:
        Conflict: There is one that is not open yet, or no more.
    """
    for round_ in rounds:
        if round_.state is RoundState.OPEN:
            return round_
    if not rounds:
        return None
    raise Conflict(
        "no_open_round",
        f"Round {rounds[0].number} is {rounds[0].state}. Have images drawn when the next round has "
        "opened.",
    )


async def _draw(
    session: AsyncSession, project: Project, round_: Round | None, n: int
) -> tuple[list[tuple[int, int | None]], int]:
    """Draw and lock examples: their ids, and the rank they had in the queue.

    Drawn from what was asked about but never shown, too: a strategy that chose it has come no
    further.

    Returns:
        The draws, and from how many they were drawn.
    """
    drawn, shown, waiting = aliased(Query), aliased(Query), aliased(Query)
    which = and_(
        Example.project_id == project.id,
        Example.split == Split.POOL,
        Example.state.in_(_UNJUDGED),
        ~exists().where(
            drawn.example_id == Example.id, drawn.audit, drawn.audit_released.is_(None)
        ),
        ~exists().where(
            shown.example_id == Example.id,
            ~shown.done,
            shown.requested | shown.lease_token.is_not(None),
        ),
    )
    free = await session.scalar(select(func.count()).where(which)) or 0
    ids = list(
        await session.scalars(select(Example.id).where(which).order_by(func.random()).limit(n))
    )
    if not ids:
        return [], 0
    await session.execute(lock_examples(among(Example.id, ids)))
    held = select(Query.id).where(among(Query.example_id, ids), ~Query.done).order_by(Query.id)
    await session.execute(held.with_for_update())
    # Whoever leased one meanwhile keeps it.
    rank = (
        select(func.min(waiting.rank))
        .where(
            waiting.example_id == Example.id,
            ~waiting.done,
            waiting.round_id == (0 if round_ is None else round_.id),
        )
        .scalar_subquery()
    )
    left = select(Example.id, rank).where(which, among(Example.id, ids)).order_by(func.random())
    return [(id_, at) for id_, at in await session.execute(left)], free


async def _opened(session: AsyncSession, project: Project, count: int) -> Round:
    """A round that asks about nothing but ``count`` draws, open."""
    number = (await session.scalars(next_number(project.id))).one()
    round_ = new_audit_round(project, number, count)
    session.add(round_)
    await session.flush()
    move_round(round_, RoundState.OPEN)
    if project.state is ProjectState.FINISHED:
        move_project(project, ProjectState.RUNNING)
    return round_


async def _put(
    session: AsyncSession,
    project: Project,
    storage: Storage,
    round_: Round,
    drawn: Sequence[tuple[int, int | None]],
    chance: float,
) -> None:
    """Write draws at the head of a round's queue; what they had in it before is withdrawn."""
    ids = [id_ for id_, _ in drawn]
    predicted = await predictions_of(session, project, storage, ids)
    overlap = ProjectSettings.model_validate(round_.settings).overlap
    first = select(func.min(Query.rank)).where(Query.round_id == round_.id, ~Query.done)
    head = min(await session.scalar(first) or 0, 0) - len(ids) * overlap
    withdrawn = await session.execute(
        update(Query)
        .where(among(Query.example_id, ids), ~Query.done)
        .values(done=True)
        .returning(Query.id)
    )
    rows = [
        {
            "project_id": project.id,
            "round_id": round_.id,
            "example_id": id_,
            "rank": head + at * overlap + copy,
            "requested": True,
            "audit": True,
            "audit_probability": chance,
            # The strategy has it there: it is learned from once answers have come so far.
            "audit_rank": None if rank is None else rank - 1,
            **predicted.get(id_, UNKNOWN),
        }
        for at, (id_, rank) in enumerate(drawn)
        for copy in range(overlap)
    ]
    for start in range(0, len(rows), _BLOCK):
        await session.execute(insert(Query), rows[start : start + _BLOCK])
    await session.execute(mark_queried(ids))
    # A round that was made for these draws pays for them already.
    if round_.queries:
        extend_budget(round_, len(rows) - len(withdrawn.all()))
    round_.queries += len(rows)
