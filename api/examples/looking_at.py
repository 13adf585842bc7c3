"""Where on an image the model of the last round sees a class."""

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.jobs.schemas import JobOut
from core.errors import Conflict, Invalid, NotFound
from core.jobs import queue
from core.jobs.params import LookAtParams
from core.lifecycle import new_job
from core.states import ArtifactKind, JobKind, Medium
from core.tables import Artifact, Example, Project, ProjectClass
from core.tasks.registry import task_type


async def start(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    example_id: int,
    class_id: int | None,
) -> JobOut:
    """Queue the job that makes the map.

    Raises:
        Conflict: ``no_model`` before the first round has trained one, or ``not_for_task`` where
            models do not tell classes.
        Invalid: ``wrong_medium`` of texts, or ``unknown_class``.
        NotFound: There is no such image in the project.
    """
    example = await session.get(Example, example_id)
    if example is None or example.project_id != project.id or example.split is None:
        raise NotFound("example")
    if project.medium is not Medium.IMAGE:
        raise Invalid("wrong_medium", "A text has no places to look at; ask of a pool of images.")
    if not task_type(project.task).names_one_class:
        raise Conflict(
            "not_for_task",
            f"A model of {project.task} says itself where things are; maps are of models that tell "
            "classes.",
        )
    if class_id is not None:
        known = await session.get(ProjectClass, class_id)
        if known is None or known.project_id != project.id:
            raise Invalid(
                "unknown_class", "The project has no such class; reload it.", field="class_id"
            )
    trained = exists().where(
        Artifact.project_id == project.id,
        Artifact.kind == ArtifactKind.CHECKPOINT,
        Artifact.round_id.is_not(None),
    )
    if not await session.scalar(select(trained)):
        raise Conflict("no_model", "No round has trained a model yet; finish the first one.")
    params = LookAtParams(example_id=example_id, class_id=class_id)
    job = new_job(
        JobKind.LOOK_AT,
        project_id=project.id,
        params=params.to_json(),
        created_by=principal.id,
    )
    session.add(job)
    await session.flush()
    await session.refresh(job)
    queue.enqueue(session.info, job)
    return JobOut.model_validate(job)
