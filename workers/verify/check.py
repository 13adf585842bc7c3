"""What a check is, and how one is run: read-only, in one snapshot, memory flat."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, Engine, text

from core.files.storage import Storage
from core.settings import Settings

SHOWN: Final = 5
"""Objects of a kind that are named; the others are counted."""
BATCH: Final = 5000


@dataclass(frozen=True)
class Scope:
    """What checks look at.

    Attributes:
        connection: In a read-only transaction that sees one state of the database.
        storage: The files that belong to it.
        settings: Of the installation.
        running: Whether workers are expected to be at work.
    """

    connection: Connection
    storage: Storage
    settings: Settings
    running: bool


@dataclass(frozen=True)
class Check:
    """One promise.

    Attributes:
        name: For programs.
        title: What holds if nothing is found.
        remedy: What to do if something is.
        find: Names what breaks the promise, one object each.
        note: Whether to find something is worth knowing and no fault.
    """

    name: str
    title: str
    remedy: str
    find: Callable[[Scope], Iterable[str]]
    note: bool = False


@dataclass(frozen=True)
class Finding:
    """What came of a check; ``count`` objects break it, the first of them named."""

    name: str
    title: str
    level: Literal["ok", "note", "problem"]
    count: int
    objects: list[str]
    remedy: str

    def to_json(self) -> dict[str, Any]:
        """As a line for programs."""
        return asdict(self)


def by_sql(statement: str) -> Callable[[Scope], Iterator[str]]:
    """A check whose statement returns one row of text for each object that breaks it."""

    def find(scope: Scope) -> Iterator[str]:
        rows = scope.connection.execution_options(stream_results=True, yield_per=BATCH)
        for (found,) in rows.execute(text(statement)):
            yield str(found)

    return find


def run(engine: Engine, settings: Settings, check: Check, *, running: bool) -> Finding:
    """Run one check in a transaction of its own, so that none holds back vacuum for long."""
    count, objects = 0, []
    isolated = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    with isolated.connect() as connection:
        scope = Scope(connection, Storage.of(settings), settings, running)
        for found in check.find(scope):
            count += 1
            if count <= SHOWN:
                objects.append(found)
    level: Literal["ok", "note", "problem"] = "ok"
    if count:
        level = "note" if check.note else "problem"
    return Finding(check.name, check.title, level, count, objects, check.remedy if count else "")
