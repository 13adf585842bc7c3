from datetime import datetime
from typing import Annotated
from unicodedata import normalize

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

from api.callers.passwords import NewPassword
from api.schemas.names import GivenName
from core.states import Role


def _email(value: str) -> str:
    name, at, domain = value.partition("@")
    # A look-alike of another letter, such as the Kelvin sign, would become that in lower case.
    plain = normalize("NFKC", value) == value and not any(one.isspace() for one in value)
    if not (name and at and domain and plain):
        raise ValueError("write an address such as name@example.org")
    return value.lower()


Email = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=254), AfterValidator(_email)
]


class UserOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    email: str
    name: str
    role: Role
    active: bool
    must_change_password: bool
    created_at: datetime
    erased_at: datetime | None


class UserCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: Email
    name: GivenName
    role: Role = Role.ANNOTATOR
    password: NewPassword


class UserUpdate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: GivenName | None = None
    role: Role | None = None
    active: bool | None = None
    password: NewPassword | None = None
    second_factor_required: bool | None = None


class PasswordReset(BaseModel):
    model_config = ConfigDict(extra="forbid")

    revoke_tokens: bool = False


class PasswordResetOut(BaseModel):
    """The only time the temporary password is shown."""

    user: UserOut
    password: str
    revoked_tokens: int


class UserActivity(UserOut):
    """A user, and what they can come in with.

    `signed_in_at` is the beginning of their newest session that still holds, `sessions` and
    `tokens` count what is valid now. `locked`: after too many failed logins they have to wait, from
    one address at least. `second_factor_required`: an admin wants them to have one;
    `single_sign_on`: the provider knows them.
    """

    projects: int
    sessions: int
    tokens: int
    signed_in_at: datetime | None
    locked: bool
    second_factor: bool
    second_factor_required: bool
    single_sign_on: bool
