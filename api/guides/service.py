"""Examples of what belongs to a class: pinned ones, or those that annotators agree on."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ScalarSelect,
    Select,
    Subquery,
    Text,
    and_,
    cast,
    exists,
    func,
    select,
    true,
)
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.examples.service import WHOLE_LABEL
from api.guides.schemas import ClassGuide, GuideExample, Guides
from api.schemas.pictures import image_url
from core.errors import Invalid, NotFound
from core.media.texts.excerpts import beginning
from core.states import ExampleState, Source, Split, Verdict
from core.tables import Annotation, Example, Project, ProjectClass, Query
from core.tasks.registry import label_of
from core.tasks.spec import Label
from core.verdicts.consensus import by_model, holds
from core.withdrawals import is_kept

# However large the pool, so many labeled images are looked at for examples, of so many parts of it.
_LOOKED_AT: Final = 2_000
_PARTS: Final = 100
_PEOPLE: Final = (Source.ANNOTATOR, Source.REVIEW)


async def guides(session: AsyncSession, project: Project, count: int) -> Guides:
    """What belongs to each class, with at most ``count`` images each, and as many of OOD.

    Pinned images come first. If a class has none, it shows the images of its label that most
    annotators agree on, of equals the purest; before there are any, images of the evaluation split.
    Labels that nobody here has given come last: whoever imports them may doubt them.
    """
    rows = select(ProjectClass).where(ProjectClass.project_id == project.id)
    classes = (await session.scalars(rows.order_by(ProjectClass.position))).all()
    shown = await _pinned(session, project, classes, count)
    if any(item.id not in shown for item in classes):
        labeled = _sample(project, Split.POOL, ExampleState.LABELED)
        agreed = await _by_class(session, _agreed(labeled, count))
        for class_id, found in agreed.items():
            if found[0].by_people:
                shown.setdefault(class_id, [_example(row) for row in found])
    if any(item.id not in shown for item in classes):
        measuring = _sample(project, Split.EVALUATION, ExampleState.UNLABELED)
        for class_id, found in (await _by_class(session, _first(measuring, count))).items():
            shown.setdefault(class_id, [_example(row) for row in found])
        for class_id, found in agreed.items():
            shown.setdefault(class_id, [_example(row) for row in found])
    ood = await session.execute(_agreed(_sample(project, Split.POOL, ExampleState.OOD), count))
    return Guides(
        classes=[
            ClassGuide(class_id=item.id, guide=item.guide, examples=shown.get(item.id, []))
            for item in classes
        ],
        ood=[_example(row) for row in ood],
    )


def _sample(project: Project, split: Split, state: ExampleState) -> Subquery:
    """Some of the examples in a state, from one index.

    They are from all over the pool: an import is often sorted, by what its images show, and those
    at its end that bear another label are the wrong ones.
    """
    there = and_(Example.project_id == project.id, Example.split == split, Example.state == state)
    first, last = (
        select(end(Example.pool_index)).where(there).scalar_subquery()
        for end in (func.min, func.max)
    )
    part = select(func.generate_series(0, _PARTS - 1).cast(BigInteger).label("number")).subquery()
    size = last + 1 - first
    within = and_(
        Example.pool_index >= first + part.c.number * size // _PARTS,
        Example.pool_index < first + (part.c.number + 1) * size // _PARTS,
    )
    statement = (
        select(Example.id, Example.label_class_id, Example.width, Example.height)
        .where(there, within)
        .order_by(Example.pool_index)
        .limit(_LOOKED_AT // _PARTS)
    )
    if split is Split.POOL:
        # What is asked about again is no example of what it was taken for.
        asked = exists().where(
            Query.example_id == Example.id, Query.again_after.is_not(None), ~Query.done
        )
        # Nor what a model has labeled, as long as nobody has looked at it.
        statement = statement.where(~asked, ~by_model(Example.id))
    found = statement.correlate(part).lateral()
    return select(found).select_from(part).join(found, true()).subquery()


def _agreed(sample: Subquery, count: int) -> Select[Any]:
    """The best ``count`` of each class in ``sample``; of OOD images, which have none, of all."""
    people = _votes(sample, Annotation.source.in_(_PEOPLE))
    votes = _votes(sample, Annotation.source != Source.MODEL)
    purity = select(func.max(Query.purity)).where(Query.example_id == sample.c.id).scalar_subquery()
    # Those that nothing tells apart come from all over, too.
    anywhere = func.md5(cast(sample.c.id, Text))
    order = (people.desc(), votes.desc(), purity.desc().nulls_last(), anywhere)
    return _best(sample, count, order, (people > 0).label("by_people"))


def _votes(sample: Subquery, of: ColumnElement[bool]) -> ScalarSelect[int]:
    """How many votes of some sources more are for the label than for something else."""
    same = and_(
        Annotation.class_id.is_not_distinct_from(sample.c.label_class_id),
        Annotation.verdict.in_((Verdict.LABEL, Verdict.OOD)),
    )
    return (
        select(2 * func.count().filter(same) - func.count())
        .where(Annotation.example_id == sample.c.id, of, holds())
        .scalar_subquery()
    )


def _first(sample: Subquery, count: int) -> Select[Any]:
    return _best(sample, count, (sample.c.id,))


def _best(
    sample: Subquery, count: int, order: Sequence[Any], *more: ColumnElement[Any]
) -> Select[Any]:
    place = func.row_number().over(partition_by=sample.c.label_class_id, order_by=order)
    ranked = select(sample, place.label("place"), *more).subquery()
    excerpt = beginning(example_id=ranked.c.id, width=ranked.c.width).label("excerpt")
    statement = select(ranked, excerpt).where(ranked.c.place <= count)
    return statement.order_by(ranked.c.place)


async def _by_class(session: AsyncSession, statement: Select[Any]) -> dict[int, list[Any]]:
    """The rows of each class, the best first."""
    found: dict[int, list[Any]] = defaultdict(list)
    for row in await session.execute(statement):
        if row.label_class_id is not None:
            found[row.label_class_id].append(row)
    return found


async def _pinned(
    session: AsyncSession, project: Project, classes: Iterable[ProjectClass], count: int
) -> dict[int, list[GuideExample]]:
    """Of the classes that have any."""
    wanted = {item.id: item.pinned[:count] for item in classes if item.pinned}
    ids = {example for examples in wanted.values() for example in examples}
    statement = select(
        Example.id, Example.width, Example.height, beginning().label("excerpt"), WHOLE_LABEL
    ).where(Example.project_id == project.id, Example.id.in_(ids), is_kept())
    rows = {row.id: row for row in await session.execute(statement)} if ids else {}
    return {
        class_id: [
            _example(rows[id_], pinned=True, label=label_of(rows[id_].whole_label))
            for id_ in examples
            if id_ in rows
        ]
        for class_id, examples in wanted.items()
    }


def _example(row: Any, *, pinned: bool = False, label: Label | None = None) -> GuideExample:
    return GuideExample(
        example_id=row.id,
        image_url=image_url(row.id, is_text=row.width is None),
        width=row.width,
        height=row.height,
        excerpt=row.excerpt,
        pinned=pinned,
        whole_label=label,
    )


async def pin(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    class_id: int,
    example_ids: Sequence[int],
) -> None:
    """Make these the examples of the class; none lets votes choose again.

    Raises:
        NotFound: The project has no such class.
        Invalid: The project has no such image.
    """
    item = await session.get(ProjectClass, class_id)
    if item is None or item.project_id != project.id:
        raise NotFound("class")
    wanted = list(dict.fromkeys(example_ids))
    statement = select(Example.id).where(
        Example.project_id == project.id, Example.id.in_(wanted), is_kept()
    )
    known = set(await session.scalars(statement))
    unknown = next((id_ for id_ in wanted if id_ not in known), None)
    if unknown is not None:
        raise Invalid(
            "unknown_example",
            f"The project has no image {unknown}; take the example_id of one that it has.",
            field="example_ids",
        )
    item.pinned = wanted
    record(
        session, principal, "pin", "class", item.id, project_id=project.id, examples=wanted
    )  # fmt: skip
