"""Sending an image: its file, a small version of it, or the browser to where it lies."""

from pathlib import Path
from typing import Final

from anyio import to_thread
from fastapi import Request
from fastapi.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from api.pools.thumbnails import small
from api.streams import WAITING, in_threads
from core.originals import Original, Originals
from core.storage import Storage

# An example's image never changes, so a browser need not ask again.
_FOREVER: Final = "private, max-age=31536000, immutable"


async def send(
    request: Request,
    storage: Storage,
    originals: Originals,
    original: Original,
    size: int | None,
) -> Response:
    """The original bytes, or a WebP; call it while no transaction is open, which would wait too.

    Raises:
        DomainError: The original is gone or changed, or its bucket cannot be reached.
    """
    tag = f'"{original.content_hash.hex()}-{size or 0}"'
    headers = {"ETag": tag, "Cache-Control": _FOREVER, "X-Content-Type-Options": "nosniff"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if size is not None:
        path = await to_thread.run_sync(small, storage, originals, original, size, limiter=WAITING)
        return FileResponse(path, media_type="image/webp", headers=headers)
    path = storage.image(original.content_hash)
    if original.location is None and path.is_file():
        return FileResponse(path, media_type=original.media_type, headers=headers)
    found = await to_thread.run_sync(originals.find, original, limiter=WAITING)
    if isinstance(found, Path):
        return FileResponse(found, media_type=original.media_type, headers=headers)
    link = await to_thread.run_sync(originals.link, found, original.media_type, limiter=WAITING)
    if link is not None:
        seconds = request.app.state.settings.signed_url_seconds // 2
        kept = {"Cache-Control": f"private, max-age={seconds}", "Referrer-Policy": "no-referrer"}
        return RedirectResponse(link, 307, headers=kept)
    headers["Content-Length"] = str(found.size)
    blocks = in_threads(originals.blocks(found), WAITING)
    return StreamingResponse(blocks, media_type=original.media_type, headers=headers)
