from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.passwords import NewPassword
from core.states import Scope


class Login(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: Annotated[str, StringConstraints(strip_whitespace=True, max_length=254)]
    password: Annotated[str, Field(max_length=256)]


class PasswordChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    old_password: Annotated[str, Field(max_length=256)]
    password: NewPassword


class TokenCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    scope: Scope = Scope.WRITE
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = None


class TokenOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    prefix: str
    scope: Scope
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


class TokenCreated(TokenOut):
    """The only time the secret is shown."""

    secret: str
