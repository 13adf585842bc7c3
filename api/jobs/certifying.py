"""What a project needs before anything of it can be certified."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.telling import tell
from core.errors import Conflict
from core.events import Topic
from core.lifecycle import move_certificate
from core.rounds import newest_model
from core.states import CertificateState, ExampleState, JobState, Split
from core.tables import Certificate, Example, Job, Project
from core.webhooks import note_certificate


async def require_certifiable(session: AsyncSession, project: Project, *, dry_run: bool) -> None:
    """Refuse what no certificate could come of; the project must be locked.

    Raises:
        Conflict: ``no_model``, ``nothing_unlabeled``, or ``certificate_open``.
    """
    if (await session.execute(newest_model(project.id))).first() is None:
        raise Conflict(
            "no_model",
            "There is no model yet whose labels could be certified: label the first images, and "
            "close the round.",
        )
    if await unlabeled(session, project.id) == 0:
        raise Conflict(
            "nothing_unlabeled",
            "Every image of the pool has been judged or is being asked about: there is nothing "
            "left for a model to label.",
        )
    if not dry_run:
        await require_none_open(session, project.id)


async def require_none_open(
    session: AsyncSession,
    project_id: int,
    besides: int | None = None,
    *,
    itself: int | None = None,
) -> None:
    """Refuse while a certificate is under way; the project must be locked.

    Args:
        session: The transaction.
        project_id: The project.
        besides: Id of a job whose certificate does not count.
        itself: Id of a certificate that does not.

    Raises:
        Conflict: ``certificate_open``.
    """
    under_way = (
        CertificateState.SCORING,
        CertificateState.ASKING,
        CertificateState.APPLYING,
        CertificateState.REVOKING,
    )
    # A worker will go on with a job that is retried.
    is_retried = exists().where(
        Job.id == Certificate.job_id, Job.state.in_((JobState.QUEUED, JobState.RUNNING))
    )
    other = select(Certificate.id).where(
        Certificate.project_id == project_id,
        or_(
            Certificate.state.in_(under_way),
            and_(Certificate.state == CertificateState.REFUSED, is_retried),
        ),
    )
    if besides is not None:
        # Its job may be gone.
        other = other.where(Certificate.job_id.is_distinct_from(besides))
    if itself is not None:
        other = other.where(Certificate.id != itself)
    if (found := await session.scalar(other.limit(1))) is not None:
        raise Conflict(
            "certificate_open",
            f"Certificate {found} is still being worked on; wait for it, or revoke it first.",
        )


async def require_retriable(session: AsyncSession, project_id: int, job: Job) -> None:
    """Refuse to take up the certificate of a job again; the project must be locked.

    Raises:
        Conflict: ``certificate_open``, of another, or ``certificate_revoked``.
    """
    await require_none_open(session, project_id, besides=job.id)
    revoked = select(Certificate.id).where(
        Certificate.job_id == job.id, Certificate.state == CertificateState.REVOKED
    )
    if (found := await session.scalar(revoked)) is not None:
        raise Conflict(
            "certificate_revoked", f"Certificate {found} was taken back; begin another one."
        )


async def refuse_cancelled(session: AsyncSession, job: Job) -> None:
    """Say of the certificate of a job that was cancelled before it began what became of it."""
    statement = select(Certificate).where(
        Certificate.job_id == job.id, Certificate.state == CertificateState.SCORING
    )
    found = (await session.scalars(statement.with_for_update(key_share=True))).one_or_none()
    if found is None:
        return
    found.refused = "The job was cancelled."
    move_certificate(found, CertificateState.REFUSED)
    note_certificate(found)
    tell(session, found.project_id, Topic.CERTIFICATE, id=found.id, state=found.state)


async def unlabeled(session: AsyncSession, project_id: int) -> int:
    """How many images of the pool nobody has judged, or is being asked about."""
    statement = select(func.count()).where(
        Example.project_id == project_id,
        Example.split == Split.POOL,
        Example.state == ExampleState.UNLABELED,
    )
    return await session.scalar(statement) or 0


async def add_certificate(
    session: AsyncSession, principal: Principal, job: Job, params: Mapping[str, Any]
) -> Certificate:
    """The certificate that a new job is to fill."""
    assert job.project_id is not None
    made = Certificate(
        project_id=job.project_id,
        job_id=job.id,
        state=CertificateState.SCORING,
        settings=dict(params),
        images=await unlabeled(session, job.project_id),
        created_by=principal.id,
    )
    session.add(made)
    await session.flush()
    await session.refresh(made)
    return made
