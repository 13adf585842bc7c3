"""A check of labels without a server: what it reads, finds, refuses, and writes."""

import base64
import csv
import gzip
import io
import json
import re
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from core.errors import DomainError
from core.jobs.imports import FolderChoice
from tests.check_cases import COLOURS, coloured, labeled, put, write_table
from tests.workers.box_files import labelme
from tests.workers.import_files import tarred, zipped
from workers.check.__main__ import check, publish
from workers.check.asked import Asked

Rows = list[dict[str, Any]]


def checked(path: Path, tmp_path: Path, **more: Any) -> tuple[dict[str, Any], Rows]:
    """The result of a check, and the rows of its Parquet file."""
    work, out = tmp_path / "work", tmp_path / "out"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    out.mkdir(exist_ok=True)
    asked = Asked(path=path, out=out, stem="it", **more)
    result = check(asked, work)
    publish(work, asked)
    return result, pq.read_table(result["files"]["parquet"]).to_pylist()


def first(rows: Rows, count: int = 6) -> list[str]:
    return [row["file"].rpartition("/")[2] for row in rows[:count]]


def refusal(path: Path, tmp_path: Path, **more: Any) -> DomainError:
    with pytest.raises(DomainError) as caught:
        checked(path, tmp_path, **more)
    return caught.value


def table(files: dict[str, bytes]) -> list[tuple[str, str]]:
    """Name and label of each, as a file beside a flat folder has it."""
    return [(name.rpartition("/")[2], name.partition("/")[0]) for name in files]


def flat(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name.rpartition("/")[2]: content for name, content in files.items()}


def test_wrong_labels_of_a_folder_come_first(tmp_path: Path) -> None:
    folder = put(tmp_path / "colours", labeled())
    result, rows = checked(folder, tmp_path)
    assert sorted(first(rows)) == sorted(f"wrong-{c}-{n}.png" for c in COLOURS for n in (0, 1))
    for row in rows[:6]:
        assert row["listed"]
        assert row["proposed"] == row["file"].split("-")[1]
        assert row["wrong_probability"] > 0.9
    assert not any(row["listed"] for row in rows[6:])
    assert result["judged"] == 60
    assert result["listed"] == 6
    assert result["wrong"]["low"] <= 0.1 <= result["wrong"]["high"]
    assert result["said"][0].startswith("About 6 of 60 labels are wrong (10 %)")
    # The CSV says the same, in the same order.
    with Path(result["files"]["csv"]).open(encoding="utf-8-sig", newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["file"] for row in written] == [row["file"] for row in rows]
    assert [row["rank"] for row in written] == [str(n) for n in range(1, 61)]


def test_the_same_check_writes_the_same_files(tmp_path: Path) -> None:
    folder = put(tmp_path / "colours", labeled(8))
    first_result, _ = checked(folder, tmp_path)
    before = {kind: Path(path).read_bytes() for kind, path in first_result["files"].items()}
    again, _ = checked(folder, tmp_path)
    assert {kind: Path(path).read_bytes() for kind, path in again["files"].items()} == before


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """What is said of a folder."""
    work = tmp_path_factory.mktemp("expected")
    return checked(put(work / "colours", labeled(10, 1)), work)[1]


@pytest.mark.parametrize(
    "kind",
    [
        "zip", "tgz", "cls", "parquet", "csv", "csv.gz", "coco", "labels.parquet", "labelme",
        "metadata",
    ],
)  # fmt: skip
def test_every_form_of_a_data_set_gives_the_same_ranking(
    tmp_path: Path, kind: str, expected: Rows
) -> None:
    files = labeled(10, 1)
    path = written_as(kind, files, tmp_path / "other")
    result, rows = checked(path, tmp_path)
    assert first(rows, 30) == first(expected, 30)
    for name in ("given", "proposed", "wrong_probability", "listed"):
        assert [row[name] for row in rows] == [row[name] for row in expected], name
    assert result["judged"] == 30
    assert {(row["given"], row["proposed"]) for row in rows[:3]} == {
        ("green", "red"), ("blue", "green"), ("red", "blue"),
    }  # fmt: skip
    assert len(rows) == 30


def test_boxes_beside_images_are_not_taken_for_folders_of_classes(tmp_path: Path) -> None:
    files = {"cat/images/1.png": coloured("red", 1), "cat/images/1.txt": b"a cat"}
    boxes = {"cat/labels/1.txt": b"0 0.5 0.5 0.5 0.5"}
    assert refusal(put(tmp_path / "it", files | boxes), tmp_path).code == "boxes_not_judged"


def written_as(kind: str, files: dict[str, bytes], folder: Path) -> Path:
    """The same labeled images in another form."""
    folder.mkdir()
    if kind == "zip":
        path = folder / "colours.zip"
        path.write_bytes(zipped(files.items()))
        return path
    if kind == "cls":
        path = folder / "00000.tar"
        said = table(files)
        path.write_bytes(
            tarred(
                {
                    f"{stem}{ending}": content
                    for (name, label), image in zip(said, files.values(), strict=True)
                    for stem in [name.rpartition(".")[0]]
                    for ending, content in ((".png", image), (".cls", label.encode()))
                }
            )
        )
        return path
    if kind == "tgz":
        path = folder / "colours.tgz"
        path.write_bytes(gzip.compress(tarred(files)))
        return path
    names, labels = zip(*table(files), strict=True)
    if kind == "parquet":
        columns = {"image": list(files.values()), "file_name": names, "label": labels}
        pq.write_table(pa.table(columns), folder / "colours.parquet")
        return folder / "colours.parquet"
    put(folder, flat(files))
    if kind == "labelme":
        for name, label in table(files):
            flags = {one: one == label for one in COLOURS}
            beside = (folder / name).with_suffix(".json")
            beside.write_text(labelme([], name, (16, 16), flags=flags))
        return folder
    if kind == "metadata":
        rows = [{"file_name": name, "label": label} for name, label in table(files)]
        lines = "".join(f"{json.dumps(one)}\n" for one in rows).encode()
        (folder / "metadata.jsonl.gz").write_bytes(gzip.compress(lines))
        return folder
    if kind == "csv":
        return write_table(folder / "labels.csv", ("file", "class_name"), table(files))
    if kind == "csv.gz":
        plain = write_table(folder / "labels.csv", ("file", "class_name"), table(files))
        path = folder / "labels.csv.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        return path
    if kind == "labels.parquet":
        pq.write_table(pa.table({"file": names, "label": labels}), folder / kind)
        return folder / kind
    return write_coco(folder / "instances.json", table(files))


def write_coco(path: Path, said: Sequence[tuple[str, str]]) -> Path:
    """A document that says of files what they are; twice of those with two labels."""
    numbers = {label: number for number, label in enumerate(sorted(COLOURS), 7)}
    ids = {name: number for number, name in enumerate(dict.fromkeys(name for name, _ in said))}
    document = {
        "images": [{"id": number, "file_name": name} for name, number in ids.items()],
        "categories": [{"id": number, "name": label} for label, number in numbers.items()],
        "annotations": [
            {"id": n, "image_id": ids[name], "category_id": numbers[label], "bbox": [0, 0, 16, 16]}
            for n, (name, label) in enumerate(said)
        ],
    }
    path.write_text(json.dumps(document))
    return path


def test_images_may_lie_elsewhere_and_the_column_have_any_name(tmp_path: Path) -> None:
    files = labeled(10, 1)
    images = tmp_path / "images.zip"
    images.write_bytes(zipped(flat(files).items()))
    path = write_table(tmp_path / "labels.csv", ("file", "what is it"), table(files))
    error = refusal(path, tmp_path, images=images)
    assert error.code == "invalid_column"
    assert "label_column" in error.detail
    assert "what is it" in error.detail
    _, rows = checked(path, tmp_path, images=images, label_column="what is it")
    assert all(name.startswith("wrong") for name in first(rows, 3))


def test_labels_of_images_that_lie_elsewhere_are_refused_before_any_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = labeled(10, 1)
    put(tmp_path / "beside", {"another.png": coloured("red", 1)})
    rows = [(f"photos/{name}", label) for name, label in table(files)]
    path = write_table(tmp_path / "beside" / "labels.csv", ("file", "label"), rows)
    error = refusal(path, tmp_path)
    assert error.code == "not_labeled"
    assert f"None of the {len(rows)} rows of labels.csv names an image of" in error.detail
    assert repr(rows[0][0]) in error.detail
    assert "--images" in error.detail
    assert "images" not in {
        json.loads(line)["phase"] for line in capsys.readouterr().out.split("\n") if line
    }
    put(tmp_path / "elsewhere" / "photos", flat(files))
    result, _ = checked(path, tmp_path, images=tmp_path / "elsewhere")
    assert result["judged"] == len(rows)


def test_folders_of_a_split_are_checked_as_one(tmp_path: Path) -> None:
    files = {
        f"{'test' if place % 3 == 0 else 'train'}/{name}": content
        for place, (name, content) in enumerate(labeled().items())
    }
    result, rows = checked(put(tmp_path / "colours", files), tmp_path)
    assert result["classes"] == sorted(COLOURS)
    assert all(name.startswith("wrong") for name in first(rows))
    assert {row["file"].partition("/")[0] for row in rows} == {"train", "test"}


def test_one_class_is_refused_by_name(tmp_path: Path) -> None:
    folder = put(tmp_path / "one", {f"red/{n}.png": coloured("red", n) for n in range(5)})
    error = refusal(folder, tmp_path)
    assert error.code == "one_class"
    assert "All 5 labels are the same, 'red'" in error.detail


@pytest.mark.parametrize("beside", ["Annotations/0.xml", "labels/0.txt", "annotations.xml"])
def test_boxes_beside_images_are_refused_and_no_folder_is_taken_for_a_label(
    tmp_path: Path, beside: str
) -> None:
    files = {f"JPEGImages/{n}.png": coloured("red", n) for n in range(5)}
    folder = put(tmp_path / "boxes", {**files, beside: b"0 0.5 0.5 0.1 0.1"})
    error = refusal(folder, tmp_path)
    assert error.code == "boxes_not_judged"
    assert f"{beside} holds boxes, which it does not read" in error.detail


def test_all_labels_equal_in_a_table_is_refused(tmp_path: Path) -> None:
    files = labeled(4, 0)
    put(tmp_path, flat(files))
    rows = [(name, "bird") for name, _ in table(files)]
    error = refusal(write_table(tmp_path / "labels.csv", ("file", "label"), rows), tmp_path)
    assert error.code == "one_class"
    assert "'bird'" in error.detail


def test_a_class_for_each_image_is_refused_as_the_wrong_column(tmp_path: Path) -> None:
    files = labeled(5, 0)
    put(tmp_path, flat(files))
    rows = [(name, name) for name, _ in table(files)]
    error = refusal(write_table(tmp_path / "labels.csv", ("file", "label"), rows), tmp_path)
    assert error.code == "too_few"
    assert "15 classes has a single image" in error.detail


def test_a_class_of_one_image_is_named_and_costs_no_other(tmp_path: Path) -> None:
    files = {**labeled(), "rde/slip.png": coloured("red", 77)}
    result, rows = checked(put(tmp_path / "colours", files), tmp_path)
    assert result["single_image_classes"] == ["rde"]
    assert any("single image" in line and "rde" in line for line in result["aside"])
    assert all(name.startswith("wrong") for name in first(rows))
    (row,) = (row for row in rows if row["file"] == "rde/slip.png")
    assert row["rank"] is None
    assert "only image of its class" in row["note"]


def test_images_without_a_label_are_named_and_left_out(tmp_path: Path) -> None:
    files = labeled()
    names = table(files)
    unlabeled = names[10][0]
    folder = put(tmp_path / "images", {**flat(files), "nobody.png": coloured("red", 999)})
    rows = [(name, "" if name == unlabeled else label) for name, label in names]
    path = write_table(folder / "labels.csv", ("file", "label"), rows)
    result, found = checked(path, tmp_path)
    assert result["unlabeled"] == 2
    assert {row["file"] for row in found if row["note"] == "it has no label"} == {
        "nobody.png",
        unlabeled,
    }
    assert all(name.startswith("wrong") for name in first(found))


def test_nothing_labeled_is_refused(tmp_path: Path) -> None:
    error = refusal(put(tmp_path / "flat", flat(labeled(3, 0))), tmp_path)
    assert error.code == "not_labeled"
    assert "folder for each class" in error.detail


def test_no_image_is_refused_with_the_reason(tmp_path: Path) -> None:
    folder = put(tmp_path / "texts", {"a/1.png": b"no image", "b/2.png": b"nor this"})
    error = refusal(folder, tmp_path)
    assert error.code == "no_images"
    assert "not an image" in error.detail


def test_copies_count_once_and_those_with_two_labels_are_certain(tmp_path: Path) -> None:
    files = labeled()
    right = "green/right-green-5.png"
    files["blue/copy.png"] = files[right]
    files["green/again.png"] = files["green/right-green-6.png"]
    result, rows = checked(put(tmp_path / "colours", files), tmp_path)
    assert result["contradicted"] == 1
    assert result["duplicates"] == 2
    by_file = {row["file"]: row for row in rows}
    copy, original = by_file["blue/copy.png"], by_file[right]
    assert copy["other_labels"] == "green"
    assert original["other_labels"] == "blue"
    # Which of the two is wrong is told by the others, none of which has seen them.
    assert copy["wrong_probability"] > 0.9 > 0.1 > original["wrong_probability"]
    assert copy["proposed"] == "green" != original["proposed"]
    # What is certain is part of what is estimated, and all of it is what the table says.
    said = {(row["same_image_as"] or row["file"], row["given"]): row for row in rows}.values()
    counted = sum(row["wrong_probability"] for row in said)
    assert result["wrong"]["rate"] * 61 == pytest.approx(counted, abs=1e-3)
    assert by_file["green/right-green-6.png"]["same_image_as"] == "green/again.png"
    assert result["judged"] == 61
    page = Path(result["files"]["html"]).read_text()
    assert "The same picture with several labels" in page


def test_no_fewer_are_wrong_than_is_certain(tmp_path: Path) -> None:
    files = labeled(12, 0)
    for number in range(8):
        files[f"blue/{number}.png"] = files[f"red/right-red-{number}.png"]
        files[f"green/{number}.png"] = files[f"red/right-red-{number}.png"]
    # By most, each label is doubtful; none is to be replaced by itself.
    result, rows = checked(put(tmp_path / "colours", files), tmp_path, share=0.05)
    assert result["contradicted"] == 8
    assert result["judged"] == 36 + 16
    assert result["wrong"]["low"] * result["judged"] >= 16 - 1e-6
    assert result["wrong"]["low"] <= result["wrong"]["rate"] <= result["wrong"]["high"]
    assert all(row["given"] != row["proposed"] for row in rows)


def test_a_class_that_only_images_with_other_labels_have_is_no_slip_of_the_pen(
    tmp_path: Path,
) -> None:
    files = labeled(8, 0)
    for number in (2, 3):
        files[f"teal/{number}.png"] = files[f"blue/right-blue-{number}.png"]
    result, rows = checked(put(tmp_path / "colours", files), tmp_path)
    assert result["single_image_classes"] == []
    (said,) = (line for line in result["aside"] if "teal" in line)
    assert said.startswith("1 class not judged, as fewer than two images have that label and no")
    assert {row["note"] for row in rows if row["given"] == "teal"} == {
        "fewer than two images have this label and no other"
    }


def test_what_more_annotators_say_weighs_more(tmp_path: Path) -> None:
    votes = {"once": ["green", "red"], "twice": ["green", "green", "red"]}
    files = labeled(8, 0)
    lines = [
        {"file_name": name, "votes": [{"annotator": "first", "class": label}]}
        for name, label in table(files)
    ]
    grey = np.full((16, 16, 3), 128, dtype=np.uint8)
    wrong = {}
    for name, said in votes.items():
        stream = io.BytesIO()
        Image.fromarray(grey).save(stream, "PNG")
        folder = put(tmp_path / name, {**flat(files), "grey.png": stream.getvalue()})
        stated = [{"annotator": str(n), "class": label} for n, label in enumerate(said)]
        told = [*lines, {"file_name": "grey.png", "votes": stated}]
        (folder / "metadata.jsonl").write_text("\n".join(map(json.dumps, told)))
        result, rows = checked(folder, tmp_path)
        assert result["contradicted"] == 1
        page = Path(result["files"]["html"]).read_text()
        assert "One picture has several labels" in page
        wrong[name] = {
            row["given"]: row["wrong_probability"] for row in rows if row["file"] == "grey.png"
        }
    assert wrong["twice"]["red"] > wrong["once"]["red"]
    assert wrong["twice"]["green"] < wrong["once"]["green"]


def test_pictures_of_one_name_are_not_taken_for_each_other(tmp_path: Path) -> None:
    files = labeled(10, 1)
    labels = [label for _, label in table(files)]
    # As in files of Hugging Face: each split numbers its images from 0.
    names = [f"{name.rpartition('-')[2]}" for name in files]
    path = tmp_path / "colours.parquet"
    columns = {"image": list(files.values()), "file_name": names, "label": labels}
    pq.write_table(pa.table(columns), path)
    result, rows = checked(path, tmp_path)
    assert {row["file"] for row in rows[:3]} == {"0.png"}
    page = Path(result["files"]["html"]).read_text()
    shown = [base64.b64decode(one) for one in re.findall(r"data:image/webp;base64,([^\"]+)", page)]
    means = [np.asarray(Image.open(io.BytesIO(one)).convert("RGB")).mean((0, 1)) for one in shown]
    # Every picture of the list is of the colour that is proposed, red, green or blue.
    main = [("red", "green", "blue")[int(mean.argmax())] for mean in means]
    assert main == [row["proposed"] for row in rows[:3]]


def test_only_the_named_file_says_what_images_are(tmp_path: Path) -> None:
    files = labeled(10, 1)
    folder = put(tmp_path / "images", flat(files))
    path = write_coco(folder / "val.json", table(files))
    before, expected = checked(path, tmp_path)
    write_coco(folder / "train.json", [(name, "blue") for name, _ in table(files)])
    write_table(folder / "metadata.csv", ("file_name", "label"), [("nowhere.png", "teal")])
    write_table(folder / "other.csv", ("file", "label"), [("nowhere.png", "teal")])
    after, found = checked(path, tmp_path)
    assert found == expected
    assert after == before


def test_why_a_label_is_not_taken_is_told(tmp_path: Path) -> None:
    files = labeled(10, 1)
    folder = put(tmp_path / "images", flat(files))
    twice = table(files)[5][0]
    write_coco(folder / "all.json", [*table(files), (twice, "red"), (twice, "blue")])
    result, _ = checked(folder, tmp_path)
    (line,) = (line for line in result["aside"] if "a label is not taken" in line)
    assert line.startswith("Of 1 file: a label is not taken: ")
    assert "red" in line
    assert "blue" in line
    assert escape(line) in Path(result["files"]["html"]).read_text()


def test_reports_are_no_part_of_what_is_checked(tmp_path: Path) -> None:
    folder = put(tmp_path / "colours", labeled(8, 1))
    asked = Asked(path=folder, out=folder, stem="colours-check")
    found = []
    for number in range(2):
        work = tmp_path / f"work-{number}"
        work.mkdir()
        check(asked, work)
        publish(work, asked)
        found.append({kind: path.read_bytes() for kind, path in asked.reports().items()})
    assert found[0] == found[1]


def test_reports_are_written_all_or_none(tmp_path: Path) -> None:
    folder = put(tmp_path / "colours", labeled(4, 0))
    (tmp_path / "out" / "it.parquet").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        checked(folder, tmp_path)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["it.parquet"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("folder", "images"),
        ("folder", "key_column"),
        ("zip", "image_column"),
        ("parquet", "images"),
        ("parquet", "key_column"),
        ("csv", "image_column"),
        ("coco", "label_column"),
        ("coco", "key_column"),
    ],
)
def test_an_option_that_means_nothing_is_refused(tmp_path: Path, kind: str, name: str) -> None:
    files = labeled(2, 0)
    other = tmp_path / "other"
    path = put(other, files) if kind == "folder" else written_as(kind, files, other)
    error = refusal(path, tmp_path, **{name: tmp_path if name == "images" else "label"})
    assert error.code == "idle_parameter"
    assert error.field == name
    assert name in error.detail


def test_nothing_speaks_of_imports_or_projects(tmp_path: Path) -> None:
    files = labeled(8, 0)
    folder = put(tmp_path / "images", flat(files))
    rows = [*table(files), ("nowhere.png", "red")]
    for path in (
        write_table(folder / "labels.csv", ("file", "label"), rows),
        write_coco(folder / "all.json", rows),
    ):
        result, _ = checked(path, tmp_path)
        (said,) = (line for line in result["aside"] if "not read" in line)
        assert "nowhere.png" in said
        assert "import" not in said
        assert "project" not in said


def test_images_of_no_class_are_found_where_some_are_known(tmp_path: Path) -> None:
    files = {name: content for name, content in labeled().items() if "wrong" not in name}
    for number in range(14):
        blue = f"blue/right-blue-{number + 2}.png"
        files[f"ood/{number}.png"] = files.pop(blue)
    # What is left of the blue ones is called red.
    for name in [name for name in files if name.startswith("blue/")]:
        files[name.replace("blue/right", "red/wrong")] = files.pop(name)
    _, rows = checked(put(tmp_path / "colours", files), tmp_path)
    named = {row["file"]: row["proposed"] for row in rows if row["listed"]}
    assert named
    assert all(name.startswith("red/wrong") for name in named)
    assert set(named.values()) == {"ood"}


def test_a_folder_that_may_be_a_split_is_left_out_unless_it_is_said_what_it_is(
    tmp_path: Path,
) -> None:
    files = {**labeled(), **{f"test/{n}.png": coloured("red", 500 + n) for n in range(4)}}
    folder = put(tmp_path / "colours", files)
    result, rows = checked(folder, tmp_path)
    assert result["left_out"] == 4
    assert len(rows) == 60
    _, rows = checked(folder, tmp_path, folder_split={"test": FolderChoice.CLASS})
    assert {row["given"] for row in rows} == {*COLOURS, "test"}


def test_whatever_names_hold_the_page_shows_it_as_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>&\"'"
    files = labeled(10, 1)
    folder = put(tmp_path / "images", flat(files))
    rows = [(name, hostile if label == "red" else label) for name, label in table(files)]
    path = write_table(folder / "labels.csv", ("file", "label"), rows)
    result, found = checked(path, tmp_path)
    page = Path(result["files"]["html"]).read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert hostile in {row["given"] for row in found}


def test_a_formula_in_a_label_is_text_to_spreadsheets(tmp_path: Path) -> None:
    files = labeled(6, 0)
    folder = put(tmp_path / "images", flat(files))
    rows = [(name, "=1+1" if label == "red" else label) for name, label in table(files)]
    path = write_table(folder / "labels.csv", ("file", "label"), rows)
    result, found = checked(path, tmp_path)
    assert "'=1+1" in Path(result["files"]["csv"]).read_text()
    assert "=1+1" in {row["given"] for row in found}


def test_the_page_is_bounded(tmp_path: Path) -> None:
    folder = put(tmp_path / "colours", labeled())
    result, _ = checked(folder, tmp_path, shown=2)
    page = Path(result["files"]["html"]).read_text()
    assert "The first 2 of 6." in page
    assert page.count("data:image/webp") == 2


def test_a_disk_without_room_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    error = refusal(put(tmp_path / "colours", labeled(3)), tmp_path)
    assert error.code == "disk_full"
    assert "TMPDIR" in error.detail
    assert not (tmp_path / "work" / "pixels").exists()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    picture = tmp_path / "one.png"
    picture.write_bytes(coloured("red", 0))
    assert refusal(picture, tmp_path).code == "not_labeled"
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 nothing")
    assert refusal(broken, tmp_path).code == "invalid_archive"


def test_a_folder_that_is_to_be_left_out_is(tmp_path: Path) -> None:
    files = {
        f"{'test' if place % 3 == 0 else 'train'}/{name}": content
        for place, (name, content) in enumerate(labeled(6, 0).items())
    }
    folder = put(tmp_path / "colours", files)
    choice = {"test": FolderChoice.LEAVE_OUT}
    result, rows = checked(folder, tmp_path, folder_split=choice)
    assert {row["file"].partition("/")[0] for row in rows} == {"train"}
    assert result["left_out"] == 6
    assert "6 files are left out: test was to be left out." in result["aside"]
