"""Agreement of the verdicts on images that several people, or columns of a file, have judged.

Reviews are left out: whoever reviews knows what the others said.

Source: K. Krippendorff, Content Analysis, chapter 11: alpha = 1 - D_o / D_e for nominal data, from
the coincidences of pairs, each weighted by 1 / (m - 1) where an image has m verdicts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Float, String, and_, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.agreement.schemas import Agreement, AgreementOut, VoterAgreement
from core.consensus import holds
from core.states import Source, Verdict
from core.tables import Annotation, Project, User

_IN_OR_OUT: Final = (Verdict.CLASS, Verdict.OOD)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Ordered pairs of verdicts on one image, by who gave the first of the two."""

    voter: str
    same: bool
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class _Compared:
    """Pairs, and how often each value was given to images with more than one verdict."""

    pairs: list[_Pairs]
    values: dict[str, int]

    def all(self) -> Agreement:
        """Agreement of everybody with everybody."""
        return _agreement(self.pairs, self.values)

    def by_voter(self) -> Mapping[str, Agreement]:
        """Agreement of each with the others."""
        grouped: dict[str, list[_Pairs]] = defaultdict(list)
        for pairs in self.pairs:
            grouped[pairs.voter].append(pairs)
        return {voter: _agreement(pairs, self.values) for voter, pairs in grouped.items()}


async def agreement(session: AsyncSession, project: Project) -> AgreementOut:
    """Agreement of a project's verdicts, all together and by voter."""
    inside = await _compare(
        session, project, cast(Annotation.verdict, String), Annotation.verdict.in_(_IN_OR_OUT)
    )
    classes = await _compare(
        session, project, cast(Annotation.class_id, String), Annotation.verdict == Verdict.CLASS
    )
    by_inside, by_class = inside.by_voter(), classes.by_voter()
    none = _agreement([], {})
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
            )
            for row in await session.execute(_voters(project))
        ],
    )


def _of(project: Project) -> ColumnElement[bool]:
    return and_(Annotation.project_id == project.id, Annotation.source != Source.REVIEW, holds())


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


async def _shared(session: AsyncSession, project: Project) -> int:
    several = (
        select(Annotation.example_id)
        .where(_of(project), Annotation.verdict.in_(_IN_OR_OUT))
        .group_by(Annotation.example_id)
        .having(func.count() > 1)
        .subquery()
    )
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
        [_Pairs(*row) for row in await session.execute(pairs)],
        dict((await session.execute(values)).all()),
    )


def _agreement(pairs: Iterable[_Pairs], values: Mapping[str, int]) -> Agreement:
    """Agreement within ``pairs``, against that of chance by how often each value is given."""
    held = list(pairs)
    count = sum(one.count for one in held)
    if count == 0:
        return Agreement(pairs=0, share=None, alpha=None)
    agreed = sum(one.count for one in held if one.same)
    weight = sum(one.weight for one in held)
    observed = 1 - sum(one.weight for one in held if one.same) / weight
    n = sum(values.values())
    expected = 1 - sum(given * (given - 1) for given in values.values()) / (n * (n - 1))
    # One value alone: they agree, and nothing tells whether that is by chance.
    alpha = 1 - observed / expected if expected > 0 else None
    return Agreement(pairs=count // 2, share=agreed / count, alpha=alpha)
