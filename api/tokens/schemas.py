from datetime import datetime, timedelta
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.names import GivenName
from core.states import Scope


class TokenCreate(BaseModel):
    """Without `expires_in_days` a token is good for as long as the installation says (90 days); one
    with null does not expire. With a `project_id` it opens that project and nothing else."""

    model_config = ConfigDict(extra="forbid")

    name: GivenName
    scope: Scope = Scope.WRITE
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    project_id: Annotated[int, Field(ge=1, lt=2**63)] | None = None


class TokenOut(BaseModel):
    """`project_id` is the only project that it opens; without one it opens all of its user's."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    prefix: str
    scope: Scope
    project_id: int | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None

    def within(self, days: int | None) -> Self:
        """The same, if no token is good for more than ``days``."""
        if days is None:
            return self
        last = self.created_at + timedelta(days=days)
        return self.model_copy(update={"expires_at": min(self.expires_at or last, last)})


class TokenCreated(TokenOut):
    """The only time the secret is shown."""

    secret: str


class TokenList(BaseModel):
    """The caller's tokens; `days` is how long new ones are good for unless asked otherwise, and
    `most_days` how long at most. Who signs in by single sign-on does so at least every `sso_days`,
    or their tokens open nothing until they do."""

    items: list[TokenOut]
    days: int
    most_days: int | None
    sso_days: int | None
