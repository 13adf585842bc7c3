"""Where callers come from."""

import ipaddress
from typing import Final

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
