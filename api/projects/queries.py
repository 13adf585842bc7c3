from collections.abc import Iterable, Sequence

from sqlalchemy import Select, exists, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from api.principal import Principal
from api.projects.schemas import Counts
from core.states import ExampleState, Role, RoundState, Split
from core.tables import Example, Member, Project, ProjectClass, Round

_FIELD = {
    ExampleState.UNLABELED: "unlabeled",
    ExampleState.QUERIED: "queried",
    ExampleState.LABELED: "labeled_in",
    ExampleState.OOD: "labeled_ood",
    ExampleState.UNSURE: "unsure",
}


def visible(principal: Principal) -> Select[Project]:
    statement = select(Project).order_by(Project.id.desc())
    if principal.role is Role.ADMIN:
        return statement
    return statement.where(
        exists().where(Member.project_id == Project.id, Member.user_id == principal.id)
    )


async def counts(session: AsyncSession, project_ids: Iterable[int]) -> dict[int, Counts]:
    """Examples of each project by split and state, from the index alone."""
    found = {project_id: dict.fromkeys(Counts.model_fields, 0) for project_id in project_ids}
    statement = (
        select(Example.project_id, Example.split, Example.state, func.count())
        .where(Example.project_id.in_(found))
        .group_by(Example.project_id, Example.split, Example.state)
    )
    for project_id, split, state, count in await session.execute(statement):
        fields = found[project_id]
        if state is ExampleState.HELD_OUT:
            fields["held_out"] += count
        elif split is Split.POOL:
            fields["pool"] += count
            fields[_FIELD[state]] += count
        else:
            fields[split.value] += count
    return {project_id: Counts(**fields) for project_id, fields in found.items()}


async def current_rounds(session: AsyncSession, project_ids: Iterable[int]) -> dict[int, Round]:
    """The oldest round of each project that is not closed."""
    statement = (
        select(Round)
        .where(Round.project_id.in_(list(project_ids)), Round.state != RoundState.CLOSED)
        .order_by(Round.project_id, Round.number)
        .ext(distinct_on(Round.project_id))
    )
    return {round_.project_id: round_ for round_ in await session.scalars(statement)}


async def classes(session: AsyncSession, project_id: int) -> Sequence[ProjectClass]:
    statement = (
        select(ProjectClass)
        .where(ProjectClass.project_id == project_id)
        .order_by(ProjectClass.position)
    )
    return (await session.scalars(statement)).all()
