"""Roles of users, and what follows for their projects."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from core.states import ProjectRole, Role
from core.tables import Member, User


async def set_role(
    session: AsyncSession, user: User, role: Role, *, by_groups: bool = False
) -> Sequence[int]:
    """Give ``user`` another role. Who becomes an annotator manages no project any more.

    Managers of these projects can give them back what they did there. If it was for want of a
    group, which may be a slip of the provider, they get it back with the group.

    Returns:
        The projects in which their role became another.
    """
    before, user.role = user.role, role
    if (role is Role.ANNOTATOR) is (before is Role.ANNOTATOR):
        return []
    own = update(Member).where(Member.user_id == user.id).returning(Member.project_id)
    if role is Role.ANNOTATOR:
        change = own.where(Member.role != ProjectRole.ANNOTATOR).values(
            lowered_from=Member.role if by_groups else None, role=ProjectRole.ANNOTATOR
        )
    else:
        change = own.where(Member.lowered_from.is_not(None)).values(
            role=Member.lowered_from, lowered_from=None
        )
    return sorted(await session.scalars(change))


async def lock_admins(session: AsyncSession) -> Sequence[User]:
    """All admins, locked in one order, so that two of them cannot demote each other at once."""
    admins = select(User).where(User.role == Role.ADMIN).order_by(User.id).with_for_update()
    return (await session.scalars(admins)).all()


def in_projects(role: Role, projects: Sequence[int]) -> dict[str, Any]:
    """What the audit log says of the ``projects`` in which ``set_role`` changed something."""
    what = "no_longer_managed" if role is Role.ANNOTATOR else "managed_again"
    return {f"projects_{what}": projects} if projects else {}
