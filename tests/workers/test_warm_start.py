"""A first queue opens at random, and most of what nobody holds gives way to typical images."""

import shutil
import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import requeue_job
from core.rounds import AFTER_OPENING
from core.states import ExampleState, JobState, Role, RoundState
from core.tables import Annotation, Example, Job, Project, Query, Round
from models.errors import ModelError
from tests.api.test_labeling import lease, send, verdict
from tests.processes import Hold, eventually, worker
from tests.workers.killing import state
from tests.workers.loop import Loop
from tests.workers.loop import run as run_here
from tests.world import Caller, World
from workers.advance import handler, training
from workers.advance.advance import Advance
from workers.advance.warm_start import warm_start as put_typical

FROZEN = {"name": "patch_kmeans", "params": {}}
# Of 24 images, those at every fourth place stay.
QUEUE = 24


def begun(http: TestClient, world: World, **settings: Any) -> tuple[Project, Job]:
    """A project whose first round waits for a worker."""
    project = world.project(**{"images": 90, "model": FROZEN, "budget": 16, **settings})
    started = http.post(f"/api/projects/{project.id}/start", headers=world.caller().headers)
    assert started.status_code == 200, started.text
    job = world.session.scalars(select(Job).where(Job.project_id == project.id)).one()
    world.session.commit()
    return project, job


def run(world: World, job: Job) -> None:
    run_here(world.session, job)
    assert job.state is JobState.SUCCEEDED, job.error


def while_embedding(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Have ``act`` done when the queue is open, and has no typical images yet."""

    def embed(advance: Advance) -> None:
        act()
        training.embed(advance)

    instead_of(monkeypatch, "embed", embed)


def instead_of(monkeypatch: pytest.MonkeyPatch, phase: str, run: Callable[[Advance], None]) -> None:
    """Have another function run a phase of first rounds."""
    phases = tuple(
        replace(one, run=run) if one.name == phase else one for one in handler.FIRST_PHASES
    )
    monkeypatch.setattr(handler, "FIRST_PHASES", phases)


def queue_of(world: World, project: Project) -> list[Query]:
    world.session.expire_all()
    statement = select(Query).where(Query.project_id == project.id)
    return list(world.session.scalars(statement.order_by(Query.rank, Query.id)))


def notes_of(world: World, project: Project) -> list[str]:
    return world.session.scalars(select(Round.notes).where(Round.project_id == project.id)).one()


def assert_states_agree(world: World, project: Project) -> None:
    """Images wait for an answer exactly where a query does; none waits in two places."""
    waiting = [one.example_id for one in queue_of(world, project) if not one.done]
    statement = select(Example.id).where(
        Example.project_id == project.id, Example.state == ExampleState.QUERIED
    )
    assert set(world.session.scalars(statement)) == set(waiting)


def answer(http: TestClient, project: Project, caller: Caller, *query_ids: int) -> None:
    results = send(http, caller, project, *map(verdict, query_ids))["results"]
    assert {one["status"] for one in results} == {"accepted"}


def failed_once_open(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> tuple[Project, Job, Round]:
    """A project whose first job fails once its round is open, until another model is chosen."""

    def embed(advance: Advance) -> None:
        if advance.settings.model.params.get("features") != 16:
            raise ModelError("It cannot be had.")
        training.embed(advance)

    instead_of(monkeypatch, "embed", embed)
    project, job = begun(http, world)
    run_here(world.session, job)
    round_ = world.session.scalars(select(Round).where(Round.project_id == project.id)).one()
    assert (job.state, round_.state) == (JobState.FAILED, RoundState.OPEN)
    return project, job, round_


def retried(http: TestClient, world: World, project: Project, job: Job) -> None:
    """Another model is chosen, and the job queued again."""
    headers = world.caller().headers
    other = {"name": FROZEN["name"], "params": {"features": 16, "iterations": 2}}
    url, body = f"/api/projects/{project.id}", {"settings": {"model": other}}
    assert http.patch(url, json=body, headers=headers).status_code == 200
    assert http.post(f"/api/jobs/{job.id}/retry", headers=headers).status_code == 200
    world.session.expire_all()


def test_a_first_job_that_failed_goes_on_in_the_open_round_with_another_model(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, job, round_ = failed_once_open(http, world, monkeypatch)
    before = [one.id for one in queue_of(world, project)]
    retried(http, world, project, job)
    run(world, job)
    assert round_.state is RoundState.OPEN
    queries = queue_of(world, project)
    assert [one.id for one in queries] == before
    assert [one.typical for one in queries] == [place % 4 > 0 for place in range(QUEUE)]
    names = [one.name for one in handler.FIRST_PHASES]
    assert set(names[names.index("publish") + 1 :]) == AFTER_OPENING


def test_a_first_job_whose_unfinished_work_is_lost_goes_on_in_the_open_round(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restore: no backup holds it."""
    project, job, _ = failed_once_open(http, world, monkeypatch)
    before = [one.id for one in queue_of(world, project)]
    shutil.rmtree(world.storage.work(job.id))
    instead_of(monkeypatch, "embed", training.embed)
    requeue_job(job)
    world.session.commit()
    run(world, job)
    queries = queue_of(world, project)
    assert [one.id for one in queries] == before
    assert [one.typical for one in queries] == [place % 4 > 0 for place in range(QUEUE)]


def test_a_first_job_that_failed_leaves_alone_what_its_round_has_become(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, job, round_ = failed_once_open(http, world, monkeypatch)
    headers, settings = world.caller().headers, round_.settings
    closing = http.post(f"/api/projects/{project.id}/rounds/0/close", headers=headers).json()
    http.post(f"/api/jobs/{closing['job_id']}/cancel", headers=headers).raise_for_status()
    retried(http, world, project, job)
    assert (round_.state, round_.settings) == (RoundState.FAILED, settings)


def test_three_of_four_images_are_typical_and_the_others_are_drawn(
    world: World, http: TestClient
) -> None:
    plain, job = begun(http, world, first_queue="random")
    run(world, job)
    drawn = queue_of(world, plain)
    assert (len(drawn), {one.typical for one in drawn}) == (QUEUE, {False})
    assert notes_of(world, plain) == []
    assert "warm_start" not in job.checkpoint["seconds"]

    project, job = begun(http, world)
    run(world, job)
    queries = queue_of(world, project)
    assert [one.rank for one in queries] == list(range(QUEUE))
    assert [one.typical for one in queries] == [place % 4 > 0 for place in range(QUEUE)]
    # Of both projects the images were stored in the same order.
    places = [one.example_id - drawn[0].example_id for one in drawn]
    now = [one.example_id - queries[0].example_id for one in queries]
    assert now[::4] == places[::4]
    assert len(set(now)) == QUEUE
    assert set(now) != set(places)
    assert_states_agree(world, project)
    assert notes_of(world, project) == [
        "18 of the 24 images were chosen as typical of the pool, the others at random."
    ]


def test_each_annotator_has_a_query_of_every_image(world: World, http: TestClient) -> None:
    project, job = begun(http, world, overlap=2, budget=32)
    run(world, job)
    queries = queue_of(world, project)
    pairs = [queries[at : at + 2] for at in range(0, len(queries), 2)]
    assert len(pairs) == QUEUE
    assert all(one.example_id == two.example_id for one, two in pairs)
    assert [one.typical and two.typical for one, two in pairs] == [
        place % 4 > 0 for place in range(QUEUE)
    ]
    assert len({one.example_id for one, _ in pairs}) == QUEUE


def test_a_pool_that_is_all_in_the_queue_is_put_in_order(world: World, http: TestClient) -> None:
    project, job = begun(http, world, images=20)
    run(world, job)
    queries = queue_of(world, project)
    assert len({one.example_id for one in queries}) == len(queries) == 20
    assert sum(one.typical for one in queries) == 15
    assert_states_agree(world, project)


def test_what_anybody_has_seen_answered_or_sent_stays(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, job = begun(http, world)
    admin, annotator = world.caller(), world.caller(Role.ANNOTATOR, project)
    kept: dict[int, int] = {}
    given_back: list[int] = []

    def work() -> None:
        tab = str(uuid.uuid4())
        seen = lease(http, annotator, project, 6, tab)["items"]
        answer(http, project, annotator, *(one["query_id"] for one in seen[:2]))
        url = f"/api/projects/{project.id}/labeling/release"
        http.post(url, json={"client": tab}, headers=annotator.headers)
        given_back.extend(one["query_id"] for one in seen[2:])
        sent = queue_of(world, project)[-1]
        body = {"ids": [sent.example_id]}
        url = f"/api/projects/{project.id}/examples/queue"
        assert http.post(url, json=body, headers=admin.headers).status_code == 200
        held = lease(http, admin, project, 1)["items"]
        kept.update({one["query_id"]: one["example_id"] for one in (*seen, *held)})
        kept[sent.id] = sent.example_id
        world.session.rollback()

    while_embedding(monkeypatch, work)
    run(world, job)
    queries = {one.id: one for one in queue_of(world, project)}
    assert {id_: queries[id_].example_id for id_ in kept} == kept
    assert not any(queries[id_].typical for id_ in kept)
    free = [one for one in queries.values() if one.id not in kept and one.rank % 4]
    assert len(free) >= 12
    assert all(one.typical for one in free)
    assert_states_agree(world, project)
    # An answer to what was given back comes late, and is to the image that was shown.
    answer(http, project, annotator, *given_back)
    said = select(Annotation.query_id, Annotation.example_id)
    stored = dict(world.session.execute(said.where(Annotation.query_id.in_(given_back))).all())
    assert stored == {id_: kept[id_] for id_ in given_back}


def test_a_round_that_ended_meanwhile_is_left_alone(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, job = begun(http, world, zero_wait=False)
    annotator = world.caller(Role.ANNOTATOR, project)

    def finish() -> None:
        seen = lease(http, annotator, project, 16)["items"]
        answer(http, project, annotator, *(one["query_id"] for one in seen))

    while_embedding(monkeypatch, finish)
    run(world, job)
    rounds = select(Round).where(Round.project_id == project.id, Round.number == 0)
    assert world.session.scalars(rounds).one().state is RoundState.CLOSING
    assert not any(one.typical for one in queue_of(world, project))


def test_everybody_answers_what_was_shown_while_images_are_replaced(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, job = begun(http, world, images=200, budget=80, zero_wait=False)
    annotators = [world.caller(Role.ANNOTATOR, project) for _ in range(3)]
    # The threads read its number, and a session is for one thread.
    world.session.refresh(project)
    world.session.expunge(project)
    shown: dict[int, int] = {}
    embedded = threading.Event()

    def label(caller: Caller) -> None:
        assert embedded.wait(60)
        for _ in range(8):
            # While their images are being changed, places are passed over.
            while not (items := lease(http, caller, project, 3)["items"]):
                pass
            shown.update({one["query_id"]: one["example_id"] for one in items})
            answer(http, project, caller, *(one["query_id"] for one in items))

    threads = [threading.Thread(target=label, args=(caller,)) for caller in annotators]
    for thread in threads:
        thread.start()

    def warm_start(advance: Advance) -> None:
        embedded.set()
        put_typical(advance)

    instead_of(monkeypatch, "warm_start", warm_start)
    run(world, job)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    world.session.expire_all()
    said = select(Annotation.query_id, Annotation.example_id).where(
        Annotation.project_id == project.id
    )
    stored = dict(world.session.execute(said).all())
    assert len(stored) > 60
    assert stored == shown
    assert_states_agree(world, project)


def test_a_worker_that_is_killed_leaves_no_half_queue(
    world: World, http: TestClient, tmp_path: Path
) -> None:
    unharmed, whole = begun(http, world)
    victim, job = begun(http, world)
    ends = "coalesce({}.checkpoint->'seconds', '{{}}') ? 'warm_start'"
    hold = Hold(
        "jobs",
        f"TG_OP = 'UPDATE' AND NEW.id = {job.id} AND {ends.format('NEW')} "
        f"AND NOT {ends.format('OLD')}",
    )
    with worker("housekeeping,gpu", tmp_path / "killed.log", "both") as process:
        for message in (RunJob.of(whole), RunJob.of(job)):
            queue.send(message)
        eventually(hold.waiting, "the worker has put typical images into the queue")
        process.kill()
        process.wait(10)
    hold.forget()
    hold.let_go()
    assert state(world, whole) is JobState.SUCCEEDED
    assert not any(one.typical for one in queue_of(world, victim))
    dead = update(Job).where(Job.id == job.id)
    world.session.execute(dead.values(heartbeat_at=func.now() - func.make_interval(0, 0, 0, 1)))
    world.session.commit()
    with worker("gpu", tmp_path / "resumed.log"):
        queue.send(RunJob.of(job))
        eventually(lambda: state(world, job) is JobState.SUCCEEDED, "the job resumes")
    mine, theirs = queue_of(world, victim), queue_of(world, unharmed)
    offset = mine[0].example_id - theirs[0].example_id
    assert [(one.rank, one.typical, one.example_id) for one in mine] == [
        (one.rank, one.typical, one.example_id + offset) for one in theirs
    ]
    assert_states_agree(world, victim)


def test_a_network_has_no_features_to_choose_by_and_the_round_says_so(
    world: World, http: TestClient
) -> None:
    project, job = begun(http, world, model={"name": "cnn_tiny", "params": {"steps": 1}})
    run(world, job)
    assert not any(one.typical for one in queue_of(world, project))
    (note,) = notes_of(world, project)
    assert note.startswith("The first images were drawn at random")


def test_only_what_was_drawn_tells_of_the_pool(world: World, http: TestClient) -> None:
    loop, admin = Loop(world), world.caller()
    first = loop.rounds()[0]
    # Of the first eight, three are OOD: the first, the fourth and the seventh.
    chosen = update(Query).where(Query.round_id == first.id, Query.rank.in_([1, 2, 3, 5]))
    world.session.execute(chosen.values(typical=True))
    world.session.commit()
    loop.advance(0, 8)
    url = f"/api/projects/{loop.project.id}/rounds"
    found = http.get(url, headers=admin.headers).json()["items"]
    assert (found[0]["answered"]["label"], found[0]["answered"]["ood"]) == (5, 3)
    assert found[0]["drawn"] == {
        **{"label": 2, "no_objects": 0, "ood": 2, "skip": 0, "unsure": 0},
        "class": 2,
    }
    assert found[1]["drawn"] is None
    estimate = found[0]["ood_left"]["by_random"]
    # Half of what was drawn is OOD, and so of the 56 others; one of these is known to be.
    assert (estimate["answers"], estimate["count"]) == (4, pytest.approx(0.5 * 56 - 1))
    # Asked about anew, an image is still one that was chosen.
    again = loop.queue(0)[3][1]
    ids = select(Example.id).where(
        Example.project_id == loop.project.id, Example.pool_index == again
    )
    body = {"ids": [world.session.scalars(ids).one()]}
    world.session.commit()
    sent = http.post(
        f"/api/projects/{loop.project.id}/examples/queue", json=body, headers=admin.headers
    )
    assert sent.status_code == 200, sent.text
    loop.advance(1, 6)
    found = http.get(url, headers=admin.headers).json()["items"]
    assert found[1]["ood_left"]["by_random"]["answers"] == 4
