"""Places of buckets that pools follow, and what was found there."""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.states import SyncFinding
from core.tables.base import Base

SILENT: Final = timedelta(minutes=2)
"""After which nobody is looking any more who has said so."""


class Sync(Base):
    """A place that a pool follows: what is new there is imported as ``params`` say.

    ``params`` are ``core.jobs.imports.ImportParams``. It is looked at every ``every_minutes``, or
    only when asked; ``due_at`` is when to look next, ``sent_at`` when a worker was last told so,
    and ``looking_at`` when one that looks was last heard of. ``asked``: by hand, so that what an
    import left undone is begun again.

    ``objects``, ``new``, ``changed`` and ``gone`` are counts of the last look that succeeded, at
    ``looked_at``; ``fault`` and ``detail`` say why the last look failed. ``import_id`` is the
    latest import.
    """

    __tablename__ = "syncs"
    __table_args__ = (
        UniqueConstraint("project_id", "location"),
        Index("ix_syncs_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    location: Mapped[str]
    params: Mapped[dict[str, Any]]
    every_minutes: Mapped[int | None]
    due_at: Mapped[datetime | None]
    asked: Mapped[bool] = mapped_column(server_default=text("false"))
    sent_at: Mapped[datetime | None]
    looking_at: Mapped[datetime | None]
    looked_at: Mapped[datetime | None]
    objects: Mapped[int] = mapped_column(server_default=text("0"))
    new: Mapped[int] = mapped_column(server_default=text("0"))
    changed: Mapped[int] = mapped_column(server_default=text("0"))
    gone: Mapped[int] = mapped_column(server_default=text("0"))
    fault: Mapped[str | None]
    detail: Mapped[str | None]
    import_id: Mapped[int | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="SET NULL"), index=True
    )
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SyncObject(Base):
    """An object about which there is something to say, by its path below the place.

    ``tag`` is the content's that it is said of: what was passed over is looked at again when it
    has another one.
    """

    __tablename__ = "sync_objects"

    sync_id: Mapped[int] = mapped_column(
        ForeignKey("syncs.id", ondelete="CASCADE"), primary_key=True
    )
    name: Mapped[str] = mapped_column(primary_key=True)
    finding: Mapped[SyncFinding]
    tag: Mapped[str]
    since: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    seen_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
