from typing import Annotated

from fastapi import APIRouter, Depends
from sqlalchemy import select

from api.callers.access import LockedProject, ManagedId, ReviewedProject
from api.callers.principal import CurrentUser
from api.certificates import applying, reports, service
from api.certificates.schemas import (
    CertificateDetail,
    CertificateIn,
    CertificateOut,
    CertificateReport,
)
from api.deps import Room, SessionDep, StorageDep
from api.schemas.pagination import Cursor, Limit, Page
from api.schemas.parameters import PathId
from core.tables import Certificate, Job

router = APIRouter(prefix="/projects/{project_id}/certificates", tags=["certificates"])


async def _seen(
    session: SessionDep, project: ReviewedProject, certificate_id: PathId
) -> Certificate:
    return await service.find(session, project.id, certificate_id)


async def _locked(
    session: SessionDep, project: LockedProject, certificate_id: PathId
) -> Certificate:
    return await service.find(session, project.id, certificate_id, lock=True)


async def _hold_job(session: SessionDep, project_id: ManagedId, certificate_id: PathId) -> None:
    """Lock the job first, as a worker does that fills the certificate."""
    of = select(Certificate.job_id).where(
        Certificate.id == certificate_id, Certificate.project_id == project_id
    )
    held = select(Job.id).where(Job.id == of.scalar_subquery())
    await session.execute(held.with_for_update(key_share=True))


Seen = Annotated[Certificate, Depends(_seen, scope="function")]
Locked = Annotated[Certificate, Depends(_locked, scope="function")]


@router.post("", status_code=202, dependencies=[Room])
async def begin_certificate(
    session: SessionDep, user: CurrentUser, project: LockedProject, body: CertificateIn
) -> CertificateOut:
    """Begin to certify: a job scores what nobody has judged, and people are asked about some of it.

    One at a time in a project. Nothing is labeled before it is applied.
    """
    made = await service.begin(session, user, project, body)
    return await service.described(session, made)


@router.get("")
async def list_certificates(
    session: SessionDep, project: ReviewedProject, cursor: Cursor = None, limit: Limit = 50
) -> Page[CertificateOut]:
    """Certificates of a project, the newest first."""
    found = await service.listed(session, project.id, cursor, limit)
    return Page(
        items=await service.all_described(session, project.id, found),
        next_cursor=found[-1].id if len(found) == limit else None,
    )


@router.get("/{certificate_id}")
async def show_certificate(session: SessionDep, certificate: Seen) -> CertificateDetail:
    """A certificate with its lots."""
    return await service.detailed(session, certificate)


@router.post("/{certificate_id}/apply", status_code=202, dependencies=[Room])
async def apply_certificate(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    certificate: Locked,
) -> CertificateOut:
    """Label what is in the lots that have passed, as the model takes it.

    Only what nobody has judged since, and that waits in no queue. Any person's verdict stands above
    these labels, and `revoke` takes them back. Workers do it, while `state` is `applying`; if what
    was promised does not hold any more of what is left, it ends as `refused`.
    """
    await applying.apply(session, user, project, storage, certificate)
    return await service.described(session, certificate)


@router.post(
    "/{certificate_id}/revoke",
    status_code=202,
    dependencies=[Depends(_hold_job, scope="function")],
)
async def revoke_certificate(
    session: SessionDep, user: CurrentUser, project: LockedProject, certificate: Locked
) -> CertificateOut:
    """Take back all labels of a certificate, or stop asking for it; what people said stays.

    Workers do it, while `state` is `revoking`.
    """
    await applying.revoke(session, user, project, certificate)
    return await service.described(session, certificate)


@router.get("/{certificate_id}/report")
async def report_certificate(
    session: SessionDep, project: ReviewedProject, certificate: Seen
) -> CertificateReport:
    """What is promised, what it rests on, and of which model, data and settings."""
    return await reports.report(session, project, certificate)
