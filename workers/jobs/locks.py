"""What one process does at a time, and no other waits for without saying so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker


@contextmanager
def alone(factory: sessionmaker[Session], what: int, of: int) -> Iterator[bool]:
    """Whether nobody else is at it; if so, nobody else begins before the end of this.

    Args:
        factory: Of sessions.
        what: Number of the kind of work, of 31 bits.
        of: Id of what is worked on.
    """
    with turn(factory, what, of) as is_mine:
        yield is_mine()


@contextmanager
def turn(factory: sessionmaker[Session], what: int, of: int) -> Iterator[Callable[[], bool]]:
    """The same for who can wait: each call tries once more, until it is alone at it.

    It is held by a connection outside of transactions, and so for as long as it takes, but no
    longer than the process or the connection lives.

    Args:
        factory: Of sessions.
        what: As for ``alone``.
        of: As for ``alone``.
    """
    key = (what, cast(of, Integer))
    with factory() as session:
        session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
        has_it = False

        def is_mine() -> bool:
            nonlocal has_it
            has_it = has_it or bool(session.scalar(select(func.pg_try_advisory_lock(*key))))
            return has_it

        try:
            yield is_mine
        finally:
            if has_it:
                try:
                    session.execute(select(func.pg_advisory_unlock(*key)))
                except DBAPIError:
                    # Where the database has gone meanwhile, so has the lock: what was done counts,
                    # or why it failed. Should the connection be there after all, it is closed.
                    session.invalidate()
