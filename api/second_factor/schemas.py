from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]
Password = Annotated[str, Field(max_length=256)]


class SecondFactorStart(BaseModel):
    model_config = ConfigDict(extra="forbid")

    password: Password


class SecondFactorConfirm(BaseModel):
    model_config = ConfigDict(extra="forbid")

    code: Code


class SecondFactorProof(BaseModel):
    """The present password, and a code of the app or a recovery code."""

    model_config = ConfigDict(extra="forbid")

    password: Password
    code: Code


class SecondFactorOut(BaseModel):
    """`required`: an admin or the installation wants one; `recovery_codes` are those left."""

    enabled: bool
    required: bool
    recovery_codes: int


class SecondFactorSecret(BaseModel):
    """For an authenticator app: `secret` to type in, or `qr` to scan, which says `uri`.

    `qr` has a text for each row of the QR code, `1` for dark; the quiet zone around it is left out.
    It holds after a code of the app was sent to `/auth/second-factor/confirm`.
    """

    secret: str
    uri: str
    qr: list[str]


class RecoveryCodes(BaseModel):
    """The only time they are shown: each stands in for the app once."""

    recovery_codes: list[str]
