"""Instruction data that enters a pool, from the files in which it is kept."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.states import JobState
from core.tables import Example, ExampleText, Job
from core.tasks.instruction_lines import as_alpaca
from core.tasks.instruction_rows import InstructionRow, Turn, stored_row
from tests.instructions import instructions
from tests.workers.import_files import Pool, jsonl, parquet_of, reasons, zipped
from tests.world import World
from workers.imports.formats.lines import PLAIN
from workers.imports.instructions.parquet import ParquetTable
from workers.imports.instructions.parse import BESIDE, WORDS
from workers.imports.instructions.source import TextTable, instruction_source
from workers.imports.items import Item
from workers.jobs import context
from workers.verify.__main__ import verify

MIB = 1 << 20


@pytest.fixture
def rows(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    """An empty pool of instruction data."""
    yield Pool(session, Storage(Path(installation.data_dir)), instructions(world, []))
    context.sessions().kw["bind"].dispose()


def done(job: Job) -> dict[str, Any]:
    assert job.result is not None, job.error
    return job.result


def stored(pool: Pool) -> list[dict[str, Any]]:
    """What the rows of the pool are, without what they lack."""
    pool.session.expire_all()
    statement = (
        select(ExampleText.fields)
        .join(Example, Example.id == ExampleText.example_id)
        .where(Example.project_id == pool.project_id)
        .order_by(Example.pool_index)
    )
    return [
        {name: value for name, value in (fields or {}).items() if value}
        for fields in pool.session.scalars(statement)
    ]


def read(path: Path, lines: list[dict[str, Any]]) -> list[Item]:
    """What a file of these lines brings."""
    is_parquet = path.suffix == ".parquet"
    path.write_bytes(parquet_of(lines) if is_parquet else jsonl(*lines))
    made = ParquetTable(path, MIB) if is_parquet else TextTable(path, path.name, PLAIN)
    with closing(instruction_source(made, path.name, MIB)) as source:
        return list(source.items(0))


def parts(item: Item) -> dict[str, Any]:
    content = item.read()
    assert isinstance(content, bytes)
    held: dict[str, Any] = json.loads(content)
    return held


ALPACA = {"instruction": "Add.", "input": "1, 2", "output": "3"}
CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
]
LONG_CHAT = [*CHAT[1:], {"role": "user", "content": "Bye"}, {"role": "assistant", "content": "See"}]
SHARED = [{"from": "human", "value": "Why?"}, {"from": "gpt", "value": "Because."}]


def test_alpaca(rows: Pool) -> None:
    result = done(
        rows.add(
            jsonl({**ALPACA, "id": 7, "score": 4.5}, {"instruction": "Sing.", "output": "La."}),
            "alpaca.jsonl",
        )
    )
    assert result["added"] == 2
    assert stored(rows) == [
        {"instruction": "Add.", "input": "1, 2", "responses": ["3"]},
        {"instruction": "Sing.", "responses": ["La."]},
    ]
    first, second = rows.examples()
    # What serves texts serves all of a row.
    assert first.media_type == "text/plain"
    assert (first.name, first.meta) == ("7", {"id": 7, "score": 4.5})
    assert second.name == "alpaca.jsonl, line 2"
    # What models read, and what is searched, is all of it.
    assert rows.contents() == rows.stored() == ["Add.\n\n1, 2\n\n3", "Sing.\n\nLa."]


def test_chats_in_either_format(rows: Pool) -> None:
    done(rows.add(jsonl({"messages": CHAT}, {"messages": LONG_CHAT}), "chat.jsonl"))
    done(rows.add(json.dumps([{"id": "a", "conversations": SHARED}]).encode(), "share.json"))
    one, several, shared = stored(rows)
    assert one == {"system": "Be kind.", "instruction": "Hello", "responses": ["Hi"]}
    assert (several["instruction"], several["responses"]) == ("Hello", ["See"])
    assert [turn["content"] for turn in several["turns"]] == ["Hello", "Hi", "Bye", "See"]
    assert shared == {"instruction": "Why?", "responses": ["Because."]}
    assert rows.examples()[-1].name == "a"


@pytest.mark.parametrize("kind", ["csv", "parquet", "zip", "prompts"])
def test_tables_and_layouts(rows: Pool, kind: str) -> None:
    if kind == "csv":
        done(rows.add(b"question,answer\nWhy?,Because.\n", "rows.csv"))
    elif kind == "parquet":
        done(rows.add(parquet_of([{"messages": CHAT, "source": "x"}]), "train.parquet"))
        assert rows.examples()[0].meta == {"source": "x"}
    elif kind == "zip":
        # As Hugging Face lays out a data set.
        split = {"data/train-00000-of-00002.parquet": parquet_of([ALPACA])}
        split["data/train-00001-of-00002.parquet"] = parquet_of([{**ALPACA, "output": "4"}])
        split["README.md"] = b"about"
        done(rows.add(zipped(split.items()), "set.zip"))
        assert len(stored(rows)) == 2
    else:
        pair = {"prompt": CHAT[:2], "completion": CHAT[2:]}
        done(rows.add(jsonl(pair, {"prompt": "Say a.", "completion": ["a", "A"]}), "p.jsonl"))
        assert stored(rows)[1]["responses"] == ["a", "A"]
    assert stored(rows)[0]["responses"]


def test_lines_that_are_no_rows_are_refused_by_number(rows: Pool) -> None:
    job = rows.add(
        jsonl(
            ALPACA,
            {"instruction": "Add.", "output": ""},
            {"instruction": " ", "output": "x"},
            '{"instruction": "half',
            {"instruction": "a\0b", "output": "x"},
            {"instruction": "long", "output": "x" * 2_000_000},
            ALPACA,
            {"instruction": "x", "output": 4},
        ),
        "a.jsonl",
    )
    result = done(job)
    assert (result["added"], result["duplicates"], result["refused"]) == (2, 1, 5)
    found = {name.rsplit(" ", 1)[1]: reason for name, reason in reasons(result).items()}
    assert "nothing is answered" in found["2"]
    assert "asks nothing" in found["3"]
    assert "NUL" in found["5"]
    assert "longer than" in found["6"]
    assert set(found) == {"2", "3", "4", "5", "6"}
    assert "line 7" in rows.report(job)


def test_chats_that_are_none_are_refused(rows: Pool) -> None:
    for messages, said in (
        ([], "is empty"),
        ("hello", "no list of messages"),
        (CHAT[:2], "ends without an answer"),
        ([{"role": "wizard", "content": "x"}], "by 'wizard'"),
        ([{"role": "user", "content": [{"type": "image"}]}], "only text"),
        ([{"role": "assistant", "content": "x"}], "no message of a user"),
        ([3], "no object"),
        ([*CHAT[:2], {"role": "assistant", "content": None}], "empty"),
    ):
        result = done(rows.add(jsonl({"messages": messages}), "a.jsonl"))
        assert said in next(iter(reasons(result).values())), messages


CALL = [{"id": "c1", "function": {"name": "look_up", "arguments": "{}"}}]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_messages_that_say_more_than_text_are_refused_or_named(tmp_path: Path, kind: str) -> None:
    beside: list[dict[str, Any]] = [
        {"tool_calls": CALL, "content": None},
        {"function_call": CALL[0]["function"], "content": ""},
        {"tool_calls": [], "function_call": {"name": None, "arguments": None}},
        {"tool_calls": None, "weight": 1.0, "reasoning_content": None},
        {"weight": 0.0},
        {"reasoning_content": "A greeting."},
    ]
    given = [[LONG_CHAT[0], {**LONG_CHAT[1], **more}, *LONG_CHAT[2:]] for more in beside]
    lines = [{"messages": messages} for messages in given]
    items = read(tmp_path / f"a.{kind}", lines)
    assert [one.refused and one.refused.reason for one in items] == [
        "message 2 holds tool_calls; only text is taken",
        "message 2 holds function_call; only text is taken",
        None, None, None, None,
    ]  # fmt: skip
    assert [one.remark for one in items[2:]] == ["", "", BESIDE, BESIDE]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_split_is_read_whatever_its_case(tmp_path: Path, kind: str) -> None:
    lines = [{"Instruction": "Add.", "Output": "3", "Split": "test"}]
    (item,) = read(tmp_path / f"a.{kind}", lines)
    assert (item.split, item.meta) == ("test", {})


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_the_history_of_alpaca_goes_before_its_question(tmp_path: Path, kind: str) -> None:
    said = (("user", "Or?"), ("assistant", "No."), ("user", "So?"), ("assistant", "Yes."))
    turns = tuple(Turn(role=role, content=content) for role, content in said)
    chat = InstructionRow(system="s", instruction="Or?", responses=("Yes.",), turns=turns)
    (line,) = as_alpaca(chat)
    lines = [line, {**line, "input": "It."}, {**line, "history": []}, {**line, "history": None}]
    found = [parts(one) for one in read(tmp_path / f"a.{kind}", lines)]
    assert found[0] == stored_row(chat)
    assert [one["content"] for one in found[1]["turns"]] == ["Or?", "No.", "So?\n\nIt.", "Yes."]
    plain = InstructionRow(system="s", instruction="So?", responses=("Yes.",))
    assert found[2:] == [stored_row(plain)] * 2
    # So does that of answers to compare.
    lines = [{"prompt": "So?", "chosen": "Yes.", "rejected": "No.", "history": [["Or?", "No."]]}]
    found = [parts(one) for one in read(tmp_path / f"b.{kind}", lines)]
    assert [(one["instruction"], len(one["turns"])) for one in found] == [("Or?", 4)] * 2


def test_the_history_in_a_cell_is_json_and_words_are_an_extra(tmp_path: Path) -> None:
    cells = ['[["Or?", "No."]]', "[]", " ", "[see above]", 5]
    lines = [{**ALPACA, "history": cell} for cell in cells]
    items = read(tmp_path / "a.jsonl", lines)
    assert [len(parts(one)["turns"]) for one in items] == [4, 0, 0, 0, 0]
    assert [one.meta.get("history") for one in items] == [None, None, None, *cells[3:]]
    assert [one.remark for one in items] == ["", "", "", WORDS, WORDS]
    compared = [{"prompt": "So?", "chosen": "Yes.", "rejected": "No.", "history": "none"}]
    for one in read(tmp_path / "b.jsonl", compared):
        assert (one.meta, one.remark) == ({"history": "none"}, WORDS)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"history": [["Or?"]]}, "column history is no list of questions and answers"),
        ({"history": [["Or?", "No."]], "output": ["a", "b"]}, "column output has several answers"),
    ],
)
def test_a_history_that_is_none_is_refused(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    (item,) = read(tmp_path / "a.jsonl", [{**ALPACA, **more}])
    assert item.refused is not None
    assert said in item.refused.reason


def test_files_without_instructions_are_refused_as_a_whole(rows: Pool) -> None:
    job = rows.add(b"text,label\nhello,greeting\n", "a.csv")
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert "instruction and output" in str(job.error["detail"])
    result = done(rows.add(b"a text alone", "a.txt"))
    assert "no table of instruction data" in next(iter(reasons(result).values()))


def test_what_was_imported_is_verified(rows: Pool) -> None:
    done(rows.add(jsonl(ALPACA, {"messages": LONG_CHAT}), "a.jsonl"))
    found = verify(context.sessions().kw["bind"], settings.settings(), running=False)
    levels = {one.name: (one.level, one.objects) for one in found}
    assert levels["texts"] == levels["text_stores"] == ("ok", [])


def test_a_response_that_is_none_is_named(rows: Pool) -> None:
    lines = jsonl(ALPACA, {**ALPACA, "output": " <nooutput>\n"}, {**ALPACA, "output": "<noise>"})
    found = done(rows.add(lines, "rows.jsonl"))
    assert found["added"] == 3
    assert found["noted"] == {"a response only says that there is none, such as <nooutput>": 1}


def test_rows_that_are_nearly_the_same_are_named(rows: Pool) -> None:
    done(rows.add(jsonl(ALPACA), "a.jsonl"))
    near = {**ALPACA, "instruction": "add"}
    job = rows.add(jsonl({**ALPACA, "output": "4"}, near), "b.jsonl")
    assert (done(job)["added"], done(job)["duplicates"]) == (2, 0)
    noted = [line for line in rows.report(job).splitlines() if "nearly the same" in line]
    assert [line.split('"')[1] if '"' in line else line for line in noted] == ["b.jsonl, line 2"]


def test_our_own_parquet_comes_back_as_it_was(rows: Pool, world: World, http: TestClient) -> None:
    # Parts of up to as much as a row may have are in it three times, and extras beside them.
    extras = {f"extra {n}": "y" * 900 for n in range(100)}
    several = {**ALPACA, "output": ["3", "three"], "id": 5, "score": 1.5, **extras}
    long = {"instruction": "Sing.", "output": "La." * 330_000}
    done(rows.add(jsonl(several, long), "a.jsonl"))
    done(rows.add(jsonl({"messages": LONG_CHAT}, {"messages": CHAT}), "b.jsonl"))
    caller = world.caller()
    path = f"/api/projects/{rows.project_id}/export"
    sent = http.get(path, params={"format": "parquet"}, headers=caller.headers)
    again = Pool(rows.session, rows.storage, instructions(world, []))
    assert done(again.add(sent.content, "all.parquet"))["added"] == 4
    assert stored(again) == stored(rows)
    assert [one.content_hash for one in again.examples()] == [
        one.content_hash for one in rows.examples()
    ]
    first = again.examples()[0]
    assert (first.name, first.meta) == ("5", {"id": 5, "score": 1.5, **extras})


def test_a_split_may_be_the_number_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    numbered = [{**ALPACA, "split": number} for number in (1, 0, -1)]
    path.write_bytes(parquet_of(numbered, split=["train", "validation"]))
    with closing(instruction_source(ParquetTable(path, MIB), path.name, MIB)) as source:
        assert [one.split for one in source.items(0)] == ["validation", "train", None]
