"""A certificate to hand on: what it rests on, and what is assumed."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.certificates.schemas import (
    Assumption,
    CertificateDetail,
    CertificateLot,
    CertificateReport,
    ClassReport,
    LookedAt,
)
from api.certificates.service import LABELED, PROMISING_NOTHING, detailed
from core.states import ExampleState, LotState, Split
from core.tables import Certificate, Example, Project, ProjectClass
from core.verdicts.consensus import by_people

_JUDGED = (ExampleState.LABELED, ExampleState.OOD, ExampleState.UNSURE)


async def report(
    session: AsyncSession, project: Project, certificate: Certificate
) -> CertificateReport:
    """The report on a certificate, as things are now."""
    found = await detailed(session, certificate)
    pool = (
        Example.project_id == project.id,
        Example.split == Split.POOL,
        Example.state != ExampleState.HELD_OUT,
    )
    images = await session.scalar(select(func.count()).where(*pool)) or 0
    judged = (
        select(Example.state, Example.label_class_id, func.count())
        .where(*pool, Example.state.in_(_JUDGED), by_people(Example.id))
        .group_by(Example.state, Example.label_class_id)
    )
    by_class: dict[int | None, int] = {}
    people = 0
    for state, class_id, count in await session.execute(judged):
        people += count
        if state is not ExampleState.UNSURE:
            by_class[class_id] = by_class.get(class_id, 0) + count
    model = certificate.model or {}
    return CertificateReport(
        project_id=project.id,
        project=project.name,
        certificate=found,
        looked_at=LookedAt(
            images=images,
            people=people,
            learned_from=model.get("learned_from", 0),
            drawn=found.answered + len(certificate.result.get("first", [])),
        ),
        not_looked_at=images - people,
        per_class=await _per_class(session, project, found, by_class),
        assumptions=_assumptions(found, has_earlier=bool(certificate.result.get("first"))),
        versions=_known(karat=certificate.result.get("karat"), model=model.get("version")),
        digests=_known(
            model=model.get("digest"),
            data=certificate.data_digest,
            settings=certificate.settings_digest,
        ),
        made_at=datetime.now(UTC),
    )


def _known(**prints: str | None) -> dict[str, str]:
    """What is known of ``prints``: of certificates of earlier versions not all is."""
    return {name: one for name, one in prints.items() if one}


async def _per_class(
    session: AsyncSession,
    project: Project,
    found: CertificateDetail,
    people: dict[int | None, int],
) -> list[ClassReport]:
    statement = (
        select(ProjectClass.id, ProjectClass.name)
        .where(ProjectClass.project_id == project.id)
        .order_by(ProjectClass.position)
    )
    names: list[tuple[int | None, str | None]] = [
        *((id_, name) for id_, name in await session.execute(statement)),
        (None, None),
    ]
    rows = []
    for class_id, name in names:
        lots = [
            lot
            for lot in found.lots_of
            if lot.class_id == class_id and lot.state is LotState.PASSED and lot.bound is not None
        ]
        rows.append(
            ClassReport(
                class_id=class_id,
                name=name,
                people=people.get(class_id, 0),
                model=sum(_given(found, lot) for lot in lots),
                bound=_bound(found, class_id, lots)
                if found.state not in PROMISING_NOTHING
                else None,
            )
        )
    return rows


def _given(found: CertificateDetail, lot: CertificateLot) -> int:
    """How many images of a lot the model has labeled, or would."""
    if found.state in PROMISING_NOTHING:
        return 0
    return lot.labeled if found.state in LABELED else lot.size - lot.drawn


def _bound(
    found: CertificateDetail, class_id: int | None, passed: Sequence[CertificateLot]
) -> float | None:
    """What was promised of a class by itself, if it was: OOD always is, classes where asked for."""
    if class_id is None:
        return None if found.missed_bound is None else found.missed_bound.share
    # What is promised of a class is promised of all its lots together.
    return passed[0].bound if found.scope == "class" and passed else None


def _assumptions(found: CertificateDetail, *, has_earlier: bool) -> list[Assumption]:
    said: list[Assumption] = ["draws_uniform", "every_look", "same_pool", "model_fixed"]
    if has_earlier:
        said.append("earlier_draws")
    if any(lot.unsure for lot in found.lots_of):
        said.append("unsure_counts_wrong")
    said.append("people_right" if found.human is None else "people_error_measured")
    said.append("each_lot" if found.scope == "class" else "all_together")
    return said
