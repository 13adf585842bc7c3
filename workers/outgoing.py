"""Requests to machines that people name: to addresses that were looked at, and to no others."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from ssl import SSLContext
from typing import Any, Final

import httpx

from core.process.version import build
from core.settings.addresses import Allowed

_MOST_ADDRESSES: Final = 4


class Unresolved(Exception):
    """Nobody knows the address of a host."""


class NotAllowed(Exception):
    """A host has no address that may be called."""


@lru_cache
def certificates() -> SSLContext:
    """What certificates are checked by; read once, as it takes long."""
    return httpx.create_ssl_context()


def new_client(
    limits: httpx.Limits | None = None, *, connect: float | None = None
) -> httpx.AsyncClient:
    """A client that uses no proxy and follows no redirect.

    What it calls is the address that was looked at. How long it may take is for the caller to say.

    Args:
        limits: Of its connections.
        connect: Seconds until a connection has to be made; None for any.
    """
    return httpx.AsyncClient(
        timeout=httpx.Timeout(None, connect=connect),
        trust_env=False,
        follow_redirects=False,
        verify=certificates(),
        limits=limits or httpx.Limits(),
    )


def asked_to_wait(headers: Mapping[str, str], most: float) -> float | None:
    """Seconds that a server asks to be left alone (RFC 9110, 10.2.3); None if it does not.

    Args:
        headers: Of its answer.
        most: Seconds; who asks for more is left alone for these.
    """
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if seconds >= 0:
            return min(seconds, most)
    try:
        when = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return min(max(0.0, (when - datetime.now(UTC)).total_seconds()), most)


async def permitted(url: httpx.URL, allowed: Allowed) -> list[str]:
    """Addresses of the host that may be called, at least one.

    Raises:
        Unresolved: The host has no address.
        NotAllowed: None of them may be called.
    """
    host = url.raw_host.decode("ascii").strip("[]")
    try:
        found = await _resolved(host, url.port or (443 if url.scheme == "https" else 80))
    except (socket.gaierror, UnicodeError) as error:
        raise Unresolved(f"{host}: {error}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    allowed_ones = [address for address in addresses if allowed.permits(host, address)]
    if not allowed_ones:
        raise NotAllowed(f"{host} is {', '.join(addresses)}")
    return allowed_ones[:_MOST_ADDRESSES]


def pinned_post(
    client: httpx.AsyncClient,
    url: httpx.URL,
    address: str,
    body: bytes,
    headers: Mapping[str, str],
) -> httpx.Request:
    """A request with JSON to ``address``, which ``url`` was resolved to.

    To the address that was looked at, and not to the name: it may be another one a moment later.
    """
    return client.build_request(
        "POST",
        url.copy_with(host=address),
        content=body,
        headers={
            "Host": url.netloc.decode("ascii"),
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"Karat/{build()}",
            **headers,
        },
        extensions={"sni_hostname": url.raw_host.decode("ascii")},
    )


async def _resolved(host: str, port: int) -> list[Any]:
    """What `getaddrinfo` says, in a thread that nobody waits for once the time is up."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[Any]] = loop.create_future()

    def settle(found: list[Any], error: Exception | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(found)
        else:
            answer.set_exception(error)

    def look() -> None:
        found: list[Any] = []
        failure: Exception | None = None
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            failure = error
        # The loop is closed where nobody waited.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, found, failure)

    threading.Thread(target=look, name="resolver", daemon=True).start()
    return await answer
