"""Words beside a verdict: where they are kept, and who sees them."""

import csv
import io
from typing import Any

from fastapi.testclient import TestClient

from core.states import Role
from core.tables import Project
from core.verdicts.notes import MOST
from tests.api.test_disagreements import Crowd, crowd, disputed  # noqa: F401
from tests.api.test_judgements import exported, judge
from tests.api.test_labeling import lease, running, send, url, verdict
from tests.api.test_pool_actions import act, ids_of
from tests.world import Caller, World


def recent(http: TestClient, caller: Caller, project: Project) -> list[dict[str, Any]]:
    found = http.get(url(project, "recent"), headers=caller.headers).json()
    items: list[dict[str, Any]] = found["items"]
    return items


def history(http: TestClient, project: Project, caller: Caller, id_: int) -> list[Any]:
    """Notes and who wrote them, the latest first."""
    path = f"/api/projects/{project.id}/examples/{id_}"
    shown = http.get(path, headers=caller.headers).json()
    return [(one["note"], one["annotator_id"]) for one in shown["annotations"]]


def found(http: TestClient, project: Project, caller: Caller, **asked: Any) -> list[int]:
    path = f"/api/projects/{project.id}/examples"
    items = http.get(path, params=asked, headers=caller.headers).json()["items"]
    return [one["id"] for one in items]


def test_a_note_goes_with_its_answer(http: TestClient, world: World) -> None:
    project, admin = running(world, images=3, queries=3), world.caller()
    caller = world.caller(Role.ANNOTATOR, project)
    item, other, third = lease(http, caller, project, 3)["items"]
    assert "note" not in item
    first = verdict(item["query_id"], "unsure", note=" a \0cat?\r\nor not ")
    assert send(http, caller, project, first)["results"][0]["status"] == "accepted"
    send(http, caller, project, verdict(other["query_id"], "skip", note=" \n "))
    assert [one["note"] for one in recent(http, caller, project)] == [None, "a cat?\nor not"]
    again = verdict(item["query_id"], "ood", note="no cat", supersedes=first["key"])
    send(http, caller, project, again)
    mine = caller.user.id
    shown = history(http, project, admin, item["example_id"])
    assert shown == [("no cat", mine), ("a cat?\nor not", mine)]
    # Once without: the earlier ones stay in the history alone.
    assert found(http, project, admin, note=True) == [item["example_id"]]
    send(http, caller, project, verdict(item["query_id"], "ood", supersedes=again["key"]))
    assert found(http, project, admin, note=True) == []
    long = verdict(third["query_id"], note="x" * (MOST + 1))
    refused = http.post(url(project, "answers"), json={"answers": [long]}, headers=caller.headers)
    assert refused.status_code == 422
    assert "note" in refused.text


def test_the_pool_is_filtered_by_notes(http: TestClient, world: World) -> None:
    project, admin = running(world, images=4, queries=1), world.caller()
    caller = world.caller(Role.ANNOTATOR, project)
    first, second, *rest = ids_of(world, project)
    [item] = lease(http, caller, project, 1)["items"]
    send(http, caller, project, verdict(item["query_id"], note="blurred"))
    said = judge(http, project, admin, ids=[second], verdict="ood", note="a drawing")
    assert found(http, project, admin, note=True) == [first, second]
    assert found(http, project, admin, note=True, annotator_id=caller.user.id) == [first]
    assert found(http, project, admin, note=False) == rest
    assert history(http, project, admin, second) == [("a drawing", admin.user.id)]
    # What is said again in the place of what is undone has its note.
    then = judge(http, project, admin, ids=[second], verdict="unsure")
    judge(http, project, admin, ids=[second], verdict="skip", undoes=then["call"])
    assert history(http, project, admin, second)[0] == ("a drawing", admin.user.id)
    judge(http, project, admin, ids=[second], verdict="skip", undoes=said["call"])


def test_who_answered_otherwise_reads_what_a_reviewer_wrote(http: TestClient, world: World) -> None:
    # Of fewer verdicts than there are now nobody could be asked again.
    project, admin = running(world, images=3, queries=3, overlap=2), world.caller()
    caller = world.caller(Role.ANNOTATOR, project)
    cat, dog = world.classes(project)
    items = lease(http, caller, project, 3)["items"]
    said = [verdict(one["query_id"], "label", class_id=cat.id) for one in items[:2]]
    send(http, caller, project, *said)
    other, same = (one["example_id"] for one in items[:2])
    judge(http, project, admin, ids=[same], verdict="label", class_id=cat.id, note="indeed")
    judge(http, project, admin, ids=[other], verdict="label", class_id=dog.id, note="look: ears")

    def written() -> list[Any]:
        notes = [one["reviewer_note"] for one in recent(http, caller, project)]
        return [note and (note["note"], note["verdict"], note["class_id"]) for note in notes]

    assert written() == [None, ("look: ears", "label", dog.id)]
    # The later one, beside which somebody agrees, does not count towards as many as are wanted.
    asked = {"reviewed": True, "limit": 1}
    only = http.get(url(project, "recent"), params=asked, headers=caller.headers).json()["items"]
    assert [one["example_id"] for one in only] == [other]
    # Whoever is asked again is to judge by the image alone.
    act(http, project, admin, "queue", ids=[other])
    assert written() == [None, None]


def test_reviewers_read_the_notes_of_those_who_disagree(disputed: Crowd) -> None:  # noqa: F811
    cat, dog = disputed.classes
    item, _ = disputed.lease()
    assert (item["note"], item["notes"]) == (None, [])
    [answer] = [
        one
        for one in recent(disputed.http, disputed.ada, disputed.project)
        if one["example_id"] == item["example_id"]
    ]
    again = verdict(answer["query_id"], "label", class_id=cat, note="whiskers")
    send(disputed.http, disputed.ada, disputed.project, {**again, "supersedes": answer["key"]})
    item, _ = disputed.lease()
    [note] = item["notes"]
    assert (note["note"], note["class_id"], note["verdict"]) == ("whiskers", cat, "label")
    made = disputed.decide(item, "other", class_id=dog, note="it barks")
    assert made["status"] == "accepted"
    [decided] = disputed.call("/recent")["items"]
    assert decided["note"] == "it barks"
    assert [one["note"] for one in decided["notes"]] == ["whiskers"]
    told = recent(disputed.http, disputed.ada, disputed.project)
    assert [one["reviewer_note"]["note"] for one in told if one["reviewer_note"]] == ["it barks"]


def test_notes_leave_where_there_is_room(http: TestClient, world: World) -> None:
    project, admin = running(world, images=1, queries=1), world.caller()
    caller = world.caller(Role.ANNOTATOR, project)
    [item] = lease(http, caller, project, 1)["items"]
    send(http, caller, project, verdict(item["query_id"], note="=blurred"))
    assert [row["note"] for row in exported(http, project, admin)] == ["=blurred"]
    path = f"/api/projects/{project.id}/export"

    def export(kind: str) -> Any:
        return http.get(f"{path}?format={kind}&images=false", headers=admin.headers)

    [row] = csv.DictReader(io.StringIO(export("csv").text))
    assert row["note"] == "'=blurred"
    [task] = export("label_studio").json()
    [result] = [one for one in task["annotations"][0]["result"] if one["type"] == "textarea"]
    assert (result["from_name"], result["value"]) == ("note", {"text": ["=blurred"]})
    assert "blurred" not in export("coco").text


def test_a_note_can_stand_beside_what_is_taken_back(disputed: Crowd) -> None:  # noqa: F811
    item, _ = disputed.lease()
    disputed.decide(item, "keep", note="sure")
    disputed.decide(item, None, note="on second thought")
    manager = disputed.world.caller()
    shown = history(disputed.http, disputed.project, manager, item["example_id"])
    assert [note for note, _ in shown[:2]] == ["on second thought", "sure"]
