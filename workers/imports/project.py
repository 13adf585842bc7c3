"""The pool of another project, taken over into one of another task."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from core.errors import Conflict
from core.media.originals import Original, Originals
from core.states import ExampleState, Medium, Split, Verdict
from core.tables import Example, ExampleText, Project, ProjectClass
from core.tasks.registry import label_of, written
from core.withdrawals import is_kept
from workers.imports.items import (
    MAX_IMAGE_BYTES,
    Fetched,
    Item,
    LeftOut,
    Origin,
    Refused,
    Said,
    Source,
)
from workers.imports.values import Values

_ROWS: Final = 500
META: Final = "label"
"""The field of ``Example.meta`` that holds what it was labeled as there."""


class ProjectSource(Source):
    """Every example of a project, in order of import.

    Labels of another type are no labels here; what is OOD there is OOD here. Examples for
    evaluation stay behind: without their truth they would judge nothing. So does what is held out.
    Both are items like the others, so that an item keeps its number whatever is held out meanwhile.
    """

    def __init__(
        self, sessions: sessionmaker[Session], originals: Originals, project_id: int
    ) -> None:
        """Look at the project; whatever is imported there meanwhile comes, too, or does not."""
        self._sessions, self._originals, self._project_id = sessions, originals, project_id
        with sessions() as session:
            project = session.get(Project, project_id)
            if project is None:
                raise Conflict(
                    "project_gone",
                    "The project to take over has been deleted; import its images anew.",
                )
            self._name, self._medium = project.name, project.medium
            self._classes = dict(
                session.execute(
                    select(ProjectClass.id, ProjectClass.name).where(
                        ProjectClass.project_id == project_id
                    )
                ).all()
            )
            counted = select(func.count()).where(Example.project_id == project_id, is_kept())
            self._total = session.scalar(counted) or 0

    @property
    def total(self) -> int:
        """How many there were as it was opened."""
        return self._total

    def items(self, start: int) -> Iterator[Item]:
        """Examples from ``start`` on, each by its pool index, which no other example ever gets."""
        while True:
            statement = (
                select(Example)
                .where(
                    Example.project_id == self._project_id, Example.pool_index >= start, is_kept()
                )
                .order_by(Example.pool_index)
                .limit(_ROWS)
            )
            with self._sessions() as session:
                rows = session.scalars(statement).all()
                texts = self._texts(session, [row.id for row in rows])
            if not rows:
                return
            yield from (self._item(row, texts.get(row.id)) for row in rows)
            start = rows[-1].pool_index + 1

    def _texts(self, session: Session, ids: list[int]) -> dict[int, str]:
        if self._medium is not Medium.TEXT:
            return {}
        statement = select(ExampleText.example_id, ExampleText.content)
        return dict(session.execute(statement.where(ExampleText.example_id.in_(ids))).all())

    def _item(self, row: Example, text: str | None) -> Item:
        label = written(label_of(row.label), self._classes)
        ood = row.split is Split.POOL and row.state is ExampleState.OOD
        original = Original.of(row)
        return Item(
            name=row.name,
            read=partial(self._read, original) if text is None else text.encode,
            # As rows of a table: by their size files are told, which are texts by their names.
            size=row.bytes if text is None else 0,
            meant=row.split,
            said=(Said(f"project {self._name}", Verdict.OOD),) if ood else (),
            meta={**({} if label is None else {META: label}), **row.meta},
            refused=self._stays(row),
        )

    def _stays(self, row: Example) -> LeftOut | None:
        """Why an example stays behind."""
        if row.split is Split.EVALUATION:
            return LeftOut(f"for evaluation in project {self._name}")
        if row.state is ExampleState.HELD_OUT:
            return LeftOut(f"held out in project {self._name}")
        return None

    def _read(self, original: Original) -> bytes | Fetched | Refused:
        """The bytes, which stay where they are if no copy of them was kept."""
        try:
            content = self._originals.read(original)
        except Conflict as error:
            # This one is lost; what only cannot be reached now fails the job, which resumes.
            return Refused(error.detail)
        if len(content) > MAX_IMAGE_BYTES:
            return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
        if original.location is None:
            return content
        return Fetched(content, Origin(original.location, original.tag or ""))

    @property
    def values(self) -> Mapping[str, Values]:
        """It has no columns."""
        return {}

    def close(self) -> None:
        """Nothing stays open."""
