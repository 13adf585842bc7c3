"""The single-page app: its files, and its index for every other address."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

# Vite puts a hash of the content into every name under assets/.
_HASHED = "public, max-age=31536000, immutable"


class SinglePageApp(StaticFiles):
    """Static files, with ``index.html`` for the app's own routes."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.startswith("api/"):
            raise HTTPException(404, "There is no such API route.")
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or path.startswith("assets/"):
                raise
            response = await super().get_response("index.html", scope)
        if path.startswith("assets/"):
            response.headers["Cache-Control"] = _HASHED
        elif isinstance(response, FileResponse):
            response.headers["Cache-Control"] = "no-cache"
        return response


def mount(app: FastAPI, directory: Path | None) -> None:
    """Serve the built frontend, if it is there."""
    directory = directory or Path(__file__).resolve().parent.parent / "frontend" / "dist"
    if (directory / "index.html").is_file():
        pages = SinglePageApp(directory=directory, html=True)
        # Only these: answers of the API are small, and its streams must not wait for a full buffer.
        app.mount("/", GZipMiddleware(pages, minimum_size=1024, compresslevel=6), name="frontend")
