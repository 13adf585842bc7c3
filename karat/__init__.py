"""Karat: what a user types and imports."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.client.client import Client
    from karat.client.transport import KaratError

__all__ = ["Client", "KaratError"]


def __getattr__(name: str) -> Any:
    """Import the client when it is first asked for: the command line starts without it."""
    if name == "Client":
        from karat.client.client import Client

        return Client
    if name == "KaratError":
        from karat.client.transport import KaratError

        return KaratError
    raise AttributeError(f"module 'karat' has no attribute {name!r}")
