"""Where callers come from."""

import ipaddress
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Final

address: ContextVar[str | None] = ContextVar("address", default=None)
"""Where the request that is being answered comes from, as far as proxies that are named say."""

headers: ContextVar[Sequence[tuple[bytes, bytes]]] = ContextVar("headers", default=())
"""What came with the request that is being answered."""

_LONGEST_AGENT: Final = 300

# What one customer of a provider usually has to choose from.
_HOME_NETWORK: Final = 64


def agent() -> str | None:
    """What the browser or program that calls says it is, cut off where it is long."""
    found = next((value for name, value in headers.get() if name == b"user-agent"), None)
    if not found:
        return None
    said = found[:_LONGEST_AGENT].decode("latin-1")
    return "".join(one if one.isprintable() else "?" for one in said)


def source(host: str | None) -> str:
    """What counts as one place that calls: an address, of IPv6 the network with 64 bits."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return str(host)
    if isinstance(address, ipaddress.IPv6Address):
        found = address.ipv4_mapped
        if found is None:
            return str(ipaddress.ip_network((address, _HOME_NETWORK), strict=False))
        address = found
    return str(address)
