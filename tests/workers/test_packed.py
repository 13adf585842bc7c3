"""Compressed tables and documents in archives and folders: as if they were not compressed."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from core.states import ExampleState
from tests.workers.box_files import BoxPool, coco, image, packed
from tests.workers.import_files import Pool, png, reasons, tarred, zipped
from workers.imports.formats.archives.entries import Entries
from workers.imports.formats.archives.packed import Packed, Unpacking
from workers.imports.formats.archives.tar_entries import TarEntries
from workers.imports.formats.archives.zip_entries import ZipEntries
from workers.imports.formats.lines import PLAIN
from workers.imports.formats.text_table import TextTableSource
from workers.imports.formats.text_zip import TextZip
from workers.imports.items import Refused

COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
TABLE = b"file_name,label\n1.png,cat\n2.png,dog\n"
IMAGES = {"1.png": png(1), "2.png": png(2)}


def opened(path: Path, files: Mapping[str, bytes], most: int) -> Unpacking:
    path.write_bytes(tarred(files))
    return Unpacking(TarEntries(path), most)


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("archive", ["a.zip", "a.tar"])
def test_a_table_labels_the_images_beside_it(pool: Pool, ending: str, archive: str) -> None:
    files = {**IMAGES, f"metadata.csv{ending}": COMPRESSIONS[ending](TABLE)}
    content = tarred(files) if archive == "a.tar" else zipped(files.items())
    plan = pool.add(content, archive, dry_run=True).result
    assert plan is not None
    assert plan["documents"] == [{"name": "metadata.csv", "format": "metadata"}]
    job = pool.add(content, archive, annotations=["label"])
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["annotations"], job.result["refused"]) == (2, 2, 0)
    assert {one.state for one in pool.examples()} == {ExampleState.LABELED}


def test_a_document_draws_boxes(boxes: BoxPool) -> None:
    document = gzip.compress(coco([{"bbox": [10, 20, 20, 24]}]).encode())
    files: dict[str, bytes | str] = {"a.jpg": image(1), "_annotations.coco.json.gz": document}
    plan = boxes.result(boxes.add(packed(files), "pool.zip", dry_run=True))
    assert [one["format"] for one in plan["documents"]] == ["COCO"]
    assert boxes.send(files)["annotations"] == 1
    assert boxes.sides() == {"a.jpg": [("cat", 10, 20, 20, 24)]}


def test_tables_and_files_bring_texts(texts: Pool) -> None:
    rows = b"".join(json.dumps({"text": f"Row {n}"}).encode() + b"\n" for n in range(3))
    files = {
        "a/rows.jsonl.gz": gzip.compress(rows),
        "b/one.txt.xz": lzma.compress(b"A file"),
        "c.csv.bz2": bz2.compress(b"text,label\nOf a table,cat\n"),
    }
    job = texts.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["refused"]) == (5, 0)
    assert {*texts.contents()} == {"Row 0", "Row 1", "Row 2", "A file", "Of a table"}


def test_what_is_damaged_is_named_and_costs_no_other(pool: Pool) -> None:
    whole = gzip.compress(TABLE * 100)
    files = {
        **IMAGES, "metadata.csv.gz": whole[:-20], "coco.json.gz": b"no gzip at all",
        # Not called so that it would be read, as the same file plain is not.
        "labels.csv.gz": gzip.compress(TABLE), "run.py.gz": gzip.compress(b"print()"),
    }  # fmt: skip
    job = pool.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert job.result["added"] == 2
    said = reasons(job.result)
    assert "not a whole .gz file" in said["metadata.csv"]
    assert "not a whole .gz file" in said["coco.json"]
    assert "call it metadata.csv" in said["labels.csv"]
    assert "not an image" in said["run.py.gz"]


def test_one_beside_the_same_file_plain_or_compressed_otherwise_is_named(pool: Pool) -> None:
    files = {
        **IMAGES, "metadata.csv": TABLE, "metadata.csv.gz": gzip.compress(TABLE),
        "a/metadata.jsonl.gz": gzip.compress(b"{}"), "a/metadata.jsonl.xz": lzma.compress(b"{}"),
    }  # fmt: skip
    job = pool.add(tarred(files), "a.tar", annotations=["label"])
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["annotations"]) == (2, 2)
    assert reasons(job.result).keys() == {
        "metadata.csv.gz", "a/metadata.jsonl.gz", "a/metadata.jsonl.xz",
    }  # fmt: skip


def test_all_together_unpack_to_no_more_than_an_upload_may(tmp_path: Path) -> None:
    block = gzip.compress(bytes(3 << 20))
    files = {f"{n}.csv.gz": block for n in range(3)}
    with closing(opened(tmp_path / "a.tar", files, 7 << 20)) as found:
        first, second, third = found
        for entry in (first, second, first):
            file = found.open(entry)
            assert not isinstance(file, Refused)
            with file:
                assert len(file.read()) == 3 << 20
        file = found.open(third)
        assert not isinstance(file, Refused)
        with file, pytest.raises(ValueError, match="unpacks to more than 7 MiB"):
            file.read()
        assert found.read(third) == Refused("unpacks to more than 7 MiB")


def test_entries_keep_their_order_and_what_is_known_of_them(tmp_path: Path) -> None:
    files = {"b.jpg.gz": b"x", "a.csv.gz": gzip.compress(b"a,b\n"), "c.tar.gz": b"y", "d.csv": b"z"}
    (tmp_path / "a.zip").write_bytes(zipped(files.items()))
    entries: Entries = Unpacking(ZipEntries(tmp_path / "a.zip"), 1 << 20)
    with closing(entries):
        found = [*entries]
        assert [one.name for one in found] == ["b.jpg.gz", "a.csv", "c.tar.gz", "d.csv"]
        assert isinstance(found[1], Packed)
        assert (found[1].raw, found[1].is_link, found[1].is_doubtful) == (b"", False, False)
        assert [entries.read(one) for one in found] == [b"x", b"a,b\n", b"y", b"z"]


def test_a_run_that_goes_on_finds_what_the_one_before_found(tmp_path: Path) -> None:
    def rows(name: str) -> bytes:
        lines = (json.dumps({"text": f"{name} {n} {'x' * 1000}"}) for n in range(1000))
        return gzip.compress("\n".join(lines).encode())

    path = tmp_path / "a.tar"
    path.write_bytes(tarred({f"{name}.jsonl.gz": rows(name) for name in "abc"}))

    def run() -> list[tuple[str, bool]]:
        entries = Unpacking(TarEntries(path), 5 << 19)
        with closing(TextZip(entries, tmp_path / "work", (), {}, open_table)) as found:
            return [(one.name, one.refused is not None) for one in found.items(0)]

    def open_table(copy: Path, name: str) -> TextTableSource:
        return TextTableSource(copy, name, {}, (), PLAIN)

    first = run()
    assert first[0] == ("a.jsonl, line 1", False)
    assert [name for name, is_refused in first if is_refused] == ["c.jsonl"]
    assert run() == first


def test_a_text_unpacks_to_no_more_than_one_may_have_that_is_not_compressed(texts: Pool) -> None:
    files = {"a.txt": b"One", "b.txt.gz": gzip.compress(bytes(65 << 20))}
    job = texts.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["refused"]) == (1, 1)
    assert "unpacks to more than 64 MiB" in reasons(job.result)["b.txt"]
