from datetime import datetime
from typing import Annotated

import httpx
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from api.schemas.addresses import Address
from api.schemas.names import GivenName


def _base(url: str) -> str:
    if httpx.URL(url).query:
        raise ValueError("leave out what follows the ?; a key has a field of its own")
    return url.rstrip("/")


def _sendable(key: SecretStr) -> SecretStr:
    # The message must not hold it.
    if not all("!" <= letter <= "~" for letter in key.get_secret_value()):
        raise ValueError("a key has letters, digits and signs of ASCII, and no spaces")
    return key


def _plain(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError("write it on one line, without spaces around it")
    return text


BaseUrl = Annotated[Address, AfterValidator(_base)]
Key = Annotated[SecretStr, Field(min_length=1, max_length=4000), AfterValidator(_sendable)]
Model = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_plain)]
Price = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Concurrency = Annotated[int, Field(ge=1, le=256)]
Seconds = Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)]
PerMinute = Annotated[int, Field(ge=1, le=1_000_000)]
Tokens = Annotated[int, Field(ge=16, le=100_000)]


class JudgeCreate(BaseModel):
    """A server that speaks OpenAI's API. Prices are per million tokens, in any currency."""

    model_config = ConfigDict(extra="forbid")

    name: GivenName
    base_url: BaseUrl
    model: Model
    embedding_model: Model | None = None
    key: Key | None = None
    price_in: Price | None = None
    price_out: Price | None = None
    concurrency: Concurrency = 8
    timeout: Seconds = 60.0
    requests_per_minute: PerMinute | None = None
    max_tokens: Tokens = 256


class JudgeUpdate(BaseModel):
    """What is left out stays. A `key` of null removes it; at another server it is wanted anew."""

    model_config = ConfigDict(extra="forbid")

    name: GivenName | None = None
    base_url: BaseUrl | None = None
    model: Model | None = None
    embedding_model: Model | None = None
    key: Key | None = None
    price_in: Price | None = None
    price_out: Price | None = None
    concurrency: Concurrency | None = None
    timeout: Seconds | None = None
    requests_per_minute: PerMinute | None = None
    max_tokens: Tokens | None = None


class Trial(BaseModel):
    """What a judge answered when it was tried: it waits for a worker until `tried_at` is set.

    `ok` says that it put made-up rows in an order, in the form that it has to have. `text` is what
    it said, `problem` what is wrong.
    """

    asked_at: datetime
    tried_at: datetime | None
    ok: bool
    text: str | None
    seconds: float | None
    problem: str | None


class JudgeOut(BaseModel):
    """A judge. Its key is never shown; `has_key` says whether there is one."""

    id: int
    name: str
    base_url: str
    model: str
    embedding_model: str | None
    has_key: bool
    price_in: float | None
    price_out: float | None
    concurrency: int
    timeout: float
    requests_per_minute: int | None
    max_tokens: int
    created_at: datetime
    trial: Trial | None
