"""Which project a caller may see, label or manage. Every project route goes through here."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.deps import SessionDep, speak_of, transaction
from api.parameters import PathId
from api.principal import CurrentUser, Principal
from core.errors import Forbidden, NotFound
from core.states import Role
from core.tables import Member, Project

ProjectId = PathId


async def visible_project(
    session: AsyncSession,
    principal: Principal,
    project_id: int,
    *,
    lock: bool = False,
    what: str = "project",
) -> Project:
    """The project, if the caller is an admin or a member; otherwise it does not exist for them.

    ``what`` was asked for: something of a foreign project must look like something that is not
    there.
    """
    statement = select(Project).where(Project.id == project_id)
    if principal.role is not Role.ADMIN:
        statement = statement.where(
            exists().where(Member.project_id == project_id, Member.user_id == principal.id)
        )
    if lock:
        # NO KEY UPDATE: annotators' inserts, which reference the row, do not wait for it.
        statement = statement.with_for_update(key_share=True)
    project = (await session.scalars(statement)).one_or_none()
    if project is None:
        raise NotFound(what)
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
    project = await visible_project(session, principal, project_id, lock=lock, what=what)
    if not principal.engineer:
        raise Forbidden("engineer_required", "Only engineers and admins may do this.")
    return project


@asynccontextmanager
async def managing(
    request: Request, principal: Principal, project_id: int
) -> AsyncIterator[tuple[AsyncSession, Project]]:
    """A short transaction on a project that the caller may change, of a route that outlives it."""
    async with transaction(request) as session:
        yield session, await managed_project(session, principal, project_id)


async def _visible(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await visible_project(session, user, project_id)


async def _managed(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await managed_project(session, user, project_id)


async def _locked(session: SessionDep, user: CurrentUser, project_id: ProjectId) -> Project:
    return await managed_project(session, user, project_id, lock=True)


async def _managed_id(request: Request, user: CurrentUser, project_id: ProjectId) -> int:
    async with managing(request, user, project_id):
        return project_id


VisibleProject = Annotated[Project, Depends(_visible, scope="function")]
ManagedProject = Annotated[Project, Depends(_managed, scope="function")]
# For routes that receive a body of gigabytes: the transaction of the check has ended.
ManagedId = Annotated[int, Depends(_managed_id)]
# The row lock serialises what changes a project's state or its rounds.
LockedProject = Annotated[Project, Depends(_locked, scope="function")]
