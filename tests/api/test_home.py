"""What an annotator is told first: what waits for them, their pace, their agreement."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, update

from api.home import service, statements
from core.lifecycle import new_job
from core.states import JobKind, JobState, ProjectState, Role, Source, Verdict
from core.tables import Annotation, Example, Job, Project, Query, Round, Suggestion
from core.tasks.classification import stored_class
from tests.api.test_labeling import lease, send, verdict
from tests.world import Caller, World


def home(http: TestClient, caller: Caller, **params: int) -> Any:
    response = http.get("/api/home", params=params, headers=caller.headers)
    assert response.status_code == 200, response.text
    return response.json()


def answer(
    http: TestClient, caller: Caller, project: Project, items: list[dict[str, Any]], **said: Any
) -> None:
    given = {"seconds": 2.0, **said}
    answers = [verdict(item["query_id"], **given) for item in items]
    results = send(http, caller, project, *answers)["results"]
    assert {one["status"] for one in results} == {"accepted"}


@pytest.fixture
def project(world: World) -> Project:
    return world.project(images=12, state=ProjectState.RUNNING, budget=10)


def test_waiting_counts_what_the_caller_would_be_handed(
    http: TestClient, world: World, project: Project
) -> None:
    world.open_round(project, queries=8)
    ada, bob = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    stranger = world.caller(Role.ANNOTATOR)
    assert home(http, stranger)["projects"] == []
    (one,) = home(http, ada)["projects"]
    assert (one["id"], one["waiting"], one["waiting_for"]) == (project.id, 8, "nothing")
    # What lies with somebody else does not wait for me; what lies with me does.
    lease(http, bob, project, 3)
    assert home(http, ada)["projects"][0]["waiting"] == 5
    assert home(http, bob)["projects"][0]["waiting"] == 8
    mine = lease(http, ada, project, 5)["items"]
    answer(http, ada, project, mine)
    (one,) = home(http, ada)["projects"]
    assert (one["waiting"], one["waiting_for"]) == (0, "others")


def test_waiting_is_no_more_than_the_budget_pays_for(http: TestClient, world: World) -> None:
    project = world.project(images=12, state=ProjectState.RUNNING, budget=6, cost={"c_ood": 2})
    world.open_round(project, queries=10)
    ada = world.caller(Role.ANNOTATOR, project)
    assert home(http, ada)["projects"][0]["waiting"] == 3


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (ProjectState.PAUSED, "paused"),
        (ProjectState.DRAFT, "start"),
        (ProjectState.FINISHED, "finished"),
    ],
)
def test_why_nothing_waits(
    http: TestClient, world: World, state: ProjectState, reason: str
) -> None:
    project = world.project(images=4, state=state)
    if state is ProjectState.PAUSED:
        world.open_round(project, queries=4)
    ada = world.caller(Role.ANNOTATOR, project)
    (one,) = home(http, ada)["projects"]
    assert (one["waiting"], one["waiting_for"]) == (0, reason)


def test_image_of_several_annotators_waits_for_those_who_have_not_judged_it(
    http: TestClient, world: World
) -> None:
    project = world.project(images=4, state=ProjectState.RUNNING, budget=20, overlap=2)
    world.open_round(project, queries=4)
    ada, bob = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    assert home(http, ada)["projects"][0]["waiting"] == 4
    answer(http, ada, project, lease(http, ada, project, 4)["items"])
    assert home(http, ada)["projects"][0]["waiting"] == 0
    assert home(http, bob)["projects"][0]["waiting"] == 4


def test_who_is_ahead_of_others_is_told_of_what_waits_behind(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_SHOWN", 2)
    project = world.project(images=8, state=ProjectState.RUNNING, budget=20, overlap=2)
    world.open_round(project, queries=8)
    ada = world.caller(Role.ANNOTATOR, project)
    # A query for somebody else is left of each.
    answer(http, ada, project, lease(http, ada, project, 4)["items"])
    (one,) = home(http, ada)["projects"]
    assert (one["waiting"], one["waiting_for"]) == (2, "nothing")


def test_pace_by_day_of_the_callers_own_clock(
    http: TestClient, world: World, project: Project
) -> None:
    world.open_round(project, queries=8)
    ada, bob = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    first, second = lease(http, ada, project, 2)["items"]
    answer(http, ada, project, [first], seconds=4.0)
    answer(http, ada, project, [second], seconds=2.0)
    answer(http, bob, project, lease(http, bob, project, 1)["items"], seconds=60.0)
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    yesterday = midnight - timedelta(minutes=30)
    moved = update(Annotation).where(Annotation.query_id == first["query_id"])
    world.session.execute(moved.values(created_at=yesterday))
    old = update(Annotation).where(Annotation.annotator_id == bob.user.id)
    world.session.execute(old.values(created_at=midnight - timedelta(days=30)))
    world.session.commit()

    days = home(http, ada)["pace"]["days"]
    assert len(days) == 14
    assert [(day["verdicts"], day["seconds"]) for day in days[-2:]] == [(1, 4.0), (1, 2.0)]
    assert days[-1]["date"] == midnight.date().isoformat()
    # An hour to the east that half hour before midnight is today already.
    here = home(http, ada, utc_offset=60)["pace"]["days"]
    by_date = {day["date"]: day["verdicts"] for day in here}
    assert by_date[midnight.date().isoformat()] >= 1
    assert by_date[yesterday.date().isoformat()] == 0
    assert sum(day["verdicts"] for day in home(http, bob)["pace"]["days"]) == 0


def test_correction_counts_no_second_time(http: TestClient, world: World, project: Project) -> None:
    world.open_round(project, queries=2)
    ada = world.caller(Role.ANNOTATOR, project)
    (item, _) = lease(http, ada, project, 2)["items"]
    key = str(uuid.uuid4())
    path = f"/api/projects/{project.id}/labeling/answers"
    for body in (
        {"key": key, "verdict": "ood", "seconds": 1.0},
        {"key": str(uuid.uuid4()), "verdict": "unsure", "seconds": 3.0, "supersedes": key},
    ):
        answers = {"answers": [{"query_id": item["query_id"], **body}]}
        http.post(path, json=answers, headers=ada.headers)
    today = home(http, ada)["pace"]["days"][-1]
    assert (today["verdicts"], today["seconds"]) == (1, 4.0)


def _review(world: World, project: Project, reviewer: Caller, verdict: Verdict) -> None:
    """A reviewer's word on the first image."""
    query = world.session.query(Query).filter_by(project_id=project.id).order_by(Query.rank).first()
    assert query is not None
    world.session.add(
        Annotation(
            project_id=project.id,
            example_id=query.example_id,
            source=Source.REVIEW,
            round_id=query.round_id,
            annotator_id=reviewer.user.id,
            client_key=uuid.uuid4(),
            verdict=verdict,
            label=stored_class(world.classes(project)[0].id if verdict is Verdict.LABEL else None),
            seconds=1.0,
            cost=0.0,
            counted=True,
        )
    )
    world.session.commit()


def test_agreement_with_others_and_with_reviews(http: TestClient, world: World) -> None:
    project = world.project(images=3, state=ProjectState.RUNNING, budget=20, overlap=2)
    world.open_round(project, queries=3)
    cat, dog = (one.id for one in world.classes(project))
    ada, bob = (world.caller(Role.ANNOTATOR, project) for _ in range(2))
    for caller, verdicts in ((ada, (cat, cat, None)), (bob, (cat, dog, cat))):
        items = lease(http, caller, project, 3)["items"]
        for item, class_id in zip(items, verdicts, strict=True):
            said = {"verdict": "label", "class_id": class_id} if class_id else {"verdict": "ood"}
            answer(http, caller, project, [item], **said)
    found = home(http, ada)["agreement"]
    assert found["in_ood"] == {"compared": 3, "same": 2}
    assert found["classes"] == {"compared": 2, "same": 1}
    assert found["reviews"] == {"compared": 0, "same": 0}
    engineer = world.caller(Role.ENGINEER, project)
    _review(world, project, engineer, Verdict.LABEL)
    assert home(http, ada)["agreement"]["reviews"] == {"compared": 1, "same": 1}
    _review(world, project, engineer, Verdict.OOD)
    assert home(http, ada)["agreement"]["reviews"] == {"compared": 2, "same": 1}
    # Whoever reviews has no verdicts of their own to compare.
    assert home(http, engineer)["agreement"]["reviews"] == {"compared": 0, "same": 0}


def test_what_is_marked_by_hand_takes_no_place_of_answers_unsaid(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "LATEST", 4)
    monkeypatch.setattr(statements, "COMPARED", 2)
    project = world.project(images=6, state=ProjectState.RUNNING, budget=20, overlap=2)
    world.open_round(project, queries=3)
    ada, bob = world.caller(Role.ENGINEER, project), world.caller(Role.ANNOTATOR, project)
    for caller in (bob, ada):
        answer(http, caller, project, lease(http, caller, project, 2)["items"])
    first = home(http, ada)["pace"]
    assert first["since"] == first["days"][0]["date"]
    others = world.session.query(Example).order_by(Example.pool_index.desc()).limit(2)
    body = {"ids": [example.id for example in others], "verdict": "ood"}
    world.session.commit()
    path = f"/api/projects/{project.id}/examples/verdict"
    assert len(http.post(path, json=body, headers=ada.headers).json()["example_ids"]) == 2
    found = home(http, ada)
    assert found["agreement"]["in_ood"] == {"compared": 2, "same": 2}
    assert found["pace"]["days"][-1]["verdicts"] == 2
    # More may have been said before these four.
    assert found["pace"]["since"] == found["pace"]["days"][-1]["date"]


def test_open_suggestions_wait_for_a_review(
    http: TestClient, world: World, project: Project
) -> None:
    job = new_job(JobKind.RELABEL, project_id=project.id, params={}, created_by=None)
    world.session.add(job)
    world.session.flush()
    world.session.execute(update(Job).where(Job.id == job.id).values(state=JobState.SUCCEEDED))
    cat, dog = (one.id for one in world.classes(project))
    examples = world.session.query(Example).filter_by(project_id=project.id).limit(3)
    world.session.add_all(
        Suggestion(
            project_id=project.id,
            job_id=job.id,
            example_id=example.id,
            rank=rank,
            given_label=stored_class(cat),
            suggested_label=stored_class(dog),
            confidence=0.9,
        )
        for rank, example in enumerate(examples)
    )
    world.session.commit()
    ada = world.caller(Role.ANNOTATOR, project)
    assert home(http, ada)["projects"][0]["reviews"] == {"job_id": job.id, "open": 3}


def test_statements_do_not_grow_with_the_projects(http: TestClient, world: World) -> None:
    def count(caller: Caller) -> int:
        seen: list[str] = []
        engine = http.app.state.engine.sync_engine  # type: ignore[attr-defined]

        def note(_c: Any, _u: Any, statement: str, *_: Any) -> None:
            seen.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        home(http, caller)
        event.remove(engine, "before_cursor_execute", note)
        return len(seen)

    projects = []
    for _ in range(4):
        projects.append(world.project(images=2, state=ProjectState.RUNNING))
        world.open_round(projects[-1], queries=2)
    few = world.caller(Role.ANNOTATOR, projects[0])
    many = world.caller(Role.ANNOTATOR, *projects)
    assert world.session.query(Round).count() == 4
    assert count(few) == count(many)
