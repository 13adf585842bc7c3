"""Limits on guessing passwords, counted in the database because every API process must see them."""

import ipaddress
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Final

from sqlalchemy import case, delete, func, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from core.errors import TooManyAttempts
from core.settings import Settings
from core.tables import LoginAttempt

# What one customer of a provider usually has to choose from.
_HOME_NETWORK: Final = 64


def account_key(email: str) -> str:
    """Of an account, whether there is one or not; what was typed is not kept."""
    return f"account:{sha256(email.strip().lower().encode()).hexdigest()}"


def password_key(user_id: int) -> str:
    """Of the present password, asked for before it is changed."""
    return f"password:{user_id}"


def address_key(host: str | None) -> str:
    """Of where the caller comes from; of an IPv6 address only the network counts."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return f"address:{host}"
    if isinstance(address, ipaddress.IPv6Address):
        found = address.ipv4_mapped
        if found is None:
            return f"address:{ipaddress.ip_network((address, _HOME_NETWORK), strict=False)}"
        address = found
    return f"address:{address}"


async def count(session: AsyncSession, settings: Settings, keys: Sequence[str]) -> None:
    """Count an attempt for each of ``keys``, before it is known whether it succeeds.

    Raises:
        TooManyAttempts: One of them has to wait. Nothing is counted then, so that the wait ends.
    """
    window = timedelta(seconds=settings.login_wait_seconds)
    now = func.now()
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

    An account's failures are forgotten with it; of an address only this one attempt, or whoever has
    an account could go on guessing at others.
    """
    own = [key for key in keys if not key.startswith("address:")]
    await session.execute(delete(LoginAttempt).where(LoginAttempt.key.in_(own)))
    await session.execute(
        update(LoginAttempt)
        .where(LoginAttempt.key.in_(set(keys) - set(own)), LoginAttempt.failures > 0)
        .values(failures=LoginAttempt.failures - 1)
    )


def _limit(settings: Settings, key: str) -> int:
    if key.startswith("address:"):
        return settings.login_attempts_per_address
    return settings.login_attempts
