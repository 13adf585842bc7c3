"""Labels that a job doubts, or annotators disagree on, waiting for somebody to decide."""

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from core.states import Decision
from core.tables.base import LABEL, Base, class_of_label


class Suggestion(Base):
    """Another label for one example, and what a reviewer decided.

    Without a job it is a disagreement of annotators: the suggestion is what the second most say,
    brought up to date whenever the image is handed out. Where a given or suggested label is null it
    is OOD; the database takes their classes out of them. ``rank`` orders the review, 0 first.
    ``confidence`` in 0..1 is the job's in its suggestion, or the share of the verdicts that say so;
    ``quality`` in 0..1 is cleanlab's of the given label, low for a doubtful one, null where it was
    not asked. ``wrong`` in 0..1 is how likely the given label is wrong, null where the job says no
    such thing. ``alike`` numbers the groups of a job whose members have the same two labels and
    look alike. ``inclusion`` in 0..1 makes it one of an audit: drawn by chance, with this
    probability, among the images whose label the job does not doubt. The decision is an annotation;
    to undo it clears it here and adds another one there. ``closed_queries`` are the ids of those
    that it made needless, and that wait again if it is undone.
    """

    __tablename__ = "suggestions"
    __table_args__ = (
        UniqueConstraint("job_id", "example_id"),
        Index("ix_suggestions_example", "example_id"),
        Index(
            "uq_suggestions_disputed",
            "example_id",
            unique=True,
            postgresql_where=text("job_id IS NULL"),
        ),
        Index("ix_suggestions_decision", "project_id", "job_id", "decision"),
        # What refers to rows that a project's deletion removes one by one.
        Index("ix_suggestions_annotation", "annotation_id"),
        Index("ix_suggestions_given_class", "given_class_id"),
        Index("ix_suggestions_suggested_class", "suggested_class_id"),
        Index("ix_suggestions_open", "job_id", "rank", postgresql_where=text("decision IS NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    example_id: Mapped[int] = mapped_column(ForeignKey("examples.id", ondelete="CASCADE"))
    rank: Mapped[int]
    given_label: Mapped[dict[str, Any] | None] = mapped_column(LABEL)
    suggested_label: Mapped[dict[str, Any] | None] = mapped_column(LABEL)
    given_class_id: Mapped[int | None] = mapped_column(
        class_of_label("given_label"), ForeignKey("classes.id", ondelete="CASCADE")
    )
    suggested_class_id: Mapped[int | None] = mapped_column(
        class_of_label("suggested_label"), ForeignKey("classes.id", ondelete="CASCADE")
    )
    confidence: Mapped[float]
    quality: Mapped[float | None]
    wrong: Mapped[float | None]
    alike: Mapped[int | None]
    inclusion: Mapped[float | None]
    lease_holder: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    lease_expires_at: Mapped[datetime | None]
    decision: Mapped[Decision | None]
    annotation_id: Mapped[int | None] = mapped_column(
        ForeignKey("annotations.id", ondelete="SET NULL")
    )
    closed_queries: Mapped[list[int]] = mapped_column(
        ARRAY(BigInteger), server_default=text("'{}'")
    )
