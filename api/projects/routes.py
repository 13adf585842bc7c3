from typing import Annotated

from fastapi import APIRouter, Query

from api.callers.access import LockedProject, ManagedProject, VisibleProject
from api.callers.principal import Admin, CurrentUser, Engineer
from api.deps import SessionDep
from api.projects import members, service
from api.projects.schemas import (
    MemberIn,
    MemberOut,
    ProjectCreate,
    ProjectListed,
    ProjectOut,
    ProjectUpdate,
)
from api.projects.settings import defaults
from api.schemas.pagination import Cursor, Items, Limit, Page
from api.schemas.parameters import PathId
from api.users.schemas import UserOut
from core.settings.project import Goal, ProjectSettings
from core.states import Medium

router = APIRouter(tags=["projects"])

TaskQuery = Annotated[str, Query(min_length=1, max_length=64)]


@router.get("/settings/defaults")
async def default_settings(
    _: CurrentUser,
    goal: Goal = "best_model",
    medium: Medium = Medium.IMAGE,
    task: TaskQuery = "classification",
) -> ProjectSettings:
    """Settings of a new project: its goal decides the strategy, its medium and task the model."""
    return defaults(goal, medium, task)


@router.get("/projects")
async def list_projects(
    session: SessionDep, user: CurrentUser, cursor: Cursor = None, limit: Limit = 100
) -> Page[ProjectListed]:
    """The projects that the caller sees, newest first."""
    found = await service.summaries(session, user, cursor=cursor, limit=limit)
    return Page(items=found, next_cursor=found[-1].id if len(found) == limit else None)


@router.post("/projects", status_code=201)
async def create_project(session: SessionDep, user: Engineer, body: ProjectCreate) -> ProjectOut:
    project = await service.create(session, user, body)
    return await service.describe(session, user, project)


@router.get("/projects/{project_id}")
async def show_project(
    session: SessionDep, user: CurrentUser, project: VisibleProject
) -> ProjectOut:
    return await service.describe(session, user, project)


@router.patch("/projects/{project_id}")
async def update_project(
    session: SessionDep, user: CurrentUser, project: LockedProject, body: ProjectUpdate
) -> ProjectOut:
    await service.update(session, user, project, body)
    return await service.describe(session, user, project)


@router.delete("/projects/{project_id}", status_code=204)
async def delete_project(session: SessionDep, user: Admin, project: LockedProject) -> None:
    """Delete a project; its files go right after it, but for images that other projects hold."""
    await service.remove(session, user, project)


@router.post("/projects/{project_id}/start")
async def start_project(
    session: SessionDep, user: CurrentUser, project: LockedProject
) -> ProjectOut:
    await service.start(session, user, project)
    return await service.describe(session, user, project)


@router.post("/projects/{project_id}/pause")
async def pause_project(
    session: SessionDep, user: CurrentUser, project: LockedProject
) -> ProjectOut:
    await service.pause(session, user, project)
    return await service.describe(session, user, project)


@router.post("/projects/{project_id}/resume")
async def resume_project(
    session: SessionDep, user: CurrentUser, project: LockedProject
) -> ProjectOut:
    await service.resume(session, user, project)
    return await service.describe(session, user, project)


@router.get("/projects/{project_id}/members")
async def list_members(session: SessionDep, project: ManagedProject) -> Items[MemberOut]:
    found = await members.members(session, project)
    return Items(
        items=[
            MemberOut(user=UserOut.model_validate(user), role=member.role, added_at=member.added_at)
            for member, user in found
        ]
    )


@router.put("/projects/{project_id}/members/{user_id}", status_code=204)
async def add_member(
    session: SessionDep,
    user: CurrentUser,
    project: LockedProject,
    user_id: PathId,
    body: MemberIn | None = None,
) -> None:
    """Let somebody in, or give a member another role."""
    role = None if body is None else body.role
    await members.put_member(session, user, project, user_id, role)


@router.delete("/projects/{project_id}/members/{user_id}", status_code=204)
async def remove_member(
    session: SessionDep, user: CurrentUser, project: LockedProject, user_id: PathId
) -> None:
    await members.remove_member(session, user, project, user_id)
