"""What a browser keeps while its person is at the provider, so that only it can come back.

One at a time: a cookie that no script reads, signed, good for ten minutes. The state in it is
compared with the one in the address, which stops others from making somebody sign in as them; the
nonce ties the ID token, and the verifier the code, to this browser (RFC 9700).
"""

import base64
import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Final

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.signing import opened, signed
from api.oidc.refusals import Refused
from core.tables import LoginAttempt

COOKIE: Final = "karat_sso"
PATH: Final = "/api/auth/oidc"
SECONDS: Final = 600
_NAME: Final = "oidc"
_MOST: Final = 1000


@dataclass(frozen=True)
class Flow:
    """A sign-in that has begun.

    Attributes:
        state: Comes back in the address.
        nonce: Comes back in the ID token.
        verifier: Shown with the code (PKCE, RFC 7636).
        next: The page to go to.
        since: Seconds since 1970.
    """

    state: str
    nonce: str
    verifier: str
    next: str
    since: int


def begun(next_: str | None) -> Flow:
    """A new one, which nobody can guess anything of."""
    return Flow(
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(48),
        next=own_page(next_),
        since=int(time.time()),
    )


def own_page(address: str | None) -> str:
    """``address`` if it is a page of this site, else the first page.

    Browsers read a backslash as a slash, and leave out tabs and line breaks: both would lead away.
    """
    plain = address is not None and len(address) <= _MOST and address.isascii()
    if address is None or not plain or not address.isprintable():
        return "/"
    away = address.startswith("//") or "\\" in address or address.startswith("/api/")
    return address if address.startswith("/") and not away else "/"


async def packed(session: AsyncSession, flow: Flow) -> str:
    """``flow`` as the cookie holds it."""
    text = base64.urlsafe_b64encode(json.dumps(asdict(flow)).encode()).decode()
    return await signed(session, _NAME, text)


async def resumed(session: AsyncSession, cookie: str | None, state: str | None) -> Flow:
    """The flow that this browser began, and that the provider answers.

    Raises:
        Refused: ``sso_interrupted``: it began elsewhere, or too long ago, or another one since.
    """
    text = await opened(session, _NAME, cookie)
    flow = None if text is None else Flow(**json.loads(base64.urlsafe_b64decode(text)))
    if flow is None or flow.since + SECONDS < time.time():
        raise Refused("sso_interrupted", "This browser began no sign-in within ten minutes.")
    if not hmac.compare_digest(flow.state.encode(), (state or "").encode()):
        raise Refused("sso_interrupted", "The answer is to another sign-in than the one begun.")
    return flow


async def use(session: AsyncSession, flow: Flow) -> None:
    """Use ``flow`` up: each answer of the provider is looked at once.

    Raises:
        Refused: ``sso_interrupted``: it was used before.
    """
    key = f"flow:{sha256(flow.state.encode()).hexdigest()}"
    fresh = insert(LoginAttempt).values(key=key, failures=1, since=func.now())
    used = await session.scalar(fresh.on_conflict_do_nothing().returning(LoginAttempt.key))
    if used is None:
        raise Refused("sso_interrupted", "This sign-in was answered before.")
