from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from core.states import Role


def _email(value: str) -> str:
    name, at, domain = value.partition("@")
    if not (name and at and domain) or any(character.isspace() for character in value):
        raise ValueError("write an address such as name@example.org")
    return value.lower()


Email = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=254), AfterValidator(_email)
]
Password = Annotated[str, Field(min_length=8, max_length=256)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]


class UserOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    email: str
    name: str
    role: Role
    active: bool
    created_at: datetime


class UserCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: Email
    name: Name
    role: Role = Role.ANNOTATOR
    password: Password


class UserUpdate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    role: Role | None = None
    active: bool | None = None
    password: Password | None = None
