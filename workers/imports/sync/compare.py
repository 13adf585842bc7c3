"""What lies in a place that a pool follows, beside what the pool has of it."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Final, NamedTuple

from sqlalchemy import case, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, sessionmaker

from core.database.among import among
from core.database.engines import database_time
from core.jobs.imports import ImportParams
from core.settings.locations import Location
from core.states import SyncFinding
from core.tables import Example, Sync, SyncObject, WithdrawnObject
from core.withdrawals import object_key
from workers.imports.bucket import is_example, is_wanted
from workers.jobs.context import JobContext

LISTING: Final = "objects.sqlite"
"""Name of the listing among the unfinished work of an import."""

_ROWS: Final = 5000
# Of a path, in bytes: an index entry has a limit, and so has an address.
_LONGEST: Final = 2000

_COMPARE: Final = """
    CREATE INDEX objects_name ON objects (name);
    CREATE INDEX held_name ON held (name);
    CREATE INDEX passed_name ON passed (name);
    UPDATE objects SET known = 1 WHERE name IN (SELECT name FROM held);
    UPDATE objects SET known = 1 WHERE known = 0 AND EXISTS
        (SELECT 1 FROM passed WHERE passed.name = objects.name AND passed.tag = objects.tag);
    CREATE TABLE findings AS
        SELECT name, 'changed' AS finding, tag FROM objects
        WHERE name IN (SELECT name FROM held) AND NOT EXISTS
            (SELECT 1 FROM held WHERE held.name = objects.name
             AND (held.tag IS NULL OR held.tag = objects.tag))
        UNION ALL
        SELECT name, 'gone', coalesce(max(tag), '') FROM held
        WHERE name NOT IN (SELECT name FROM objects) GROUP BY name;
"""


class Compared(NamedTuple):
    """How many objects there are, and of those and the pool's how many are to be told of."""

    objects: int
    new: int
    changed: int
    gone: int


class Followed(NamedTuple):
    """A place that a pool follows.

    Attributes:
        sync_id: Of its row.
        project_id: Whose pool.
        location: The place.
        include: Patterns of paths below it.
    """

    sync_id: int
    project_id: int
    location: Location
    include: Sequence[str]

    @classmethod
    def of(cls, sync_id: int, project_id: int, params: ImportParams) -> "Followed":
        """What an import with ``params`` reads."""
        return cls(sync_id, project_id, Location.parse(params.location or ""), params.include)

    def compare(self, sessions: sessionmaker[Session], index: sqlite3.Connection) -> Compared:
        """Mark in a listing what the pool knows, and put into it what is to be told.

        Known is what an example was made of, whatever is there now: what has changed or is gone is
        for people to see to. Known is also what was passed over, while it stays the same, and what
        was withdrawn, whatever is there now.

        Args:
            sessions: For reading.
            index: A ``Listing``'s; afterwards it has a table ``findings`` too.
        """
        include = self.include

        def is_read(name: str) -> bool:
            return len(name.encode()) <= _LONGEST and is_example(name, include)

        def key_of(name: str) -> bytes:
            return object_key(self.project_id, f"{self._prefix}{name}")

        index.create_function("is_read", 1, is_read, deterministic=True)
        index.create_function("key_of", 1, key_of, deterministic=True)
        index.execute("BEGIN")
        index.execute("UPDATE objects SET known = 2 WHERE NOT is_read(name)")
        index.execute("CREATE TABLE held (name TEXT, tag TEXT)")
        index.execute("CREATE TABLE passed (name TEXT, tag TEXT)")
        index.execute("CREATE TABLE withdrawn (key BLOB PRIMARY KEY)")
        with sessions() as session:
            index.executemany("INSERT INTO held VALUES (?, ?)", self._held(session))
            index.executemany("INSERT INTO passed VALUES (?, ?)", self._passed(session))
            index.executemany("INSERT INTO withdrawn VALUES (?)", self._withdrawn(session))
        if index.execute("SELECT EXISTS (SELECT 1 FROM withdrawn)").fetchone()[0]:
            # Not even with another content: it must not come back by itself.
            index.execute(
                "UPDATE objects SET known = 1 "
                "WHERE known < 2 AND key_of(name) IN (SELECT key FROM withdrawn)"
            )
        index.execute("COMMIT")
        index.executescript(_COMPARE)
        objects, new = index.execute(
            "SELECT count(*) FILTER (WHERE known < 2), count(*) FILTER (WHERE known = 0) "
            "FROM objects"
        ).fetchone()
        found = dict(index.execute("SELECT finding, count(*) FROM findings GROUP BY finding"))
        return Compared(objects, new, found.get("changed", 0), found.get("gone", 0))

    @property
    def _prefix(self) -> str:
        address = str(self.location)
        return address if address.endswith("/") else f"{address}/"

    def _held(self, session: Session) -> Iterator[tuple[str, str | None]]:
        statement = (
            select(Example.location, Example.location_tag)
            .where(
                Example.project_id == self.project_id,
                Example.location.startswith(self._prefix, autoescape=True),
            )
            .execution_options(yield_per=_ROWS)
        )
        for address, tag in session.execute(statement):
            name = (address or "").removeprefix(self._prefix)
            if is_wanted(name, self.include):
                yield name, tag

    def _passed(self, session: Session) -> Iterator[tuple[str, str]]:
        statement = select(SyncObject.name, SyncObject.tag).where(
            SyncObject.sync_id == self.sync_id, SyncObject.finding == SyncFinding.PASSED
        )
        found = session.execute(statement.execution_options(yield_per=_ROWS))
        return ((row.name, row.tag) for row in found)

    def _withdrawn(self, session: Session) -> Iterator[tuple[bytes]]:
        statement = select(WithdrawnObject.key).where(WithdrawnObject.project_id == self.project_id)
        found = session.scalars(statement.execution_options(yield_per=_ROWS))
        return ((bytes(key),) for key in found)

    def passed_over(
        self, session: Session, index: sqlite3.Connection
    ) -> Iterator[list[tuple[str, str, str]]]:
        """Rows for what was new in a listing and became no example, in blocks."""
        index.execute("CREATE TEMP TABLE made (name TEXT PRIMARY KEY)")
        held = ((name,) for name, _ in self._held(session))
        index.executemany("INSERT OR IGNORE INTO temp.made VALUES (?)", held)
        rows = index.execute(
            "SELECT name, ?, tag FROM objects "
            "WHERE known = 0 AND name NOT IN (SELECT name FROM temp.made)",
            (SyncFinding.PASSED.value,),
        )
        return _blocks(rows)

    def note(self, session: Session, index: sqlite3.Connection) -> None:
        """Store what a comparison has found in place of what earlier ones did.

        What was found before keeps its date; of what was passed over only what is there is kept.
        """
        began = database_time(session)
        rows = index.execute("SELECT name, finding, tag FROM findings")
        for block in _blocks(rows):
            _store(session, self.sync_id, block)
        session.execute(
            delete(SyncObject).where(
                SyncObject.sync_id == self.sync_id,
                SyncObject.finding != SyncFinding.PASSED,
                SyncObject.seen_at < began,
            )
        )
        left = index.execute("SELECT name FROM passed EXCEPT SELECT name FROM objects")
        for names in _blocks(left):
            session.execute(
                delete(SyncObject).where(
                    SyncObject.sync_id == self.sync_id,
                    among(SyncObject.name, [name for (name,) in names]),
                )
            )


def _store(session: Session, sync_id: int, rows: Collection[tuple[str, str, str]]) -> None:
    if not rows:
        return
    statement = insert(SyncObject)
    had, given = SyncObject.__table__.c, statement.excluded
    is_same = (had.finding == given.finding) & (had.tag == given.tag)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["sync_id", "name"],
            set_={
                "since": case((is_same, had.since), else_=func.clock_timestamp()),
                "finding": given.finding,
                "tag": given.tag,
                "seen_at": func.clock_timestamp(),
            },
        ),
        [
            {"sync_id": sync_id, "name": name, "finding": finding, "tag": tag}
            for name, finding, tag in rows
        ],
    )


def settle(context: JobContext) -> None:
    """After an import: what no example came of is passed over while it stays the same."""
    params = ImportParams.of(context)
    listing = context.work / LISTING
    if params.sync is None or not listing.exists():
        return
    followed = Followed.of(params.sync, context.project_id, params)
    with context.sessions.begin() as session:
        sync = session.get(Sync, params.sync, with_for_update={"key_share": True})
        if sync is None:
            return
        sync.new = 0
        with closing(sqlite3.connect(f"file:{listing}?mode=ro", uri=True)) as index:
            for block in followed.passed_over(session, index):
                _store(session, params.sync, block)


def _blocks(rows: Iterable[Any]) -> Iterator[list[Any]]:
    following = iter(rows)
    while block := list(islice(following, _ROWS)):
        yield block
