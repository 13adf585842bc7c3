"""How commands on the machine of an installation reach its database."""

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.settings.database import libpq_url, noticing


def connected(url: str, *, autocommit: bool = False) -> psycopg.Connection[Any]:
    """A connection that ends when the server is gone: at night nobody sees that a backup hangs.

    Args:
        url: Where the database is, as libpq or SQLAlchemy wants it.
        autocommit: Whether each statement is a transaction of its own.
    """
    address = libpq_url(url)
    return psycopg.connect(address, autocommit=autocommit, **noticing(address))


def told(url: str) -> tuple[str, dict[str, str]]:
    """How a program of PostgreSQL's is told to connect as ``connected`` does.

    Args:
        url: As there.

    Returns:
        What goes after ``--dbname=``, and the variable with the password: everybody on the machine
        can read a command line.
    """
    address = libpq_url(url)
    given = conninfo_to_dict(address, **noticing(address))
    password = given.pop("password", None)
    # Of a key; no variable is read for it.
    given.pop("sslpassword", None)
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    return make_conninfo("", **given), secret
