"""Groups of images that show the same picture, as the last comparison has found them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    case,
    distinct,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.duplicates.schemas import (
    Comparison,
    DuplicateGroup,
    Duplicates,
    HoldCopies,
    Stance,
    Which,
)
from api.examples import actions
from api.examples.schemas import Changed, ExampleOut, Objects, Selection
from api.examples.scores import ScoreTable, scores_if_there
from api.examples.service import SHOWN, shown
from api.examples.verdicts import leave_queues
from core.database.among import among
from core.files.storage import Storage
from core.lifecycle import mark_unqueried
from core.rounds import lock_unfinished
from core.states import ArtifactKind, ExampleState, Split
from core.tables import Artifact, Example, Job, Project
from core.tables.base import no_objects
from core.tasks.registry import lists_objects
from core.verdicts.consensus import lock_examples

_FIRST: Final = 12
_BLOCK: Final = 2000
# A group has fewer images than 2^20, and an installation fewer than 2^33: a place is below 2^53,
# where programs of JavaScript begin to round.
_SIZE: Final = 1 << 33
_NO_CLASS: Final = 0
_OF_BOXES: Final[dict[int, Objects]] = {-1: "objects", -2: "no_objects"}
_ANSWERED: Final = (ExampleState.LABELED, ExampleState.OOD, ExampleState.UNSURE)

_POOL = (Example.split == Split.POOL) & (Example.state != ExampleState.HELD_OUT)
# The truth first, then what somebody has said, then what waits for somebody.
_PLACE = case(
    (Example.split != Split.POOL, 0),
    (Example.state.in_(_ANSWERED), 1),
    (Example.state == ExampleState.QUERIED, 2),
    (Example.state == ExampleState.UNLABELED, 3),
    else_=4,
)
_NUMBER = (
    func.row_number()
    .over(partition_by=Example.duplicates_of, order_by=(_PLACE, Example.pool_index))
    .label("number")
)


def _stance(project: Project) -> ColumnElement[int]:
    """What is said of an example: a class, or a number of something else; null if nothing is."""
    said: Any = Example.label_class_id
    if lists_objects(project.task):
        some, none = _OF_BOXES
        nothing = no_objects(Example.label)
        said = case((nothing, none), (~nothing, some))
    is_ood = or_(Example.state == ExampleState.OOD, Example.split == Split.AUXILIARY_OOD)
    return case((is_ood, _NO_CLASS), else_=said)


def _groups(project: Project) -> Any:
    """A row for each group of a project."""
    pool = func.count().filter(_POOL)
    evaluation = func.count().filter(Example.split == Split.EVALUATION)
    return (
        select(
            Example.duplicates_of.label("id"),
            func.count().label("images"),
            pool.label("pool"),
            evaluation.label("evaluation"),
            func.count().filter(Example.split == Split.AUXILIARY_OOD).label("auxiliary_ood"),
            func.count().filter(Example.state == ExampleState.HELD_OUT).label("held_out"),
            ((pool > 0) & (evaluation > 0)).label("leaking"),
            or_(func.count(distinct(_stance(project))) > 1, func.bool_or(Example.disputed)).label(
                "contradicting"
            ),
        )
        .where(Example.project_id == project.id, Example.duplicates_of.is_not(None))
        .group_by(Example.duplicates_of)
        .subquery()
        .c
    )


async def list_groups(
    session: AsyncSession,
    project: Project,
    storage: Storage,
    which: Which,
    cursor: int | None,
    limit: int,
) -> Duplicates:
    """Some groups, the largest first, and what is known of all."""
    group = _groups(project)
    totals = (
        await session.execute(
            select(
                func.count().label("groups"),
                func.coalesce(func.sum(group.images) - func.count(), 0).label("copies"),
                func.count().filter(group.leaking).label("leaking"),
                func.count().filter(group.contradicting).label("contradicting"),
            )
        )
    ).one()
    place = group.images * literal(_SIZE, BigInteger) + group.id
    statement = _of_kind(select(*group, place.label("place")), group, which)
    if cursor is not None:
        statement = statement.where(place < cursor)
    found = (await session.execute(statement.order_by(place.desc()).limit(limit))).all()
    ids = [row.id for row in found]
    said = await _said(session, project, ids)
    table = await scores_if_there(session, project, storage)
    items = await _first(session, project, ids, table)
    images = select(func.count()).where(Example.project_id == project.id)
    return Duplicates(
        compared=await _compared(session, project),
        images=await session.scalar(images) or 0,
        **{name: int(value) for name, value in totals._asdict().items()},
        items=[
            DuplicateGroup(
                id=row.id,
                images=row.images,
                pool=row.pool,
                evaluation=row.evaluation,
                auxiliary_ood=row.auxiliary_ood,
                held_out=row.held_out,
                said=said[row.id],
                is_contradicting=row.contradicting,
                is_leaking=row.leaking,
                items=items[row.id],
            )
            for row in found
        ],
        next_cursor=found[-1].place if len(found) == limit else None,
    )


def _of_kind(
    statement: Select[*tuple[Any, ...]], group: Any, which: Which
) -> Select[*tuple[Any, ...]]:
    return statement if which == "all" else statement.where(getattr(group, which))


async def _compared(session: AsyncSession, project: Project) -> Comparison | None:
    statement = (
        select(Artifact.job_id, Artifact.meta, Job.finished_at)
        .join(Job, Job.id == Artifact.job_id)
        .where(Artifact.project_id == project.id, Artifact.kind == ArtifactKind.ALIKE)
        .order_by(Artifact.id.desc())
        .limit(1)
    )
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        return None
    return Comparison(job_id=row.job_id, finished_at=row.finished_at, images=row.meta["images"])


async def _said(
    session: AsyncSession, project: Project, ids: Sequence[int]
) -> dict[int, list[Stance]]:
    """What is said of the images of each group, what most say first."""
    stance, count = _stance(project).label("stance"), func.count().label("images")
    statement = (
        select(Example.duplicates_of, stance, count)
        .where(Example.project_id == project.id, among(Example.duplicates_of, ids))
        .where(_stance(project).is_not(None))
        .group_by(Example.duplicates_of, stance)
        .order_by(count.desc(), stance)
    )
    said: dict[int, list[Stance]] = defaultdict(list)
    for id_, number, images in await session.execute(statement):
        assert id_ is not None
        class_id = number if number > _NO_CLASS else None
        objects = _OF_BOXES.get(number)
        said[id_].append(Stance(class_id=class_id, objects=objects, images=images))
    return said


async def _first(
    session: AsyncSession, project: Project, ids: Sequence[int], table: ScoreTable | None
) -> dict[int, list[ExampleOut]]:
    """The first few images of each group."""
    mine = Example.project_id == project.id
    ranked = select(Example.id, _NUMBER).where(mine, among(Example.duplicates_of, ids)).subquery()
    statement = (
        SHOWN.join(ranked, ranked.c.id == Example.id)
        .where(ranked.c.number <= _FIRST)
        .order_by(ranked.c.number)
    )
    items: dict[int, list[ExampleOut]] = defaultdict(list)
    for row in await session.execute(statement):
        items[row.duplicates_of].append(ExampleOut(**shown(row, table)))
    return items


async def hold_copies(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    body: HoldCopies,
) -> Changed:
    """Keep one image of each group, and hold the others out, as far as nobody has answered them.

    What is kept is an image to evaluate on, or known to be OOD, or has a verdict, if there is one:
    then all others go. Those that wait in a queue leave it, unless somebody looks at them.
    """
    group = _groups(project)
    wanted = _of_kind(select(group.id), group, body.which)
    if body.groups is not None:
        wanted = wanted.where(among(group.id, body.groups))
    members = (
        select(Example.id, Example.pool_index, _POOL.label("may"), _NUMBER)
        .where(Example.project_id == project.id, Example.duplicates_of.in_(wanted))
        .subquery()
        .c
    )
    statement = select(members.id).where(members.number > 1, members.may)
    ids = (await session.scalars(statement.order_by(members.pool_index))).all()
    await _take_from_queues(session, project, ids)
    # There may be more than somebody may name.
    selection = Selection.model_construct(ids=list(ids), filters=None)
    return await actions.hold_out(session, principal, project, storage, selection)


async def _take_from_queues(session: AsyncSession, project: Project, ids: Sequence[int]) -> None:
    """Ask nobody about images that wait for their first verdict."""
    # Rounds before examples, as everybody who stores verdicts locks them.
    await session.execute(lock_unfinished(project.id))
    await session.execute(lock_examples(among(Example.id, ids)))
    waiting = select(Example.id).where(
        among(Example.id, ids), Example.state == ExampleState.QUERIED
    )
    queued = (await session.scalars(waiting.order_by(Example.id))).all()
    taken, _ = await leave_queues(session, queued)
    for start in range(0, len(taken), _BLOCK):
        await session.execute(mark_unqueried(taken[start : start + _BLOCK]))
