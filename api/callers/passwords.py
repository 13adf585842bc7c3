"""What a password must be, and who may set one."""

import secrets
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from core.errors import Invalid
from core.tables import LoginSession, User

LEAST: Final = 10
# zxcvbn's scale goes to 4; 2 resists a million guesses, and logins allow forty an hour.
_GOOD_ENOUGH: Final = 2
# It takes no longer ones.
_RATED: Final = 72
NewPassword = Annotated[str, Field(min_length=LEAST, max_length=256)]


def require_good(password: str, email: str, name: str = "") -> None:
    """Refuse what is guessed first; how long it must be is in the schema.

    Raises:
        Invalid: It is the address or the part of it before the @, or zxcvbn finds it among
            common passwords, words, names, keyboard walks and repetitions.
    """
    if password.strip().lower() in {email.lower(), email.partition("@")[0].lower()}:
        raise Invalid(
            "password_is_email",
            "Choose a password that is not the email address.",
            field="password",
        )
    if _score(password, [email, *email.split("@"), name, "karat"]) < _GOOD_ENOUGH:
        raise Invalid(
            "password_too_common",
            "This password is among the first to be guessed. Use three or four words that do not "
            "belong together, or let a password manager make one.",
            field="password",
        )


def _score(password: str, known: list[str]) -> int:
    # Its word lists take a moment to load, and most processes never need them.
    from zxcvbn import zxcvbn

    return int(zxcvbn(password[:_RATED], user_inputs=known)["score"])


async def set_password(
    session: AsyncSession,
    user: User,
    password: str,
    hashed: str,
    *,
    must_change: bool = False,
    keep: str | None = None,
) -> None:
    """Give ``user`` a password, and end their sessions but the one with the hash ``keep``.

    ``hashed`` is its argon2 hash, computed while no transaction was open.
    """
    require_good(password, user.email, user.name)
    user.password_hash = hashed
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
