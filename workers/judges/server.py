"""Requests to the machine that a judge answers from."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

from core.settings.addresses import Allowed
from workers import outgoing
from workers.judges import faults
from workers.judges.errors import JudgeDown
from workers.judges.replies import read
from workers.judges.settings import JudgeSettings

_RESOLVED_SECONDS: Final = 60.0
_CONNECT_SECONDS: Final = 5.0


@dataclass
class Way:
    """How far a request has come.

    Attributes:
        sent: The server has all of it.
        answering: It has begun to answer, and not with an error.
    """

    sent: bool = False
    answering: bool = False

    async def trace(self, event: str, _: Mapping[str, Any]) -> None:
        """Told by ``httpcore`` of each step."""
        self.sent = self.sent or event.endswith(".send_request_body.complete")


def connect_seconds(settings: JudgeSettings) -> float:
    """Seconds for one address to be connected to, so that there are some left for the next."""
    return min(_CONNECT_SECONDS, settings.timeout / 2)


class Server:
    """Where a judge is asked: at addresses that were looked at, the ones that answer first."""

    def __init__(
        self, settings: JudgeSettings, allowed: Allowed, client: httpx.AsyncClient
    ) -> None:
        """Remember the place; nothing is looked up yet."""
        self._settings, self._allowed, self._client = settings, allowed, client
        self._addresses: list[str] = []
        self._gone: set[str] = set()
        self._resolved_at = 0.0

    async def post(
        self, path: str, body: Mapping[str, Any], way: Way
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send JSON and read the response: its status, headers and body; ``way`` is told of it.

        Raises:
            JudgeDown: Its address is not known, or may not be called.
            BadReply: The body has no end, or is packed.
            httpx.HTTPError: The connection could not be made, or broke.
        """
        base = httpx.URL(self._settings.base_url)
        url = base.copy_with(path=f"{base.path.rstrip('/')}/{path}")
        headers = {"Accept": "application/json"}
        if self._settings.key is not None:
            headers["Authorization"] = f"Bearer {self._settings.key}"
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        response = await self._connected(url, content, headers, way)
        way.answering = response.is_success
        try:
            return response.status_code, response.headers, await read(response)
        finally:
            await response.aclose()

    async def _connected(
        self, url: httpx.URL, content: bytes, headers: Mapping[str, str], way: Way
    ) -> httpx.Response:
        """The beginning of a response, of the first address that takes the request."""
        failed: httpx.HTTPError | None = None
        for address in await self._looked_at(url):
            request = outgoing.pinned_post(self._client, url, address, content, headers)
            request.extensions["trace"] = way.trace
            try:
                response = await self._client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failed = error
                self._gone.add(address)
            else:
                self._gone.discard(address)
                return response
        # Another address may have been given to it since.
        self._addresses = []
        assert failed is not None
        raise failed

    async def _looked_at(self, url: httpx.URL) -> list[str]:
        """Addresses that may be called, looked at anew once a minute."""
        if not self._addresses or time.monotonic() > self._resolved_at + _RESOLVED_SECONDS:
            host = url.raw_host.decode("ascii")
            try:
                self._addresses = await outgoing.permitted(url, self._allowed)
            except outgoing.Unresolved as error:
                raise JudgeDown("unresolved", faults.unresolved(str(error))) from error
            except outgoing.NotAllowed as error:
                raise JudgeDown("not_allowed", faults.not_allowed(str(error), host)) from error
            self._resolved_at = time.monotonic()
        return sorted(self._addresses, key=lambda one: one in self._gone)
