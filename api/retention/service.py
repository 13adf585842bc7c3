from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.retention.schemas import RetentionOut
from core.retention import due_at
from core.tables import Annotation, Example, Project
from core.withdrawals import is_kept


async def retain(
    session: AsyncSession, principal: Principal, project: Project, days: int | None
) -> None:
    """Say how many days after it is finished a locked project is deleted; none keeps it."""
    if days == project.retain_days:
        return
    before = project.retain_days
    project.retain_days = days
    project.retain_since = None if days is None else await session.scalar(select(func.now()))
    record(
        session, principal, "retain", "project", project.id, project_id=project.id,
        changes={"days": [before, days]},
    )  # fmt: skip


async def described(session: AsyncSession, projects: Sequence[Project]) -> list[RetentionOut]:
    """What goes of each project, and when; those that go first come first."""
    ids = [project.id for project in projects]
    images = select(Example.project_id, func.count()).where(Example.project_id.in_(ids), is_kept())
    answers = select(Annotation.project_id, func.count()).where(Annotation.project_id.in_(ids))
    held = dict((await session.execute(images.group_by(Example.project_id))).all())
    said = dict((await session.execute(answers.group_by(Annotation.project_id))).all())
    found = [
        RetentionOut(
            project_id=project.id,
            project=project.name,
            state=project.state,
            days=project.retain_days,
            since=project.retain_since,
            finished_at=project.finished_at,
            due_at=due_at(project),
            images=held.get(project.id, 0),
            answers=said.get(project.id, 0),
        )
        for project in projects
    ]
    last = datetime.max.replace(tzinfo=UTC)
    return sorted(found, key=lambda one: (one.due_at or last, one.project_id))


async def all_limited(session: AsyncSession) -> list[RetentionOut]:
    """Every project that is not kept for good."""
    statement = select(Project).where(Project.retain_days.is_not(None)).order_by(Project.id)
    return await described(session, (await session.scalars(statement)).all())
