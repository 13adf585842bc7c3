"""What tests of a whole installation share."""

import fcntl
import functools
import os
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from karat.local.embedded import EmbeddedPostgres
from karat.local.stack import Stack, alembic_settings
from tests.passwords import hashed
from tests.processes import fork_server, libpq_url, running
from tests.shared import SHARED

# Tests survive no power cut, so they need not wait for the disk.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def installed(data: Path, **options: Any) -> Stack:
    """A stack that another start has left behind: its database is made and migrated.

    What a first start does, ``karat up`` and the demo show in their own tests.

    Args:
        data: The data directory, which is made.
        options: What else the stack is told.
    """
    data.mkdir(mode=0o700)
    put_database(data / "postgres")
    usual: dict[str, Any] = {"port": 0, "forks": fork_server(), "postgres_settings": FAST}
    return Stack(data, **usual | options)


def admin_login(stack: Stack) -> tuple[str, str]:
    """Address and password of the admin whom a new installation has made as it started."""
    assert stack.admin_email is not None
    assert stack.admin_password is not None
    return stack.admin_email, stack.admin_password


def ease_logins(stack: Stack) -> None:
    """Store the admin's password at the least that a hash costs: tests log in dozens of times."""
    email, password = admin_login(stack)
    with psycopg.connect(libpq_url(stack.environment["DATABASE_URL"])) as connection:
        changed = connection.execute(
            "UPDATE users SET password_hash = %s WHERE email = %s", (hashed(password), email)
        )
        assert changed.rowcount == 1


def put_database(place: Path) -> None:
    """Make PostgreSQL's files, with a database ``karat`` that has the newest tables and no rows."""
    subprocess.run(["cp", "-a", str(_database()), str(place)], check=True)


@functools.cache
def _database() -> Path:
    """One for all processes of a run: who comes first makes it, the others wait for it."""
    folder = Path(os.environ[SHARED])
    place, made, log = folder / "postgres", folder / "made", folder / "log"
    command = ("alembic", "-c", str(alembic_settings()), "upgrade", "head")
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            with (
                EmbeddedPostgres(place, settings=FAST) as postgres,
                running(*command, log=log, DATABASE_URL=postgres.url) as process,
            ):
                assert process.wait(120) == 0, log.read_text()
                # Every database is a copy of its files: of fewer, with less room in them.
                with psycopg.connect(libpq_url(postgres.url), autocommit=True) as connection:
                    connection.execute("VACUUM FULL")
            made.touch()
    return place
