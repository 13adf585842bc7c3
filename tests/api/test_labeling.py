"""Leases and answers: nobody gets the same image, and nothing an annotator sent is lost."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from core.rounds import CERTIFICATE
from core.states import CertificateState, ExampleState, JobKind, ProjectState, Role, RoundState
from core.tables import Annotation, Example, Job, Project, Query, Round
from tests.certificates import add_certificate
from tests.world import Caller, World


def running(world: World, *, images: int = 20, queries: int = 20, **settings: Any) -> Project:
    project = world.project(images=images, state=ProjectState.RUNNING, **settings)
    world.open_round(project, queries)
    return project


def url(project: Project, verb: str) -> str:
    return f"/api/projects/{project.id}/labeling/{verb}"


def lease(
    http: TestClient,
    caller: Caller,
    project: Project,
    n: int = 4,
    client: str | None = None,
    open_clients: list[str] | None = None,
) -> dict[str, Any]:
    body = {"n": n, "client": client or str(uuid.uuid4()), "open_clients": open_clients}
    response = http.post(url(project, "lease"), json=body, headers=caller.headers)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def verdict(query_id: int, verdict: str = "ood", **extra: Any) -> dict[str, Any]:
    return {
        "key": str(uuid.uuid4()),
        "query_id": query_id,
        "verdict": verdict,
        "seconds": 1.5,
        **extra,
    }


def send(
    http: TestClient, caller: Caller, project: Project, *answers: dict[str, Any]
) -> dict[str, Any]:
    response = http.post(
        url(project, "answers"), json={"answers": list(answers)}, headers=caller.headers
    )
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_lease_hands_out_the_head_of_the_queue(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    first = lease(http, caller, project, 3)
    assert [item["rank"] for item in first["items"]] == [0, 1, 2]
    assert first["status"]["waiting_for"] == "nothing"
    image = http.get(first["items"][0]["image_url"], headers=caller.headers)
    assert image.status_code == 200
    assert image.headers["content-type"] == "image/png"


def test_two_annotators_never_hold_the_same_query(http: TestClient, world: World) -> None:
    project = running(world)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    mine = {item["query_id"] for item in lease(http, one, project, 8)["items"]}
    theirs = {item["query_id"] for item in lease(http, two, project, 8)["items"]}
    assert len(mine) == len(theirs) == 8
    assert not mine & theirs


def test_reload_gets_the_same_queries_and_a_second_tab_others(
    http: TestClient, world: World
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    tab = str(uuid.uuid4())
    before = [item["query_id"] for item in lease(http, caller, project, 4, tab)["items"]]
    after = [item["query_id"] for item in lease(http, caller, project, 4, tab)["items"]]
    other = [item["query_id"] for item in lease(http, caller, project, 4)["items"]]
    assert before == after
    assert not set(before) & set(other)


def test_expired_lease_goes_to_somebody_else(http: TestClient, world: World) -> None:
    project = running(world, images=2, queries=2)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    held = lease(http, one, project)["items"]
    waiting = lease(http, two, project)
    assert waiting["items"] == []
    assert waiting["status"]["waiting_for"] == "others"
    world.session.execute(update(Query).values(lease_expires_at=func.now()))
    world.session.commit()
    assert [i["query_id"] for i in lease(http, two, project)["items"]] == [
        item["query_id"] for item in held
    ]


def test_release_gives_queries_back(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    tab = str(uuid.uuid4())
    lease(http, one, project, 3, tab)
    released = http.post(url(project, "release"), json={"client": tab}, headers=one.headers)
    assert released.json() == {"released": 3}
    assert len(lease(http, two, project, 3)["items"]) == 3


def test_a_query_that_is_worked_at_stays_with_who_goes_away(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, lease_seconds=60)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    tab = str(uuid.uuid4())
    ids = [item["query_id"] for item in lease(http, one, project, 3, tab)["items"]]
    body: dict[str, Any] = {"client": tab, "keep": [ids[1]]}
    released = http.post(url(project, "release"), json=body, headers=one.headers)
    assert released.json() == {"released": 2}
    assert [item["query_id"] for item in lease(http, two, project, 3)["items"]] == [ids[0], ids[2]]
    until = world.session.scalar(select(Query.lease_expires_at).where(Query.id == ids[1]))
    assert until is not None
    assert until - datetime.now(UTC) > timedelta(minutes=59)
    assert lease(http, two, project, 3)["items"] == []
    # Closed meanwhile: what it held is for another tab of the same person at once.
    body = {"n": 3, "client": str(uuid.uuid4()), "open_clients": [str(uuid.uuid4())]}
    again = http.post(url(project, "lease"), json=body, headers=one.headers)
    assert [item["query_id"] for item in again.json()["items"]] == [ids[1]]


def test_answers_label_the_example_and_spend_the_budget(http: TestClient, world: World) -> None:
    project = running(world, budget=10, cost={"mode": "fixed", "c_in": 1.0, "c_ood": 0.5})
    caller = world.caller(Role.ANNOTATOR, project)
    cat = world.classes(project)[0]
    items = lease(http, caller, project, 4)["items"]
    ids = [item["query_id"] for item in items]
    result = send(
        http,
        caller,
        project,
        verdict(ids[0], "label", class_id=cat.id),
        verdict(ids[1], "ood"),
        verdict(ids[2], "unsure"),
        verdict(ids[3], "skip"),
    )
    assert [item["status"] for item in result["results"]] == ["accepted"] * 4
    assert result["status"]["round"]["spent"] == 2.5
    states = {
        example.id: example.state
        for example in world.session.scalars(
            select(Example).where(Example.id.in_([item["example_id"] for item in items]))
        )
    }
    assert [states[item["example_id"]] for item in items] == [
        ExampleState.LABELED,
        ExampleState.OOD,
        ExampleState.UNSURE,
        ExampleState.UNLABELED,
    ]


def test_retry_with_the_same_key_returns_the_first_result(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    answer = verdict(lease(http, caller, project)["items"][0]["query_id"])
    first = send(http, caller, project, answer)["results"][0]
    again = send(http, caller, project, answer, answer)["results"]
    assert first["status"] == "accepted"
    assert [item["status"] for item in again] == ["duplicate", "duplicate"]
    assert {item["annotation_id"] for item in again} == {first["annotation_id"]}
    assert world.session.scalar(select(func.count()).select_from(Annotation)) == 1
    assert world.session.scalar(select(Round.spent)) == 1.0


def test_key_of_somebody_else_is_refused(http: TestClient, world: World) -> None:
    project = running(world)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    answer = verdict(lease(http, one, project)["items"][0]["query_id"])
    send(http, one, project, answer)
    assert send(http, two, project, answer)["results"][0]["code"] == "key_conflict"


def test_a_key_answers_one_query_only(http: TestClient, world: World) -> None:
    project, elsewhere = running(world), running(world)
    admin = world.caller()
    first = verdict(lease(http, admin, project)["items"][0]["query_id"])
    send(http, admin, project, first)
    items = lease(http, admin, project)["items"][1:2] + lease(http, admin, elsewhere)["items"][:1]
    for where, item in zip((project, elsewhere), items, strict=True):
        again = verdict(item["query_id"], key=first["key"])
        (result,) = send(http, admin, where, again)["results"]
        assert (result["status"], result["code"]) == ("rejected", "key_conflict")
    assert world.session.scalar(select(func.count()).select_from(Annotation)) == 1


def test_late_answer_is_kept_and_not_counted(http: TestClient, world: World) -> None:
    project = running(world)
    slow, quick = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    query = lease(http, slow, project, 1)["items"][0]["query_id"]
    world.session.execute(update(Query).values(lease_expires_at=func.now()))
    world.session.commit()
    assert lease(http, quick, project, 1)["items"][0]["query_id"] == query
    assert send(http, quick, project, verdict(query))["results"][0]["status"] == "accepted"
    late = send(http, slow, project, verdict(query, "unsure"))["results"][0]
    assert (late["status"], late["counted"]) == ("late", False)
    rows = world.session.scalars(select(Annotation).order_by(Annotation.id)).all()
    assert [row.counted for row in rows] == [True, False]
    assert world.session.scalar(select(Round.spent)) == 1.0
    assert world.session.scalar(select(Example.state).where(Example.id == rows[0].example_id)) == (
        ExampleState.OOD
    )


def test_late_answer_counts_if_nobody_else_answered(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    query = lease(http, caller, project, 1)["items"][0]["query_id"]
    world.session.execute(update(Query).values(lease_expires_at=func.now()))
    world.session.commit()
    result = send(http, caller, project, verdict(query))["results"][0]
    assert (result["status"], result["counted"]) == ("accepted", True)


def test_an_answer_is_corrected_although_a_late_one_came_after_it(
    http: TestClient, world: World
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    cat, dog = world.classes(project)
    item = lease(http, caller, project)["items"][0]
    query = item["query_id"]
    first = verdict(query, "label", class_id=cat.id)
    corrected = verdict(query, "label", class_id=dog.id, supersedes=first["key"])
    again = verdict(query, "label", class_id=cat.id, supersedes=corrected["key"])
    sent = [
        [one["status"] for one in send(http, caller, project, *answers)["results"]]
        for answers in ([first], [verdict(query)], [corrected], [verdict(query), again])
    ]
    assert sent == [["accepted"], ["late"], ["accepted"], ["late", "accepted"]]
    rows = world.session.scalars(select(Annotation).order_by(Annotation.id)).all()
    assert [row.supersedes_id for row in rows] == [None, None, rows[0].id, None, rows[2].id]
    held = select(Example.label_class_id).where(Example.id == item["example_id"])
    assert world.session.scalar(held) == cat.id


def test_annotators_read_names_without_folders(http: TestClient, world: World) -> None:
    project = running(world)
    world.session.execute(update(Example).values(name="cat/" + Example.name))
    world.session.commit()
    caller = world.caller(Role.ANNOTATOR, project)
    item = lease(http, caller, project)["items"][0]
    send(http, caller, project, verdict(item["query_id"], "ood"))
    [answered] = http.get(url(project, "recent"), headers=caller.headers).json()["items"]
    assert "/" not in item["name"]
    assert answered["name"] == item["name"]


def test_correction_supersedes_and_charges_the_difference(http: TestClient, world: World) -> None:
    project = running(world, cost={"mode": "fixed", "c_in": 1.0, "c_ood": 0.25})
    caller = world.caller(Role.ANNOTATOR, project)
    dog = world.classes(project)[1]
    item = lease(http, caller, project)["items"][0]
    first = verdict(item["query_id"], "ood")
    second = verdict(item["query_id"], "label", class_id=dog.id, supersedes=first["key"])
    third = verdict(item["query_id"], "unsure", supersedes=second["key"])
    send(http, caller, project, first)
    # Two corrections in one request: the second refers to one that is stored with it.
    results = send(http, caller, project, second, third)["results"]
    assert [result["counted"] for result in results] == [True, True]
    rows = world.session.scalars(select(Annotation).order_by(Annotation.id)).all()
    assert [row.supersedes_id for row in rows] == [None, rows[0].id, rows[1].id]
    assert sum(row.cost for row in rows) == pytest.approx(1.0)
    assert world.session.scalar(select(Round.spent)) == pytest.approx(1.0)
    assert (
        world.session.scalar(select(Example.state).where(Example.id == item["example_id"]))
        == ExampleState.UNSURE
    )
    recent = http.get(url(project, "recent"), headers=caller.headers).json()["items"]
    assert [(entry["key"], entry["verdict"]) for entry in recent] == [(third["key"], "unsure")]


def test_round_closes_within_one_verdict_of_its_budget(http: TestClient, world: World) -> None:
    project = running(world, images=30, queries=30, budget=5)
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project, 8)["items"]]
    results = send(http, caller, project, *(verdict(query) for query in ids))["results"]
    # What exceeds the budget is the first work of the next round.
    assert [result["round"] for result in results] == [0] * 5 + [1] * 3
    rounds = world.session.scalars(select(Round).order_by(Round.number)).all()
    assert [(item.state, item.spent) for item in rounds] == [
        (RoundState.CLOSING, 5.0),
        (RoundState.SELECTING, 3.0),
    ]
    jobs = world.session.scalars(select(Job)).all()
    assert [(job.kind, job.params) for job in jobs] == [
        (JobKind.ADVANCE_ROUND, {"closing": 0, "selecting": 1})
    ]
    assert rounds[0].job_id == jobs[0].id


def test_round_closes_when_its_queue_is_empty(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, budget=100)
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project)["items"]]
    send(http, caller, project, *(verdict(query) for query in ids))
    states = world.session.scalars(select(Round.state).order_by(Round.number)).all()
    assert states == [RoundState.CLOSING, RoundState.SELECTING]


def test_a_round_of_a_certificate_stays_open_until_that_is_decided(
    http: TestClient, world: World
) -> None:
    """More may be asked in it: else each handful of checks would be a round of its own."""
    project = running(world, images=6, queries=3)
    round_ = world.session.scalars(select(Round)).one()
    round_.strategy = CERTIFICATE
    certificate = add_certificate(world, project, CertificateState.ASKING, passed=False)
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project)["items"]]
    send(http, caller, project, *(verdict(query) for query in ids[:-1]))
    waiting = send(http, caller, project, verdict(ids[-1]))
    assert waiting["results"][0]["counted"]
    assert world.session.scalars(select(Round.state)).all() == [RoundState.OPEN]
    assert lease(http, caller, project)["status"]["waiting_for"] == "others"
    # What was asked besides is answered after it was decided: then nothing more is to come.
    example = world.session.scalars(
        select(Example).where(Example.state == ExampleState.UNLABELED).limit(1)
    ).one()
    world.session.add(
        Query(project_id=project.id, round_id=round_.id, example_id=example.id, rank=9)
    )
    certificate.state = CertificateState.READY
    world.session.commit()
    last = lease(http, caller, project)["items"][0]["query_id"]
    send(http, caller, project, verdict(last))
    assert world.session.scalars(select(Round.state)).all() == [RoundState.CLOSING]


def test_zero_wait_goes_on_with_the_tail(http: TestClient, world: World) -> None:
    project = running(world, images=10, queries=10, budget=2)
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project, 2)["items"]]
    send(http, caller, project, *(verdict(query) for query in ids))
    tail = lease(http, caller, project, 1)
    assert tail["status"]["round"]["number"] == 1
    result = send(http, caller, project, verdict(tail["items"][0]["query_id"]))["results"][0]
    assert (result["counted"], result["round"]) == (True, 1)
    # Once the next round is paid for, annotators do wait.
    last = lease(http, caller, project, 1)["items"][0]["query_id"]
    send(http, caller, project, verdict(last))
    waiting = lease(http, caller, project, 1)
    assert waiting["items"] == []
    assert waiting["status"]["waiting_for"] == "training"


def test_answers_beyond_the_next_budget_count_to_the_round_after(
    http: TestClient, world: World
) -> None:
    project = running(world, images=12, queries=12, budget=3)
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project, 8)["items"]]
    for query in ids:
        send(http, caller, project, verdict(query))
    rounds = world.session.scalars(select(Round).order_by(Round.number)).all()
    assert [(item.state, item.spent) for item in rounds] == [
        (RoundState.CLOSING, 3.0),
        (RoundState.SELECTING, 3.0),
        (RoundState.SELECTING, 2.0),
    ]


def test_without_zero_wait_nothing_is_leased_beyond_the_budget(
    http: TestClient, world: World
) -> None:
    project = running(world, images=10, queries=10, budget=2, zero_wait=False)
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project, 16)["items"]]
    assert len(ids) == 2
    send(http, caller, project, *(verdict(query) for query in ids))
    assert lease(http, caller, project)["status"]["waiting_for"] == "training"


def test_measured_seconds_can_be_the_cost(http: TestClient, world: World) -> None:
    project = running(world, budget=4, cost={"mode": "seconds"})
    caller = world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, caller, project)["items"]]
    send(http, caller, project, verdict(ids[0], "skip"), verdict(ids[1]))
    assert world.session.scalar(select(Round.spent)) == 3.0
    send(http, caller, project, verdict(ids[2]))
    assert world.session.scalar(select(Round.state).where(Round.number == 0)) == (
        RoundState.CLOSING
    )


def test_paused_project_leases_nothing_and_keeps_answers(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    query = lease(http, caller, project)["items"][0]["query_id"]
    project.state = ProjectState.PAUSED
    world.session.commit()
    paused = lease(http, caller, project)
    assert (paused["items"], paused["status"]["waiting_for"]) == ([], "paused")
    assert send(http, caller, project, verdict(query))["results"][0]["counted"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seconds": -1}, "answers.0.seconds"),
        ({"seconds": "NaN"}, "answers.0.seconds"),
        ({"verdict": "label"}, "answers.0"),
        ({"class_id": 1}, "answers.0"),
        ({"key": "x"}, "answers.0.key"),
        ({"colour": "red"}, "answers.0.colour"),
    ],
)
def test_malformed_answer_names_its_field(
    http: TestClient, world: World, changes: dict[str, Any], field: str
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    answer = verdict(lease(http, caller, project)["items"][0]["query_id"]) | changes
    response = http.post(
        url(project, "answers"), json={"answers": [answer]}, headers=caller.headers
    )
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == field


def test_a_client_of_before_says_class_where_a_label_is_given(
    http: TestClient, world: World
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    cat = world.classes(project)[0]
    query = lease(http, caller, project)["items"][0]["query_id"]
    [result] = send(http, caller, project, verdict(query, "class", class_id=cat.id))["results"]
    assert result["status"] == "accepted"
    mine = http.get(url(project, "recent"), headers=caller.headers).json()
    [shown] = mine["items"] if isinstance(mine, dict) else mine
    assert (shown["verdict"], shown["class_id"]) == ("label", cat.id)


def test_unknown_query_or_class_is_rejected_and_the_rest_is_stored(
    http: TestClient, world: World
) -> None:
    project, other = running(world), running(world)
    caller = world.caller(Role.ANNOTATOR, project, other)
    good = lease(http, caller, project)["items"][0]["query_id"]
    foreign = lease(http, caller, other)["items"][0]["query_id"]
    strange = world.classes(other)[0].id
    results = send(
        http,
        caller,
        project,
        verdict(foreign),
        verdict(good, "label", class_id=strange),
        verdict(good),
    )["results"]
    assert [item["code"] for item in results] == ["unknown_query", "unknown_class", None]
    assert world.session.scalar(select(func.count()).select_from(Annotation)) == 1


def test_status_counts_my_answers_once_each(http: TestClient, world: World) -> None:
    project = running(world)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    ids = [item["query_id"] for item in lease(http, one, project, 2)["items"]]
    first = verdict(ids[0])
    send(http, one, project, first, verdict(ids[1]))
    send(http, one, project, verdict(ids[0], "unsure", supersedes=first["key"]))
    send(http, two, project, verdict(lease(http, two, project, 1)["items"][0]["query_id"]))
    status = http.get(url(project, "status"), headers=one.headers).json()
    assert status["mine"] == {"today": 2, "total": 2, "round": 2}
    assert status["remaining"] == 97


def test_today_is_the_day_of_my_own_clock_and_of_my_answers(http: TestClient, world: World) -> None:
    project, admin = running(world, images=4, queries=3), world.caller()
    ids = [item["query_id"] for item in lease(http, admin, project, 2)["items"]]
    send(http, admin, project, verdict(ids[0]), verdict(ids[1]))
    now = datetime.now(UTC)
    earlier = update(Annotation).where(Annotation.query_id == ids[0])
    world.session.execute(earlier.values(created_at=now - timedelta(hours=2)))
    other = select(Example.id).where(Example.state == ExampleState.UNLABELED)
    by_hand = {"ids": [world.session.scalars(other).one()], "verdict": "ood"}
    world.session.commit()
    marked = http.post(
        f"/api/projects/{project.id}/examples/verdict", json=by_hand, headers=admin.headers
    )
    assert len(marked.json()["example_ids"]) == 1

    def mine_at(hour: int) -> dict[str, int]:
        """What is told where it is that hour of the day."""
        ahead = (60 * (hour - now.hour) - now.minute + 720) % 1440 - 720
        params = {"utc_offset": ahead}
        found = http.get(url(project, "status"), params=params, headers=admin.headers)
        counts: dict[str, int] = found.json()["mine"]
        return counts

    # What is marked by hand in the pool is no answer.
    assert mine_at(12) == {"today": 2, "total": 2, "round": 2}
    assert mine_at(1) == {"today": 1, "total": 2, "round": 2}


def test_strangers_see_no_project(http: TestClient, world: World) -> None:
    project = running(world)
    stranger = world.caller(Role.ANNOTATOR)
    body = {"n": 1, "client": str(uuid.uuid4())}
    for response in (
        http.post(url(project, "lease"), json=body, headers=stranger.headers),
        http.get(url(project, "status"), headers=stranger.headers),
        http.get(f"/api/projects/{project.id}", headers=stranger.headers),
        http.get("/api/examples/1/image", headers=stranger.headers),
    ):
        assert response.status_code == 404
    assert http.post(url(project, "lease"), json=body).status_code == 401


def test_a_skip_that_is_taken_back_comes_after_those_who_answered_meanwhile(
    http: TestClient, world: World
) -> None:
    project = running(world, images=1, queries=1)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    cat, dog = (item.id for item in world.classes(project))
    query = lease(http, one, project, 1)["items"][0]["query_id"]
    skipped = verdict(query, "skip")
    send(http, one, project, skipped)
    send(http, two, project, verdict(query, "label", class_id=dog))
    back = verdict(query, "label", class_id=cat, supersedes=skipped["key"])
    result = send(http, one, project, back)["results"][0]
    assert (result["status"], result["counted"]) == ("late", False)
    world.session.expire_all()
    assert world.session.scalars(select(Example.label_class_id)).one() == dog
