"""Labeling by a certificate, and taking it back: both as a whole, and nothing of people's."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from anyio import to_thread
from sqlalchemy import exists, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from api.advancing import hand_on
from api.audit import record
from api.certificates.promises import kept_promises
from api.certificates.service import lots_of
from api.certifying import require_none_open
from api.files import artifact_file
from api.jobs.service import cancel
from api.principal import Principal
from api.telling import tell
from core.among import among
from core.certificates import NO_CLASS, Members, draws_of, members_file, taken_back
from core.consensus import by_people, lock_examples
from core.errors import Conflict
from core.events import Topic
from core.lifecycle import mark_answered, mark_queried, mark_unqueried, move_certificate
from core.rounds import CERTIFICATE, close, lock_unfinished
from core.states import CertificateState, ExampleState, JobState, LotState, RoundState, Split
from core.storage import Storage
from core.tables import Certificate, Example, Job, Project, ProjectClass, Query
from core.tables import CertificateLot as Lot
from core.tasks.classification import class_label
from core.tasks.registry import stored_text

_BLOCK: Final = 5000
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
    "WHERE a.lot_id = ANY(CAST(:lots AS bigint[])) AND a.verdict <> 'skip' "
    "AND NOT EXISTS (SELECT FROM annotations c WHERE c.supersedes_id = a.id AND c.counted) "
    "RETURNING example_id"
)


async def apply(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    certificate: Certificate,
) -> int:
    """Label what is in the lots that have passed; the certificate and its project are locked.

    Returns:
        How many images were labeled.

    Raises:
        Conflict: ``certificate_<state>``, ``certificate_open``, ``pool_changed``, ``class_gone``,
            or ``certificate_file_missing``.
    """
    move_certificate(certificate, CertificateState.APPLIED)
    # What the other draws from is what nobody has labeled, and no model either.
    await require_none_open(session, project.id)
    passed = [lot for lot in await lots_of(session, certificate.id) if lot.state is LotState.PASSED]
    members = await _members(session, storage, certificate)
    chosen = members.take(np.isin(members.lot, [lot.number for lot in passed]))
    await session.execute(lock_unfinished(project.id))
    left, gone = await _counted(session, chosen)
    lots = kept_promises(certificate, passed, left, gone)
    await _require_classes(session, project, lots)
    by_number = {lot.number: lot for lot in lots}
    chosen = chosen.take(np.isin(chosen.lot, list(by_number)))
    labeled = 0
    for start in range(0, len(chosen), _BLOCK):
        block = chosen.take(np.arange(start, min(start + _BLOCK, len(chosen))))
        labeled += await _label(session, project, certificate, by_number, block)
    record(
        session, principal, "apply", "certificate", certificate.id, project_id=project.id,
        images=labeled,
    )  # fmt: skip
    tell(session, project.id, Topic.POOL)
    await session.flush()
    return labeled


async def _counted(session: AsyncSession, members: Members) -> tuple[Counter[int], Counter[int]]:
    """How many of each lot would be labeled, and how many are held out.

    The rest people have judged, or will, as they wait in a queue.
    """
    left, gone = Counter[int](), Counter[int]()
    waiting = exists().where(Query.example_id == Example.id, ~Query.done)
    for start in range(0, len(members), _BLOCK):
        block = members.take(np.arange(start, min(start + _BLOCK, len(members))))
        which = select(Example.id).where(
            among(Example.id, block.example_id.tolist()), Example.split == Split.POOL
        )
        free = which.where(Example.state == ExampleState.UNLABELED, ~waiting)
        there = which.where(Example.state != ExampleState.HELD_OUT)
        for found, statement, wanted in ((left, free, True), (gone, there, False)):
            ids = np.array((await session.scalars(statement)).all(), dtype=np.int64)
            found.update(block.lot[np.isin(block.example_id, ids) == wanted].tolist())
    return left, gone


async def _require_classes(session: AsyncSession, project: Project, lots: Sequence[Lot]) -> None:
    """Hold the classes, so that none is removed before its labels are there."""
    wanted = {lot.class_id for lot in lots if lot.class_id is not None}
    held = select(ProjectClass.id).where(
        ProjectClass.project_id == project.id, among(ProjectClass.id, sorted(wanted))
    )
    known = set(await session.scalars(held.with_for_update(read=True, key_share=True)))
    if wanted - known:
        raise Conflict(
            "class_gone",
            "A class that the model labels with is not there any more. Close a round with the "
            "classes as they are now, and certify again.",
        )


async def _members(session: AsyncSession, storage: Storage, certificate: Certificate) -> Members:
    artifact = (await session.scalars(members_file(certificate.id))).one()
    path = await artifact_file(storage, artifact.storage_key)
    try:
        return await to_thread.run_sync(Members.load, path)
    except FileNotFoundError as error:
        raise Conflict(
            "certificate_file_missing",
            f"The file of certificate {certificate.id} is not in the data directory; restore it "
            "from a backup, or certify again.",
        ) from error


async def _label(
    session: AsyncSession,
    project: Project,
    certificate: Certificate,
    lots: dict[int, Lot],
    block: Members,
) -> int:
    await session.execute(lock_examples(among(Example.id, block.example_id.tolist())))
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
    made = (await session.execute(_LABEL, values)).all()
    label_of = dict(zip(block.example_id.tolist(), labels, strict=True))
    ids = [row.example_id for row in made]
    said = [label_of[id_] for id_ in ids]
    states = [ExampleState.OOD if one is None else ExampleState.LABELED for one in said]
    await session.execute(
        mark_answered(),
        {
            "answered": ids,
            "states": [state.value for state in states],
            "labels": said,
            "disputes": [False] * len(ids),
        },
    )
    by_id = {lot.id: lot for lot in lots.values()}
    for row in made:
        by_id[row.lot_id].labeled += 1
    return len(made)


async def revoke(
    session: AsyncSession, principal: Principal, project: Project, certificate: Certificate
) -> None:
    """Take a certificate back: its labels, or what people were still to be asked for it."""
    before = certificate.state
    move_certificate(certificate, CertificateState.REVOKED)
    await session.execute(lock_unfinished(project.id))
    images = 0
    if before is CertificateState.APPLIED:
        images = await _take_back(session, certificate)
    elif before is CertificateState.SCORING:
        await _stop(session, principal, certificate)
    elif before is CertificateState.ASKING:
        await _ask_no_more(session, project, certificate)
    record(
        session, principal, "revoke", "certificate", certificate.id, project_id=project.id,
        images=images,
    )  # fmt: skip
    tell(session, project.id, Topic.POOL)
    await session.flush()


async def _take_back(session: AsyncSession, certificate: Certificate) -> int:
    lots = await lots_of(session, certificate.id)
    values = {"lots": [lot.id for lot in lots]}
    ids = sorted(row.example_id for row in (await session.execute(_TAKE_BACK, values)).all())
    for start in range(0, len(ids), _BLOCK):
        which = among(Example.id, ids[start : start + _BLOCK])
        await session.execute(lock_examples(which))
        alone = select(Example.id).where(which, ~by_people(Example.id))
        free = list(await session.scalars(alone))
        nothing: dict[str, Any] = {
            "answered": free,
            "states": [ExampleState.UNLABELED.value] * len(free),
            "labels": [None] * len(free),
            "disputes": [False] * len(free),
        }
        await session.execute(mark_answered(), nothing)
        waiting = select(Query.example_id).where(among(Query.example_id, free), ~Query.done)
        await session.execute(mark_queried(sorted(set(await session.scalars(waiting)))))
    for lot in lots:
        lot.labeled = 0
    return len(ids)


async def _stop(session: AsyncSession, principal: Principal, certificate: Certificate) -> None:
    """Stop the job that scores."""
    job = await session.get(Job, certificate.job_id) if certificate.job_id else None
    if job is not None and job.state in {JobState.QUEUED, JobState.RUNNING}:
        await cancel(session, principal, job.id)


async def _ask_no_more(session: AsyncSession, project: Project, certificate: Certificate) -> None:
    """Take what nobody has judged out of the queue; a round of its own closes if nothing is left.

    Of another round that would be left without a query one stays: whoever answers the last query
    of a round closes it.
    """
    rounds = (await session.scalars(lock_unfinished(project.id))).all()
    round_ = next((one for one in rounds if one.state is RoundState.OPEN), None)
    if round_ is None:
        return
    waiting = {draw.example_id for draw in draws_of(certificate) if draw.outcome == "waiting"}
    mine = round_.strategy == CERTIFICATE
    others = select(func.count()).where(
        Query.round_id == round_.id, ~Query.done, ~among(Query.example_id, sorted(waiting))
    )
    is_empty = not await session.scalar(others)
    if not mine and is_empty:
        waiting = set(sorted(waiting)[1:])
    taken = taken_back(round_.id, waiting)
    await session.execute(mark_unqueried(sorted(set(await session.scalars(taken)))))
    if mine and is_empty:
        made, job = close(project, round_, None)
        await hand_on(session, round_, job, made)
        tell(session, project.id, Topic.ROUND, number=round_.number, state=round_.state)
