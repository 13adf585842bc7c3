from typing import Annotated

from fastapi import APIRouter, Query

from api.callers.access import LockedProject, ReviewedProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep
from api.jobs.schemas import JobOut
from api.projects import queries
from api.rounds import finding, outlook, service
from api.rounds.schemas import Comparable, OutlookOut, RoundEstimate, RoundOut
from api.schemas.pagination import Items
from api.schemas.parameters import RoundNumber
from core.settings.project import ProjectSettings

router = APIRouter(prefix="/projects/{project_id}/rounds", tags=["rounds"])
project_router = APIRouter(prefix="/projects/{project_id}", tags=["rounds"])

LeastGain = Annotated[
    float,
    Query(
        gt=0,
        lt=1,
        description="The rise of accuracy that is worth a hundred verdicts, or a longer round.",
    ),
]


@router.get("")
async def list_rounds(session: SessionDep, project: ReviewedProject) -> Items[RoundOut]:
    return Items(items=await service.list_rounds(session, project))


@router.post("/estimate", status_code=202)
async def estimate_round(
    session: SessionDep, user: CurrentUser, project: LockedProject, body: RoundEstimate
) -> JobOut:
    """Measure what a round would take on this machine, before its model is chosen.

    The result of the job has an `estimate`, as a dry run of any job: seconds of the phases `embed`
    (images that have no embedding yet, once), `train` and `score` (in every round).
    """
    return await service.estimate(session, user, project, body)


@router.get("/{number}")
async def show_round(
    session: SessionDep, project: ReviewedProject, number: RoundNumber
) -> RoundOut:
    return await service.show_round(session, project, number)


@router.post("/{number}/close")
async def close_round(
    session: SessionDep, user: CurrentUser, project: LockedProject, number: RoundNumber
) -> RoundOut:
    return await service.close(session, user, project, number)


@router.post("/{number}/retry")
async def retry_round(
    session: SessionDep, user: CurrentUser, project: LockedProject, number: RoundNumber
) -> RoundOut:
    return await service.retry(session, user, project, number)


@project_router.get("/outlook")
async def show_outlook(
    session: SessionDep, project: ReviewedProject, least_gain: LeastGain = outlook.LEAST_GAIN
) -> OutlookOut:
    """Whether another round is expected to pay, with the reasons, by what the project is after."""
    rounds = await service.list_rounds(session, project)
    if ProjectSettings.model_validate(project.settings).goal == "find_all":
        counts = (await queries.counts(session, [project.id]))[project.id]
        return finding.outlook(
            rounds,
            counts.labeled_in - counts.no_objects,
            least_gain,
            unlabeled=counts.unlabeled + counts.queried,
            since=await service.found_since(session, project),
        )
    return outlook.outlook(rounds, least_gain, await service.repeated_labels(session, project))


@project_router.get("/comparable")
async def list_comparable(
    session: SessionDep, user: CurrentUser, project: ReviewedProject
) -> Items[Comparable]:
    """Projects with the same classes, whose curves can be drawn beside this one's."""
    return Items(items=await service.comparable(session, user, project))
