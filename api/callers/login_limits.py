"""Limits on guessing passwords, counted in the database because every API process must see them.

What strangers do counts for where they are: of one account from one place, and from one place at
all accounts. Only a flood from many places stops an account everywhere, and even then not for the
browsers that its owner has signed in with before, which count for themselves.
"""

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256

from sqlalchemy import ColumnElement, case, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.sources import source
from core.errors import TooManyAttempts
from core.settings import Settings
from core.tables import LoginAttempt, User


def account(email: str) -> str:
    """What stands for an account, whether there is one or not; what was typed is not kept."""
    return sha256(email.strip().lower().encode()).hexdigest()


def password_key(user_id: int) -> str:
    """Of the present password, asked for before it is changed."""
    return f"password:{user_id}"


def code_key(user_id: int, device: str | None = None) -> str:
    """Of codes of the second factor, which are asked for once the password was right."""
    return f"code:{user_id}" if device is None else f"code:{user_id}:{device}"


def _lifted(who: str) -> str:
    """Of an account that an admin has let in from anywhere."""
    return f"lifted:{who}"


def address_key(host: str | None) -> str:
    """Of where the caller comes from."""
    return f"address:{source(host)}"


def sign_on_key(host: str | None) -> str:
    """Of single sign-on from where the caller comes from, apart from passwords."""
    return f"address:oidc:{source(host)}"


def sign_off_key(host: str | None) -> str:
    """Of what a provider says has ended, from where it comes from."""
    return f"address:oidc-out:{source(host)}"


async def login_keys(
    session: AsyncSession, settings: Settings, email: str, host: str | None, device: str | None
) -> list[str]:
    """What a login counts for.

    Args:
        session: To see whether an admin has let the account in from anywhere.
        settings: How long that holds.
        email: As typed.
        host: Where the caller comes from.
        device: Which of the account's browsers it is, if it is one of those.
    """
    who = account(email)
    if device is not None:
        return [f"device:{who}:{device}"]
    keys = [f"account:{who}", f"pair:{who}:{source(host)}"]
    lifted = select(LoginAttempt.key).where(
        LoginAttempt.key == _lifted(who), LoginAttempt.since > func.now() - _window(settings)
    )
    if await session.scalar(lifted) is None:
        keys.append(address_key(host))
    return keys


def _window(settings: Settings) -> timedelta:
    return timedelta(seconds=settings.login_wait_seconds)


async def count(session: AsyncSession, settings: Settings, keys: Sequence[str]) -> None:
    """Count an attempt for each of ``keys``, before it is known whether it succeeds.

    Raises:
        TooManyAttempts: One of them has to wait. Nothing is counted then, so that the wait ends.
    """
    window, now = _window(settings), func.now()
    over = LoginAttempt.since < now - window
    statement = insert(LoginAttempt).values(
        # In one order: two attempts must not wait for each other.
        [{"key": key, "failures": 1, "since": now} for key in sorted(keys)]
    )
    rows = await session.execute(
        statement.on_conflict_do_update(
            index_elements=[LoginAttempt.key],
            set_={
                "failures": case((over, 1), else_=LoginAttempt.failures + 1),
                "since": case((over, now), else_=LoginAttempt.since),
            },
        ).returning(
            LoginAttempt.key,
            LoginAttempt.failures,
            func.extract("epoch", LoginAttempt.since + window - now),
        )
    )
    waits = [int(left) for key, failures, left in rows if failures > _limit(settings, key)]
    if waits:
        raise TooManyAttempts(max(waits))
    await session.execute(delete(LoginAttempt).where(LoginAttempt.since < now - window))


async def forgive(session: AsyncSession, keys: Sequence[str]) -> None:
    """Take back what ``count`` counted: the attempt succeeded.

    Failures of this browser or from this place are forgotten with it. Of an account everywhere and
    of an address only this one attempt, or others could go on guessing.
    """
    shared = [key for key in keys if key.startswith(("account:", "address:"))]
    own = [key for key in keys if key not in shared]
    await session.execute(delete(LoginAttempt).where(LoginAttempt.key.in_(own)))
    await session.execute(
        update(LoginAttempt)
        .where(LoginAttempt.key.in_(shared), LoginAttempt.failures > 0)
        .values(failures=LoginAttempt.failures - 1)
    )


def of_account(email: str) -> ColumnElement[bool]:
    """What was counted of an account, wherever it was."""
    who = account(email)
    return or_(
        LoginAttempt.key == f"account:{who}",
        LoginAttempt.key.startswith(f"pair:{who}:"),
        LoginAttempt.key.startswith(f"device:{who}:"),
    )


async def forget(session: AsyncSession, user: User) -> None:
    """Take out all that was counted of ``user``, and what an admin has let through."""
    own = or_(
        of_account(user.email),
        LoginAttempt.key.in_(
            (_lifted(account(user.email)), password_key(user.id), code_key(user.id))
        ),
        LoginAttempt.key.startswith(f"{code_key(user.id)}:"),
    )
    await session.execute(delete(LoginAttempt).where(own))


async def lift(session: AsyncSession, user: User) -> None:
    """Let ``user`` try again at once, also from an address that has to wait."""
    await forget(session, user)
    values = {"key": _lifted(account(user.email)), "failures": 0, "since": func.now()}
    await session.execute(
        insert(LoginAttempt)
        .values(values)
        .on_conflict_do_update(index_elements=[LoginAttempt.key], set_={"since": func.now()})
    )


async def waiting(session: AsyncSession, settings: Settings) -> set[str]:
    """The accounts, as ``account`` names them, that have to wait at some place."""
    statement = select(LoginAttempt.key, LoginAttempt.failures).where(
        LoginAttempt.since > func.now() - _window(settings),
        LoginAttempt.failures >= settings.login_attempts,
        LoginAttempt.key.op("~")("^(account|pair|device):"),
    )
    return {
        key.split(":")[1]
        for key, failures in await session.execute(statement)
        if failures >= _limit(settings, key)
    }


def _limit(settings: Settings, key: str) -> int:
    if key.startswith("address:"):
        return settings.login_attempts_per_address
    if key.startswith("account:"):
        return settings.login_attempts_per_account
    return settings.login_attempts
