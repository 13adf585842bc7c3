"""Receiving an upload: streamed to disk, memory flat, and nothing recorded before it is whole."""

import os
import uuid
from collections.abc import AsyncIterator
from pathlib import PurePosixPath

import anyio
from anyio import to_thread

from core.errors import DomainError, ErrorKind, Invalid
from core.files.disk import disk_full, is_full, require_room
from core.files.storage import Storage
from core.settings import Settings


async def receive_up_to(
    chunks: AsyncIterator[bytes],
    filename: str,
    storage: Storage,
    settings: Settings,
    *,
    most: int,
    remedy: str,
) -> str:
    """Write the request body to disk; returns its name under ``storage.upload``.

    Args:
        chunks: The body.
        filename: Whose ending the file gets.
        storage: Where to.
        settings: Of the installation.
        most: How many bytes it may have.
        remedy: What to do about more.

    Raises:
        DomainError: ``too_large``, ``empty_upload`` or ``disk_full``.
    """
    name = f"{uuid.uuid4().hex}{PurePosixPath(filename).suffix.lower()}"
    path = storage.upload(name)
    await anyio.Path(path.parent).mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    received = 0
    # Before the first byte: whoever sends a large file need not send it in vain.
    require_room(settings)
    try:
        async with await anyio.open_file(part, "wb") as file:
            async for chunk in chunks:
                received += len(chunk)
                if received > most:
                    raise DomainError(
                        "too_large",
                        f"Uploads are limited to {most:,} bytes; {remedy}.",
                        kind=ErrorKind.TOO_LARGE,
                    )
                await file.write(chunk)
                require_room(settings)
            await file.flush()
            await to_thread.run_sync(os.fsync, file.wrapped.fileno())
        if received == 0:
            raise Invalid(
                "empty_upload",
                f"{filename} is empty: no bytes came. Save the file again, and send what it holds.",
            )
        await anyio.Path(part).rename(path)
    except OSError as error:
        if is_full(error):
            raise disk_full() from error
        raise
    finally:
        await anyio.Path(part).unlink(missing_ok=True)
    return name
