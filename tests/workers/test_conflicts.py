"""Jobs of one project that would be in each other's way, and settings that change meanwhile."""

import threading
import time
from itertools import pairwise
from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.jobs import queue
from core.jobs.messages import QUEUE_OF, RunJob
from core.lifecycle import claim_job, finish_job
from core.states import JobState, Verdict
from core.tables import Job
from models.catalog import specs
from models.target.train import train_target
from tests.workers.loop import Loop
from tests.workers.starting import done_job, start_job
from tests.world import World
from workers.advance import handler as advance
from workers.celery_tasks.sweep import sweep
from workers.execution.runner import run_job
from workers.jobs.context import JobContext

TASK = "classification"
# Certify wants the model of a round; it takes its turn by the same rule.
BY_HAND = [
    one.name
    for one in specs()
    if one.kind == "job" and one.serves_task(TASK) and one.name != "certify"
]
QUICK = {"network": "cnn_tiny", "width": 4, "epochs": 2, "batch_size": 4, "flip": False}


class Watched:
    """A job that takes a moment, and notes how many were at work at once."""

    def __init__(self) -> None:
        self.lock, self.at_work, self.most = threading.Lock(), 0, 0

    def run(self, context: JobContext) -> dict[str, Any]:
        context.plan(("gather",))
        with self.lock:
            self.at_work += 1
            self.most = max(self.most, self.at_work)
        time.sleep(0.3)
        with self.lock:
            self.at_work -= 1
        return {}


def run(job: Job, handler: Any) -> None:
    run_job(RunJob.of(job), handler)


def seen(job: Job) -> tuple[JobState, str | None]:
    return job.state, job.message


def at_work(world: World, job: Job) -> None:
    claim_job(job, "elsewhere")
    world.session.commit()


# Two of one kind are refused at the start: tests/api/test_job_start.py.
@pytest.mark.parametrize(("kind", "other"), [*pairwise([*BY_HAND, BY_HAND[0]])])
def test_hand_started_jobs_of_a_project_run_one_after_the_other(
    http: TestClient, world: World, kind: str, other: str
) -> None:
    # Of a size that no import chooses, so that there is another to bring the images to.
    project, elsewhere = (world.project(images=4, input_size=12) for _ in "ab")
    first = start_job(http, world, project, kind, {})
    second = start_job(http, world, project, other, {})
    foreign = start_job(http, world, elsewhere, other, {})
    at_work(world, first)
    for job in (second, foreign):
        run(job, Watched())
        world.session.refresh(job)
    assert foreign.state is JobState.SUCCEEDED
    waits = f"Waits for job {first.id} of this project to end."
    assert seen(second) == (JobState.QUEUED, waits)
    # It is not forgotten while other messages wait: the end of the first sends it again.
    its_queue = QUEUE_OF[second.kind]
    waiting = queue.waiting(its_queue)
    first.heartbeat_at = None
    world.session.commit()
    run(first, Watched())
    assert queue.waiting(its_queue) == waiting + 1
    run(second, Watched())
    world.session.refresh(second)
    assert seen(second) == (JobState.SUCCEEDED, None)


def test_who_waits_for_a_job_is_sent_again_though_its_worker_died_in_the_end(
    http: TestClient, world: World
) -> None:
    project = world.project(images=4)
    first = start_job(http, world, project, "prune", {})
    second = start_job(http, world, project, "relabel", {})
    at_work(world, first)
    run(second, Watched())
    waiting = queue.waiting("gpu")
    sweep({})
    assert queue.waiting("gpu") == waiting
    world.session.refresh(first)
    finish_job(first, JobState.SUCCEEDED)
    world.session.commit()
    for _ in range(3):
        sweep({})
    assert queue.waiting("gpu") == waiting + 1
    world.session.refresh(second)
    assert seen(second) == (JobState.QUEUED, None)


def test_two_workers_never_run_two_of_them_at_once(http: TestClient, world: World) -> None:
    project = world.project(images=4, input_size=12)
    jobs = [start_job(http, world, project, kind, {}) for kind in BY_HAND]
    watched = Watched()
    threads = [threading.Thread(target=run, args=(job, watched)) for job in jobs]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for job in jobs:
        world.session.refresh(job)
    states = sorted(job.state for job in jobs)
    assert watched.most == 1
    assert JobState.SUCCEEDED in states
    assert set(states) <= {JobState.SUCCEEDED, JobState.QUEUED}


def test_a_round_does_not_wait_for_what_is_started_by_hand(http: TestClient, world: World) -> None:
    loop = Loop(world)
    at_work(world, start_job(http, world, loop.project, "prune", QUICK))
    assert loop.advance(0).state is JobState.SUCCEEDED


def test_a_job_at_work_is_not_started_or_retried_beside_another_of_its_kind(
    http: TestClient, world: World
) -> None:
    project, headers = world.project(images=4), world.caller().headers
    stopped = start_job(http, world, project, "prune", QUICK)
    http.post(f"/api/jobs/{stopped.id}/cancel", headers=headers)
    # An estimate is a job of its kind as well.
    estimate = start_job(http, world, project, "prune", QUICK, dry_run=True)
    refused = http.post(f"/api/jobs/{stopped.id}/retry", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "job_active")
    assert f"Job {estimate.id} of this kind is queued" in refused.json()["detail"]


def test_a_subset_taken_up_or_back_while_a_round_trains_counts_from_the_next_on(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[int] = []

    def watched(store: Any, indices: Any, labels: Any, **options: Any) -> Any:
        trained.append(len(indices))
        return train_target(store, indices, labels, **options)

    monkeypatch.setattr("models.tasks.classification.train_target", watched)
    loop = Loop(world)
    loop.answer(0, 8, Verdict.LABEL)
    job = done_job(http, world, loop.project, "prune", QUICK | {"method": "uniform"})
    assert job.result is not None

    def use(subset: int | None) -> None:
        body = {"settings": {"subset": subset}}
        path, headers = f"/api/projects/{loop.project.id}", world.caller().headers
        assert http.patch(path, json=body, headers=headers).status_code == 200
        loop.session.expire_all()

    use(job.result["subset_id"])
    closing = loop.close(0)
    # The round that is closing keeps what it began with.
    use(None)
    run_job(RunJob.of(closing), advance)
    loop.advance(1, 4, Verdict.LABEL)
    assert trained == [4, 12]


def test_a_project_whose_subset_is_at_work_is_not_deleted(http: TestClient, world: World) -> None:
    project, headers = world.project(images=4), world.caller().headers
    job = start_job(http, world, project, "prune", QUICK)
    at_work(world, job)
    refused = http.delete(f"/api/projects/{project.id}", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "project_busy")
