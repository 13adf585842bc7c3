from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.callers.passwords import NewPassword
from api.second_factor.schemas import Code
from api.users.schemas import UserOut
from core.states import SignInMethod


class Login(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: Annotated[str, StringConstraints(strip_whitespace=True, max_length=254)]
    password: Annotated[str, Field(max_length=256)]
    code: Code | None = None


class SingleSignOn(BaseModel):
    """`name` is what the operator calls it, if they have said so."""

    name: str | None


class SignInMethods(BaseModel):
    """Whether passwords open anything, and whether there is single sign-on."""

    passwords: bool
    single_sign_on: SingleSignOn | None


class Me(UserOut):
    """The caller. `method` is how this browser has signed in, null for an API token.

    `has_password`: there is one, and it opens the account. `must_add_second_factor`: nothing else
    is answered before there is one.
    """

    method: SignInMethod | None
    has_password: bool
    second_factor: bool
    must_add_second_factor: bool


class SessionOut(BaseModel):
    """A browser that is signed in; `address` and `agent` are those of the sign-in."""

    id: int
    method: SignInMethod
    address: str | None
    agent: str | None
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    current: bool


class LoggedOut(BaseModel):
    """Where to go to sign out of the provider of single sign-on as well, if that was it."""

    end_session_url: str | None


class PasswordChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    old_password: Annotated[str, Field(max_length=256)]
    password: NewPassword
