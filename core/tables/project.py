"""Projects, their classes and their members."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ForeignKey,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from core.states import Medium, ProjectRole, ProjectState
from core.tables.base import Base
from core.tables.user import User


class Project(Base):
    """One pool of images or of texts, labeled into one set of classes.

    ``task`` names its type of labels, one of ``core.tasks.registry``. ``finished_at`` is set while
    it is finished. With ``retain_days`` it is deleted so many days after that: see
    ``core.retention``; ``retain_since`` is when that was said.
    """

    __tablename__ = "projects"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    task: Mapped[str] = mapped_column(server_default="classification")
    medium: Mapped[Medium] = mapped_column(server_default=Medium.IMAGE.value)
    state: Mapped[ProjectState]
    guidelines: Mapped[str] = mapped_column(server_default="")
    # Raised by every change of what pages show of the classes.
    classes_version: Mapped[int] = mapped_column(default=1, server_default=text("1"))
    settings: Mapped[dict[str, Any]]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    retain_days: Mapped[int | None]
    retain_since: Mapped[datetime | None]

    classes: Mapped[list["ProjectClass"]] = relationship(
        lazy="raise", order_by="ProjectClass.position", passive_deletes=True
    )


class ProjectClass(Base):
    """A class an annotator can choose. ``position`` is its index in the model's output.

    ``guide`` says what belongs to it. ``pinned`` are examples that show it, in order; without any
    the images that annotators agree on stand in.
    """

    __tablename__ = "classes"
    __table_args__ = (
        # Deferred, so that two classes can swap names or places in one transaction.
        UniqueConstraint("project_id", "name", deferrable=True, initially="DEFERRED"),
        UniqueConstraint("project_id", "position", deferrable=True, initially="DEFERRED"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    colour: Mapped[str]
    hotkey: Mapped[str | None]
    position: Mapped[int]
    guide: Mapped[str] = mapped_column(server_default="")
    pinned: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'"))


class FormerClassName(Base):
    """A name that a class had up to a version of the project's classes, or that went with it."""

    __tablename__ = "former_class_names"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    )
    # Of a class that may be gone.
    class_id: Mapped[int] = mapped_column(primary_key=True)
    until: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Member(Base):
    """Who may see and label a project, and what else.

    ``lowered_from`` is their role before the provider of single sign-on named no group for them
    that makes projects; they have it again when it does.
    """

    __tablename__ = "members"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[int] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[ProjectRole]
    lowered_from: Mapped[str | None]
    added_at: Mapped[datetime] = mapped_column(server_default=func.now())

    user: Mapped[User] = relationship(lazy="raise")
