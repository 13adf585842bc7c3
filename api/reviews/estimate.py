"""What the decisions of a review say: how often it was right, what is left, and when to stop."""

from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.reviews.audit import audited
from api.reviews.desk import suggested_by
from api.reviews.learning import Learned
from api.reviews.schemas import IntervalOut, Remaining, ReviewAuditOut, ReviewEstimate
from core.errors import NotFound
from core.states import Decision
from core.tables import Job, Project, Suggestion
from models.numerics.intervals import FEWEST, Interval, clopper_pearson, wilson

_NEXT: Final = 20
_USUAL_SHARE: Final = 0.5


async def estimate(session: AsyncSession, project: Project, job_id: int) -> ReviewEstimate:
    """What the decisions on the suggestions of a job say so far."""
    job = await session.get(Job, job_id)
    suggested = and_(suggested_by(project, job_id), Suggestion.inclusion.is_(None))
    found = (await session.execute(_counts(suggested))).one()
    audit = await _audit(session, project, job_id)
    if job is None or not (found.total or audit):
        raise NotFound("review")
    share = float((job.result or {}).get("share") or _USUAL_SHARE)
    learned = await Learned.of(session, project, job_id)
    left = await _left(session, and_(suggested, Suggestion.decision.is_(None)), learned, share)
    enough = found.decided >= FEWEST
    return ReviewEstimate(
        job_id=job_id,
        share=share,
        decided=found.decided,
        wrong=found.wrong,
        right=found.right,
        precision=_out(wilson(found.wrong, found.decided)) if enough else None,
        class_precision=_out(wilson(found.right, found.decided)) if enough else None,
        remaining=left,
        advice=_advice(left, share, enough=enough),
        audit=audit,
    )


def _counts(which: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    """How many are decided, unsure ones apart; how many labels were wrong, and proposals right."""
    decision = Suggestion.decision
    sure = and_(decision.is_not(None), decision != Decision.UNSURE)
    return select(
        func.count().label("total"),
        func.count().filter(decision.is_(None)).label("open"),
        func.count().filter(sure).label("decided"),
        func.count().filter(and_(sure, decision != Decision.KEEP)).label("wrong"),
        func.count().filter(decision == Decision.ACCEPT).label("right"),
        func.max(Suggestion.inclusion).label("inclusion"),
    ).where(which)


async def _left(
    session: AsyncSession, which: ColumnElement[bool], learned: Learned, share: float
) -> Remaining:
    wrong, right = learned.is_wrong(), learned.is_right()
    totals = select(
        func.count(),
        func.coalesce(func.sum(wrong), 0.0),
        func.coalesce(func.sum(right), 0.0),
        func.coalesce(func.sum(case((wrong >= share, 1), else_=0)), 0),
    ).where(which)
    count, expected_wrong, expected_right, worth = (await session.execute(totals)).one()
    ahead = select(wrong.label("wrong")).where(which).order_by(*learned.order()).limit(_NEXT)
    following = await session.scalar(select(func.avg(ahead.subquery().c.wrong)))
    return Remaining(
        open=count,
        expected_wrong=expected_wrong,
        expected_right=expected_right,
        worth=worth,
        next_wrong=following,
    )


def _advice(
    left: Remaining, share: float, *, enough: bool
) -> Literal["too_few", "go_on", "stop", "done"]:
    if left.next_wrong is None:
        return "done"
    if not enough:
        return "too_few"
    return "go_on" if left.next_wrong >= share else "stop"


async def _audit(session: AsyncSession, project: Project, job_id: int) -> ReviewAuditOut | None:
    found = (await session.execute(_counts(audited(project, job_id)))).one()
    if not found.total:
        return None
    labels = round(found.total / found.inclusion)
    left = clopper_pearson(found.wrong, found.decided) if found.decided else None
    return ReviewAuditOut(
        size=found.total,
        open=found.open,
        decided=found.decided,
        wrong=found.wrong,
        labels=labels,
        inclusion=found.inclusion,
        error_left=None if left is None else _out(left),
    )


def _out(found: Interval) -> IntervalOut:
    return IntervalOut(share=found.share, low=found.low, high=found.high)
