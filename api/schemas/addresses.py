"""Addresses of other machines that people write down."""

from typing import Annotated
from urllib.parse import urlsplit

import httpx
from pydantic import AfterValidator, Field

from core.errors import Invalid
from core.settings.addresses import Allowed, literal


def _address(url: str) -> str:
    try:
        read = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(f"this is no address: {error}") from None
    if read.scheme not in {"http", "https"} or not read.host:
        raise ValueError("write the whole address, such as https://example.org/karat")
    if read.port is not None and not 0 < read.port < 65536:
        raise ValueError("its port is not between 1 and 65535")
    if read.userinfo:
        raise ValueError("leave name and password out of it")
    if read.fragment:
        raise ValueError("leave out what follows the #, it is never sent")
    return str(read)


Address = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_address)]


def require_allowed(url: str, allowed: Allowed, *, variable: str, field: str) -> None:
    """Refuse what can be known to be refused later; names are looked up only when they are used.

    Raises:
        Invalid: ``address_not_allowed``.
    """
    host = urlsplit(url).hostname or ""
    address = literal(host)
    if address is not None and not allowed.permits(host, address):
        raise Invalid(
            "address_not_allowed",
            f"{host} is not a public address. Whoever runs Karat can allow it with {variable}.",
            field=field,
        )
