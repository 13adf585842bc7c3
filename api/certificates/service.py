from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.certificates.schemas import (
    Band,
    Bound,
    CertificateDetail,
    CertificateIn,
    CertificateLot,
    CertificateOut,
    LotCounts,
    ModelRef,
)
from api.draws.schemas import HumanError
from api.jobs import service as jobs
from api.jobs.schemas import JobStart
from core.artifacts.certificates import counted, draws_of
from core.database.among import among
from core.errors import NotFound
from core.rounds import newest_model
from core.states import CertificateState, ExampleState, JobKind, LotState, RoundState, Split
from core.tables import Certificate, Example, Project, Round, User
from core.tables import CertificateLot as Lot
from models.catalog.params.certify import CertifyParams

_OLDER: Final = (
    "These are labels of the model of round {}. It is not the newest any more, and a newer one may "
    "be better; what is promised of these labels is as true as before."
)


_UNTRIED: Final = (
    "{} images are left to people although none of them was checked: their groups hold too few for "
    "this promise, or follow on groups of which it did not hold. Promise less, or label more first."
)

PROMISING_NOTHING: Final = (CertificateState.REVOKED, CertificateState.REFUSED)
"""States in which it labels nothing, or does no more."""
LABELED: Final = (CertificateState.APPLIED, CertificateState.REVOKING)
"""States in which its labels were given, all or those that are not taken back yet."""
_AT_WORK: Final = (CertificateState.APPLYING, CertificateState.REVOKING)


async def find(
    session: AsyncSession, project_id: int, certificate_id: int, *, lock: bool = False
) -> Certificate:
    """A certificate of a project.

    Raises:
        NotFound: There is none.
    """
    found = await session.get(
        Certificate, certificate_id, with_for_update={"key_share": True} if lock else None
    )
    if found is None or found.project_id != project_id:
        raise NotFound("certificate")
    return found


async def listed(
    session: AsyncSession, project_id: int, cursor: int | None, limit: int
) -> Sequence[Certificate]:
    """A page of certificates, the newest first."""
    statement = select(Certificate).where(Certificate.project_id == project_id)
    if cursor is not None:
        statement = statement.where(Certificate.id < cursor)
    found = await session.scalars(statement.order_by(Certificate.id.desc()).limit(limit))
    return found.all()


async def begin(
    session: AsyncSession, principal: Principal, project: Project, body: CertificateIn
) -> Certificate:
    """Start the job that scores, and then asks people; the project is locked.

    Raises:
        Conflict: There is no model, nothing to label, or another certificate is under way.
    """
    start = JobStart(kind=JobKind.CERTIFY.value, params=body.model_dump(mode="json"))
    job = await jobs.start(session, principal, project, start)
    made = select(Certificate).where(Certificate.job_id == job.id)
    return (await session.scalars(made)).one()


async def lots_of(session: AsyncSession, certificate_id: int) -> Sequence[Lot]:
    """The lots of a certificate, in their order."""
    statement = select(Lot).where(Lot.certificate_id == certificate_id).order_by(Lot.number)
    return (await session.scalars(statement)).all()


async def detailed(session: AsyncSession, certificate: Certificate) -> CertificateDetail:
    """A certificate with its lots."""
    lots = await lots_of(session, certificate.id)
    newest = await _newest(session, certificate.project_id)
    known = await _facts(session, certificate, lots, newest)
    return CertificateDetail(**known, lots_of=[_lot(lot) for lot in lots])


async def described(session: AsyncSession, certificate: Certificate) -> CertificateOut:
    """A certificate in numbers."""
    (found,) = await all_described(session, certificate.project_id, [certificate])
    return found


async def all_described(
    session: AsyncSession, project_id: int, certificates: Sequence[Certificate]
) -> list[CertificateOut]:
    """Certificates of a project in numbers."""
    lots: dict[int, list[Lot]] = {one.id: [] for one in certificates}
    statement = select(Lot).where(among(Lot.certificate_id, list(lots))).order_by(Lot.number)
    for lot in await session.scalars(statement):
        lots[lot.certificate_id].append(lot)
    newest = await _newest(session, project_id)
    return [
        CertificateOut(**await _facts(session, one, lots[one.id], newest)) for one in certificates
    ]


async def _newest(session: AsyncSession, project_id: int) -> str | None:
    """SHA-256 of the newest model."""
    newest = (await session.execute(newest_model(project_id))).first()
    return None if newest is None else newest[0].sha256


def _is_current(certificate: Certificate, newest: str | None) -> bool:
    """Whether the model of a certificate is still the newest; before it is scored it will be."""
    if certificate.model is None:
        return certificate.state is CertificateState.SCORING
    digest: str = certificate.model["digest"]
    return digest == newest


def _lot(lot: Lot) -> CertificateLot:
    return CertificateLot(
        id=lot.id,
        class_id=lot.class_id,
        band=Band(low=lot.low, high=lot.high),
        size=lot.size,
        state=lot.state,
        drawn=lot.drawn,
        wrong=lot.wrong,
        unsure=lot.unsure,
        bound=lot.bound,
        labeled=lot.labeled,
    )


async def _facts(
    session: AsyncSession, certificate: Certificate, lots: Sequence[Lot], newest: str | None
) -> dict[str, Any]:
    params = CertifyParams.model_validate(certificate.settings)
    draws = counted(draws_of(certificate))
    result = certificate.result
    states = [lot.state for lot in lots]
    passed = [lot for lot in lots if lot.state is LotState.PASSED]
    labeled = sum(lot.labeled for lot in lots)
    promised = sum(lot.size - lot.drawn for lot in passed)
    # Whoever has checked an image has labeled it.
    people = sum(lot.size - lot.drawn for lot in lots if lot.state is LotState.PEOPLE)
    auto = labeled
    if certificate.state in PROMISING_NOTHING:
        # What it would have labeled is left to people again.
        auto, people = 0, people + promised
    elif certificate.state not in LABELED:
        auto = min(promised, labeled + await _unlabeled(session, certificate, promised))
    asked = sum(draws.values()) - len(result.get("first", []))
    asking = certificate.state is CertificateState.ASKING
    is_newest = _is_current(certificate, newest)
    notes = []
    if not is_newest and certificate.model is not None:
        notes = [_OLDER.format(certificate.model["round"])]
    untried = sum(lot.size for lot in lots if lot.state is LotState.PEOPLE and lot.drawn == 0)
    if untried and {LotState.PASSED, LotState.OPEN} & set(states):
        notes.append(_UNTRIED.format(untried))
    return {
        "id": certificate.id,
        "project_id": certificate.project_id,
        "job_id": certificate.job_id,
        "state": certificate.state,
        **params.model_dump(include={"target", "confidence", "scope", "at_most", "overlap"}),
        "missed_in": params.missed,
        "images": certificate.images,
        "asked": asked,
        "answered": asked - draws["waiting"],
        "waiting": draws["waiting"] if asking else 0,
        "expected_answers": result.get("expected") if asking else None,
        "round": await _round(session, certificate) if asking and draws["waiting"] else None,
        "lots": LotCounts(
            passed=states.count(LotState.PASSED),
            people=states.count(LotState.PEOPLE),
            open=states.count(LotState.OPEN),
        ),
        "auto": auto,
        "people": people,
        "progress": _progress(certificate),
        "bound": _bound(result.get("bound")),
        "missed_bound": _bound(result.get("missed_bound")),
        "human": None if result.get("human") is None else HumanError(**result["human"]),
        "is_current": is_newest,
        "refused": certificate.refused,
        "stalled": result.get("stalled") if asking or certificate.state in _AT_WORK else None,
        "warnings": [*result.get("warnings", []), *notes],
        "created_at": certificate.created_at,
        "created_by": await _name(session, certificate.created_by),
        "closed_at": certificate.closed_at,
        "applied_at": certificate.applied_at,
        "revoked_at": certificate.revoked_at,
        "model": None if certificate.model is None else _model(certificate.model),
    }


def _progress(certificate: Certificate) -> float | None:
    found = certificate.result.get("progress")
    if certificate.state not in _AT_WORK:
        return None
    return float(found["at"] / found["of"]) if found and found["of"] else 0.0


async def _unlabeled(session: AsyncSession, certificate: Certificate, promised: int) -> int:
    """How many images nobody has judged, if fewer than ``promised``: more cannot be labeled."""
    free = (
        select(Example.id)
        .where(
            Example.project_id == certificate.project_id,
            Example.split == Split.POOL,
            Example.state == ExampleState.UNLABELED,
        )
        .limit(promised)
    )
    return (await session.scalar(select(func.count()).select_from(free.subquery()))) or 0


def _bound(found: dict[str, Any] | None) -> Bound | None:
    return None if found is None else Bound(**found)


def _model(found: dict[str, Any]) -> ModelRef:
    return ModelRef(round=found["round"], version=found["version"], digest=found["digest"])


async def _round(session: AsyncSession, certificate: Certificate) -> int | None:
    statement = select(func.max(Round.number)).where(
        Round.project_id == certificate.project_id, Round.state == RoundState.OPEN
    )
    found: int | None = await session.scalar(statement)
    return found


async def _name(session: AsyncSession, user_id: int | None) -> str | None:
    user = await session.get(User, user_id) if user_id else None
    return None if user is None else user.name
