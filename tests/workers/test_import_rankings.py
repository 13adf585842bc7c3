"""Answers that other tools compare enter a pool as rows, and their rankings as labels."""

import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.states import ExampleState, RoundState
from core.tables import Annotation, Example, ExampleText, Project, Query, Round
from core.tasks.instructions import RankingLabel, central_ranking, places
from core.tasks.registry import label_of
from tests.instructions import ask, instructions
from tests.workers.import_files import Pool, jsonl, parquet_of, reasons, zipped
from tests.workers.test_import_instructions import done
from tests.world import World
from workers.imports.instructions.compared import Compared, compared
from workers.imports.instructions.shapes import find_shape
from workers.imports.items import Refused
from workers.jobs import context
from workers.verify.__main__ import verify

Order = list[set[str]]


@pytest.fixture
def rows(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    """An empty pool of instruction data."""
    yield Pool(session, Storage(Path(installation.data_dir)), instructions(world, []))
    context.sessions().kw["bind"].dispose()


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def model(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def rankings(pool: Pool) -> list[tuple[str, Order]]:
    """Who ranks, and the answers, the best first; sorted."""
    pool.session.expire_all()
    texts = select(Example.id, ExampleText.fields).join(
        ExampleText, ExampleText.example_id == Example.id
    )
    answers = {id_: (fields or {})["responses"][0] for id_, fields in pool.session.execute(texts)}
    held = pool.session.scalars(
        select(Annotation)
        .where(Annotation.project_id == pool.project_id, Annotation.counted)
        .order_by(Annotation.id)
    ).all()
    gone = {one.supersedes_id for one in held}
    found = []
    for one in held:
        label = label_of(one.label)
        if isinstance(label, RankingLabel) and one.id not in gone:
            order = [{answers[id_] for id_ in tied} for tied in label.order]
            found.append((one.source_name or "", order))
    return sorted(found, key=repr)


# As the tools write them, one row each, and what is to be read.
ROWS: dict[str, tuple[dict[str, Any], str, Order]] = {
    "preference": ({"prompt": "q", "chosen": "A", "rejected": "B"}, "chosen", [{"A"}, {"B"}]),
    "messages": (
        {"prompt": [user("q")], "chosen": [model("A")], "rejected": [model("B")]},
        "chosen",
        [{"A"}, {"B"}],
    ),
    "whole chats": (
        {"chosen": [user("q"), model("A")], "rejected": [user("q"), model("B")]},
        "chosen",
        [{"A"}, {"B"}],
    ),
    "ultrafeedback": (
        {
            "prompt": "q",
            "chosen": [user("q"), model("A")],
            "rejected": [user("q"), model("B")],
            "score_chosen": 8.0,
        },
        "chosen",
        [{"A"}, {"B"}],
    ),
    "dialogues": (
        {
            "chosen": "\n\nHuman: q\n\nAssistant: A",
            "rejected": "\n\nHuman: q\n\nAssistant: B",
        },
        "chosen",
        [{"A"}, {"B"}],
    ),
    "several worse": (
        {"system": "Be brief.", "question": "q", "chosen": "A", "rejected": ["B", "C"]},
        "chosen",
        [{"A"}, {"B", "C"}],
    ),
    "columns and places": (
        {
            "instruction": "q",
            "response_1": "A",
            "response_2": "B",
            "response_3": "C",
            "ranking": [2, 1, 2],
        },
        "ranking",
        [{"B"}, {"A", "C"}],
    ),
    "columns and names": (
        {"instruction": "q", "output_a": "A", "output_b": "B", "ranking": ["output_b", "output_a"]},
        "ranking",
        [{"B"}, {"A"}],
    ),
    "columns and scores": (
        {"instruction": "q", "response_1": "A", "response_2": "B", "score_1": 1, "score_2": 4.5},
        "score",
        [{"B"}, {"A"}],
    ),
    "the better of two": (
        {"prompt": "q", "response_0": "A", "response_1": "B", "better_response_id": 1},
        "better_response_id",
        [{"B"}, {"A"}],
    ),
    "a tie": (
        {
            "conversation_a": [user("q"), model("A")],
            "conversation_b": [user("q"), model("B")],
            "winner": "tie (bothbad)",
        },
        "winner",
        [{"A", "B"}],
    ),
    "a list and scores": (
        {"prompt": "q", "answers": ["A", "B", "C"], "scores": [1, 3, 2]},
        "scores",
        [{"B"}, {"C"}, {"A"}],
    ),
    "a list of ranked": (
        {"prompt": "q", "answers": [{"answer": "A", "rank": 2}, {"answer": "B", "rank": 1}]},
        "answers rank",
        [{"B"}, {"A"}],
    ),
    "a list of rated": (
        {
            "instruction": "q",
            "completions": [
                {"response": "A", "overall_score": 2.0},
                {"response": "B", "overall_score": 5.0},
            ],
        },
        "completions overall_score",
        [{"B"}, {"A"}],
    ),
    "Argilla 1": (
        {
            "fields": {"instruction": "q", "response-1": "A", "response-2": "B"},
            "responses": [
                {
                    "user_id": "ada",
                    "status": "submitted",
                    "values": {
                        "order": {
                            "value": [
                                {"value": "response-2", "rank": 1},
                                {"value": "response-1", "rank": 2},
                            ]
                        },
                        "comment": {"value": "fine"},
                    },
                },
                {
                    "user_id": "ben",
                    "status": "draft",
                    "values": {"order": {"value": [{"value": "response-1", "rank": 1}]}},
                },
            ],
            "metadata": {"source": "x"},
            "external_id": "7",
        },
        "ada",
        [{"B"}, {"A"}],
    ),
    "Argilla 2": (
        {
            "id": "6b4c",
            "status": "completed",
            "fields": {"prompt": "q", "a": "A", "b": "B", "c": "C"},
            "responses": {"order": [{"value": ["c", "a", "b"], "user_id": "ada"}]},
            "suggestions": {},
            "vectors": {},
            "metadata": {},
        },
        "ada",
        [{"C"}, {"A"}, {"B"}],
    ),
    "Label Studio, two": (
        {
            "id": 1,
            "data": {"prompt": "q", "answer1": "A", "answer2": "B"},
            "annotations": [
                {
                    "completed_by": 3,
                    "was_cancelled": False,
                    "result": [{"type": "pairwise", "value": {"selected": "right"}}],
                },
                {"completed_by": 4, "was_cancelled": True, "result": []},
            ],
        },
        "Label Studio user 3",
        [{"B"}, {"A"}],
    ),
    "Label Studio, ranker": (
        {
            "id": 1,
            "data": {
                "prompt": "q",
                "items": [
                    {"id": "x", "title": "one", "body": "A"},
                    {"id": "y", "title": "two", "body": "B"},
                    {"id": "z", "title": "three", "body": "C"},
                ],
            },
            "annotations": [
                {
                    "completed_by": {"email": "ada@example.org", "id": 3},
                    "result": [{"type": "ranker", "value": {"ranker": {"_": ["z", "x", "y"]}}}],
                }
            ],
        },
        "ada@example.org",
        [{"C"}, {"A"}, {"B"}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_a_row_that_compares_answers_is_read(
    rows: Pool, case: tuple[dict[str, Any], str, Order]
) -> None:
    row, author, order = case
    result = done(rows.add(json.dumps([row]).encode(), "rows.json"))
    answers = set().union(*order)
    assert (result["added"], result["refused"], result["annotations"]) == (len(answers), 0, 1)
    assert rankings(rows) == [(author, order)]
    assert {one.state for one in rows.examples()} == {ExampleState.LABELED}
    assert len({one.name for one in rows.examples()}) == len(answers)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "zip"])
def test_every_kind_of_file_brings_them(rows: Pool, kind: str) -> None:
    records = [
        {"prompt": [user(f"q{n}")], "chosen": [model("A")], "rejected": [model("B")], "source": "x"}
        for n in range(3)
    ]
    content = parquet_of(records) if kind == "parquet" else jsonl(*records)
    if kind == "zip":
        content = zipped([("data/train.jsonl", content)])
    result = done(rows.add(content, f"a.{kind}"))
    assert (result["added"], result["annotations"]) == (6, 3)
    assert [order for _, order in rankings(rows)] == [[{"A"}, {"B"}]] * 3
    assert {one.meta["source"] for one in rows.examples()} == {"x"}


def test_lists_of_objects_are_read_from_parquet(rows: Pool) -> None:
    answers = [{"answer": "A", "rank": 2.0}, {"answer": "B", "rank": 1.0}]
    result = done(rows.add(parquet_of([{"prompt": "q", "answers": answers}]), "a.parquet"))
    assert result["annotations"] == 1
    assert rankings(rows) == [("answers rank", [{"B"}, {"A"}])]


def test_answers_to_one_question_come_together_wherever_they_lie(rows: Pool) -> None:
    pairs = [("A", "B"), ("C", "D"), ("B", "C")]
    between = [{"prompt": f"other {n}", "chosen": "x", "rejected": "y"} for n in range(3)]
    lines: list[dict[str, Any]] = []
    for (better, worse), other in zip(pairs, between, strict=True):
        lines += [{"prompt": "q", "chosen": better, "rejected": worse}, other]
    result = done(rows.add(jsonl(*lines), "pairs.jsonl"))
    # Those that came before are duplicates, and no group is split.
    assert (result["added"], result["duplicates"], result["annotations"]) == (10, 2, 4)
    assert ("chosen", [{"A"}, {"B"}, {"C"}, {"D"}]) in rankings(rows)
    groups = rows.session.scalars(select(Query).where(Query.project_id == rows.project_id)).all()
    assert len(groups) == 4
    assert all(one.done for one in groups)


def test_rows_with_a_rank_each_are_ranked_by_question(rows: Pool) -> None:
    lines = [
        {"prompt": question, "response": answer, "rank": rank}
        for answer, rank in (("A", 2), ("B", 1), ("C", 3))
        for question in ("q", "r")
    ]
    result = done(rows.add(jsonl(*lines), "a.jsonl"))
    assert (result["added"], result["annotations"]) == (6, 2)
    assert rankings(rows) == [("rank", [{"B"}, {"A"}, {"C"}])] * 2


def test_places_count_from_zero_and_what_is_no_number_is_said(rows: Pool) -> None:
    ranks: list[Any] = [2, 0, 1, None, "", "nan", float("inf"), 10**400, "first", "0.5"]
    lines = [{"prompt": "q", "response": f"A{n}", "rank": one} for n, one in enumerate(ranks)]
    result = done(rows.add(jsonl(*lines), "a.jsonl"))
    assert (result["added"], result["annotations"]) == (10, 1)
    assert rankings(rows) == [("rank", [{"A1"}, {"A9"}, {"A2"}, {"A0"}])]
    assert result["noted"] == {"column rank holds what is no number: the row is not ranked": 3}


def test_the_plan_says_what_it_understands_before_anything_is_stored(rows: Pool) -> None:
    lines = [{"prompt": "q", "chosen": "A", "rejected": "B"}, {"prompt": "r", "chosen": "A"}]
    plan = done(rows.add(jsonl(*lines), "a.jsonl", dry_run=True))
    assert plan["notes"] == [
        "Each answer becomes a row of its own.",
        "Rankings come in as labels. Answers in chosen are better than those in rejected.",
    ]
    assert plan["columns"] == {"instruction": "prompt", "chosen": "chosen", "rejected": "rejected"}
    assert (plan["by_split"]["pool"], plan["refused"]) == (2, 1)
    assert rows.examples() == []


def test_a_row_that_cannot_be_read_is_named_and_costs_no_other(rows: Pool) -> None:
    lines = [
        {"prompt": "q", "chosen": "A", "rejected": " "},
        {"prompt": "r", "chosen": "A", "rejected": "B"},
        {"prompt": "s", "chosen": "A", "rejected": "A"},
        {"prompt": "t", "chosen": [user("t"), model("A")], "rejected": [user("u"), model("B")]},
    ]
    result = done(rows.add(jsonl(*lines), "a.jsonl"))
    assert (result["added"], result["refused"], result["annotations"]) == (3, 2, 1)
    assert reasons(result) == {
        "a.jsonl, line 1": "in rejected: column rejected is empty: nothing is answered",
        "a.jsonl, line 4": "chosen and rejected do not answer the same question",
    }


def test_the_same_file_says_nothing_new_and_a_corrected_one_corrects(rows: Pool) -> None:
    row = {"prompt": "q", "response_1": "A", "response_2": "B", "scores": [1, 2]}
    assert done(rows.add(jsonl(row), "a.jsonl"))["annotations"] == 1
    again = done(rows.add(jsonl(row), "a.jsonl"))
    assert (again["added"], again["annotations"]) == (0, 0)
    rounds = select(func.count()).select_from(Round).where(Round.project_id == rows.project_id)
    assert rows.session.scalar(rounds) == 1
    assert done(rows.add(jsonl({**row, "scores": [3, 2]}), "a.jsonl"))["annotations"] == 1
    assert rankings(rows) == [("scores", [{"A"}, {"B"}])]
    labels = [label_of(one.label) for one in rows.examples()]
    assert labels[0] == labels[1]


def test_who_goes_back_to_what_was_said_first_is_believed(rows: Pool) -> None:
    row = {"prompt": "q", "response_1": "A", "response_2": "B"}
    for scores, best in (([2, 1], "A"), ([1, 2], "B"), ([2, 1], "A")):
        assert done(rows.add(jsonl({**row, "scores": scores}), "a.jsonl"))["annotations"] == 1
        ((_, order),) = rankings(rows)
        assert order[0] == {best}
    labels = {str(label_of(one.label)) for one in rows.examples()}
    assert len(labels) == 1
    assert done(rows.add(jsonl({**row, "scores": [2, 1]}), "a.jsonl"))["annotations"] == 0


def test_what_nobody_said_of_two_answers_is_not_made_up(rows: Pool) -> None:
    pairs = [("A", "B"), ("A", "C"), ("C", "D")]
    lines = [{"prompt": "q", "chosen": better, "rejected": worse} for better, worse in pairs]
    result = done(rows.add(jsonl(*lines), "a.jsonl"))
    assert (result["added"], result["annotations"]) == (4, 0)
    assert result["notes"][-1].startswith("1 rankings leave open how some answers compare")


def test_of_an_answer_with_two_places_nothing_is_known(rows: Pool) -> None:
    """Whether they stand in one row of the file or in several."""
    listed = [("A", 1), ("B", 2), ("C", 3), ("A", 4)]
    lines = [{"prompt": "q", "response": answer, "rank": rank} for answer, rank in listed]
    result = done(rows.add(jsonl(*lines), "a.jsonl"))
    assert (result["added"], result["annotations"]) == (3, 1)
    answers, ranks = zip(*listed, strict=True)
    beside = {"prompt": "r", "answers": [*answers], "ranking": [*ranks]}
    assert done(rows.add(jsonl(beside), "b.jsonl"))["annotations"] == 1
    assert rankings(rows) == [(name, [{"B"}, {"C"}]) for name in ("rank", "ranking")]


def test_what_is_too_much_for_one_ranking_is_said(rows: Pool) -> None:
    many = [f"answer {n}" for n in range(11)]
    row = {"prompt": "q", "answers": many, "scores": [*range(11)]}
    result = done(rows.add(jsonl(row), "a.jsonl"))
    assert (result["added"], result["annotations"]) == (11, 0)
    assert "1 questions have more than 10 answers" in result["notes"][-1]


def test_people_go_on_with_rows_that_came_ranked(
    rows: Pool, world: World, http: TestClient
) -> None:
    lines = [{"prompt": f"q{n}", "chosen": "A", "rejected": "B"} for n in range(2)]
    done(rows.add(jsonl(*lines), "a.jsonl"))
    (round_,) = world.session.scalars(select(Round).where(Round.project_id == rows.project_id))
    assert (round_.number, round_.state, round_.strategy) == (0, RoundState.CLOSED, "import")
    assert round_.metrics["rankings"] == 2
    caller = world.caller()
    path = f"/api/projects/{rows.project_id}/rounds"
    (shown,) = http.get(path, headers=caller.headers).json()["items"]
    assert (shown["answered"]["label"], shown["queries"], shown["spent"]) == (2, 2, 0)
    sent = http.get(
        f"/api/projects/{rows.project_id}/export",
        params={"format": "rankings"},
        headers=caller.headers,
    )
    told = [json.loads(line) for line in sent.text.splitlines()]
    assert [one["verdict"] for one in told] == ["ranking", "ranking"]
    assert [one["votes"][0]["annotator"] for one in told] == ["chosen", "chosen"]
    project = world.session.get_one(Project, rows.project_id)
    more = {"prompt": "later", "chosen": "A", "rejected": "B"}
    before = done(rows.add(jsonl(more), "b.jsonl", dry_run=True))["notes"]
    asked = ask(world, project, [[0, 1], [2, 3]])
    assert asked.number == 1
    # The plan promises nothing that the import then does not do.
    *others, said = done(rows.add(jsonl(more), "b.jsonl", dry_run=True))["notes"]
    assert (others, said[:23]) == (before, "People are ranking now:")
    plain = {"prompt": "later", "response": "A"}
    assert done(rows.add(jsonl(plain), "c.jsonl", dry_run=True))["notes"] == []
    waiting = done(rows.add(jsonl(more), "b.jsonl"))
    assert (waiting["added"], waiting["annotations"]) == (2, 0)
    assert "people are ranking now" in waiting["notes"][-1]
    found = verify(context.sessions().kw["bind"], settings.settings(), running=False)
    assert [one for one in found if one.level != "ok"] == []


@pytest.mark.parametrize(
    ("ends", "winner", "places"),
    [
        # As numbers with gaps leave pandas.
        ("01", 1.0, [1, 0]),
        ("01", 0.0, [0, 1]),
        ("01", "1.0", [1, 0]),
        ("12", 1, [0, 1]),
        ("01", 0.1, None),
        ("01", -1, None),
        ("01", True, None),
        ("ab", "B", [1, 0]),
        ("ab", "model_a", [0, 1]),
        ("ab", "Assistant B", [1, 0]),
        ("ab", "response_a", [0, 1]),
        ("ab", "right", [1, 0]),
        ("ab", "vicuna-13b", None),
        ("12", "claude-2", None),
        ("ab", "tie (bothbad)", [0, 0]),
        ("ab", "Both bad", [0, 0]),
        ("ab", "same", [0, 0]),
        ("ab", "drawbridge-7b", None),
        ("ab", "settler", None),
    ],
)
def test_the_best_is_named_in_full(ends: str, winner: object, places: list[float] | None) -> None:
    row = {"prompt": "q", "winner": winner, **{f"response_{end}": f"A{end}" for end in ends}}
    assert said_of(row) == places


def test_the_best_may_be_named_by_its_model() -> None:
    models = {"model_a": "vicuna-13b", "model_b": "Claude-2"}
    row = {"prompt": "q", "response_a": "A", "response_b": "B", **models}
    assert said_of({**row, "winner": "vicuna-13b"}) == [0, 1]
    assert said_of({**row, "winner": "claude-2"}) == [1, 0]
    assert said_of({**row, "winner": "model_b"}) == [1, 0]
    assert said_of({**row, "winner": "gpt-4"}) is None
    both = {**row, "model_b": "vicuna-13b", "winner": "vicuna-13b"}
    assert said_of(both) is None
    assert said_of({**row, "model_b": "same", "winner": "same"}) == [1, 0]


def said_of(row: dict[str, Any]) -> list[float] | None:
    """The places that a row gives its answers; none if it is refused, and says which column."""
    shape = find_shape(list(row))
    assert shape is not None
    stated = shape.state(row)
    if isinstance(stated, Refused):
        assert "winner" in stated.reason
        assert repr(str(row["winner"])) in stated.reason
        return None
    ((author, places),) = stated.said
    assert author == "winner"
    return [one for one in places if one is not None]


ANYTHING: tuple[Any, ...] = (
    None, 1, 1.5, True, "x", "", [], {}, [1], ["a"], [{}], {"a": 1}, float("nan"), "[1, 2]", "tie",
    "\n\nHuman: a", 10**400, [{"role": "user", "content": 1}], [[1]], {"value": [1]},
)  # fmt: skip


def mixed(value: Any, lot: Random) -> Any:
    """A value with parts of it replaced, left out or doubled."""
    if lot.random() < 0.2:
        return lot.choice(ANYTHING)
    if isinstance(value, dict):
        return {key: mixed(one, lot) for key, one in value.items() if lot.random() < 0.95}
    if isinstance(value, list):
        return [mixed(one, lot) for one in value for _ in range(lot.choice((1, 1, 1, 2)))]
    return value


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_nothing_that_a_row_may_hold_breaks_off_an_import(
    case: tuple[dict[str, Any], str, Order],
) -> None:
    row, lot, read = case[0], Random(0), 0
    shape = find_shape(list(row))
    assert shape is not None
    for _ in range(500):
        stated = shape.state({name: mixed(value, lot) for name, value in row.items()})
        found = stated if isinstance(stated, Refused) else compared(stated)
        assert isinstance(found, Compared) or found.reason
        read += isinstance(found, Compared)
    assert read > 0


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_partial_rankings_are_put_together(order: tuple[int, ...]) -> None:
    pairs = [{0: 0, 1: 1}, {1: 0, 2: 1}]
    found = central_ranking([pairs[at % 2] for at in order])
    assert found == [[0], [1], [2]]
    assert central_ranking([{0: 0, 1: 1}, {0: 0, 2: 1}]) == [[0], [1, 2]]
    whole = RankingLabel(type="instructions", order=((1,), (2, 3)))
    assert central_ranking([places(whole)]) == [[1], [2, 3]]
