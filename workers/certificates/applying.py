"""Labeling by a certificate and taking it back: a part at a time, and nothing of people's."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from sqlalchemy import Select, exists, select, text
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.artifacts.certificates import NO_CLASS, OTHER_CLASSES, Members, draws_of
from core.database.among import among
from core.errors import Conflict
from core.files.storage import Storage
from core.jobs import queue
from core.lifecycle import mark_answered, mark_queried, move_certificate
from core.rounds import lock_unfinished
from core.states import CertificateState, ExampleState, LotState, Split, Verdict
from core.tables import Annotation, Certificate, Example, Project, ProjectClass, Query
from core.tables import CertificateLot as Lot
from core.tasks.classification import class_label
from core.tasks.registry import stored_text
from core.verdicts.consensus import by_people, holds, lock_examples
from core.webhooks import note_certificate
from workers.certificates.asking import ask_no_more
from workers.certificates.kept import kept_promises, restated
from workers.certificates.promises import read_members

AT_ONCE: Final = 2000
"""Images of a transaction: people who answer in the project wait for one, and for no more."""
_COUNTED: Final = 20_000
_LABEL: Final = text(
    "INSERT INTO annotations (project_id, example_id, source, job_id, lot_id, probability, "
    "client_key, verdict, label, classes_version, seconds, cost, counted) "
    "SELECT :project, e.id, 'model', :job, new.lot, new.probability, gen_random_uuid(), "
    "CASE WHEN new.label IS NULL THEN 'ood' ELSE 'label' END, CAST(new.label AS jsonb), "
    ":version, 0, 0, true "
    "FROM unnest(CAST(:examples AS bigint[]), CAST(:lots AS bigint[]), "
    "CAST(:labels AS text[]), CAST(:probabilities AS double precision[])) "
    "AS new (example_id, lot, label, probability) "
    "JOIN examples e ON e.id = new.example_id "
    "WHERE e.project_id = :project AND e.split = 'pool' AND e.state = 'unlabeled' "
    "AND NOT EXISTS (SELECT FROM queries q WHERE q.example_id = e.id AND NOT q.done) "
    "RETURNING example_id, lot_id"
)
_TAKE_BACK: Final = text(
    "INSERT INTO annotations (project_id, example_id, source, job_id, lot_id, client_key, verdict, "
    "classes_version, seconds, cost, counted, supersedes_id) "
    "SELECT a.project_id, a.example_id, 'model', a.job_id, a.lot_id, gen_random_uuid(), 'skip', "
    "a.classes_version, 0, 0, true, a.id FROM annotations a "
    "WHERE a.id = ANY(CAST(:given AS bigint[])) "
    "AND NOT EXISTS (SELECT FROM annotations c WHERE c.supersedes_id = a.id AND c.counted) "
    "RETURNING example_id"
)


def work_off(
    factory: sessionmaker[Session], storage: Storage, certificate_id: int, *, seconds: float
) -> bool:
    """Go on labeling by a certificate, or taking it back.

    What was done stays done: whoever comes next goes on there, also after a crash.

    Args:
        factory: Of sessions.
        storage: Where files are.
        certificate_id: One that is being applied or revoked.
        seconds: After which somebody else is to go on.

    Returns:
        Whether anything is left to do.

    Raises:
        Conflict: ``certificate_file_missing``.
    """
    until = time.monotonic() + seconds
    with factory() as session:
        certificate = session.get(Certificate, certificate_id)
        state = None if certificate is None else certificate.state
    if state is CertificateState.APPLYING:
        step = _labeling(factory, storage, certificate_id)
    elif state is CertificateState.REVOKING:
        step = _taking_back(factory, certificate_id)
    else:
        return False
    while step():
        if time.monotonic() > until:
            return True
    return False


@contextmanager
def _transaction(factory: sessionmaker[Session]) -> Iterator[Session]:
    """A transaction, after which its messages are sent."""
    with factory() as session:
        with session.begin():
            yield session
        queue.deliver(session.info)


def held_in(
    session: Session, certificate_id: int, state: CertificateState
) -> tuple[Project, Certificate] | None:
    """A certificate and its project, if it is still in a state.

    Locked in the order that everybody keeps: project, certificate, rounds, examples.
    """
    of = select(Certificate.project_id).where(Certificate.id == certificate_id)
    project_id = session.scalar(of)
    if project_id is None:
        return None
    project = session.get_one(Project, project_id, with_for_update={"key_share": True})
    found = session.get(
        Certificate, certificate_id, with_for_update={"key_share": True}, populate_existing=True
    )
    return (project, found) if found is not None and found.state is state else None


def _held(session: Session, certificate_id: int, state: CertificateState) -> Certificate | None:
    held = held_in(session, certificate_id, state)
    return None if held is None else held[1]


def lots_in(session: Session, certificate_id: int) -> Sequence[Lot]:
    """All lots of a certificate, in their order."""
    statement = select(Lot).where(Lot.certificate_id == certificate_id).order_by(Lot.number)
    return session.scalars(statement).all()


def _labeling(
    factory: sessionmaker[Session], storage: Storage, certificate_id: int
) -> Callable[[], bool]:
    """What labels some more at each call; whether any are left."""
    with factory() as session:
        certificate = session.get(Certificate, certificate_id)
        if certificate is None:
            return lambda: False
        members = read_members(session, storage, certificate)
        passed = [lot.number for lot in lots_in(session, certificate_id) if _has_passed(lot)]
        # A large pool takes long to count, and nobody is to wait for it. What people say until
        # all is labeled is counted at the end, by what was.
        begins = "progress" not in certificate.result
        asked = members.take(np.isin(members.lot, passed if begins else []))
        counted = _counted(session, asked)
    with _transaction(factory) as session:
        certificate = _held(session, certificate_id, CertificateState.APPLYING)
        if certificate is None:
            return lambda: False
        lots = lots_in(session, certificate_id)
        if "progress" not in certificate.result:
            try:
                lots = _chosen(session, certificate, lots, members, counted)
            except Conflict as error:
                _end(session, certificate, CertificateState.REFUSED, refused=error.detail)
                return lambda: False
        kept = [lot.number for lot in lots if _has_passed(lot)]
    chosen = members.take(np.isin(members.lot, kept))

    def step() -> bool:
        with _transaction(factory) as session:
            certificate = _held(session, certificate_id, CertificateState.APPLYING)
            if certificate is None:
                return False
            at = certificate.result["progress"]["at"]
            block = chosen.take(np.arange(at, min(at + AT_ONCE, len(chosen))))
            return _label_some(session, certificate, block, at, len(chosen))

    return step


def _has_passed(lot: Lot) -> bool:
    return lot.state is LotState.PASSED


def _chosen(
    session: Session,
    certificate: Certificate,
    lots: Sequence[Lot],
    members: Members,
    counted: tuple[Counter[int], Counter[int]],
) -> Sequence[Lot]:
    """The lots that are labeled, after what people have said meanwhile, as it was counted."""
    kept = kept_promises(certificate, [lot for lot in lots if _has_passed(lot)], *counted)
    of = int(np.isin(members.lot, [lot.number for lot in kept]).sum())
    certificate.result = {**certificate.result, "progress": {"at": 0, "of": of}}
    session.flush()
    return kept


def _counted(session: Session, members: Members) -> tuple[Counter[int], Counter[int]]:
    """How many of each lot would be labeled, and how many are held out.

    The rest people have judged, or will, as they wait in a queue.
    """
    left, gone = Counter[int](), Counter[int]()
    waiting = exists().where(Query.example_id == Example.id, ~Query.done)
    for start in range(0, len(members), _COUNTED):
        block = members.take(np.arange(start, min(start + _COUNTED, len(members))))
        which = select(Example.id).where(
            among(Example.id, block.example_id.tolist()), Example.split == Split.POOL
        )
        free = which.where(Example.state == ExampleState.UNLABELED, ~waiting)
        there = which.where(Example.state != ExampleState.HELD_OUT)
        for found, statement, wanted in ((left, free, True), (gone, there, False)):
            ids = np.array(session.scalars(statement).all(), dtype=np.int64)
            found.update(block.lot[np.isin(block.example_id, ids) == wanted].tolist())
    return left, gone


def _label_some(
    session: Session, certificate: Certificate, block: Members, at: int, of: int
) -> bool:
    """Label a block of images, in a transaction of its own; whether any are left."""
    project = session.get_one(Project, certificate.project_id)
    # Held only for this block: no queue is made meanwhile of what it labels.
    session.scalars(lock_unfinished(project.id)).all()
    lots = {lot.number: lot for lot in lots_in(session, certificate.id)}
    if not _holds_classes(session, project, lots.values()):
        # What was labeled so far goes, too: a part was never promised.
        warnings = [*certificate.result.get("warnings", []), OTHER_CLASSES["class_gone"]]
        certificate.result = {**certificate.result, "warnings": warnings}
        move_certificate(certificate, CertificateState.REVOKING)
        return False
    if len(block):
        _label(session, project, certificate, lots, block)
    at += len(block)
    progress = {"at": at, "of": of}
    certificate.result = {**certificate.result, "progress": progress}
    if at < of:
        return True
    labeled = {lot.number: lot.labeled for lot in lots.values()}
    try:
        restated(certificate, [lot for lot in lots.values() if _has_passed(lot)], labeled)
    except Conflict as error:
        _end(session, certificate, CertificateState.REFUSED, refused=error.detail)
    else:
        _end(session, certificate, CertificateState.APPLIED)
    return False


def _holds_classes(session: Session, project: Project, lots: Any) -> bool:
    """Hold the classes, so that none is removed before its labels are there."""
    wanted = {lot.class_id for lot in lots if lot.state is LotState.PASSED} - {None}
    held = select(ProjectClass.id).where(
        ProjectClass.project_id == project.id, among(ProjectClass.id, sorted(wanted))
    )
    known = set(session.scalars(held.with_for_update(read=True, key_share=True)))
    return wanted <= known


def _label(
    session: Session,
    project: Project,
    certificate: Certificate,
    lots: dict[int, Lot],
    block: Members,
) -> None:
    session.execute(lock_examples(among(Example.id, block.example_id.tolist())))
    labels = [
        None if class_id == NO_CLASS else stored_text(class_label(class_id))
        for class_id in block.class_id.tolist()
    ]
    values = {
        "project": project.id,
        "job": certificate.job_id,
        "version": project.classes_version,
        "examples": block.example_id.tolist(),
        "lots": [lots[number].id for number in block.lot.tolist()],
        "labels": labels,
        "probabilities": block.probability.astype(float).tolist(),
    }
    made = session.execute(_LABEL, values).all()
    label_of = dict(zip(block.example_id.tolist(), labels, strict=True))
    ids = [row.example_id for row in made]
    said = [label_of[id_] for id_ in ids]
    states = [ExampleState.OOD if one is None else ExampleState.LABELED for one in said]
    _mark(session, ids, states, said)
    by_id = {lot.id: lot for lot in lots.values()}
    for row in made:
        by_id[row.lot_id].labeled += 1


def _mark(
    session: Session,
    ids: list[int],
    states: Sequence[ExampleState],
    labels: Sequence[str | None],
) -> None:
    values = {
        "answered": ids,
        "states": [state.value for state in states],
        "labels": list(labels),
        "disputes": [False] * len(ids),
    }
    session.execute(mark_answered(), values)


def _taking_back(factory: sessionmaker[Session], certificate_id: int) -> Callable[[], bool]:
    """What takes some labels back at each call; whether any are left."""
    with _transaction(factory) as session:
        certificate = _held(session, certificate_id, CertificateState.REVOKING)
        if certificate is None:
            return lambda: False
        if certificate.closed_at is None:
            project = session.get_one(Project, certificate.project_id)
            ask_no_more(session, project, draws_of(certificate))
        lots = lots_in(session, certificate_id)
        given = list(session.scalars(_standing([lot.id for lot in lots])))
        of = max(sum(lot.labeled for lot in lots), len(given))
    # What was taken back before somebody stopped is among them no more.
    before, done = of - len(given), 0

    def step() -> bool:
        nonlocal done
        with _transaction(factory) as session:
            certificate = _held(session, certificate_id, CertificateState.REVOKING)
            if certificate is None:
                return False
            if block := given[done : done + AT_ONCE]:
                _take_back(session, block)
            done += len(block)
            progress = {"at": before + done, "of": of}
            certificate.result = {**certificate.result, "progress": progress}
            if done < len(given):
                return True
            for lot in lots_in(session, certificate_id):
                lot.labeled = 0
            _end(session, certificate, CertificateState.REVOKED)
            return False

    return step


def _standing(lot_ids: Sequence[int]) -> Select[int]:
    """Ids of labels of these lots that were not taken back, rising."""
    return (
        select(Annotation.id)
        .where(among(Annotation.lot_id, lot_ids), Annotation.verdict != Verdict.SKIP, holds())
        .order_by(Annotation.id)
    )


def _take_back(session: Session, given: Sequence[int]) -> None:
    """Take back labels with these ids; what people said of the same images stands."""
    of = select(Annotation.example_id).where(among(Annotation.id, given))
    session.execute(lock_examples(among(Example.id, sorted(session.scalars(of)))))
    made = session.execute(_TAKE_BACK, {"given": list(given)}).all()
    ids = sorted(row.example_id for row in made)
    alone = select(Example.id).where(among(Example.id, ids), ~by_people(Example.id))
    free = list(session.scalars(alone))
    _mark(session, free, [ExampleState.UNLABELED] * len(free), [None] * len(free))
    waiting = select(Query.example_id).where(among(Query.example_id, free), ~Query.done)
    session.execute(mark_queried(sorted(set(session.scalars(waiting)))))


def _end(
    session: Session,
    certificate: Certificate,
    state: CertificateState,
    *,
    refused: str | None = None,
) -> None:
    certificate.refused = refused
    certificate.result = {
        name: value for name, value in certificate.result.items() if name != "progress"
    }
    move_certificate(certificate, state)
    note_certificate(certificate)
    # Not after each part: every open page of the pool would read it anew twice a second.
    session.execute(events.certificate_changed(certificate))
    session.execute(events.notify(certificate.project_id, events.Topic.POOL, {}))
