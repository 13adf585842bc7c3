"""How many of the labels that a model gives may be wrong, and what people have looked at for it."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.states import CertificateState, LotState
from core.tables.base import Base


class Certificate(Base):
    """What is promised of the images that nobody has judged, and what the promise rests on.

    ``settings`` are those of ``models.catalog.params.certify``. ``images`` counts what was
    unlabeled when it began. ``model`` says which round has trained the model, and the SHA-256 of
    its file; ``data_digest`` is that of the SHA-256 of all images of the pool, in order, and
    ``settings_digest`` of the settings by which the round has trained. ``observations`` are all
    draws, in their order: see ``core.artifacts.certificates.Draw``. ``result`` is what
    ``models.guarantee`` says of them.
    """

    __tablename__ = "certificates"
    __table_args__ = (
        Index("ix_certificates_project", "project_id", "id"),
        Index(
            "ix_certificates_asking",
            "id",
            postgresql_where=text("state IN ('asking', 'applying', 'revoking')"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    job_id: Mapped[int | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="SET NULL"), index=True
    )
    state: Mapped[CertificateState]
    settings: Mapped[dict[str, Any]]
    images: Mapped[int] = mapped_column(server_default=text("0"))
    model: Mapped[dict[str, Any] | None]
    data_digest: Mapped[str | None]
    settings_digest: Mapped[str | None]
    observations: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'"))
    result: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    refused: Mapped[str | None]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    closed_at: Mapped[datetime | None]
    applied_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class CertificateLot(Base):
    """Images that a model takes for the same, about equally surely, and that pass or fail together.

    Without a class they are what it takes for OOD. ``low`` and ``high`` are the lowest and the
    highest probability of its members, 0..1. ``bound`` is the share that may be wrong, at
    most, of what is labeled of all lots that passed together; of one more may be. ``labeled``
    counts those that were labeled by it.
    """

    __tablename__ = "certificate_lots"
    __table_args__ = (UniqueConstraint("certificate_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    certificate_id: Mapped[int] = mapped_column(ForeignKey("certificates.id", ondelete="CASCADE"))
    number: Mapped[int]
    # No foreign key: a class may be removed while what was said of it is kept.
    class_id: Mapped[int | None] = mapped_column(BigInteger)
    low: Mapped[float]
    high: Mapped[float]
    size: Mapped[int]
    state: Mapped[LotState]
    drawn: Mapped[int] = mapped_column(server_default=text("0"))
    wrong: Mapped[int] = mapped_column(server_default=text("0"))
    unsure: Mapped[int] = mapped_column(server_default=text("0"))
    bound: Mapped[float | None]
    labeled: Mapped[int] = mapped_column(server_default=text("0"))
