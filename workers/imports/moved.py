"""Originals that come again where the pool has lost its own: it takes or follows them."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

from sqlalchemy import Row, and_, bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from core.database.among import among
from core.errors import Conflict
from core.files.buckets import Buckets
from core.files.storage import Storage
from core.rounds import lock_unfinished
from core.settings.locations import Location
from core.tables import Example
from core.verdicts.consensus import lock_examples
from workers.imports.items import Origin

_MOVE = text("""
    UPDATE examples SET location = new.location, location_tag = new.tag
    FROM jsonb_to_recordset(:rows) AS new (content_hash text, location text, tag text)
    WHERE project_id = :project_id
    AND examples.content_hash = decode(new.content_hash, 'hex')
""").bindparams(bindparam("rows", type_=JSONB))


@dataclass(frozen=True, slots=True)
class Met:
    """Bytes that came again, and where they stay if they were read there."""

    content: bytes
    origin: Origin | None


def lost(
    session: Session,
    project_id: int,
    met: Mapping[bytes, Met],
    storage: Storage,
    buckets: Buckets,
    threads: Executor,
) -> dict[bytes, Met]:
    """Of images whose bytes came again, those whose original the pool no longer has.

    Args:
        session: For reading.
        project_id: The project.
        met: What came, by hash.
        storage: Where to look for copies.
        buckets: Where to look for what the pool has elsewhere.
        threads: To look in several places at once.

    Returns:
        The part of ``met`` whose earlier original is gone or has another content now.
    """
    statement = select(Example.content_hash, Example.location, Example.location_tag).where(
        Example.project_id == project_id, among(Example.content_hash, met)
    )
    held = session.execute(statement).all()
    session.rollback()

    def is_lost(one: Row[bytes, str | None, str | None]) -> bool:
        digest, location, tag = one
        origin = met[digest].origin
        if location is None:
            return not storage.has_image(digest)
        if origin is not None and location == origin.location:
            return tag != origin.tag
        try:
            buckets.same(Location.parse(location), tag or "")
        except Conflict:
            return True
        return False

    gone = threads.map(is_lost, held)
    return {
        one.content_hash: met[one.content_hash] for one, is_ in zip(held, gone, strict=True) if is_
    }


def keep(storage: Storage, moved: Mapping[bytes, Met], threads: Executor) -> None:
    """Store the bytes that lie nowhere else."""

    def put(digest: bytes) -> None:
        if moved[digest].origin is None:
            storage.put_image(digest, moved[digest].content)

    # Consumed, so that a failure is raised.
    list(threads.map(put, moved))


def move(session: Session, project_id: int, moved: Mapping[bytes, Met]) -> None:
    """Note where originals are now; the first of what a transaction writes.

    Labels may come with them, so rounds and then images are locked as by whoever answers.
    """
    if moved:
        session.execute(lock_unfinished(project_id))
        known = and_(Example.project_id == project_id, among(Example.content_hash, moved))
        session.execute(lock_examples(known))
        rows = [
            {
                "content_hash": digest.hex(),
                "location": one.origin and one.origin.location,
                "tag": one.origin and one.origin.tag,
            }
            for digest, one in moved.items()
        ]
        session.execute(_MOVE, {"project_id": project_id, "rows": rows})
