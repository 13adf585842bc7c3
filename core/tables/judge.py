"""Models behind an address that rank and score instructions, and what they have answered."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base

UNANSWERED: Final = "unanswered"
"""``finish`` of what no answer came to, although the server has worked on it."""


class Judge(Base):
    """An OpenAI-compatible server that is asked, and how.

    ``key_sealed`` opens for the origin of ``base_url`` alone (``core.security.sealing``). Prices
    are per million tokens, in whatever currency the owner thinks of. ``max_tokens`` is how long an
    answer may be, ``timeout`` in seconds. A trial that was asked for at ``trial_asked_at`` and has
    no ``trial`` yet waits for a worker.
    """

    __tablename__ = "judges"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    base_url: Mapped[str]
    model: Mapped[str]
    embedding_model: Mapped[str | None]
    key_sealed: Mapped[bytes | None]
    price_in: Mapped[float | None]
    price_out: Mapped[float | None]
    concurrency: Mapped[int]
    timeout: Mapped[float]
    requests_per_minute: Mapped[int | None]
    max_tokens: Mapped[int]
    trial_asked_at: Mapped[datetime | None]
    trial: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class JudgeAnswer(Base):
    """One answer that a judge has given, kept so that nobody pays for it twice.

    ``key`` is the SHA-256 of the address, model, parameters and prompt. ``job_id`` is the job that
    has paid ``cost`` for it, by the prices of then. What was paid for in vain is a row, too: of no
    tokens, ``content`` is what was called, and ``finish`` is ``UNANSWERED``.
    """

    __tablename__ = "judge_answers"
    __table_args__ = (
        Index("ix_judge_answers_job", "job_id", postgresql_where=text("job_id IS NOT NULL")),
    )

    key: Mapped[bytes] = mapped_column(primary_key=True)
    judge_id: Mapped[int] = mapped_column(ForeignKey("judges.id", ondelete="CASCADE"), index=True)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    content: Mapped[str]
    finish: Mapped[str | None]
    tokens_in: Mapped[int]
    tokens_out: Mapped[int]
    cost: Mapped[float] = mapped_column(server_default=text("0"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
