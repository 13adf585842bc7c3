"""What Karat exports of rankings comes back as it was."""

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.states import ExampleState, Role
from core.tables import Annotation, Example, ExampleText, Project, Round
from core.tasks.instruction_rows import InstructionRow, Turn
from core.tasks.instructions import RankingLabel
from core.tasks.registry import label_of
from tests.api.test_instructions import closed
from tests.instructions import Person, ask, examples, instructions, row
from tests.workers.import_files import Pool, jsonl, reasons, zipped
from tests.workers.test_import_instructions import done
from tests.world import World
from workers.imports.items import MAX_NAME
from workers.jobs import context

Line = dict[str, Any]


@pytest.fixture
def pools(
    world: World, session: Session, installation: settings.Settings
) -> Iterator[Callable[[], Pool]]:
    """Makes empty pools of instruction data."""
    storage = Storage(Path(installation.data_dir))
    yield lambda: Pool(session, storage, instructions(world, []))
    context.sessions().kw["bind"].dispose()


@pytest.fixture
def exported(http: TestClient, world: World) -> Callable[[int], list[Line]]:
    """The rankings of a project, as they are exported."""
    admin = world.caller()

    def export(project_id: int) -> list[Line]:
        path = f"/api/projects/{project_id}/export"
        sent = http.get(path, params={"format": "rankings"}, headers=admin.headers)
        return [json.loads(line) for line in sent.text.splitlines()]

    return export


def chat() -> InstructionRow:
    turns = [("user", "Hello"), ("assistant", "Yes?"), ("user", "Bye"), ("assistant", "Bye.")]
    return InstructionRow(
        system="Be brief.",
        instruction="Hello",
        responses=("Bye.",),
        turns=tuple(Turn(role=role, content=said) for role, said in turns),
    )


def plain(lines: list[Line]) -> list[Line]:
    """The same without numbers, and order, that are of one project alone."""
    found = []
    for line in lines:
        names = {one["example_id"]: one["name"] for one in line["rows"]}

        def said(one: Line, names: dict[int, str] = names) -> Line:
            order, wrong = one["order"], one["wrong"]
            return {
                "verdict": one["verdict"],
                "order": order and [sorted(names[id_] for id_ in tied) for tied in order],
                "wrong": wrong and sorted(names[id_] for id_ in wrong),
            }

        votes = [
            {**said(one), **{key: one[key] for key in ("annotator", "seconds", "created_at")}}
            for one in line["votes"]
        ]
        rows = [{key: one[key] for key in one if key != "example_id"} for one in line["rows"]]
        found.append({**said(line), "rows": sorted(rows, key=repr), "votes": votes})
    return sorted(found, key=lambda one: repr(one["rows"]))


def test_rankings_go_out_come_in_and_go_out_the_same(
    http: TestClient,
    world: World,
    pools: Callable[[], Pool],
    exported: Callable[[int], list[Line]],
) -> None:
    rows = [row(n, input="About n.", system="Be kind.") for n in range(6)]
    project = instructions(world, [*rows, row(6, responses=("7", "It is 7.")), chat()], overlap=2)
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2], [3, 4, 5], [6, 7]])
    ann, ben = (Person(http, world.caller(Role.ANNOTATOR, project), project) for _ in range(2))
    for one, orders in (
        (ann, [[[2], [0, 1]], [[3], [4], [5]], [[7], [6]]]),
        (ben, [[[2], [0]], [[3], [5], [4]], []]),
    ):
        for query, order in zip(one.lease(), orders, strict=True):
            members = {member["example_id"] for member in query["members"]}
            said = [[ids[at] for at in tied] for tied in order]
            wrong = members - {id_ for tied in said for id_ in tied}
            one.rank(query["query_id"], said, wrong=sorted(wrong), seconds=2.5)
    before = exported(project.id)
    assert [one["verdict"] for one in before] == ["ranking"] * 3
    target = pools()
    content = jsonl(*before)
    plan = done(target.add(content, "rankings.jsonl", dry_run=True))
    assert (plan["by_split"]["pool"], plan["refused"]) == (8, 0)
    assert plan["columns"] == {"rows": "rows", "ranking": "votes"}
    assert plan["notes"][0].startswith("Rankings that Karat has exported come in as labels")
    result = done(target.add(content, "rankings.jsonl"))
    assert (result["added"], result["annotations"], result["refused"]) == (8, 6, 0)
    assert {one.state for one in target.examples()} == {ExampleState.LABELED}
    after = exported(target.project_id)
    assert plain(after) == plain(before)
    fields = select(ExampleText.fields).join(Example, Example.id == ExampleText.example_id)
    kept = [
        sorted(map(json.dumps, world.session.scalars(fields.where(Example.project_id == id_))))
        for id_ in (project.id, target.project_id)
    ]
    assert kept[0] == kept[1]
    metrics = world.session.scalars(
        select(Round.metrics).where(Round.project_id == target.project_id)
    ).one()
    assert (metrics["groups"], metrics["rankings"], metrics["wrong"]) == (3, 6, 3)
    # What came in goes out and in as well, and says nothing new where it is.
    assert done(target.add(content, "again.jsonl"))["annotations"] == 0
    third = pools()
    assert done(third.add(zipped([("r.jsonl", jsonl(*after))]), "a.zip"))["annotations"] == 6
    assert plain(exported(third.project_id)) == plain(before)


def ranked_in_turn(
    http: TestClient, world: World, project: Project, orders: list[tuple[int, ...]]
) -> None:
    """Somebody ranks a group in each round, the best first."""
    ann = Person(http, world.caller(Role.ANNOTATOR, project), project)
    ids = [one.id for one in examples(world, project)]
    for order in orders:
        ask(world, project, [sorted(order)])
        (query,) = ann.lease()
        assert ann.rank(query["query_id"], [[ids[at]] for at in order])["status"] == "accepted"
        closed(world, project)


def test_groups_that_share_rows_or_were_ranked_again_come_in_by_their_rounds(
    http: TestClient,
    world: World,
    pools: Callable[[], Pool],
    exported: Callable[[int], list[Line]],
) -> None:
    project = instructions(world, [row(number) for number in range(4)])
    ranked_in_turn(http, world, project, [(0, 1), (1, 0), (2, 1), (3, 0)])
    before = exported(project.id)
    assert len(before) == 4
    target = pools()
    # Its lines lie in whatever order.
    content = jsonl(*reversed(before))
    assert done(target.add(content, "rankings.jsonl"))["annotations"] == 4
    assert plain(exported(target.project_id)) == plain(before)
    assert [one["round"] for one in exported(target.project_id)] == [0, 1, 2, 3]
    # What was said last holds.
    rows = target.examples()
    labels = {one.name: label_of(one.label) for one in rows}
    names = {one.id: one.name for one in rows}
    assert {
        name: [names[id_] for (id_,) in label.order]
        for name, label in labels.items()
        if isinstance(label, RankingLabel)
    } == {
        one.name: [rows_of[id_] for (id_,) in one.label["order"]]
        for rows_of in ({one.id: one.name for one in examples(world, project)},)
        for one in examples(world, project)
        if one.label
    }
    assert done(target.add(content, "again.jsonl"))["annotations"] == 0
    assert len(exported(target.project_id)) == 4


def test_of_groups_that_no_row_stands_for_alone_the_import_says_how_many(
    pools: Callable[[], Pool],
) -> None:
    rows = [{"example_id": n, **row(n).model_dump(mode="json")} for n in range(1, 3)]
    line = {"round": 0, "rows": rows, "verdict": None, "order": None, "wrong": None}
    third = {"example_id": 3, **row(3).model_dump(mode="json")}

    def said(members: list[Line]) -> Line:
        order = [[one["example_id"]] for one in members]
        vote = {"annotator": "ann", "verdict": "ranking", "order": order, "wrong": []}
        return {**line, "rows": members, "votes": [vote]}

    lines = [said(rows), said([*rows, third]), said([rows[1], third]), said([rows[0], third])]
    result = done(pools().add(jsonl(*lines), "a.jsonl"))
    assert (result["added"], result["annotations"]) == (3, 3)
    assert result["notes"][-1].startswith("1 groups share each of their rows with another group")


def test_what_is_no_ranking_is_said_and_what_is_no_row_named(
    http: TestClient, world: World, pools: Callable[[], Pool], exported: Callable[[int], list[Line]]
) -> None:
    project = instructions(world, [row(number) for number in range(4)])
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1], [2, 3]])
    ann = Person(http, world.caller(Role.ANNOTATOR, project), project)
    first, second = ann.lease()
    ann.say(first["query_id"], "ood")
    ann.rank(second["query_id"], [[ids[2]], [ids[3]]])
    lines = exported(project.id)
    broken = {**lines[1], "rows": [{**lines[1]["rows"][0], "responses": []}, 7]}
    hostile = {**lines[1], "votes": [{"verdict": "ranking", "order": [[[1]], "x"], "wrong": 3}]}
    target = pools()
    result = done(target.add(jsonl(*lines, broken, {**lines[0], "rows": None}, hostile), "a.jsonl"))
    assert (result["added"], result["annotations"], result["refused"]) == (4, 1, 3)
    assert reasons(result) == {
        "a.jsonl, line 3, row 1": "column responses is empty: nothing is answered",
        "a.jsonl, line 3, row 2": "is no object",
        "a.jsonl, line 4": "column rows is no list of rows",
    }
    noted = "what somebody said of its group ranks no two of its rows, and is not taken"
    # Of the first line, and of that whose vote names none of its rows.
    assert result["noted"] == {noted: 4}


def line_of(votes: list[Line], count: int = 3) -> Line:
    """A line of an export, whose rows have the ids 1 to ``count``."""
    rows = [{"example_id": n, **row(n).model_dump(mode="json")} for n in range(1, count + 1)]
    agreed = {"verdict": None, "order": None, "wrong": None}
    return {"round": 0, "rows": rows, **agreed, "votes": votes}


def vote(*order: int, **more: Any) -> Line:
    ranked = {"annotator": "ann", "verdict": "ranking", "order": [[id_] for id_ in order]}
    return {**ranked, "wrong": [], **more}


def orders_of(lines: list[Line]) -> list[list[list[str]]]:
    """The order of each vote, by what its rows say."""
    found = []
    for line in lines:
        rows = {one["example_id"]: one["responses"][0] for one in line["rows"]}
        found += [[[rows[id_] for id_ in tied] for tied in one["order"]] for one in line["votes"]]
    return found


def test_who_ranks_and_then_decides_has_decided(
    http: TestClient, world: World, pools: Callable[[], Pool], exported: Callable[[int], list[Line]]
) -> None:
    project = instructions(world, [row(number) for number in range(3)], overlap=2)
    first, second, third = (one.id for one in examples(world, project))
    ask(world, project, [[0, 1, 2]])
    boss = world.caller()
    people = (
        Person(http, boss, project),
        Person(http, world.caller(Role.ANNOTATOR, project), project),
    )
    for one, order in zip(people, ([first, second, third], [third, second, first]), strict=True):
        (query,) = one.lease()
        one.rank(query["query_id"], [[id_] for id_ in order])
    path = f"/api/projects/{project.id}/reviews/disagreements"
    sent = http.post(f"{path}/lease", json={"n": 4}, headers=boss.headers)
    (item,) = sent.json()["items"]
    label = {"type": "instructions", "order": [[third], [second], [first]], "wrong": []}
    decision = {
        "suggestion_id": item["id"], "key": str(uuid.uuid4()), "decision": "other", "label": label
    }  # fmt: skip
    http.post(f"{path}/decisions", json={"decisions": [decision]}, headers=boss.headers)
    before = exported(project.id)
    assert len(before[0]["votes"]) == 3
    target = pools()
    result = done(target.add(jsonl(*before), "rankings.jsonl"))
    assert result["annotations"] == 2
    assert result["notes"][-1] == (
        "1 rankings were not taken, as the same author said something else of these rows later, or "
        "decided on them in a review."
    )
    after = exported(target.project_id)
    assert orders_of(after) == [[["It is 3."], ["It is 2."], ["It is 1."]]] * 2
    assert orders_of([{**after[0], "votes": after[:1]}]) == orders_of(
        [{**before[0], "votes": before[:1]}]
    )
    assert done(target.add(jsonl(*before), "again.jsonl"))["annotations"] == 0


def test_a_projects_own_rankings_say_nothing_new_in_it(
    http: TestClient,
    world: World,
    session: Session,
    pools: Callable[[], Pool],
    exported: Callable[[int], list[Line]],
) -> None:
    project = instructions(world, [row(number) for number in range(4)], overlap=2)
    ids = [one.id for one in examples(world, project)]
    ask(world, project, [[0, 1, 2, 3]])
    for order in ([ids[3:1:-1], [ids[1]]], [[ids[0]], [ids[1]], [ids[3], ids[2]]]):
        one = Person(http, world.caller(Role.ANNOTATOR, project), project)
        (query,) = one.lease()
        wrong = sorted({*ids} - {id_ for tied in order for id_ in tied})
        assert one.rank(query["query_id"], order, wrong=wrong)["status"] == "accepted"
    closed(world, project)
    before = exported(project.id)
    here = Pool(session, pools().storage, project)
    assert done(here.add(jsonl(*before), "own.jsonl"))["annotations"] == 0
    assert exported(project.id) == before
    # Nor do they without times, or from a pool that they were brought to.
    untimed = [
        {**one, "votes": [{**vote, "created_at": None} for vote in one["votes"]]} for one in before
    ]
    assert done(here.add(jsonl(*untimed), "untimed.jsonl"))["annotations"] == 0
    there = pools()
    assert done(there.add(jsonl(*before), "there.jsonl"))["annotations"] == 2
    back = jsonl(*exported(there.project_id))
    assert done(here.add(back, "back.jsonl"))["annotations"] == 0
    assert exported(project.id) == before


def test_an_import_stands_beside_what_its_author_said_here(
    http: TestClient,
    world: World,
    session: Session,
    pools: Callable[[], Pool],
    exported: Callable[[int], list[Line]],
) -> None:
    project = instructions(world, [row(number) for number in range(2)])
    ranked_in_turn(http, world, project, [(0, 1)])
    (line,) = exported(project.id)
    (said,) = line["votes"]
    changed = {**line, "votes": [{**said, "order": said["order"][::-1], "created_at": None}]}
    here = Pool(session, pools().storage, project)
    assert done(here.add(jsonl(changed), "changed.jsonl"))["annotations"] == 1
    assert [len(one["votes"]) for one in exported(project.id)] == [1, 1]
    assert done(here.add(jsonl(changed), "again.jsonl"))["annotations"] == 0


EARLY, LATE = "2025-01-01T00:00:00+00:00", "2025-01-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, "second"),
        ({"created_at": EARLY}, {"created_at": LATE}, "second"),
        ({"created_at": LATE}, {"created_at": EARLY}, "first"),
        ({"created_at": LATE}, {}, "first"),
        ({"source": "review", "created_at": EARLY}, {"created_at": LATE}, "first"),
    ],
)
def test_of_the_votes_of_one_author_one_holds(
    pools: Callable[[], Pool],
    exported: Callable[[int], list[Line]],
    first: Line,
    second: Line,
    expected: str,
) -> None:
    votes = {"first": vote(1, 2, 3, **first), "second": vote(3, 1, 2, **second)}
    for lines in ([line_of([*votes.values()])], [line_of([one]) for one in votes.values()]):
        target = pools()
        other = vote(2, 1, 3, annotator="ben")
        result = done(target.add(jsonl(*lines, line_of([other])), "rankings.jsonl"))
        assert result["annotations"] == 2
        assert result["notes"][-1].startswith("1 rankings were not taken, as the same author")
        held = {json.dumps(one) for one in orders_of(exported(target.project_id))}
        taken = orders_of([line_of([votes[expected], other])])
        assert held == {json.dumps(one) for one in taken}


@pytest.mark.parametrize("verdict", ["ood", "unsure"])
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"source": "review"}, 1),
        ({"created_at": LATE}, 1),
        ({"created_at": EARLY}, 2),
        ({"annotator": "eve", "created_at": LATE}, 2),
    ],
)
def test_who_ranks_rows_and_then_says_otherwise_ranks_them_no_more(
    pools: Callable[[], Pool],
    exported: Callable[[int], list[Line]],
    verdict: str,
    said: Line,
    expected: int,
) -> None:
    ranking = vote(1, 2, 3, created_at="2025-01-01T12:00:00+00:00")
    later = {"annotator": "ann", "verdict": verdict, "order": None, "wrong": None, **said}
    other = vote(2, 1, 3, annotator="ben")
    for lines in (
        [line_of([ranking, later, other])],
        [line_of([later]), line_of([ranking, other])],
    ):
        target = pools()
        result = done(target.add(jsonl(*lines), "rankings.jsonl"))
        assert result["annotations"] == expected
        passed = [one for one in result["notes"] if "as the same author" in one]
        assert len(passed) == 2 - expected
        assert len(orders_of(exported(target.project_id))) == expected


@pytest.mark.parametrize("order", [(7, 8, 9), (1, 7), (1,), ()])
def test_a_ranking_of_no_two_rows_of_its_line_is_named(
    pools: Callable[[], Pool], order: tuple[int, ...]
) -> None:
    target = pools()
    result = done(
        target.add(jsonl(line_of([vote(*order), vote(1, 2, 3, annotator="b" * 9_999)])), "a.jsonl")
    )
    assert (result["added"], result["annotations"]) == (3, 1)
    noted = "what somebody said of its group ranks no two of its rows, and is not taken"
    assert result["noted"] == {noted: 3}
    names = select(Annotation.source_name).where(Annotation.project_id == target.project_id)
    (name,) = target.session.scalars(names)
    assert name is not None
    assert len(name) == MAX_NAME
