"""Tables that others wrote, whatever stands in their rows: one row costs no other."""

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.errors import DomainError
from core.files.csv_escape import plain_row
from core.states import Medium, Split
from tests.workers.import_files import Pool, png, reasons, zipped
from tests.world import World
from workers.imports.formats.archives.opening import open_archive
from workers.imports.formats.delimited import Delimited
from workers.imports.formats.documents import Tool, whose
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.json_stream import elements, json_rows
from workers.imports.formats.lines import PLAIN
from workers.imports.formats.metadata import Metadata
from workers.imports.formats.parquet.source import ParquetSource
from workers.imports.formats.said import Described, describe
from workers.imports.formats.table import TableSource
from workers.imports.formats.text_table import TextTableSource
from workers.imports.items import Item, Refused
from workers.imports.keys import KeySource
from workers.imports.placing import place

MIB = 1 << 20
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
    assert job.result is not None, job.error
    assert (job.result["added"], reasons(job.result)) == (2, {})
    score = {"score": "1e999"} if name.endswith(".csv") else {}
    assert [one.meta for one in pool.examples() if one.meta] == [{**score, "site": "x"}]


@pytest.mark.parametrize(("depth", "taken"), [(62, True), (66, False), (980, False), (5000, False)])
def test_lines_of_json_are_nested_no_deeper_than_documents(depth: int, taken: bool) -> None:
    line = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    ((_, row),) = json_rows(io.BytesIO(line), "x.jsonl")
    assert isinstance(row, dict) if taken else row == "is nested more than 64 deep"


def test_brackets_in_text_are_not_nested() -> None:
    line = json.dumps({"a": "[" * 500 + "{" * 500, "b": [[]] * 200}).encode()
    assert list(json_rows(io.BytesIO(line), "x.jsonl")) == [("line 1", json.loads(line))]


class Nowhere:
    """A bucket whose images are not looked up."""

    location = "s3://photos"

    def locate(self, text: str) -> str:
        return text


def written(folder: Path, kind: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    """A table; in text a row lacks what it says nothing of."""
    path = folder / f"table.{kind}"
    names = list(dict.fromkeys(name for row in rows for name in row))
    if kind == "parquet":
        parquet.write_table(
            pa.table({name: [row.get(name) for row in rows] for name in names}), path
        )
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            for row in rows:
                cells = [row.get(name, "") for name in names]
                # As programs write it that stop at the last cell with something in it.
                while cells and cells[-1] in ("", None):
                    cells.pop()
                writer.writerow(cells)
    return path


def by_key(path: Path, annotations: Sequence[str] = ()) -> Iterator[Item]:
    bucket: Any = Nowhere()
    with closing(KeySource(path, path.name, {}, annotations, bucket, names_only=True)) as source:
        yield from source.items(0)


def of_texts(path: Path, annotations: Sequence[str] = ()) -> Iterator[Item]:
    if path.suffix == ".parquet":
        source: Any = ParquetSource(path, path.name, {}, annotations, medium=Medium.TEXT)
    else:
        source = TextTableSource(path, path.name, {}, annotations, PLAIN)
    with closing(source):
        yield from source.items(0)


def of_folder(
    path: Path, rows: Sequence[Mapping[str, Any]], annotations: Sequence[str] = ()
) -> Iterator[Item]:
    """What it says as the metadata of a zip."""
    archive = path.with_name("folder.zip")
    files = [(f"metadata{path.suffix}", path.read_bytes())]
    archive.write_bytes(zipped([*files, *((row["file_name"], b"") for row in rows)]))
    work = path.with_name(f"work of {path.name}")
    work.mkdir(exist_ok=True)
    with closing(FolderSource(open_archive(archive, "folder.zip", MIB), work, annotations)) as one:
        yield from one.items(0)


def everywhere(
    folder: Path, rows: Sequence[Mapping[str, Any]], annotations: Sequence[str] = ()
) -> Iterator[tuple[str, list[Item]]]:
    """What rows with ``file_name`` and ``text`` say, wherever they may stand, and how."""
    for kind in ("csv", "jsonl", "parquet"):
        path = written(folder, kind, rows)
        yield f"keys, {kind}", list(by_key(path, annotations))
        yield f"texts, {kind}", list(of_texts(path, annotations))
        if kind != "parquet":
            yield f"folder, {kind}", list(of_folder(path, rows, annotations))
    path = folder / "table.json"
    path.write_text(json.dumps(list(rows)))
    yield "texts, json", list(of_texts(path, annotations))


@pytest.mark.parametrize("annotations", [(), ("label",)])
@pytest.mark.parametrize("counts", [(3, 5), (2.5, None), ("3 of 5", ""), (True, False), ([3], [4])])
def test_a_column_that_is_only_called_votes_states_none(
    tmp_path: Path, counts: Sequence[Any], annotations: Sequence[str]
) -> None:
    rows = [
        {"file_name": f"{n}.png", "text": f"text {n}", "label": "cat", "votes": count}
        for n, count in enumerate(counts)
    ]
    for how, found in everywhere(tmp_path, rows, annotations):
        said = [(one.label, one.said, one.unread) for one in found]
        assert said == [("cat", (), ())] * 2, how
        assert [one.annotations for one in found] == [tuple((n, "cat") for n in annotations)] * 2
        if not isinstance(counts[0], list):
            assert str(found[0].meta["votes"]) == str(counts[0]), how
    stated = [{**row, "verdict": "ood"} for row in rows]
    for how, found in everywhere(tmp_path, stated):
        assert [[one.verdict for one in item.said] for item in found] == [["ood"]] * 2, how
        assert [one.unread for one in found] == [()] * 2, how


@pytest.mark.parametrize(
    "stated",
    [
        {"verdict": "class", "class": "cat", "label_source": "model"},
        {"verdict": "class", "label": "cat", "holds": "false"},
        {"verdict": "ood", "label": "cat"},
    ],
)
def test_what_is_stated_leaves_no_note_that_would_be_taken_for_the_truth(
    tmp_path: Path, stated: dict[str, str]
) -> None:
    reader: Any = None
    row = {"file_name": "a.png", "text": "text", "lang": "en", **stated}
    for how, (one,) in everywhere(tmp_path, [row]):
        placed: Any = place(one, Split.POOL, reader)
        assert "label" not in placed.meta, how
        assert placed.meta["lang"] == "en", how


@pytest.mark.parametrize("verdict", ["class", "ood", "", "guilty"])
def test_columns_that_are_named_are_taken_beside_what_is_stated(
    tmp_path: Path, verdict: str
) -> None:
    row = {"file_name": "a.png", "text": "text", "verdict": verdict, "class": "cat", "pred": "dog"}
    for how, (one,) in everywhere(tmp_path, [row], ["pred"]):
        assert one.annotations == (("pred", "dog"),), how
        assert "pred" not in one.meta, how
        assert bool(one.said) == (verdict in ("class", "ood")), how
        assert bool(one.unread) == (verdict == "guilty"), how


@settings(deadline=None)
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {"file": st.uuids().map(lambda one: f"{one}.png")},
            optional={
                "label": st.sampled_from(["cat", "dog"]),
                "species": st.sampled_from(["1", "0"]),
                "split": st.sampled_from(["train", "test"]),
            },
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda row: row["file"],
    ),
    data=st.data(),
)
def test_a_table_says_the_same_in_any_order_and_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("table")
    shuffled = data.draw(st.permutations(rows))
    names = [name for name in ("label", "species") if any(name in row for row in rows)]
    expected = {
        row["file"]: (
            row.get("label"),
            row.get("split"),
            {(name, row[name]) for name in names if name in row},
        )
        for row in rows
    }
    for kind in ("csv", "jsonl", "parquet"):
        path = written(folder, kind, shuffled)
        found = {
            one.name: (one.label, one.split, set(one.annotations)) for one in by_key(path, names)
        }
        assert found == expected, kind
        if kind == "parquet" or not names:
            continue
        table = TableSource(path, path.name, {}, names)
        said = {one.name: set(one.annotations) for one in table.items(0)}
        assert said == {name: labels for name, (_, _, labels) in expected.items()}, kind


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_list_of_one_label_is_that_label(tmp_path: Path, kind: str) -> None:
    rows: Any = [{"file": "a.png", "label": ["cat"]}, {"file": "b.png", "label": []}]
    path = written(tmp_path, kind, rows)
    assert [(one.label, one.annotations) for one in by_key(path, ["label"])] == [
        ("cat", (("label", "cat"),)),
        (None, ()),
    ]


@pytest.mark.parametrize(("each", "kept"), [(900, 1000), (5000, 0)])
def test_many_extras_cost_no_row_of_a_parquet_file(tmp_path: Path, each: int, kept: int) -> None:
    meta = json.dumps({f"extra {n}": "ü" * each for n in range(1000)}, ensure_ascii=False)
    rows = [{"file_name": "a.png", "text": "text", "verdict": "ood", "meta": meta}] * 3
    path = written(tmp_path, "parquet", rows)
    for found in (list(by_key(path)), list(of_texts(path))):
        extras = [sum(name.startswith("extra") for name in one.meta) for one in found]
        assert extras == [kept] * 3
        assert all(one.refused is None and len(one.said) == 1 for one in found)


class Asked(Nowhere):
    """A bucket that has nothing, and notes what it is asked for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def locate(self, text: str) -> Any:
        self.names.append(text)
        return Refused("not there")


RISKY = ("-5", "=1+1", "'=x", "''- y", "@b", "'quoted'", "plain", "- milk\n- eggs")


@pytest.mark.parametrize(
    "more",
    [
        {"verdict": "class", "class": "-cat"},
        {"example_id": 1, "class_id": 2, "rank": 3, "class": "-cat"},
        {"class": "-cat"},
    ],
    ids=["annotations", "a subset", "of texts whose hash tells it"],
)
def test_what_is_written_for_spreadsheets_is_undone_once(
    tmp_path: Path, more: dict[str, str]
) -> None:
    path = tmp_path / "ours.csv"
    rows = [
        {
            "name": f"{text[:4]}.png",
            "text": text,
            "sha256": sha256(text.encode()).hexdigest(),
            **more,
        }
        for text in RISKY
    ]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0])
        writer.writerows(plain_row(row.values()) for row in rows)
    found = list(of_texts(path))
    assert [one.read() for one in found] == [text.encode() for text in RISKY]
    if "verdict" in more:
        assert [one.name for one in found] == [row["name"] for row in rows]
        assert {one.said[0].class_name for one in found} == {"-cat"}
    if len(more) == 1:
        return
    assert [one.label for one in found] == ["-cat"] * len(RISKY)
    bucket: Any = Asked()
    with closing(KeySource(path, path.name, {}, (), bucket)) as source:
        assert [one.name for one in source.items(0)] == [row["name"] for row in rows]
    assert sorted(bucket.names) == sorted(str(row["name"]) for row in rows)


@pytest.mark.parametrize(
    "labels",
    [
        (True, False), (3, 4), (1.5, 2.0), (Decimal("2.50"), Decimal("1.00")), ("cat", "dog"),
        (date(2026, 1, 2), date(2026, 1, 3)),
    ],
    ids=lambda labels: type(labels[0]).__name__,
)  # fmt: skip
def test_a_label_of_any_type_is_read_from_parquet_as_from_a_csv(
    tmp_path: Path, labels: Sequence[Any]
) -> None:
    rows = [
        {"file_name": f"{n}.png", "text": f"text {n}", "label": one} for n, one in enumerate(labels)
    ]
    found = {}
    for kind in ("csv", "parquet"):
        path = written(tmp_path, kind, rows)
        found[kind] = [[one.label for one in read(path)] for read in (by_key, of_texts)]
    assert found["parquet"] == found["csv"] == [[str(one) for one in labels]] * 2
    path, images = tmp_path / "images.parquet", {"image": [b"x"] * 2, "label": list(labels)}
    parquet.write_table(pa.table(images), path)
    with closing(ParquetSource(path, path.name, {})) as source:
        assert [one.label for one in source.items(0)] == found["csv"][0]
    # Another that is named leaves what is called so an extra, as in a CSV.
    parquet.write_table(pa.table({**images, "b": ["c"] * 2}), path)
    with closing(ParquetSource(path, path.name, {"label": "b"})) as source:
        assert [(one.label, "label" in one.meta) for one in source.items(0)] == [("c", True)] * 2


NAMES = {"names": ["dog", "cat"], "_type": "ClassLabel"}


@pytest.mark.parametrize(
    "feature",
    [
        NAMES,
        {"feature": NAMES, "length": -1, "_type": "Sequence"},
        {"feature": NAMES, "_type": "List"},
        [NAMES],
    ],
    ids=["one", "sequence", "list", "brackets"],
)
def test_numbers_are_the_names_that_a_file_declares_for_them(tmp_path: Path, feature: Any) -> None:
    labels = [0, 1, -1] if feature is NAMES else [[0], [1], []]
    columns = {"file": ["a", "b", "c"], "text": ["d", "e", "f"], "label": labels}
    splits = {"names": ["test", "train"], "_type": "ClassLabel"}
    info = json.dumps({"info": {"features": {"label": feature, "split": splits}}})
    table = pa.table({**columns, "split": [0, 1, 0]}).replace_schema_metadata({"huggingface": info})
    path = tmp_path / "t.parquet"
    parquet.write_table(table, path)
    for read in (by_key, of_texts):
        said = [(one.annotations, one.split) for one in read(path, ["label"])]
        assert said == [
            ((("label", "dog"),), "test"), ((("label", "cat"),), "train"), ((), "test"),
        ]  # fmt: skip
    with closing(KeySource(path, path.name, {}, ["label"], Nowhere())) as source:  # type: ignore[arg-type]
        assert (source.values["label"].least, source.values["label"].other) == (None, "dog")


TWICE = b"file,label,label\na.png,cat,dog\n"


def test_a_column_that_is_there_twice_is_refused_by_name(tmp_path: Path, world: World) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TWICE)
    with pytest.raises(DomainError, match="several columns 'label'"):
        list(by_key(path, ["label"]))
    with pytest.raises(DomainError, match="several columns 'label'"):
        TableSource(path, path.name, {}, ["label"])
    columns = [pa.array(["a.png"]), pa.array(["cat"]), pa.array(["dog"])]
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.Table.from_arrays(columns, ["file", "label", "label"]), path)
    for read in (lambda: list(by_key(path, ["label"])), lambda: [ParquetSource(path, "t", {})]):
        with pytest.raises(DomainError, match="several columns 'label'"):
            read()
    pool = Pool(world.session, world.storage, world.project())
    metadata = TWICE.replace(b"file,", b"file_name,")
    job = pool.add(zipped([("a.png", png(1)), ("metadata.csv", metadata)]))
    assert job.result is not None, job.error
    assert "several columns 'label'" in reasons(job.result)["metadata.csv"]


def test_columns_without_a_name_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("file,label,,\na.png,cat,x,y\n")
    (item,) = by_key(path, ["label"])
    assert (item.annotations, item.meta) == ((("label", "cat"),), {})


def test_a_line_of_json_that_says_something_twice_is_refused() -> None:
    good = b'{"file": "b.png", "label": "cat"}\n'
    lines = b'{"file": "a.png", "label": "cat", "label": "dog"}\n' + good
    assert list(json_rows(io.BytesIO(lines), "t.jsonl")) == [
        ("line 1", "is no JSON: it says 'label' twice"),
        ("line 2", json.loads(good)),
    ]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("b.png,dog" + "," * MIB, "is longer than 1 MiB"),
        ("b.png," + '"",' * MIB, "is longer than 1 MiB"),
        ("b.png," + "x" * 100_000, {"file": "b.png", "label": "x" * 100_000}),
        ("b.png," + "," * 1000, {"file": "b.png", "label": ""}),
        ('b.png,"d\no\ng"', {"file": "b.png", "label": "d\no\ng"}),
    ],
)
def test_a_long_line_of_a_csv_costs_itself_alone(row: str, found: object) -> None:
    text = f"file,label\n{row}\nc.png,cat\n"
    table = Delimited(io.BytesIO(text.encode()), "t.csv")
    assert [one for _, one in table.rows()] == [found, {"file": "c.png", "label": "cat"}]


@pytest.mark.parametrize(
    "text",
    [
        "file,label" + "," * MIB + "\na.png,cat\n",
        "file,label\na.png," + '"",' * MIB + '"\n",cat\n',
        "file,label\na.png," + '"\n",' * MIB + "cat\n",
        "file,label\na.png," + '"x\n' * MIB,
    ],
    ids=["header", "open at its end", "over many lines", "never closed"],
)
def test_a_csv_ends_where_a_row_has_no_end_that_is_known(text: str) -> None:
    table = text.encode()
    with pytest.raises(DomainError, match="cannot be read near line"):
        list(Delimited(io.BytesIO(table), "t.csv").rows())


@settings(deadline=None, max_examples=50)
@given(
    cells=st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1),
        min_size=1,
    ),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_a_csv_is_read_as_pythons_own_reader_does(cells: list[list[str]], ending: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=ending).writerows([["file"], *cells])
    text = stream.getvalue()
    expected = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row][1:]
    table = Delimited(io.BytesIO(text.encode()), "t.csv")
    found = [one for _, one in table.rows()]
    assert len(found) == len(expected)
    for one, row in zip(found, expected, strict=True):
        assert isinstance(one, str) if any(row[1:]) else one == {"file": row[0]}


def test_a_line_of_many_cells_takes_little_memory(tmp_path: Path) -> None:
    metadata = Metadata(tmp_path / "metadata.sqlite")
    text = b"file_name,label\n" + b"," * (30 * MIB) + b"\na.png,cat\n"
    tracemalloc.start()
    try:
        metadata.add("metadata.csv", io.BytesIO(text))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 32 * MIB
    assert [tuple(one) for one in metadata.problems()] == [
        ("metadata.csv, line 2", "is longer than 1 MiB")
    ]


class Slow(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, content: bytes, most: int) -> None:
        super().__init__(content)
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, self._most))


LARGE = [2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**300]
WORDS = st.text(st.sampled_from(['"', "\\", "a", " ", ":", ","]), max_size=6) | st.lists(
    st.sampled_from(["NaN", "-Infinity", '"', "\\", " ", *map(str, LARGE[:4])]), max_size=6
).map("".join)
DOCUMENTS = st.recursive(
    st.sampled_from([float("nan"), float("inf"), float("-inf"), 1.5, 1e-30, 1 / 3, None, *LARGE])
    | st.integers()
    | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(document=st.lists(DOCUMENTS, max_size=6), most=st.integers(3, 40))
def test_no_number_is_null_in_values_and_itself_in_text(document: list[Any], most: int) -> None:
    text = json.dumps(document)
    expected = json.loads(text, parse_constant=lambda _: None)
    assert [one for _, one in elements(Slow(text.encode(), most), "x.json")] == expected


@pytest.mark.parametrize(
    ("first", "tool"),
    [
        ({"id": 1, "annotations": [{"result": [{"value": "LONG"}]}], "data": {}}, "LABEL_STUDIO"),
        ({"data": {"text": "LONG"}}, "LABEL_STUDIO"),
        ({"completions": [{"result": [{"value": "LONG"}]}]}, "LABEL_STUDIO"),
        ({"image": "a.png", "label": [{"rle": "LONG"}], "annotator": 1}, None),
        ({"text": "LONG"}, None),
    ],
)
def test_whose_a_document_is_shows_in_the_beginning_of_what_is_long(
    first: dict[str, Any], tool: str | None
) -> None:
    long = json.dumps(["long " * 1000] * 250)
    text = json.dumps([first]).replace('"LONG"', long)
    found = whose(io.BytesIO(text.encode()))
    assert (found.name if isinstance(found, Tool) else None) == tool
    for key in ("images", "annotations", "categories"):
        coco = json.dumps({"info": {}, key: [{"id": 1, "segmentation": "LONG"}]})
        assert whose(io.BytesIO(coco.replace('"LONG"', long).encode())) is Tool.COCO
    shape = {"label": "cat", "points": "LONG"}
    labelme = json.dumps({"version": "5", "flags": {}, "shapes": [shape]}).replace('"LONG"', long)
    assert whose(io.BytesIO(labelme.encode())) is Tool.LABELME


@pytest.mark.parametrize("content", [b'{"a": 1}\n{"a": 2}\n', b'{}{"a": 1}', b'{"a": 1} x'])
def test_json_lines_that_are_called_json_are_told_what_to_be_called(
    tmp_path: Path, content: bytes
) -> None:
    with pytest.raises(DomainError, match="call a file of these"):
        list(elements(io.BytesIO(content), "x.json"))
    refused = whose(io.BytesIO(content))
    assert isinstance(refused, Refused)
    assert "call a file of these .jsonl" in refused.reason
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(DomainError, match="call a file of these"):
        list(of_texts(path))


def test_a_document_full_of_no_numbers_is_read() -> None:
    # Time must not grow with the square of their number in a block.
    text = b"[" + b'"NaN\\"",NaN,' * 150_000 + b"1]"
    found = [one for _, one in elements(io.BytesIO(text), "x.json")]
    assert found == ['NaN"', None] * 150_000 + [1]
