"""Keys of the installation, one for each kind of thing that it signs."""

import hmac
import secrets

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from core.tables import SigningKey


async def known_key(session: AsyncSession, name: str) -> bytes | None:
    """The key called ``name``, if something was signed with it."""
    found: bytes | None = await session.scalar(
        select(SigningKey.secret).where(SigningKey.name == name)
    )
    return found


async def signing_key(session: AsyncSession, name: str) -> bytes:
    """The key called ``name``, made if there is none."""
    found = await known_key(session, name)
    if found is None:
        made = insert(SigningKey).values(name=name, secret=secrets.token_bytes(32))
        await session.execute(made.on_conflict_do_nothing())
        found = await known_key(session, name)
        assert found is not None
    return found


async def signed(session: AsyncSession, name: str, text: str, about: str = "") -> str:
    """``text`` for a browser to keep, so that it is known for ours when it comes back.

    Args:
        session: Where keys are.
        name: Of the key.
        text: What is signed.
        about: What it says something of, which has to be known again and is not in it.
    """
    return f"{text}.{_signature(await signing_key(session, name), name, about, text)}"


async def opened(session: AsyncSession, name: str, kept: str | None, about: str = "") -> str | None:
    """The text of what ``signed`` has made for the same; None if it has made no such thing."""
    text, _, signature = (kept or "").rpartition(".")
    key = await known_key(session, name) if text else None
    if key is None:
        return None
    right = _signature(key, name, about, text)
    return text if hmac.compare_digest(right.encode(), signature.encode()) else None


def _signature(key: bytes, name: str, about: str, text: str) -> str:
    return hmac.digest(key, f"{name}:{about}:{text}".encode(), "sha256").hex()
