"""Which project a caller may see, label or manage. Every project route goes through here."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy import ColumnElement, and_, exists, select, true
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.callers.principal import CurrentUser, Principal
from api.deps import SessionDep, speak_of, transaction
from api.schemas.parameters import PathId
from core.errors import Forbidden, NotFound
from core.states import ProjectRole
from core.tables import Member, Project

ProjectId = PathId

# Of its own name, as statements may join members for other reasons.
_Mine = aliased(Member)

_REFUSED = {
    ProjectRole.REVIEWER: (
        "reviewer_required",
        "Only reviewers and managers of the project, and admins, may do this.",
    ),
    ProjectRole.MANAGER: (
        "manager_required",
        "Only managers of the project, and admins, may do this.",
    ),
}


def seen(
    principal: Principal, project_id: Any, least: ProjectRole = ProjectRole.ANNOTATOR
) -> ColumnElement[bool]:
    """Condition: the caller is an admin, or a member of ``project_id`` in at least this role.

    A token that is bound to a project sees no other.
    """
    wanted: list[ColumnElement[bool]] = []
    if principal.project_id is not None:
        wanted.append(project_id == principal.project_id)
    if not principal.admin:
        wanted.append(
            exists().where(
                _Mine.project_id == project_id,
                _Mine.user_id == principal.id,
                _Mine.role.in_(least.and_above),
            )
        )
    return and_(true(), *wanted)


async def standings(
    session: AsyncSession, principal: Principal, project_ids: Sequence[int]
) -> dict[int, ProjectRole]:
    """The caller's role in each of the projects, without those that they are no member of."""
    if principal.admin:
        return dict.fromkeys(project_ids, ProjectRole.MANAGER)
    statement = select(Member.project_id, Member.role).where(
        Member.user_id == principal.id, Member.project_id.in_(project_ids)
    )
    return dict((await session.execute(statement)).all())


async def visible_project(
    session: AsyncSession,
    principal: Principal,
    project_id: int,
    *,
    least: ProjectRole = ProjectRole.ANNOTATOR,
    lock: bool = False,
    what: str = "project",
) -> Project:
    """The project, if the caller is an admin or a member; otherwise it does not exist for them.

    Args:
        session: The transaction.
        principal: Who calls.
        project_id: Which project.
        least: What a member must be to do what is asked.
        lock: Lock its row.
        what: Was asked for: something of a foreign project must look like something that is not
            there.

    Raises:
        NotFound: There is no such project for the caller.
        Forbidden: They are a member, and not in this role.
    """
    statement = select(Project, Member.role).outerjoin(
        Member, and_(Member.project_id == Project.id, Member.user_id == principal.id)
    )
    statement = statement.where(Project.id == project_id, seen(principal, Project.id))
    if lock:
        # NO KEY UPDATE: annotators' inserts, which reference the row, do not wait for it.
        statement = statement.with_for_update(of=Project, key_share=True)
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        raise NotFound(what)
    project, role = row
    if not principal.admin and role not in least.and_above:
        raise Forbidden(*_REFUSED[least])
    speak_of(session, project.medium)
    return project


async def managed_project(
    session: AsyncSession,
    principal: Principal,
    project_id: int,
    *,
    lock: bool = False,
    what: str = "project",
) -> Project:
    """The project, if the caller may also change it; ``what`` as in ``visible_project``."""
    return await visible_project(
        session, principal, project_id, least=ProjectRole.MANAGER, lock=lock, what=what
    )


@asynccontextmanager
async def managing(
    request: Request,
    principal: Principal,
    project_id: int,
    least: ProjectRole = ProjectRole.MANAGER,
) -> AsyncIterator[tuple[AsyncSession, Project]]:
    """A short transaction on a project that the caller may change, of a route that outlives it."""
    async with transaction(request) as session:
        yield session, await visible_project(session, principal, project_id, least=least)


def reviewing(
    request: Request, principal: Principal, project_id: int
) -> AbstractAsyncContextManager[tuple[AsyncSession, Project]]:
    """The same on a project whose findings the caller may see."""
    return managing(request, principal, project_id, ProjectRole.REVIEWER)


async def _visible(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await visible_project(session, user, project_id)


async def _reviewed(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await visible_project(session, user, project_id, least=ProjectRole.REVIEWER)


async def _managed(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await managed_project(session, user, project_id)


async def _locked(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await managed_project(session, user, project_id, lock=True)


async def _locked_to_review(
    session: SessionDep, user: CurrentUser, project_id: ProjectId
) -> Project:
    return await visible_project(session, user, project_id, least=ProjectRole.REVIEWER, lock=True)


async def _managed_id(request: Request, user: CurrentUser, project_id: ProjectId) -> int:
    async with managing(request, user, project_id):
        return project_id


async def _reviewed_id(request: Request, user: CurrentUser, project_id: ProjectId) -> int:
    async with reviewing(request, user, project_id):
        return project_id


async def get_staff(session: SessionDep, principal: CurrentUser) -> Principal:
    """The caller, who must be an engineer or an admin, or manage some project."""
    if not principal.engineer:
        managed = exists().where(Member.user_id == principal.id, Member.role == ProjectRole.MANAGER)
        if not await session.scalar(select(managed)):
            raise Forbidden(
                "manager_required",
                "Only engineers, managers of a project, and admins may do this.",
            )
    return principal


VisibleProject = Annotated[Project, Depends(_visible, scope="function")]
# What reviewers see, and annotators do not: the pool, rounds, jobs and what came of them.
ReviewedProject = Annotated[Project, Depends(_reviewed, scope="function")]
ManagedProject = Annotated[Project, Depends(_managed, scope="function")]
# For routes that receive a body, perhaps of gigabytes: the transaction of the check has ended.
ManagedId = Annotated[int, Depends(_managed_id)]
ReviewedId = Annotated[int, Depends(_reviewed_id)]
# The row lock serialises what changes a project's state or its rounds.
LockedProject = Annotated[Project, Depends(_locked, scope="function")]
LockedToReview = Annotated[Project, Depends(_locked_to_review, scope="function")]
Staff = Annotated[Principal, Depends(get_staff, scope="function")]
