"""Answering the plan of an import: start it as it was chosen, or discard it."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.pools.schemas import ImportStart
from api.pools.service import start_import
from api.pools.uploads import check_annotations, check_columns, check_predictions
from core import events
from core.errors import Conflict, Invalid, NotFound
from core.jobs.imports import PLAN_HOURS, Answer, FolderChoice, ImportParams, answer_plan
from core.lifecycle import request_cancel
from core.states import JobKind, JobState
from core.tables import Job, Project

_ANSWERED = {
    Answer.STARTED: "This import was started already.",
    Answer.DISCARDED: "This import was discarded; send the images again.",
    Answer.EXPIRED: (
        f"Nobody started this import within {PLAN_HOURS} hours, so its upload was removed; send "
        "the images again."
    ),
}


def parse_choices(given: Iterable[str]) -> dict[str, FolderChoice]:
    """Choices as they stand in a query: ``FOLDER=SPLIT``, and of a value of a column too.

    Raises:
        DomainError: ``invalid_folder_split``.
    """
    found = {}
    for text in given:
        name, _, choice = text.rpartition("=")
        if not name.strip() or choice not in {*FolderChoice}:
            raise Invalid(
                "invalid_folder_split",
                f"{text[:100]!r} must be FOLDER=SPLIT, where SPLIT is one of "
                f"{', '.join(FolderChoice)}.",
                field="folder_split",
            )
        found[name] = FolderChoice(choice)
    return found


async def start(
    session: AsyncSession, principal: Principal, project: Project, job_id: int, chosen: ImportStart
) -> Job:
    """Start the import that a plan was made of, from the same upload; or plan it anew.

    Raises:
        DomainError: ``plan_not_ready``, ``plan_started``, ``plan_discarded``, ``plan_expired``,
            ``wrong_medium``, ``invalid_annotation_column`` or ``invalid_predictions``.
    """
    plan = await _plan(session, project.id, job_id)
    # A plan that has failed may have been told of a column that there is not.
    is_anew = chosen.dry_run and plan.state is JobState.FAILED
    if plan.state is not JobState.SUCCEEDED and not is_anew:
        raise Conflict(
            "plan_not_ready",
            f"The plan is {plan.state}; only one that succeeded can be started. One that failed "
            "can be made anew, with dry_run and other columns.",
        )
    before = ImportParams.of(plan)
    split = chosen.split or before.split
    annotations = before.annotations
    if chosen.annotation_columns is not None:
        annotations = list(dict.fromkeys(chosen.annotation_columns))
    # The split that was chosen may be another than the one the plan was made for.
    check_annotations(before.filename, annotations, split, project.medium)
    check_columns(chosen.columns(), project.medium)
    columns = {**before.columns, **chosen.columns()}
    predictions = before.predictions if chosen.predictions is None else chosen.predictions or None
    if predictions is None:
        columns.pop("probability", None)
    check_predictions(predictions, columns, annotations, project.task)
    params = before.model_copy(
        update={
            "split": split,
            "annotations": annotations,
            "columns": columns,
            "predictions": predictions,
            "folder_split": {**before.folder_split, **chosen.folder_split},
            "count_from": before.count_from if chosen.count_from is None else chosen.count_from,
            "plan": plan.id,
        }
    )
    answer_plan(plan, Answer.STARTED)
    return await start_import(session, principal, project.id, params, dry_run=chosen.dry_run)


async def discard(
    session: AsyncSession, principal: Principal, project_id: int, job_id: int
) -> str | None:
    """Forget a plan.

    Returns:
        The upload that was sent for it, if there is one, to be removed after the commit.

    Raises:
        DomainError: ``plan_started``, ``plan_discarded`` or ``plan_expired``.
    """
    plan = await _plan(session, project_id, job_id)
    if plan.state in (JobState.QUEUED, JobState.RUNNING):
        request_cancel(plan)
    answer_plan(plan, Answer.DISCARDED)
    record(session, principal, "discard", "import", plan.id, project_id=project_id)
    data: dict[str, Any] = {"id": plan.id, "state": plan.state}
    await session.execute(events.notify(project_id, events.Topic.JOB, data))
    return ImportParams.of(plan).upload


async def _plan(session: AsyncSession, project_id: int, job_id: int) -> Job:
    """A plan that waits for its answer, locked."""
    job = await session.get(Job, job_id, with_for_update={"key_share": True})
    is_plan = job is not None and job.kind is JobKind.IMPORT_POOL and job.dry_run
    if job is None or not is_plan or job.project_id != project_id:
        raise NotFound("plan of an import")
    answer = ImportParams.of(job).answer
    if answer is not None:
        raise Conflict(f"plan_{answer}", _ANSWERED[answer])
    return job
