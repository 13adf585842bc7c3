"""Files that belong to nothing: found, and removed if asked to.

``python -m workers.cleanup.strays [--free]`` writes a line of JSON for each, one more for each that
cannot be removed, and one with the sums.
"""

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, or_, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from core.database.engines import sync_engine
from core.errors import Conflict, DomainError
from core.files.storage import Freed, Storage, room_of
from core.jobs.imports import ImportParams
from core.settings import Settings, settings
from core.states import JobState
from core.tables import Artifact, Job, Project, Removal, Weights
from workers.cleanup.removals import held_images, remove_images, upload_name

SETTLED_SECONDS: Final = 3600.0
"""Younger files may belong to work under way."""
_BATCH: Final = 5000
_AT_ONCE: Final = 500
_FOLDERS: Final = frozenset({"features", "texts"})
_PIXELS: Final = re.compile(r"pixels(-pad)?(-\d+)?\.u8")


@dataclass(frozen=True, slots=True)
class Stray:
    """What belongs to nothing.

    Attributes:
        name: Its path in the data directory, or its address in the bucket.
        digest: The SHA-256 that it is named by, if it is of an image.
        bytes: What it takes.
    """

    name: str
    digest: bytes | None
    bytes: int


def strays(connection: Connection, storage: Storage) -> Iterator[Stray]:
    """Every file that no row names, in the data directory and in the installation's bucket."""
    settled = time.time() - SETTLED_SECONDS
    for path, digest in _paths(connection, storage):
        try:
            if path.stat().st_mtime < settled:
                yield Stray(str(path.relative_to(storage.root)), digest, _size(path))
        except FileNotFoundError:
            continue
    yield from _objects(connection, storage)


def _paths(connection: Connection, storage: Storage) -> Iterator[tuple[Path, bytes | None]]:
    for folder in ("images", "renditions", "thumbnails"):
        yield from _of_images(connection, storage.root / folder)
    others = (_in_projects, _uploads, _work, _weights)
    yield from ((path, None) for find in others for path in find(connection, storage.root))


def _size(path: Path) -> int:
    return sum(map(room_of, _files(path))) if path.is_dir() else room_of(path)


def _files(directory: Path) -> Iterator[Path]:
    """Every file below a directory; none where there is no such directory."""
    for parent, _, names in os.walk(directory):
        yield from (Path(parent, name) for name in names)


def _blocks(paths: Iterator[Path]) -> Iterator[list[Path]]:
    while block := list(islice(paths, _BATCH)):
        yield block


def _of_images(connection: Connection, folder: Path) -> Iterator[tuple[Path, bytes | None]]:
    for paths in _blocks(_files(folder)):
        named = {path: _digest(path.name) for path in paths}
        held = held_images(connection, [one for one in named.values() if one is not None])
        yield from ((path, digest) for path, digest in named.items() if digest not in held)


def _digest(name: str) -> bytes | None:
    """The SHA-256 at the beginning of a name; what is being written has no such name."""
    try:
        digest = bytes.fromhex(name.partition(".")[0])
    except ValueError:
        return None
    return digest if len(digest) == 32 and not name.endswith(".part") else None


def _in_projects(connection: Connection, root: Path) -> Iterator[Path]:
    """Files in the places of artifacts, and folders of projects that there are no more."""
    projects = {str(one) for one in connection.scalars(select(Project.id))}
    folder = root / "projects"
    for directory in sorted(folder.iterdir()) if folder.is_dir() else ():
        if directory.name not in projects:
            yield directory
            continue
        for paths in _blocks(_files(directory)):
            names = {path: str(path.relative_to(root)) for path in paths}
            known = set(
                connection.scalars(
                    select(Artifact.storage_key).where(Artifact.storage_key.in_(names.values()))
                )
            )
            yield from (
                path for path, name in names.items() if name not in known and not _is_own(name)
            )


def _is_own(name: str) -> bool:
    """Whether a project's file is one that no row names: pixels, texts, features, logs of jobs."""
    parts = Path(name).parts[2:]
    return not name.endswith(".part") and (
        parts[0] in _FOLDERS or parts[-1] == "job.log" or _PIXELS.fullmatch(parts[0]) is not None
    )


def _uploads(connection: Connection, root: Path) -> Iterator[Path]:
    wanted = set(
        connection.scalars(
            select(upload_name()).where(
                upload_name().is_not(None),
                # A plan that waits for its answer has succeeded, and keeps its upload.
                or_(Job.state != JobState.SUCCEEDED, ~Job.is_real()),
                ImportParams.column("answer").is_(None),
            )
        )
    )
    return (path for path in _files(root / "uploads") if path.name not in wanted)


def _work(connection: Connection, root: Path) -> Iterator[Path]:
    kept = select(Job.id).where(Job.state != JobState.SUCCEEDED)
    wanted = {str(one) for one in connection.scalars(kept)}
    folder = root / "work"
    directories = folder.iterdir() if folder.is_dir() else ()
    return (path for path in directories if path.name not in wanted)


def _weights(connection: Connection, root: Path) -> Iterator[Path]:
    named = set(connection.scalars(select(Weights.storage_key)))
    return (path for path in _files(root / "weights") if str(path.relative_to(root)) not in named)


def _objects(connection: Connection, storage: Storage) -> Iterator[Stray]:
    """Images in the installation's bucket that no row names."""
    if storage.remote is None:
        return
    remote = storage.remote
    for page in remote.buckets.pages(remote.place.child("images")):
        named = {one: _digest(one.location.key.rpartition("/")[2]) for one in page}
        held = held_images(connection, [one for one in named.values() if one is not None])
        for found, digest in named.items():
            if digest is not None and digest not in held:
                yield Stray(str(found.location), digest, found.size)


def free(
    engine: Engine, storage: Storage, found: Sequence[Stray]
) -> tuple[Freed, list[tuple[Stray, str]]]:
    """Remove ``found``; what somebody has come to need since stays.

    Returns:
        What was removed; and what cannot be, with the reason: it costs nothing else, and is found
        again the next time.
    """
    freed = Freed()
    stays: list[tuple[Stray, str]] = []
    images: dict[bytes, Stray] = {one.digest: one for one in found if one.digest is not None}
    digests = sorted(images)
    for start in range(0, len(digests), _AT_ONCE):
        part = digests[start : start + _AT_ONCE]
        with Session(engine) as session, session.begin():
            gone, failed = remove_images(session, storage, part)
        freed += gone
        stays += [(images[digest], _reason(error)) for digest, error in failed.items()]
    for one in found:
        if one.digest is None:
            try:
                freed += storage.remove_path(one.name)
            except (OSError, DomainError) as error:
                stays.append((one, _reason(error)))
    return freed, stays


def _reason(error: Exception) -> str:
    if isinstance(error, DomainError):
        return error.detail
    return getattr(error, "strerror", None) or str(error)


def _require_known(engine: Engine) -> None:
    """Refuse where nothing says that the files are this database's.

    Raises:
        Conflict: ``no_projects``.
    """
    with Session(engine) as session:
        for table in (Project, Removal, Weights):
            if session.scalar(select(table.id).limit(1)) is not None:
                return
    raise Conflict(
        "no_projects",
        "The database has never had a project, so these files are another's. Check DATABASE_URL "
        "and the data directory; nothing was removed.",
    )


def examine(engine: Engine, settings_: Settings, *, remove: bool) -> Iterator[dict[str, Any]]:
    """Lines to print: each stray, what cannot be removed, the sums and what is free."""
    storage = Storage.of(settings_)
    before = shutil.disk_usage(storage.root).free
    found, size = [], 0
    snapshot = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    with snapshot.connect() as connection:
        for stray in strays(connection, storage):
            found.append(stray)
            size += stray.bytes
            yield {"name": stray.name, "bytes": stray.bytes}
    if remove and found:
        _require_known(engine)
    freed, stays = free(engine, storage, found) if remove else (Freed(), [])
    for stray, reason in stays:
        yield {"name": stray.name, "stays": reason}
    yield {
        "count": len(found),
        "bytes": size,
        "freed_files": freed.files,
        "freed_bytes": freed.bytes,
        "free_before": before,
        "free_after": shutil.disk_usage(storage.root).free,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--free", action="store_true", help="remove them")
    arguments = parser.parse_args()
    engine = sync_engine(settings())
    try:
        for line in examine(engine, settings(), remove=arguments.free):
            sys.stdout.write(json.dumps(line) + "\n")
    except OperationalError as error:
        sys.exit(f"The database cannot be asked: {error.orig}")
    except DomainError as error:
        sys.exit(error.detail)
    finally:
        engine.dispose()


if __name__ == "__main__":
    main()
