"""The single-page app: its files, and its index for every other address."""

from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

# Vite puts a hash of the content into every name under assets/.
_HASHED = "public, max-age=31536000, immutable"
# What the build (frontend/compress.ts) has written beside an asset, the smallest first.
_CODINGS: Final = {"br": ".br", "gzip": ".gz"}


class SinglePageApp(StaticFiles):
    """Static files, with ``index.html`` for the app's own routes."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.startswith("api/"):
            raise HTTPException(404, "There is no such API route.")
        if path.startswith("assets/"):
            return await self._asset(path, scope)
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            response = await super().get_response("index.html", scope)
        if isinstance(response, FileResponse):
            response.headers["Cache-Control"] = "no-cache"
        return response

    async def _asset(self, path: str, scope: Scope) -> Response:
        """A file of the build, as small as the browser can read it."""
        accepted = _accepted(Headers(scope=scope).get("Accept-Encoding", ""))
        there = (
            one
            for one in _CODINGS.items()
            if one[0] in accepted and self.lookup_path(path + one[1])[1]
        )
        coding, ending = next(there, ("", ""))
        response = await super().get_response(path + ending, scope)
        if coding:
            response.headers["Content-Encoding"] = coding
        response.headers["Cache-Control"] = _HASHED
        response.headers["Vary"] = "Accept-Encoding"
        return response


class _Last(Mount):
    """What answers whatever no route knows at all."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        # Among partial matches the first answers: a route that knows the address, and another
        # method of it, is before this, and says which.
        return (Match.PARTIAL if match is Match.FULL else match), found


def _accepted(header: str) -> set[str]:
    """The codings that a browser names and does not rule out."""
    named = (one.replace(" ", "").lower().partition(";q=") for one in header.split(","))
    return {coding for coding, _, weight in named if weight.strip("0.") or not weight}


def mount(app: FastAPI, directory: Path | None) -> None:
    """Serve the built frontend, if it is there."""
    directory = directory or Path(__file__).resolve().parent.parent / "frontend" / "dist"
    if (directory / "index.html").is_file():
        pages = SinglePageApp(directory=directory, html=True)
        app.router.routes.append(_Last("/", app=pages, name="frontend"))
