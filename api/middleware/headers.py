"""Headers that make a browser refuse what we never send: foreign scripts, frames, guessed types."""

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PAGES: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # Thumbnails that the browser has before the server does, and icons within style sheets.
        "img-src 'self' blob: data:{images}",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
# Data, never a page: were it opened as one, nothing in it would run.
_DATA: Final = "default-src 'none'; frame-ancestors 'none'; sandbox"
_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": (
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# For the one response that is made outside of every middleware.
DATA_HEADERS: Final = {**_ALWAYS, "Content-Security-Policy": _DATA, "Cache-Control": "no-store"}
_HSTS: Final = "max-age=31536000"


class SecurityHeaders:
    """Adds them to every response, errors too; what a route has set itself stays.

    What a browser may keep for one person it keeps for that person's session: for any other cookie
    it has to ask, and who asks is looked up.

    Args:
        app: The application.
        https: Whether everybody comes over TLS, so that browsers may insist on it.
        images: Addresses of buckets that images are shown from.
    """

    def __init__(self, app: ASGIApp, *, https: bool, images: Sequence[str] = ()) -> None:
        self._app = app
        common = {**_ALWAYS, "Strict-Transport-Security": _HSTS} if https else _ALWAYS
        policy = _PAGES.format(images="".join(f" {origin}" for origin in images))
        self._pages = {**common, "Content-Security-Policy": policy}
        # What only some may see stays in no cache, unless its route knows better.
        self._data = {**DATA_HEADERS, **common}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        added = self._data if scope["path"].startswith("/api/") else self._pages

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in added.items():
                    headers.setdefault(name, value)
                if headers.get("Cache-Control", "").startswith("private"):
                    headers.add_vary_header("Cookie, Authorization")
            await send(message)

        await self._app(scope, receive, send_with)
