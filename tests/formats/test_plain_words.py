"""What cannot be read is told in plain words: what it is, where, and what helps."""

import io
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import DomainError
from core.states import Split
from karat.client.uploads import upload
from karat.terminal import with_options
from tests.formats.test_certainty import coco, finished, labels, pool_of
from tests.formats.test_tables import Nowhere, by_key, of_texts, written
from tests.workers.import_files import png, reasons, zipped
from tests.workers.test_legacy_names import zip_named
from tests.world import World
from workers.imports.formats.archives.legacy_names import encoding_of
from workers.imports.formats.lines import PLAIN
from workers.imports.formats.parquet.source import ParquetSource
from workers.imports.formats.table import TableSource
from workers.imports.instructions.source import TextTable
from workers.imports.keys import KeySource

TEXTS = {
    "labels.csv": "file,label\n0.png,cat\n",
    "labels.jsonl": '{"file": "0.png", "label": "cat"}\n',
    "d.json": coco({1: "0.png"}, [(1, 1)]).decode(),
}
# Of a CSV with its mark it is read, as spreadsheets write it.
UNREAD = [(name, encoding) for name in TEXTS for encoding in ("utf-16-le", "utf-16-be")]
UNREAD += [("labels.jsonl", "utf-16"), ("d.json", "utf-16")]


@pytest.mark.parametrize(("name", "encoding"), UNREAD)
def test_utf_16_that_is_not_read_is_said_to_be_that(world: World, name: str, encoding: str) -> None:
    text = TEXTS[name]
    pool = pool_of(world)
    columns = () if name.endswith(".json") else ("label",)
    job = pool.add(text.encode(encoding), name, annotations=columns)
    assert job.error is not None
    detail = job.error["detail"]
    assert "\N{REPLACEMENT CHARACTER}" not in detail
    assert f"{name} cannot be " in detail
    assert "it is UTF-16" in detail
    assert detail.endswith("Save it as UTF-8.")


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.jsonl", "sub/d.json"])
def test_utf_16_in_an_archive_costs_itself_alone(world: World, name: str) -> None:
    pool = pool_of(world)
    texts = {
        "metadata.csv": "file_name,label\n0.png,cat\n",
        "metadata.jsonl": '{"file_name": "0.png", "label": "cat"}\n',
        "sub/d.json": coco({1: "0.png"}, [(1, 1)]).decode(),
    }
    job = pool.add(zipped([("0.png", png(0)), (name, texts[name].encode("utf-16-le"))]))
    assert finished(job)["added"] == 1
    why = reasons(finished(job))[name]
    assert "it is UTF-16" in why
    assert "Save it as UTF-8" in why


def test_links_in_an_archive_are_called_so(world: World) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("1.png", png(1))
        for name, target in (("cat/2.png", "../1.png"), ("metadata.csv", "/etc/passwd")):
            link = zipfile.ZipInfo(name)
            link.create_system = 3
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, target)
    pool = pool_of(world)
    for dry_run in (True, False):
        job = pool.add(stream.getvalue(), dry_run=dry_run)
        assert sum(finished(job)["by_split"].values()) == 1
        assert reasons(finished(job)) == {
            "cat/2.png": "a link, not a file; put the file itself in its place",
            "metadata.csv": "a link, not a file; put the file itself in its place",
        }


@pytest.mark.parametrize("split", [Split.POOL, Split.EVALUATION])
def test_what_is_no_image_is_said_to_be_none_wherever_it_lies(world: World, split: Split) -> None:
    pool = pool_of(world)
    files = {
        "train/cat/1.png": png(1),
        "test/cat/2.png": png(2),
        "labels/val/3.txt": b"1 .5 .5 .1 .1\n",
        "test/notes.txt": b"notes",
        "samples/more.md": b"more",
        "test/labels.csv": b"file,label\n1.png,cat\n",
        "test/labels.xlsx": b"PK",
    }
    content = zipped(files.items())
    plan = finished(pool.add(content, split=split, dry_run=True))
    done = finished(pool.add(content, split=split))
    for result in (plan, done):
        why = reasons(result)
        assert why["labels/val/3.txt"].startswith("YOLO's boxes: Karat labels whole images")
        assert why["test/labels.csv"].startswith("a table: call it metadata.csv")
        assert why["test/labels.xlsx"].startswith("a table: ")
        assert why["test/notes.txt"].startswith("not an image")
        assert why["samples/more.md"].startswith("not an image")
    for part in ("by_split", "left_out", "refused"):
        assert plan[part] == done[part]


@pytest.mark.parametrize("header", ["File_Name,Label,Split", "FILE_NAME,LABEL,split"])
@pytest.mark.parametrize("asked", ["Label", "label", "LABEL", None])
def test_columns_of_metadata_are_read_in_any_case(
    world: World, header: str, asked: str | None
) -> None:
    pool = pool_of(world)
    files = {"1.png": png(1), "2.png": png(2)}
    files["metadata.csv"] = f"{header}\n1.png,cat,pool\n2.png,dog,test\n".encode()
    job = pool.add(zipped(files.items()), annotations=[asked] if asked else [])
    assert finished(job)["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}
    assert labels(pool) == {"1.png": ["cat"] if asked else [], "2.png": []}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_of_tables_are_read_in_any_case(tmp_path: Path, kind: str) -> None:
    rows = [
        {"Key": "1", "Text": "one", "LABEL": "cat", "Split": "train"},
        {"Key": "2", "Text": "two", "LABEL": "dog", "Split": "test"},
    ]
    path = written(tmp_path, kind, rows)
    for read in (by_key, of_texts):
        found = [(one.label, one.split) for one in read(path)]
        assert found == [("cat", "train"), ("dog", "test")], read
        assert all(one.meta.keys() <= {"Text", "Key"} for one in read(path))
    with closing(KeySource(path, path.name, {}, (), Nowhere())) as source:  # type: ignore[arg-type]
        assert source.values["LABEL"].other == "cat"
    if kind == "parquet":
        images = {
            "mask": [b""] * 2,
            "Image": [b"x"] * 2,
            "Label": ["a", "b"],
            "SPLIT": [None, "val"],
        }
        parquet.write_table(pa.table(images), path)
        with closing(ParquetSource(path, path.name, {})) as of_images:
            items = list(of_images.items(0))
        assert [one.read() for one in items] == [b"x", b"x"]
        assert [(one.label, one.split) for one in items] == [("a", None), ("b", "val")]


def test_of_columns_that_differ_in_case_alone_the_exact_one_is_meant(tmp_path: Path) -> None:
    row = {"file": "1", "label": "cat", "Label": "dog", "Split": "val", "SPLIT": "val"}
    (item,) = by_key(written(tmp_path, "csv", [row]))
    assert (item.label, item.split) == ("cat", None)


@pytest.mark.parametrize(
    "text", ['[{"text": "a"}, {"text": "b"}]\n', '{\n "text": "a"\n}\n'], ids=["list", "printed"]
)
def test_json_that_is_no_lines_is_not_said_to_be_empty(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    tables: list[tuple[Callable[[], object], str]] = [
        (lambda: list(of_texts(path)), "a list of objects is called .json."),
        (lambda: TextTable(path, path.name, PLAIN), "a list of objects is called .json."),
        (lambda: TableSource(path, path.name, {}, ["label"]), "It needs a line for each image"),
    ]
    for opened, said in tables:
        with pytest.raises(DomainError) as refused:
            opened()
        assert "rows can be read: line 1 is n" in refused.value.detail
        assert said in refused.value.detail
    path.write_text("")
    with pytest.raises(DomainError, match="it is empty"):
        TextTable(path, path.name, PLAIN)


def test_half_width_letters_of_japan_are_read_or_the_file_is_named(world: World) -> None:
    # Cat, in letters of one byte: what Korean and Western readings make of it is a guess.
    pool = pool_of(world)
    raw = "\uff88\uff7a.png".encode("shift_jis")
    job = pool.add(zip_named(raw))
    (noted,) = finished(job)["noted"]
    assert "no encoding that can be told" in noted
    names = ["\uff88\uff7a\uff89\uff7c\uff6c\uff7c\uff9d \u732b.png", "\uff72\uff87.png"]
    assert encoding_of([name.encode("shift_jis") for name in names]) == "shift_jis"


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "secret.png", tmp_path / "set"
    outside.write_bytes(png(0))
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/1.png").write_bytes(png(1))
    (folder / "inside.png").symlink_to("sub/1.png")
    (folder / "out.png").symlink_to(outside)
    (folder / "sub/up.png").symlink_to("../../secret.png")
    (folder / "twice.png").symlink_to("out.png")
    left_out: dict[str, str] = {}
    sent = upload(folder, left_out.__setitem__)
    content = io.BytesIO(b"".join(sent.chunks()))
    assert sorted(zipfile.ZipFile(content).namelist()) == ["inside.png", "sub/1.png"]
    assert sorted(left_out) == ["out.png", "sub/up.png", "twice.png"]
    assert all("link out of the folder" in reason for reason in left_out.values())


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("say what it is with folder_split my dev=SPLIT", "--folder-split my dev=SPLIT"),
        ("say which holds with key_column=name or key_column=sha256", "--key-column name or "),
        ("each with annotation_column=NAME, or", "--annotation-column NAME, or"),
        ("say what they are with folder_split", "with --folder-split"),
    ],
)
def test_the_command_line_names_its_own_options(message: str, shown: str) -> None:
    assert shown in with_options(message)
    assert "_" not in with_options(message)
