"""A new project's first queue opens beside whatever the workers that train do."""

from pathlib import Path

from fastapi.testclient import TestClient
from sqlalchemy import select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobState, Role, RoundState
from core.tables import Job, Query, Round
from tests.api.test_labeling import lease, send, url, verdict
from tests.processes import Hold, eventually, worker
from tests.workers.killing import kill_in_every_phase, state
from tests.workers.loop import Loop, run
from tests.workers.test_warm_start import QUEUE, begun, queue_of
from tests.world import World
from workers.advance import handler
from workers.execution.claiming import claim
from workers.execution.runner import run_job


def test_the_first_images_come_while_another_project_trains(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    busy = Loop(world)
    busy.answer(0, 8)
    training = busy.close(0)
    trained = "coalesce({}.checkpoint->'seconds', '{{}}') ? 'train'"
    hold = Hold(
        "jobs",
        f"TG_OP = 'UPDATE' AND NEW.id = {training.id} AND {trained.format('NEW')} "
        f"AND NOT {trained.format('OLD')}",
    )
    queue.send(RunJob.of(training))
    world.session.rollback()
    with (
        worker("gpu", tmp_path / "gpu.log"),
        worker("housekeeping", tmp_path / "housekeeping.log"),
    ):
        eventually(hold.waiting, "the worker is in the middle of a training")
        project, job = begun(http, world)
        annotator, admin = world.caller(Role.ANNOTATOR, project), world.caller()
        eventually(lambda: lease(http, annotator, project, 1)["items"], "an image is there")
        (item,) = lease(http, annotator, project, 1)["items"]
        sent = send(http, annotator, project, verdict(item["query_id"]))
        assert [one["status"] for one in sent["results"]] == ["accepted"]
        eventually(lambda: state(world, job) is JobState.QUEUED, "the rest is handed on")
        assert hold.waiting()
        assert state(world, training) is JobState.RUNNING
        shown = http.get("/api/admin/workers", headers=admin.headers).json()["queues"]
        waiting = {one["name"]: (one["queued"], one["running"]) for one in shown}
        assert (waiting["gpu"], waiting["housekeeping"]) == ((1, 1), (0, 0))
        assert job.progress is not None
        assert job.progress["phase"] == "embed"
        # One that comes too late begins nothing that needs a worker that trains.
        assert claim(RunJob(job_id=job.id, kind=job.kind, opening=True)) is None
        hold.let_go()
        eventually(lambda: state(world, job) is JobState.SUCCEEDED, "the rest is done")
    queries = queue_of(world, project)
    assert sum(one.typical for one in queries) > QUEUE / 2


def test_a_worker_that_is_killed_while_it_opens_a_queue_leaves_what_another_would_have_drawn(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    unharmed, whole = begun(http, world)
    run_job(RunJob.of(whole), handler)
    victim, job = begun(http, world)
    message = RunJob.of(job)
    world.session.rollback()
    kill_in_every_phase(
        world, job, message, ("snapshot", "select", "publish"), tmp_path / "killed.log"
    )
    assert queue_of(world, victim) == []
    run_job(message, handler)
    world.session.expire_all()
    assert [(one.state, one.checkpoint["handed_on"]) for one in (whole, job)] == [
        (JobState.QUEUED, True)
    ] * 2
    mine, theirs = queue_of(world, victim), queue_of(world, unharmed)
    offset = mine[0].example_id - theirs[0].example_id
    assert [one.example_id - offset for one in mine] == [one.example_id for one in theirs]
    assert len(mine) == QUEUE


def test_what_is_left_of_a_first_job_has_no_part_in_a_round_that_closes(
    http: TestClient, world: World
) -> None:
    project, job = begun(http, world)
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    annotator, admin = world.caller(Role.ANNOTATOR, project), world.caller()
    while items := lease(http, annotator, project, 8)["items"]:
        send(http, annotator, project, *(verdict(one["query_id"]) for one in items))
    rounds = select(Round).where(Round.project_id == project.id).order_by(Round.number)
    first = world.session.scalars(rounds).first()
    assert first is not None
    assert first.state is RoundState.CLOSING
    http.post(f"/api/jobs/{job.id}/cancel", headers=admin.headers).raise_for_status()
    world.session.expire_all()
    assert (job.state, first.state) == (JobState.CANCELLED, RoundState.CLOSING)
    closing = world.session.get_one(Job, first.job_id)
    assert run(world.session, closing).state is JobState.SUCCEEDED, closing.error
    second = world.session.scalars(rounds).all()[1]
    asked = select(Query.id, Query.example_id).where(Query.round_id == second.id)
    before = world.session.execute(asked.order_by(Query.id)).all()
    http.post(f"/api/jobs/{job.id}/retry", headers=admin.headers).raise_for_status()
    world.session.expire_all()
    assert run(world.session, job).state is JobState.SUCCEEDED, job.error
    assert [one.state for one in world.session.scalars(rounds)] == [
        RoundState.CLOSED,
        RoundState.OPEN,
    ]
    assert world.session.execute(asked.order_by(Query.id)).all() == before


def test_a_first_queue_that_nobody_opens_says_which_worker_is_missing(
    http: TestClient, world: World
) -> None:
    project, job = begun(http, world)
    assert job.sent_at is not None
    job.created_at = job.sent_at = job.sent_at.replace(year=2000)
    world.session.commit()
    told = http.get(url(project, "between"), headers=world.caller().headers).json()
    assert told["waits"].startswith("Waits for a worker of the queue housekeeping, and none")
