"""Weights of networks: those that were uploaded, and which published ones the workers can have.

A row that was not looked at has no ``checked_at``; one that was has a ``problem`` or is good. Until
then ``problem`` is how many workers have begun to look at it, if any, and told nothing.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base


class Weights(Base):
    """A safetensors file that an admin has uploaded, of one architecture of a library.

    ``meta`` holds what the file says of images: ``mean``, ``std``, ``input_size``. ``left_aside``
    are the tensors of the head, which no project needs. The file under ``storage_key`` has its
    SHA-256 as its name.
    """

    __tablename__ = "weights"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    library: Mapped[str]
    architecture: Mapped[str]
    filename: Mapped[str]
    storage_key: Mapped[str] = mapped_column(unique=True)
    sha256: Mapped[str] = mapped_column(unique=True)
    bytes: Mapped[int]
    tensors: Mapped[int]
    meta: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    left_aside: Mapped[list[str]] = mapped_column(server_default=text("'[]'"))
    problem: Mapped[str | None]
    checked_at: Mapped[datetime | None]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def refusal(self) -> str | None:
        """Why they are of no use, once that is known."""
        return None if self.checked_at is None else self.problem


class PublishedWeights(Base):
    """Published weights that a project starts from: whether the workers can have them."""

    __tablename__ = "published_weights"
    __table_args__ = (UniqueConstraint("library", "architecture"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    library: Mapped[str]
    architecture: Mapped[str]
    problem: Mapped[str | None]
    checked_at: Mapped[datetime | None]
