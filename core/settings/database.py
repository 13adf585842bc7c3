"""Addresses of PostgreSQL, and what whoever connects to one says besides."""

from typing import Any, Final
from urllib.parse import parse_qs

_DRIVER: Final = "postgresql+psycopg"

# In place of a quarter of an hour, or two hours where nothing is sent. A Unix socket has no such
# silence, and none of these but the first.
_NOTICING: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


def sqlalchemy_url(url: str) -> str:
    """An address of PostgreSQL with the psycopg driver named, as SQLAlchemy wants it."""
    scheme, separator, rest = url.partition("://")
    if scheme in {"postgresql", "postgres"}:
        scheme = _DRIVER
    return f"{scheme}{separator}{rest}"


def libpq_url(url: str) -> str:
    """The same as libpq (psycopg without SQLAlchemy) wants it."""
    return url.replace(f"{_DRIVER}://", "postgresql://", 1)


def noticing(url: str) -> dict[str, Any]:
    """Arguments by which a connection notices within half a minute that its server is gone.

    As where its host fails, and the address is another's: nobody says goodbye then. What the
    address says of them itself holds.
    """
    # Not by urlsplit: libpq takes passwords with [ and # as they are.
    said = parse_qs(url.rpartition("?")[2])
    return {name: value for name, value in _NOTICING.items() if name not in said}
