"""Who is in a project, and as what."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from core.errors import Conflict, NotFound
from core.states import ProjectRole, Role
from core.tables import Member, Project, User


async def members(session: AsyncSession, project: Project) -> Sequence[tuple[Member, User]]:
    """Members of a project, the longest-standing first."""
    statement = (
        select(Member, User)
        .join(User, User.id == Member.user_id)
        .where(Member.project_id == project.id)
        .order_by(Member.added_at, User.id)
    )
    return (await session.execute(statement)).all()


async def put_member(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    user_id: int,
    role: ProjectRole | None,
) -> None:
    """Let somebody in, or give a member another role.

    Without a ``role`` members keep theirs; who is new manages the project if they could make one.

    Raises:
        NotFound: There is no such user.
        Conflict: ``user_inactive``: they are no member yet, and cannot come in anywhere;
            ``last_manager``.
    """
    user = await session.get(User, user_id)
    if user is None:
        raise NotFound("user")
    member = await session.get(Member, (project.id, user_id))
    if member is None and not user.active:
        raise Conflict(
            "user_inactive", "This user is deactivated. Ask an admin to activate them first."
        )
    if member is None:
        role = role or _of(user)
        session.add(Member(project_id=project.id, user_id=user_id, role=role))
        record(session, principal, "add", "member", user_id, project_id=project.id, role=role)
    elif role is not None:
        if role is not member.role:
            await _require_another(session, project, member)
            record(
                session, principal, "update", "member", user_id, project_id=project.id,
                changes={"role": [member.role, role]},
            )  # fmt: skip
        # Also where they are that already: whoever says so means it, whatever groups come back.
        member.role, member.lowered_from = role, None


def _of(user: User) -> ProjectRole:
    return ProjectRole.ANNOTATOR if user.role is Role.ANNOTATOR else ProjectRole.MANAGER


async def remove_member(
    session: AsyncSession, principal: Principal, project: Project, user_id: int
) -> None:
    """Let somebody see the project no longer; what they said of its examples stays.

    Raises:
        NotFound: They are no member.
        Conflict: ``last_manager``.
    """
    member = await session.get(Member, (project.id, user_id))
    if member is None:
        raise NotFound("member")
    await _require_another(session, project, member)
    await session.delete(member)
    record(session, principal, "remove", "member", user_id, project_id=project.id)


async def _require_another(session: AsyncSession, project: Project, member: Member) -> None:
    """Refuse to take away the last one who manages a project and can sign in.

    All managers are locked, so that two cannot take each other away at once.
    """
    statement = (
        select(Member.user_id)
        .join(User, User.id == Member.user_id)
        .where(Member.project_id == project.id, Member.role == ProjectRole.MANAGER, User.active)
        .order_by(Member.user_id)
        .with_for_update(of=Member)
    )
    if list(await session.scalars(statement)) == [member.user_id]:
        raise Conflict(
            "last_manager",
            "Nobody else manages this project; make another member a manager first.",
        )
