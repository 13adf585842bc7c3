"""The names that Karat is called by, where the operator has said which."""

from collections.abc import Set
from http import HTTPStatus
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from api.middleware.problems import problem

# Health checks, and whoever is on the machine itself.
_HERE: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Hosts:
    """Middleware that refuses requests for any other name: a page whose name was made to mean this
    machine (DNS rebinding) reaches nothing."""

    def __init__(self, app: ASGIApp, *, allowed: Set[str]) -> None:
        self._app = app
        self._allowed = _HERE | allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _name(scope) not in self._allowed:
            refused = problem(
                HTTPStatus.MISDIRECTED_REQUEST,
                "unknown_host",
                "Karat is not called by this name here; see KARAT_ALLOWED_HOSTS.",
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _name(scope: Scope) -> str:
    """The host that a request is for, without its port."""
    given = next((value for name, value in scope["headers"] if name == b"host"), b"")
    text = given.decode("latin-1").lower()
    host, bracket, _ = text.partition("]")
    return host + bracket if bracket else text.partition(":")[0].rstrip(".")
