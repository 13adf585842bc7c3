"""Statements of the hot path: built once, sent to psycopg directly, several in one round trip."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import namedtuple_row
from sqlalchemy import ARRAY, BigInteger, Executable, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import psycopg as dialect
from sqlalchemy.ext.asyncio import AsyncConnection as SqlAlchemyConnection

_MOST_TEXT: Final = 1 << 15
_DIALECT = dialect.dialect(paramstyle="pyformat")  # type: ignore[no-untyped-call]


def among(column: Any, name: str, type_: Any = BigInteger) -> Any:
    """``column = ANY(:name)``: one statement text, and so one plan, for any number of values."""
    return column == func.any(bindparam(name, type_=ARRAY(type_)))


def unseen(name: str, type_: Any = BigInteger) -> Any:
    """The parameter ``name``, as a value that PostgreSQL does not look at as it plans.

    A plan for the few keys of one request looks cheaper than one for as many as it expects of any,
    so left to itself it plans anew each time, which takes longer than to run the statement. What
    has one good plan gets its values so, and that is made once.
    """
    return cast(select(bindparam(name, type_=type_)).scalar_subquery(), type_)


class Statement:
    """A SQLAlchemy statement compiled to psycopg's SQL.

    SQLAlchemy's own execution costs more than the query for look-ups by key; the schema it checks
    names against is kept all the same.
    """

    def __init__(self, statement: Executable) -> None:
        compiled = statement.compile(dialect=_DIALECT)  # type: ignore[attr-defined]
        self.sql: bytes = str(compiled).encode()
        self.constants: dict[str, Any] = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required
        }


async def driver(connection: SqlAlchemyConnection) -> AsyncConnection[Any]:
    """The psycopg connection below a SQLAlchemy one; a transaction begun there holds here."""
    raw = await connection.get_raw_connection()
    found = raw.driver_connection
    assert isinstance(found, AsyncConnection)
    return found


async def fetch(
    connection: AsyncConnection[Any],
    *work: tuple[Statement, Mapping[str, Any]],
    commit: bool = False,
) -> list[Sequence[Any]]:
    """Send all statements in one round trip, the COMMIT too if asked; large ones after each other.

    Returns:
        The rows of each statement, as named tuples.
    """
    async with connection.pipeline() if _fits(work) else nullcontext():
        cursors = []
        for statement, values in work:
            cursor = connection.cursor(row_factory=namedtuple_row)
            await cursor.execute(statement.sql, {**statement.constants, **values})
            cursors.append(cursor)
        if commit:
            await connection.commit()
    return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]


def _fits(work: Sequence[tuple[Statement, Mapping[str, Any]]]) -> bool:
    """Whether the socket surely takes all that is sent at once.

    psycopg (3.3) leaves a pipeline without having sent the rest of what the socket did not take,
    and then waits for an answer to it, with the locks that it holds.
    """
    texts = sum(
        len(one)
        for _, values in work
        for column in values.values()
        if isinstance(column, list)
        for one in column
        if isinstance(one, str)
    )
    return texts <= _MOST_TEXT
