"""What a round may cost: what is set, or all that it asks where that is less."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.rounds import extend_budget, fit_budget, new_round, pay_for_checks
from core.settings.project import ProjectSettings
from core.states import JobState, ProjectState, RoundState, Source
from core.tables import Annotation, Example, Job, Project
from tests.workers.loop import Loop, run
from tests.world import World
from workers.labels.timing import median_seconds


def shown(http: TestClient, world: World, project: Project) -> tuple[float, float]:
    """(spent, budget) of the current round, as pages show it."""
    url = f"/api/projects/{project.id}"
    found = http.get(url, headers=world.caller().headers).json()["current_round"]
    return found["spent"], found["budget"]


@pytest.mark.parametrize(
    ("settings", "budget"),
    [
        ({}, 12),
        ({"overlap": 2}, 24),
        ({"budget": 5}, 5),
        ({"cost": {"mode": "fixed", "c_in": 0.5, "c_ood": 2}}, 24),
        ({"cost": {"mode": "seconds", "c_in": 1, "c_ood": 1}}, 100),
    ],
    ids=["one each", "two each", "less than the pool", "the dearest", "seconds"],
)
def test_a_first_round_costs_no_more_than_the_pool_asks(
    http: TestClient, world: World, settings: dict[str, Any], budget: float
) -> None:
    project = world.project(**{"images": 12, "first_queue": "random", "budget": 100, **settings})
    headers = world.caller().headers
    assert http.post(f"/api/projects/{project.id}/start", headers=headers).is_success
    assert shown(http, world, project) == (0, budget)
    job = world.session.scalars(select(Job).where(Job.project_id == project.id)).one()
    run(world.session, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert shown(http, world, project) == (0, budget)


def test_what_took_nobody_any_time_makes_no_answer_cheaper(world: World) -> None:
    cost = {"mode": "seconds", "c_in": 1, "c_ood": 1}
    loop = Loop(world, images=90, evaluation=0, cost=cost, zero_wait=False)
    loop.answer(0, 12)
    answers = world.session.scalars(select(Annotation)).all()
    for source, name in [(Source.ANNOTATOR, None)] * 8 + [(Source.IMPORT, "label")] * 40:
        one = answers[0]
        by_import: dict[str, Any] = {"source": source, "source_name": name, "seconds": 0.0}
        asked = {"query_id": one.query_id, "round_id": one.round_id, "seconds": 3.0}
        by_hand = {**asked, "annotator_id": one.annotator_id}
        world.session.add(
            Annotation(
                project_id=loop.project.id, example_id=one.example_id,
                client_key=func.gen_random_uuid(), verdict=one.verdict, label=one.label, cost=0.0,
                counted=False, **(by_import if name else by_hand),
            )
        )  # fmt: skip
    world.session.commit()
    # Of twenty answers twelve took a second; the queue is as long as if they took half of that.
    assert median_seconds(world.session, loop.project.id) == 1.0
    assert loop.finish(0).state is JobState.SUCCEEDED
    assert loop.rounds()[1].queries == 16


def test_what_is_sent_to_the_last_round_is_paid_for(http: TestClient, world: World) -> None:
    loop = Loop(world, images=14, evaluation=0, budget=8)
    loop.advance(0, 8)
    last = loop.rounds()[1]
    assert (last.state, last.queries, last.budget) == (RoundState.OPEN, 6, 6)
    # One that has an answer is asked about again, beside those that wait in the queue.
    answered = world.session.scalars(
        select(Example.id).where(Example.project_id == loop.project.id, Example.label.is_not(None))
    ).first()
    url, headers = f"/api/projects/{loop.project.id}/examples/queue", world.caller().headers
    assert http.post(url, json={"ids": [answered]}, headers=headers).json()["again"] == 1
    assert shown(http, world, loop.project) == (0, 7)
    loop.advance(1, 7)
    assert world.session.get_one(Project, loop.project.id).state is ProjectState.FINISHED


def test_random_draws_from_a_small_queue_make_it_no_dearer(http: TestClient, world: World) -> None:
    loop = Loop(world, images=14, evaluation=0, budget=8, audit_share=0)
    loop.advance(0, 8)
    url, headers = f"/api/projects/{loop.project.id}/audit", world.caller().headers
    assert http.post(url, json={"n": 4}, headers=headers).json()["asked"] == 4
    assert shown(http, world, loop.project) == (0, 6)


def test_what_is_sent_is_paid_for_beside_checks() -> None:
    settings = ProjectSettings(budget=30).model_dump(mode="json")
    round_ = new_round(Project(id=1, settings=settings), 1)
    # Twenty checks were left to it, and the pool has 25 others; ten more checks come.
    fit_budget(round_, 45, 20)
    pay_for_checks(round_, 10)
    assert round_.budget == 55
    extend_budget(round_, 3)
    assert round_.budget == 58
    extend_budget(round_, 10)
    assert round_.budget == 60
