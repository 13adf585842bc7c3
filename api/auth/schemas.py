from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.passwords import NewPassword


class Login(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: Annotated[str, StringConstraints(strip_whitespace=True, max_length=254)]
    password: Annotated[str, Field(max_length=256)]


class PasswordChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    old_password: Annotated[str, Field(max_length=256)]
    password: NewPassword
