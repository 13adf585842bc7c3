"""What a restore that was ended before it was done has left, and how that is settled."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import psycopg
from psycopg.errors import DependentObjectsStillExist, LockNotAvailable

from core.database.restores import IS_UNFINISHED, MESSAGE, REMEDY, REPLACED
from karat.local.database import connected
from karat.local.processes import ServiceError

Connection = psycopg.Connection[Any]
Stays = Literal["before", "now"]

STAGING: Final = "restore.*.part"
REPLACED_FILES: Final = ".replaced"
"""What names of folders end with that a restore has moved into its own, to bring them back."""

_SETTLED: Final = "replaced.*.part"
# Of restores that let nobody work on what they put in place: migrations refuse it.
_MARK: Final = "by karat restore"
_LOCK: Final = 0x6B61726175


@contextlib.contextmanager
def alone(url: str) -> Iterator[Connection]:
    """A connection of the only one who puts something in the place of what a database holds.

    Raises:
        ServiceError: Somebody else does.
    """
    with connected(url, autocommit=True) as connection:
        if not _one(connection, f"SELECT pg_try_advisory_lock({_LOCK})"):
            raise ServiceError("A restore is under way on this database.", "Wait until it is done.")
        yield connection


def require_finished(url: str) -> None:
    """Refuse a database that a restore has left half-way: it looks like one that is empty, or new.

    Raises:
        ServiceError: It is one.
    """
    with connected(url) as connection:
        if _one(connection, IS_UNFINISHED):
            raise _unfinished()


def set_aside(connection: Connection) -> None:
    """Hide the tables of the installation, and have an empty place for others."""
    with connection.transaction():
        connection.execute(f"ALTER SCHEMA public RENAME TO {REPLACED}")
        connection.execute(f"COMMENT ON SCHEMA {REPLACED} IS '{_MARK}'")
        connection.execute("CREATE SCHEMA public")


def bring_back(connection: Connection) -> None:
    """Show the tables again that were set aside; those in their place go."""
    with connection.transaction():
        connection.execute("DROP SCHEMA IF EXISTS public CASCADE")
        _show(connection)


def forget(connection: Connection) -> None:
    """Remove the tables that were set aside."""
    connection.execute(f"DROP SCHEMA {REPLACED} CASCADE")


def undo(database_url: str, data_dir: Path, notify: Callable[[str], None]) -> None:
    """``undo_untouched`` before Karat starts.

    Args:
        database_url: As SQLAlchemy wants it.
        data_dir: Of the installation; nobody else works on it.
        notify: Told, in one sentence, that it was done.
    """
    # Of one that is away is told where it is prepared.
    with (
        contextlib.suppress(psycopg.OperationalError),
        alone(database_url) as connection,
    ):
        if undo_untouched(connection, data_dir):
            notify("A restore that was ended is undone: what was there before it is back.")


def undo_untouched(connection: Connection, data_dir: Path) -> bool:
    """Undo a restore that was killed before it had put anything in place; whether there was one.

    And remove what such restores have unpacked.

    Args:
        connection: From ``alone``.
        data_dir: Of the installation; nobody else works on it.

    Raises:
        ServiceError: Something is in place, of which only its owner knows whether it may go.
    """
    unfinished: bool = _one(connection, IS_UNFINISHED)
    if unfinished:
        if any(map(_originals, data_dir.glob(STAGING))):
            raise _unfinished()
        try:
            with connection.transaction():
                # What began to write before the restore was killed may still be at it.
                connection.execute("SET LOCAL lock_timeout = '10s'")
                # Without CASCADE, so that nothing that somebody has put there is lost.
                connection.execute("DROP SCHEMA IF EXISTS public")
                _show(connection)
        except DependentObjectsStillExist:
            raise _unfinished() from None
        except LockNotAvailable:
            raise ServiceError(
                "A restore that was ended is still being written by the database.",
                "Try again in a moment.",
            ) from None
    _remove(data_dir)
    return unfinished


def settle(connection: Connection, data_dir: Path, stays: Stays) -> None:
    """Settle a restore that was ended before it was done, as somebody has decided.

    Args:
        connection: From ``alone``.
        data_dir: Of the installation; nobody else works on it.
        stays: What was there before the restore, or what is there now; the other goes.

    Raises:
        ServiceError: There is no such restore, or files of the backup are missing now.
    """
    if not _one(connection, IS_UNFINISHED):
        raise ServiceError("No restore was ended before it was done.", "There is nothing to do.")
    if stays == "before":
        _bring_back_files(data_dir)
        bring_back(connection)
    else:
        _require_files(connection, data_dir)
        forget(connection)
        for staging in data_dir.glob(STAGING):
            discard(staging, originals=True)
    _remove(data_dir)


def discard(staging: Path, *, originals: bool = False) -> None:
    """Remove what a restore has unpacked.

    Args:
        staging: Its folder.
        originals: Whether files of the installation that are still in it may go, too; else it
            stays with them.
    """
    if originals:
        # Known from now on for what nobody needs, also if this is killed.
        name = staging.name.replace("restore", "replaced", 1)
        staging = staging.rename(staging.with_name(name))
    elif _originals(staging):
        return
    shutil.rmtree(staging, ignore_errors=True)


def _remove(data_dir: Path) -> None:
    for staging in data_dir.glob(STAGING):
        discard(staging)
    for settled in data_dir.glob(_SETTLED):
        shutil.rmtree(settled, ignore_errors=True)


def _bring_back_files(data_dir: Path) -> None:
    newest_first = sorted(data_dir.glob(STAGING), key=lambda one: -one.stat().st_mtime)
    for staging in newest_first:
        for original in _originals(staging):
            place = data_dir / original.name.removesuffix(REPLACED_FILES)
            if place.exists():
                place.rename(staging / f"{place.name}.later")
            original.rename(place)


def _require_files(connection: Connection, data_dir: Path) -> None:
    """Refuse to keep tables whose files were not all moved into their places."""
    comment = f"SELECT obj_description(to_regnamespace('{REPLACED}'), 'pg_namespace')"
    marked = _one(connection, comment) == _MARK
    for staging in data_dir.glob(STAGING):
        waiting = any((staging / "storage").glob("*"))
        if waiting and (marked or _originals(staging)):
            raise ServiceError(
                "Files of the backup are not in their places yet.",
                "Bring back what was there before with karat restore --unfinished before, and "
                "restore again.",
            )


def _originals(staging: Path) -> list[Path]:
    return sorted(staging.glob(f"*{REPLACED_FILES}"))


def _show(connection: Connection) -> None:
    connection.execute(f"ALTER SCHEMA {REPLACED} RENAME TO public")
    connection.execute("COMMENT ON SCHEMA public IS NULL")


def _one(connection: Connection, statement: str) -> Any:
    row = connection.execute(statement).fetchone()
    return row and row[0]


def _unfinished() -> ServiceError:
    return ServiceError(MESSAGE, REMEDY)
