"""Rows and files that hold no text, or none of what they promise: each costs itself alone."""

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples_of
from hypothesis import strategies as st
from sqlalchemy import update

from core import settings
from core.media.texts.medium import NotText, decoded, excerpt, require_text
from core.states import JobState
from core.tables import ExampleText
from models.media.texts.store import TextStore
from tests.workers.import_files import Pool, jsonl, parquet_of, reasons, zipped
from tests.workers.test_import_resume import annotations, kill, run_until_done
from tests.workers.test_import_text import csv_of, done, refusal
from workers.jobs import context
from workers.verify import files
from workers.verify import texts as checks
from workers.verify.check import Scope


def test_a_bad_row_of_a_csv_costs_itself_alone(texts: Pool) -> None:
    lines = [
        b"text,label",
        b"good one,cat",
        "caf\xe9 au lait,dog".encode("cp1252"),
        b",cat",
        b'"  \n ",cat',
        b"nul \0 inside,cat",
        b'"quotes "that" do not fit",dog',
        b"too,many,cells",
        b'"a cell\r\nof two lines, and ""quotes""",cat',
        b"last one,dog",
    ]
    result = done(texts.add(b"\r\n".join(lines) + b"\r\n", "a.csv"))
    assert texts.contents() == [
        "good one", 'a cell\r\nof two lines, and "quotes"', "last one",
    ]  # fmt: skip
    assert reasons(result) == {
        "a.csv, line 3": (
            "it is not UTF-8 (byte E9 at 3); in Windows-1252 or Latin-1 that is 'é'. Save it as "
            "UTF-8"
        ),
        "a.csv, line 4": "the text is empty",
        "a.csv, line 6": "there is nothing in the text but blanks",
        "a.csv, line 7": "character 5 of the text is NUL, which none may hold",
        "a.csv, line 8": "its quotes do not fit: ',' expected after '\"'",
        "a.csv, line 9": "it has 3 cells, the header 2; quote text with ',' in it",
    }


def test_a_bad_line_of_json_costs_itself_alone(texts: Pool) -> None:
    lines = [
        b'{"text": "good"}',
        b'{"text": "caf\xe9"}',
        b'{"text": "cut \\ud83d here"}',
        b'{"text": "whole \\ud83d\\ude00"}',
        b'{"text": null}',
        b'{"text": ["a", "b"]}',
        b'{"text": 12}',
        b'{"text": "nul \\u0000"}',
        b'{"text": "twice", "text": "said"}',
        b"no json",
        b"[1]",
        b'{"other": 1}',
    ]
    result = done(texts.add(b"\n".join(lines), "a.jsonl"))
    assert texts.contents() == ["good", "cut � here", "whole \U0001f600", "12"]
    assert result["noted"] == {
        "halves of characters in it, which no text can hold, were replaced": 1
    }
    said = reasons(result)
    assert said["a.jsonl, line 2"].startswith("it is not UTF-8 (byte E9 at 13)")
    assert said["a.jsonl, line 6"] == "column text holds no text but several values"
    assert list(said) == [f"a.jsonl, line {n}" for n in (2, 5, 6, 8, 9, 10, 11, 12)]


def test_a_text_may_be_as_long_as_the_settings_say(
    texts: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_MAX_TEXT_BYTES", "200000")
    settings.settings.cache_clear()
    fits, long = "한" * 66_666, "한" * 66_667
    rows = [{"text": fits}, {"text": long}, {"text": "b" * 200_000}, {"text": "c" * 200_001}]
    for name, content in {
        # Escapes take six times the room of what they stand for.
        "a.jsonl": jsonl(*rows),
        "a.csv": csv_of(rows),
        "a.parquet": parquet_of({"text": [row["text"] for row in rows]}),
        "a.zip": zipped((f"{n}.txt", row["text"].encode()) for n, row in enumerate(rows)),
    }.items():
        result = done(texts.add(content, name))
        assert set(result["refused_by_reason"]) == {
            "the text is longer than 200,000 bytes; divide it, or raise KARAT_MAX_TEXT_BYTES"
        }
        assert (result["added"] + result["duplicates"], result["refused"]) == (2, 2)
    assert [len(one) for one in texts.contents()] == [66_666, 200_000]


def test_words_of_whatever_kind_can_be_searched(texts: Pool) -> None:
    """What PostgreSQL indexes of a text has limits of its own, which no text may meet."""
    letters = [chr(code) for code in range(0x4E00, 0x9FFF)] + [
        chr(c) for c in range(0x20000, 0x2A6D0)
    ]
    picked = random.Random(0)
    hostile = [
        " ".join(picked.sample(letters, 60_000)),
        " ".join(f"{n:x}" for n in range(150_000)),
        "x" * 900_000,
        "\U00020000" * 240_000,
        "a\n" * 400_000,
        "é" * 400_000,
        "http://example.com/" + "a/" * 300_000,
    ]
    result = done(texts.add(jsonl(*({"text": one} for one in hostile)), "hostile.jsonl"))
    assert result["refused_by_reason"] == {}
    assert texts.contents() == texts.stored() == hostile


def test_an_unreadable_document_is_refused_as_a_whole(texts: Pool) -> None:
    coco = {"images": [{"id": 1, "file_name": "a.png"}], "annotations": [], "categories": []}
    assert "speaks of images" in refusal(texts.add(json.dumps(coco).encode(), "a.json"))
    assert "ends early" in refusal(texts.add(b'[{"text": "a"}, {"te', "a.json"))
    assert "it is UTF-16" in refusal(texts.add('[{"text": "a"}]'.encode("utf-16"), "a.json"))
    assert "cannot be read as JSON near byte" in refusal(
        texts.add(b'[{"text": "caf\xe9"}]', "a.json")
    )
    assert "holds no texts: it is empty" in refusal(texts.add(b"", "a.jsonl"))
    assert "UTF-16 without the mark" in refusal(
        texts.add("text,n\na,1".encode("utf-16-le"), "a.csv")
    )
    assert "no whole Parquet file" in refusal(texts.add(b"PAR1", "a.parquet")).replace(
        "not a", "no"
    )
    assert texts.examples() == []


# Each example is several imports: what fails is small already.
GENERATE = (Phase.explicit, Phase.generate)
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(st.lists(WORDS.filter(lambda one: not one.isspace()), min_size=1, max_size=8, unique=True))
@examples_of(
    max_examples=6,
    deadline=None,
    phases=GENERATE,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_text_is_kept_exactly(text_pools: Callable[[], Pool], said: list[str]) -> None:
    texts = text_pools()
    # A pair that stands for one character in JSON is one.
    rows = [{"text": one, "id": n} for n, one in enumerate(said)]
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, ["text", "id"], quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    for name, content in {
        "a.jsonl": jsonl(*rows),
        "b.jsonl": jsonl(*rows, ensure_ascii=False),
        "a.csv": stream.getvalue().encode(),
        "a.json": json.dumps(rows).encode(),
        "a.parquet": parquet_of({"text": said}),
        "a.zip": zipped((f"{n}.txt", f"\ufeff{one}".encode()) for n, one in enumerate(said)),
    }.items():
        result = done(texts.add(content, name))
        assert result["refused"] == 0, (name, result)
        assert sorted(texts.contents()) == sorted(said), name
    assert texts.stored() == texts.contents()


def outcome(texts: Pool) -> dict[str, Any]:
    """What a pool amounts to, in no order."""
    return {
        content: (one.split, one.label_class_id is None, one.disputed, sorted(one.meta))
        for one, content in zip(texts.examples(), texts.contents(), strict=True)
    }


@given(st.permutations(range(9)), st.integers(1, 4))
@examples_of(
    max_examples=6,
    deadline=None,
    phases=GENERATE,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_neither_order_nor_batches_make_a_difference(
    text_pools: Callable[[], Pool], order: list[int], size: int
) -> None:
    rows = [
        {"text": "a", "split": "train", "ada": "cat", "label": "cat"},
        {"text": "a", "split": "test", "ada": "", "label": "cat"},
        {"text": "b", "split": "test", "ada": "", "label": "cat"},
        {"text": "b", "split": "test", "ada": "", "label": "dog"},
        {"text": "c", "split": "train", "ada": "cat", "label": ""},
        {"text": "c", "split": "train", "ada": "dog", "label": ""},
        {"text": "d", "split": "test", "ada": "", "label": "1"},
        {"text": "", "split": "train", "ada": "cat", "label": ""},
        {"text": "e", "split": "auxiliary_ood", "ada": "", "label": ""},
    ]
    with pytest.MonkeyPatch.context() as patch:
        plain = text_pools()
        done(plain.add(csv_of(rows), "a.csv", annotations=["ada"]))
        patch.setattr("workers.imports.batch._MOST_ITEMS", size)
        other = text_pools()
        result = done(other.add(csv_of([rows[n] for n in order]), "a.csv", annotations=["ada"]))
    assert outcome(other) == outcome(plain)
    # The number of a class is not certain in a column of names.
    assert (result["added"], result["refused"]) == (4, 2)
    assert other.stored() == other.contents()


def test_a_killed_import_goes_on_without_gaps_or_doubles(
    text_pools: Callable[[], Pool],
) -> None:
    """Before the store is written, between it and the rows, and before these are committed."""
    unharmed, texts = text_pools(), text_pools()
    rows = [{"id": n, "text": f"text {n % 900}", "who": ("cat", "ood")[n % 2]} for n in range(1300)]
    done(unharmed.add(jsonl(*rows), "a.jsonl", annotations=["who"]))
    job = texts.queue(jsonl(*rows), "a.jsonl", annotations=["who"])
    steps = [("files", "before", 2), ("files", "after", 1), ("rows", "after", 1)]
    kill(texts, job, [*steps, ("commit", "before", 1), ("end", "before", 1)])
    # What was written and not committed is longer than what comes in its place.
    count = len(texts.examples())
    with TextStore.writer(texts.storage.texts(texts.project_id)) as writer:
        writer.write(count, ["left over, " * 100, "and more"])
    run_until_done(texts, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert [one.pool_index for one in texts.examples()] == list(range(900))
    assert texts.contents() == texts.stored() == [f"text {n}" for n in range(900)]
    assert annotations(texts) == annotations(unharmed)
    assert found_by_checks(texts) == []


def found_by_checks(texts: Pool) -> list[str]:
    """What `karat verify` says of files and texts."""
    given = settings.settings()
    with context.sessions()() as session:
        connection = session.connection()
        scope = Scope(connection, texts.storage, given, False)
        named = (*checks.CHECKS, *files.CHECKS)
        return [said for check in named if not check.note for said in check.find(scope)]


def test_verify_compares_texts_and_stores(texts: Pool) -> None:
    texts.add(jsonl(*({"text": one} for one in ("one", "two", "three"))), "a.jsonl")
    assert found_by_checks(texts) == []
    first, second, third = texts.examples()
    changed = update(ExampleText).where(ExampleText.example_id == second.id).values(content="2")
    texts.session.execute(changed)
    texts.session.delete(texts.session.get_one(ExampleText, third.id))
    texts.session.commit()
    folder = texts.storage.texts(texts.project_id)
    with TextStore.writer(folder) as writer:
        writer.write(2, ["another"])
    assert found_by_checks(texts)[:3] == [
        f"example {second.id} has another text than was imported",
        f"example {third.id} has no text",
        f"project {texts.project_id} has another text in row 2 of its store",
    ]
    with TextStore.writer(folder) as writer:
        writer.write(1, [None, "another"])
    # Beside what is lost the rest is looked at, too.
    assert found_by_checks(texts)[2:4] == [
        f"project {texts.project_id} has lost the text in row 1 of its store",
        f"project {texts.project_id} has another text in row 2 of its store",
    ]
    (folder / "offsets.i64").unlink()
    assert "No text store" in found_by_checks(texts)[2]
    assert first.name == "a.jsonl, line 1"


def test_a_lost_store_is_made_again_by_the_next_import(texts: Pool) -> None:
    said = [f"text {n}" for n in range(250)]
    texts.add(jsonl(*({"text": one} for one in said)), "a.jsonl")
    folder = texts.storage.texts(texts.project_id)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        path.unlink()
    texts.add(jsonl({"text": "text 0"}), "b.jsonl")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert texts.stored() == said


def test_a_plan_tells_what_comes_and_stores_nothing(texts: Pool) -> None:
    rows = [
        {"text": "a", "split": "train", "mood": "cat"},
        {"text": "b", "split": "test", "mood": "cat"},
        {"text": " ", "split": "train", "mood": "cat"},
    ]
    plan = done(texts.add(csv_of(rows), "a.csv", columns={"label": "mood"}, dry_run=True))
    assert plan["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}
    assert plan["refused_by_reason"] == {"there is nothing in the text but blanks": 1}
    assert plan["columns"] == {"text": "text", "label": "mood", "split": "split"}
    assert "input_size" not in plan
    assert texts.examples() == []
    assert not texts.storage.texts(texts.project_id).exists()
    missing = done(texts.add(jsonl({"text": "a", "split": "test"}), "a.jsonl", dry_run=True))
    assert missing["refused_by_reason"] == {"an evaluation text needs a label": 1}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfea", "it is marked as UTF-16 and is none"),
        (b"abc\xed\xa0\x80", "it is not UTF-8 (byte ED at 3)"),
        ("plain".encode("utf-16-le"), "it is UTF-16 without the mark that says so"),
        (b"\x81\x8d", "it is not UTF-8 (byte 81 at 0); save it as UTF-8"),
    ],
)
def test_what_is_no_text_is_named(content: bytes, reason: str) -> None:
    with pytest.raises(NotText) as caught:
        decoded(content)
    assert str(caught.value).startswith(reason)


def test_marks_are_no_part_of_a_text() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert decoded("하나 \ufeff".encode(encoding)).content == "하나 \ufeff"
    assert require_text("\u200b", 10) == "\u200b".encode()
    assert excerpt("x" * 400) == "x" * 300
