"""The round engine: what it computes, and that it survives a kill in every phase."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from core.files.storage import sha256
from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import (
    ArtifactKind,
    ExampleState,
    JobState,
    ProjectState,
    RoundState,
    Split,
    Verdict,
)
from core.tables import Annotation, Artifact, Example, Job, Query
from models.ranking.pool_scores import PoolScores
from tests.processes import Hold, eventually, worker
from tests.workers.killing import kill_in_every_phase, named
from tests.workers.loop import TINY, Loop, run
from tests.workers.test_learn_features import cut_off
from tests.world import World
from workers.advance import handler
from workers.advance.advance import Advance
from workers.advance.reads import expected_seconds
from workers.advance.selecting import select as select_queries
from workers.execution.runner import run_job
from workers.jobs.context import JobContext


def test_a_round_closes_and_the_next_opens(world: World) -> None:
    loop = Loop(world)
    job = loop.advance(0)
    first, second = loop.rounds()
    assert (first.state, second.state) == (RoundState.CLOSED, RoundState.OPEN)
    assert first.accuracy is not None
    assert 0 <= first.accuracy <= 1
    # A network needs no embeddings, there was no query set that MQ-Net could learn from, and
    # nothing is proposed to whoever says classes.
    done = set(named(handler.PHASES)) - {"embed", "meta_train", "propose"}
    assert set(first.seconds) == done - {"publish"}
    assert set(job.checkpoint["seconds"]) == done
    queue_ = loop.queue(1)
    # The budget's worth of images and half as many again for zero-wait.
    assert [rank for rank, _, _ in queue_] == list(range(12))
    scores = [score for _, _, score in queue_ if score is not None]
    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)
    # No MQ-Net before its first answers: expected value, and a note that says so.
    assert "ranked by expected value" in " ".join(second.notes)


def test_only_phases_that_have_anything_to_do_are_shown(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[list[str]] = []
    plan = JobContext.plan

    def watched(context: JobContext, phases: Sequence[str], *known: Any) -> None:
        planned.append(list(phases))
        plan(context, phases, *known)

    monkeypatch.setattr(JobContext, "plan", watched)
    loop = Loop(world, evaluation=0, strategy={"name": "margin"}, max_rounds=3)
    loop.advance(0)
    loop.advance(1)
    done = {"snapshot", "train", "score", "select"}
    assert set(loop.rounds()[1].seconds) == done
    # That there is no evaluation image shows only in the snapshot.
    first, *rest = planned
    assert first == ["snapshot", "train", "score", "select", "evaluate", "publish"]
    assert all(set(phases) == {*done, "publish"} for phases in rest if phases != first)
    loop.advance(2)
    assert set(loop.rounds()[2].seconds) == {"snapshot", "train"}
    # Of the next round, if there is one, is expected what the last that had it tells.
    took = expected_seconds(world.session, loop.project.id)
    assert took == loop.rounds()[1].seconds | loop.rounds()[2].seconds


def test_mqnet_learns_only_where_a_selection_follows(world: World) -> None:
    loop = Loop(world, max_rounds=2)
    loop.advance(0)
    loop.advance(1)
    assert loop.project.state is ProjectState.FINISHED
    assert "meta_train" not in loop.rounds()[1].seconds


def test_mqnet_is_kept_while_another_strategy_is_tried(world: World) -> None:
    loop = Loop(world)

    def choose(strategy: str) -> None:
        settings = loop.project.settings
        loop.project.settings = {**settings, "strategy": {"name": strategy, "params": {}}}
        loop.session.commit()

    for number in range(2):
        loop.advance(number)
    choose("margin")
    for number in (2, 3):
        loop.advance(number)
    files = loop.files()
    learned, kept = (files[f"rounds/{number}/mqnet.safetensors"] for number in (2, 4))
    assert "meta_train" not in loop.rounds()[3].seconds
    assert kept == learned


def test_queries_say_what_the_model_takes_them_for(world: World) -> None:
    loop = Loop(world, purity={"name": "probe", "params": {"least_ood": 1}})
    loop.advance(0)
    first, second = loop.rounds()
    queries = world.session.scalars(select(Query).order_by(Query.rank)).all()
    of_random = [query for query in queries if query.round_id == first.id]
    assert {(one.predicted_class_id, one.in_probability) for one in of_random} == {(None, None)}
    predicted = [query for query in queries if query.round_id == second.id]
    assert {one.predicted_class_id for one in predicted} <= {item.id for item in loop.classes}
    assert all(one.probability is not None and 0.5 <= one.probability <= 1 for one in predicted)
    assert all(one.in_probability is not None for one in predicted)
    # Of what is not asked about it is known as well.
    kept = select(Artifact).where(Artifact.kind == ArtifactKind.SCORES)
    file = world.storage.artifact(world.session.scalars(kept).one().storage_key)
    scores = PoolScores.from_parquet(file)
    assert scores.inside is not None
    assert len(scores.inside) > len(predicted)
    known = dict(zip(scores.indices.tolist(), scores.inside.tolist(), strict=True))
    for one in predicted:
        place = world.session.get_one(Example, one.example_id).pool_index
        assert one.in_probability == pytest.approx(known[place])


def test_second_round_trains_mqnet_on_answers_it_had_not_seen(world: World) -> None:
    loop = Loop(world)
    loop.advance(0)
    loop.advance(1)
    kinds = {
        (artifact.kind, artifact.meta["round"])
        for artifact in world.session.scalars(select(Artifact))
    }
    assert kinds == {
        (ArtifactKind.CHECKPOINT, 0),
        (ArtifactKind.SCORES, 1),
        (ArtifactKind.CHECKPOINT, 1),
        (ArtifactKind.META_MODEL, 2),
        (ArtifactKind.SCORES, 2),
    }
    for artifact in world.session.scalars(select(Artifact)):
        path = world.storage.artifact(artifact.storage_key)
        assert (sha256(path), path.stat().st_size) == (artifact.sha256, artifact.bytes)
    # A round keeps, as it closes, how much purity counted in its choice.
    drawn, closed, opened = (one.metrics.get("purity_weight") for one in loop.rounds())
    assert drawn is None
    assert closed is not None
    assert opened is not None
    assert 0 <= min(closed, opened) <= max(closed, opened) <= 1


def test_nothing_answered_is_selected_again(world: World) -> None:
    loop = Loop(world)
    for number in range(3):
        loop.advance(number)
    seen: set[int] = set()
    statement = select(Example.pool_index).join(Annotation, Annotation.example_id == Example.id)
    answered = list(world.session.scalars(statement))
    assert len(answered) == len(set(answered)) == 24
    seen = {index for _, index, _ in loop.queue(3)}
    assert not seen & set(answered)
    evaluation = set(
        world.session.scalars(select(Example.pool_index).where(Example.split == Split.EVALUATION))
    )
    assert not seen & evaluation


def test_withdrawn_queries_return_to_the_pool(world: World) -> None:
    loop = Loop(world)
    loop.advance(0)
    states = dict(
        world.session.execute(
            select(Example.state, func.count())
            .where(Example.split == Split.POOL)
            .group_by(Example.state)
        ).all()
    )
    assert states[ExampleState.QUERIED] == 12
    assert sum(states.values()) == 60
    left = select(func.count()).where(Query.round_id == loop.rounds()[0].id, ~Query.done)
    assert world.session.scalar(left) == 0


def test_a_query_under_lease_survives_the_next_batch(world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    held = world.session.scalars(
        select(Query).where(~Query.done).order_by(Query.rank).limit(1)
    ).one()
    world.session.execute(
        update(Query)
        .where(Query.id == held.id)
        .values(lease_expires_at=func.now() + func.make_interval(0, 0, 0, 0, 1))
    )
    world.session.commit()
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    assert not held.done
    assert (
        held.example_id
        not in world.session.scalars(
            select(Query.example_id).where(Query.round_id == loop.rounds()[1].id)
        ).all()
    )


def answer_ahead(loop: Loop, n: int) -> Sequence[Any]:
    """While the job waits, ``n`` more images of the old queue are answered for round 1."""
    following = loop.rounds()[1]
    tail = loop.session.execute(
        select(Query, Example)
        .join(Example, Example.id == Query.example_id)
        .where(~Query.done)
        .order_by(Query.rank)
        .limit(n)
    ).all()
    for query, example in tail:
        loop._store(following, query, example, Verdict.OOD, None)
    loop.session.commit()
    return tail


def test_answers_that_empty_the_pool_are_learned_from_and_the_round_says_why_it_asks_nothing(
    world: World,
) -> None:
    frozen = {"name": "patch_kmeans", "params": {}}
    loop = Loop(world, images=12, evaluation=0, model=frozen, strategy={"name": "margin"})
    loop.answer(0, 8)
    job = loop.close(0)
    answer_ahead(loop, 4)
    run_job(RunJob.of(job), handler)
    second = loop.rounds()[1]
    assert (second.state, second.queries, second.spent) == (RoundState.CLOSING, 0, 4.0)
    assert "the model learns once more, from the last answers" in " ".join(second.notes)
    (last,) = world.session.scalars(select(Job).where(Job.id == second.job_id))
    run_job(RunJob.of(last), handler)
    assert loop.rounds()[1].state is RoundState.CLOSED
    assert "No unlabeled image is left in the pool." in loop.rounds()[2].notes
    assert loop.project.state is ProjectState.FINISHED


def test_zero_wait_answers_belong_to_the_next_round(world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    tail = answer_ahead(loop, 2)
    run_job(RunJob.of(job), handler)
    indices = {index for _, index, _ in loop.queue(1)}
    assert not indices & {example.pool_index for _, example in tail}
    # They were scored by the model that had not seen them, and train MQ-Net in the next round.
    loop.advance(1, 6)
    assert loop.rounds()[1].spent == 8.0
    assert "no scores" not in " ".join(loop.rounds()[2].notes)


def test_only_ood_answers_train_nothing_and_the_next_batch_is_random(world: World) -> None:
    loop = Loop(world)
    loop.advance(0, verdict=Verdict.OOD)
    first, second = loop.rounds()
    assert first.accuracy is None
    assert "No image has a class yet" in " ".join(first.notes)
    assert second.state is RoundState.OPEN
    assert "random" in " ".join(second.notes)


def test_an_empty_pool_finishes_the_project(world: World) -> None:
    loop = Loop(world, budget=60)
    loop.answer(0, 12)
    unlabeled = update(Example).where(Example.split == Split.POOL)
    world.session.execute(
        unlabeled.where(Example.state == ExampleState.UNLABELED).values(split=Split.AUXILIARY_OOD)
    )
    world.session.commit()
    loop.finish(0)
    assert [round_.state for round_ in loop.rounds()] == [RoundState.CLOSED] * 2
    assert loop.project.state is ProjectState.FINISHED


def test_what_comes_to_an_empty_pool_while_a_queue_is_chosen_is_asked_about(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world, budget=60, strategy={"name": "random"})
    loop.answer(0, 12)
    away, back = ExampleState.HELD_OUT, ExampleState.UNLABELED
    pool = update(Example).where(Example.split == Split.POOL)
    world.session.execute(pool.where(Example.state == back).values(state=away))
    world.session.commit()

    def chosen_before_an_import(advance: Advance) -> None:
        select_queries(advance)
        with advance.context.sessions.begin() as session:
            session.execute(pool.where(Example.state == away).values(state=back))

    phases = [
        replace(one, run=chosen_before_an_import) if one.name == "select" else one
        for one in handler.PHASES
    ]
    monkeypatch.setattr(handler, "PHASES", phases)
    loop.finish(0)
    empty = loop.rounds()[1]
    assert (empty.state, empty.queries) == (RoundState.CLOSING, 0)
    assert "came later" in empty.notes[-1]
    assert loop.project.state is ProjectState.RUNNING
    run(world.session, world.session.get_one(Job, empty.job_id))
    assert loop.rounds()[1].state is RoundState.CLOSED
    assert (loop.rounds()[2].state, loop.rounds()[2].queries) == (RoundState.OPEN, 48)


def test_the_last_round_finishes_the_project(world: World) -> None:
    loop = Loop(world, max_rounds=1)
    loop.advance(0)
    world.session.expire_all()
    assert [round_.state for round_ in loop.rounds()] == [RoundState.CLOSED]
    assert loop.project.state is ProjectState.FINISHED


def test_embeddings_that_are_gone_are_made_again_with_all_that_follows(
    world: World, tmp_path: Path
) -> None:
    frozen = {"model": {"name": "patch_kmeans", "params": {}}}
    unharmed, victim = Loop(world, **frozen), Loop(world, **frozen)
    for loop in (unharmed, victim):
        loop.advance(0)
    unharmed.advance(1)
    victim.answer(1, 8)
    job = victim.close(1)
    message = RunJob.of(job)
    world.session.rollback()
    kill_in_every_phase(world, job, message, ["select"], tmp_path / "worker.log")
    shutil.rmtree(world.storage.features(victim.project.id))
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        eventually(lambda: _state(world.session, job) is JobState.SUCCEEDED, "the job starts over")
    assert set(job.checkpoint["seconds"]) == set(named(handler.PHASES)) - {"propose"}
    assert victim.rounds()[1].accuracy == unharmed.rounds()[1].accuracy
    assert set(victim.queue(2)) == set(unharmed.queue(2))


def test_a_failed_job_fails_its_round_and_can_be_retried(world: World, http: TestClient) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    world.storage.pixels(loop.project.id, 8, "crop").unlink()
    originals = world.storage.root / "images"
    originals.rename(originals.with_suffix(".hidden"))
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error["code"] == "originals_gone"
    assert loop.rounds()[0].state is RoundState.FAILED
    # With these back the pixels are made again.
    originals.with_suffix(".hidden").rename(originals)
    admin = world.caller()
    retried = http.post(
        f"/api/projects/{loop.project.id}/rounds/0/retry", headers=admin.headers
    ).json()
    assert retried["state"] == "closing"
    run_job(RunJob.of(job), handler)
    assert loop.rounds()[1].state is RoundState.OPEN


def test_a_round_that_was_evaluated_before_it_chose_goes_on(world: World, http: TestClient) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    cut_off(world, job, "workers.advance.selecting.select_queries")
    # As in earlier versions of Karat.
    job.checkpoint = {**job.checkpoint, "seconds": {**job.checkpoint["seconds"], "evaluate": 1.0}}
    world.session.commit()
    url = f"/api/projects/{loop.project.id}/rounds/0/retry"
    assert http.post(url, headers=world.caller().headers).json()["state"] == "closing"
    job = run(world.session, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert [round_.state for round_ in loop.rounds()] == [RoundState.CLOSED, RoundState.OPEN]
    assert loop.rounds()[0].accuracy is not None


def test_a_round_that_reads_no_pixels_needs_none(world: World) -> None:
    frozen = {"name": "patch_kmeans", "params": {}}
    loop = Loop(world, model=frozen, strategy={"name": "margin"})
    loop.advance(0)
    (pixels,) = world.storage.all_pixels(loop.project.id)
    pixels.unlink()
    (world.storage.root / "images").rename(world.storage.root / "images.hidden")
    loop.advance(1)
    assert loop.rounds()[2].state is RoundState.OPEN
    # What has to be read is named when it is missed.
    (features,) = world.storage.features(loop.project.id).glob("patch_kmeans-*.npy")
    features.unlink()
    loop.answer(2, 8)
    job = loop.finish(2)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error["code"] == "originals_gone"


def test_a_cancelled_job_stops(world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    job.cancel_requested = True
    world.session.commit()
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    assert job.state is JobState.CANCELLED
    assert loop.rounds()[0].state is RoundState.FAILED


def test_a_cancelled_job_whose_worker_died_does_no_more_work(world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    job.state, job.attempt, job.cancel_requested = JobState.RUNNING, 1, True
    world.session.commit()
    _wait_until_stale(world.session, job)
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    assert (job.state, job.checkpoint.get("seconds")) == (JobState.CANCELLED, None)
    assert loop.rounds()[0].state is RoundState.FAILED


def test_a_running_job_is_not_run_twice(world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    job = loop.close(0)
    job.state, job.attempt = JobState.RUNNING, 1
    job.heartbeat_at = func.now()
    world.session.commit()
    run_job(RunJob.of(job), handler)
    world.session.expire_all()
    assert (job.state, job.attempt) == (JobState.RUNNING, 1)


def _phase_ends(phase: str) -> str:
    done = "coalesce({}.checkpoint->'seconds', '{{}}') ? '{}'"
    return f"{done.format('NEW', phase)} AND NOT {done.format('OLD', phase)}"


# A dozen workers start one after the other, each for some seconds.
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "model", [TINY["model"], {"name": "patch_kmeans", "params": {}}], ids=["network", "frozen"]
)
def test_worker_killed_in_every_phase_computes_the_same(
    world: World, tmp_path: Path, model: dict[str, Any]
) -> None:
    unharmed, victim = Loop(world, model=model), Loop(world, model=model)
    for loop in (unharmed, victim):
        loop.advance(0)
    # In a worker as well: the number of threads, which rounding depends on, is the process's own.
    unharmed.answer(1, 8)
    undisturbed = unharmed.close(1)
    whole = RunJob.of(undisturbed)
    world.session.rollback()
    with worker("gpu", tmp_path / "unharmed.log"):
        queue.send(whole)
        eventually(
            lambda: _state(world.session, undisturbed) is JobState.SUCCEEDED, "the job is run"
        )
    phases = [
        phase for phase in named(handler.PHASES) if phase in undisturbed.checkpoint["seconds"]
    ]
    # Nothing is proposed where labels are classes.
    assert set(named(handler.PHASES)) - set(phases) == (
        {"embed", "propose"} if model == TINY["model"] else {"propose"}
    )
    victim.answer(1, 8)
    job = victim.close(1)
    message = RunJob.of(job)
    world.session.rollback()  # an open transaction of the test would hold up the trigger
    for phase in phases:
        # Stopped when the phase's work is done and its checkpoint is about to be written: the
        # instant at which most could be lost or done twice.
        hold = Hold("jobs", f"TG_OP = 'UPDATE' AND {_phase_ends(phase)}")
        with worker("gpu", tmp_path / "worker.log") as process:
            queue.send(message)
            eventually(hold.waiting, f"the worker ends phase {phase}")
            process.kill()
            process.wait(10)
        hold.forget()
        hold.let_go()
        _wait_until_stale(world.session, job)
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        eventually(lambda: _state(world.session, job) is JobState.SUCCEEDED, "the job resumes")
    assert job.attempt == len(phases) + 1
    assert victim.queue(2) == unharmed.queue(2)
    assert victim.files() == unharmed.files()
    assert victim.rounds()[1].accuracy == unharmed.rounds()[1].accuracy
    assert not world.storage.work(job.id).exists()


def _state(session: Session, job: Job) -> JobState:
    session.rollback()
    session.expire_all()
    return job.state


def _wait_until_stale(session: Session, job: Job) -> None:
    """A dead worker's job is free after 1.5 silent seconds; time passes here in the row."""
    session.expire_all()
    job.heartbeat_at = func.now() - func.make_interval(0, 0, 0, 0, 0, 1)
    session.commit()
