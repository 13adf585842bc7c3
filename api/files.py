"""Files that jobs have left."""

from pathlib import Path

from anyio import to_thread

from core.storage import Storage


async def artifact_file(storage: Storage, key: str) -> Path:
    """File of the artifact ``key``; it may be missing. With a bucket it is brought from there."""
    if storage.remote is None:
        return storage.artifact(key)
    return await to_thread.run_sync(storage.fetch, key)
