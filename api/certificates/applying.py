"""Having a certificate applied or taken back: workers do it, a part at a time."""

from anyio import to_thread
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.certificates.service import lots_of
from api.jobs.certifying import require_none_open
from api.jobs.service import cancel
from api.transfers.files import artifact_file
from core.artifacts.certificates import OTHER_CLASSES, changed_classes, members_file
from core.errors import Conflict
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import GoOnCertifying
from core.lifecycle import move_certificate
from core.states import CertificateState, JobState, LotState
from core.tables import Certificate, Job, Project, ProjectClass


async def apply(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    certificate: Certificate,
) -> None:
    """Have what is in the passed lots labeled; the certificate and its project are locked.

    Raises:
        Conflict: ``certificate_<state>``, ``certificate_open``, ``class_gone``, ``class_added``, or
            ``certificate_file_missing``.
    """
    move_certificate(certificate, CertificateState.APPLYING)
    # What the other draws from is what nobody has labeled, and no model either.
    await require_none_open(session, project.id, itself=certificate.id)
    await _require_file(session, storage, certificate)
    await _require_classes(session, project, certificate)
    await _hand_over(session, principal, project, certificate, "apply")


async def revoke(
    session: AsyncSession, principal: Principal, project: Project, certificate: Certificate
) -> None:
    """Have its labels taken back, or what people were still to be asked for it."""
    if certificate.state is CertificateState.SCORING:
        move_certificate(certificate, CertificateState.REVOKED)
        await _stop(session, principal, certificate)
    elif certificate.state is CertificateState.READY:
        move_certificate(certificate, CertificateState.REVOKED)
    else:
        move_certificate(certificate, CertificateState.REVOKING)
    await _hand_over(session, principal, project, certificate, "revoke")


async def _hand_over(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    certificate: Certificate,
    verb: str,
) -> None:
    record(session, principal, verb, "certificate", certificate.id, project_id=project.id)
    if certificate.state is not CertificateState.REVOKED:
        queue.remember(session.info, GoOnCertifying(answered_in=project.id))
    await session.flush()


async def _require_file(session: AsyncSession, storage: Storage, certificate: Certificate) -> None:
    artifact = (await session.scalars(members_file(certificate.id))).one()
    path = await artifact_file(storage, artifact.storage_key)
    if not await to_thread.run_sync(path.exists):
        raise Conflict(
            "certificate_file_missing",
            f"The file of certificate {certificate.id} is not in the data directory; restore it "
            "from a backup, or certify again.",
        )


async def _require_classes(
    session: AsyncSession, project: Project, certificate: Certificate
) -> None:
    lots = await lots_of(session, certificate.id)
    wanted = {lot.class_id for lot in lots if lot.state is LotState.PASSED}
    of = select(ProjectClass.id).where(ProjectClass.project_id == project.id)
    why = changed_classes(certificate.result, wanted, set(await session.scalars(of)))
    if why is not None:
        raise Conflict(why, OTHER_CLASSES[why])


async def _stop(session: AsyncSession, principal: Principal, certificate: Certificate) -> None:
    """Stop the job that scores."""
    job = await session.get(Job, certificate.job_id) if certificate.job_id else None
    if job is not None and job.state in {JobState.QUEUED, JobState.RUNNING}:
        await cancel(session, principal, job.id)
