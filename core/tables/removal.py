"""Files that belong to nobody since what they were of was deleted, until they are gone."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, LargeBinary, Sequence, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base

COLLECTIONS = Sequence("collections", metadata=Base.metadata, data_type=BigInteger)
"""Goes on whenever files of images are about to be removed; see ``core.files.removals``."""


class Removal(Base):
    """A project that was deleted: what it had, and how much of that is gone from the disk.

    With a ``withdrawal_id`` it is what was withdrawn from one that goes on.

    ``image_bytes`` are those of its originals in Karat's storage; what other projects hold, too,
    stays. ``freed_bytes`` counts everything that was removed. ``finished_at`` is when the last file
    went.
    """

    __tablename__ = "removals"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int]
    project: Mapped[str]
    withdrawal_id: Mapped[int | None]
    images: Mapped[int] = mapped_column(server_default=text("0"))
    image_bytes: Mapped[int] = mapped_column(server_default=text("0"))
    freed_files: Mapped[int] = mapped_column(server_default=text("0"))
    freed_bytes: Mapped[int] = mapped_column(server_default=text("0"))
    deleted_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]


class RemovalItem(Base):
    """A file to remove: everything of an image by its SHA-256, or a path in the data directory.

    ``bytes`` are those of the original in Karat's storage. It stays for a while after it was
    removed, and is looked at once more: somebody may just have been writing.
    """

    __tablename__ = "removal_items"
    __table_args__ = (CheckConstraint("(content_hash IS NULL) <> (path IS NULL)", name="one_name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    removal_id: Mapped[int] = mapped_column(ForeignKey("removals.id", ondelete="CASCADE"))
    content_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    path: Mapped[str | None]
    bytes: Mapped[int] = mapped_column(server_default=text("0"))
    removed_at: Mapped[datetime | None] = mapped_column(index=True)
