"""Tables that others wrote, whatever stands in their rows: one row costs no other."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.import_files import Pool, png, reasons, zipped
from tests.world import World
from workers.imports.json_stream import json_rows
from workers.imports.metadata import Metadata
from workers.imports.said import Described, describe

# Halves of characters and NUL as well, and the name of a field of our own.
TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=5) | st.sampled_from(
    ["\ud83d", "\ude00", "😀", "\0unread", "a\0b", "NaN", "label", "split"]
)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.integers()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.dictionaries(TEXT, VALUES, max_size=4)


@settings(deadline=None)
@given(rows=st.lists(FIELDS, min_size=1, max_size=4), beyond=st.booleans())
def test_whatever_a_line_of_json_holds_it_can_be_stored_and_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], beyond: bool
) -> None:
    text = "\n".join(json.dumps({**row, "file_name": "a.png"}) for row in rows)
    if beyond:
        text = text.replace("Infinity", "1e999")
    metadata = Metadata(tmp_path_factory.mktemp("rows") / "metadata.sqlite")
    metadata.add("metadata.jsonl", io.BytesIO(text.encode()))
    metadata.match(["a.png"])
    assert list(metadata.problems()) == []
    metadata.values(metadata.columns())
    found = metadata.rows_of(0, "a.png")
    assert len(found) == len(rows)
    for row in found:
        json.dumps(row.fields, ensure_ascii=False, allow_nan=False).encode()
    describe(found, Described(), ["label"])
    metadata.close()


@pytest.mark.parametrize("name", ["metadata.jsonl", "metadata.csv"])
def test_a_number_too_large_for_a_float_costs_nothing(world: World, name: str) -> None:
    pool = Pool(world.session, world.storage, world.project())
    rows = b'{"file_name": "a.png", "score": 1e999, "site": "x"}\n'
    if name.endswith(".csv"):
        rows = b"file_name,score,site\na.png,1e999,x\n"
    job = pool.add(zipped([("a.png", png(1)), ("b.png", png(2)), (name, rows)]))
    assert (job.state, job.result["added"], reasons(job.result)) == ("succeeded", 2, {})
    (said,) = [one.meta for one in pool.examples() if one.meta]
    assert said["site"] == "x" and said.get("score", "1e999") == "1e999"


@pytest.mark.parametrize(("depth", "taken"), [(62, True), (66, False), (980, False), (5000, False)])
def test_lines_of_json_are_nested_no_deeper_than_documents(depth: int, taken: bool) -> None:
    line = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    ((_, row),) = json_rows(io.BytesIO(line), "x.jsonl")
    assert isinstance(row, dict) if taken else row == "is nested more than 64 deep"


def test_brackets_in_text_are_not_nested() -> None:
    line = json.dumps({"a": "[" * 500 + "{" * 500, "b": [[]] * 200}).encode()
    assert list(json_rows(io.BytesIO(line), "x.jsonl")) == [("line 1", json.loads(line))]
