"""Keys of the installation, one for each kind of thing that it signs."""

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
