"""Writing to a project's pool: files, the store for models, rows, in this order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import bindparam, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, sessionmaker

from core.database.among import among
from core.states import ExampleState, Split
from core.tables import Example, Project, ProjectClass
from core.tasks.registry import label_of, stored, task_type
from core.tasks.spec import Label
from core.withdrawals import is_kept
from workers.imports.media.base import Addition, ImportMedium
from workers.imports.placing import Place
from workers.imports.settled import Upright

# One statement a batch: the driver's executemany takes three times as long. COPY is no faster, and
# its failures would reach the runner as another type than those of all other statements.
_INSERT = text("""
    INSERT INTO examples (
        project_id, state, pool_index, content_hash, media_type, bytes, width, height, split, name,
        label, meta, import_id, location, location_tag, as_is
    )
    SELECT
        :project_id, :state, pool_index, decode(content_hash, 'hex'), media_type, bytes, width,
        height, split, name, label, meta, :import_id, location, location_tag, as_is
    FROM jsonb_to_recordset(:rows) AS new (
        pool_index bigint, content_hash text, media_type text, bytes bigint, width bigint,
        height bigint, split text, name text, label jsonb, meta jsonb, location text,
        location_tag text, as_is boolean
    )
""").bindparams(bindparam("rows", type_=JSONB))

_SETTLE = text("""
    UPDATE examples SET label = new.label,
        meta = meta || jsonb_build_object(CAST(:key AS text), new.truth)
    FROM jsonb_to_recordset(:rows) AS new (content_hash text, label jsonb, truth jsonb)
    WHERE project_id = :project_id AND examples.content_hash = decode(new.content_hash, 'hex')
""").bindparams(bindparam("rows", type_=JSONB))
_REPLACE = text("""
    UPDATE examples SET name = new.name, split = new.split, meta = new.meta, label = NULL
    FROM jsonb_to_recordset(:rows) AS new (content_hash text, name text, split text, meta jsonb)
    WHERE project_id = :project_id AND examples.content_hash = decode(new.content_hash, 'hex')
""").bindparams(bindparam("rows", type_=JSONB))
TRUTH: Final = "truth"
"""Extra of an evaluation image that came with several labels: which, and by which import."""


@dataclass(frozen=True, slots=True)
class Held:
    """An example that the pool holds.

    Attributes:
        name: What it is called.
        split: Its split.
        label: What it is, if it is for evaluation.
        said: What this import has said that it is.
        is_new: Whether this import has brought it.
    """

    name: str
    split: Split
    label: Label | None
    said: frozenset[Label]
    is_new: bool = False


class PoolWriter:
    """Appends examples to one project; only one import of a project runs at a time."""

    def __init__(
        self, sessions: sessionmaker[Session], project_id: int, medium: ImportMedium
    ) -> None:
        """Look up the project's classes, and where its pool ends.

        Args:
            sessions: For reading.
            project_id: The project.
            medium: What its examples are.
        """
        classes = (
            select(ProjectClass.name, ProjectClass.id)
            .where(ProjectClass.project_id == project_id)
            .order_by(ProjectClass.position)
        )
        last = select(func.max(Example.pool_index)).where(Example.project_id == project_id)
        with sessions() as session:
            project = session.get_one(Project, project_id)
            found = session.scalar(last)
            self.classes: dict[str, int] = dict(session.execute(classes).all())
        self.task = task_type(project.task)
        self._names = {class_id: name for name, class_id in self.classes.items()}
        self.project_id = project_id
        self.medium = medium
        self.next_index = 0 if found is None else found + 1
        self._sessions = sessions

    def text_of(self, label: Label) -> str:
        """A label as files write it."""
        return self.task.write(label, self._names) or ""

    def known(self, digests: Collection[bytes], import_id: int) -> dict[bytes, Held]:
        """Those of ``digests`` (SHA-256, 32 bytes) that the pool holds.

        Args:
            digests: What to look for.
            import_id: The import that asks.
        """
        statement = select(
            Example.content_hash,
            Example.name,
            Example.split,
            Example.label,
            Example.import_id,
            Example.meta[TRUTH],
        ).where(Example.project_id == self.project_id, among(Example.content_hash, digests))
        with self._sessions() as session:
            return {
                digest: Held(
                    name,
                    split,
                    label := label_of(stored_label),
                    self._said(label, by, truth, import_id),
                    is_new=by == import_id,
                )
                for digest, name, split, stored_label, by, truth in session.execute(statement)
            }

    def _said(
        self, label: Label | None, by: int | None, truth: dict[str, Any] | None, import_id: int
    ) -> frozenset[Label]:
        if truth is not None:
            texts = truth["classes"] if truth["import"] == import_id else ()
            meant = (self.task.read(text, self.classes) for text in texts)
            return frozenset(one for one in meant if one is not None)
        return frozenset(() if label is None or by != import_id else (label,))

    def settle_truths(
        self, session: Session, truths: Mapping[bytes, frozenset[Label]], import_id: int
    ) -> None:
        """Note what evaluation images are, of which an import said so more than once.

        What it says to be several things is none, and counts in no evaluation.

        Args:
            session: Of the transaction.
            truths: What it says, by hash of the image.
            import_id: The import.
        """
        if not truths:
            return
        rows = [
            {
                "content_hash": digest.hex(),
                "label": stored(next(iter(said))) if len(said) == 1 else None,
                "truth": {"import": import_id, "classes": sorted(map(self.text_of, said))},
            }
            for digest, said in truths.items()
        ]
        session.execute(_SETTLE, {"project_id": self.project_id, "key": TRUTH, "rows": rows})

    def replace(self, session: Session, replaced: Mapping[bytes, tuple[str, Place]]) -> None:
        """Have images of this import in another split than they came for first.

        Args:
            session: Of the transaction.
            replaced: Name and place of each, by its hash; none is for evaluation.
        """
        if not replaced:
            return
        rows = [
            {
                "content_hash": digest.hex(),
                "name": name,
                "split": place.split,
                "meta": place.meta,
            }
            for digest, (name, place) in replaced.items()
        ]
        session.execute(_REPLACE, {"project_id": self.project_id, "rows": rows})

    def first_name(self) -> str | None:
        """What the first of the project's images is called; ``None`` if there is none."""
        statement = (
            select(Example.name)
            .where(Example.project_id == self.project_id, is_kept())
            .order_by(Example.pool_index)
            .limit(1)
        )
        with self._sessions() as session:
            return session.scalar(statement)

    def write_files(self, additions: Sequence[Addition]) -> None:
        """Write files and the store. Rows that then are not committed leave nothing visible."""
        self.medium.write(self.next_index, additions)

    def sizes(self, example_ids: Collection[int]) -> dict[int, Upright]:
        """How large images are, held upright, by their ids."""
        statement = select(Example.id, Example.width, Example.height).where(
            Example.project_id == self.project_id,
            among(Example.id, example_ids),
            Example.width.is_not(None),
        )
        with self._sessions() as session:
            rows: Sequence[Any] = session.execute(statement).all()
        return {row.id: Upright(row.width, row.height) for row in rows}

    def add_rows(self, session: Session, additions: Sequence[Addition], import_id: int) -> None:
        """Make what job ``import_id`` adds examples, at the indices where the store has them."""
        if not additions:
            return
        self.medium.hold(session, additions)
        rows = [
            {
                "pool_index": index,
                "content_hash": addition.digest.hex(),
                "media_type": addition.made.media_type,
                "bytes": len(addition.content),
                "width": addition.made.width,
                "height": addition.made.height,
                "split": addition.place.split,
                "name": addition.name,
                "label": stored(addition.place.label),
                "meta": addition.place.meta,
                "location": addition.origin and addition.origin.location,
                "location_tag": addition.origin and addition.origin.tag,
                "as_is": addition.made.as_is,
            }
            for index, addition in enumerate(additions, self.next_index)
        ]
        session.execute(
            _INSERT,
            {
                "project_id": self.project_id,
                "state": ExampleState.UNLABELED.value,
                "import_id": import_id,
                "rows": rows,
            },
        )
        self.medium.added(session, self.next_index, additions)

    def advance(self, count: int) -> None:
        """Note that ``count`` rows were committed."""
        self.next_index += count
