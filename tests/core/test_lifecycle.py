"""States change along legal ways only."""

from itertools import product
from typing import Any

import pytest

from core.errors import Conflict
from core.lifecycle import (
    claim_job,
    finish_job,
    move_project,
    move_round,
    new_job,
    pause_job,
    request_cancel,
    requeue_job,
    resume_job,
)
from core.states import JobKind, JobState, ProjectState, RoundState
from core.tables import Job, Project, Round

PROJECT_WAYS = {
    ("draft", "running"),
    ("running", "paused"),
    ("running", "finished"),
    ("paused", "running"),
    ("paused", "finished"),
    ("finished", "running"),
}
ROUND_WAYS = {
    ("selecting", "open"),
    ("selecting", "closed"),
    ("selecting", "failed"),
    ("open", "closing"),
    ("closing", "closed"),
    ("closing", "failed"),
    ("failed", "selecting"),
    ("failed", "closing"),
    ("closed", "closing"),
}
STAMPS = {
    RoundState.OPEN: "opened_at",
    RoundState.CLOSING: "closing_at",
    RoundState.CLOSED: "closed_at",
}
ENDS = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


@pytest.mark.parametrize(("now", "then"), list(product(ProjectState, ProjectState)))
def test_project_moves_along_legal_ways_only(now: ProjectState, then: ProjectState) -> None:
    project = Project(state=now)
    if (now, then) in PROJECT_WAYS:
        move_project(project, then)
        assert project.state is then
    else:
        with pytest.raises(Conflict, match=f"cannot become {then}") as refused:
            move_project(project, then)
        assert refused.value.code == f"project_{now}"
        assert project.state is now


@pytest.mark.parametrize(("now", "then"), list(product(RoundState, RoundState)))
def test_round_moves_along_legal_ways_only(now: RoundState, then: RoundState) -> None:
    round_ = Round(state=now)
    if (now, then) in ROUND_WAYS:
        move_round(round_, then)
        assert round_.state is then
        stamped = {state for state, name in STAMPS.items() if getattr(round_, name) is not None}
        assert stamped == {then} & set(STAMPS)
    else:
        with pytest.raises(Conflict, match=f"cannot become {then}") as refused:
            move_round(round_, then)
        assert refused.value.code == f"round_{now}"
        assert round_.state is now


def test_retried_round_keeps_the_time_it_began_to_close() -> None:
    round_ = Round(state=RoundState.OPEN)
    move_round(round_, RoundState.CLOSING)
    began = round_.closing_at
    move_round(round_, RoundState.FAILED)
    move_round(round_, RoundState.CLOSING)
    assert round_.closing_at == began


def job(state: JobState, **values: Any) -> Job:
    found = new_job(JobKind.IMPORT_POOL, project_id=1, params={"upload": "x"})
    for name, value in {"attempt": 1, "cancel_requested": False, **values}.items():
        setattr(found, name, value)
    found.state = state
    return found


def test_queued_and_abandoned_jobs_are_claimed() -> None:
    for state in (JobState.QUEUED, JobState.RUNNING):
        claimed = job(state)
        claim_job(claimed, "worker:1")
        # The attempt is the fence that keeps the earlier worker from writing.
        assert (claimed.state, claimed.attempt, claimed.worker) == (JobState.RUNNING, 2, "worker:1")
        assert claimed.heartbeat_at is not None
        assert claimed.started_at is not None


def test_started_at_is_that_of_the_first_attempt_since_somebody_asked_for_the_job() -> None:
    found = job(JobState.QUEUED)
    claim_job(found, "one")
    started = found.started_at
    claim_job(found, "two")
    assert found.started_at == started
    finish_job(found, JobState.FAILED, error={"code": "x", "detail": "y"})
    requeue_job(found)
    assert (found.started_at, found.finished_at, found.error) == (None, None, None)
    claim_job(found, "three")
    assert found.started_at is not None
    assert started is not None
    assert found.started_at > started


@pytest.mark.parametrize("state", ENDS)
def test_running_job_ends_once(state: JobState) -> None:
    found = job(JobState.RUNNING)
    finish_job(found, state, result={"added": 1}, message="Done.")
    assert (found.state, found.result, found.message) == (state, {"added": 1}, "Done.")
    assert found.finished_at is not None
    for again in ENDS:
        with pytest.raises(Conflict, match=f"The job is {state}"):
            finish_job(found, again)
    with pytest.raises(Conflict, match="cannot become running"):
        claim_job(found, "worker:1")


@pytest.mark.parametrize("state", [JobState.SUCCEEDED, JobState.FAILED])
def test_queued_job_ends_only_by_being_cancelled(state: JobState) -> None:
    found = job(JobState.QUEUED)
    with pytest.raises(Conflict):
        finish_job(found, state)
    finish_job(found, JobState.CANCELLED)
    assert found.state is JobState.CANCELLED


@pytest.mark.parametrize("state", JobState)
def test_a_running_job_is_paused_and_a_paused_one_goes_on(state: JobState) -> None:
    found, paused = job(state, worker="worker:1"), job(state)
    if state is JobState.RUNNING:
        pause_job(found, {"reason": "spending_cap"})
        assert (found.state, found.worker, found.error) == (JobState.PAUSED, None, None)
        assert (found.pause, found.finished_at) == ({"reason": "spending_cap"}, None)
    else:
        with pytest.raises(Conflict, match="cannot become paused"):
            pause_job(found, {})
    if state is JobState.PAUSED:
        resume_job(paused)
        assert (paused.state, paused.pause) == (JobState.QUEUED, None)
    else:
        with pytest.raises(Conflict) as refused:
            resume_job(paused)
        assert refused.value.code == "job_not_paused"


@pytest.mark.parametrize("state", JobState)
def test_only_failed_and_cancelled_jobs_are_queued_again(state: JobState) -> None:
    done = {"seconds": {"import": 1.0}}
    found = job(state, cancel_requested=True, message="Cancelled.", checkpoint=done)
    if state in {JobState.FAILED, JobState.CANCELLED}:
        requeue_job(found)
        after = (found.state, found.cancel_requested, found.message)
        assert after == (JobState.QUEUED, False, None)
        # What was done stays done.
        assert found.checkpoint == done
    else:
        with pytest.raises(Conflict) as refused:
            requeue_job(found)
        assert refused.value.code == f"job_{state}"


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (JobState.QUEUED, (JobState.CANCELLED, False)),
        (JobState.RUNNING, (JobState.RUNNING, True)),
        (JobState.PAUSED, (JobState.CANCELLED, False)),
        *((state, None) for state in ENDS),
    ],
)
def test_cancel_stops_what_can_still_be_stopped(state: JobState, expected: Any) -> None:
    found = job(state)
    if expected is None:
        with pytest.raises(Conflict, match="already"):
            request_cancel(found)
    else:
        request_cancel(found)
        assert (found.state, found.cancel_requested) == expected
