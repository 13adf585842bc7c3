"""Going on with a certificate: taking what people have said, asking on, and deciding."""

import logging
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.artifacts.certificates import OTHER_CLASSES, Draw, changed_classes, draws_of
from core.errors import DomainError
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import GoOnCertifying
from core.lifecycle import move_certificate
from core.settings.project import ProjectSettings
from core.states import CertificateState, LotState
from core.tables import Certificate, Project, ProjectClass
from core.webhooks import note_certificate
from models.catalog.params.certify import CertifyParams
from models.errors import ModelError
from workers.certificates.applying import held_in, lots_in, work_off
from workers.certificates.asking import ask, ask_no_more, asked, asking_round
from workers.certificates.outcomes import taken
from workers.certificates.promises import (
    ASKED_AT_ONCE,
    certification_of,
    note_decision,
    read_members,
)
from workers.jobs.locks import alone

logger = logging.getLogger(__name__)

_AT_A_TIME: Final = 20.0
"""Seconds for which one certificate is applied or taken back before others have their turn."""
_AT_WORK: Final = (CertificateState.APPLYING, CertificateState.REVOKING)
_BROKEN: Final = (
    "It cannot go on because of an error that nobody foresaw, which the log of the workers tells. "
    "It is tried again and again; if its file is broken, restore that from a backup."
)
CORRECTED: Final = (
    "People have corrected what they said of checked images after this was decided, so it was "
    "decided anew."
)
_LOCK: Final = 0x63657274


def go_on_with_all(
    factory: sessionmaker[Session], storage: Storage, *, answered_in: int | None = None
) -> None:
    """Go on with every certificate that people are asked for, or that is applied or taken back.

    Args:
        factory: Of sessions.
        storage: Where files are.
        answered_in: Id of a project: only with that of this project, and only if nothing waits for
            people there. With the others every sweep goes on, and not every answer or round, which
            is dear in large pools and would tell who listens which of their answers were checks.
    """
    with factory() as session:
        statement = select(Certificate).where(
            Certificate.state.in_([CertificateState.ASKING, *_AT_WORK])
        )
        if answered_in is not None:
            statement = statement.where(Certificate.project_id == answered_in)
        found = session.scalars(statement.order_by(Certificate.id)).all()
        due = [
            (one.id, one.project_id, one.state, one.result.get("stalled"))
            for one in found
            if one.state in _AT_WORK or answered_in is None or not _waits(session, one)
        ]
    for certificate_id, project_id, state, known in due:
        stalled = None
        try:
            with factory() as session:
                if state in _AT_WORK:
                    # Every sweep sends one who would do the same: he has other things to do.
                    with alone(factory, _LOCK, certificate_id) as is_mine:
                        if not is_mine:
                            continue
                        _hear_corrections(factory, storage, certificate_id)
                        is_left = work_off(factory, storage, certificate_id, seconds=_AT_A_TIME)
                    if is_left:
                        queue.remember(session.info, GoOnCertifying(answered_in=project_id))
                else:
                    with session.begin():
                        _go_on_with(session, storage, certificate_id)
                queue.deliver(session.info)
        except (DomainError, ModelError) as error:
            # One whose file is gone keeps no other from going on.
            stalled = str(error)
            logger.warning("certificate %s does not go on: %s", certificate_id, error)
        except Exception:
            # Nor does one whose file is broken, or is where nobody can read it now.
            stalled = _BROKEN
            logger.exception("certificate %s does not go on", certificate_id)
        if stalled != known:
            with factory() as session, session.begin():
                _note_stalled(session, certificate_id, stalled)


def _note_stalled(session: Session, certificate_id: int, why: str | None) -> None:
    """Keep why a certificate does not go on, or that it does, where people see it."""
    certificate = session.get(Certificate, certificate_id, with_for_update={"key_share": True})
    if certificate is None:
        return
    rest = {name: value for name, value in certificate.result.items() if name != "stalled"}
    certificate.result = rest if why is None else {**rest, "stalled": why}
    session.execute(events.certificate_changed(certificate))


def _waits(session: Session, certificate: Certificate) -> bool:
    ids = [draw.example_id for draw in draws_of(certificate) if draw.outcome == "waiting"]
    return bool(asked(session, ids))


def _go_on_with(session: Session, storage: Storage, certificate_id: int) -> None:
    if held := held_in(session, certificate_id, CertificateState.ASKING):
        go_on(session, storage, *held)


def _hear_corrections(
    factory: sessionmaker[Session], storage: Storage, certificate_id: int
) -> None:
    """Before anything is labeled, decide anew where people have corrected what they said.

    What would be labeled then is shown first, if it is something else.
    """
    with factory() as session:
        with session.begin():
            held = held_in(session, certificate_id, CertificateState.APPLYING)
            if held is not None and "progress" not in held[1].result:
                _decide_anew(session, storage, *held)
        queue.deliver(session.info)


def _decide_anew(
    session: Session, storage: Storage, project: Project, certificate: Certificate
) -> None:
    draws, _ = taken(session, certificate, read_members(session, storage, certificate))
    is_corrected = draws != draws_of(certificate)
    if not is_corrected and _other_classes(session, certificate) is None:
        return
    shown = _states(session, certificate)
    move_certificate(certificate, CertificateState.ASKING)
    _go_on(session, storage, project, certificate)
    if certificate.state is CertificateState.READY and _states(session, certificate) == shown:
        move_certificate(certificate, CertificateState.APPLYING)
        return
    note_certificate(certificate)
    if is_corrected:
        warnings = [one for one in certificate.result.get("warnings", []) if one != CORRECTED]
        certificate.result = {**certificate.result, "warnings": [*warnings, CORRECTED]}


def _states(session: Session, certificate: Certificate) -> list[LotState]:
    """What is known of each lot by now, in their order."""
    return [lot.state for lot in lots_in(session, certificate.id)]


def asking_of(session: Session, project_id: int) -> Certificate | None:
    """The certificate that people are asked for in a project, locked."""
    return session.scalars(
        select(Certificate)
        .where(Certificate.project_id == project_id, Certificate.state == CertificateState.ASKING)
        .limit(1)
        .with_for_update(key_share=True)
    ).one_or_none()


def begin_asking(
    session: Session, storage: Storage, project: Project, certificate: Certificate
) -> None:
    """Ask people for the first draws of a certificate whose lots are known, or decide at once.

    Arguments are those of ``go_on``.
    """
    move_certificate(certificate, CertificateState.ASKING)
    session.flush()
    _go_on(session, storage, project, certificate)
    note_certificate(certificate)


def go_on(session: Session, storage: Storage, project: Project, certificate: Certificate) -> None:
    """Take what people have said of a certificate's draws, and ask on or decide.

    Nothing is done while there is nothing new.

    Args:
        session: In a transaction in which the project and the certificate are locked.
        storage: Where files are.
        project: The certificate's.
        certificate: One that people are asked for.
    """
    _go_on(session, storage, project, certificate)
    if certificate.state is not CertificateState.ASKING:
        note_certificate(certificate)


def _go_on(session: Session, storage: Storage, project: Project, certificate: Certificate) -> None:
    before = draws_of(certificate)
    if why := _other_classes(session, certificate):
        ask_no_more(session, project, before)
        refuse(session, certificate, why)
        return
    members = read_members(session, storage, certificate)
    waiting = any(draw.outcome == "waiting" for draw in before)
    draws, queued = taken(session, certificate, members)
    again = [now for was, now in zip(before, draws, strict=True) if now.again and not was.again]
    # Their round has ended, and none has taken them over.
    lost = [
        draw
        for draw in draws
        if draw.outcome == "waiting" and draw not in again and draw.example_id not in queued
    ]
    if draws == before and waiting and not lost:
        return
    certification = certification_of(certificate, members, draws)
    decision = note_decision(session, certificate, certification)
    if decision.is_over:
        ask_no_more(session, project, draws)
        certificate.observations = [draw.to_json() for draw in draws]
        if decision.bound is None:
            refuse(session, certificate, decision.why)
        else:
            move_certificate(certificate, CertificateState.READY)
            session.execute(events.certificate_changed(certificate))
        return
    room = max(0, ASKED_AT_ONCE - len(certification.waiting()))
    fresh = [
        Draw(one.lot, one.index, int(members.example_id[members.place(one.index)]), one.probability)
        for one in certification.next_draws(room)
    ]
    if fresh or again or lost:
        round_ = asking_round(session, project, CertifyParams.model_validate(certificate.settings))
        if round_ is None:
            # Of what was taken nothing is kept: the next sweep takes it again, and can ask.
            draws = [was if now in again else now for was, now in zip(before, draws, strict=True)]
            fresh = []
        else:
            ask(session, round_, [*again, *lost, *fresh], members)
            overlap = ProjectSettings.model_validate(round_.settings).overlap
            certificate.result = {**certificate.result, "overlap": overlap}
    certificate.observations = [draw.to_json() for draw in (*draws, *fresh)]
    session.execute(events.certificate_changed(certificate))


def refuse(session: Session, certificate: Certificate, why: str) -> None:
    """End a certificate of which nothing came, and say why."""
    certificate.refused = why
    move_certificate(certificate, CertificateState.REFUSED)
    session.execute(events.certificate_changed(certificate))


def _other_classes(session: Session, certificate: Certificate) -> str | None:
    """Why the classes of now are none that anything can be promised of, if so."""
    of = select(ProjectClass.id).where(ProjectClass.project_id == certificate.project_id)
    wanted = {lot.class_id for lot in lots_in(session, certificate.id)}
    why = changed_classes(certificate.result, wanted, set(session.scalars(of)))
    return why and OTHER_CLASSES[why]
