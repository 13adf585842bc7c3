"""Who is calling: one indexed look-up per request, on a connection that is given back at once."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.credentials import TOKEN_PREFIX, secret_hash
from core.errors import Forbidden, Unauthenticated
from core.states import Role

COOKIE = "karat_session"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

_BY_SESSION = text(
    """SELECT u.id, u.role FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = :hash AND s.expires_at > now() AND u.active"""
)
_BY_TOKEN = text(
    """SELECT u.id, u.role,
        t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS stale
    FROM api_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = :hash AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.active"""
)
_TOUCH = text("UPDATE api_tokens SET last_used_at = now() WHERE token_hash = :hash")


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated caller."""

    id: int
    role: Role

    @property
    def engineer(self) -> bool:
        """Whether the caller may set up projects."""
        return self.role in {Role.ADMIN, Role.ENGINEER}


async def get_principal(request: Request) -> Principal:
    """The caller, by bearer token or session cookie."""
    engine: AsyncEngine = request.app.state.autocommit
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        if not credentials.startswith(TOKEN_PREFIX):
            raise Unauthenticated
        hashed = secret_hash(credentials)
        async with engine.connect() as connection:
            row = (await connection.execute(_BY_TOKEN, {"hash": hashed})).first()
            if row is not None and row.stale:
                await connection.execute(_TOUCH, {"hash": hashed})
    else:
        cookie = request.cookies.get(COOKIE)
        if not cookie:
            raise Unauthenticated
        require_same_origin(request)
        async with engine.connect() as connection:
            hashed = secret_hash(cookie)
            row = (await connection.execute(_BY_SESSION, {"hash": hashed})).first()
    if row is None:
        raise Unauthenticated
    return Principal(id=row.id, role=Role(row.role))


def require_same_origin(request: Request) -> None:
    """Refuse a write that another site made the browser send with our cookie."""
    if request.method in _SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    same_host = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if (site is not None and site not in {"same-origin", "none"}) or not same_host:
        raise Forbidden("cross_site", "This request came from another site and was refused.")


CurrentUser = Annotated[Principal, Depends(get_principal)]


async def get_engineer(principal: CurrentUser) -> Principal:
    """The caller, who must be an engineer or an admin."""
    if not principal.engineer:
        raise Forbidden("engineer_required", "Only engineers and admins may do this.")
    return principal


async def get_admin(principal: CurrentUser) -> Principal:
    """The caller, who must be an admin."""
    if principal.role is not Role.ADMIN:
        raise Forbidden("admin_required", "Only admins may do this.")
    return principal


Engineer = Annotated[Principal, Depends(get_engineer)]
Admin = Annotated[Principal, Depends(get_admin)]
