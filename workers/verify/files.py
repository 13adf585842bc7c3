"""Files: what the database names is there, and unchanged; what it does not name is told."""

import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, or_, select

from core.ahead import AT_ONCE, in_order
from core.buckets import Buckets
from core.errors import DomainError, NotFound
from core.locations import Location
from core.originals import ORIGINAL
from core.project_settings import ProjectSettings
from core.states import JobKind, JobState
from core.storage import sha256
from core.tables import Artifact, Example, Job, Project
from workers.verify.check import BATCH, Check, Scope

_RESTORE: Final = "Restore it from the last backup with karat restore."
_SETTLED_SECONDS: Final = 3600.0
"""Younger files may belong to work under way."""


def _artifacts(scope: Scope) -> Iterator[str]:
    statement = select(Artifact).order_by(Artifact.id)
    rows = scope.connection.execution_options(stream_results=True, yield_per=BATCH)
    for row in rows.execute(statement):
        wrong = _wrong_artifact(scope, row)
        if wrong and _is_there(scope, select(Artifact.id).where(Artifact.id == row.id)):
            yield f"artifact {row.id}, {row.storage_key}: {wrong}"


def _wrong_artifact(scope: Scope, row: Any) -> str | None:
    try:
        # Another machine may have made it, so that only the bucket has it.
        path = scope.storage.fetch(row.storage_key)
    except DomainError as error:
        return error.detail
    wrong = _wrong(path, row.bytes)
    if wrong is None and sha256(path) != row.sha256:
        wrong = "has another sha256 than when it was stored"
    return wrong


def _images(scope: Scope) -> Iterator[str]:
    statement = (
        select(Example.id, Example.content_hash, Example.bytes)
        .where(Example.location.is_(None))
        .order_by(Example.id)
    )
    rows = scope.connection.execution_options(stream_results=True, yield_per=BATCH)
    for row in rows.execute(statement):
        path = scope.storage.image(row.content_hash)
        if scope.storage.remote is not None and not path.exists():
            continue
        wrong = _wrong(path, row.bytes)
        if wrong and _is_there(scope, select(Example.id).where(Example.id == row.id)):
            yield f"image {row.id}, {row.content_hash.hex()}: {wrong}"


def _far_images(scope: Scope) -> Iterator[str]:
    """Ask for each object, several at once; a bucket may hold far more than a pool."""
    buckets, remote = Buckets(scope.settings), scope.storage.remote
    statement = select(Example.id, Example.bytes, *ORIGINAL).order_by(Example.id)
    if remote is None:
        statement = statement.where(Example.location.is_not(None))
    stream = scope.connection.execution_options(stream_results=True, yield_per=BATCH)

    def look(row: Any) -> str | None:
        try:
            if row.location is not None:
                buckets.same(Location.parse(row.location), row.location_tag)
            elif remote is not None and not scope.storage.image(row.content_hash).exists():
                found = buckets.head(remote.image(row.content_hash))
                if found.size != row.bytes:
                    return f"has {found.size} bytes, not {row.bytes}"
        except DomainError as error:
            return "is missing" if isinstance(error, NotFound) else error.detail
        return None

    with ThreadPoolExecutor(AT_ONCE) as threads:
        for row, wrong in in_order(stream.execute(statement), look, threads):
            if wrong and _is_there(scope, select(Example.id).where(Example.id == row.id)):
                yield f"image {row.id}: {wrong}"


def _wrong(path: Path, length: int) -> str | None:
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        return "is missing"
    return None if found == length else f"has {found} bytes, not {length}"


def _is_there(scope: Scope, statement: Any) -> bool:
    """Whether a row is there now: a project may have been deleted since the snapshot."""
    with scope.connection.engine.connect() as now:
        return now.scalar(statement) is not None


def _pixels(scope: Scope) -> Iterator[str]:
    statement = (
        select(Project.id, Project.settings, func.count(Example.id), func.max(Example.pool_index))
        .join(Example, Example.project_id == Project.id)
        .group_by(Project.id)
        .order_by(Project.id)
    )
    for project_id, settings, count, last in scope.connection.execute(statement).all():
        if count != last + 1:
            yield f"project {project_id} has {count} images, the last at {last}"
        size = ProjectSettings.model_validate(settings).input_size
        path = scope.storage.pixels(project_id)
        length = path.stat().st_size if path.is_file() else 0
        # A killed import leaves rows at the end that the next one writes over.
        if length < count * size * size * 3 and _is_there(
            scope, select(Project.id).where(Project.id == project_id)
        ):
            held = length // (size * size * 3)
            yield f"project {project_id} has {count} images, pixels of {held}"


def _strays(scope: Scope) -> Iterator[str]:
    settled = time.time() - _SETTLED_SECONDS
    root = scope.storage.root
    for name in chain(
        _stray_images(scope), _stray_artifacts(scope), _stray_uploads(scope), _stray_work(scope)
    ):
        try:
            if (root / name).stat().st_mtime < settled:
                yield name
        except FileNotFoundError:
            continue


def _files(directory: Path) -> Iterator[Path]:
    """Every file below a directory; none where there is no such directory."""
    for parent, _, names in os.walk(directory):
        yield from (Path(parent, name) for name in names)


def _blocks(paths: Iterator[Path]) -> Iterator[list[Path]]:
    while block := list(islice(paths, BATCH)):
        yield block


def _stray_images(scope: Scope) -> Iterator[str]:
    projects = scope.connection.scalars(select(Project.id)).all()
    for paths in _blocks(_files(scope.storage.root / "images")):
        named = {path: _digest(path.name) for path in paths}
        known = set(
            scope.connection.scalars(
                # By project too: the index begins with it.
                select(Example.content_hash).where(
                    Example.project_id.in_(projects),
                    Example.content_hash.in_([one for one in named.values() if one is not None]),
                )
            )
        )
        yield from _names(scope, (path for path, digest in named.items() if digest not in known))


def _digest(name: str) -> bytes | None:
    try:
        return bytes.fromhex(name)
    except ValueError:
        return None


def _stray_artifacts(scope: Scope) -> Iterator[str]:
    """Files in the places of artifacts, and folders of projects that there are no more."""
    projects = {str(one) for one in scope.connection.scalars(select(Project.id))}
    folder = scope.storage.root / "projects"
    for directory in sorted(folder.iterdir()) if folder.is_dir() else ():
        if directory.name not in projects:
            yield from _names(scope, [directory])
            continue
        for paths in _blocks(_files(directory)):
            names = [str(path.relative_to(scope.storage.root)) for path in paths]
            known = set(
                scope.connection.scalars(
                    select(Artifact.storage_key).where(Artifact.storage_key.in_(names))
                )
            )
            yield from (name for name in names if name not in known and not _is_own(name))


def _is_own(name: str) -> bool:
    """Whether a project's file is one that no row names: pixels, features, logs of jobs."""
    parts = Path(name).parts[2:]
    return not name.endswith(".part") and (
        parts[0] in {"pixels.u8", "features"} or parts[-1] == "job.log"
    )


def _stray_uploads(scope: Scope) -> Iterator[str]:
    wanted = set(
        scope.connection.scalars(
            select(Job.params["upload"].astext).where(
                Job.kind == JobKind.IMPORT_POOL,
                # A plan that waits for its answer has succeeded, and keeps its upload.
                or_(Job.state != JobState.SUCCEEDED, ~Job.is_real()),
                Job.params["answer"].is_(None),
            )
        )
    )
    paths = _files(scope.storage.root / "uploads")
    return _names(scope, (path for path in paths if path.name not in wanted))


def _stray_work(scope: Scope) -> Iterator[str]:
    kept = select(Job.id).where(Job.state != JobState.SUCCEEDED)
    wanted = {str(one) for one in scope.connection.scalars(kept)}
    folder = scope.storage.root / "work"
    directories = folder.iterdir() if folder.is_dir() else ()
    return _names(scope, (path for path in directories if path.name not in wanted))


def _names(scope: Scope, paths: Iterable[Path]) -> Iterator[str]:
    return (str(path.relative_to(scope.storage.root)) for path in paths)


CHECKS: Final = (
    Check(
        "artifacts",
        "every artifact is there, byte for byte",
        f"{_RESTORE} Without a backup, run the job that made it again.",
        _artifacts,
    ),
    Check(
        "images",
        "every image has its file",
        f"{_RESTORE} Or import the same images again: files that are missing come back.",
        _images,
    ),
    Check(
        "bucket_images",
        "every image that lies in a bucket is there, unchanged",
        "Put back what was there; or import the folder that it was moved to, and Karat follows. "
        "Until then nobody is shown another image in its place.",
        _far_images,
    ),
    Check(
        "pixels",
        "every pool has the pixels of all of its images",
        _RESTORE,
        _pixels,
    ),
    Check(
        "stray_files",
        "every file belongs to something",
        "They take up room and do no harm. Nothing is deleted; remove them if you want.",
        _strays,
        note=True,
    ),
)
