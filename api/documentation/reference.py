"""The page at ``/api/docs``: every route of the API, to read and to try, from our own files."""

import base64
import hashlib
import re
from importlib.resources import files

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

_ASSETS = "/api/docs/assets"
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def mount(app: FastAPI) -> None:
    """Serve the page, and Swagger UI from its package."""
    page = get_swagger_ui_html(
        openapi_url=app.openapi_url or "",
        title=f"{app.title} API",
        swagger_js_url=f"{_ASSETS}/swagger-ui-bundle.js",
        swagger_css_url=f"{_ASSETS}/swagger-ui.css",
        swagger_favicon_url="/favicon.svg",
    )
    body = bytes(page.body).decode()
    policy = (
        f"default-src 'none'; script-src 'self' {_hashes(body)}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy}

    @app.get("/api/docs", include_in_schema=False)
    async def show_reference() -> HTMLResponse:
        return HTMLResponse(body, headers=headers)

    assets = str(files("fastapi_offline").joinpath("static"))
    app.mount(_ASSETS, StaticFiles(directory=assets), name="reference")


def _hashes(page: str) -> str:
    """The scripts that stand in ``page`` itself, as a policy names them."""
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
