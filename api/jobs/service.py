from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import managed_project, seen, visible_project
from api.callers.principal import Principal
from api.jobs.certifying import (
    add_certificate,
    refuse_cancelled,
    require_certifiable,
    require_retriable,
)
from api.jobs.devices import without_gpu
from api.jobs.resizing import frame_to_be
from api.jobs.schemas import JobError, JobOut, JobResume, JobStart
from api.jobs.waiting import reasons
from api.judges.asked import judge_to_ask
from api.schemas.field_errors import InvalidFields, field_errors
from api.telling import tell
from api.weights.choice import require_weights
from core.errors import Conflict, Invalid, NotFound
from core.events import Topic
from core.jobs import queue
from core.jobs.params import AdvanceParams
from core.jobs.pauses import FINISH, Pause
from core.lifecycle import move_round, new_job, request_cancel, requeue_job, resume_job
from core.media.nouns import in_words_of, result_in_words_of
from core.rounds import AFTER_OPENING, take_up
from core.settings import Settings
from core.settings.project import Choice, ProjectSettings
from core.states import JobKind, JobState, Medium, ProjectRole, RoundState, Split
from core.tables import Example, Job, Project, Round
from models.catalog import find, is_job, require_served, suited, validate
from models.catalog.faults import InvalidParams
from models.errors import ModelError


async def list_jobs(
    session: AsyncSession,
    principal: Principal,
    *,
    project_id: int | None,
    kind: JobKind | None,
    states: Sequence[JobState],
    cursor: int | None,
    limit: int,
) -> Sequence[Job]:
    """Jobs of the projects whose findings the caller may see, newest first; without parts of jobs.

    What was only looked at is left out, unless it is asked for.
    """
    statement = select(Job).where(Job.parent_id.is_(None)).order_by(Job.id.desc()).limit(limit)
    statement = statement.where(seen(principal, Job.project_id, ProjectRole.REVIEWER))
    if project_id is not None:
        statement = statement.where(Job.project_id == project_id)
    if kind is not None:
        statement = statement.where(Job.kind == kind)
    else:
        passing = [one for one in JobKind if one.is_passing]
        statement = statement.where(Job.kind.not_in(passing))
    if states:
        statement = statement.where(Job.state.in_(states))
    if cursor is not None:
        statement = statement.where(Job.id < cursor)
    return (await session.scalars(statement)).all()


async def shown(session: AsyncSession, settings: Settings, jobs: Sequence[Job]) -> list[JobOut]:
    """Jobs as people see them: one that waits says for what."""
    waits_for = await reasons(session, settings, jobs)
    media = await _media(session, jobs)
    found = [_worded(JobOut.model_validate(job), media.get(job.project_id)) for job in jobs]
    return [one.model_copy(update={"message": waits_for.get(one.id, one.message)}) for one in found]


async def _media(session: AsyncSession, jobs: Sequence[Job]) -> dict[int | None, Medium]:
    """The media of the projects that jobs are of."""
    ids = {job.project_id for job in jobs}
    statement = select(Project.id, Project.medium).where(Project.id.in_(ids))
    return dict((await session.execute(statement)).all())


def _worded(job: JobOut, medium: Medium | None) -> JobOut:
    """A job that says of its project's examples what they are."""
    if medium in (None, Medium.IMAGE):
        return job
    return job.model_copy(
        update={
            "error": job.error
            and JobError(code=job.error.code, detail=in_words_of(medium, job.error.detail)),
            "result": job.result and result_in_words_of(medium, job.result),
        }
    )


async def get_job(
    session: AsyncSession,
    principal: Principal,
    job_id: int,
    *,
    least: ProjectRole = ProjectRole.REVIEWER,
    lock: bool = False,
) -> Job:
    """A job of a project in which the caller is at least ``least``."""
    job = await session.get(Job, job_id)
    if job is None or job.project_id is None:
        raise NotFound("job")
    try:
        await visible_project(session, principal, job.project_id, least=least)
    except NotFound:
        raise NotFound("job") from None
    if lock:
        # Not before it is known that they may: nobody else is to hold up whoever works at it.
        job = await session.get(
            Job, job_id, with_for_update={"key_share": True}, populate_existing=True
        )
        if job is None:
            raise NotFound("job")
    return job


async def start(
    session: AsyncSession, principal: Principal, project: Project, body: JobStart
) -> Job:
    """Queue a job of the catalog for a locked project."""
    params = await _params(session, project, body)
    kind = JobKind(body.kind)
    if kind is JobKind.RESIZE:
        asked = params["input_size"], params["fit"]
        params["input_size"], params["fit"] = await frame_to_be(session, project, *asked)
    else:
        await _require_pool(session, project.id)
    if kind is JobKind.SELECT_INSTRUCTIONS:
        params["judge_id"] = await judge_to_ask(session, params)
    await _require_idle(session, project.id, kind)
    if kind is JobKind.CERTIFY:
        await require_certifiable(session, project, dry_run=body.dry_run)
    job = new_job(
        kind,
        project_id=project.id,
        params=params,
        created_by=principal.id,
        dry_run=body.dry_run,
    )
    session.add(job)
    await session.flush()
    await session.refresh(job)
    if kind is JobKind.CERTIFY and not body.dry_run:
        await add_certificate(session, principal, job, params)
    queue.enqueue(session.info, job)
    await _changed(session, principal, job, "start", params=job.params)
    return job


async def _params(session: AsyncSession, project: Project, body: JobStart) -> dict[str, Any]:
    """Parameters of a job, complete.

    Raises:
        Invalid: ``unknown_job``, ``invalid_params``, ``wrong_medium`` of what does not serve the
            project's examples, or ``unknown_weights`` or ``weights_refused``.
        Conflict: ``not_for_task``, for what does not serve its labels.
    """
    try:
        spec = find("job", body.kind)
    except ModelError as error:
        raise Invalid("unknown_job", str(error), field="kind") from error
    if not spec.serves_task(project.task):
        served = " and ".join(sorted(spec.tasks))
        raise Conflict(
            "not_for_task",
            f"The job {body.kind} serves projects of {served}, and this is one of {project.task}.",
        )
    on_cpu = await without_gpu(session)
    try:
        require_served(spec, project.medium)
    except ModelError as error:
        raise Invalid("wrong_medium", f"{error}.", field="kind") from error
    given = suited(spec, body.params, without_gpu=on_cpu, medium=project.medium)
    try:
        params = validate("job", body.kind, given)
    except InvalidParams as error:
        errors = field_errors(error.faults, "params")
        raise InvalidFields("invalid_params", str(error), errors, field="params") from error
    try:
        require_served(spec, project.medium, params)
    except ModelError as error:
        raise Invalid("wrong_medium", f"{error}.", field="params") from error
    if "network" in params:
        learned_with = Choice(name=params["network"], params=params)
        await require_weights(session, learned_with, "params.weights")
    return params


async def estimate_round(
    session: AsyncSession, principal: Principal, project: Project, settings: ProjectSettings
) -> Job:
    """Queue a dry run of a round of a locked project, with the model of ``settings``."""
    await _require_pool(session, project.id)
    active = select(Job.id).where(
        Job.project_id == project.id,
        Job.kind == JobKind.ADVANCE_ROUND,
        ~Job.is_real(),
        Job.state.in_((JobState.QUEUED, JobState.RUNNING)),
    )
    if (found := await session.scalar(active.limit(1))) is not None:
        raise Conflict(
            "job_active", f"Job {found} measures a round already; wait for it, or cancel it first."
        )
    params = AdvanceParams(closing=None, selecting=None, model=settings.model)
    job = new_job(
        JobKind.ADVANCE_ROUND,
        project_id=project.id,
        params=params.to_json(),
        created_by=principal.id,
        dry_run=True,
    )
    session.add(job)
    await session.flush()
    await session.refresh(job)
    queue.enqueue(session.info, job)
    await _changed(session, principal, job, "start", params=job.params)
    return job


async def _require_pool(session: AsyncSession, project_id: int) -> None:
    pool = select(Example.id).where(Example.project_id == project_id, Example.split == Split.POOL)
    if await session.scalar(pool.limit(1)) is None:
        raise Conflict("no_images", "The pool is empty; import images first.")


async def _require_idle(session: AsyncSession, project_id: int, kind: JobKind) -> None:
    """Refuse a second job of a kind; the project must be locked."""
    statement = select(Job.id, Job.state).where(
        Job.project_id == project_id,
        Job.kind == kind,
        Job.state.in_((JobState.QUEUED, JobState.RUNNING)),
    )
    found = (await session.execute(statement.limit(1))).one_or_none()
    if found is not None:
        raise Conflict(
            "job_active",
            f"Job {found.id} of this kind is {found.state}; wait for it, or cancel it first.",
        )


def _require_whole(job: Job) -> None:
    if job.parent_id is not None:
        raise Conflict(
            "job_is_part",
            f"The job is a part of job {job.parent_id}; cancel or retry that one instead.",
        )


async def cancel(session: AsyncSession, principal: Principal, job_id: int) -> Job:
    """Ask a job to stop. A round whose job is cancelled fails, and can be retried."""
    job = await get_job(session, principal, job_id, least=ProjectRole.MANAGER, lock=True)
    _require_whole(job)
    request_cancel(job)
    is_round = job.kind is JobKind.ADVANCE_ROUND and not job.dry_run
    if job.state is JobState.CANCELLED and is_round:
        for round_ in await _rounds_of(session, job, AdvanceParams.of(job).waits_in):
            if round_.number == AdvanceParams.of(job).numbers[0]:
                move_round(round_, RoundState.FAILED)
    if job.state is JobState.CANCELLED and job.kind is JobKind.CERTIFY:
        await refuse_cancelled(session, job)
    await _changed(session, principal, job, "cancel")
    return job


async def retry(session: AsyncSession, principal: Principal, job_id: int) -> Job:
    """Queue a failed or cancelled job again; finished phases are not repeated.

    A round takes up the algorithms that its project has by now, since what failed may be what was
    chosen; if they are others, all of it is done again that can be. A pool is taken over again by
    those who may take it over now.
    """
    job = await get_job(session, principal, job_id, least=ProjectRole.MANAGER, lock=True)
    _require_whole(job)
    if is_job(job.kind) and job.project_id is not None:
        await managed_project(session, principal, job.project_id, lock=True)
        await _require_idle(session, job.project_id, job.kind)
        if job.kind is JobKind.CERTIFY and not job.dry_run:
            await require_retriable(session, job.project_id, job)
    if job.kind is JobKind.IMPORT_POOL and (source := job.params.get("project")) is not None:
        await managed_project(session, principal, source)
    requeue_job(job)
    if job.kind is JobKind.ADVANCE_ROUND and not job.dry_run:
        await _go_on(session, job)
    queue.enqueue(session.info, job)
    await _changed(session, principal, job, "retry")
    return job


async def _go_on(session: AsyncSession, job: Job) -> None:
    """Have the rounds of a job that is retried wait for it again, as far as they still do.

    One that has opened stays open: what the job does after that is done by the algorithms of now.
    """
    closing = AdvanceParams.of(job).closing
    rounds = await _rounds_of(session, job, *RoundState)
    for round_ in rounds:
        # Another job may have failed to close it since.
        if round_.state is RoundState.FAILED and round_.job_id == job.id:
            again = RoundState.CLOSING if round_.number == closing else RoundState.SELECTING
            move_round(round_, again)
    # The one that is prepared comes last, if any follows the one that closes.
    last, project = rounds[-1], await session.get_one(Project, job.project_id)
    waits = last.state is RoundState.SELECTING or (
        last.state is RoundState.CLOSING and last.number == closing
    )
    if waits and take_up(last, project):
        job.checkpoint = {}
    elif closing is None and last.state is RoundState.OPEN and take_up(last, project):
        took = job.checkpoint.get("seconds", {})
        kept = {name: seconds for name, seconds in took.items() if name not in AFTER_OPENING}
        job.checkpoint = {"seconds": kept}


async def resume(session: AsyncSession, principal: Principal, job_id: int, body: JobResume) -> Job:
    """Have a paused job go on as somebody has decided; nothing that it has is asked for again.

    Raises:
        Conflict: ``job_not_paused``, ``nothing_to_finish_with``, or ``job_active``.
        Invalid: ``cap_too_low``, if that much is spent already.
    """
    job = await get_job(session, principal, job_id, least=ProjectRole.MANAGER, lock=True)
    pause = None if job.pause is None else Pause.load(job.pause)
    if job.state is JobState.PAUSED and job.project_id is not None:
        await managed_project(session, principal, job.project_id, lock=True)
        await _require_idle(session, job.project_id, job.kind)
    resume_job(job)
    assert pause is not None
    if body.finish:
        if not pause.may_finish:
            raise Conflict(
                "nothing_to_finish_with",
                "Nothing is done yet that the job could end with; raise what it may spend, or "
                "cancel it.",
            )
        job.checkpoint = {**job.checkpoint, FINISH: True}
    elif body.spend_at_most is not None:
        if body.spend_at_most <= pause.spent:
            raise Invalid(
                "cap_too_low",
                f"The job has spent {pause.spent:g} already; it needs more than that to go on.",
                field="spend_at_most",
            )
        job.params = {**job.params, "spend_at_most": body.spend_at_most}
    queue.enqueue(session.info, job)
    await _changed(session, principal, job, "resume", **body.model_dump(exclude_defaults=True))
    return job


async def _rounds_of(session: AsyncSession, job: Job, *states: RoundState) -> Sequence[Round]:
    statement = (
        select(Round)
        .where(
            Round.project_id == job.project_id,
            Round.number.in_(AdvanceParams.of(job).numbers),
            Round.state.in_(states),
        )
        .order_by(Round.number)
        .with_for_update(key_share=True)
    )
    return (await session.scalars(statement)).all()


async def _changed(
    session: AsyncSession, principal: Principal, job: Job, verb: str, **detail: Any
) -> None:
    record(
        session, principal, verb, "job", job.id, project_id=job.project_id, kind=job.kind, **detail
    )
    if job.project_id is not None:
        tell(session, job.project_id, Topic.JOB, id=job.id, state=job.state)
