"""What was chosen among instructions: numbers, clusters, rows, files, and what people say of it."""

import io
import json
import uuid
from datetime import timedelta
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import JobKind, JobState, Role
from core.tables import Artifact, Job, Project, Round
from core.tasks.instruction_rows import InstructionRow, Turn
from karat.demo.stand_in_judge import Behaviour
from tests.instructions import Person
from tests.workers.instructed import good_ones, judge_of, pool_of, rows_of
from tests.workers.starting import done_job, run_here, start_job
from tests.world import World
from workers.celery_tasks.follow_people import follow_people
from workers.instructions.following import Following
from workers.instructions.superseded import remove_superseded
from workers.jobs.context import sessions

FIRST = str(uuid.uuid4())
PARAMS: dict[str, Any] = {"features": "hashed_ngrams", "largest": 4}


class Chosen:
    """A selection over HTTP."""

    def __init__(self, http: TestClient, world: World, project: Project, **params: Any) -> None:
        self.http, self.headers = http, world.caller(Role.ENGINEER, project).headers
        self.job = done_job(http, world, project, "select_instructions", PARAMS | params)
        assert self.job.state is JobState.SUCCEEDED, self.job.error
        self.path = f"/api/projects/{project.id}/jobs/{self.job.id}/selection"

    def get(self, path: str = "", **query: Any) -> Any:
        found = self.http.get(f"{self.path}{path}", params=query, headers=self.headers)
        assert found.status_code == 200, found.text
        return found.json()

    def export(self, **query: Any) -> bytes:
        found = self.http.get(f"{self.path}/export", params=query, headers=self.headers)
        assert found.status_code == 200, found.text
        assert f"karat-instructions-{self.job.id}." in found.headers["content-disposition"]
        return found.content


def every(get: Any, **query: Any) -> list[dict[str, Any]]:
    """All pages of a list."""
    items: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = get(**query, **cursor, limit=2)
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        cursor = {"cursor": page["next_cursor"]}


def test_a_selection_is_looked_at_compared_and_exported(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(5)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth):
        chosen = Chosen(http, world, project, permutations=3)
        scored = Chosen(http, world, project, method="sample_scores", at_least=5)
    best = good_ones(world, project)
    summary = chosen.get()
    assert (summary["rows"], summary["kept"], summary["largest"]) == (20, 5, 4)
    # Three orders of four rows that are all the same are no chance, p = 1 / 24².
    assert summary["rankable"] == {"share": 1.0, "of": 5}
    assert sum(summary["lengths"]["before"]) == 20
    assert sum(summary["lengths"]["after"]) == 5
    assert summary["people"] is None
    # Of the pairs of four rows scored 5, 4, 2 and 1 none has one score.
    tied = summary["non_rankable"]
    assert (tied["share"], tied["scores_of"]) == (0.0, scored.job.id)
    assert scored.get()["non_rankable"] == tied

    clusters = every(lambda **query: chosen.get("/clusters", **query))
    assert [one["status"] for one in clusters] == ["decided"] * 5
    assert {one["members"][0]["example_id"] for one in clusters} == best
    for one in clusters:
        assert [row["rank"] for row in one["members"]] == [1, 2, 3, 4]
        assert one["members"][0]["fields"]["responses"][0].endswith("Rightly so.")
    assert chosen.get("/clusters", show="undecided")["items"] == []
    kept = every(lambda **query: chosen.get("/rows", **query), kept=True)
    assert {row["example_id"] for row in kept} == best
    low = every(lambda **query: scored.get("/rows", **query), reason="low_score")
    assert {row["score"] for row in low} == {1.0, 2.0, 4.0}

    compared = chosen.get("/compare", **{"with": scored.job.id})
    assert (compared["both"], compared["only_one"], compared["jaccard"]) == (5, 0, 1.0)

    lines = [json.loads(line) for line in chosen.export().splitlines()]
    assert lines == [
        {"instruction": row.instruction, "input": "", "output": row.responses[0]}
        for row in rows[::4]
    ]
    chats = [json.loads(line) for line in chosen.export(format="messages").splitlines()]
    assert [turn["role"] for turn in chats[0]["messages"]] == ["user", "assistant"]
    assert set(map(int, chosen.export(format="ids").split())) == best
    table = pq.read_table(io.BytesIO(chosen.export(format="parquet")))
    assert set(table["output"].to_pylist()) == {line["output"] for line in lines}
    whole = pq.read_table(io.BytesIO(chosen.export(format="parquet", everything=True)))
    assert (whole.num_rows, whole["kept"].to_pylist().count(True)) == (20, 5)

    stranger = world.caller(Role.ENGINEER).headers
    assert http.get(chosen.path, headers=stranger).status_code == 404
    waiting = start_job(http, world, project, "select_instructions", PARAMS | {"method": "random"})
    path = f"/api/projects/{project.id}/jobs/{waiting.id}/selection"
    refused = http.get(path, headers=chosen.headers).json()
    assert (refused["code"], "is queued" in refused["detail"]) == ("not_selected", True)


def test_a_page_of_long_rows_is_short(http: TestClient, world: World) -> None:
    long = [InstructionRow(instruction=f"{n}?", responses=(f"{n} " * 150_000,)) for n in range(5)]
    project = pool_of(world, long)
    chosen = Chosen(http, world, project, method="k_means_random", target=5)

    def pages(path: str) -> list[list[str]]:
        found: list[list[str]] = []
        cursor: int | None = 0
        while cursor is not None:
            page = chosen.get(path, cursor=cursor, limit=100)
            rows = [row for one in page["items"] for row in one.get("members", [one])]
            found.append([row["fields"]["responses"][0] for row in rows])
            cursor = page["next_cursor"]
        return found

    for path in ("/clusters", "/rows"):
        found = pages(path)
        assert [len(page) for page in found] == [3, 2]
        assert {len(text) for page in found for text in page} == {20_004}


def test_people_decide_what_they_rank_and_say_how_often_the_judge_is_right(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(6)
    project = pool_of(world, rows)
    # A judge that puts first what is shown first contradicts itself in each other order.
    with judge_of(world, monkeypatch, truth, Behaviour(bias=1.0)):
        chosen = Chosen(http, world, project, permutations=2, people_most=6, audit_share=0.5)
    people = chosen.get()["people"]
    assert people["audit"] == 3
    assert people["asked"] >= 3
    asked = every(lambda **query: chosen.get("/clusters", **query), show="people")
    assert len(asked) == people["asked"]
    best = good_ones(world, project)
    person = Person(http, world.caller(Role.ANNOTATOR, project), project)
    leased = person.lease()
    assert len(leased) == people["asked"]
    for number, item in enumerate(leased):
        ids = sorted(member["example_id"] for member in item["members"])
        result = (
            person.say(item["query_id"], "unsure", key=FIRST)
            if number == 0
            else person.rank(item["query_id"], [[one] for one in ids[:-1]], ids[-1:])
        )
        assert result["status"] == "accepted", result
    # Their order does not decide before the round has closed.
    waiting = chosen.get()["people"]
    assert (waiting["answered"], waiting["agreement"]) == (people["asked"], None)
    job = world.session.scalars(
        select(Job).where(Job.project_id == project.id, Job.kind == JobKind.ADVANCE_ROUND)
    ).one()
    world.session.commit()
    made = Following.made

    def interrupted(*given: Any) -> Following:
        """What people say, of which somebody corrects one before the round is locked."""
        found = made(*given)
        said = person.say(leased[0]["query_id"], "ood", supersedes=FIRST)
        assert said["status"] in ("accepted", "conflict"), said
        return found

    monkeypatch.setattr(Following, "made", interrupted)
    run_here(world, job)
    assert job.state is JobState.SUCCEEDED, job.error

    after = chosen.get()
    assert after["people"]["answered"] == people["asked"]
    agreement = after["people"]["agreement"]
    assert agreement["of"] == 3
    assert 0 <= agreement["low"] <= agreement["agree"] / 3 <= agreement["high"] <= 1
    assert after["by_reason"]["ood_by_people"] == 4
    assert after["by_reason"]["wrong_by_people"] == people["asked"] - 1
    assert after["by_reason"]["by_people"] == people["asked"] - 1
    decided = every(lambda **query: chosen.get("/clusters", **query), show="people")
    for cluster in decided:
        assert cluster["source"] == "people"
        kept = [row["example_id"] for row in cluster["members"] if row["kept"]]
        if cluster["members"][0]["reason"] != "ood_by_people":
            # People rank by id, of which the first is the good one.
            assert kept == [min(row["example_id"] for row in cluster["members"])]
            assert kept[0] in best
    files = world.session.scalars(select(Artifact).where(Artifact.job_id == chosen.job.id)).all()
    assert len(files) == 2
    # What was made before the correction is gone.
    folder = world.storage.artifact(files[1].storage_key).parent
    assert [one.name for one in folder.glob("selection-*")] == [files[1].storage_key.split("/")[-1]]
    round_ = world.session.scalars(select(Round).where(Round.project_id == project.id)).one()
    assert round_.metrics["judge_agreement"] == agreement

    # Who corrects an order after that is followed at once; a new one is not asked for any more.
    monkeypatch.undo()
    recent = http.get(f"{person.path}/recent", headers=person.caller.headers).json()["items"]
    last = next(one for one in recent if one["verdict"] == "label")
    ids = sorted(member["example_id"] for member in last["members"])
    back = [[one] for one in reversed(ids)]
    corrected = person.rank(last["query_id"], back, supersedes=last["key"])
    assert (corrected["status"], corrected["counted"]) == ("accepted", True)
    world.session.commit()
    follow_people({"project_id": project.id})
    now = every(lambda **query: chosen.get("/clusters", **query), show="people")
    (cluster,) = [one for one in now if one["members"][0]["example_id"] in ids]
    assert [row["example_id"] for row in cluster["members"] if row["kept"]] == [ids[-1]]
    assert chosen.get()["by_reason"]["wrong_by_people"] == people["asked"] - 2
    world.session.refresh(files[1])
    # Whoever reads what was there before still does; it goes later.
    assert len([*folder.glob("selection-*")]) == 2
    assert remove_superseded(sessions(), world.storage) == 0
    # One that cannot be removed, as its name is too long for any disk, keeps no other.
    stuck, (gone,) = "selection-" + "0" * 300, files[1].meta["superseded"]
    waiting = {stuck: files[1].meta["superseded"][gone], gone: files[1].meta["superseded"][gone]}
    files[1].meta = {**files[1].meta, "superseded": waiting}
    world.session.commit()
    assert remove_superseded(sessions(), world.storage, grace=timedelta(seconds=-60)) == 1
    world.session.refresh(files[1])
    assert [*files[1].meta["superseded"]] == [stuck]
    listed = http.get(f"/api/projects/{project.id}/artifacts", headers=chosen.headers).json()
    assert "superseded" not in listed["items"][-1]["meta"]
    assert "people" in listed["items"][-1]["meta"]
    files[1].meta = {name: said for name, said in files[1].meta.items() if name != "superseded"}
    world.session.commit()
    assert [one.name for one in folder.glob("selection-*")] == [files[1].storage_key.split("/")[-1]]
    written = files[1].storage_key
    follow_people({})
    world.session.refresh(files[1])
    assert files[1].storage_key == written
    # One whose file is broken keeps no other from following.
    world.storage.artifact(files[0].storage_key).write_bytes(b"broken")
    files[1].meta = {**files[1].meta, "people": {**files[1].meta["people"], "heard": 0}}
    world.session.commit()
    follow_people({})
    world.session.refresh(files[1])
    assert files[1].storage_key == written


def test_chats_and_several_responses_leave_whole(http: TestClient, world: World) -> None:
    chat = InstructionRow(
        instruction="Weather?",
        responses=("And tomorrow rain.",),
        turns=(
            Turn(role="user", content="Weather?"),
            Turn(role="assistant", content=""),
            Turn(role="tool", content="21 degrees"),
            Turn(role="assistant", content="Sunny."),
            Turn(role="user", content="Tomorrow?"),
            Turn(role="assistant", content="And tomorrow rain."),
        ),
    )
    several = InstructionRow(instruction="A pet?", responses=("A cat.", "A dog."))
    project = pool_of(world, [chat, several])
    chosen = Chosen(http, world, project, method="random", target=2)
    lines = [json.loads(line) for line in chosen.export().splitlines()]
    assert lines[0] == {
        "instruction": "Tomorrow?",
        "input": "",
        "output": "And tomorrow rain.",
        "history": [["Weather?", "Sunny."]],
    }
    assert [line["output"] for line in lines[1:]] == ["A cat.", "A dog."]
    table = pq.read_table(io.BytesIO(chosen.export(format="parquet")))
    assert sorted(table["responses"].to_pylist()) == [["A cat.", "A dog."], ["And tomorrow rain."]]
