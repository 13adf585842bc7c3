"""Where the command line keeps the address of Karat and the token for it."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
import platformdirs

DEFAULT_URL = "http://127.0.0.1:8080"


@dataclass(frozen=True)
class Credentials:
    """An address and, if known, a token for it."""

    url: str
    token: str | None


class BadAddress(ValueError):
    """Where Karat is said to be is no address."""


def require_address(url: str) -> None:
    """Refuse an address that nothing can be at.

    Args:
        url: Where Karat is said to be.

    Raises:
        BadAddress: It is none.
    """
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise BadAddress(f"{url!r} is no address: {error}.") from error
    if address.scheme not in {"http", "https"} or not address.host:
        raise BadAddress(f"{url!r} is no address such as http://127.0.0.1:8080.")


def path() -> Path:
    """The file that ``karat login`` writes."""
    return platformdirs.user_config_path("karat") / "credentials.json"


def find(url: str | None = None, token: str | None = None) -> Credentials:
    """Complete an address and a token from the environment and the last login.

    Args:
        url: Address given by the user.
        token: Token given by the user.

    Returns:
        The given values, else ``KARAT_URL`` and ``KARAT_TOKEN``, else those of the last login,
        whose token is used for its own address only.
    """
    stored = _load()
    url = (url or os.environ.get("KARAT_URL") or (stored.url if stored else DEFAULT_URL)).rstrip(
        "/"
    )
    token = _stripped(token) or from_environment()
    if token is None and stored is not None and stored.url == url:
        token = stored.token
    return Credentials(url, token)


def from_environment() -> str | None:
    """The token in ``KARAT_TOKEN``, if there is one."""
    return _stripped(os.environ.get("KARAT_TOKEN"))


def save(credentials: Credentials) -> Path:
    """Keep credentials for later, readable by nobody else.

    Args:
        credentials: The address and token.

    Returns:
        The file written.
    """
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(asdict(credentials), stream)
    unfinished.replace(file)
    return file


def _stripped(token: str | None) -> str | None:
    # Empty is unset, and what was read from a file ends with a line end.
    return (token or "").strip() or None


def _load() -> Credentials | None:
    try:
        stored = json.loads(path().read_text())
        return Credentials(str(stored["url"]), stored.get("token"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
