"""Sending an image: the picture that everybody sees, a small version of it, or its own bytes.

Of a text there are only these.
"""

from pathlib import Path
from typing import Final

from anyio import CapacityLimiter, to_thread
from fastapi import Request
from fastapi.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from sqlalchemy import update

from api.deps import transaction
from api.pools import service, thumbnails
from api.transfers.streams import WAITING, in_threads
from core.errors import DomainError, ErrorKind
from core.files.storage import Storage
from core.media.images.rendition import VERSION
from core.media.originals import Original, Originals
from core.tables import Example

# An example's picture never changes under one address, so a browser need not ask again.
_FOREVER: Final = "private, max-age=31536000, immutable"
ASK_AGAIN: Final = "private, no-cache"
_MAKING: Final = CapacityLimiter(4)
"""For work that decodes; each may hold the bytes of an original, and waits for the gate."""


async def send(
    request: Request,
    storage: Storage,
    originals: Originals,
    example_id: int,
    original: Original,
    *,
    size: int | None = None,
    version: int | None = None,
    as_it_came: bool = False,
) -> Response:
    """A picture; call it while no transaction is open, which would wait too.

    Args:
        request: What is answered.
        storage: Where pictures are kept.
        originals: Where originals are found.
        example_id: Its example.
        original: The image.
        size: Longer side of a small version; ``None`` for full size.
        version: Of the rules that the caller's address is for.
        as_it_came: Send the original's own bytes.

    Raises:
        DomainError: The original is needed, and gone or changed, or its bucket cannot be reached.
    """
    kind = "original" if as_it_came else f"{VERSION}-{size or 'full'}"
    tag = f'"{original.content_hash.hex()}-{kind}"'
    headers = {
        "ETag": tag,
        "Cache-Control": _FOREVER if as_it_came or version == VERSION else ASK_AGAIN,
        "X-Content-Type-Options": "nosniff",
    }
    if original.is_text and not as_it_came:
        raise DomainError(
            "no_picture",
            "A text has no picture. With original=true the address gives the text itself.",
            kind=ErrorKind.NOT_FOUND,
        )
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if original.is_text:
        async with transaction(request) as session:
            content = await service.text_of(session, example_id)
        return Response(content, media_type="text/plain", headers=headers)
    if not as_it_came:
        originals.require_shown(original)
        picture = await _picture(request, storage, originals, example_id, original, size)
        if picture is not None:
            return FileResponse(picture[0], media_type=picture[1], headers=headers)
    return await _original(request, storage, originals, original, headers)


async def _picture(
    request: Request,
    storage: Storage,
    originals: Originals,
    example_id: int,
    original: Original,
    size: int | None,
) -> tuple[Path, str] | None:
    """File and media type of what to send; ``None`` for the original itself."""
    if size is None and original.as_is:
        return None
    found = thumbnails.made(storage, original, size)
    if found is not None:
        return found
    if size is not None:
        return await to_thread.run_sync(
            thumbnails.small, storage, originals, original, size, limiter=_MAKING
        )
    found = await to_thread.run_sync(
        thumbnails.whole, storage, originals, original, limiter=_MAKING
    )
    if original.as_is is None:
        async with transaction(request) as session:
            noted = update(Example).where(Example.id == example_id).values(as_is=found is None)
            await session.execute(noted)
    return found


async def _original(
    request: Request,
    storage: Storage,
    originals: Originals,
    original: Original,
    headers: dict[str, str],
) -> Response:
    path = storage.image(original.content_hash)
    if original.location is None and path.is_file():
        return FileResponse(path, media_type=original.media_type, headers=headers)
    found = await to_thread.run_sync(originals.find, original, limiter=WAITING)
    if isinstance(found, Path):
        return FileResponse(found, media_type=original.media_type, headers=headers)
    headers["Content-Length"] = str(found.size)
    if request.method == "HEAD":
        # Of the bucket nothing is asked: its links are for GET alone.
        return Response(media_type=original.media_type, headers=headers)
    link = await to_thread.run_sync(originals.link, found, original.media_type, limiter=WAITING)
    if link is not None:
        seconds = request.app.state.settings.signed_url_seconds // 2
        kept = {"Cache-Control": f"private, max-age={seconds}", "Referrer-Policy": "no-referrer"}
        return RedirectResponse(link, 307, headers=kept)
    blocks = in_threads(originals.blocks(found), WAITING)
    return StreamingResponse(blocks, media_type=original.media_type, headers=headers)
