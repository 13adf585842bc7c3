"""Background jobs, what they produced, and who did what."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, ForeignKey, Index, and_, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.states import ArtifactKind, JobKind, JobState
from core.tables.base import Base

DRY_RUN: Final = "dry_run"
"""Name among the parameters of a job that only measures what the job would take."""
HANDED_ON: Final = "handed_on"
"""Name in the checkpoint of a project's first job: what is left of it waits for who trains."""


class Job(Base):
    """A piece of background work. The row is the outbox: a lost message is sent again from it.

    ``attempt`` is a fencing token: a worker that was paused and replaced finds it changed, and its
    writes are refused. ``parent_id`` is the job that this one is a part of: any worker may take it,
    beside the others, and the parent waits for all. ``pause`` is what somebody has to know who
    decides how a paused job goes on: see ``core.jobs.pauses``.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_project", "project_id", "id"),
        Index("ix_jobs_parent", "parent_id", postgresql_where=text("parent_id IS NOT NULL")),
        Index("ix_jobs_active", "state", postgresql_where=text("state IN ('queued', 'running')")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    kind: Mapped[JobKind]
    state: Mapped[JobState]
    params: Mapped[dict[str, Any]]
    progress: Mapped[dict[str, Any] | None]
    checkpoint: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    message: Mapped[str | None]
    error: Mapped[dict[str, Any] | None]
    pause: Mapped[dict[str, Any] | None]
    result: Mapped[dict[str, Any] | None]
    attempt: Mapped[int] = mapped_column(server_default=text("0"))
    worker: Mapped[str | None]
    cancel_requested: Mapped[bool] = mapped_column(server_default=text("false"))
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    sent_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    @property
    def dry_run(self) -> bool:
        """Whether the job only measures what one with its parameters would take."""
        return bool(self.params.get(DRY_RUN))

    @classmethod
    def is_real(cls) -> ColumnElement[bool]:
        """Condition: no dry run."""
        return cls.params[DRY_RUN].is_(None)

    @property
    def is_opening(self) -> bool:
        """Whether the job has a project's first queue to open, for which no model is needed."""
        is_first = self.kind is JobKind.ADVANCE_ROUND and self.params.get("closing") is None
        return is_first and not self.dry_run and HANDED_ON not in self.checkpoint

    @classmethod
    def opens(cls) -> ColumnElement[bool]:
        """Condition: ``is_opening``."""
        return and_(
            cls.kind == JobKind.ADVANCE_ROUND,
            cls.params["closing"].as_integer().is_(None),
            cls.is_real(),
            cls.checkpoint[HANDED_ON].is_(None),
        )


class Artifact(Base):
    """A file a job produced; the bytes are in storage under ``storage_key``."""

    __tablename__ = "artifacts"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), index=True
    )
    job_id: Mapped[int | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="SET NULL"), index=True
    )
    round_id: Mapped[int | None] = mapped_column(
        ForeignKey("rounds.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[ArtifactKind]
    storage_key: Mapped[str] = mapped_column(unique=True)
    sha256: Mapped[str]
    bytes: Mapped[int]
    meta: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
