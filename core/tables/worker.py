"""Which processes do the background work."""

from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base


class Worker(Base):
    """A worker or the scheduler, for as long as it says that it lives.

    Asking Celery would not do: a worker that trains in its own process answers only after it. A
    process that ends in order removes its row; one that was killed leaves it, silent. One that
    trains says on which kind of ``device``, as PyTorch calls it, once it knows. ``version`` is
    ``core.process.version.build``; processes of before there was this column say none.
    """

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str]
    pid: Mapped[int]
    queues: Mapped[list[str]]
    device: Mapped[str | None]
    version: Mapped[str | None]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    heartbeat_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def address(self) -> str:
        """What ``jobs.worker`` says of a job that this process runs."""
        return f"{self.host}:{self.pid}"
