"""Originals that are met again elsewhere, or have been stored again: the pool follows them."""

from collections.abc import Mapping
from concurrent.futures import Executor

from sqlalchemy import bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from core.buckets import Buckets
from core.errors import Conflict, Invalid
from core.locations import Location
from core.tables import Example
from workers.imports.items import Origin

_MOVE = text("""
    UPDATE examples SET location = new.location, location_tag = new.tag
    FROM jsonb_to_recordset(:rows) AS new (content_hash text, location text, tag text)
    WHERE project_id = :project_id
    AND examples.content_hash = decode(new.content_hash, 'hex')
""").bindparams(bindparam("rows", type_=JSONB))


def lost(
    session: Session,
    project_id: int,
    met: Mapping[bytes, Origin],
    buckets: Buckets,
    threads: Executor,
) -> dict[bytes, Origin]:
    """Of images that were met where the pool does not have them from, those it must follow.

    Args:
        session: For reading.
        project_id: The project.
        met: By their hashes, where the same bytes were just read.
        buckets: Where to look for what the pool has.
        threads: To look in several places at once.

    Returns:
        The part of ``met`` whose earlier original is gone or has another content now.
    """
    statement = select(Example.content_hash, Example.location, Example.location_tag).where(
        Example.project_id == project_id,
        Example.content_hash.in_(met.keys()),
        Example.location.is_not(None),
    )
    elsewhere = [
        (digest, location or "", tag or "")
        for digest, location, tag in session.execute(statement)
        if (location, tag) != (met[digest].location, met[digest].tag)
    ]
    session.rollback()

    def is_lost(held: tuple[bytes, str, str]) -> bool:
        digest, location, tag = held
        if location == met[digest].location:
            return True
        try:
            buckets.same(Location.parse(location), tag)
        except (Conflict, Invalid):
            return True
        return False

    wrong = threads.map(is_lost, elsewhere)
    return {held[0]: met[held[0]] for held, moved in zip(elsewhere, wrong, strict=True) if moved}


def move(session: Session, project_id: int, moved: Mapping[bytes, Origin]) -> None:
    """Note where originals are now."""
    if moved:
        rows = [
            {"content_hash": digest.hex(), "location": origin.location, "tag": origin.tag}
            for digest, origin in moved.items()
        ]
        session.execute(_MOVE, {"project_id": project_id, "rows": rows})
