import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Select, func, literal_column, null, select, true, union_all
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.access import seen
from api.callers.principal import Principal
from api.projects.schemas import Counts
from core.media.texts.excerpts import beginning
from core.rounds import waits_for_help
from core.states import ExampleState, JobKind, JobState, RoundState, Split
from core.tables import Example, Job, Project, ProjectClass, Round
from core.tables.base import no_objects
from core.withdrawals import is_kept

_REST = ExampleState.UNLABELED
_PICTURES = 4
_NO_OBJECTS = "no_objects"
_WITHDRAWN = "withdrawn"
_FIELD = {
    ExampleState.QUERIED: "queried",
    ExampleState.LABELED: "labeled_in",
    ExampleState.OOD: "labeled_ood",
    ExampleState.UNSURE: "unsure",
}


def importing(project_id: int) -> Select[int]:
    """An import that has not ended yet, if there is one."""
    return (
        select(Job.id)
        .where(
            Job.project_id == project_id,
            Job.kind == JobKind.IMPORT_POOL,
            Job.is_real(),
            Job.state.in_((JobState.QUEUED, JobState.RUNNING)),
        )
        .limit(1)
    )


def visible(principal: Principal) -> Select[Project]:
    """Projects that the caller sees, the newest first."""
    return select(Project).where(seen(principal, Project.id)).order_by(Project.id.desc())


async def counts(session: AsyncSession, project_ids: Iterable[int]) -> dict[int, Counts]:
    """Examples of each project by split and state, in one statement.

    Unlabeled images, nearly all of a large pool, are what remains of all: ``pool_index`` has no
    gaps. So nothing reads more of the index than what has been labeled, asked or set aside.
    """
    found = {project_id: dict.fromkeys(Counts.model_fields, 0) for project_id in project_ids}
    last = (
        select(func.max(Example.pool_index))
        .where(Example.project_id == Project.id)
        .scalar_subquery()
    )
    everything = select(
        Project.id, null().label("split"), null().label("state"), func.coalesce(last + 1, 0)
    ).where(Project.id.in_(found))
    statement: CompoundSelect[*tuple[Any, ...]] = union_all(
        everything,
        _grouped(found, [Split.POOL], [one for one in ExampleState if one is not _REST]),
        _grouped(found, [one for one in Split if one is not Split.POOL], list(ExampleState)),
        _without_objects(found),
        _withdrawn(found),
    )
    for project_id, split, state, count in await session.execute(statement):
        fields = found[project_id]
        if split is None:
            fields["pool"] += count
            fields["unlabeled"] += count
            continue
        if split == _WITHDRAWN:
            fields["pool"] -= count
            fields["unlabeled"] -= count
            continue
        if state == _NO_OBJECTS:
            fields[_NO_OBJECTS] = count
            continue
        fields["unlabeled"] -= count
        if state == ExampleState.HELD_OUT:
            fields["pool"] -= count
            fields["held_out"] += count
        elif split == Split.POOL:
            fields[_FIELD[ExampleState(state)]] += count
        else:
            fields["pool"] -= count
            fields[split] += count
    return {project_id: Counts(**fields) for project_id, fields in found.items()}


def _grouped(
    project_ids: Iterable[int], splits: list[Split], states: list[ExampleState]
) -> Select[int, Split | None, ExampleState, int]:
    return (
        select(Example.project_id, Example.split, Example.state, func.count())
        .where(
            Example.project_id.in_(project_ids),
            Example.split.in_(splits),
            Example.state.in_(states),
        )
        .group_by(Example.project_id, Example.split, Example.state)
    )


def _without_objects(project_ids: Iterable[int]) -> Select[*tuple[Any, ...]]:
    """Those of the labeled ones of the pool, from an index that has no others."""
    return (
        select(Example.project_id, Example.split, literal_column(f"'{_NO_OBJECTS}'"), func.count())
        .where(
            Example.project_id.in_(project_ids),
            Example.split == Split.POOL,
            no_objects(Example.label),
        )
        .group_by(Example.project_id, Example.split)
    )


def _withdrawn(project_ids: Iterable[int]) -> Select[*tuple[Any, ...]]:
    """Those of which nothing but a place is left."""
    return (
        select(Example.project_id, literal_column(f"'{_WITHDRAWN}'"), null(), func.count())
        .where(Example.project_id.in_(project_ids), ~is_kept())
        .group_by(Example.project_id)
    )


async def pictures(
    session: AsyncSession, project_ids: Iterable[int]
) -> dict[int, dict[int, str | None]]:
    """A few examples of each project that has any, at even distances in its pool.

    Each by its id with how it begins, if it is a text.

    Images of other splits lie among them by index; of those the next one of the pool is shown.
    """
    each = select(func.generate_series(0, _PICTURES - 1).label("at")).subquery()
    last = (
        select(func.max(Example.pool_index))
        .where(Example.project_id == Project.id, Example.split == Split.POOL)
        .scalar_subquery()
    )
    places = (
        select(Project.id, ((last + 1) * each.c.at // _PICTURES).label("place"))
        .join(each, true())
        .where(Project.id.in_(list(project_ids)))
        .distinct()
        .subquery()
    )
    next_one = (
        select(Example.id)
        .where(
            Example.project_id == places.c.id,
            Example.pool_index >= places.c.place,
            Example.split == Split.POOL,
        )
        .order_by(Example.pool_index)
        .limit(1)
        .correlate(places)
        .scalar_subquery()
    )
    chosen = select(places.c.id, places.c.place, next_one.label("example_id")).subquery()
    statement = (
        select(chosen.c.id, chosen.c.example_id, beginning())
        .join(Example, Example.id == chosen.c.example_id)
        .order_by(chosen.c.id, chosen.c.place)
    )
    found: dict[int, dict[int, str | None]] = {}
    for project_id, example_id, excerpt in await session.execute(statement):
        found.setdefault(project_id, {})[example_id] = excerpt
    return found


async def current_rounds(
    session: AsyncSession, project_ids: Iterable[int]
) -> dict[int, tuple[Round, bool]]:
    """The oldest round of each project that is not closed, and whether it waits for help."""
    statement = (
        select(Round, Job.state, Job.progress["phase"].astext)
        .outerjoin(Job, Job.id == Round.job_id)
        .where(Round.project_id.in_(list(project_ids)), Round.state != RoundState.CLOSED)
        .order_by(Round.project_id, Round.number)
        .ext(distinct_on(Round.project_id))
    )
    rows = (await session.execute(statement)).all()
    return {
        round_.project_id: (round_, waits_for_help(round_.state, job, phase))
        for round_, job, phase in rows
    }


async def versioned_classes(
    session: AsyncSession, project: Project
) -> tuple[int, Sequence[ProjectClass]]:
    """The classes and their version, from one statement: never new names under an old version."""
    statement = (
        select(ProjectClass, Project.classes_version)
        .join(Project, Project.id == ProjectClass.project_id)
        .where(ProjectClass.project_id == project.id)
        .order_by(ProjectClass.position)
        # What the transaction has loaded already may be older.
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(statement)).all()
    version = found[0][1] if found else project.classes_version
    return version, [item for item, _ in found]


def setup_version(project: Project, classes: Iterable[ProjectClass]) -> str:
    """A digest of what people write of a project, which changes exactly when that does."""
    of_classes = [
        [item.id, item.name, item.colour, item.hotkey, item.position, item.guide]
        for item in classes
    ]
    written = json.dumps([project.name, project.guidelines, of_classes])
    return hashlib.sha256(written.encode()).hexdigest()[:32]


async def classes(session: AsyncSession, project_id: int) -> Sequence[ProjectClass]:
    statement = (
        select(ProjectClass)
        .where(ProjectClass.project_id == project_id)
        .order_by(ProjectClass.position)
    )
    return (await session.scalars(statement)).all()
