"""The role that API and workers have in the database: rows are theirs to change, tables are not.

See ``docs/adr/0028-the-service-owns-no-table.md``.
"""

from collections.abc import Iterator
from typing import Final

from psycopg import sql
from sqlalchemy import Connection, make_url, text

_SCHEMA: Final = sql.Identifier("public")
# Which schema there is, is for the service to read and for migrations to say.
_VERSION: Final = sql.Identifier("public", "alembic_version")
_AUDIT: Final = sql.Identifier("public", "audit")
_CHAIN: Final = sql.Identifier("public", "audit_chain")


class RoleError(Exception):
    """The role cannot be the service's."""


def admit(connection: Connection, url: str) -> None:
    """Make the role of ``url`` if there is none, and give it what a service needs and no more.

    Run after every migration, which may have added tables. Who changes the password in ``url``
    changes that of the role, if the owner of the database is a superuser.

    Args:
        connection: Of the owner of the tables, in a transaction.
        url: What API and workers will have as ``DATABASE_URL``.

    Raises:
        RoleError: It names no role, the owner, or one that may do more than change rows.
    """
    given = make_url(url)
    role, password = given.username, given.password
    if not role:
        raise RoleError("KARAT_SERVICE_DATABASE_URL names no role.")
    asked = "SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls "
    found = {
        row.rolname: row
        for row in connection.execute(
            text(f"{asked} FROM pg_roles WHERE rolname IN (:role, current_user)"), {"role": role}
        )
    }
    owner = connection.execute(text("SELECT current_user")).scalar_one()
    if role == owner:
        raise RoleError(
            f"KARAT_SERVICE_DATABASE_URL names {role}, who owns the tables. Name another role."
        )
    if role not in found:
        _execute(connection, "CREATE ROLE {} LOGIN", sql.Identifier(role))
        _set_password(connection, role, password)
    elif any(found[role][1:]):
        raise RoleError(f"{role} may do more in the database than a service needs. Name another.")
    elif found[owner].rolsuper:
        _set_password(connection, role, password)
    for statement in _grants(connection, sql.Identifier(role)):
        _execute(connection, "{}", statement)


def _set_password(connection: Connection, role: str, password: str | None) -> None:
    if password is None:
        return
    driver = connection.connection.driver_connection
    assert driver is not None
    # Hashed here: the server may write statements to its log.
    hashed = driver.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
    _execute(
        connection, "ALTER ROLE {} PASSWORD {}", sql.Identifier(role), sql.Literal(hashed.decode())
    )


def _grants(connection: Connection, role: sql.Identifier) -> Iterator[sql.Composed]:
    name = connection.execute(text("SELECT current_database()")).scalar_one()
    database = sql.Identifier(name)
    yield sql.SQL("REVOKE CREATE ON SCHEMA {} FROM PUBLIC").format(_SCHEMA)
    yield sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(database)
    yield sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, role)
    yield sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(_SCHEMA, role)
    for what, kind in (
        ("SELECT, INSERT, UPDATE, DELETE", "TABLES"),
        ("USAGE, SELECT", "SEQUENCES"),
    ):
        grant = f"GRANT {what} ON ALL {kind} IN SCHEMA {{}} TO {{}}"
        yield sql.SQL(grant).format(_SCHEMA, role)
    yield sql.SQL("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}").format(_VERSION, role)
    if connection.execute(text("SELECT to_regclass('public.audit_chain')")).scalar() is None:
        return
    # The log is added to. Who somebody was may be taken out of it, and nothing else changed.
    yield sql.SQL("REVOKE UPDATE, DELETE ON {} FROM {}").format(_AUDIT, role)
    yield sql.SQL("GRANT UPDATE (address, agent) ON {} TO {}").format(_AUDIT, role)
    yield sql.SQL("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}").format(_CHAIN, role)
    yield sql.SQL("GRANT UPDATE (salt) ON {} TO {}").format(_CHAIN, role)
    # Here as well as in the migration: a backup keeps no privileges.
    for function in ("audit_append(public.audit)", "audit_added()"):
        revoke = f"REVOKE ALL ON FUNCTION public.{function} FROM PUBLIC, {{}}"
        yield sql.SQL(revoke).format(role)


def _execute(connection: Connection, statement: str, *parts: sql.Composable) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(sql.SQL(statement).format(*parts))
