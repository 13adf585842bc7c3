"""What an annotator sees first: a fixed number of statements, each bounded whatever the pool."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.home import statements as sql
from api.home.schemas import (
    Agreed,
    DayOfWork,
    Home,
    MyAgreement,
    Pace,
    ProjectWork,
    ReviewsWaiting,
)
from api.jobs.waiting import reasons_for
from api.labeling.status import describe, remaining, serving_round
from api.reviews import disagreements
from api.schemas import days
from core.settings import settings
from core.states import ProjectState, RoundState
from core.tables import Member, Project, Round
from core.tasks.registry import task_type

_DAYS: Final = 14
# Newer projects first; whoever is in more sees the rest on their own pages.
_PROJECTS: Final = 100
# Of more, the pages say that there are more.
_SHOWN: Final = 1000


async def home(session: AsyncSession, principal: Principal, offset_minutes: int) -> Home:
    """What waits for the caller, their pace and their agreement.

    Args:
        session: The transaction.
        principal: Whose home it is.
        offset_minutes: Of the caller's clock from UTC, in -840..840: their days are counted.
    """
    mine = (
        select(Project)
        .join(Member, Member.project_id == Project.id)
        .where(Member.user_id == principal.id)
        .order_by(Project.id.desc())
        .limit(_PROJECTS)
    )
    projects = (await session.scalars(mine)).all()
    ids = [project.id for project in projects]
    return Home(
        projects=await _work(session, principal, projects),
        pace=await _pace(session, principal, ids, timedelta(minutes=offset_minutes)),
        agreement=await _agreement(session, principal, projects),
    )


async def _work(
    session: AsyncSession, principal: Principal, projects: Sequence[Project]
) -> list[ProjectWork]:
    ids = [project.id for project in projects]
    statement = (
        select(Round)
        .where(Round.project_id.in_(ids), Round.state != RoundState.CLOSED)
        .order_by(Round.number)
    )
    rounds: dict[int, list[Round]] = defaultdict(list)
    for round_ in await session.scalars(statement):
        rounds[round_.project_id].append(round_)
    serving = {
        project.id: found
        for project in projects
        if project.state is ProjectState.RUNNING and (found := serving_round(rounds[project.id]))
    }
    free = await _free(session, principal, [round_.id for round_ in serving.values()])
    reviews = await _reviews(session, ids)
    disputes = await disagreements.waiting_for(session, principal, ids, _SHOWN)
    # What is done for a project now is for the first of its rounds that are not closed.
    jobs = {id_: found[0].job_id for id_, found in rounds.items() if found and found[0].job_id}
    kept = await reasons_for(session, settings(), principal, jobs.values())
    return [
        _project(
            project,
            rounds[project.id],
            serving.get(project.id),
            free,
            reviews.get(project.id),
            disputes[project.id],
            kept.get(jobs.get(project.id, 0)),
        )
        for project in projects
    ]


def _project(
    project: Project,
    rounds: Sequence[Round],
    serving: Round | None,
    free: dict[int, int],
    reviews: ReviewsWaiting | None,
    disputes: int,
    kept: str | None,
) -> ProjectWork:
    waiting = free[serving.id] if serving else 0
    if serving is not None and serving.state is RoundState.OPEN:
        affordable = remaining(serving)
        waiting = waiting if affordable is None else min(waiting, affordable)
    status = describe(
        project.state, rounds, classes_version=project.classes_version, served=waiting > 0
    )
    draft = project.state is ProjectState.DRAFT
    return ProjectWork(
        id=project.id,
        name=project.name,
        medium=project.medium,
        state=project.state,
        waiting=waiting,
        waiting_for="start" if draft else status.waiting_for,
        waits=kept if status.waiting_for == "training" else None,
        reviews=reviews,
        disagreements=disputes,
    )


async def _free(
    session: AsyncSession, principal: Principal, rounds: Sequence[int]
) -> dict[int, int]:
    values = {"rounds": list(rounds), "me": principal.id, "shown": _SHOWN}
    found = await session.execute(sql.FREE, values)
    return {row.id: row.free for row in found}


async def _reviews(session: AsyncSession, ids: Sequence[int]) -> dict[int, ReviewsWaiting]:
    found = await session.execute(sql.REVIEWS, {"projects": list(ids)})
    return {row.project_id: ReviewsWaiting(job_id=row.job_id, open=row.open) for row in found}


async def _pace(
    session: AsyncSession, principal: Principal, ids: Sequence[int], offset: timedelta
) -> Pace:
    today = days.today(offset)
    first = today - timedelta(days=_DAYS - 1)
    values = {
        "projects": list(ids),
        "me": principal.id,
        "offset": offset,
        "first": days.beginning(first, offset),
        "limit": sql.LATEST,
    }
    rows = (await session.execute(sql.DAYS, values)).all()
    cut: datetime | None = rows[0].cut if rows else None
    since = first if cut is None else (cut + offset).date() + timedelta(days=1)
    by_day = {row.day: row for row in rows if row.day is not None}
    shown = [_day(first + timedelta(days=index), by_day) for index in range(_DAYS)]
    return Pace(days=shown, since=max(first, min(since, today)))


def _day(day: date, found: dict[date, Any]) -> DayOfWork:
    row = found.get(day)
    if row is None:
        return DayOfWork(date=day, verdicts=0, seconds=0)
    return DayOfWork(date=day, verdicts=row.verdicts, seconds=row.seconds)


async def _agreement(
    session: AsyncSession, principal: Principal, projects: Sequence[Project]
) -> MyAgreement:
    values = {
        "projects": [project.id for project in projects],
        "of_groups": [project.id for project in projects if task_type(project.task).of_groups],
        "me": principal.id,
        "limit": sql.LATEST,
        "compared": sql.COMPARED,
    }
    row = (await session.execute(sql.AGREEMENT, values)).one()
    return MyAgreement(
        in_ood=Agreed(compared=row.pairs, same=row.same_side),
        classes=Agreed(compared=row.class_pairs, same=row.same_class),
        reviews=Agreed(compared=row.reviewed, same=row.upheld),
    )
