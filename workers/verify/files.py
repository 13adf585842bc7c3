"""Files: what the database names is there, and unchanged; what it does not name is told."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Select, func, select

from core.errors import DomainError, NotFound
from core.files.buckets import Buckets
from core.files.prefetch import AT_ONCE, in_order
from core.files.storage import sha256
from core.media.originals import ORIGINAL
from core.settings.locations import Location
from core.settings.project import ProjectSettings
from core.states import Medium
from core.tables import Artifact, Example, Project, Weights
from core.withdrawals import is_kept
from workers.cleanup.strays import strays
from workers.verify import texts
from workers.verify.check import BATCH, Check, Scope

_RESTORE: Final = "Restore it from the last backup with karat restore."


def _artifacts(scope: Scope) -> Iterator[str]:
    return _kept_files(scope, Artifact, "artifact")


def _weights(scope: Scope) -> Iterator[str]:
    return _kept_files(scope, Weights, "weights")


def _kept_files(scope: Scope, table: type[Artifact | Weights], what: str) -> Iterator[str]:
    statement = select(table).order_by(table.id)
    rows = scope.connection.execution_options(stream_results=True, yield_per=BATCH)
    for row in rows.execute(statement):
        wrong = _wrong_artifact(scope, row)
        if wrong and _is_there(
            scope,
            select(table.id).where(table.id == row.id, table.storage_key == row.storage_key),
        ):
            yield f"{what} {row.id}, {row.storage_key}: {wrong}"


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
        # A text is in the database, whole.
        .where(Example.location.is_(None), Example.width.is_not(None))
        .order_by(Example.id)
    )
    rows = scope.connection.execution_options(stream_results=True, yield_per=BATCH)
    for row in rows.execute(statement):
        path = scope.storage.image(row.content_hash)
        if scope.storage.remote is not None and not path.exists():
            continue
        wrong = _wrong(path, row.bytes)
        if wrong and _is_there(scope, _kept(row.id)):
            yield f"image {row.id}, {row.content_hash.hex()}: {wrong}"


def _far_images(scope: Scope) -> Iterator[str]:
    """Ask for each object, several at once; a bucket may hold far more than a pool."""
    buckets, remote = Buckets(scope.settings), scope.storage.remote
    statement = select(Example.id, Example.bytes, *ORIGINAL).order_by(Example.id)
    statement = statement.where(Example.width.is_not(None))
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
            if wrong and _is_there(scope, _kept(row.id)):
                yield f"image {row.id}, {row.location or row.content_hash.hex()}: {wrong}"


def _wrong(path: Path, length: int) -> str | None:
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        return "is missing"
    return None if found == length else f"has {found} bytes, not {length}"


def _kept(example_id: int) -> Select[int]:
    return select(Example.id).where(Example.id == example_id, is_kept())


def _is_there(scope: Scope, statement: Any) -> bool:
    """Whether a row is there now: what it is of may have changed or gone since the snapshot."""
    with scope.connection.engine.connect() as now:
        return now.scalar(statement) is not None


def _pools(scope: Scope, medium: Medium) -> Iterator[tuple[int, Any, int, int]]:
    """Id and settings of projects, how many examples they have, and the index of the last."""
    statement = (
        select(Project.id, Project.settings, func.count(Example.id), func.max(Example.pool_index))
        .join(Example, Example.project_id == Project.id)
        .where(Project.medium == medium)
        .group_by(Project.id)
        .order_by(Project.id)
    )
    yield from (tuple(row) for row in scope.connection.execute(statement).all())


def _pixels(scope: Scope) -> Iterator[str]:
    for project_id, settings, count, last in _pools(scope, Medium.IMAGE):
        if count != last + 1:
            yield f"project {project_id} has {count} images, the last at {last}"
        known = ProjectSettings.model_validate(settings)
        size = known.side
        path = scope.storage.pixels(project_id, size, known.fit)
        length = path.stat().st_size if path.is_file() else 0
        # A killed import leaves rows at the end that the next one writes over.
        if length < count * size * size * 3 and _is_there(
            scope,
            select(Project.id).where(
                Project.id == project_id,
                Project.settings["input_size"].as_integer() == size,
                func.coalesce(Project.settings["fit"].as_string(), "crop") == known.fit,
            ),
        ):
            held = length // (size * size * 3)
            yield f"project {project_id} has {count} images, pixels of {held}"


def _strays(scope: Scope) -> Iterator[str]:
    return (stray.name for stray in strays(scope.connection, scope.storage))


CHECKS: Final = (
    Check(
        "artifacts",
        "every artifact is there, byte for byte",
        f"{_RESTORE} Without a backup, run the job that made it again.",
        _artifacts,
    ),
    Check(
        "weights",
        "every file of weights is there, byte for byte",
        f"{_RESTORE} Without a backup, have an admin upload the file again, which puts it back.",
        _weights,
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
        "The next job of the project makes them again from the originals.",
        _pixels,
    ),
    *texts.CHECKS,
    Check(
        "stray_files",
        "every file belongs to something",
        "They take up room and do no harm. To remove them: karat doctor --orphans --free",
        _strays,
        note=True,
    ),
)
