"""Files beside images, under their names, as crawlers and loaders of data sets write them."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.states import ExampleState, Split
from tests.workers.import_files import Pool, png, reasons, tarred, zipped
from workers.imports.formats.archives.tar_entries import TarEntries
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.sidecars import Sidecars


def crawled(count: int = 4) -> dict[str, bytes]:
    """As img2dataset packs a shard."""
    files: dict[str, bytes] = {}
    for number in range(count):
        key = f"00000{number:04d}"
        about = {"caption": f"A cat, {number}", "url": f"https://host.example/{number}.png",
                 "status": "success", "width": 12, "exif": "{}", "error_message": None,
                 "similarity": float("nan"), "sha256": "0" * 64, "\ud800": 1}  # fmt: skip
        files[f"{key}.png"] = png(number)
        files[f"{key}.txt"] = f"A cat, {number}\n".encode()
        files[f"{key}.json"] = json.dumps(about).encode()
    return files


def test_what_was_crawled_keeps_where_it_is_from(pool: Pool) -> None:
    job = pool.add(tarred(crawled()), "00000.tar")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["refused"]) == (4, 0)
    for number, example in enumerate(pool.examples()):
        assert example.meta["url"] == f"https://host.example/{number}.png"
        assert example.meta["caption"] == f"A cat, {number}"
        assert example.meta["width"] == 12
        # Of what was downloaded, before it was made smaller.
        assert example.meta["original_sha256"] == "0" * 64
        assert "similarity" not in example.meta


def test_what_was_crawled_is_labeled_and_evaluated_on(pool: Pool) -> None:
    files = crawled()
    for number, name in enumerate([one for one in files if one.endswith(".png")]):
        files[f"{name[:-4]}.cls"] = (b"cat", b"dog")[number % 2]
    job = pool.add(tarred(files), "00000.tar", split=Split.EVALUATION)
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["refused"]) == (4, 0)


@pytest.mark.parametrize("packed", [tarred, lambda files: zipped(files.items())])
@pytest.mark.parametrize("written", [("cat", "dog"), ("0", "1"), ("0\n", "1\n")])
def test_classes_beside_images_are_labels(
    pool: Pool, packed: object, written: tuple[str, str]
) -> None:
    files: dict[str, bytes] = {}
    for number in range(4):
        files[f"train/{number}.png"] = png(number)
        files[f"train/{number}.cls"] = written[number % 2].encode()
    assert callable(packed)
    name = "a.tar" if packed is tarred else "a.zip"
    job = pool.add(packed(files), name, annotations=["label"])
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["annotations"], job.result["refused"]) == (4, 4, 0)
    assert {one.state for one in pool.examples()} == {ExampleState.LABELED}


def test_what_cannot_be_read_costs_its_image_nothing(pool: Pool) -> None:
    files = {
        "1.png": png(1), "1.json": b"{", "2.png": png(2), "2.json": b"[1]", "3.png": png(3),
        "3.txt": b"\xff\xfe\xff", "4.png": png(4), "4.json": b"{" + b" " * (1 << 20) + b"}",
    }  # fmt: skip
    job = pool.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert job.result["added"] == 4
    said = reasons(job.result)
    assert said.keys() == {"1.json", "2.json", "3.txt", "4.json"}
    assert "no JSON object" in said["2.json"]
    assert "larger than 1 MiB" in said["4.json"]


def test_a_document_of_another_tool_stays_one(pool: Pool) -> None:
    coco = {
        "images": [{"id": 1, "file_name": "all.png"}, {"id": 2, "file_name": "2.png"}],
        "categories": [{"id": 5, "name": "cat"}],
        "annotations": [{"id": n, "image_id": n, "category_id": 5} for n in (1, 2)],
    }
    files = {"all.png": png(1), "all.json": json.dumps(coco).encode(), "2.png": png(2)}
    job = pool.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert (job.result["annotations"], job.result["refused"]) == (2, 0)


def test_of_a_document_for_each_image_none_is_taken_for_a_note(pool: Pool) -> None:
    files: dict[str, bytes] = {}
    for number in range(103):
        coco = {
            "images": [{"id": 1, "file_name": f"{number}.png"}],
            "categories": [{"id": 5, "name": "cat"}],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 5}],
            "note": "scalar",
        }
        files |= {f"{number}.png": png(number), f"{number}.json": json.dumps(coco).encode()}
    job = pool.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert (job.result["annotations"], job.result["refused"]) == (100, 3)
    assert all("more than 100 documents" in why for why in reasons(job.result).values())


def test_the_plan_counts_them_as_one(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tarred(crawled(3)))
    source = FolderSource(TarEntries(path), tmp_path / "work", sidecars=True)
    with closing(source):
        assert source.total == 3
        assert [one[1] for one in source.documents] == ["WebDataset"]
        assert source.documents[0][0] == "6 × .json, .txt"


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "x/a", "a.b"]), st.sampled_from(
            [".png", ".jpg", ".txt", ".cls", ".json", ".csv", ""])),
        unique=True, max_size=30,
    )
)  # fmt: skip
def test_whatever_their_order_they_are_of_the_one_image_called_like_them(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, str]]
) -> None:
    files = [(stem + ending, None) for stem, ending in parts]
    with closing(Sidecars(tmp_path_factory.mktemp("it") / "index", lambda: files)) as found:
        for stem, ending in parts:
            images = [other for other, kind in parts if other == stem and kind in (".png", ".jpg")]
            is_beside = ending in (".txt", ".cls", ".json") and len(images) == 1
            assert (stem + ending in found) is is_beside
