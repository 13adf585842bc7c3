"""A project that was finished goes on: its last round closes once more."""

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select, update

from core.jobs.messages import RunJob
from core.states import ExampleState, JobKind, ProjectState, RoundState, Split
from core.tables import Example, Round
from core.tasks.classification import stored_class
from tests.workers.loop import Loop
from tests.world import World
from workers.advance import handler
from workers.execution.runner import run_job


def resume(http: TestClient, loop: Loop) -> Any:
    caller = loop.world.caller()
    return http.post(f"/api/projects/{loop.project.id}/resume", headers=caller.headers)


def run_again(loop: Loop, closing: Round) -> None:
    """Run the job of a round that closes once more."""
    assert closing.job_id is not None
    message = RunJob(job_id=closing.job_id, kind=JobKind.ADVANCE_ROUND)
    loop.session.rollback()  # the server ends a transaction that idles for a minute
    run_job(message, handler)


def test_a_finished_project_goes_on_as_if_it_had_not_ended(world: World, http: TestClient) -> None:
    endless, loop = Loop(world), Loop(world, max_rounds=1)
    endless.advance(0)
    loop.advance(0)
    refused = resume(http, loop)
    assert (refused.status_code, refused.json()["code"]) == (409, "rounds_used_up")
    assert "raise max_rounds" in refused.json()["detail"]

    loop.project.settings = {**loop.project.settings, "max_rounds": 2}
    world.session.commit()
    assert resume(http, loop).json()["state"] == "running"
    closing, following = loop.rounds()
    assert (closing.state, following.state) == (RoundState.CLOSING, RoundState.SELECTING)
    run_again(loop, closing)
    assert [one.state for one in loop.rounds()] == [RoundState.CLOSED, RoundState.OPEN]
    assert loop.queue(1) == endless.queue(1)
    assert loop.rounds()[0].notes == endless.rounds()[0].notes
    assert loop.rounds()[0].accuracy == endless.rounds()[0].accuracy
    loop.advance(1)
    assert loop.project.state is ProjectState.FINISHED


def test_a_round_that_closes_again_says_what_holds_now(world: World, http: TestClient) -> None:
    loop = Loop(world, evaluation=0, max_rounds=1)
    loop.advance(0)
    (before,) = loop.rounds()[0].notes
    assert before.startswith("Accuracy was not measured")
    loop.project.settings = {**loop.project.settings, "max_rounds": 2}
    held_out = select(Example).where(Example.project_id == loop.project.id).limit(4)
    unlabeled = held_out.where(Example.state == ExampleState.UNLABELED)
    for example in world.session.scalars(unlabeled):
        example.split, example.label = Split.EVALUATION, stored_class(loop.classes[0].id)
    world.session.commit()
    resume(http, loop)
    run_again(loop, loop.rounds()[0])
    again = loop.rounds()[0]
    assert again.accuracy is not None
    assert again.notes == []


def test_a_project_that_goes_on_after_checks_has_learned_from_its_last_answers(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, images=80, max_rounds=2, zero_wait=False)
    loop.advance(0)
    loop.advance(1)
    url, headers = f"/api/projects/{loop.project.id}/audit", world.caller().headers
    assert http.post(url, json={"n": 4}, headers=headers).json() == {"asked": 4, "round": 2}
    loop.advance(2, 4)
    assert loop.rounds()[2].metrics.get("purity_auroc") is None
    loop.project.settings = {**loop.project.settings, "max_rounds": None}
    world.session.commit()
    resume(http, loop)
    checks = loop.rounds()[2]
    run_again(loop, checks)
    following = loop.rounds()[3]
    assert following.state is RoundState.OPEN
    assert "meta_train" in checks.seconds
    assert "rounds/3/mqnet.safetensors" in loop.files()
    assert not any("expected value" in note for note in following.notes)


def test_a_project_whose_pool_was_used_up_goes_on_with_more_images(
    world: World, http: TestClient
) -> None:
    loop = Loop(world, budget=60)
    loop.answer(0, 12)
    kept = update(Example).where(
        Example.project_id == loop.project.id, Example.state == ExampleState.UNLABELED
    )
    world.session.execute(
        kept.where(Example.split == Split.POOL).values(state=ExampleState.HELD_OUT)
    )
    world.session.commit()
    loop.finish(0)
    assert loop.project.state is ProjectState.FINISHED
    refused = resume(http, loop)
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_unlabeled")

    more = update(Example).where(Example.state == ExampleState.HELD_OUT)
    world.session.execute(more.values(state=ExampleState.UNLABELED))
    world.session.commit()
    assert resume(http, loop).json()["state"] == "running"
    run_again(loop, loop.rounds()[1])
    closed, again, following = loop.rounds()
    assert (closed.state, again.state) == (RoundState.CLOSED, RoundState.CLOSED)
    assert following.state is RoundState.OPEN
    assert following.queries > 0
