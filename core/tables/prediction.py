"""What models of others predict, as imports brought it."""

from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import LABEL, Base


class Prediction(Base):
    """What one ``model`` says of an example: nobody's label, vote or answer.

    ``proposals`` are as ``queries.proposals`` has them: boxes, or one class with its ``score``,
    which is null where the file had none. A query gets those of the latest import as it is leased
    for the first time. Of boxes ``planted`` is what stands in the place of one of them, if the
    project's share of planted shifts is above ``luck`` (``core.tasks.proposals.Planted``).

    ``import_id`` is the job that brought it.
    """

    __tablename__ = "predictions"
    __table_args__ = (Index("ix_predictions_model", "project_id", "model", "import_id"),)

    example_id: Mapped[int] = mapped_column(
        ForeignKey("examples.id", ondelete="CASCADE"), primary_key=True
    )
    model: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    import_id: Mapped[int]
    proposals: Mapped[list[dict[str, Any]]] = mapped_column(LABEL)
    planted: Mapped[dict[str, Any] | None] = mapped_column(LABEL)
    luck: Mapped[float | None]
