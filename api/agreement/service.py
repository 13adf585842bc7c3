"""Agreement of the verdicts on images that several people, or columns of a file, have judged.

Reviews are left out: whoever reviews knows what the others said.

Source: K. Krippendorff, Content Analysis, chapter 11: alpha = 1 - D_o / D_e, from the coincidences
of pairs, each weighted by 1 / (m - 1) where an image has m verdicts. Classes are nominal data; how
much other labels differ says the project's task type.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from random import Random
from typing import Any, Final

from anyio import to_thread
from sqlalchemy import ColumnElement, Float, Select, String, and_, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.agreement.proposals import Made, of_boxes, of_classes
from api.agreement.schemas import Agreement, AgreementOut, VoterAgreement
from core.states import Source, Verdict
from core.tables import Annotation, Project, User
from core.tasks.registry import task_type
from core.tasks.spec import TaskType
from core.verdicts.consensus import holds

_IN_OR_OUT: Final = (Verdict.LABEL, Verdict.OOD)
_ROWS: Final = 1000
_AT_ONCE: Final = 100
"""So many labels are compared in a thread before the next are read."""
# Of so many labels it is known within a percent how much two of them differ.
_MOST_DRAWN: Final = 500
_MOST_PAIRS: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Ordered pairs of verdicts on one image, by who gave the first of the two.

    ``alike`` is the sum of their weights, each times 1 - distance.
    """

    voter: str
    same: bool
    count: int
    weight: float
    alike: float


@dataclass(frozen=True, slots=True)
class _Compared:
    """Pairs, and how much two values differ by chance, of images with more than one verdict."""

    pairs: list[_Pairs]
    by_chance: float

    def all(self) -> Agreement:
        """Agreement of everybody with everybody."""
        return _agreement(self.pairs, self.by_chance, counted=2)

    def by_voter(self) -> Mapping[str, Agreement]:
        """Agreement of each with the others."""
        grouped: dict[str, list[_Pairs]] = defaultdict(list)
        for pairs in self.pairs:
            grouped[pairs.voter].append(pairs)
        return {voter: _agreement(pairs, self.by_chance) for voter, pairs in grouped.items()}


async def agreement(session: AsyncSession, project: Project) -> AgreementOut:
    """Agreement of a project's verdicts, all together and by voter."""
    inside = await _compare(
        session, project, cast(Annotation.verdict, String), Annotation.verdict.in_(_IN_OR_OUT)
    )
    task, labeled = task_type(project.task), Annotation.verdict == Verdict.LABEL
    if task.names_one_class:
        # Counted where they are: there may be millions.
        classes = await _compare(session, project, cast(Annotation.class_id, String), labeled)
    else:
        classes = await _compare_labels(session, project, task, labeled)
    by_inside, by_class = inside.by_voter(), classes.by_voter()
    made = Made({}, [])
    if task.lists_objects:
        made = await of_boxes(session, project)
    elif task.names_one_class:
        made = Made({}, await of_classes(session, project))
    none = _agreement([], 0.0)
    return AgreementOut(
        examples=await _shared(session, project),
        in_ood=inside.all(),
        classes=classes.all(),
        voters=[
            VoterAgreement(
                user_id=row.annotator_id,
                name=row.name or row.source_name,
                votes=row.votes,
                in_ood=by_inside.get(row.voter, none),
                classes=by_class.get(row.voter, none),
                proposals=made.by_annotator.get(row.annotator_id),
            )
            for row in await session.execute(_voters(project))
        ],
        models=made.by_model,
    )


def _of(project: Project) -> ColumnElement[bool]:
    by_annotators = Annotation.source.not_in((Source.REVIEW, Source.MODEL))
    return and_(Annotation.project_id == project.id, by_annotators, holds())


_VOTER = func.coalesce(
    "user " + cast(Annotation.annotator_id, String), "column " + Annotation.source_name
).label("voter")


def _voters(project: Project) -> Any:
    columns = (_VOTER, Annotation.annotator_id, User.name, Annotation.source_name)
    return (
        select(*columns, func.count().label("votes"))
        .outerjoin(User, User.id == Annotation.annotator_id)
        .where(_of(project), Annotation.verdict != Verdict.SKIP)
        .group_by(*columns)
        .order_by(func.count().desc(), _VOTER)
    )


def _several(project: Project, which: ColumnElement[bool]) -> Select[int]:
    """Examples with more than one verdict of which ``which`` is true."""
    return (
        select(Annotation.example_id)
        .where(_of(project), which)
        .group_by(Annotation.example_id)
        .having(func.count() > 1)
    )


async def _shared(session: AsyncSession, project: Project) -> int:
    several = _several(project, Annotation.verdict.in_(_IN_OR_OUT)).subquery()
    return await session.scalar(select(func.count()).select_from(several)) or 0


async def _compare(
    session: AsyncSession,
    project: Project,
    value: ColumnElement[str],
    which: ColumnElement[bool],
) -> _Compared:
    votes = (
        select(
            Annotation.id,
            Annotation.example_id,
            _VOTER,
            value.label("value"),
            func.count().over(partition_by=Annotation.example_id).label("m"),
        )
        .where(_of(project), which)
        .cte("votes")
    )
    one, other = votes.alias("one"), votes.alias("other")
    same = (one.c.value == other.c.value).label("same")
    weight = func.sum(1 / cast(one.c.m - 1, Float))
    pairs = (
        select(one.c.voter, same, func.count(), weight)
        .join(other, and_(other.c.example_id == one.c.example_id, other.c.id != one.c.id))
        .group_by(one.c.voter, same)
    )
    values = select(votes.c.value, func.count()).where(votes.c.m > 1).group_by(votes.c.value)
    return _Compared(
        [
            _Pairs(voter, same, count, weight, weight if same else 0.0)
            for voter, same, count, weight in await session.execute(pairs)
        ],
        _by_chance([count for _, count in await session.execute(values)]),
    )


def _by_chance(given: Sequence[int]) -> float:
    """How often two values differ that are drawn from those that were given so often, 0..1."""
    n = sum(given)
    return 1 - sum(count * (count - 1) for count in given) / (n * (n - 1)) if n > 1 else 0.0


class _Drawn:
    """So many of all labels, each as likely as any other, and the same each time."""

    def __init__(self) -> None:
        self.held: list[Any] = []
        self._seen, self._random = 0, Random(0)

    def add(self, labels: Iterable[Any]) -> None:
        """Show it some more."""
        for label in labels:
            self._seen += 1
            if len(self.held) < _MOST_DRAWN:
                self.held.append(label)
            elif (place := self._random.randrange(self._seen)) < _MOST_DRAWN:
                self.held[place] = label


async def _compare_labels(
    session: AsyncSession, project: Project, task: TaskType[Any], which: ColumnElement[bool]
) -> _Compared:
    """Compare labels by their distance, image by image."""
    votes = (
        select(Annotation.example_id, _VOTER, Annotation.label)
        # Most have one verdict and nothing to compare it with: their labels are not even read.
        .where(_of(project), which, Annotation.example_id.in_(_several(project, which)))
        .order_by(Annotation.example_id, Annotation.id)
        .execution_options(yield_per=_ROWS)
    )
    pairs: list[_Pairs] = []
    said: list[Any] = []
    drawn = _Drawn()

    def compare(said: Sequence[Any]) -> None:
        for _, rows in groupby(said, key=lambda row: row.example_id):
            held = [(task.parse(row.label), row) for row in rows]
            weight = 1 / (len(held) - 1)
            drawn.add(label for label, _ in held)
            for (one, row), (other, their) in combinations(held, 2):
                alike = weight * (1 - task.distance(one, other))
                same = task.same(one, other)
                pairs.extend(_Pairs(whose.voter, same, 1, weight, alike) for whose in (row, their))

    async for row in await session.stream(votes):
        if len(said) >= _AT_ONCE and said[-1].example_id != row.example_id:
            await to_thread.run_sync(compare, said)
            said = []
        said.append(row)
    await to_thread.run_sync(compare, said)
    if task.chance is not None:
        return _Compared(pairs, task.chance)
    differ = await to_thread.run_sync(_differences, task, drawn.held)
    return _Compared(pairs, sum(differ) / len(differ) if differ else 0.0)


def _differences(task: TaskType[Any], labels: Sequence[Any]) -> list[float]:
    """How much two of the labels differ: of all pairs, or of some drawn from them."""
    both = list(combinations(range(len(labels)), 2))
    if len(both) > _MOST_PAIRS:
        both = Random(0).sample(both, _MOST_PAIRS)
    return [task.distance(labels[one], labels[other]) for one, other in both]


def _agreement(pairs: Iterable[_Pairs], by_chance: float, counted: int = 1) -> Agreement:
    """Agreement within ``pairs``, each of which is ``counted`` so often, against chance, 0..1."""
    held = list(pairs)
    count = sum(one.count for one in held)
    if count == 0:
        return Agreement(pairs=0, share=None, alpha=None)
    agreed = sum(one.count for one in held if one.same)
    weight = sum(one.weight for one in held)
    observed = 1 - sum(one.alike for one in held) / weight
    # One value alone: they agree, and nothing tells whether that is by chance.
    alpha = 1 - observed / by_chance if by_chance > 0 else None
    return Agreement(pairs=count // counted, share=agreed / count, alpha=alpha)
