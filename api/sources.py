"""Where callers come from."""

import ipaddress
from contextvars import ContextVar
from typing import Final

address: ContextVar[str | None] = ContextVar("address", default=None)
"""Where the request that is being answered comes from, as far as proxies that are named say."""

# What one customer of a provider usually has to choose from.
_HOME_NETWORK: Final = 64


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
