"""The examples of a project: images, or texts."""

from typing import Any, Final

from sqlalchemy import (
    CheckConstraint,
    Computed,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from core.states import ExampleState, Split
from core.tables.base import LABEL, Base, class_of_label


class Example(Base):
    """One image, or one text.

    ``pool_index`` counts a project's examples 0, 1, 2, … in order of import, over all splits. It is
    the row in the store of pixels or texts, in cached embeddings and in score files.

    ``width`` and ``height`` are those of an image; a text has neither, and its words are in
    ``example_texts``.

    ``label`` is what it counts as: of an evaluation image the truth that it came with, of an image
    of the pool what its verdicts amount to (``core.verdicts.consensus``). The database takes
    ``label_class_id`` out of it. ``import_id`` is the job that brought it; null for those of
    earlier versions. ``disputed`` says that its verdicts contradict each other and no reviewer has
    settled it.

    ``as_is`` says whether every browser shows the original as everybody is to see it; otherwise a
    rendition is shown in its place. Null is: nobody has looked yet.

    ``duplicates_of`` is the example that stands for all that show the same picture, itself among
    them, as the last job has found that compares all; null where it has found no other.

    ``split`` is null of what was withdrawn: a stone in its place, which tells nothing of it.
    Whatever asks for a split passes it by; what asks for none says so
    (``core.withdrawals.is_kept``).

    ``location`` is where the original lies if Karat keeps no copy of it, and ``location_tag`` what
    tells whether it is still the one that was imported.
    """

    __tablename__ = "examples"
    __table_args__ = (
        UniqueConstraint("project_id", "pool_index"),
        UniqueConstraint("project_id", "content_hash"),
        CheckConstraint("(width IS NULL) = (height IS NULL)", name="size"),
        Index("ix_examples_state", "project_id", "split", "state", "pool_index"),
        Index("ix_examples_name", "project_id", text("normalize(name)")),
        Index(
            "ix_examples_duplicates",
            "project_id",
            "duplicates_of",
            postgresql_where=text("duplicates_of IS NOT NULL"),
        ),
        Index("ix_examples_disputed", "project_id", "id", postgresql_where=text("disputed")),
        Index(
            "ix_examples_no_objects",
            "project_id",
            "split",
            "pool_index",
            postgresql_where=text("(label -> 'boxes') = '[]'"),
        ),
        Index(
            "ix_examples_class",
            "label_class_id",
            postgresql_where=text("label_class_id IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    pool_index: Mapped[int]
    content_hash: Mapped[bytes] = mapped_column(LargeBinary)
    media_type: Mapped[str]
    bytes: Mapped[int]
    width: Mapped[int | None]
    height: Mapped[int | None]
    split: Mapped[Split | None]
    state: Mapped[ExampleState]
    name: Mapped[str]
    import_id: Mapped[int | None]
    location: Mapped[str | None]
    location_tag: Mapped[str | None]
    as_is: Mapped[bool | None]
    label: Mapped[dict[str, Any] | None] = mapped_column(LABEL)
    label_class_id: Mapped[int | None] = mapped_column(class_of_label(), ForeignKey("classes.id"))
    duplicates_of: Mapped[int | None]
    disputed: Mapped[bool] = mapped_column(server_default=false())
    meta: Mapped[dict[str, Any]]


class ExampleText(Base):
    """What a text says, and its words to be searched by.

    ``fields`` are the parts of a row of instruction data, a
    ``core.tasks.instruction_rows.InstructionRow``, of which ``content`` is all in one; null for
    every other text.

    Words are compared as they are written but for case: which language they are in is not known,
    and may be several.
    """

    __tablename__ = "example_texts"
    __table_args__ = (Index("ix_example_texts_words", "words", postgresql_using="gin"),)

    example_id: Mapped[int] = mapped_column(
        ForeignKey("examples.id", ondelete="CASCADE"), primary_key=True
    )
    content: Mapped[str]
    fields: Mapped[dict[str, Any] | None] = mapped_column(LABEL)
    # Of longer texts the beginning is searched: an index entry has a limit.
    words: Mapped[Any] = mapped_column(
        TSVECTOR,
        Computed("to_tsvector('simple', left(content, 100000))", persisted=True),
        deferred=True,
    )


COMPOSED_NAME: Final = func.normalize(Example.name, type_=Text)
"""Names as they are compared (NFC), by an index; they are kept as they were given."""
