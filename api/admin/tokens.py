"""Everybody's API tokens."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.admin.schemas import OwnedToken, Person
from api.tokens.schemas import TokenOut
from core.settings import Settings
from core.tables import ApiToken, Identity, User


async def list_tokens(
    session: AsyncSession,
    settings: Settings,
    *,
    user_id: int | None,
    cursor: int | None,
    limit: int,
) -> list[OwnedToken]:
    """Tokens of all users or of one, the newest first."""
    statement = (
        select(ApiToken, User, Identity.signed_in_at)
        .join(User, User.id == ApiToken.user_id)
        .outerjoin(
            Identity,
            and_(Identity.user_id == User.id, Identity.issuer == settings.oidc_issuer),
        )
        .order_by(ApiToken.id.desc())
        .limit(limit)
    )
    if user_id is not None:
        statement = statement.where(ApiToken.user_id == user_id)
    if cursor is not None:
        statement = statement.where(ApiToken.id < cursor)
    now = datetime.now(UTC)
    # Those who have not signed in by single sign-on since then have left, for all that is known.
    days = settings.oidc_token_days
    since = now - timedelta(days=days) if days else None
    found = [
        (TokenOut.model_validate(token).within(settings.token_max_days), user, signed_in)
        for token, user, signed_in in await session.execute(statement)
    ]
    return [
        OwnedToken(
            **token.model_dump(),
            user=Person.model_validate(user),
            valid=user.active
            and token.revoked_at is None
            and (token.expires_at is None or token.expires_at > now)
            and (since is None or signed_in is None or signed_in > since),
        )
        for token, user, signed_in in found
    ]
