from collections.abc import Sequence

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.principal import Principal
from core import events, queue
from core.errors import NotFound
from core.lifecycle import new_job
from core.states import ArtifactKind, JobKind, Role, Split
from core.tables import Artifact, Example, Job, Member, Project


async def start_import(
    session: AsyncSession,
    principal: Principal,
    project_id: int,
    *,
    upload: str,
    filename: str,
    split: Split,
    columns: dict[str, str],
    annotations: list[str],
) -> Job:
    """Queue the import of an upload that is on disk."""
    job = new_job(
        JobKind.IMPORT_POOL,
        project_id=project_id,
        params={
            "upload": upload,
            "filename": filename,
            "split": split.value,
            "columns": columns,
            "annotations": annotations,
        },
        created_by=principal.id,
    )
    session.add(job)
    await session.flush()
    await session.refresh(job)
    queue.enqueue(session.info, job)
    record(session, principal, "import", "pool", job.id, project_id=project_id, filename=filename)
    await session.execute(events.notify(project_id, "job", {"id": job.id, "state": job.state}))
    return job


async def list_imports(session: AsyncSession, project: Project) -> Sequence[Job]:
    statement = (
        select(Job)
        .where(Job.project_id == project.id, Job.kind == JobKind.IMPORT_POOL)
        .order_by(Job.id.desc())
        .limit(100)
    )
    return (await session.scalars(statement)).all()


async def import_report(session: AsyncSession, project: Project, job_id: int) -> Artifact:
    statement = select(Artifact).where(
        Artifact.project_id == project.id,
        Artifact.job_id == job_id,
        Artifact.kind == ArtifactKind.IMPORT_REPORT,
    )
    artifact = (await session.scalars(statement)).one_or_none()
    if artifact is None:
        raise NotFound("import report")
    return artifact


async def image(session: AsyncSession, principal: Principal, example_id: int) -> tuple[bytes, str]:
    """Content hash and media type of an image that the caller may see."""
    statement = select(Example.content_hash, Example.media_type).where(Example.id == example_id)
    if principal.role is not Role.ADMIN:
        statement = statement.where(
            exists().where(Member.project_id == Example.project_id, Member.user_id == principal.id)
        )
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        raise NotFound("image")
    return row
