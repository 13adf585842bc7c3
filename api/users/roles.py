"""Roles of users, and what follows for their projects."""

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from core.states import ProjectRole, Role
from core.tables import Member, User


async def set_role(session: AsyncSession, user: User, role: Role) -> int:
    """Give ``user`` another role. Who becomes an annotator manages no project any more.

    Managers of these projects can give them back what they did there.

    Returns:
        How many projects they managed and now label.
    """
    fallen = role is Role.ANNOTATOR and user.role is not Role.ANNOTATOR
    user.role = role
    if not fallen:
        return 0
    statement = (
        update(Member)
        .where(Member.user_id == user.id, Member.role != ProjectRole.ANNOTATOR)
        .values(role=ProjectRole.ANNOTATOR)
        .returning(Member.project_id)
    )
    return len((await session.scalars(statement)).all())
