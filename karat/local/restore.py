"""Putting a backup back: everything is checked before anything is changed."""

import contextlib
import os
import tarfile
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, cast

import psycopg

from core.security.private import private_files, protect
from karat.local.archive import (
    CHECKSUMS,
    DATABASE,
    FORMAT,
    MANIFEST,
    STORED,
    HashingReader,
    Manifest,
    checksum_line,
)
from karat.local.backup import run_program
from karat.local.database import connected
from karat.local.installation import Installation
from karat.local.processes import ServiceError
from karat.local.signals import uninterrupted
from karat.local.unfinished import (
    REPLACED_FILES,
    alone,
    bring_back,
    discard,
    forget,
    set_aside,
    undo_untouched,
)
from migrations.revisions import known

# Jobs that had not ended begin again, since what they had on disk is not kept. One that has
# published what it found must not do so twice: what follows needs nothing of that.
_BEGIN_AGAIN: Final = """
    UPDATE jobs SET checkpoint = '{}', progress = NULL
    WHERE state <> 'succeeded' AND NOT checkpoint ? 'result'
    AND NOT coalesce(checkpoint -> 'seconds', '{}') ? 'publish'
"""


# Processes that are gone, and logins that may have been ended since the backup was made. Projects
# that were to be deleted meanwhile get their week of notice anew: they may be what is wanted back.
_FORGET: Final = """
    DELETE FROM workers; DELETE FROM sessions; DELETE FROM login_attempts;
    UPDATE projects SET retain_since = clock_timestamp() WHERE retain_days IS NOT NULL
"""


@dataclass(frozen=True)
class Restored:
    """What was put back: how many files, and of which moment."""

    files: int
    created_at: str


def restore_from(file: Path, installation: Installation, *, replace: bool = False) -> Restored:
    """Put a backup into an installation.

    The files are unpacked beside their places and compared with their checksums; then the database
    is restored in one transaction, and brought up to date; then the files move. What was there
    before goes last: until then a failure brings it back.

    Args:
        file: What ``back_up`` wrote.
        installation: Where to; nothing may run on it.
        replace: Whether what it holds may be replaced.

    Raises:
        ServiceError: It is no whole backup, of a newer Karat, or the installation holds something,
            or what an earlier restore has left half-way.
    """
    data_dir = installation.data_dir
    with alone(installation.database_url) as connection:
        _require_alone(connection)
        undo_untouched(connection, data_dir)
    if not replace:
        _require_empty(installation)
    with contextlib.ExitStack() as last, private_files(), _staging(data_dir) as staging:
        with _reading(file) as archive:
            manifest, count = _unpack(archive, staging, file)
        _require_storage(manifest.storage_url)
        with alone(installation.database_url) as connection:
            _require_alone(connection)
            with _replaced(installation, connection):
                _restore_database(installation, connection, staging / DATABASE)
                installation.migrate(restoring=True)
                connection.execute(_FORGET)
                # What is left takes moments, and does not end between two of them.
                last.enter_context(uninterrupted())
                _move(staging, data_dir)
    return Restored(count, manifest.created_at)


def _require_empty(installation: Installation) -> None:
    for name in STORED:
        folder = installation.data_dir / name
        if folder.is_dir() and any(folder.iterdir()):
            raise _not_empty(f"{folder} holds files.")
    with connected(installation.database_url) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "AND relkind IN ('r', 'p')"
        ).fetchone()
    if found is None or found[0] > 0:
        raise _not_empty("The database holds tables.")


def _require_storage(backed_up: str | None) -> None:
    """Refuse a backup whose images would not be found."""
    if backed_up != (os.environ.get("KARAT_STORAGE_URL") or None):
        raise ServiceError(
            f"The images of this backup lie in {backed_up or 'the data directory'}.",
            f"Set KARAT_STORAGE_URL={backed_up}." if backed_up else "Unset KARAT_STORAGE_URL.",
        )


def _not_empty(what: str) -> ServiceError:
    return ServiceError(what, "Restore into an empty installation, or add --replace.")


def _require_alone(connection: psycopg.Connection[Any]) -> None:
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND application_name LIKE 'karat-%'"
    ).fetchone()
    if row is None or row[0] > 0:
        raise ServiceError("Karat runs on this database.", "Stop its API and its workers first.")


@contextlib.contextmanager
def _staging(data_dir: Path) -> Iterator[Path]:
    protect(data_dir)
    staging = data_dir / f"restore.{uuid.uuid4().hex}.part"
    staging.mkdir(mode=0o700)
    try:
        yield staging
    except BaseException:
        discard(staging)
        raise
    discard(staging, originals=True)


def _move(staging: Path, data_dir: Path) -> None:
    """Put the files into their places.

    Raises:
        ServiceError: A place cannot be taken; all that lay there is back.
    """
    with contextlib.ExitStack() as back:
        for name in (*STORED, "work"):
            target, new = data_dir / name, staging / "storage" / name
            old = staging / f"{name}{REPLACED_FILES}"
            try:
                if target.exists():
                    target.rename(old)
                    back.callback(old.rename, target)
                if new.exists():
                    new.rename(target)
                    back.callback(target.rename, new)
            except OSError as error:
                raise ServiceError(
                    f"{target} cannot be replaced: {error.strerror}. Nothing was changed.",
                    "Make it a plain folder, or take it away, and restore again.",
                ) from error
        back.pop_all()


@contextlib.contextmanager
def _reading(file: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(file, mode="r|") as archive:
            yield archive
    except (tarfile.TarError, EOFError) as error:
        raise _damaged(file, str(error)) from error


def _damaged(file: Path, why: str) -> ServiceError:
    return ServiceError(f"{file} is no whole backup: {why}.", "Take another one.")


def _unpack(archive: tarfile.TarFile, staging: Path, file: Path) -> tuple[Manifest, int]:
    """Unpack below ``staging``, and compare with the checksums at the end."""
    manifest: Manifest | None = None
    count = 0
    with tempfile.TemporaryFile() as computed:
        for member in archive:
            archive.members.clear()  # type: ignore[attr-defined]
            source = archive.extractfile(member)
            if source is None or not member.isreg():
                raise _damaged(file, f"{member.name} is no plain file")
            if member.name == CHECKSUMS:
                _compare(computed, source, file)
                # Once for all: a million files would wait for the disk one by one.
                os.sync()
                if manifest is None or not (staging / DATABASE).exists():
                    raise _damaged(file, "it has no database")
                return manifest, count
            if manifest is None:
                if member.name != MANIFEST:
                    raise _damaged(file, "it does not begin as one")
                content = source.read(_LARGEST_MANIFEST)
                manifest = _understood(content, file)
                source = cast("IO[bytes]", _Again(content))
            reader = HashingReader(source)
            _store(reader, _place(staging, member.name, file))
            computed.write(checksum_line(reader.hexdigest(), member.name))
            count += member.name.startswith("storage/")
    raise _damaged(file, "its end is missing")


_LARGEST_MANIFEST: Final = 1 << 16


class _Again:
    """A stream of bytes already read."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, length: int = -1) -> bytes:
        content, self._content = self._content[:length], self._content[length:]
        return content


def _understood(content: bytes, file: Path) -> Manifest:
    try:
        manifest = Manifest.from_json(content)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file, "its manifest cannot be read") from error
    if manifest.format > FORMAT or manifest.schema not in known():
        raise ServiceError(
            f"{file} is of Karat {manifest.karat} with schema {manifest.schema}, newer than this: "
            f"it knows up to {known()[-1]}.",
            "Restore it with that version.",
        )
    return manifest


def _place(staging: Path, name: str, file: Path) -> Path:
    """Where a member goes; nothing leaves ``staging``."""
    path = PurePosixPath(name)
    inside = len(path.parts) > 2 and path.parts[0] == "storage" and path.parts[1] in STORED
    if ".." in path.parts or path.is_absolute() or not (inside or name in {MANIFEST, DATABASE}):
        raise _damaged(file, f"{name} has no place in it")
    return staging / path


def _store(source: HashingReader, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as output:
        while block := source.read(1 << 20):
            output.write(block)


def _compare(computed: IO[bytes], stored: IO[bytes], file: Path) -> None:
    computed.seek(0)
    for line in computed:
        if stored.readline() != line:
            name = line.decode().split("  ", 1)[1].strip()
            raise _damaged(file, f"{name} is not what was backed up")
    if stored.readline():
        raise _damaged(file, "files are missing")


@contextlib.contextmanager
def _replaced(installation: Installation, connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Keep the tables that are replaced until the others are there, and the files."""
    set_aside(connection)
    try:
        yield
    except BaseException:
        # The other connection may have been left in the middle of a statement.
        with connected(installation.database_url, autocommit=True) as own:
            bring_back(own)
        raise
    forget(connection)


def _restore_database(
    installation: Installation, connection: psycopg.Connection[Any], dump: Path
) -> None:
    run_program(
        installation,
        "pg_restore",
        connection.info.server_version // 10_000,
        "--single-transaction",
        "--exit-on-error",
        "--no-owner",
        "--no-privileges",
        # Backups of earlier versions may hold what a restore that was killed had set aside.
        "--schema=public",
        str(dump),
    )
    connection.execute(_BEGIN_AGAIN)
