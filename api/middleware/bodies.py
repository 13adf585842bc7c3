"""What a request may bring: limits on its body before anything is made of it.

A body is read here, whole, before routes see it. Strangers may send as much as a login takes; for
more than that one has to be somebody, and no body is parsed that would grow out of proportion.
"""

import json
import re
from typing import Final

from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.callers.principal import identified
from api.middleware.problems import answered
from core.errors import DomainError, ErrorKind, Invalid

STRANGERS: Final = 16 << 10
"""Bytes that anybody may send: a login is a few hundred."""
USUAL: Final = 1 << 20
"""Bytes of a request with JSON, from somebody who is known."""
LARGE: Final = 8 << 20
"""The same where lists of thousands of images, or the guides of a thousand classes, are sent."""
LEVELS: Final = 64
"""How deep lists and objects may lie within each other."""
PARTS: Final = 100_000
"""How many lists and objects a body may have: an empty one takes two bytes, and 64 in memory."""

_SMALL_ROUTES: Final = re.compile(r"/api/(auth|tokens|users|admin)(/|$)")
_LARGE_ROUTES: Final = re.compile(
    r"/api/projects(/\d+(/examples/[a-z-]+|/labeling/answers|/reviews/[a-z0-9-]+/decisions)?)?/?$"
)
# Goes to the disk piece by piece, with a limit of its own, after the caller is known.
_STREAMED: Final = re.compile(r"/api/(projects/\d+/(imports|examples/look-up)|weights)/?$")

# To the end of the body where a string does not end: nothing is looked at twice.
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


def limit(method: str, path: str) -> int | None:
    """How many bytes a request may bring; None where its route reads them as they come."""
    if method == "POST" and _STREAMED.fullmatch(path):
        return None
    if _SMALL_ROUTES.match(path):
        return STRANGERS
    return LARGE if _LARGE_ROUTES.fullmatch(path) else USUAL


class Bodies:
    """Middleware that reads the body of each request within the limit of its route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # No route reads the body of these.
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
            return
        most = limit(scope["method"], scope["path"])
        if most is None:
            await self._app(scope, receive, send)
            return
        try:
            body = await _read(scope, receive, most)
            require_shallow(body)
        except Exception as error:
            response = await answered(Request(scope, receive), error)
            await response(scope, receive, send)
            return
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return unread.pop() if unread else await receive()

        await self._app(scope, again, send)


def _said(scope: Scope) -> int:
    """How long the body is by its headers; 0 if they do not say."""
    given = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return int(given) if given.isdigit() else 0


async def _read(scope: Scope, receive: Receive, most: int) -> bytes:
    """The whole body; whoever sends more than a stranger may is known before that is read."""
    said = _said(scope)
    if said > most:
        raise _too_large(most)
    if known := said > STRANGERS:
        await identified(Request(scope))
    pieces: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece, more = message.get("body", b""), message.get("more_body", False)
        size += len(piece)
        if size > most:
            raise _too_large(most)
        if size > STRANGERS and not known:
            await identified(Request(scope))
            known = True
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(most: int) -> DomainError:
    return DomainError(
        "body_too_large",
        f"This request may bring {most:,} bytes; send less at once.",
        kind=ErrorKind.TOO_LARGE,
    )


def require_shallow(body: bytes) -> None:
    """Refuse a body that takes much more to parse than to send.

    Raises:
        Invalid: ``body_too_deep`` or ``body_too_many_parts``; ``bad_request`` for JSON in another
            encoding, in which brackets cannot be counted.
    """
    # Most bodies are done here.
    if body.count(b"[") + body.count(b"{") <= LEVELS and b"\0" not in body[:4]:
        return
    if json.detect_encoding(body) not in {"utf-8", "utf-8-sig"}:
        raise Invalid("bad_request", "The body cannot be read; send JSON in UTF-8.", field="body")
    brackets = _STRING.sub(b"", body).translate(None, _NO_BRACKETS)
    if brackets.count(b"[") + brackets.count(b"{") > PARTS:
        raise Invalid(
            "body_too_many_parts",
            f"A body may have {PARTS:,} lists and objects; send less at once.",
            field="body",
        )
    depth = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        if depth > LEVELS:
            raise Invalid(
                "body_too_deep",
                f"Lists and objects may lie {LEVELS} deep in each other.",
                field="body",
            )
        if depth < 0:
            # No JSON: the parser says where.
            return
