"""Data sets as they were, under a name."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base


class PoolSnapshot(Base):
    """What the examples of a project counted as at one instant; no row ever changes.

    The file of ``artifact_id`` holds it (``core.artifacts.pool_snapshots``). ``filters`` are those
    that the examples had to match, as they were given; null where all were taken. ``digest`` is the
    SHA-256 of what they counted as, ``counts`` how many there were of each kind. ``classes`` are
    ``id`` and ``name`` of the project's classes then, in their order. ``last_query_id`` is the
    newest query that there was, null where there was none.
    """

    __tablename__ = "snapshots"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    filters: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    digest: Mapped[str]
    counts: Mapped[dict[str, Any]]
    classes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    last_query_id: Mapped[int | None]
    artifact_id: Mapped[int] = mapped_column(
        ForeignKey("artifacts.id", ondelete="CASCADE"), index=True
    )
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    taken_at: Mapped[datetime] = mapped_column(server_default=func.now())
