"""Links to images that open without logging in, for a while."""

import base64
import hashlib
import hmac
import time
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from api.callers import signing
from core.errors import Forbidden

_NAME: Final = "images"


async def signing_key(session: AsyncSession) -> bytes:
    """The installation's key, made if there is none."""
    return await signing.signing_key(session, _NAME)


def signed(key: bytes, example_id: int, expires: int) -> str:
    """Path and query of a link.

    Args:
        key: Of ``signing_key``.
        example_id: The image.
        expires: Until when it is good, in seconds since 1970.
    """
    return f"/api/images/{example_id}?expires={expires}&signature={_sign(key, example_id, expires)}"


async def require_signed(
    session: AsyncSession, example_id: int, expires: int, signature: str
) -> None:
    """Refuse a link that was not made here, or is too old.

    Raises:
        Forbidden: ``link_invalid`` or ``link_expired``.
    """
    key = await signing.known_key(session, _NAME)
    if key is None or not hmac.compare_digest(
        _sign(key, example_id, expires).encode(), signature.encode()
    ):
        raise Forbidden("link_invalid", "This link was not made by this Karat; ask for another.")
    if expires < time.time():
        raise Forbidden("link_expired", "This link has expired; ask for another.")


def _sign(key: bytes, example_id: int, expires: int) -> str:
    digest = hmac.new(key, f"{_NAME}:{example_id}:{expires}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
