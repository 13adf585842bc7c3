"""Rounds of active learning and the ranked queue of each."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ForeignKey,
    Index,
    UniqueConstraint,
    and_,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from core.states import RoundState
from core.tables.base import LABEL, Base


class Round(Base):
    """One turn of the loop: a query batch, its answers, and the model trained on them.

    ``spent`` is the sum of ``annotations.cost`` over the round, kept under this row's lock.
    """

    __tablename__ = "rounds"
    __table_args__ = (UniqueConstraint("project_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    number: Mapped[int]
    state: Mapped[RoundState]
    settings: Mapped[dict[str, Any]]
    strategy: Mapped[str]
    seed: Mapped[int]
    budget: Mapped[float]
    spent: Mapped[float] = mapped_column(server_default=text("0"))
    queries: Mapped[int] = mapped_column(server_default=text("0"))
    accuracy: Mapped[float | None]
    metrics: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    notes: Mapped[list[str]] = mapped_column(server_default=text("'[]'"))
    seconds: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    job_id: Mapped[int | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="SET NULL"), index=True
    )
    opened_at: Mapped[datetime | None]
    closing_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]


class Query(Base):
    """One example of a round's ranked queue, and who is looking at it.

    Rows are updated twice in their life, leased and done. The free space in each page
    lets the first update stay in the page (no index is touched but the lease's own), and vacuum
    runs early, so that leasing stays fast while finished rows pile up.

    ``predicted_class_id`` is what the model that chose the example takes it for, ``probability``
    how sure it is of that class among the others, and ``in_probability`` that it is
    in-distribution at all. Of one that somebody ``requested`` the newest model that has seen it
    says so. They are empty while there is no such model. ``proposals`` are what was suggested to
    whoever was asked, as ``core.tasks.proposals`` stores it: boxes of that model, or what another
    predicts that is ``proposed_by`` its name (``core.tables.Prediction``).

    One that somebody ``requested`` goes on to the next round if this one ends before its answer.
    Where ``again_after`` is set, the votes up to that annotation are doubted: each answer
    supersedes one of them, and they count for nothing in whether the image needs another.

    Queries of the first round were drawn at random, but those that are ``typical``: they were
    chosen, and say nothing of what the pool is made of.

    What is an ``audit`` was drawn at random, and no model learns from its answer: it judges the
    models (``docs/adr``, 0055). ``audit_probability`` is the chance that each free example had of
    being drawn with it, empty where it was not drawn uniformly for its queue. ``audit_rank`` is
    the rank after which the strategy would have put the example in the newest queue, if it would.
    Once answers have come that far, the answer is learned from like any other, as of the round
    ``audit_released``.

    Whatever somebody has ever held keeps its
    ``lease_token``, so that no other image takes its place.
    """

    __tablename__ = "queries"
    __table_args__ = (
        Index("ix_queries_open", "round_id", "rank", postgresql_where=text("NOT done")),
        Index(
            "ix_queries_client",
            "lease_client",
            postgresql_where=text("NOT done AND lease_client IS NOT NULL"),
        ),
        Index("ix_queries_example", "example_id"),
        Index("ix_queries_audit", "project_id", postgresql_where=text("audit")),
        # Answers are counted by what of their queries is not as usual, of most of which nothing is.
        Index(
            "ix_queries_unusual",
            "id",
            postgresql_include=["requested", "audit", "typical"],
            postgresql_where=text("requested OR audit OR typical"),
        ),
        Index(
            "ix_queries_round",
            "round_id",
            postgresql_using="brin",
            postgresql_with={"pages_per_range": "16"},
        ),
        {
            "postgresql_with": {
                "fillfactor": "70",
                "autovacuum_vacuum_scale_factor": "0.02",
                "autovacuum_vacuum_cost_delay": "0",
            }
        },
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    round_id: Mapped[int] = mapped_column(ForeignKey("rounds.id", ondelete="CASCADE"))
    example_id: Mapped[int] = mapped_column(ForeignKey("examples.id", ondelete="CASCADE"))
    rank: Mapped[int]
    purity: Mapped[float | None]
    informativeness: Mapped[float | None]
    meta_score: Mapped[float | None]
    # No foreign key: a class may be removed while a model that knew it still ranks.
    predicted_class_id: Mapped[int | None] = mapped_column(BigInteger)
    probability: Mapped[float | None]
    in_probability: Mapped[float | None]
    proposals: Mapped[list[dict[str, Any]] | None] = mapped_column(LABEL)
    proposed_by: Mapped[str | None]
    done: Mapped[bool] = mapped_column(server_default=text("false"))
    requested: Mapped[bool] = mapped_column(server_default=text("false"))
    typical: Mapped[bool] = mapped_column(server_default=text("false"))
    again_after: Mapped[int | None]
    audit: Mapped[bool] = mapped_column(server_default=text("false"))
    audit_probability: Mapped[float | None]
    audit_rank: Mapped[int | None]
    audit_released: Mapped[int | None]
    lease_holder: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    lease_client: Mapped[uuid.UUID | None]
    lease_token: Mapped[uuid.UUID | None]
    lease_expires_at: Mapped[datetime | None]

    @classmethod
    def is_drawn_for_certificate(cls) -> ColumnElement[bool]:
        """Condition: it asks about a draw for a certificate, not one that checks the model."""
        return and_(cls.requested, cls.audit, cls.audit_probability.is_(None))


class QueryMember(Base):
    """One of several examples that a query asks about together; that of place 0 is the query's."""

    __tablename__ = "query_members"
    __table_args__ = (Index("ix_query_members_example", "example_id"),)

    query_id: Mapped[int] = mapped_column(
        ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True
    )
    place: Mapped[int] = mapped_column(primary_key=True)
    example_id: Mapped[int] = mapped_column(ForeignKey("examples.id", ondelete="CASCADE"))
