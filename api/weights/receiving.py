"""Receiving a file of weights: looked at before it is kept, by its header alone."""

import os
import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from anyio import to_thread

from api.transfers.uploads import receive_up_to
from core.errors import DomainError, Invalid, NotFound
from core.files.prefetch import in_order, readers
from core.files.storage import Storage, sha256
from core.settings import Settings
from core.tables import Weights
from models.errors import ModelError
from models.media.images.weight_files.header import preprocessing_of, read_header
from models.media.images.weight_files.whole import is_whole


@dataclass(frozen=True)
class Asked:
    """What to call weights, and what their file was called."""

    name: str
    filename: str


@dataclass(frozen=True)
class Kept:
    """A file that is where weights are.

    Attributes:
        key: Where it is in storage; nothing else is there.
        sha256: In hexadecimal.
        bytes: Its length.
        tensors: How many it holds.
        meta: What it says of images.
    """

    key: str
    sha256: str
    bytes: int
    tensors: int
    meta: dict[str, Any]


async def keep(
    chunks: AsyncIterator[bytes], asked: Asked, storage: Storage, settings: Settings
) -> Kept:
    """Write the request body to where weights are.

    Raises:
        Invalid: ``invalid_weights``, it is no safetensors file.
        DomainError: As of any upload.
    """
    upload = await receive_up_to(
        chunks,
        asked.filename,
        storage,
        settings,
        most=settings.max_weights_bytes,
        remedy="store the tensors as float16, or raise KARAT_MAX_WEIGHTS_BYTES",
    )
    return await to_thread.run_sync(_place, storage.upload(upload), asked, storage)


def _place(file: Path, asked: Asked, storage: Storage) -> Kept:
    try:
        header = read_header(file, asked.filename)
        wanted = preprocessing_of(header.metadata)
        digest = sha256(file)
        kept = Kept(
            f"weights/{uuid.uuid4().hex}/{digest}.safetensors",
            digest,
            file.stat().st_size,
            len(header.shapes),
            {name: value for name, value in vars(wanted).items() if value is not None},
        )
        target = storage.artifact(kept.key)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, target)
        try:
            storage.publish(kept.key)
        except Exception:
            discard(kept.key, storage)
            raise
    except ModelError as error:
        raise Invalid("invalid_weights", str(error), field="body") from error
    finally:
        file.unlink(missing_ok=True)
    return kept


def is_there(weights: Weights, storage: Storage) -> bool:
    """Whether the file of weights is here as it was uploaded, or in the bucket. Blocks."""
    return _is_there(weights, storage, since=None)


def _is_there(weights: Weights, storage: Storage, *, since: float | None) -> bool:
    path = storage.artifact(weights.storage_key)
    if path.is_file():
        return is_whole(path, weights.bytes, weights.sha256, since=since)
    if storage.remote is None:
        return False
    with suppress(NotFound):
        far = storage.remote.buckets.head(storage.remote.place.child(weights.storage_key))
        return far.size == weights.bytes
    return False


def lost(some: Iterable[Weights], storage: Storage) -> set[int]:
    """Ids of weights whose file is not there as it was uploaded. Blocks.

    Only those are read that were modified after that. Of a bucket that cannot be looked at now,
    nothing is lost.
    """

    def is_lost(weights: Weights) -> bool:
        try:
            since = weights.created_at.timestamp()
            return not _is_there(weights, storage, since=since)
        except DomainError:
            return False

    if storage.remote is None:
        return {weights.id for weights in some if is_lost(weights)}
    with readers() as threads:
        return {weights.id for weights, is_gone in in_order(some, is_lost, threads) if is_gone}


async def lost_key(same: Weights | None, kept: Kept, storage: Storage) -> str | None:
    """Where the file of weights should be that is not there, or not as it was uploaded.

    Args:
        same: Weights of the file that has come now, if there are any.
        kept: That file; it is removed where this cannot be found out.
        storage: Where both are.
    """
    try:
        whole = same is None or await to_thread.run_sync(is_there, same, storage)
    except Exception:
        await to_thread.run_sync(discard, kept.key, storage)
        raise
    return None if same is None or whole else same.storage_key


def discard(key: str, storage: Storage) -> None:
    """Remove the file of weights that there are not, or not any more. Blocks.

    What cannot be removed now belongs to nothing, and is found as such.
    """
    storage.discard(str(PurePosixPath(key).parent))
