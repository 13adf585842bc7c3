"""A new project from the labels of another: the same pool, and another task."""

from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.projects.queries import classes
from api.projects.schemas import ClassIn, ProjectCreate
from api.telling import tell
from core.errors import Conflict, Invalid
from core.events import Topic
from core.jobs import queue
from core.jobs.imports import ImportParams
from core.lifecycle import new_job
from core.states import JobKind
from core.tables import Project
from core.tasks.registry import task_type


async def taken_over(session: AsyncSession, source: Project, body: ProjectCreate) -> ProjectCreate:
    """What is asked for, with classes and guidelines of ``source`` where it says none.

    Raises:
        Invalid: ``not_for_medium``: the examples are of another medium.
        Conflict: ``same_task``: labels of the same type come by an export and an import.
    """
    if body.medium is not source.medium:
        raise Invalid(
            "not_for_medium",
            f"The project {source.name} holds other examples; say medium {source.medium}.",
            field="medium",
        )
    if body.task == source.task:
        raise Conflict(
            "same_task",
            f"Labels of {source.name} are of the type {source.task} already. Choose another task, "
            "or export them and import them here.",
            field="task",
        )
    if task_type(body.task).of_groups:
        raise Invalid(
            "needs_fields",
            "The texts of another project have no instruction and no response apart; import the "
            "rows from their file.",
            field="from_project",
        )
    given = [
        ClassIn(name=one.name, colour=one.colour, hotkey=one.hotkey, guide=one.guide)
        for one in await classes(session, source.id)
    ]
    return body.model_copy(
        update={
            "classes": body.classes or given,
            "guidelines": body.guidelines or source.guidelines,
        }
    )


async def take_over(
    session: AsyncSession, principal: Principal, source: Project, project: Project
) -> None:
    """Have the pool of ``source`` imported."""
    await session.flush()
    params = ImportParams(filename=source.name, project=source.id)
    job = new_job(
        JobKind.IMPORT_POOL,
        project_id=project.id,
        params=params.to_json(),
        created_by=principal.id,
    )
    session.add(job)
    await session.flush()
    queue.enqueue(session.info, job)
    record(
        session, principal, "import", "pool", job.id, project_id=project.id, filename=source.name
    )
    tell(session, project.id, Topic.JOB, id=job.id, state=job.state)
