from fastapi import APIRouter

from api.callers.principal import CurrentUser
from api.deps import SessionDep, SettingsDep
from api.schemas.parameters import PathId
from api.tokens import service
from api.tokens.schemas import TokenCreate, TokenCreated, TokenList, TokenOut

router = APIRouter(prefix="/tokens", tags=["auth"])


@router.get("")
async def list_tokens(session: SessionDep, settings: SettingsDep, user: CurrentUser) -> TokenList:
    tokens = await service.list_tokens(session, user)
    most = settings.token_max_days
    return TokenList(
        items=[TokenOut.model_validate(token).within(most) for token in tokens],
        days=service.usual_days(settings),
        most_days=most,
        sso_days=await service.sso_days(session, settings, user),
    )


@router.post("", status_code=201)
async def create_token(
    session: SessionDep, settings: SettingsDep, user: CurrentUser, body: TokenCreate
) -> TokenCreated:
    """Make a token; its secret is shown this once."""
    token, secret = await service.create_token(session, user, settings, body)
    await session.refresh(token)
    return TokenCreated(**TokenOut.model_validate(token).model_dump(), secret=secret)


@router.delete("/{token_id}", status_code=204)
async def revoke_token(session: SessionDep, user: CurrentUser, token_id: PathId) -> None:
    """Make a token invalid: one's own, and for an admin anybody's."""
    await service.revoke_token(session, user, token_id)
