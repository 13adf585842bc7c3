from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import seen
from api.callers.principal import Principal
from api.telling import tell
from core.errors import NotFound
from core.events import Topic
from core.jobs import queue
from core.jobs.imports import ImportParams
from core.lifecycle import new_job
from core.media.originals import ORIGINAL, Original
from core.states import ArtifactKind, JobKind
from core.tables import Artifact, Example, ExampleText, Job, Project
from core.withdrawals import is_kept


async def start_import(
    session: AsyncSession,
    principal: Principal,
    project_id: int,
    params: ImportParams,
    *,
    dry_run: bool,
) -> Job:
    """Queue an import: of an upload that is on disk, or of what lies in a bucket.

    Args:
        session: Of the request.
        principal: Who imports.
        project_id: The project.
        params: What is imported, and how.
        dry_run: Whether it is only planned.
    """
    job = new_job(
        JobKind.IMPORT_POOL,
        project_id=project_id,
        params=params.to_json(),
        created_by=principal.id,
        dry_run=dry_run,
    )
    session.add(job)
    await session.flush()
    await session.refresh(job)
    queue.enqueue(session.info, job)
    record(
        session,
        principal,
        "plan_import" if job.dry_run else "import",
        "pool",
        job.id,
        project_id=project_id,
        filename=params.filename,
    )
    tell(session, project_id, Topic.JOB, id=job.id, state=job.state)
    return job


async def list_imports(
    session: AsyncSession, project: Project, *, cursor: int | None, limit: int
) -> tuple[list[Job], int | None]:
    """The newest imports below ``cursor``, and where the next page begins.

    Plans that wait come with the first page, however old: nobody answers what they are not shown.
    """
    of_project = select(Job).where(Job.project_id == project.id, Job.kind == JobKind.IMPORT_POOL)
    imports = of_project.where(Job.is_real()).order_by(Job.id.desc()).limit(limit)
    if cursor is not None:
        imports = imports.where(Job.id < cursor)
    found = list((await session.scalars(imports)).all())
    following = found[-1].id if len(found) == limit else None
    if cursor is None:
        plans = of_project.where(~Job.is_real(), ImportParams.column("answer").is_(None))
        found += await session.scalars(plans)
        found.sort(key=lambda job: job.id, reverse=True)
    return found, following


async def import_report(session: AsyncSession, project_id: int, job_id: int) -> Artifact:
    statement = select(Artifact).where(
        Artifact.project_id == project_id,
        Artifact.job_id == job_id,
        Artifact.kind == ArtifactKind.IMPORT_REPORT,
    )
    artifact = (await session.scalars(statement)).one_or_none()
    if artifact is None:
        raise NotFound("import report")
    return artifact


async def image(session: AsyncSession, principal: Principal | None, example_id: int) -> Original:
    """An image that the caller may see; any image, if whoever calls has a link to it."""
    statement = select(*ORIGINAL, Example.as_is).where(Example.id == example_id, is_kept())
    if principal is not None:
        statement = statement.where(seen(principal, Example.project_id))
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        raise NotFound("image")
    return replace(Original.of(row), as_is=row.as_is)


async def text_of(session: AsyncSession, example_id: int) -> str:
    """All of a text."""
    statement = select(ExampleText.content).where(ExampleText.example_id == example_id)
    content = await session.scalar(statement)
    if content is None:
        raise NotFound("text")
    return content


async def project_of(session: AsyncSession, example_id: int) -> int:
    """The project that an image belongs to."""
    of = select(Example.project_id).where(Example.id == example_id, is_kept())
    found = await session.scalar(of)
    if found is None:
        raise NotFound("image")
    return found
