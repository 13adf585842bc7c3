"""Examples that were taken out of a project for good, and what of them is still to go."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base


class Withdrawal(Base):
    """Examples that somebody has withdrawn together; it cannot be taken back.

    ``images`` is how many, ``answered`` of how many somebody had said something. ``done`` of them
    are out of the project by now, the last with the id ``last_id``; all since ``withdrawn_at``, and
    of none a file tells anything since ``erased_at``. ``import_id`` is the job whose examples they
    all were, where a whole import was taken back.
    """

    __tablename__ = "withdrawals"
    __table_args__ = (
        Index("ix_withdrawals_project", "project_id", "id"),
        Index("ix_withdrawals_unfinished", "id", postgresql_where=text("erased_at IS NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    import_id: Mapped[int | None]
    images: Mapped[int]
    answered: Mapped[int]
    done: Mapped[int] = mapped_column(server_default=text("0"))
    last_id: Mapped[int] = mapped_column(server_default=text("0"))
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    withdrawn_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]


class WithdrawalItem(Base):
    """Which withdrawal an example belongs to: each is withdrawn once."""

    __tablename__ = "withdrawal_items"
    __table_args__ = (Index("ix_withdrawal_items_withdrawal", "withdrawal_id", "example_id"),)

    example_id: Mapped[int] = mapped_column(
        ForeignKey("examples.id", ondelete="CASCADE"), primary_key=True
    )
    withdrawal_id: Mapped[int] = mapped_column(ForeignKey("withdrawals.id", ondelete="CASCADE"))


class WithdrawnObject(Base):
    """An object of a bucket of which an example was withdrawn: who follows the place passes it by.

    ``key`` is the SHA-256 of the project's number and the address, see
    ``core.withdrawals.object_key``: it says nothing to who does not know the address.
    """

    __tablename__ = "withdrawn_objects"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
