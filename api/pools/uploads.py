"""Receiving an upload: streamed to disk, memory flat, and nothing recorded before it is whole."""

import os
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import PurePosixPath

import anyio
from anyio import to_thread

from core.disk import disk_full, is_full, require_room
from core.errors import DomainError, ErrorKind, Invalid
from core.formats import IMAGES
from core.settings import Settings
from core.states import Split
from core.storage import Storage

ARCHIVES = frozenset({".zip", ".parquet"})
# Say something of images that are there, and bring none.
TABLES = frozenset({".csv", ".jsonl", ".json"})


def checked_name(filename: str) -> str:
    """The file name without any path, if its ending is one we read."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in ARCHIVES | IMAGES | TABLES:
        raise Invalid(
            "invalid_upload",
            "Karat reads .zip, .parquet, single images, .csv and .jsonl with labels, and the .json "
            f"of Label Studio and COCO, not {name or 'a nameless file'!r}.",
            field="filename",
        )
    return name


def check_annotations(filename: str, annotations: Sequence[str], split: Split) -> None:
    """Refuse columns of labels where there can be none."""
    suffix = PurePosixPath(filename).suffix.lower()
    field = "annotation_column"
    if annotations and (suffix in IMAGES or suffix == ".json"):
        what = "A JSON document" if suffix == ".json" else "A single image"
        raise Invalid("invalid_annotation_column", f"{what} has no columns of labels.", field=field)
    if annotations and split is not Split.POOL:
        raise Invalid(
            "invalid_annotation_column",
            f"Only images of the pool are annotated; for the split {split} leave it out.",
            field=field,
        )


async def receive(
    chunks: AsyncIterator[bytes], filename: str, storage: Storage, settings: Settings
) -> str:
    """Write the request body to disk; returns its name under ``storage.upload``."""
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
                if received > settings.max_upload_bytes:
                    raise DomainError(
                        "too_large",
                        f"Uploads are limited to {settings.max_upload_bytes:,} bytes; split the "
                        "archive, or raise KARAT_MAX_UPLOAD_BYTES.",
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
