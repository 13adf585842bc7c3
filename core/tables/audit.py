"""Who did what, and a chain of hashes by which is seen that nobody has changed it since."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base


class Audit(Base):
    """Who did what to which object, when and from where. Append-only.

    Nothing in ``detail`` names a person: people stand here by their numbers. ``address`` and
    ``agent``, the browser or program, are taken out when somebody is erased, and nothing else ever.
    ``project_id`` outlives the project.
    """

    __tablename__ = "audit"
    __table_args__ = (
        # Each ends in the id, by which pages go on.
        Index("ix_audit_actor", "actor_id", "id"),
        Index("ix_audit_what", "object_type", "verb", "id"),
        Index("ix_audit_at", "at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    project_id: Mapped[int | None] = mapped_column(index=True)
    verb: Mapped[str]
    object_type: Mapped[str]
    object_id: Mapped[int | None]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    address: Mapped[str | None]
    agent: Mapped[str | None]
    at: Mapped[datetime] = mapped_column(server_default=func.now())


class AuditLink(Base):
    """A row of the log in the order of commits, without gaps; written by the database.

    ``hash`` is the SHA-256 of the one before and of the row as text, in which ``origin`` stands for
    address and agent: the SHA-256 of ``salt`` and both. When these are erased the salt goes too, so
    nobody finds them by trying, and the chain holds. See ``core.security.audit_chain``.
    """

    __tablename__ = "audit_chain"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    audit_id: Mapped[int] = mapped_column(unique=True)
    salt: Mapped[bytes | None]
    origin: Mapped[bytes]
    hash: Mapped[bytes]
