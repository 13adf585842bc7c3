"""HTTP to the API: authentication, retries, errors."""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

from core.process.version import build
from karat.client.credentials import require_address
from karat.client.notebook import Record
from karat.client.saving import replacing

_TOO_MANY = HTTPStatus.TOO_MANY_REQUESTS
# What a proxy says that has passed a request on and heard nothing good.
_PASSED_ON = {HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}
_RETRY_STATUS = {*_PASSED_ON, HTTPStatus.SERVICE_UNAVAILABLE, _TOO_MANY}
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0

_Outcome = httpx.Response | httpx.RequestError


class KaratError(Exception):
    """The API refused a request, or could not be reached.

    Attributes:
        code: Stable identifier, such as ``not_found`` or ``round_not_open``; ``unreachable`` when
            no answer came, ``broken_off`` when a download came only in part, ``unexpected`` when
            something else has answered.
        detail: What is wrong, for people.
        field: Dotted path of the offending input, if there is one.
        status: HTTP status; None when no answer came.
    """

    def __init__(
        self, code: str, detail: str, *, field: str | None = None, status: int | None = None
    ) -> None:
        """Store the parts; ``str()`` gives the detail, with the field."""
        named = field is None or field in detail
        super().__init__(detail if named else f"{field}: {detail}")
        self.code = code
        self.detail = detail
        self.field = field
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is pickled, so that it comes out of the process of a pool as it was."""
        made = partial(type(self), field=self.field, status=self.status)
        return made, (self.code, self.detail), vars(self)


# As it is imported, and read in a traceback.
KaratError.__module__ = "karat"


class Transport:
    """A connection to one Karat, safe to share between threads."""

    def __init__(
        self,
        url: str,
        token: str | None,
        retry_seconds: float,
        connect_seconds: float,
        answer_seconds: float,
    ) -> None:
        """Prepare the connection; nothing is sent yet.

        Args:
            url: Where Karat is, such as ``http://127.0.0.1:8080``.
            token: API token, if there is one already.
            retry_seconds: How long to try again while Karat cannot be reached or is busy.
            connect_seconds: The same, before Karat was ever reached.
            answer_seconds: How long to wait for each answer, and each part of one.

        Raises:
            BadAddress: Nothing can be at ``url``.
        """
        self.url = url.rstrip("/")
        require_address(self.url)
        self._retry_seconds = retry_seconds
        self._connect_seconds = connect_seconds
        self._reached = False
        # The origin shows the API that a request with the session cookie is no foreign page's.
        self._http = httpx.Client(
            base_url=f"{self.url}/api",
            headers={"Origin": self.url, "User-Agent": f"karat/{build()}"},
            timeout=httpx.Timeout(answer_seconds, connect=5.0),
            limits=httpx.Limits(max_connections=32),
        )
        if token is not None:
            self.use_token(token)

    def use_token(self, token: str) -> None:
        """Authenticate with an API token from now on."""
        self._http.headers["Authorization"] = f"Bearer {token}"

    def forget_token(self) -> None:
        """Authenticate with the session of a login from now on."""
        self._http.headers.pop("Authorization", None)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        content: Callable[[], Iterable[bytes]] | None = None,
        repeatable: bool | None = None,
    ) -> Any:
        """Send a request and return the decoded body.

        Args:
            method: HTTP method.
            path: Path below ``/api``.
            query: Query parameters; those that are None are left out.
            body: Sent as JSON.
            content: Makes the raw body, anew for each try.
            repeatable: Whether a request that may have been done can be sent again; by default
                all but POST and PATCH.

        Returns:
            The JSON of the response, its objects as notebooks show them; None when it has no body.

        Raises:
            KaratError: The API refused, or could not be reached in time.
        """
        if repeatable is None:
            repeatable = method not in {"POST", "PATCH"}
        response = self._answered(
            method, path, query, body=body, content=content, repeatable=repeatable
        )
        if response.is_error or not response.content:
            return None
        try:
            return response.json(object_hook=Record)
        except ValueError as error:
            raise self._fault(response) from error

    def text(self, path: str, query: dict[str, Any] | None = None) -> str:
        """Read a response that is plain text.

        Args:
            path: Path below ``/api``.
            query: Query parameters; those that are None are left out.

        Raises:
            KaratError: The API refused, or could not be reached in time.
        """
        return self._answered("GET", path, query).text

    @contextmanager
    def stream(
        self, path: str, query: dict[str, Any] | None = None, *, elsewhere: bool = False
    ) -> Iterator[httpx.Response]:
        """Read a response piece by piece.

        Args:
            path: Path below ``/api``.
            query: Query parameters; those that are None are left out.
            elsewhere: Whether it may lie where Karat leads to, as in a bucket.

        Yields:
            The response, its body not yet read.

        Raises:
            KaratError: The API refused, could not be reached in time, or broke off.
        """
        response = self._answered("GET", path, query, stream=True, elsewhere=elsewhere)
        try:
            yield response
        except httpx.TransportError as error:
            detail = f"The answer of {self.url} broke off in the middle: {error}."
            raise KaratError("broken_off", detail) from error
        finally:
            response.close()

    def lines(self, path: str, query: dict[str, Any] | None = None) -> Iterator[bytes]:
        """Read a response of JSON Lines, as it comes.

        Args:
            path: Path below ``/api``.
            query: Query parameters; those that are None are left out.

        Yields:
            Each line that is not empty.

        Raises:
            KaratError: The API refused, could not be reached in time, or broke off.
        """
        rest = b""
        with self.stream(path, query) as response:
            # Text has more ends of lines than JSON Lines, and JSON leaves them as they are.
            for block in response.iter_bytes():
                *whole, rest = (rest + block).split(b"\n")
                yield from filter(None, whole)
        if rest:
            yield rest

    def save(
        self,
        path: str,
        target: Path,
        query: dict[str, Any] | None = None,
        on_received: Callable[[int], None] | None = None,
    ) -> Path:
        """Save a response as a file, which appears when it is complete, or write it to a pipe.

        Args:
            path: Path below ``/api``.
            target: The file.
            query: Query parameters; those that are None are left out.
            on_received: Called with the bytes received so far.

        Returns:
            ``target``.

        Raises:
            FileNotFoundError: There is no such folder.
            IsADirectoryError: ``target`` is a folder.
            KaratError: The API refused, could not be reached in time, or broke off.
        """
        # Before what may take minutes to make is asked for.
        with replacing(target) as file, self.stream(path, query) as response:
            for chunk in response.iter_bytes():
                file.write(chunk)
                if on_received is not None:
                    on_received(response.num_bytes_downloaded)
        return target

    def pages(self, path: str, query: dict[str, Any] | None = None) -> Iterator[Any]:
        """Every item of a list, page by page.

        Args:
            path: Path below ``/api``.
            query: Query parameters; those that are None are left out.

        Yields:
            The items.
        """
        cursor: str | None = None
        while True:
            page = self.request("GET", path, query={**(query or {}), "cursor": cursor})
            yield from page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def _answered(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None,
        *,
        body: Any = None,
        content: Callable[[], Iterable[bytes]] | None = None,
        repeatable: bool = True,
        stream: bool = False,
        elsewhere: bool = False,
    ) -> httpx.Response:
        """What Karat answers, after as many tries as that takes; to ``stream``, only its head."""
        patience = self._retry_seconds if self._reached else self._connect_seconds
        deadline = time.monotonic() + patience
        pause = _FIRST_PAUSE
        perhaps_removed = False
        while True:
            last = time.monotonic() >= deadline
            request = self._http.build_request(
                method,
                path,
                params=_present(query),
                json=body,
                content=content() if content else None,
            )
            outcome = self._sent(request, stream, elsewhere)
            # What an earlier try has removed is there no more, as it should be.
            if isinstance(outcome, httpx.Response) and (
                _is_answer(outcome) or (perhaps_removed and _is_gone(outcome))
            ):
                return outcome
            perhaps_removed |= method == "DELETE" and _may_be_done(outcome)
            asked = _asked_pause(outcome)
            last = last or asked > max(0.0, deadline - time.monotonic())
            again = repeatable or not _may_be_done(outcome)
            if last or not again or not _is_passing(outcome):
                cause = outcome if isinstance(outcome, Exception) else None
                raise self._fault(outcome) from cause
            time.sleep(max(asked, pause * random.uniform(0.75, 1.25)))
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _sent(self, request: httpx.Request, stream: bool, elsewhere: bool) -> _Outcome:
        """What becomes of one try."""
        try:
            response = self._http.send(request, stream=stream, follow_redirects=elsewhere)
            if not _is_answer(response):
                response.read()
        except httpx.RequestError as error:
            return error
        self._reached = True
        return response

    def _fault(self, outcome: _Outcome) -> KaratError:
        """What to say of a request that was not answered well."""
        if isinstance(outcome, httpx.Response) and (refusal := _refusal(outcome)):
            return refusal
        asked, at = str(outcome.request.url), f"Karat cannot be reached at {self.url}"
        if not asked.startswith(str(self._http.base_url)):
            # Whoever has a link into a bucket sees what is there.
            asked = asked.partition("?")[0]
            at = f"Karat leads to what cannot be reached, {asked}"
        doubt = ""
        if outcome.request.method != "GET" and _may_be_done(outcome):
            doubt = " It may have been done all the same: look before you do it again."
        if not isinstance(outcome, httpx.Response):
            return KaratError("unreachable", f"{at}: {outcome}.{doubt}")
        if outcome.next_request is not None:
            target = str(outcome.next_request.url).removesuffix(asked.removeprefix(self.url))
            detail = f"{self.url} leads to {target}. If Karat is there, use that address."
        elif outcome.is_success:
            detail = f"{asked} answered, but not as Karat does; is the address right?"
        else:
            detail = f"{asked} answered {outcome.status_code} {outcome.reason_phrase}."
        return KaratError("unexpected", detail + doubt, status=outcome.status_code)


def _is_answer(response: httpx.Response) -> bool:
    """Whether a response is what was asked for; Karat's API has no pages."""
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    return response.is_success and not is_page


def _is_gone(response: httpx.Response) -> bool:
    """Whether there is nothing any more that could be removed."""
    refusal = _refusal(response)
    return refusal is not None and refusal.code in {"not_found", "plan_discarded"}


def _may_be_done(outcome: _Outcome) -> bool:
    """Whether what was asked for can have been done, though there is no good answer."""
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in _PASSED_ON
    return not isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


def _is_passing(outcome: _Outcome) -> bool:
    """Whether another try may be answered better."""
    if not isinstance(outcome, httpx.Response):
        return True
    # What somebody has to mend Karat calls away as well, but names no time to come back.
    lasts = outcome.status_code == HTTPStatus.SERVICE_UNAVAILABLE and (
        _refusal(outcome) is not None and "Retry-After" not in outcome.headers
    )
    return outcome.status_code in _RETRY_STATUS and not lasts


def _asked_pause(outcome: _Outcome) -> float:
    """Seconds to wait, where Karat takes nothing before they are over; else 0."""
    if not isinstance(outcome, httpx.Response) or outcome.status_code != _TOO_MANY:
        return 0.0
    said = outcome.headers.get("Retry-After", "")
    return float(said) if said.isdecimal() else 0.0


def _present(query: dict[str, Any] | None) -> dict[str, Any] | None:
    return {name: value for name, value in query.items() if value is not None} if query else None


def _refusal(response: httpx.Response) -> KaratError | None:
    """What Karat says is wrong; none if the response is not Karat's."""
    try:
        problem = response.json()
    except ValueError:
        return None
    if not isinstance(problem, dict) or "code" not in problem:
        return None
    detail = str(problem.get("detail") or problem.get("title"))
    if problem["code"] == "not_found":
        path = response.request.url.path.removeprefix("/api")
        detail = f"{detail.rstrip('.')}: {path}."
    return KaratError(
        str(problem["code"]), detail, field=problem.get("field"), status=response.status_code
    )
