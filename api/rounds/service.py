from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.jobs import service as jobs
from api.principal import Principal
from api.rounds.schemas import Answered, RoundOut
from core import events, queue
from core.consensus import holds
from core.errors import Conflict, NotFound
from core.rounds import close as close_round
from core.states import RoundState, Source, Verdict
from core.tables import Annotation, Project, Round


async def list_rounds(
    session: AsyncSession, project: Project, number: int | None = None
) -> list[RoundOut]:
    statement = select(Round).where(Round.project_id == project.id).order_by(Round.number)
    if number is not None:
        statement = statement.where(Round.number == number)
    rounds = (await session.scalars(statement)).all()
    answered = await _answered(session, [round_.id for round_ in rounds])
    return [_describe(round_, answered[round_.id]) for round_ in rounds]


async def show_round(session: AsyncSession, project: Project, number: int) -> RoundOut:
    found = await list_rounds(session, project, number)
    if not found:
        raise NotFound("round")
    return found[0]


async def _answered(
    session: AsyncSession, round_ids: Sequence[int]
) -> dict[int, dict[Verdict, int]]:
    statement = (
        select(Annotation.round_id, Annotation.verdict, func.count())
        .where(
            Annotation.round_id.in_(round_ids),
            # A review stays in the round of what it reviews, and answers none of its queries.
            Annotation.source == Source.ANNOTATOR,
            holds(),
        )
        .group_by(Annotation.round_id, Annotation.verdict)
    )
    found = {round_id: dict.fromkeys(Verdict, 0) for round_id in round_ids}
    for round_id, verdict, count in await session.execute(statement):
        assert round_id is not None
        found[round_id][verdict] = count
    return found


def _describe(round_: Round, answered: dict[Verdict, int]) -> RoundOut:
    inside, outside = answered[Verdict.CLASS], answered[Verdict.OOD]
    return RoundOut(
        number=round_.number,
        state=round_.state,
        strategy=round_.strategy,
        budget=round_.budget,
        spent=round_.spent,
        seed=round_.seed,
        queries=round_.queries,
        answered=Answered(
            class_=inside,
            ood=outside,
            skip=answered[Verdict.SKIP],
            unsure=answered[Verdict.UNSURE],
        ),
        in_share=inside / (inside + outside) if inside + outside else None,
        accuracy=round_.accuracy,
        metrics=round_.metrics,
        notes=round_.notes,
        seconds=round_.seconds,
        opened_at=round_.opened_at,
        closing_at=round_.closing_at,
        closed_at=round_.closed_at,
        job_id=round_.job_id,
    )


async def _locked(session: AsyncSession, project: Project, number: int) -> Round:
    statement = (
        select(Round)
        .where(Round.project_id == project.id, Round.number == number)
        .with_for_update(key_share=True)
    )
    round_ = (await session.scalars(statement)).one_or_none()
    if round_ is None:
        raise NotFound("round")
    return round_


async def close(
    session: AsyncSession, principal: Principal, project: Project, number: int
) -> RoundOut:
    """Close an open round before its budget is spent."""
    round_ = await _locked(session, project, number)
    following = select(Round).where(
        Round.project_id == project.id, Round.number == round_.number + 1
    )
    made, job = close_round(project, round_, (await session.scalars(following)).one_or_none())
    session.add_all(made)
    await session.flush()
    round_.job_id = job.id
    queue.enqueue(session.info, job)
    record(session, principal, "close", "round", round_.id, project_id=project.id, number=number)
    await session.execute(
        events.notify(project.id, "round", {"number": number, "state": round_.state})
    )
    return await show_round(session, project, number)


async def retry(
    session: AsyncSession, principal: Principal, project: Project, number: int
) -> RoundOut:
    """Run the failed job of a round again."""
    # Not locked here: whoever holds a job and a round has locked the job first.
    statement = select(Round).where(Round.project_id == project.id, Round.number == number)
    round_ = (await session.scalars(statement)).one_or_none()
    if round_ is None:
        raise NotFound("round")
    if round_.state is not RoundState.FAILED or round_.job_id is None:
        raise Conflict(f"round_{round_.state}", f"The round is {round_.state}, not failed.")
    await jobs.retry(session, principal, round_.job_id)
    return await show_round(session, project, number)
