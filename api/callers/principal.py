"""Who is calling."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import ColumnElement, and_, exists, func, or_, text
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import aliased

from api.callers.credentials import secret_hash
from api.callers.token_limits import TELL, TokenMeter
from api.database.batching import Batcher
from api.database.pipelined_sql import Statement, driver, fetch
from core.errors import Forbidden, NotFound, Unauthenticated
from core.settings import Settings
from core.states import Role, Scope
from core.tables import ApiToken, Identity, User

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
    # Tells all of somebody, though it changes nothing.
    "export_user": Scope.ADMIN,
}
# What a token that is bound to a project may call that names none in its path: what is of a project
# all the same, and what is of none and no secret.
BOUND = frozenset(
    {
        "me", "show_version", "list_algorithms", "default_settings", "show_disk",
        "import_locations", "list_weights", "show_weights", "list_judges", "show_judge",
        "list_projects", "list_events", "list_jobs", "show_job", "show_log", "cancel_job",
        "retry_job", "resume_job", "artifact_content", "example_image", "example_link",
        "show_webhook", "update_webhook", "delete_webhook", "rotate_webhook_secret", "test_webhook",
        "list_deliveries", "redeliver",
    }
)  # fmt: skip
_RANK = {scope: rank for rank, scope in enumerate(Scope)}

_IDENTIFY = Statement(
    text(
        """SELECT s.token_hash, u.id, u.role, 'admin' AS scope,
            u.must_change_password AND s.method = 'password' AS must_change_password,
            s.method = 'password' AND NOT u.second_factor AND (
                u.second_factor_required OR CAST(:second_factor AS text) = 'everybody'
                OR (CAST(:second_factor AS text) = 'admins' AND u.role = 'admin')
            ) AS must_add_second_factor,
            CAST(NULL AS bigint) AS token_id, CAST(NULL AS bigint) AS project_id,
            s.last_seen_at < now() - interval '1 minute' AS stale
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.token_hash = ANY(CAST(:hashes AS text[])) AND s.expires_at > now() AND u.active
        UNION ALL
        SELECT t.token_hash, u.id, u.role, t.scope, u.must_change_password, false, t.id,
            t.project_id,
            t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute'
        FROM api_tokens t JOIN users u ON u.id = t.user_id
        WHERE t.token_hash = ANY(CAST(:hashes AS text[])) AND t.revoked_at IS NULL
            AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.active
            AND (CAST(:token_days AS int) IS NULL
                OR t.created_at > now() - make_interval(days => CAST(:token_days AS int)))
            AND (CAST(:issuer AS text) IS NULL OR NOT EXISTS (
                SELECT FROM identities i WHERE i.user_id = u.id AND i.issuer = :issuer
                    AND i.signed_in_at < now() - make_interval(days => CAST(:sso_days AS int))))"""
    )
)


def usable(settings: Settings) -> ColumnElement[bool]:
    """Condition on ``ApiToken``: it opens something, as ``_IDENTIFY`` has it."""
    owner, now = aliased(User), func.now()
    wanted: list[ColumnElement[bool]] = [
        ApiToken.revoked_at.is_(None),
        or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > now),
        exists().where(owner.id == ApiToken.user_id, owner.active),
    ]
    if settings.token_max_days is not None:
        wanted.append(ApiToken.created_at > now - timedelta(days=settings.token_max_days))
    if settings.oidc_issuer is not None and settings.oidc_token_days:
        # Who has not signed in there since then has left, for all that is known.
        gone = Identity.signed_in_at < now - timedelta(days=settings.oidc_token_days)
        mine = (Identity.user_id == ApiToken.user_id, Identity.issuer == settings.oidc_issuer)
        wanted.append(~exists().where(*mine, gone))
    return and_(*wanted)


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
    """The authenticated caller.

    Attributes:
        id: Of the user.
        role: What they may do beside what projects let their members do.
        must_change_password: They may do nothing else first.
        scope: How much of it their token may do.
        project_id: The only project that their token opens, if it is bound to one.
        token_id: Their token, if they came with one.
        must_add_second_factor: They may do nothing else first.
    """

    id: int
    role: Role
    must_change_password: bool = False
    scope: Scope = Scope.ADMIN
    project_id: int | None = None
    token_id: int | None = None
    must_add_second_factor: bool = False

    def may(self, scope: Scope) -> bool:
        """Whether the caller's token has at least the scope."""
        return _RANK[self.scope] >= _RANK[scope]

    @property
    def engineer(self) -> bool:
        """Whether the caller may make projects."""
        return self.role in {Role.ADMIN, Role.ENGINEER}

    @property
    def admin(self) -> bool:
        """Whether every project is the caller's to manage."""
        return self.role is Role.ADMIN


class Identifier:
    """Finds out who calls; calls that come together share a look-up. Nothing is remembered, so a
    revoked token or session ends with the next request.

    Args:
        engine: Where to look.
        most: Requests that a token may make in a minute; 0 lets it make any number.
        second_factor: Whose passwords need one: ``optional``, ``admins`` or ``everybody``.
        token_days: After how many days a token ends, whatever was said as it was made.
        issuer: The provider of single sign-on, if tokens of its people end without that.
        sso_days: After how many days.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        most: int,
        second_factor: str = "optional",
        token_days: int | None = None,
        issuer: str | None = None,
        sso_days: int = 0,
    ) -> None:
        self._meter = TokenMeter(most)
        self._asked = {
            "second_factor": second_factor,
            "token_days": token_days,
            "issuer": issuer if sso_days else None,
            "sso_days": sso_days,
        }
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._batcher = Batcher(self._identify)

    async def identify(self, secret: str) -> Principal:
        """Whose token or session ``secret`` is."""
        found = await self._batcher.submit(None, secret_hash(secret))
        if found is None:
            raise Unauthenticated
        if found.token_id is not None:
            self._meter.count(found.token_id)
        return found

    async def _identify(self, _: None, hashes: Sequence[str]) -> list[Principal | None]:
        async with self._engine.connect() as connection:
            plain = await driver(connection)
            told = self._meter.to_tell()
            asked = {**self._asked, "hashes": list(set(hashes))}
            rows, *counted = await fetch(
                plain,
                (_IDENTIFY, asked),
                *([(TELL, told)] if told else []),
            )
            for one in counted:
                self._meter.hear(one)
            if used := [row.token_hash for row in rows if row.stale]:
                await fetch(plain, (_TOUCH, {"used": used}))
        found = {
            row.token_hash: Principal(
                row.id,
                Role(row.role),
                row.must_change_password,
                Scope(row.scope),
                row.project_id,
                row.token_id,
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
    _require_project(principal, request)
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
    if not principal.may(needed):
        raise Forbidden(
            "scope_required",
            f"This API token has the scope {principal.scope}, and this needs {needed}. Make "
            "another token under Account.",
        )


def _require_project(principal: Principal, request: Request) -> None:
    """Refuse what is outside of the project that a token is bound to.

    Of routes without a project in their path those of ``BOUND`` look at it themselves.
    """
    if principal.project_id is None:
        return
    asked = request.path_params.get("project_id")
    if asked is None and request.scope["route"].name not in BOUND:
        raise Forbidden(
            "project_token",
            f"This API token opens project {principal.project_id} alone, and this is not of a "
            "project. Make another token under Account.",
        )
    if asked is not None and str(asked) != str(principal.project_id):
        raise NotFound("project")


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


def settled(caller: Principal) -> Principal:
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


async def get_principal(request: Request) -> Principal:
    """The caller, who has nothing to do first; see ``settled``."""
    # Not a dependency of a dependency: FastAPI's walk to each costs more than what is done here.
    return settled(await get_caller(request))


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
