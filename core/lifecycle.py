"""Every legal change of state. Nothing but this and ``core.withdrawals`` writes a state column.

The functions change objects in memory; the caller's session, asynchronous or not, stores them, and
with them what webhooks are told of it.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    ColumnElement,
    String,
    TableValuedAlias,
    Update,
    and_,
    bindparam,
    case,
    cast,
    func,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from core.database.among import among
from core.errors import Conflict
from core.states import CertificateState, ExampleState, JobKind, JobState, ProjectState, RoundState
from core.tables import DRY_RUN, Certificate, Example, Job, Project, Query, QueryMember, Round
from core.verdicts.groups import is_latest, judged_alone
from core.webhooks import PROJECT_EVENTS, ROUND_EVENTS, note, note_job

_PROJECT: Mapping[ProjectState, Collection[ProjectState]] = {
    ProjectState.DRAFT: {ProjectState.RUNNING},
    ProjectState.RUNNING: {ProjectState.PAUSED, ProjectState.FINISHED},
    ProjectState.PAUSED: {ProjectState.RUNNING, ProjectState.FINISHED},
    ProjectState.FINISHED: {ProjectState.RUNNING},
}
_ROUND: Mapping[RoundState, Collection[RoundState]] = {
    RoundState.SELECTING: {RoundState.OPEN, RoundState.CLOSED, RoundState.FAILED},
    RoundState.OPEN: {RoundState.CLOSING},
    RoundState.CLOSING: {RoundState.CLOSED, RoundState.FAILED},
    # A project that was finished goes on: its last round closes once more, with one to follow.
    RoundState.CLOSED: {RoundState.CLOSING},
    RoundState.FAILED: {RoundState.SELECTING, RoundState.CLOSING},
}
_JOB: Mapping[JobState, Collection[JobState]] = {
    JobState.QUEUED: {JobState.RUNNING, JobState.CANCELLED},
    JobState.RUNNING: {
        JobState.RUNNING,  # taken over from a worker that died
        JobState.QUEUED,  # its worker is wanted for something that cannot wait
        JobState.PAUSED,  # somebody has to decide how it goes on
        JobState.SUCCEEDED,
        JobState.FAILED,
        JobState.CANCELLED,
    },
    JobState.PAUSED: {JobState.QUEUED, JobState.CANCELLED},
    JobState.FAILED: {JobState.QUEUED},
    JobState.CANCELLED: {JobState.QUEUED},
    JobState.SUCCEEDED: set(),
}
# Why a job cannot be retried.
_NOT_AGAIN: Mapping[JobState, str] = {
    JobState.QUEUED: "The job waits already, and will be run.",
    JobState.RUNNING: "The job is running; cancel it first.",
    JobState.PAUSED: "The job is paused; resume it instead, or cancel it first.",
    JobState.SUCCEEDED: "The job has succeeded; start another one instead.",
}
_CERTIFICATE: Mapping[CertificateState, Collection[CertificateState]] = {
    CertificateState.SCORING: {
        CertificateState.ASKING,
        CertificateState.REFUSED,
        CertificateState.REVOKED,
    },
    CertificateState.ASKING: {
        CertificateState.READY,
        CertificateState.REFUSED,
        CertificateState.REVOKING,
    },
    CertificateState.READY: {CertificateState.APPLYING, CertificateState.REVOKED},
    CertificateState.APPLYING: {
        # What people have said of its draws was corrected.
        CertificateState.ASKING,
        CertificateState.APPLIED,
        CertificateState.REFUSED,
        CertificateState.REVOKING,
    },
    CertificateState.APPLIED: {CertificateState.REVOKING},
    CertificateState.REVOKING: {CertificateState.REVOKED},
    CertificateState.REVOKED: set(),
    # Its job has failed, and is retried.
    CertificateState.REFUSED: {CertificateState.SCORING},
}


_State = TypeVar("_State", bound=StrEnum)


def _check(
    what: str, legal: Mapping[_State, Collection[_State]], now: _State, then: _State
) -> None:
    if then not in legal[now]:
        raise Conflict(f"{what}_{now}", f"The {what} is {now}; from there it cannot become {then}.")


def move_project(project: Project, state: ProjectState) -> None:
    """Put ``project`` into ``state``, or raise ``Conflict``."""
    _check("project", _PROJECT, project.state, state)
    kind = PROJECT_EVENTS[project.state, state]
    project.state = state
    # The database's clock, as ``core.retention`` goes by it.
    project.finished_at = func.clock_timestamp() if state is ProjectState.FINISHED else None
    note(project, kind, project.id, {})


def move_round(round_: Round, state: RoundState) -> None:
    """Put ``round_`` into ``state`` and stamp the time, or raise ``Conflict``."""
    _check("round", _ROUND, round_.state, state)
    round_.state = state
    now = datetime.now(UTC)
    if state is RoundState.OPEN:
        round_.opened_at = now
    elif state is RoundState.CLOSING and round_.closing_at is None:
        round_.closing_at = now
    elif state is RoundState.CLOSED:
        round_.closed_at = now
    tell_round(round_)


def tell_round(round_: Round) -> None:
    """Tell webhooks of the state of ``round_``, as it is; of one that no session knows, nothing."""
    if (kind := ROUND_EVENTS.get(round_.state)) is not None:
        facts = ("number", "strategy", "budget", "spent", "queries", "accuracy")
        data = {"round": {name: getattr(round_, name) for name in facts}}
        note(round_, kind, round_.project_id, data)


def move_certificate(certificate: Certificate, state: CertificateState) -> None:
    """Put ``certificate`` into ``state`` and stamp the time, or raise ``Conflict``."""
    _check("certificate", _CERTIFICATE, certificate.state, state)
    certificate.state = state
    now = datetime.now(UTC)
    if state in {CertificateState.READY, CertificateState.REFUSED}:
        certificate.closed_at = now
    elif state is CertificateState.APPLIED:
        certificate.applied_at = now
    elif state is CertificateState.REVOKED:
        certificate.revoked_at = now
    elif state in {CertificateState.SCORING, CertificateState.ASKING}:
        certificate.closed_at = certificate.refused = None


def new_job(
    kind: JobKind,
    *,
    project_id: int | None,
    params: Mapping[str, Any],
    created_by: int | None = None,
    parent_id: int | None = None,
    dry_run: bool = False,
) -> Job:
    """A queued job; the caller adds it to a session and enqueues its message.

    Args:
        kind: What it does.
        project_id: Its project.
        params: Of its kind: see ``core.jobs.params``.
        created_by: Who has asked for it.
        parent_id: The job that it is a part of.
        dry_run: Whether it only measures what a job with these parameters would take.
    """
    return Job(
        kind=kind,
        state=JobState.QUEUED,
        project_id=project_id,
        params={**params, **({DRY_RUN: True} if dry_run else {})},
        created_by=created_by,
        parent_id=parent_id,
        sent_at=datetime.now(UTC),
    )


def claim_job(job: Job, worker: str) -> None:
    """Give a queued or abandoned ``job`` to ``worker``; the row must be locked."""
    _check("job", _JOB, job.state, JobState.RUNNING)
    now = datetime.now(UTC)
    job.state = JobState.RUNNING
    job.attempt += 1
    job.worker = worker
    job.heartbeat_at = func.clock_timestamp()
    job.started_at = job.started_at or now
    job.finished_at = None
    job.error = None


def finish_job(
    job: Job,
    state: JobState,
    *,
    result: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
    message: str | None = None,
) -> None:
    """End ``job`` as succeeded, failed or cancelled."""
    _check("job", _JOB, job.state, state)
    job.state = state
    job.result = dict(result) if result is not None else None
    job.error = dict(error) if error is not None else None
    job.message = message
    job.pause = None
    job.finished_at = datetime.now(UTC)
    note_job(job, job.finished_at)


def pause_job(job: Job, pause: Mapping[str, Any]) -> None:
    """Have a running ``job`` wait until somebody decides how it goes on: see ``resume_job``.

    Args:
        job: Nothing of what it has done is lost.
        pause: A ``core.jobs.pauses.Pause`` as JSON.
    """
    _check("job", _JOB, job.state, JobState.PAUSED)
    job.state = JobState.PAUSED
    job.pause = dict(pause)
    job.worker = job.heartbeat_at = job.message = None
    note_job(job, datetime.now(UTC))


def resume_job(job: Job) -> None:
    """Queue a paused ``job``; it goes on where it was."""
    if job.state is not JobState.PAUSED:
        raise Conflict("job_not_paused", f"The job is {job.state}, not paused.")
    job.state = JobState.QUEUED
    job.pause = None
    job.sent_at = datetime.now(UTC)


def give_back_job(job: Job) -> None:
    """Queue a running ``job`` again, so that its worker is free; it goes on where it is."""
    _check("job", _JOB, job.state, JobState.QUEUED)
    job.state = JobState.QUEUED
    job.worker = None
    job.heartbeat_at = None
    job.sent_at = datetime.now(UTC)


def requeue_job(job: Job) -> None:
    """Queue a failed or cancelled ``job`` again; it resumes from its last checkpoint."""
    if (obstacle := _NOT_AGAIN.get(job.state)) is not None:
        raise Conflict(f"job_{job.state}", obstacle)
    job.state = JobState.QUEUED
    job.cancel_requested = False
    job.error = None
    job.message = None
    # How long it took is counted from here: nobody worked on it since it ended.
    job.started_at = None
    job.finished_at = None
    job.heartbeat_at = None
    job.sent_at = datetime.now(UTC)


def request_cancel(job: Job) -> None:
    """Cancel a queued or paused ``job`` at once, or ask a running one to stop at its next check."""
    if job.state in {JobState.QUEUED, JobState.PAUSED}:
        finish_job(job, JobState.CANCELLED)
    elif job.state is JobState.RUNNING:
        job.cancel_requested = True
    else:
        ended = "was" if job.state is JobState.CANCELLED else "has"
        raise Conflict(
            f"job_{job.state}",
            f"The job {ended} {job.state} already; there is nothing left to cancel.",
        )


def mark_queried(example_ids: Collection[int]) -> Update:
    """Statement: unlabeled examples that enter a queue."""
    return _mark(example_ids, ExampleState.UNLABELED, ExampleState.QUERIED)


def mark_unqueried(example_ids: Collection[int]) -> Update:
    """Statement: examples whose query was withdrawn before anyone answered."""
    return _mark(example_ids, ExampleState.QUERIED, ExampleState.UNLABELED)


def mark_held_out(example_ids: Collection[int]) -> Update:
    """Statement: unlabeled examples that no round is to ask about."""
    return _mark(example_ids, ExampleState.UNLABELED, ExampleState.HELD_OUT)


def mark_released(example_ids: Collection[int]) -> Update:
    """Statement: examples that were held out and may be asked about again."""
    return _mark(example_ids, ExampleState.HELD_OUT, ExampleState.UNLABELED)


def _mark(example_ids: Collection[int], now: ExampleState, then: ExampleState) -> Update:
    which = among(Example.id, example_ids), Example.state == now
    return update(Example).where(*which).values(state=then)


def mark_answered(*, of_groups: bool = False) -> Update:
    """Statement: examples get the state and the label that their verdicts give them.

    Its parameters are four arrays of one length: ``answered``, example ids, ``states`` and
    ``labels``, for each its ``core.verdicts.consensus.outcome``, labels as JSON, and ``disputes``.

    Args:
        of_groups: The verdicts are on groups, of which the examples are the first: one of which
            something was said by itself stays that.
    """
    values = _outcomes()
    state = _unless_left_out(values.c.state)
    label: ColumnElement[Any] = cast(values.c.label, JSONB)
    if of_groups:
        alone = judged_alone(Example.id)
        state = case((alone, Example.state), else_=state)
        label = case((alone, Example.label), else_=label)
    return (
        update(Example)
        .where(Example.id == cast(values.c.id, BigInteger), Example.split.is_not(None))
        .values(state=state, label=label, disputed=cast(values.c.disputed, Boolean))
    )


def _outcomes() -> TableValuedAlias:
    """The parameters of ``mark_answered`` as rows."""
    return (
        func.unnest(
            bindparam("answered", type_=ARRAY(BigInteger)),
            bindparam("states", type_=ARRAY(String)),
            bindparam("labels", type_=ARRAY(String)),
            bindparam("disputes", type_=ARRAY(Boolean)),
        )
        .table_valued("id", "state", "label", "disputed", name="answers")
        .render_derived()
    )


def mark_members() -> Update:
    """Statement: what the verdicts on a group give its first example, the others get as well.

    For task types whose queries ask about several examples together; run after ``mark_answered``,
    with its parameters. A group is that of the latest query of its first example. Whether it is
    disputed stays with the first, so that it is counted once.
    """
    values = _outcomes()
    groups = (
        select(QueryMember.example_id, values.c.state, values.c.label)
        .join(Query, Query.id == QueryMember.query_id)
        .join(values, Query.example_id == cast(values.c.id, BigInteger))
        .where(is_latest(), QueryMember.example_id != Query.example_id)
        .subquery()
    )
    return (
        update(Example)
        .where(
            Example.id == groups.c.example_id,
            Example.split.is_not(None),
            ~judged_alone(Example.id),
        )
        .values(state=_unless_left_out(groups.c.state), label=cast(groups.c.label, JSONB))
    )


def _unless_left_out(state: ColumnElement[Any]) -> ColumnElement[Any]:
    """A state that verdicts give: a skip brings nothing back that was left out meanwhile."""
    new, out = cast(state, String), ExampleState.HELD_OUT.value
    return case((and_(Example.state == out, new == ExampleState.UNLABELED.value), out), else_=new)
