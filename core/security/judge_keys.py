"""Whom the key of a judge is meant for."""

from urllib.parse import urlsplit


def origin(url: str) -> str:
    """Scheme, host and port of an address: whom a key is meant for."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}"


def sealed_for(base_url: str) -> str:
    """Purpose that the key of a judge is sealed for: moved to another server, it does not open."""
    return f"judge {origin(base_url)}"
