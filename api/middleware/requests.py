"""What happens around every request: it gets an id, and its duration is measured."""

import os
import re
import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.callers.sources import address, headers
from api.database import commits
from api.operations.metrics import Metrics
from core.telemetry.logs import request_id

HEADER: Final = "X-Request-ID"
_NAME: Final = HEADER.lower().encode()
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class Requests:
    """Middleware below Starlette's own, plain ASGI: it adds a few microseconds to a request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == _NAME), b"")
        # Only plain ones: an id goes into headers and logs.
        known = given if _PLAIN.fullmatch(given) else os.urandom(8).hex().encode()
        request_id.set(known.decode())
        headers.set(scope["headers"])
        commits.watch(scope)
        address.set(scope["client"][0] if scope.get("client") else None)
        status = 500
        start = time.perf_counter()

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (_NAME, known)]
            await send(message)

        try:
            await self._app(scope, receive, answer)
        finally:
            seconds = time.perf_counter() - start
            self._metrics.request(scope["method"], _template(scope), status, seconds)


def _template(scope: Scope) -> str:
    """The route that a request found, as the API's schema names it."""
    path: str = getattr(scope.get("route"), "path", "other")
    # A route knows the prefix of its own router, and not that of the one which includes it.
    inside = scope["path"].startswith("/api/") and path[0] == "/" and not path.startswith("/api/")
    return f"/api{path}" if inside else path
