"""Everybody's API tokens."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.admin.schemas import OwnedToken, Person
from api.callers.principal import usable
from api.tokens.schemas import TokenOut
from core.settings import Settings
from core.tables import ApiToken, User


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
        select(ApiToken, User, usable(settings))
        .join(User, User.id == ApiToken.user_id)
        .order_by(ApiToken.id.desc())
        .limit(limit)
    )
    if user_id is not None:
        statement = statement.where(ApiToken.user_id == user_id)
    if cursor is not None:
        statement = statement.where(ApiToken.id < cursor)
    return [
        OwnedToken(
            **TokenOut.model_validate(token).within(settings.token_max_days).model_dump(),
            user=Person.model_validate(user),
            valid=valid,
        )
        for token, user, valid in await session.execute(statement)
    ]
