"""Browsers that somebody has signed in with before, which strangers' failures do not keep out.

Each account has a cookie of its own in a browser: that of one person says nothing for another.
After "Slow down online guessing attacks with device cookies" (OWASP).
"""

import secrets
import time
from collections.abc import Mapping
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from api.callers import login_limits as limits
from api.callers.signing import opened, signed

SECONDS: Final = 180 * 24 * 3600
"""How long a browser is known after a login."""
PATH: Final = "/api/auth"
_NAME: Final = "devices"


def cookie_name(email: str) -> str:
    """The cookie of an account; the address is not in it."""
    return f"karat_device_{limits.account(email)[:16]}"


async def known(session: AsyncSession, email: str, cookies: Mapping[str, str]) -> str | None:
    """Which of the account's browsers has sent ``cookies``; None if it is none of them."""
    kept = cookies.get(cookie_name(email))
    device = await opened(session, _NAME, kept, limits.account(email))
    if device is None:
        return None
    since = device.partition(".")[0]
    return device if int(since) + SECONDS > time.time() else None


async def introduced(session: AsyncSession, email: str) -> str:
    """What a browser keeps that has signed in to the account."""
    device = f"{int(time.time())}.{secrets.token_urlsafe(12)}"
    return await signed(session, _NAME, device, limits.account(email))
