"""Going on with a certificate: taking what people have said, asking on, and deciding."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from core import events, queue
from core.among import among
from core.certificates import NO_CLASS, Draw, Members, Outcome, draws_of
from core.consensus import Vote, consensus, is_settled, opinions, votes
from core.errors import DomainError
from core.lifecycle import move_certificate
from core.project_settings import ProjectSettings
from core.states import CertificateState, ExampleState, Source, Verdict
from core.storage import Storage
from core.tables import (
    Annotation,
    Certificate,
    CertificateLot,
    Example,
    Project,
    ProjectClass,
    Query,
)
from core.tasks.registry import class_of
from models.errors import ModelError
from models.params.certify import CertifyParams
from workers.certificates.asking import ask, ask_no_more, asking_round, last_annotation
from workers.certificates.promises import certification_of, note_decision, read_members

logger = logging.getLogger(__name__)

AT_ONCE: Final = 500
"""Draws that people are asked about at a time, at most."""
_CLASS_GONE: Final = (
    "A class that the model labels with is not there any more: close a round with the classes as "
    "they are now, and certify again. What people said stays."
)


def go_on_with_all(
    factory: sessionmaker[Session], storage: Storage, *, if_answered: bool = False
) -> None:
    """Go on with every certificate that people are asked for.

    Args:
        factory: Of sessions.
        storage: Where files are.
        if_answered: Only with those of which nothing waits for people: with the others every sweep
            goes on, and not every answer, which is dear in large pools and would tell who listens
            which of their answers were checks.
    """
    with factory() as session:
        asking = session.scalars(
            select(Certificate)
            .where(Certificate.state == CertificateState.ASKING)
            .order_by(Certificate.id)
        ).all()
        due = [one.id for one in asking if not (if_answered and _waits(session, one))]
    for certificate_id in due:
        try:
            with factory() as session:
                with session.begin():
                    _go_on_with(session, storage, certificate_id)
                queue.deliver(session.info)
        except (DomainError, ModelError) as error:
            # One whose file is gone keeps no other from going on.
            logger.warning("certificate %s does not go on: %s", certificate_id, error)
        except Exception:
            # Nor does one whose file is broken, or is where nobody can read it now.
            logger.exception("certificate %s does not go on", certificate_id)


def _waits(session: Session, certificate: Certificate) -> bool:
    ids = [draw.example_id for draw in draws_of(certificate) if draw.outcome == "waiting"]
    return bool(_asked(session, ids))


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
        _refuse(session, certificate, _CLASS_GONE)
        return
    members = read_members(session, storage, certificate)
    wanted = certificate.result.get("overlap", 1)
    second = certificate.result["human"] is not None
    draws = taken(session, before, members, wanted, second=second)
    again = [now for was, now in zip(before, draws, strict=True) if now.again and not was.again]
    # Their round has ended, and none has taken them over.
    waiting = [draw for draw in draws if draw.outcome == "waiting" and draw not in again]
    asked = _asked(session, [draw.example_id for draw in waiting])
    lost = [draw for draw in waiting if draw.example_id not in asked]
    if draws == before and not lost and any(draw.outcome == "waiting" for draw in before):
        return
    certification = certification_of(certificate, members, draws)
    decision = note_decision(session, certificate, certification)
    if decision.is_over:
        ask_no_more(session, project, draws)
        certificate.observations = [draw.to_json() for draw in draws]
        if decision.bound is None:
            _refuse(session, certificate, decision.why)
        else:
            move_certificate(certificate, CertificateState.READY)
            tell(session, certificate)
        return
    fresh = [
        Draw(one.lot, one.index, int(members.example_id[_at(members, one.index)]), one.probability)
        for one in certification.next_draws(AT_ONCE)
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
    tell(session, certificate)


def _at(members: Members, index: int) -> int:
    return int(np.searchsorted(members.pool_index, index))


def _refuse(session: Session, certificate: Certificate, why: str) -> None:
    certificate.refused = why
    move_certificate(certificate, CertificateState.REFUSED)
    tell(session, certificate)


def tell(session: Session, certificate: Certificate) -> None:
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
    session: Session, draws: Sequence[Draw], members: Members, wanted: int, *, second: bool
) -> list[Draw]:
    """What became of draws, by what people have said since they were asked.

    Args:
        session: To read with.
        draws: All of a certificate.
        members: Its images.
        wanted: How many people look at each.
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
    asked, last = _asked(session, ids), last_annotation(session, ids)
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
        is_over = draw.example_id in left_out or (held and draw.example_id not in asked)
        if not (is_over or is_settled(held, 1 if draw.again else wanted)):
            found.append(draw)
            continue
        outcome = _outcome(held, int(members.class_id[_at(members, draw.index)]))
        if outcome == "wrong" and second and not draw.again and len(opinions(held)) == 1:
            found.append(draw.asked_again(last[draw.example_id]))
        else:
            found.append(draw.answered(outcome))
    return found


def _asked(session: Session, example_ids: Sequence[int]) -> set[int]:
    """Those that wait in a queue."""
    statement = select(Query.example_id).where(among(Query.example_id, example_ids), ~Query.done)
    return set(session.scalars(statement))


def _outcome(held: Sequence[Vote], class_id: int) -> Outcome:
    vote = consensus(held)
    if vote is None or vote.verdict is Verdict.UNSURE:
        return "unsure"
    said = NO_CLASS if vote.verdict is Verdict.OOD else class_of(vote.label)
    return "right" if said == class_id else "wrong"
