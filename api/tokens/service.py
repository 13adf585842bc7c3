"""A user's own API tokens."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import visible_project
from api.callers.credentials import TOKEN_PREFIX, new_secret, secret_hash
from api.callers.principal import Principal, usable
from api.tokens.schemas import TokenCreate
from core.errors import Conflict, Invalid, NotFound
from core.settings import Settings
from core.tables import ApiToken, Identity, User

MOST_TOKENS: Final = 100
"""Valid API tokens that a user may have."""


def usual_days(settings: Settings) -> int:
    """How long a new token is good for if nothing is said."""
    return min(settings.token_days, settings.token_max_days or settings.token_days)


async def sso_days(session: AsyncSession, settings: Settings, principal: Principal) -> int | None:
    """Days without single sign-on after which the caller's tokens open nothing, if ever."""
    known = select(Identity.subject).where(
        Identity.user_id == principal.id, Identity.issuer == settings.oidc_issuer
    )
    if not settings.oidc_token_days or await session.scalar(known) is None:
        return None
    return settings.oidc_token_days


async def list_tokens(session: AsyncSession, principal: Principal) -> Sequence[ApiToken]:
    """The caller's tokens, the oldest first."""
    statement = select(ApiToken).where(ApiToken.user_id == principal.id).order_by(ApiToken.id)
    return (await session.scalars(statement)).all()


async def create_token(
    session: AsyncSession, principal: Principal, settings: Settings, body: TokenCreate
) -> tuple[ApiToken, str]:
    """Make a token, of which the secret is known only now.

    Raises:
        NotFound: It is to open a project that the caller does not see.
        Conflict: ``too_many_tokens``.
        Invalid: ``token_too_long``.
    """
    said = "expires_in_days" in body.model_fields_set
    expires = body.expires_in_days if said else usual_days(settings)
    most = settings.token_max_days
    if most is not None and (expires is None or expires > most):
        raise Invalid(
            "token_too_long",
            f"Here an API token is good for {most} days at most.",
            field="expires_in_days",
        )
    if body.project_id is not None:
        await visible_project(session, principal, body.project_id)
    # One at a time of a user, or several requests at once would all find room.
    await session.execute(select(User.id).where(User.id == principal.id).with_for_update())
    valid = select(func.count()).where(ApiToken.user_id == principal.id, usable(settings))
    if (await session.scalar(valid) or 0) >= MOST_TOKENS:
        raise Conflict(
            "too_many_tokens", f"You have {MOST_TOKENS} valid tokens; revoke one that is not used."
        )
    secret = new_secret(TOKEN_PREFIX)
    token = ApiToken(
        user_id=principal.id,
        name=body.name,
        prefix=secret[: len(TOKEN_PREFIX) + 4],
        token_hash=secret_hash(secret),
        scope=body.scope,
        project_id=body.project_id,
        expires_at=datetime.now(UTC) + timedelta(days=expires) if expires else None,
    )
    session.add(token)
    await session.flush()
    record(
        session, principal, "create", "token", token.id, scope=token.scope.value,
        **({"project": body.project_id} if body.project_id else {}),
    )  # fmt: skip
    return token, secret


async def revoke_token(session: AsyncSession, principal: Principal, token_id: int) -> None:
    """Make a token invalid: one's own, and for an admin anybody's."""
    token = await session.get(ApiToken, token_id)
    if token is None or (token.user_id != principal.id and not principal.admin):
        raise NotFound("token")
    if token.revoked_at is None:
        token.revoked_at = datetime.now(UTC)
        record(session, principal, "revoke", "token", token.id, user_id=token.user_id)
