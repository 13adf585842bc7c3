"""Erasing who somebody is, while what they did stays."""

from typing import Final

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers import login_limits as limits
from api.callers.principal import Principal
from api.users.service import find
from core.errors import Conflict
from core.security.audit_chain import came_from
from core.states import Role, Source
from core.tables import (
    Annotation,
    ApiToken,
    Identity,
    LoginSession,
    Member,
    RecoveryCode,
    SecondFactor,
    User,
)

# Opens no account: it is the hash of nothing.
_NO_PASSWORD: Final = "erased"

_REMOVED: Final = (LoginSession, ApiToken, Member, Identity, SecondFactor, RecoveryCode)
REMOVED: Final = frozenset(table.__tablename__ for table in _REMOVED)
"""Tables whose rows of a person go with their name."""

KEPT: Final = frozenset(
    {
        "annotations", "suggestions", "queries", "jobs", "projects", "audit", "webhooks",
        "weights", "judges", "syncs", "snapshots", "certificates", "withdrawals",
    }
)  # fmt: skip
"""Tables that name people by number, which stays."""

_FORGET_ORIGIN: Final = (
    text(
        "UPDATE audit_chain SET salt = NULL FROM audit a WHERE a.id = audit_chain.audit_id "
        f"AND {came_from(':user')}"
    ),
    text(f"UPDATE audit a SET address = NULL, agent = NULL WHERE {came_from(':user')}"),
)

# Whoever wrote it may be known by it, and so may whom it is about.
_FORGET_NOTES: Final = update(Annotation).where(Annotation.note.is_not(None)).values(note=None)
# What files said in their name, imported from elsewhere or from an export of ours.
_RENAME: Final = update(Annotation).where(Annotation.source == Source.IMPORT)


async def erase(session: AsyncSession, actor: Principal, user_id: int) -> User:
    """Take out a person's name, address, sessions, tokens and memberships, for good.

    Their answers stay under the number of the user, without the notes beside them, as do the
    entries of the audit log, without the addresses and browsers that they came from. Imported ones
    in their email get another.

    Raises:
        NotFound: There is no such user.
        Conflict: It is the caller, or an admin: ``own_account``, ``is_admin``.
    """
    user = await find(session, user_id, lock=True)
    if user.id == actor.id:
        raise Conflict("own_account", "Another admin can erase you; you cannot.")
    if user.role is Role.ADMIN:
        raise Conflict(
            "is_admin", "Admins are not erased. Give them another role first, then erase them."
        )
    again = user.erased_at is not None
    await limits.forget(session, user)
    for table in _REMOVED:
        await session.execute(delete(table).where(table.user_id == user.id))
    email, erased = user.email, f"erased-{user.id}@erased.invalid"
    said = func.lower(func.btrim(Annotation.source_name)) == func.lower(email)
    for notes in (Annotation.annotator_id == user.id, said):
        await session.execute(_FORGET_NOTES.where(notes))
    await session.execute(_RENAME.where(said).values(source_name=erased))
    user.email, user.name = erased, f"#{user.id}"
    user.password_hash, user.active, user.must_change_password = _NO_PASSWORD, False, False
    user.second_factor, user.password_until = False, None
    user.erased_at = user.erased_at or await session.scalar(select(func.now()))
    for statement in _FORGET_ORIGIN:
        await session.execute(statement, {"user": user.id})
    if not again:
        record(session, actor, "erase", "user", user.id)
    return user
