"""Texts that enter a pool: from every kind of file, exactly as they were written."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import select

from core.jobs.imports import ImportParams
from core.lifecycle import new_job
from core.states import ExampleState, JobKind, JobState, Split, Verdict
from core.tables import Annotation, Example, Job, ProjectClass
from core.tasks.instruction_rows import rendered
from tests import instructions
from tests.workers.import_files import Pool, jsonl, parquet_of, reasons
from tests.world import World

# Right to left, combining, beyond the basic plane, tabs and blanks that are kept.
HARD = [
    "مرحبا بالعالم",
    "שלום עולם",
    "e\u0301 is not \u00e9",
    "👩‍👩‍👧 \U0001f600 \U0001d49c",
    "  two blanks before,\ttab,\u00a0and after  ",
    "first\nsecond\r\nthird\rfourth\n",
    "zero\u200bwidth \ufeff mark inside",
    "\x0b\x01 controls \x7f\x85",
    "'quoted' \"twice\" \\back\\slash\\ {} %s $1 <b>&amp;</b>",
    "=1+1",
    "x" * 5000 + " long line",
]


def done(job: Job) -> dict[str, Any]:
    assert job.result is not None, job.error
    return job.result


def refusal(job: Job) -> str:
    assert job.state is JobState.FAILED
    assert job.error is not None
    return str(job.error["detail"])


def annotations(pool: Pool) -> list[tuple[str, str, str, str | None]]:
    """Name of the text, source, verdict and class of each annotation."""
    statement = (
        select(Example.name, Annotation.source_name, Annotation.verdict, ProjectClass.name)
        .join(Example, Example.id == Annotation.example_id)
        .outerjoin(ProjectClass, ProjectClass.id == Annotation.class_id)
        .where(Annotation.project_id == pool.project_id)
        .order_by(Example.name, Annotation.source_name, Annotation.id)
    )
    return [tuple(row) for row in pool.session.execute(statement)]  # type: ignore[misc]


def test_texts_are_rows_of_the_database_and_of_the_store(texts: Pool) -> None:
    result = done(
        texts.add(jsonl(*({"id": n, "text": one} for n, one in enumerate(HARD))), "a.jsonl")
    )
    assert (result["total"], result["added"], result["refused"]) == (len(HARD), len(HARD), 0)
    assert texts.contents() == texts.stored() == HARD
    for index, (one, said) in enumerate(zip(texts.examples(), HARD, strict=True)):
        content = said.encode()
        assert (one.pool_index, one.name, one.bytes) == (index, str(index), len(content))
        assert one.content_hash == hashlib.sha256(content).digest()
        assert (one.width, one.height, one.media_type, one.as_is) == (
            None, None, "text/plain", True,
        )  # fmt: skip
        assert (one.split, one.state, one.meta) == (Split.POOL, ExampleState.UNLABELED, {})


def csv_of(rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


ROWS = [{"text": one, "label": ("cat", "dog")[n % 2]} for n, one in enumerate(HARD)]


KINDS = {
    "csv": csv_of(ROWS),
    "marked.csv": b"\xef\xbb\xbf" + csv_of(ROWS, ";"),
    "excel.csv": b"sep=;\r\n" + csv_of(ROWS, ";"),
    "utf-16.csv": csv_of(ROWS).decode().encode("utf-16"),
    "tsv": csv_of(ROWS, "\t"),
    "jsonl": jsonl(*ROWS),
    "marked.jsonl": b"\xef\xbb\xbf" + jsonl(*ROWS, ensure_ascii=False),
    "utf-16.jsonl": jsonl(*ROWS).decode().encode("utf-16"),
    "json": json.dumps(ROWS).encode(),
    "object.json": json.dumps({"version": "1", "data": ROWS}, ensure_ascii=False).encode(),
    "parquet": parquet_of({key: [row[key] for row in ROWS] for key in ROWS[0]}),
    "bytes.parquet": parquet_of(
        {
            "text": pa.array([row["text"].encode() for row in ROWS], pa.binary()),
            "label": [row["label"] for row in ROWS],
        }
    ),
}


def test_every_kind_of_table_brings_the_same(text_pools: Callable[[], Pool]) -> None:
    places = {"csv": "line", "tsv": "line", "jsonl": "line", "json": "entry", "parquet": "row"}
    for kind, content in KINDS.items():
        texts, name = text_pools(), f"a.{kind}"
        result = done(texts.add(content, name, annotations=["label"]))
        counts = (result["added"], result["annotations"], result["refused"])
        assert counts == (len(HARD), len(HARD), 0), kind
        assert texts.contents() == texts.stored() == HARD
        assert {one.label_class_id is None for one in texts.examples()} == {False}
        place = f"{name}, {places[kind.rpartition('.')[2]]} "
        assert all(one.name.startswith(place) for one in texts.examples())
    again = done(texts.add(content, name, annotations=["label"]))
    assert (again["added"], again["duplicates"], again["annotations"]) == (0, len(HARD), 0)
    # Nothing of a text is a file of an image.
    assert not (texts.storage.root / "images").exists()


def test_files_of_a_zip_are_texts_in_folders_for_splits_and_classes(texts: Pool) -> None:
    files = {
        "set/README.md": b"about",
        "set/train/cat/1.txt": "하나\r\n".encode(),
        "set/train/cat/2.md": b"# two",
        "set/train/dog/10345": b"no ending, as 20 newsgroups",
        "set/test/dog/3.txt": "\ufeffthree".encode(),
        "set/test/cat/4.txt": "four".encode("utf-16"),
        "set/test/bird/5.txt": b"five",
        "set/train/cat/latin.txt": "caf\xe9".encode("latin-1"),
        "set/train/cat/empty.txt": b"",
        "set/train/cat/blank.txt": b" \n\t\n",
        "set/train/cat/nul.txt": b"a\0b",
        "set/train/cat/photo.png": b"\x89PNG",
        "set/train/cat/table.xlsx": b"PK",
    }
    result = texts.zip(files)
    assert result["by_split"] == {"pool": 3, "evaluation": 2, "auxiliary_ood": 0}
    assert dict(zip([one.name for one in texts.examples()], texts.contents(), strict=True)) == {
        "set/train/cat/1.txt": "하나\r\n",
        "set/train/cat/2.md": "# two",
        "set/train/dog/10345": "no ending, as 20 newsgroups",
        "set/test/dog/3.txt": "three",
        "set/test/cat/4.txt": "four",
    }
    assert texts.examples()[0].meta == {"label": "cat"}
    assert reasons(result) == {
        "set/README.md": "it tells of the others, by its name; call it otherwise if it is a text",
        "set/test/bird/5.txt": "label 'bird' is not a class of the project",
        "set/train/cat/latin.txt": (
            "it is not UTF-8 (byte E9 at 3); in Windows-1252 or Latin-1 that is 'é'. Save it as "
            "UTF-8"
        ),
        "set/train/cat/empty.txt": "the text is empty",
        "set/train/cat/blank.txt": "there is nothing in the text but blanks",
        "set/train/cat/nul.txt": "character 2 of the text is NUL, which none may hold",
        "set/train/cat/photo.png": "not a text by its name (.png); call it .txt if it is one",
        "set/train/cat/table.xlsx": "a table that is not read in here; import it on its own",
    }
    assert result["noted"] == {"the text was UTF-16": 1}


def test_a_zip_of_tables_has_its_splits_in_their_names(texts: Pool) -> None:
    def part(said: list[str], labels: list[int]) -> bytes:
        return parquet_of({"text": said, "label": labels}, label=["cat", "dog"])

    files = {
        "data/train-00000-of-00002.parquet": part(["a", "b"], [0, 1]),
        "data/train-00001-of-00002.parquet": part(["c"], [0]),
        "data/test-00000-of-00001.parquet": part(["d", "b"], [1, 0]),
        "README.md": b"---\nlicense: mit\n---",
        "dataset_infos.json": b'{"default": {"description": "x", "citation": "y"}}',
    }
    result = texts.zip(files)
    assert result["by_split"] == {"pool": 3, "evaluation": 1, "auxiliary_ood": 0}
    assert sorted(texts.contents()) == ["a", "b", "c", "d"]
    assert set(reasons(result)) == {"README.md", "dataset_infos.json"}
    assert result["noted"] == {"the import brings this text for several splits; it is in one": 1}
    (tested,) = [one for one in texts.examples() if one.split is Split.EVALUATION]
    assert tested.name == "data/test-00000-of-00001.parquet, row 0"


def test_a_zip_of_tables_and_files_brings_both(texts: Pool) -> None:
    files = {
        "train.csv": csv_of([{"text": "one", "label": "cat"}]),
        "test.jsonl": jsonl({"text": "two", "label": "dog"}, {"text": "three", "label": "?"}),
        "other.csv": csv_of([{"text": "four", "label": "dog"}]),
        "broken.csv": b"",
        "train/more.txt": b"five",
    }
    result = texts.zip(files)
    assert result["by_split"] == {"pool": 2, "evaluation": 1, "auxiliary_ood": 0}
    assert texts.contents() == ["one", "two", "five"]
    assert result["left_out"] == 1
    assert set(reasons(result)) == {"test.jsonl, line 2", "broken.csv"}


def test_a_task_of_label_studio_is_called_by_its_number_there(texts: Pool) -> None:
    tasks = [
        {"id": 17, "data": {"text": "one"}, "annotations": []},
        {"id": 18, "data": {"text": "two", "id": "T-2"}, "annotations": []},
        {"data": {"text": "three"}, "annotations": []},
    ]
    done(texts.add(json.dumps(tasks).encode(), "tasks.json"))
    names = [one.name for one in texts.examples()]
    assert names == ["17", "T-2", "tasks.json, entry 3"]


def test_label_studio_brings_its_texts_with_what_people_said(texts: Pool) -> None:
    def task(text: object, *choices: str, **more: Any) -> dict[str, Any]:
        result = [
            {"type": "choices", "from_name": "topic", "value": {"choices": [one]}}
            for one in choices
        ]
        said = [{"completed_by": {"email": "ada@x.org"}, "result": result}] if choices else []
        return {"data": {"text": text, "lang": "en", **more}, "annotations": said}

    tasks = [
        task("one", "cat"),
        task("two", "ood"),
        task("three"),
        task("four", "dog", split="test"),
        task("five", "cat", "dog"),
        {"data": {"other": 1}, "annotations": []},
        task("six", "cat", split="nowhere"),
        {"data": None, "text": "seven"},
        {"text": "eight"},
    ]
    tasks[0]["annotations"].append({**tasks[0]["annotations"][0], "completed_by": 7})
    tasks[0]["annotations"].append({"was_cancelled": True, "result": [], "completed_by": 8})
    tasks[0]["annotations"].append(
        {"result": [{"type": "labels", "value": {"labels": ["PER"], "start": 0, "end": 2}}]}
    )
    result = done(texts.add(json.dumps(tasks).encode(), "tasks.json"))
    assert texts.contents() == ["one", "two", "three", "four", "five", "six"]
    assert annotations(texts) == [
        ("tasks.json, entry 1", "Label Studio user 7", "label", "cat"),
        ("tasks.json, entry 1", "Label Studio user 8", "skip", None),
        ("tasks.json, entry 1", "ada@x.org", "label", "cat"),
        ("tasks.json, entry 2", "ada@x.org", "ood", None),
        ("tasks.json, entry 7", "ada@x.org", "label", "cat"),
    ]
    evaluation = texts.examples()[3]
    assert (evaluation.split, evaluation.label_class_id is None) == (Split.EVALUATION, False)
    assert texts.examples()[0].meta["lang"] == "en"
    assert "text" not in texts.examples()[0].meta
    assert reasons(result) == {
        "tasks.json, entry 6": "the row holds no text",
        "tasks.json, entry 8": "it is no task: it has no object data",
        "tasks.json, entry 9": "it is no task: it has no object data",
    }
    said = texts.report(texts.session.scalars(select(Job)).one())
    assert "Karat labels whole texts" in said
    assert "a text has one class" in said


@pytest.mark.parametrize("column", ["label", "labels"])
def test_doccano_brings_its_labels(texts: Pool, column: str) -> None:
    rows = [
        {"id": 11, "text": "one", column: ["cat"], "Comments": []},
        {"id": 12, "text": "two", column: []},
        {"id": 13, "text": "three", column: ["cat", "dog"]},
        {"id": 14, "text": "four", column: [[0, 4, "PER"]]},
        {"id": 15, "text": "five", column: ["ood"]},
        {"id": 16, "text": "six", column: ["bird"]},
        {"id": 17, "text": "seven", column: ["dog"], "split": "test"},
    ]
    result = done(texts.add(jsonl(*rows), "project.jsonl"))
    assert result["added"] == 7
    assert annotations(texts) == [
        ("11", "doccano", "label", "cat"),
        ("15", "doccano", "ood", None),
    ]
    untaken = "a label is not taken: "
    assert result["noted"] == {
        f"{untaken}it has several labels (cat, dog); a text has one class": 1,
        f"{untaken}its labels mark parts of it; Karat labels whole texts": 1,
        f"{untaken}doccano says 'bird', which is not a class of the project; add it, and import "
        "again": 1,
    }
    assert texts.examples()[-1].label_class_id is not None
    plan = done(texts.add(jsonl(*rows), "project.jsonl", dry_run=True))
    assert plan["documents"] == [{"name": "project.jsonl", "format": "doccano"}]
    assert plan["columns"] == {"text": "text", "label": column, "split": "split"}


def test_several_columns_are_several_sources_and_contradictions_are_kept(texts: Pool) -> None:
    rows = [
        {"headline": "one", "ada": "cat", "bob": "dog"},
        {"headline": "two", "ada": "unsure", "bob": "1"},
        {"headline": "one", "ada": "dog", "bob": "dog"},
        {"headline": "three", "ada": "bird", "bob": ""},
    ]
    job = texts.add(csv_of(rows), "votes.csv", annotations=["ada", "bob"])
    result = done(job)
    assert (result["added"], result["labeled"], result["contradicting"]) == (3, 1, 1)
    assert texts.contents() == ["one", "two", "three"]
    one, two, three = texts.examples()
    assert (one.disputed, two.disputed, three.disputed) == (True, False, False)
    assert "labels of this text contradict each other (cat, dog)" in texts.report(job)
    verdicts = {verdict for _, _, verdict, _ in annotations(texts)}
    assert verdicts == {Verdict.LABEL, Verdict.UNSURE}


def test_a_table_labels_texts_that_are_there(texts: Pool) -> None:
    texts.add(jsonl({"id": "a", "text": "one"}, {"id": "b", "text": "two"}), "t.jsonl")
    digest = hashlib.sha256(b"two").hexdigest()
    by_name = done(texts.add(b"file,kind\na,cat\nnone,dog\n", "l.csv", annotations=["kind"]))
    assert (by_name["labeled"], by_name["refused"]) == (1, 1)
    assert "no text of the project has this name" in reasons(by_name)["none"]
    by_hash = done(texts.add(f"sha256,verdict\n{digest},ood\n".encode(), "v.csv"))
    assert by_hash["labeled"] == 1
    assert [verdict for _, _, verdict, _ in annotations(texts)] == [Verdict.LABEL, Verdict.OOD]


def write(row: Mapping[str, Any]) -> dict[str, bytes]:
    """A table of one row, of several kinds."""
    return {
        "csv": csv_of([row]),
        "jsonl": jsonl(row),
        "parquet": parquet_of({key: [value] for key, value in row.items()}),
    }


def test_the_column_of_texts_is_asked_for_where_it_is_not_certain(texts: Pool) -> None:
    cases: list[tuple[dict[str, Any], dict[str, str], str]] = [
        ({"text": "x", "content": "y"}, {}, "Several columns may hold the texts (text, content)"),
        ({"title": "x", "abstract": "y"}, {}, "Several columns may hold the texts (title, abst"),
        ({"stars": 4, "label": "cat"}, {}, "No column holds texts; say which does with text_col"),
        ({"title": "x"}, {"text": "body"}, "The file has no column 'body'"),
    ]
    for row, columns, expected in cases:
        for ending, content in write(row).items():
            said = refusal(texts.add(content, f"a.{ending}", columns=columns))
            assert expected in said or (ending == "parquet" and "no column of texts" in said)
            assert ", ".join(row) in said


def test_the_only_column_of_words_is_the_text(text_pools: Callable[[], Pool]) -> None:
    for name in ("Review", "title"):
        row = {"guid": "u1", name: "words", "label": "cat", "split": "pool", "n": 3}
        texts = text_pools()
        assert done(texts.add(csv_of([row]), "a.csv"))["added"] == 1
        (one,) = texts.examples()
        assert (one.name, texts.contents()) == ("u1", ["words"])
        assert one.meta == {"label": "cat", "n": "3"}


def test_a_text_column_may_be_named(texts: Pool) -> None:
    for ending, content in write({"title": "x", "abstract": "y", "text": "z"}).items():
        done(texts.add(content, f"a.{ending}", columns={"text": "abstract"}))
    assert texts.contents() == ["y"]
    assert texts.examples()[0].meta == {"title": "x", "text": "z"}


def test_what_stays_in_a_bucket_is_refused_with_the_reason(texts: Pool) -> None:
    job = texts.bucket("s3://somewhere/texts")
    assert "Texts are copied into the project" in refusal(job)


def test_a_single_file_is_one_text(texts: Pool) -> None:
    result = done(texts.add("하나".encode(), "note.txt"))
    assert (result["added"], texts.contents()) == (1, ["하나"])
    assert [one.name for one in texts.examples()] == ["note.txt"]


def test_the_texts_of_another_project_come_whatever_they_are_called(world: World) -> None:
    called = ["alpaca.jsonl, line 5", "v1.2", "README", "notes.csv", "a.txt", ""]
    rows = [instructions.row(number) for number in range(len(called))]
    source = instructions.instructions(world, rows)
    for one, name in zip(instructions.examples(world, source), called, strict=True):
        one.name = name
    pool = Pool(world.session, world.storage, world.texts([]))
    params = ImportParams(filename=source.name, project=source.id).to_json()
    for more in ({"dry_run": True}, {}):
        job = new_job(JobKind.IMPORT_POOL, project_id=pool.project_id, params={**params, **more})
        world.session.add(job)
        world.session.commit()
        result = done(pool.run(job))
    assert (result["added"], result["refused"]) == (len(called), 0), reasons(result)
    assert [one.name for one in pool.examples()] == called
    assert pool.contents() == [rendered(one) for one in rows]


def test_numbers_are_no_texts_though_their_column_is_called_so(texts: Pool) -> None:
    rows = [{"id": n, "review": n % 5, "comment": f"comment {n}"} for n in range(6)]
    result = done(texts.add(csv_of(rows), "stars.csv"))
    assert result["by_split"]["pool"] == 6
    assert texts.contents() == [f"comment {n}" for n in range(6)]
