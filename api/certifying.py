"""What a project needs before anything of it can be certified."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.principal import Principal
from core.errors import Conflict
from core.rounds import newest_model
from core.states import CertificateState, ExampleState, Split
from core.tables import Certificate, Example, Job, Project


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
    if dry_run:
        return
    under_way = (CertificateState.SCORING, CertificateState.ASKING)
    other = select(Certificate.id).where(
        Certificate.project_id == project.id, Certificate.state.in_(under_way)
    )
    if (found := await session.scalar(other.limit(1))) is not None:
        raise Conflict(
            "certificate_open",
            f"Certificate {found} is still being worked on; wait for it, or revoke it first.",
        )


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
