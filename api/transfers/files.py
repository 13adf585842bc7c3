"""Files that jobs have left."""

from pathlib import Path

from anyio import to_thread

from core.errors import Conflict
from core.files.storage import Storage


async def artifact_file(storage: Storage, key: str) -> Path:
    """File of the artifact ``key``; it may be missing. With a bucket it is brought from there."""
    if storage.remote is None:
        return storage.artifact(key)
    return await to_thread.run_sync(storage.fetch, key)


async def present_file(storage: Storage, key: str) -> Path:
    """As ``artifact_file``, for sending.

    Raises:
        Conflict: ``artifact_missing``.
    """
    path = await artifact_file(storage, key)
    if not path.exists():
        raise Conflict(
            "artifact_missing",
            "The file is not there any more. Restore it from a backup, or run the job that made it "
            "again.",
        )
    return path
