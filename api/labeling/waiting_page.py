"""What happens while an annotator has no image: which round is at work, and what comes next."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.access import standings
from api.callers.principal import Principal
from api.jobs.schemas import Progress
from api.jobs.waiting import ADMINS, TOLD, reasons_for
from api.labeling import status
from api.labeling.schemas import Between, MyRound, RoundFailure, RoundStatus
from core.media.nouns import in_words_of
from core.rounds import AUDIT, CERTIFICATE, waits_for_help
from core.settings import settings
from core.states import JobState, Medium, ProjectRole, Verdict
from core.tables import Annotation, Job, Member, Project, Round, User


async def describe(session: AsyncSession, principal: Principal, project: Project) -> Between:
    """How far the oldest round is that is not closed, or else the last one, and what is next."""
    rounds = (await session.scalars(status.unfinished(project.id).limit(2))).all()
    now = next(iter(rounds), None) or await _last(session, project)
    job = await _job(session, now) if rounds else None
    following = rounds[1] if len(rounds) > 1 else None
    of_now = [now.job_id] if now and now.job_id else []
    waits = await reasons_for(session, settings(), principal, of_now)
    return Between(
        round=_shown(now),
        checks=now is not None and now.strategy in {AUDIT, CERTIFICATE},
        failure=await _failure(session, principal, now, project.medium),
        next=_shown(following),
        job_id=job.id if job else None,
        waits=next(iter(waits.values()), None),
        progress=Progress.model_validate(job.progress) if job and job.progress else None,
        mine=await _mine(session, principal, now),
    )


def _shown(round_: Round | None) -> RoundStatus | None:
    if round_ is None:
        return None
    return RoundStatus(
        number=round_.number, state=round_.state, spent=round_.spent, budget=round_.budget
    )


async def _last(session: AsyncSession, project: Project) -> Round | None:
    latest = select(Round).where(Round.project_id == project.id).order_by(Round.number.desc())
    return (await session.scalars(latest.limit(1))).one_or_none()


async def _job(session: AsyncSession, round_: Round | None) -> Job | None:
    """What is closing the round, or choosing its images, while it runs."""
    if round_ is None or round_.job_id is None:
        return None
    statement = select(Job).where(Job.id == round_.job_id, Job.state == JobState.RUNNING)
    return (await session.scalars(statement)).one_or_none()


async def _failure(
    session: AsyncSession, principal: Principal, round_: Round | None, medium: Medium
) -> RoundFailure | None:
    if round_ is None:
        return None
    job = await session.get(Job, round_.job_id) if round_.job_id else None
    phase = job.progress["phase"] if job and job.progress else None
    if not waits_for_help(round_.state, job.state if job else None, phase):
        return None
    roles = await standings(session, principal, [round_.project_id])
    if roles[round_.project_id] is ProjectRole.ANNOTATOR:
        job = None
    return RoundFailure(
        number=round_.number,
        tell=await _who_can_help(session, round_.project_id),
        job_id=job.id if job else None,
        detail=in_words_of(medium, job.error["detail"]) if job and job.error else None,
    )


async def _who_can_help(session: AsyncSession, project_id: int) -> list[str]:
    """Names of those who manage the project, the longest-standing first; admins if nobody does."""
    managers = (
        select(User.name)
        .join(Member, Member.user_id == User.id)
        .where(Member.project_id == project_id, Member.role == ProjectRole.MANAGER, User.active)
        .order_by(Member.added_at, User.id)
        .limit(TOLD)
    )
    return list((await session.scalars(managers)).all() or (await session.scalars(ADMINS)).all())


async def _mine(session: AsyncSession, principal: Principal, round_: Round | None) -> MyRound:
    """My answers to a round as they stand after corrections."""
    statement = select(
        func.count(),
        func.count().filter(Annotation.verdict == Verdict.LABEL),
        func.count().filter(Annotation.verdict == Verdict.OOD),
        func.percentile_cont(0.5).within_group(Annotation.seconds),
    ).where(
        Annotation.round_id == (round_.id if round_ else None), status.own_answers(principal.id)
    )
    answers, inside, ood, seconds = (await session.execute(statement)).one()
    return MyRound(answers=answers, inside=inside, ood=ood, median_seconds=seconds)
