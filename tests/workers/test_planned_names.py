"""What a plan calls the first of what comes, so that whoever sends it knows it again."""

from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from tests.instructions import instructions
from tests.workers.import_files import Pool, jsonl, parquet_of, png, zipped
from tests.world import World
from workers.imports.planned import shown_name


def first(pool: Pool, content: bytes, filename: str) -> str:
    result = pool.add(content, filename, dry_run=True).result
    assert result is not None
    name: str = result["groups"][0]["examples"][0]
    return name


def test_a_text_is_shown_by_how_it_begins_unless_it_has_a_name(texts: Pool) -> None:
    assert first(texts, b"id,text\n0,Where is it?\n1,Thanks\n", "a.csv") == "Where is it?"
    assert first(texts, jsonl({"text": " Where\n\n is  it?"}), "a.jsonl") == "Where is it?"
    assert first(texts, parquet_of([{"text": "Where?", "id": 17}]), "a.parquet") == "Where?"
    long = first(texts, jsonl({"text": "word " * 60}), "a.jsonl")
    assert (len(long), long[-1]) == (100, "…")
    assert first(texts, jsonl({"id": "mail-17", "text": "Where?"}), "a.jsonl") == "mail-17"
    # A file is called as it is, be that a number.
    assert first(texts, zipped([("17", b"Where?"), ("18", b"There.")]), "a.zip") == "17"


def test_a_row_of_instruction_data_is_shown_by_what_it_asks(
    world: World, session: Session, installation: settings.Settings
) -> None:
    rows = Pool(session, Storage(Path(installation.data_dir)), instructions(world, []))
    asked = {"system": "Be brief.", "instruction": "Add them.", "input": "1 and 2", "output": "3"}
    assert first(rows, jsonl({"id": 0, **asked}), "a.jsonl") == "Add them. 1 and 2"
    compared = {"prompt": "Name a prime.", "chosen": "2", "rejected": "4"}
    assert first(rows, jsonl(compared), "a.jsonl") == "Name a prime."


def test_an_image_without_a_name_is_shown_by_its_row(pool: Pool) -> None:
    images = [{"image": {"bytes": png(n), "path": None}} for n in range(2)]
    assert first(pool, parquet_of(images), "a.parquet") == "row 0"
    named = [{**one, "file_name": f"cat/{n}.png"} for n, one in enumerate(images)]
    assert first(pool, parquet_of(named), "a.parquet") == "cat/0.png"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("0", "0"),
        ("2024-11_07", "2024-11_07"),
        ("a.csv, line 2", "row 2"),
        ("set/a.PARQUET#12", "row 12"),
        ("a.jsonl, line 1, chosen", "row 1"),
        ("a.json, entry 7", "row 7"),
        ("mail-17", None),
        ("cat/1.png", None),
        ("the line 2", None),
        ("IMG#0001", None),
        ("scan, entry 3, left.png", None),
        ("사진 1", None),
    ],
)
def test_names_that_tell_nothing(name: str, shown: str | None) -> None:
    assert shown_name(name, "") == (shown or name)
    assert shown_name(name, "Where?") == ("Where?" if shown else name)
