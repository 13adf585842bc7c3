"""The labels that a plan counts are those that the import then takes."""

import csv
import io
import json
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.jobs.imports import ImportParams
from core.states import Split
from tests.workers.import_files import Pool, png, zipped
from tests.world import World
from workers.imports.batch import Candidate, batches
from workers.imports.formats.archives.zip_entries import ZipEntries
from workers.imports.formats.folder import FolderSource
from workers.imports.media.image import ImageReading
from workers.imports.plan import Plan
from workers.imports.reading import LabelReader

CLASSES = {"cat": 1, "dog": 2, "cow": 3}
FOLDERS = ("", "cat/", "dog/", "0/", "1/", "train/cat/", "train/dog/", "test/cat/", "test/2/",
           "samples/cat/")  # fmt: skip
CELLS = ("", "cat", "dog", "frog", "ood", "nan", "-1", "0", "1", "2", "3", "1.0", "01")
COLUMNS = ("label", "given", "cat", "dog")

Archive = tuple[dict[str, bytes], list[str]]


@st.composite
def archives(draw: st.DrawFn) -> Archive:
    """A zip of different images with metadata and perhaps a document, and columns to choose."""
    names = [f"{draw(st.sampled_from(FOLDERS))}{number}.png" for number in range(5)]
    files = dict.fromkeys(names, b"")
    columns = draw(st.lists(st.sampled_from(COLUMNS), unique=True))
    # Whole columns of few values, as they come: else hardly one would hold numbers alone.
    values = {
        column: draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=3)) for column in columns
    }
    rows = [
        {"file_name": draw(st.sampled_from([*names, "no.png"]))}
        | {column: draw(st.sampled_from(values[column])) for column in columns}
        for _ in range(draw(st.integers(0, 6)))
    ]
    if rows:
        text = io.StringIO()
        table = csv.DictWriter(text, ["file_name", *columns])
        table.writeheader()
        table.writerows(rows)
        files["metadata.csv"] = text.getvalue().encode()
    said = draw(
        st.lists(st.tuples(st.sampled_from(names), st.sampled_from(["cat", "frog"])), max_size=3)
    )
    if said:
        document = [
            {
                "data": {"image": name},
                "annotations": [
                    {
                        "completed_by": 1,
                        "result": [{"type": "choices", "value": {"choices": [choice]}}],
                    }
                ],
            }
            for name, choice in said
        ]
        files["tasks.json"] = json.dumps(document).encode()
    there = {column for row in rows for column, cell in row.items() if cell} & {*columns}
    chosen = draw(st.lists(st.sampled_from(sorted({*there, "label"})), unique=True))
    return files, chosen


def packed(files: dict[str, bytes]) -> bytes:
    """The zip, with pictures where there are none yet."""
    return zipped((name, content or png(n)) for n, (name, content) in enumerate(files.items()))


def planned(content: bytes, chosen: list[str]) -> tuple[dict[str, Any], Counter[str], int]:
    """The plan; how many labels the import takes, by source; and how many images go where."""
    params = ImportParams(filename="pool.zip", annotations=chosen)
    with tempfile.TemporaryDirectory() as work:
        path = Path(work, "pool.zip")
        path.write_bytes(content)
        with closing(FolderSource(ZipEntries(path), Path(work), chosen)) as source:
            reader = LabelReader(CLASSES, source.values)
            plan = Plan(params, reader, ImageReading())
            for item in source.items(0):
                plan.add(item)
            shown = plan.to_json(source)
            taken: Counter[str] = Counter()
            added = 0
            for batch in batches(source.items(0), Split.POOL, reader, ImageReading()):
                for one in batch:
                    if isinstance(one, Candidate):
                        added += 1
                        said = {(la.source_name, la.verdict, la.label) for la in one.labels}
                        taken.update(source_name for source_name, _, _ in said)
            return shown, taken, added


# Of rows whose file is not there nothing enters, and they tell how a column counts all the same.
_NOT_THERE = b"file_name,given\r\nno.png,cat\r\n0.png,0\r\n"


@given(archives())
@example(({"0.png": b"", "metadata.csv": _NOT_THERE}, []))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_plan_counts_the_labels_that_are_taken(archive: Archive) -> None:
    files, chosen = archive
    content = packed(files)
    plan, taken, added = planned(content, chosen)
    assert sum(plan["by_split"].values()) == added
    columns = {one["column"]: one for one in plan["labels"]}
    counted = {name: one["readable"] for name, one in columns.items() if one["chosen"]}
    assert sum(counted.values()) == taken.total()
    # Columns of marks are one source.
    marks = [name for name in counted if name in CLASSES]
    assert {name: n for name, n in counted.items() if n and name not in marks} == {
        name: n for name, n in taken.items() if not {*name.split(", ")} & {*marks}
    }
    # What is said of a column before it is chosen holds once it is, but for images of several rows
    # or beside a document, of which more is read then.
    rows = list(csv.DictReader(files.get("metadata.csv", b"").decode().splitlines()))
    if len({row["file_name"] for row in rows}) < len(rows):
        return
    for name, one in columns.items():
        if not (one["chosen"] or (name == "label" and "tasks.json" in files)):
            again, _, _ = planned(content, [name])
            (same,) = (each for each in again["labels"] if each["column"] == name)
            assert (same["readable"], same["unreadable"]) == (one["readable"], one["unreadable"])


# What a class would be read as if all were for evaluation is nothing that the import does.
_ONE_LABEL = b"file_name,label,given\r\ncat/4.png,0,\r\n"


@given(archives())
@example(({"0.png": b"", "cat/4.png": b"", "metadata.csv": _ONE_LABEL}, []))
@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_an_import_takes_what_its_plan_counts(world: World, archive: Archive) -> None:
    content, chosen = packed(archive[0]), archive[1]
    pool = Pool(world.session, world.storage, world.project(classes=tuple(CLASSES)))
    plan: Any = pool.add(content, annotations=chosen, dry_run=True).result
    result: Any = pool.add(content, annotations=chosen).result
    for part in ("total", "by_split", "left_out", "refused", "refused_by_reason"):
        assert plan[part] == result[part], part
    readable = sum(one["readable"] for one in plan["labels"] if one["chosen"])
    assert readable == result["annotations"]
    assert [one for one in result.get("notes", []) if "Numbers" in one] == plan["notes"]
