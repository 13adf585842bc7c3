"""What annotators said. Append-only."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.states import Source, Verdict
from core.tables.base import LABEL, Base, class_of_label


class Annotation(Base):
    """One verdict. A correction is a new row that supersedes the old one; no row ever changes.

    ``counted`` is false for one that came too late, after those that were wanted: it is kept, and
    neither labels the example nor spends budget. It becomes false where the example is withdrawn,
    and ``note`` null there and where its author is erased: no other change may a row see. ``cost``
    is what this row added to its round's ``spent``: for a correction the difference to what it
    supersedes.

    An annotator's answer has a query. An imported label has none, and neither author nor round: it
    was there before the first. ``source_name`` is the column it stood in, ``job_id`` the import. A
    review has its author, the job that suggested it, if any, and stays in the round of the label
    that it decides on. ``classes_version`` is the version of the project's classes that the page
    showed, by which ``core.verdicts.class_names`` tells what they were called; imports and older
    clients say none.

    A model's has the lot of its certificate, and the ``probability``, 0..1, that the model gave it;
    it cost nobody anything, and counts where no person has said anything. A skip of a model takes
    back the one that it supersedes.

    ``label`` is what the verdict ``label`` says, by the project's task type (``core.tasks``); the
    database takes ``class_id`` out of it. ``note`` is what its author wrote beside it, and goes
    with who that was (``api.users.erasure``).
    """

    __tablename__ = "annotations"
    __table_args__ = (
        CheckConstraint("(verdict = 'label') = (label IS NOT NULL)", name="label_iff_verdict"),
        CheckConstraint("seconds >= 0", name="seconds"),
        CheckConstraint(
            "CASE source"
            " WHEN 'annotator' THEN query_id IS NOT NULL AND round_id IS NOT NULL"
            " AND annotator_id IS NOT NULL"
            " WHEN 'import' THEN source_name IS NOT NULL AND annotator_id IS NULL"
            " WHEN 'model' THEN lot_id IS NOT NULL AND annotator_id IS NULL"
            " AND query_id IS NULL"
            " ELSE annotator_id IS NOT NULL END",
            name="provenance",
        ),
        Index("ix_annotations_round", "round_id"),
        Index("ix_annotations_query", "query_id"),
        Index("ix_annotations_example", "example_id"),
        Index("ix_annotations_mine", "project_id", "annotator_id", "id"),
        Index("ix_annotations_lot", "lot_id", postgresql_where=text("lot_id IS NOT NULL")),
        Index("ix_annotations_job", "job_id", postgresql_where=text("job_id IS NOT NULL")),
        Index("ix_annotations_class", "class_id", postgresql_where=text("class_id IS NOT NULL")),
        Index("ix_annotations_note", "example_id", postgresql_where=text("note IS NOT NULL")),
        Index(
            "uq_annotations_supersedes",
            "supersedes_id",
            unique=True,
            postgresql_where=text("supersedes_id IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    example_id: Mapped[int] = mapped_column(ForeignKey("examples.id", ondelete="CASCADE"))
    source: Mapped[Source] = mapped_column(server_default=Source.ANNOTATOR.value)
    source_name: Mapped[str | None]
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    query_id: Mapped[int | None] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    round_id: Mapped[int | None] = mapped_column(ForeignKey("rounds.id", ondelete="CASCADE"))
    annotator_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    client_key: Mapped[uuid.UUID] = mapped_column(unique=True)
    verdict: Mapped[Verdict]
    label: Mapped[dict[str, Any] | None] = mapped_column(LABEL)
    class_id: Mapped[int | None] = mapped_column(class_of_label(), ForeignKey("classes.id"))
    classes_version: Mapped[int | None]
    seconds: Mapped[float]
    cost: Mapped[float]
    counted: Mapped[bool]
    supersedes_id: Mapped[int | None] = mapped_column(ForeignKey("annotations.id"))
    lot_id: Mapped[int | None] = mapped_column(
        ForeignKey("certificate_lots.id", ondelete="CASCADE")
    )
    probability: Mapped[float | None]
    note: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
