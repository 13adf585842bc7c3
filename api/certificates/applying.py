"""Having a certificate applied or taken back: workers do it, a part at a time."""

from collections.abc import Mapping
from typing import Final

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
from core.webhooks import note_certificate

# Why a certificate is neither applied nor taken back, and what to do.
_NOT_NOW: Final[Mapping[CertificateState, str]] = {
    CertificateState.SCORING: "The certificate is being prepared; apply it when its checks are "
    "answered.",
    CertificateState.ASKING: "Checks of the certificate are still to be answered; apply it then.",
    CertificateState.APPLYING: "The certificate is being applied already.",
    CertificateState.APPLIED: "The certificate has been applied already; its labels can be taken "
    "back.",
    CertificateState.REVOKING: "The certificate is being taken back already.",
    CertificateState.REVOKED: "The certificate was taken back already; begin another one.",
    CertificateState.REFUSED: "The certificate was not possible: it labels nothing, and there is "
    "nothing to take back. Begin another one, or retry its job if that has failed.",
}


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
    _move(certificate, CertificateState.APPLYING)
    # What the other draws from is what nobody has labeled, and no model either.
    await require_none_open(session, project.id, itself=certificate.id)
    await _require_file(session, storage, certificate)
    await _require_classes(session, project, certificate)
    await _hand_over(session, principal, project, certificate, "apply")


async def revoke(
    session: AsyncSession, principal: Principal, project: Project, certificate: Certificate
) -> None:
    """Have its labels taken back, or what people were still to be asked for it.

    Raises:
        Conflict: ``certificate_<state>``.
    """
    if certificate.state is CertificateState.SCORING:
        _move(certificate, CertificateState.REVOKED)
        await _stop(session, principal, certificate)
    elif certificate.state is CertificateState.READY:
        _move(certificate, CertificateState.REVOKED)
    else:
        _move(certificate, CertificateState.REVOKING)
    await _hand_over(session, principal, project, certificate, "revoke")


def _move(certificate: Certificate, state: CertificateState) -> None:
    now = certificate.state
    try:
        move_certificate(certificate, state)
    except Conflict as error:
        raise Conflict(error.code, _NOT_NOW[now]) from error


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
    else:
        note_certificate(certificate)
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
