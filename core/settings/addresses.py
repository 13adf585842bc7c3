"""Addresses of machines that operators and people name, and which of them may be called."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final, Self

_Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
# The well-known prefix under which IPv6-only networks reach IPv4 addresses (RFC 6052).
_NAT64: Final = IPv6Network("64:ff9b::/96")
# Not all are in the tables of every Python: IPv4 addresses in other clothes, networks of one site
# (RFC 3879), of documentation and of segments (RFC 9637, 9602), of protocols (RFC 6890), relays
# (RFC 7526), and the one address at which Azure answers its machines.
_REFUSED: Final = tuple(
    ip_network(text)
    for text in (
        "::/96",
        "::ffff:0:0:0/96",
        "64:ff9b:1::/48",
        "fec0::/10",
        "5f00::/16",
        "3fff::/20",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "168.63.129.16/32",
    )
)


@dataclass(frozen=True)
class Allowed:
    """What an operator lets webhooks or judges be at besides public addresses.

    Attributes:
        names: Host names, in lower case.
        networks: Networks, single addresses among them.
    """

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, text: str | None) -> Self:
        """Read ``ci.internal, 10.1.0.0/16, 127.0.0.1``.

        Raises:
            ValueError: An entry is neither a host name nor an address nor a network.
        """
        names, networks = set(), []
        for entry in filter(None, (part.strip() for part in (text or "").split(","))):
            if not set(entry) & set(":/") and not entry.replace(".", "").isdecimal():
                names.add(entry.lower().rstrip("."))
                continue
            try:
                networks.append(ip_network(entry))
            except ValueError as error:
                raise ValueError(
                    f"{entry!r} is neither a host name nor an address nor a network such as "
                    "10.1.0.0/16"
                ) from error
        return cls(frozenset(names), tuple(networks))

    def permits(self, host: str, address: str) -> bool:
        """Whether ``host`` may be called at ``address``, which it was resolved to.

        Args:
            host: As it stands in the URL.
            address: IPv4 or IPv6, perhaps with a zone.
        """
        found = _plain(ip_address(address.partition("%")[0]))
        return (
            _is_public(found)
            or host.lower().rstrip(".") in self.names
            or any(found in network for network in self.networks)
        )


def networks(text: str | None) -> tuple[Network, ...]:
    """Read ``10.1.0.7, 10.2.0.0/16``.

    Raises:
        ValueError: An entry is neither an address nor a network.
    """
    entries = filter(None, (part.strip() for part in (text or "").split(",")))
    return tuple(ip_network(entry) for entry in entries)


def within(host: str | None, among: Sequence[Network]) -> bool:
    """Whether ``host`` is an address in one of the networks ``among``."""
    if not among or host is None:
        return False
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(_plain(address) in network or address in network for network in among)


def literal(host: str) -> str | None:
    """The address that ``host`` is without asking anybody, if it is one."""
    if f".{host.lower().rstrip('.')}".endswith(".localhost"):
        return "127.0.0.1"
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        return None


def _is_public(address: _Address) -> bool:
    refused = address.is_multicast or any(address in network for network in _REFUSED)
    return address.is_global and not refused


def _plain(address: _Address) -> _Address:
    """The IPv4 address that an IPv6 one stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
