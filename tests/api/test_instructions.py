"""People rank rows of instruction data in groups."""

import io
import json
import uuid
from typing import Any

import hypothesis
import pytest
from fastapi.testclient import TestClient
from hypothesis import strategies as st
from pyarrow import parquet
from sqlalchemy import select

from core import settings
from core.database.engines import sync_engine
from core.errors import Conflict, Invalid
from core.jobs.messages import RunJob
from core.states import ExampleState, JobState, ProjectState, Role, RoundState
from core.tables import Annotation, Example, Job, Project, Query, Round
from tests.instructions import Person, ask, examples, instructions, row
from tests.world import World
from workers.advance import handler
from workers.execution.runner import run_job
from workers.verify.__main__ import verify


@pytest.fixture
def project(world: World) -> Project:
    return instructions(world, [row(number) for number in range(12)])


def person(http: TestClient, world: World, project: Project) -> Person:
    return Person(http, world.caller(Role.ANNOTATOR, project), project)


def states(world: World, project: Project) -> list[str]:
    return [one.state.value for one in examples(world, project)]


def closed(world: World, project: Project) -> Round:
    """The round, after the job that closes it."""
    job = world.session.scalars(
        select(Job).where(Job.project_id == project.id).order_by(Job.id.desc()).limit(1)
    ).one()
    message = RunJob.of(job)
    world.session.rollback()
    run_job(message, handler)
    world.session.expire_all()
    assert job.state is JobState.SUCCEEDED, job.error
    statement = select(Round).where(Round.project_id == project.id).order_by(Round.number.desc())
    return world.session.scalars(statement.limit(1)).one()


def verified(installation: settings.Settings) -> None:
    engine = sync_engine(installation)
    try:
        found = list(verify(engine, installation, running=False))
    finally:
        engine.dispose()
    # No import has written what models read.
    problems = [one for one in found if one.level == "problem" and one.name != "text_stores"]
    assert [(one.name, one.objects) for one in problems] == []


def test_a_group_is_ranked_and_every_row_of_it_is_labeled(
    http: TestClient, world: World, project: Project, installation: settings.Settings
) -> None:
    ids = [one.id for one in examples(world, project)]
    round_ = ask(world, project, [[0, 1, 2], [3, 4]])
    assert (round_.state, round_.queries, round_.budget) == (RoundState.OPEN, 2, 2.0)
    assert project.state is ProjectState.RUNNING
    assert states(world, project) == ["queried"] * 5 + ["unlabeled"] * 7
    ann = person(http, world, project)
    first, second = ann.lease()
    assert first["example_id"] == ids[0]
    members = {one["example_id"]: one["fields"] for one in first["members"]}
    assert set(members) == set(ids[:3])
    assert members[ids[1]] == {
        "system": None, "instruction": "Add 1 and 1.", "input": "", "responses": ["It is 2."],
        "turns": [],
    }  # fmt: skip
    # Everybody sees the rows in an order of their own, and always in that.
    assert ann.lease()[0]["members"] == first["members"]
    order = [[ids[2]], [ids[0]]]
    assert ann.rank(first["query_id"], order, wrong=[ids[1]])["status"] == "accepted"
    assert states(world, project)[:5] == ["labeled"] * 3 + ["queried"] * 2
    label = {"type": "instructions", "order": order, "wrong": [ids[1]]}
    assert [one.label for one in examples(world, project)[:3]] == [label] * 3
    verified(installation)
    ann.say(second["query_id"], "ood")
    assert states(world, project)[3:5] == ["ood", "ood"]
    finished = closed(world, project)
    assert finished.state is RoundState.CLOSED
    assert {name: finished.metrics[name] for name in ("groups", "answered", "wrong", "ood")} == {
        "groups": 2, "answered": 2, "wrong": 1, "ood": 1,
    }  # fmt: skip
    # No round follows by itself; the next selection may ask again.
    now = select(Project.state).where(Project.id == project.id)
    assert world.session.scalars(now).one() == "finished"
    assert ask(world, project, [[5, 6]]).number == 1
    verified(installation)


def test_an_answer_ranks_what_was_asked_each_row_once(
    http: TestClient, world: World, project: Project
) -> None:
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2]])
    ann = person(http, world, project)
    (query,) = ann.lease()
    for order, code in (
        ([[ids[0]], [ids[1]]], "incomplete_ranking"),
        ([[ids[0]], [ids[1]], [ids[2]], [ids[3]]], "not_a_member"),
    ):
        result = ann.rank(query["query_id"], order)
        assert (result["status"], result["code"]) == ("rejected", code)
    assert states(world, project)[:3] == ["queried"] * 3
    label: dict[str, Any] = {"type": "instructions", "order": [[ids[0]], [ids[0]]], "wrong": []}
    answer = {"key": str(uuid.uuid4()), "query_id": query["query_id"], "verdict": "label"}
    wrong: list[Any] = [[], [[]], [[ids[0]], [ids[0]]], [[-1]], "x"]
    for order in wrong:
        body = {"answers": [{**answer, "seconds": 1, "label": {**label, "order": order}}]}
        found = http.post(f"{ann.path}/answers", json=body, headers=ann.caller.headers)
        assert found.status_code == 422, order
    assert ann.rank(query["query_id"], [[ids[1], ids[0]], [ids[2]]])["status"] == "accepted"


def test_a_ranking_is_corrected_and_taken_back(
    http: TestClient, world: World, project: Project, installation: settings.Settings
) -> None:
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1], [2, 3]])
    ann = person(http, world, project)
    query, _ = ann.lease()
    key = str(uuid.uuid4())
    ann.rank(query["query_id"], [[ids[0]], [ids[1]]], key=key)
    path = f"{ann.path}/recent"
    (recent,) = http.get(path, headers=ann.caller.headers).json()["items"]
    assert recent["members"] == query["members"]
    ann.rank(query["query_id"], [[ids[1]], [ids[0]]], supersedes=key)
    for one in examples(world, project)[:2]:
        assert one.label is not None
        assert one.label["order"] == [[ids[1]], [ids[0]]]
    last = http.get(path, headers=ann.caller.headers).json()["items"][0]
    ann.say(query["query_id"], "unsure", supersedes=last["key"])
    assert states(world, project)[:4] == ["unsure", "unsure", "queried", "queried"]
    assert examples(world, project)[1].label is None
    verified(installation)


def test_people_who_contradict_each_other_are_reviewed(
    http: TestClient, world: World, installation: settings.Settings
) -> None:
    project = instructions(world, [row(number) for number in range(6)], overlap=2)
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2], [3, 4, 5]])
    ann, ben = person(http, world, project), person(http, world, project)
    for one, first in ((ann, ids[0]), (ben, ids[2])):
        query, other = one.lease()
        rest = [id_ for id_ in (ids[2], ids[1], ids[0]) if id_ != first]
        one.rank(query["query_id"], [[first], *([id_] for id_ in rest)])
        one.rank(other["query_id"], [[ids[3]], [ids[4]], [ids[5]]])
    assert {one["members"][0]["example_id"] for one in ann.lease()} == set()
    admin = world.caller()
    base = f"/api/projects/{project.id}"
    found = http.get(f"{base}/agreement", headers=admin.headers).json()
    # Of six pairs of rows of both groups, three of the one are the other way round.
    assert found["classes"]["pairs"] == 2
    assert found["classes"]["share"] == 0.5
    path = f"{base}/reviews/disagreements"
    leased = http.post(f"{path}/lease", json={"n": 4}, headers=admin.headers).json()
    (item,) = leased["items"]
    assert [one["example_id"] for one in item["members"]] == ids[:3]
    assert len(item["votes"]) == 2
    decision = {"suggestion_id": item["id"], "key": str(uuid.uuid4()), "decision": "other"}
    label: dict[str, Any] = {"type": "instructions", "order": [[ids[1]], [ids[0]]], "wrong": []}
    body = {"decisions": [{**decision, "label": label}]}
    result = http.post(f"{path}/decisions", json=body, headers=admin.headers).json()["results"][0]
    assert (result["status"], result["code"]) == ("rejected", "incomplete_ranking")
    label["wrong"] = [ids[2]]
    result = http.post(f"{path}/decisions", json=body, headers=admin.headers).json()["results"][0]
    assert result["status"] == "accepted"
    assert [one.label for one in examples(world, project)[:3]] == [label] * 3
    verified(installation)
    metrics = closed(world, project).metrics
    assert metrics["agreement"]["pairs"] == 2
    assert metrics["agreement"]["same"] == 0.5


def test_a_row_that_was_left_out_stays_so_where_its_group_is_skipped(
    http: TestClient, world: World
) -> None:
    project = instructions(world, [row(number) for number in range(4)], overlap=2)
    ask(world, project, [[0, 1], [2, 3]])
    ann, ben = person(http, world, project), person(http, world, project)
    ann.say(ann.lease(1)[0]["query_id"], "skip")
    assert states(world, project)[:2] == ["unlabeled"] * 2
    ids = [one.id for one in examples(world, project)]
    url, admin = f"/api/projects/{project.id}/examples/hold-out", world.caller()
    left_out = http.post(url, headers=admin.headers, json={"ids": ids}).json()["left_out"]
    # Also those that are not the first of a group wait for somebody.
    assert left_out == {"in_queue": 4}
    examples(world, project)[1].state = ExampleState.HELD_OUT
    world.session.commit()
    ben.say(ben.lease(1)[0]["query_id"], "skip")
    assert states(world, project)[:2] == ["unlabeled", "held_out"]


def test_a_group_that_is_asked_about_again_is_ranked_anew(
    http: TestClient, world: World, project: Project, installation: settings.Settings
) -> None:
    ids = [one.id for one in examples(world, project)]
    ann = person(http, world, project)
    for order in ([ids[0], ids[1]], [ids[1], ids[0]]):
        ask(world, project, [[0, 1]])
        (query,) = ann.lease()
        result = ann.rank(query["query_id"], [[one] for one in order])
        assert (result["status"], result["counted"]) == ("accepted", True)
        closed(world, project)
    assert examples(world, project)[0].label == {
        "type": "instructions", "order": [[ids[1]], [ids[0]]], "wrong": [],
    }  # fmt: skip
    verified(installation)


def test_a_round_is_closed_by_hand_and_its_rows_are_free_again(
    http: TestClient, world: World, project: Project, installation: settings.Settings
) -> None:
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1], [2, 3]])
    ann = person(http, world, project)
    query = ann.lease(1)[0]
    ann.rank(query["query_id"], [[ids[0]], [ids[1]]])
    admin = world.caller()
    path = f"/api/projects/{project.id}/rounds/0/close"
    assert http.post(path, headers=admin.headers).status_code == 200
    assert closed(world, project).metrics["answered"] == 1
    assert states(world, project)[:4] == ["labeled", "labeled", "unlabeled", "unlabeled"]
    verified(installation)


def test_what_cannot_be_asked_is_refused(world: World, project: Project) -> None:
    other = instructions(world, [row(0)])
    foreign = examples(world, other)[0].id
    ids = [one.id for one in examples(world, project)]
    from workers.instructions.asking import publish_rankings

    for groups in ([], [[ids[0]]], [ids[:11]], [[ids[0], ids[0]]], [ids[:2], ids[1:3]],
                   [[ids[0], foreign]]):  # fmt: skip
        with pytest.raises(Invalid):
            publish_rankings(world.session, project, groups, strategy="x", seed=0)
        world.session.rollback()
    ask(world, project, [[0, 1]])
    with pytest.raises(Conflict):
        ask(world, project, [[2, 3]])
    world.session.rollback()


def test_the_audit_is_spread_over_the_queue(world: World) -> None:
    project = instructions(world, [row(number) for number in range(80)])
    ids = [one.id for one in examples(world, project)]
    round_ = ask(world, project, [[at, at + 1] for at in range(0, 80, 2)], audit=range(30, 40))
    statement = select(Query.example_id).where(Query.round_id == round_.id).order_by(Query.rank)
    asked = [ids.index(one) // 2 for one in world.session.scalars(statement)]
    assert sorted(asked) == list(range(40))
    assert [one for one in asked if one < 30] == list(range(30))
    places = [at for at, one in enumerate(asked) if one >= 30]
    assert min(places) < 20 < max(places)


def test_such_a_project_is_made_and_what_it_cannot_do_is_said(
    http: TestClient, world: World
) -> None:
    admin = world.caller()
    body: dict[str, Any] = {"name": "tuning", "task": "instructions", "classes": []}
    refused = http.post("/api/projects", json=body, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "not_for_medium")
    made = http.post("/api/projects", json={**body, "medium": "text"}, headers=admin.headers)
    assert made.status_code == 201, made.text
    path = f"/api/projects/{made.json()['id']}"
    named = http.patch(path, json={"classes": [{"name": "good"}]}, headers=admin.headers)
    assert (named.status_code, named.json()["code"]) == (400, "invalid_class")
    stored = world.session.get_one(Project, made.json()["id"])
    filled = instructions(world, [row(0), row(1)])
    base = f"/api/projects/{filled.id}"
    for post, given in (
        (f"{base}/start", None),
        (f"{base}/examples/queue", {"filters": {}}),
        (f"{base}/rounds/estimate", {}),
    ):
        found = http.post(post, json=given, headers=admin.headers)
        assert found.status_code == 409, (post, found.text)
        assert found.json()["code"] in ("asked_in_groups", "no_model")
    assert stored.task == "instructions"
    assert http.get(path, headers=admin.headers).json()["classes"] == []
    listed = http.get(f"{base}/examples", headers=admin.headers).json()["items"]
    assert [one["fields"]["instruction"] for one in listed] == ["Add 0 and 1.", "Add 1 and 1."]
    one = http.get(f"{base}/examples/{listed[0]['id']}", headers=admin.headers).json()
    assert one["fields"]["responses"] == ["It is 1."]
    assert http.get(one["image_url"], headers=admin.headers).text == "Add 0 and 1.\n\nIt is 1."
    label = {"type": "instructions", "order": [[listed[0]["id"]]], "wrong": []}
    judged = {"ids": [listed[0]["id"]], "verdict": "label", "label": label}
    found = http.post(f"{base}/examples/verdict", json=judged, headers=admin.headers)
    assert (found.status_code, found.json()["code"]) == (400, "not_for_one_row")
    judged = {"ids": [listed[0]["id"]], "verdict": "ood"}
    assert (
        http.post(f"{base}/examples/verdict", json=judged, headers=admin.headers).status_code < 300
    )
    assert world.session.scalars(select(Annotation.verdict)).one() == "ood"
    assert world.session.get_one(Example, listed[0]["id"]).state is ExampleState.OOD


def test_no_row_by_itself_comes_into_a_round_of_rankings(
    http: TestClient, world: World, project: Project
) -> None:
    ids = [one.id for one in examples(world, project)]
    round_ = ask(world, project, [[0, 1]])
    admin, base = world.caller(), f"/api/projects/{project.id}"
    ood = {"ids": [ids[5]]}
    told = http.post(
        f"{base}/examples/verdict", json={**ood, "verdict": "ood"}, headers=admin.headers
    )
    assert told.json()["example_ids"] == [ids[5]]
    for action, body in (("promote", {**ood, "name": "recipes"}), ("queue", ood)):
        found = http.post(f"{base}/examples/{action}", json=body, headers=admin.headers)
        assert (found.status_code, found.json()["code"]) == (409, "asked_in_groups"), action
    assert http.get(base, headers=admin.headers).json()["classes"] == []
    # Of a query that was put there nonetheless, no ranking is taken.
    given = {"project_id": project.id, "round_id": round_.id, "example_id": ids[6], "rank": -1}
    query = Query(**given)
    world.session.add(query)
    world.session.commit()
    result = person(http, world, project).rank(query.id, [[ids[0]], [ids[1]]])
    assert (result["status"], result["code"]) == ("rejected", "not_a_member")


def test_rows_and_rankings_leave_as_tuning_libraries_read_them(
    http: TestClient, world: World
) -> None:
    turns = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]
    chat = row(
        3,
        instruction="a",
        responses=("d",),
        turns=tuple({"role": role, "content": content} for role, content in turns),
    )
    several = row(2, system="Be brief.", input="now", responses=("3", "three"))
    project = instructions(world, [row(0), row(1), several, chat, row(4)])
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1], [3, 4]])
    ann = person(http, world, project)
    first, second = ann.lease()
    ann.rank(first["query_id"], [[ids[0]]], wrong=[ids[1]])
    admin = world.caller()
    base = f"/api/projects/{project.id}"

    def exported(format: str) -> list[dict[str, Any]]:
        found = http.get(f"{base}/export", params={"format": format}, headers=admin.headers)
        assert found.status_code == 200, found.text
        return [json.loads(line) for line in found.text.splitlines()]

    # What is wrong is not trained on.
    assert [one["output"] for one in exported("alpaca")] == [
        "It is 1.", "3", "three", "d", "It is 5.",
    ]  # fmt: skip
    assert exported("alpaca")[1] == {
        "instruction": "Add 2 and 1.", "input": "now", "output": "3", "system": "Be brief.",
    }  # fmt: skip
    messages = exported("messages")
    assert [one["role"] for one in messages[1]["messages"]] == ["system", "user", "assistant"]
    assert [one["content"] for one in messages[3]["messages"]] == ["a", "b", "c", "d"]
    asked, open_ = exported("rankings")
    assert (asked["verdict"], asked["order"], asked["wrong"]) == ("ranking", [[ids[0]]], [ids[1]])
    assert [one["responses"] for one in asked["rows"]] == [["It is 1."], ["It is 2."]]
    assert asked["votes"][0]["annotator"] == ann.caller.user.email
    assert (open_["verdict"], open_["votes"]) == (None, [])
    found = http.get(f"{base}/export", params={"format": "parquet"}, headers=admin.headers)
    table = parquet.read_table(io.BytesIO(found.content)).to_pylist()
    assert [one["state"] for one in table] == [
        "labeled", "labeled", "unlabeled", "queried", "queried",
    ]  # fmt: skip
    assert [one["wrong"] for one in table] == [False, True, False, False, False]
    assert table[2]["responses"] == ["3", "three"]
    for format in ("csv", "imagefolder", "doccano"):
        found = http.get(f"{base}/export", params={"format": format}, headers=admin.headers)
        assert found.status_code == 400, format
    ann.say(second["query_id"], "ood")
    assert len(exported("alpaca")) == 3


_ids: st.SearchStrategy[Any] = st.one_of(
    st.integers(-1, 4), st.sampled_from([2**63, 1e300, "1", None, [], True])
)


def test_no_ranking_brings_the_service_down(
    http: TestClient, world: World, project: Project
) -> None:
    ask(world, project, [[0, 1]])
    ann = person(http, world, project)
    query = ann.lease()[0]["query_id"]
    statuses = set()

    @hypothesis.settings(max_examples=60, deadline=None)
    @hypothesis.given(
        st.lists(st.lists(_ids, max_size=3), max_size=4),
        st.lists(_ids, max_size=3),
        st.sampled_from(["instructions", "boxes", "x", None]),
        st.booleans(),
    )
    def send(order: list[Any], wrong: list[Any], kind: Any, good: bool) -> None:
        if good:
            order, wrong, kind = [[place + 1] for place in range(len(order))], [9], "instructions"
        label = {"type": kind, "order": order, "wrong": wrong}
        answer = {"key": str(uuid.uuid4()), "query_id": query, "verdict": "label", "seconds": 1}
        content = json.dumps({"answers": [{**answer, "label": label}]})
        head = {**ann.caller.headers, "content-type": "application/json"}
        sent = http.post(f"{ann.path}/answers", content=content, headers=head)
        assert sent.status_code in (200, 400, 422), sent.text
        statuses.add(sent.status_code)

    send()
    assert {200, 422} <= statuses


def test_what_comes_after_the_round_has_closed_is_late(
    http: TestClient, world: World, project: Project, installation: settings.Settings
) -> None:
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1], [2, 3]])
    ann = person(http, world, project)
    first, second = ann.lease()
    key = str(uuid.uuid4())
    ann.rank(first["query_id"], [[ids[0]], [ids[1]]], key=key)
    admin = world.caller()
    http.post(f"/api/projects/{project.id}/rounds/0/close", headers=admin.headers)
    closed(world, project)
    late = ann.rank(second["query_id"], [[ids[2]], [ids[3]]])
    assert (late["status"], late["counted"]) == ("late", False)
    assert states(world, project)[:4] == ["labeled", "labeled", "unlabeled", "unlabeled"]
    # What somebody has said in time may still be corrected, until its rows are asked about anew.
    again = str(uuid.uuid4())
    put_right = ann.rank(first["query_id"], [[ids[1]], [ids[0]]], supersedes=key, key=again)
    assert (put_right["status"], put_right["counted"]) == ("accepted", True)
    found = examples(world, project)[1].label
    assert found is not None
    assert found["order"] == [[ids[1]], [ids[0]]]
    ask(world, project, [[1, 2]])
    late = ann.rank(first["query_id"], [[ids[0]], [ids[1]]], supersedes=again)
    assert (late["status"], late["counted"]) == ("late", False)
    assert examples(world, project)[1].label == found
    assert states(world, project)[:4] == ["labeled", "labeled", "queried", "unlabeled"]
    verified(installation)


def test_a_row_is_judged_by_itself_only_when_its_group_is_not_asked_about(
    http: TestClient, world: World, project: Project, installation: settings.Settings
) -> None:
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1], [2, 3]])
    path = f"/api/projects/{project.id}/examples/verdict"
    admin = world.caller()

    def judge(*which: int) -> dict[str, Any]:
        body = {"ids": [ids[at] for at in which], "verdict": "ood"}
        found = http.post(path, json=body, headers=admin.headers)
        assert found.status_code == 200, found.text
        told: dict[str, Any] = found.json()
        return told

    told = judge(0, 3, 7)
    assert told["example_ids"] == [ids[7]]
    assert told["left_out"]["in_open_group"] == 2
    assert states(world, project)[:4] == ["queried"] * 4
    http.post(f"/api/projects/{project.id}/rounds/0/close", headers=admin.headers)
    closed(world, project)
    assert judge(0, 3)["example_ids"] == [ids[0], ids[3]]
    # A group that holds a row of which somebody has spoken leaves that row as it is.
    ask(world, project, [[1, 3]])
    ann = person(http, world, project)
    (query,) = ann.lease()
    ann.rank(query["query_id"], [[ids[1]], [ids[3]]])
    assert states(world, project)[:4] == ["ood", "labeled", "unlabeled", "ood"]
    verified(installation)


def test_a_verdict_on_one_row_says_nothing_of_its_group(
    http: TestClient, world: World, installation: settings.Settings
) -> None:
    project = instructions(world, [row(number) for number in range(5)], overlap=2)
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2], [3, 4]])
    ann, ben = person(http, world, project), person(http, world, project)
    keys = []
    for one, order in ((ann, ids[:3]), (ben, ids[2::-1])):
        query, other = one.lease()
        keys.append((query["query_id"], str(uuid.uuid4())))
        one.rank(keys[-1][0], [[id_] for id_ in order], key=keys[-1][1])
        one.rank(other["query_id"], [[ids[3]]], wrong=[ids[4]])
    closed(world, project)
    admin = world.caller()
    base = f"/api/projects/{project.id}"

    def judge(at: int, verdict: str) -> None:
        body = {"ids": [ids[at]], "verdict": verdict}
        found = http.post(f"{base}/examples/verdict", json=body, headers=admin.headers)
        assert found.json()["example_ids"] == [ids[at]], found.text

    def exported(format: str) -> list[dict[str, Any]]:
        found = http.get(f"{base}/export", params={"format": format}, headers=admin.headers)
        return [json.loads(line) for line in found.text.splitlines()]

    # The first of its group, which has the group's votes.
    judge(0, "ood")
    assert states(world, project) == ["ood"] + ["labeled"] * 4
    assert examples(world, project)[0].disputed
    verified(installation)
    told = exported("rankings")[0]
    assert (told["order"], len(told["votes"])) == ([[id_] for id_ in ids[:3]], 2)
    # Corrected by hand, the ranking is that of the others.
    query_id, key = keys[0]
    corrected = [[id_] for id_ in ids[2::-1]]
    assert ann.rank(query_id, corrected, supersedes=key)["status"] == "accepted"
    first, *others = examples(world, project)[:3]
    assert (first.state, first.label, first.disputed) == (ExampleState.OOD, None, False)
    assert [one.label["order"] for one in others if one.label] == [corrected] * 2
    verified(installation)
    # Of whom somebody takes back what they have said, that counts which people said of the group.
    judge(0, "skip")
    judge(4, "ood")
    judge(4, "skip")
    assert states(world, project) == ["labeled"] * 5
    assert examples(world, project)[0].label == others[0].label
    assert [one["output"] for one in exported("alpaca")] == [f"It is {n}." for n in range(1, 5)]
    verified(installation)


def test_a_review_of_a_group_and_a_verdict_on_its_first_row_leave_each_other_alone(
    http: TestClient, world: World, installation: settings.Settings
) -> None:
    project = instructions(world, [row(number) for number in range(3)], overlap=2)
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2]])
    for order in (ids, ids[::-1]):
        one = person(http, world, project)
        one.rank(one.lease()[0]["query_id"], [[id_] for id_ in order])
    closed(world, project)
    admin = world.caller()
    base = f"/api/projects/{project.id}"

    def judge(verdict: str) -> None:
        body = {"ids": ids[:1], "verdict": verdict}
        found = http.post(f"{base}/examples/verdict", json=body, headers=admin.headers)
        assert found.json()["example_ids"] == ids[:1], found.text

    def reviewed() -> int:
        found = http.get("/api/home", headers=one.caller.headers).json()
        count: int = found["agreement"]["reviews"]["compared"]
        return count

    def written() -> str | None:
        path = f"{base}/labeling/recent"
        (answer,) = http.get(path, headers=one.caller.headers).json()["items"]
        note: str | None = (answer["reviewer_note"] or {}).get("note")
        return note

    judge("ood")
    assert reviewed() == 0
    path = f"{base}/reviews/disagreements"
    (item,) = http.post(f"{path}/lease", json={"n": 4}, headers=admin.headers).json()["items"]
    label = {"type": "instructions", "order": [[ids[1]], [ids[0]], [ids[2]]], "wrong": []}
    decision = {"suggestion_id": item["id"], "decision": "other", "label": label, "note": "short"}
    body = {"decisions": [{**decision, "key": str(uuid.uuid4())}]}
    result = http.post(f"{path}/decisions", json=body, headers=admin.headers).json()["results"][0]
    assert result["status"] == "accepted"
    assert reviewed() == 1
    assert written() == "short"
    rankings = http.get(f"{base}/export?format=rankings", headers=admin.headers).json()
    assert [vote["note"] for vote in rankings["votes"]] == [None, None, "short"]
    assert [one.label for one in examples(world, project)] == [None, label, label]
    judge("skip")
    assert [one.label for one in examples(world, project)] == [label] * 3
    assert not examples(world, project)[0].disputed
    verified(installation)
    # Whoever is asked about one of the rows again knows nothing of what was said of it.
    ask(world, project, [[1, 2]])
    assert written() is None
