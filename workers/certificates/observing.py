"""Going on with a certificate: taking what people have said, asking on, and deciding."""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.among import among
from core.artifacts.certificates import NO_CLASS, Draw, Members, Outcome, draws_of
from core.consensus import Vote, consensus, is_settled, opinions, votes
from core.errors import DomainError
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import GoOnCertifying
from core.lifecycle import move_certificate
from core.settings.project import ProjectSettings
from core.states import CertificateState, ExampleState, Source, Verdict
from core.tables import (
    Annotation,
    Certificate,
    CertificateLot,
    Example,
    Project,
    ProjectClass,
)
from core.tasks.registry import class_of
from models.catalog.params.certify import CertifyParams
from models.errors import ModelError
from workers.certificates.applying import CLASS_GONE, work_off
from workers.certificates.asking import ask, ask_no_more, asked, asking_round, last_annotation
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
_LOCK: Final = 0x63657274


def go_on_with_all(
    factory: sessionmaker[Session], storage: Storage, *, answered_in: int | None = None
) -> None:
    """Go on with every certificate that people are asked for, or that is applied or taken back.

    Args:
        factory: Of sessions.
        storage: Where files are.
        answered_in: Id of a project: only with that of this project, and only if nothing waits for
            people there. With the others every sweep goes on, and not every answer, which is dear
            in large pools and would tell who listens which of their answers were checks.
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
    _tell(session, certificate)


def _waits(session: Session, certificate: Certificate) -> bool:
    ids = [draw.example_id for draw in draws_of(certificate) if draw.outcome == "waiting"]
    return bool(asked(session, ids))


def _go_on_with(session: Session, storage: Storage, certificate_id: int) -> None:
    # Locked in the order that everybody keeps: project, certificate, rounds, examples.
    project_id = session.scalar(
        select(Certificate.project_id).where(Certificate.id == certificate_id)
    )
    if project_id is None:
        return
    project = session.get_one(Project, project_id, with_for_update={"key_share": True})
    certificate = session.get(Certificate, certificate_id, with_for_update={"key_share": True})
    if certificate is not None and certificate.state is CertificateState.ASKING:
        go_on(session, storage, project, certificate)


def asking_of(session: Session, project_id: int) -> Certificate | None:
    """The certificate that people are asked for in a project, locked."""
    return session.scalars(
        select(Certificate)
        .where(Certificate.project_id == project_id, Certificate.state == CertificateState.ASKING)
        .limit(1)
        .with_for_update(key_share=True)
    ).one_or_none()


def go_on(session: Session, storage: Storage, project: Project, certificate: Certificate) -> None:
    """Take what people have said of a certificate's draws, and ask on or decide.

    Nothing is done while there is nothing new.

    Args:
        session: In a transaction in which the project and the certificate are locked.
        storage: Where files are.
        project: The certificate's.
        certificate: One that people are asked for.
    """
    before = draws_of(certificate)
    if _lacks_class(session, certificate):
        ask_no_more(session, project, before)
        refuse(session, certificate, CLASS_GONE)
        return
    members = read_members(session, storage, certificate)
    wanted = certificate.result.get("overlap", 1)
    second = certificate.result["human"] is not None
    waiting = [draw.example_id for draw in before if draw.outcome == "waiting"]
    queued = asked(session, waiting)
    draws = taken(session, before, members, wanted, queued, second=second)
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
            _tell(session, certificate)
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
    _tell(session, certificate)


def refuse(session: Session, certificate: Certificate, why: str) -> None:
    """End a certificate of which nothing came, and say why."""
    certificate.refused = why
    move_certificate(certificate, CertificateState.REFUSED)
    _tell(session, certificate)


def _tell(session: Session, certificate: Certificate) -> None:
    """Have pages read a certificate again."""
    data = {"id": certificate.id, "state": certificate.state}
    session.execute(events.notify(certificate.project_id, events.Topic.CERTIFICATE, data))


def _lacks_class(session: Session, certificate: Certificate) -> bool:
    """Whether a class that it labels with was removed."""
    wanted = select(CertificateLot.class_id).where(
        CertificateLot.certificate_id == certificate.id, CertificateLot.class_id.is_not(None)
    )
    there = select(ProjectClass.id).where(ProjectClass.project_id == certificate.project_id)
    gone = wanted.where(CertificateLot.class_id.not_in(there)).limit(1)
    return session.scalar(gone) is not None


def taken(
    session: Session,
    draws: Sequence[Draw],
    members: Members,
    wanted: int,
    queued: Collection[int],
    *,
    second: bool,
) -> list[Draw]:
    """What became of draws, by what people have said since they were asked.

    Args:
        session: To read with.
        draws: All of a certificate.
        members: Its images.
        wanted: How many people look at each.
        queued: Ids of the examples that wait in a queue.
        second: Whether somebody else looks at what contradicts the model.

    Returns:
        As many draws, in the same order.
    """
    ids = [draw.example_id for draw in draws if draw.outcome == "waiting"]
    if not ids:
        return list(draws)
    said: dict[int, list[tuple[int, Vote]]] = defaultdict(list)
    statement = votes().where(among(Annotation.example_id, ids), Annotation.source != Source.MODEL)
    for row in session.execute(statement):
        said[row.example_id].append((row.id, Vote.of(row)))
    last = last_annotation(session, ids)
    left_out = set(
        session.scalars(
            select(Example.id).where(among(Example.id, ids), Example.state == ExampleState.HELD_OUT)
        )
    )
    found = []
    for draw in draws:
        if draw.outcome != "waiting":
            found.append(draw)
            continue
        held = [vote for id_, vote in said[draw.example_id] if id_ > draw.after]
        # Skipped by all, or held out: nobody can say what it is.
        is_over = draw.example_id in left_out or (held and draw.example_id not in queued)
        if not (is_over or is_settled(held, 1 if draw.again else wanted)):
            found.append(draw)
            continue
        outcome = _outcome(held, int(members.class_id[members.place(draw.index)]))
        if outcome == "wrong" and second and not draw.again and len(opinions(held)) == 1:
            found.append(draw.asked_again(last[draw.example_id]))
        else:
            found.append(draw.answered(outcome))
    return found


def _outcome(held: Sequence[Vote], class_id: int) -> Outcome:
    vote = consensus(held)
    if vote is None or vote.verdict is Verdict.UNSURE:
        return "unsure"
    said = NO_CLASS if vote.verdict is Verdict.OOD else class_of(vote.label)
    return "right" if said == class_id else "wrong"
