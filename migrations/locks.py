"""The locks of a migration, all taken before it begins.

Taken one by one, as its statements need them, they would stop requests half-way and wait for what
these hold; and while they wait, everybody waits behind them.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from alembic.runtime.migration import MigrationContext, RevisionStep
from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy import Connection, MetaData, inspect, text
from sqlalchemy.exc import OperationalError

LOCK: Final = 0x6B61726174
"""Held by who migrates: two processes that start at once must not do so at once."""

PATIENCE: Final = "20s"
"""How long one that somebody holds is waited for."""

Steps = Callable[[tuple[str, ...], MigrationContext], Iterable[RevisionStep]]


def locking(steps: Steps, metadata: MetaData) -> Steps:
    """``steps`` that begin with the locks, if there are any.

    Args:
        steps: What alembic has been asked to do.
        metadata: Of the tables.
    """

    def locked(heads: tuple[str, ...], migration: MigrationContext) -> Iterator[RevisionStep]:
        for number, step in enumerate(steps(heads, migration)):
            if number == 0 and migration.connection is not None:
                _lock(migration.connection, metadata)
            yield step

    return locked


def _lock(connection: Connection, metadata: MetaData) -> None:
    """Lock what there is of the tables, as requests go through them: what is referred to first.

    Raises:
        SystemExit: Somebody is at work on them.
    """
    there = set(inspect(connection).get_table_names())
    tables = [table.name for table in metadata.sorted_tables if table.name in there]
    connection.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}'"))
    try:
        for table in tables:
            connection.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    except OperationalError as error:
        if not isinstance(error.orig, DeadlockDetected | LockNotAvailable):
            raise
        raise SystemExit(
            "Somebody is at work on the database, as a backup or an import is: nothing was "
            "changed. Wait until that is done, or end it, and migrate again."
        ) from error
