"""The rows that are chosen from, frozen when the job began."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from core.artifacts.selections import SelectionReason
from core.database.among import among
from core.settings.project import ProjectSettings
from core.states import ExampleState, Split
from core.tables import Example, ExampleText, Project
from core.tasks.instruction_rows import InstructionRow, rendered
from models.catalog.params.select_instructions import SelectInstructionsParams
from models.errors import ModelError
from models.files.arrays import read_arrays, write_arrays
from models.media.base import Store
from models.protocols import Indices
from workers.jobs.context import JobContext
from workers.jobs.stores import open_store
from workers.judges.prompts import LONGEST

_FILE: Final = "rows.npz"
_READ: Final = 10_000
_AT_ONCE: Final = 32
"""Rows that are whole in memory: one may have a megabyte."""
_LEFT_OUT: Final = {
    ExampleState.HELD_OUT: SelectionReason.HELD_OUT,
    ExampleState.OOD: SelectionReason.OOD,
}


@dataclass(frozen=True)
class Rows:
    """Rows of a pool, by ascending pool index.

    Attributes:
        indices: (N,) int64 pool indices of those that are chosen from.
        examples: (N,) int64 ids.
        lengths: (N,) int64 characters of the response.
        left_out: (M, 3) int64 pool index, id and length of others of the pool.
        left_because: (M,) the reason of each.
        count: How many examples the project has.
        seed: Of the project.
    """

    indices: Indices
    examples: Indices
    lengths: Indices
    left_out: NDArray[np.int64]
    left_because: NDArray[Any]
    count: int
    seed: int

    def __len__(self) -> int:
        """N."""
        return len(self.indices)

    def save(self, context: JobContext) -> None:
        """Keep them for whoever resumes the job."""
        context.work.mkdir(parents=True, exist_ok=True)
        write_arrays(context.work / _FILE, vars(self))

    @classmethod
    def load(cls, context: JobContext) -> Self:
        """Read what ``save`` wrote."""
        arrays: dict[str, Any] = read_arrays(context.work / _FILE)
        count, seed = int(arrays.pop("count")), int(arrays.pop("seed"))
        return cls(**arrays, count=count, seed=seed)

    def store(self, context: JobContext) -> Store:
        """The pool's texts."""
        return open_store(context.storage, context.project_id, None, self.count)


def gather(context: JobContext, params: SelectInstructionsParams) -> Rows:
    """Read which rows there are, without what they say.

    Raises:
        ModelError: There are none to choose from, or more than the wanted clusters hold.
    """
    fields = ExampleText.fields
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        seed = ProjectSettings.model_validate(project.settings).seed
        total = session.scalar(select(func.count()).where(Example.project_id == context.project_id))
        response = func.jsonb_extract_path_text(fields, "responses", "0")
        found = session.execute(
            select(
                Example.pool_index,
                Example.id,
                Example.state,
                func.coalesce(func.length(response), 0),
            )
            .join(ExampleText, ExampleText.example_id == Example.id)
            .where(
                Example.project_id == context.project_id,
                Example.split == Split.POOL,
                fields.is_not(None),
            )
            .order_by(Example.pool_index)
            .execution_options(yield_per=_READ)
        )
        chosen, left, because = [], [], []
        for index, id_, state, length in found:
            if (reason := _LEFT_OUT.get(state)) is None:
                chosen.append((index, id_, length))
            else:
                left.append((index, id_, length))
                because.append(reason.value)
    table = np.array(chosen, dtype=np.int64).reshape(-1, 3)
    if len(table) == 0:
        raise ModelError(
            "There is no row to choose from; import rows of instruction data, or release those "
            "that are held out."
        )
    wanted = params.count() if params.clustered else None
    if wanted is not None and wanted * params.largest < len(table):
        raise ModelError(
            f"{len(table):,} rows do not fit into {wanted:,} clusters of at most {params.largest}; "
            f"allow {-(-len(table) // params.largest):,} clusters or more, or larger ones."
        )
    rows = Rows(
        indices=table[:, 0].copy(),
        examples=table[:, 1].copy(),
        lengths=table[:, 2].copy(),
        left_out=np.array(left, dtype=np.int64).reshape(-1, 3),
        left_because=np.array(because, dtype="U32"),
        count=total or 0,
        seed=seed,
    )
    rows.save(context)
    return rows


def texts_of(sessions: sessionmaker[Session], examples: Sequence[int]) -> dict[int, str]:
    """What a judge reads of examples, by id: of long ones no more than it is shown."""
    with sessions() as session:
        statement = (
            select(ExampleText.example_id, ExampleText.fields)
            .where(among(ExampleText.example_id, list(examples)))
            .execution_options(yield_per=_AT_ONCE)
        )
        return {
            id_: _both_ends(rendered(InstructionRow.model_validate(fields)))
            for id_, fields in session.execute(statement)
        }


def _both_ends(text: str) -> str:
    """A text of which nothing is lost that is shown."""
    return text if len(text) <= 2 * LONGEST else text[:LONGEST] + text[-LONGEST:]


def questions_of(sessions: sessionmaker[Session], examples: Sequence[int]) -> list[str]:
    """What examples ask, in their order."""
    with sessions() as session:
        statement = select(ExampleText.example_id, ExampleText.fields["instruction"].astext).where(
            among(ExampleText.example_id, list(examples))
        )
        found: dict[int, str | None] = dict(session.execute(statement).all())
    return [found.get(one) or "" for one in examples]


def may_be_asked(
    session: Session, groups: Sequence[list[int]], audit: Collection[int]
) -> tuple[list[list[int]], set[int]]:
    """Groups without rows that were held out, or called OOD, since the job began.

    Args:
        session: To read with.
        groups: Ids of the examples of each.
        audit: Places among them of those that were drawn by chance.

    Returns:
        The groups that are left, and the places of those drawn by chance among them.
    """
    every = [id_ for group in groups for id_ in group]
    gone = set(
        session.scalars(
            select(Example.id).where(among(Example.id, every), Example.state.in_(list(_LEFT_OUT)))
        )
    )
    left = [place for place, group in enumerate(groups) if not gone.intersection(group)]
    by_chance = set(audit)
    drawn = {at for at, place in enumerate(left) if place in by_chance}
    return [list(groups[place]) for place in left], drawn
