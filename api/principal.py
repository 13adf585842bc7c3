"""Who is calling."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.batching import Batcher
from api.credentials import secret_hash
from api.pipelined_sql import Statement, driver, fetch
from core.errors import Forbidden, Unauthenticated
from core.states import Role, Scope

COOKIE = "karat_session"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

# What writing needs, by the tag of the route: a new route needs ``write`` unless it says otherwise.
_SCOPES = {
    "labeling": Scope.LABEL,
    "reviews": Scope.LABEL,
    "auth": Scope.ADMIN,
    "users": Scope.ADMIN,
    "admin": Scope.ADMIN,
}
_MORE = {
    # Takes back what others have decided.
    "revert_review": Scope.WRITE,
    "audit_review": Scope.WRITE,
    # Lets others in, and outlives the token.
    "example_link": Scope.WRITE,
}
_RANK = {scope: rank for rank, scope in enumerate(Scope)}

_IDENTIFY = Statement(
    text(
        """SELECT s.token_hash, u.id, u.role, 'admin' AS scope,
            u.must_change_password AND s.method = 'password' AS must_change_password,
            s.method = 'password' AND NOT u.second_factor AND (
                u.second_factor_required OR CAST(:second_factor AS text) = 'everybody'
                OR (CAST(:second_factor AS text) = 'admins' AND u.role = 'admin')
            ) AS must_add_second_factor,
            s.last_seen_at < now() - interval '1 minute' AS stale
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.token_hash = ANY(CAST(:hashes AS text[])) AND s.expires_at > now() AND u.active
        UNION ALL
        SELECT t.token_hash, u.id, u.role, t.scope, u.must_change_password, false,
            t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute'
        FROM api_tokens t JOIN users u ON u.id = t.user_id
        WHERE t.token_hash = ANY(CAST(:hashes AS text[])) AND t.revoked_at IS NULL
            AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.active"""
    )
)
_TOUCH = Statement(
    text(
        """WITH seen AS (
            UPDATE sessions SET last_seen_at = now()
            WHERE token_hash = ANY(CAST(:used AS text[]))
        )
        UPDATE api_tokens SET last_used_at = now() WHERE token_hash = ANY(CAST(:used AS text[]))"""
    )
)


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated caller."""

    id: int
    role: Role
    must_change_password: bool = False
    scope: Scope = Scope.ADMIN
    must_add_second_factor: bool = False

    @property
    def engineer(self) -> bool:
        """Whether the caller may set up projects."""
        return self.role in {Role.ADMIN, Role.ENGINEER}


class Identifier:
    """Finds out who calls; calls that come together share a look-up. Nothing is remembered, so a
    revoked token or session ends with the next request."""

    def __init__(self, engine: AsyncEngine, second_factor: str = "optional") -> None:
        self._second_factor = second_factor
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._batcher = Batcher(self._identify)

    async def identify(self, secret: str) -> Principal:
        """Whose token or session ``secret`` is."""
        found = await self._batcher.submit(None, secret_hash(secret))
        if found is None:
            raise Unauthenticated
        return found

    async def _identify(self, _: None, hashes: Sequence[str]) -> list[Principal | None]:
        async with self._engine.connect() as connection:
            plain = await driver(connection)
            asked = {"hashes": list(set(hashes)), "second_factor": self._second_factor}
            (rows,) = await fetch(plain, (_IDENTIFY, asked))
            if used := [row.token_hash for row in rows if row.stale]:
                await fetch(plain, (_TOUCH, {"used": used}))
        found = {
            row.token_hash: Principal(
                row.id,
                Role(row.role),
                row.must_change_password,
                Scope(row.scope),
                row.must_add_second_factor,
            )
            for row in rows
        }
        return [found.get(hashed) for hashed in hashes]


async def identified(request: Request) -> Principal:
    """Whose bearer token or session cookie came with the request."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        secret = request.cookies.get(COOKIE, "")
        require_same_origin(request)
    if not secret:
        raise Unauthenticated
    identifier: Identifier = request.app.state.identifier
    return await identifier.identify(secret)


async def get_caller(request: Request) -> Principal:
    """The caller, by bearer token or session cookie, whatever they have to do first."""
    principal = await identified(request)
    _require_scope(principal, request)
    return principal


def needed_scope(method: str, name: str, tags: Iterable[str]) -> Scope:
    """What a token must have to call the route ``name``; here and nowhere else."""
    if more := _MORE.get(name):
        return more
    if method in _SAFE_METHODS and "admin" not in tags:
        return Scope.READ
    return next((_SCOPES[tag] for tag in tags if tag in _SCOPES), Scope.WRITE)


def _require_scope(principal: Principal, request: Request) -> None:
    if principal.scope is Scope.ADMIN:
        return
    route = request.scope["route"]
    needed = needed_scope(request.method, route.name, route.tags)
    if _RANK[principal.scope] < _RANK[needed]:
        raise Forbidden(
            "scope_required",
            f"This API token has the scope {principal.scope}, and this needs {needed}. Make "
            "another token under Account.",
        )


def require_same_origin(request: Request) -> None:
    """Refuse a write that another site made the browser send with our cookie."""
    if request.method in _SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    host = request.headers.get("host")
    same_host = origin is None or origin.partition("://")[2] == host
    if (site is not None and site not in {"same-origin", "none"}) or not same_host:
        raise Forbidden("cross_site", "This request came from another site and was refused.")


async def get_principal(caller: Annotated[Principal, Depends(get_caller)]) -> Principal:
    """The caller, who must have chosen a password after an admin reset it, and have the second
    factor that they have to have."""
    if caller.must_change_password:
        raise Forbidden(
            "password_change_required",
            "An admin has reset your password. Choose a new one first, under Account in the "
            "browser or with POST /api/auth/password.",
        )
    if caller.must_add_second_factor:
        raise Forbidden(
            "second_factor_setup_required",
            "You have to have a second factor here. Add one first, under Account in the browser or "
            "with POST /api/auth/second-factor.",
        )
    return caller


Caller = Annotated[Principal, Depends(get_caller)]
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
