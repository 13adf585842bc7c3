"""What a password must be, and who may set one."""

import secrets
from typing import Annotated, Final

from anyio import to_thread
from pydantic import Field
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from api.credentials import hash_password
from core.errors import Invalid
from core.tables import LoginSession, User

LEAST: Final = 10
NewPassword = Annotated[str, Field(min_length=LEAST, max_length=256)]


def require_good(password: str, email: str) -> None:
    """Refuse what is guessed first; how long it must be is in the schema.

    Raises:
        Invalid: It is the address, or the part of it before the @.
    """
    if password.strip().lower() in {email.lower(), email.partition("@")[0].lower()}:
        raise Invalid(
            "password_is_email",
            "Choose a password that is not the email address.",
            field="password",
        )


async def set_password(
    session: AsyncSession,
    user: User,
    password: str,
    *,
    must_change: bool = False,
    keep: str | None = None,
) -> None:
    """Give ``user`` a password, and end their sessions but the one with the hash ``keep``."""
    require_good(password, user.email)
    user.password_hash = await to_thread.run_sync(hash_password, password)
    user.must_change_password = must_change
    await end_sessions(session, user, keep=keep)


async def end_sessions(session: AsyncSession, user: User, *, keep: str | None = None) -> None:
    """End the browser sessions of ``user``, but the one with the hash ``keep``."""
    statement = delete(LoginSession).where(LoginSession.user_id == user.id)
    if keep is not None:
        statement = statement.where(LoginSession.token_hash != keep)
    await session.execute(statement)


def temporary_password() -> str:
    """96 random bits that can be read out and typed."""
    return secrets.token_urlsafe(12)
