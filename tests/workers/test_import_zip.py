"""Zips as people make them, and as attackers do."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.states import Split
from tests.workers.import_files import (
    Pool,
    animation,
    encoded,
    huge_png,
    jpeg,
    patched,
    picture,
    png,
    reasons,
    zipped,
)
from workers.imports.formats.archives.zip_entries import ZipEntries
from workers.imports.formats.folder import FolderSource
from workers.imports.items import Refused


@contextmanager
def source(tmp_path: Path, content: bytes) -> Iterator[FolderSource]:
    path = tmp_path / "upload.zip"
    path.write_bytes(content)
    with closing(FolderSource(ZipEntries(path), tmp_path / "work")) as found:
        yield found


def places(tmp_path: Path, *names: str) -> list[tuple[str, str | None, str | None]]:
    """Name, split and label of each item."""
    with source(tmp_path, zipped((name, b"x") for name in names)) as found:
        items = [(item.name, item.split, item.label) for item in found.items(0)]
        assert len(items) == found.total
    return items


def test_folders_are_classes(tmp_path: Path) -> None:
    assert places(tmp_path, "cat/1.png", "dog/a/2.png", "3.png") == [
        ("cat/1.png", None, "cat"),
        ("dog/a/2.png", None, "dog"),
        ("3.png", None, None),
    ]


def test_top_folders_may_be_splits(tmp_path: Path) -> None:
    assert places(tmp_path, "pool/1.png", "evaluation/cat/2.png", "auxiliary_ood/3.png") == [
        ("pool/1.png", "pool", None),
        ("evaluation/cat/2.png", "evaluation", "cat"),
        ("auxiliary_ood/3.png", "auxiliary_ood", None),
    ]
    assert [one[1:] for one in places(tmp_path, "train/cat/1.png", "val/dog/2.png")] == [
        ("train", "cat"),
        ("val", "dog"),
    ]


def test_a_class_may_be_called_train(tmp_path: Path) -> None:
    assert [one[1:] for one in places(tmp_path, "train/1.png", "ship/2.png")] == [
        (None, "train"),
        (None, "ship"),
    ]


def test_one_folder_may_wrap_everything(tmp_path: Path) -> None:
    assert [one[1:] for one in places(tmp_path, "all/cat/1.png", "all/2.png")] == [
        (None, "cat"),
        (None, None),
    ]
    assert [one[1:] for one in places(tmp_path, "all/evaluation/cat/1.png")] == [
        ("evaluation", "cat")
    ]
    assert places(tmp_path, "cat/1.png", "cat/2.png")[0] == ("cat/1.png", None, "cat")


def test_litter_is_not_part_of_the_upload(tmp_path: Path) -> None:
    names = ["cat/1.png", "__MACOSX/cat/._1.png", "cat/.DS_Store", "cat/Thumbs.db", ".git/x.png"]
    assert [name for name, *_ in places(tmp_path, *names)] == ["cat/1.png"]


def test_backslashes_separate_folders(tmp_path: Path) -> None:
    assert places(tmp_path, "evaluation\\cat\\1.png") == [
        ("evaluation/cat/1.png", "evaluation", "cat")
    ]


def test_metadata_csv_goes_before_folders_but_is_no_truth_against_them(pool: Pool) -> None:
    table = (
        "file_name,label,split,camera\n1.png,cat,evaluation,north\n2.png,,,\n3.png,dog,,\n"
        "4.png,dog,evaluation,\n"
    )
    images = {f"cat/{number}.png": png(number) for number in range(1, 5)}
    images["dog/5.png"] = png(5)
    result = pool.zip({"cat/metadata.csv": table.encode(), **images})
    first, second, third, _ = pool.examples()
    assert (first.split, first.meta) == (Split.EVALUATION, {"camera": "north"})
    assert first.label_class_id is not None
    assert (second.split, second.label_class_id, second.meta) == (
        Split.POOL,
        None,
        {"label": "cat"},
    )
    assert third.meta == {"label": "dog"}
    assert "contradict each other (cat and dog)" in reasons(result)["cat/4.png"]


def test_metadata_jsonl_describes_files_below_it(pool: Pool) -> None:
    rows = [
        {"file_name": "a/1.png", "label": "dog", "site": 7, "box": [1, 2], "note": "x\0y"},
        {"file_name": "a/gone.png"},
    ]
    table = "\n".join(json.dumps(row) for row in rows)
    result = pool.zip({"metadata.jsonl": table.encode(), "a/1.png": png(1)})
    assert result["total"] == 2
    assert reasons(result) == {"a/gone.png": "named in the metadata, but not there"}
    assert pool.examples()[0].meta == {
        "label": "dog",
        "site": 7,
        "note": "x\N{REPLACEMENT CHARACTER}y",
    }


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (b"name,label\n1.png,cat\n", "no column file_name"),
        (b"\xff\xff\n", "UTF-8"),
        (b'file_name,label\n"1.png,cat\n', "near line"),
    ],
)
def test_metadata_that_says_nothing_is_left_aside_and_named(
    pool: Pool, table: bytes, why: str
) -> None:
    result = pool.zip({"metadata.csv": table, "1.png": png(1)})
    assert result["added"] == 1
    assert why in reasons(result)["metadata.csv"]


def test_takes_what_phones_and_browsers_call_their_photographs(pool: Pool) -> None:
    photograph = picture(1, 40, 30)
    files = {
        "cat/IMG_0001.HEIC": encoded(photograph, "HEIF"),
        "cat/20261129_101500.heif": encoded(picture(2, 40, 30), "HEIF"),
        "cat/a.avif": encoded(photograph, "AVIF"),
        "cat/saved.jfif": jpeg(1),
        "cat/IMG_0001.MOV": b"\0\0\0\x14ftypqt  \0\0\0\0qt  ",
    }
    result = pool.zip(files)
    ((film, why),) = reasons(result).items()
    assert (film, why[:12]) == ("cat/IMG_0001.MOV", "not an image")
    assert [(one.name, one.media_type) for one in pool.examples()] == [
        ("cat/IMG_0001.HEIC", "image/heic"),
        ("cat/20261129_101500.heif", "image/heic"),
        ("cat/a.avif", "image/avif"),
        ("cat/saved.jfif", "image/jpeg"),
    ]


def test_refuses_bad_files_by_name_and_takes_the_rest(pool: Pool) -> None:
    result = pool.zip(
        {
            "good.png": png(1),
            "truncated.jpg": jpeg(1)[:400],
            "bomb.png": huge_png(),
            "moving.gif": animation("GIF"),
            "moving.webp": animation("WEBP"),
            "moving.png": animation("PNG"),
            "text.jpg": b"not an image",
            "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "empty.png": b"",
            "../../escape.png": png(2),
            "/absolute.png": png(3),
            "C:\\drive.png": png(4),
            "last.png": png(5),
        }
    )
    assert (result["total"], result["added"], result["refused"]) == (13, 5, 8)
    found = reasons(result)
    assert found["truncated.jpg"].startswith("truncated or corrupt")
    assert found["bomb.png"].startswith("60000 × 50000 pixels")
    assert found["text.jpg"] == found["drawing.svg"]
    assert found["text.jpg"].startswith("not an image")
    assert found["empty.png"] == "empty file"
    for name in ("../../escape.png", "/absolute.png", "C:/drive.png"):
        assert found[name] == "its path leads out of the archive"
    moving = [f"moving.{kind}" for kind in ("gif", "webp", "png")]
    added = [example.name for example in pool.examples()]
    assert added == ["good.png", *moving, "last.png"]
    assert not list(pool.storage.root.rglob("escape*"))


def test_refuses_entries_that_cannot_be_unpacked(pool: Pool) -> None:
    names = ["encrypted", "packed", "crc", "larger", "smaller", "good"]
    archive = zipped((f"{name}.png", png(seed)) for seed, name in enumerate(names))
    archive = patched(archive, "encrypted.png", {"flags": 1})
    archive = patched(archive, "packed.png", {"method": 14})
    archive = patched(archive, "crc.png", {"crc": 7})
    archive = patched(archive, "larger.png", {"size": 10_000})
    archive = patched(archive, "smaller.png", {"size": 10})
    job = pool.add(archive)
    assert job.result is not None
    found = reasons(job.result)
    assert found["encrypted.png"] == "encrypted in the archive"
    assert "unsupported zip method 14" in found["packed.png"]
    assert "checksum" in found["crc.png"]
    assert "size" in found["larger.png"]
    assert "size" in found["smaller.png"]
    assert [example.name for example in pool.examples()] == ["good.png"]


def test_never_inflates_a_zip_bomb(tmp_path: Path) -> None:
    bomb = bytes(300 << 20)
    path = tmp_path / "bomb.zip"
    honest = zipped([("bomb.png", bomb)])
    del bomb
    for archive in (honest, patched(honest, "bomb.png", {"size": 5000})):
        path.write_bytes(archive)
        entries = ZipEntries(path)
        (entry,) = entries
        tracemalloc.start()
        content = entries.read(entry)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        entries.close()
        assert isinstance(content, Refused)
        assert peak < 2 << 20


def test_the_directory_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for index in range(20_000):
            archive.writestr(f"cat/{index}.png", b"")
    tracemalloc.start()
    with closing(FolderSource(ZipEntries(path), tmp_path / "work")) as found:
        assert found.total == 20_000
        assert sum(1 for _ in found.items(0)) == 20_000
        assert [item.name for item in found.items(19_999)] == ["cat/19999.png"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_damaged_archive_fails_before_anything_is_added(pool: Pool) -> None:
    whole = zipped((f"{seed}.png", png(seed)) for seed in range(3))
    damaged = bytearray(whole)
    damaged[whole.rindex(b"PK\1\2")] = 0
    for content in (whole[: len(whole) // 2], whole[:-30], b"no archive", bytes(damaged)):
        job = pool.add(content)
        assert job.error is not None
        assert job.error["code"] == "invalid_archive"
        assert pool.storage.upload(job.params["upload"]).exists()
    assert pool.examples() == []


def test_reads_archives_with_bytes_before_them_and_a_comment_behind(tmp_path: Path) -> None:
    stream = io.BytesIO(b"#!/bin/sh\n" * 20)
    stream.seek(0, io.SEEK_END)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.comment = b"made by hand"
        archive.writestr("cat/1.png", b"content")
    moved = b"prefix" + stream.getvalue()
    for content in (stream.getvalue(), moved):
        with source(tmp_path, content) as found:
            (item,) = found.items(0)
            assert item.read() == b"content"


def test_reads_zip64_and_streamed_archives(tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        """Cannot seek, so that sizes follow the data."""

        def __init__(self) -> None:
            self.content = b""

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            piece = bytes(data)  # type: ignore[call-overload]
            self.content += piece
            return len(piece)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for index in range(3):
            with archive.open(f"{index}.png", "w", force_zip64=True) as file:
                file.write(b"content %d" % index)
    with source(tmp_path, pipe.content) as found:
        contents = [item.read() for item in found.items(0)]
    assert contents == [b"content 0", b"content 1", b"content 2"]


def test_reads_more_entries_than_the_old_format_counts(tmp_path: Path) -> None:
    path = tmp_path / "upload.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for index in range(65_600):
            archive.writestr(f"{index}", b"")
    with closing(FolderSource(ZipEntries(path), tmp_path / "work")) as found:
        assert found.total == 65_600
        assert [item.name for item in found.items(65_599)] == ["65599"]


def test_names_in_any_encoding_stay_storable(tmp_path: Path) -> None:
    archive = zipped([("kätzchen/日本.png", b"1"), ("a\x01b.png", b"2")])
    unflagged = patched(archive, "kätzchen/日本.png", {"flags": 0})
    with source(tmp_path, unflagged) as found:
        names = [item.name for item in found.items(0)]
    assert names == ["kätzchen/日本.png", "a\N{REPLACEMENT CHARACTER}b.png"]
