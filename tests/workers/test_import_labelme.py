"""Files of LabelMe: the boxes that they draw, and the flag that is the class of their image."""

import base64
import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.states import ExampleState
from tests.workers.box_files import BoxPool, coco, image, labelme, packed, shape
from tests.workers.import_files import Pool, png, reasons, tarred, zipped
from workers.imports.formats.archives.zip_entries import ZipEntries
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.labelme import WithoutPictures

BOX = shape("rectangle", [10, 20], [30, 44])
LIES = ("cat", 10, 20, 20, 24)


DRAWN: dict[str, tuple[list[dict[str, Any]], list[tuple[Any, ...]], str]] = {
    "a box": ([BOX], [LIES], ""),
    "a box by any corners": ([shape("rectangle", [30, 20], [10, 44])], [LIES], ""),
    "to the digit": (
        [shape("rectangle", [30.75, 44.125], [10.25, 20.5], label="dog")],
        [("dog", 10.25, 20.5, 20.5, 23.625)],
        "",
    ),
    "four corners": (
        [shape("rectangle", [10, 20], [30, 20], [30, 44], [10, 44])], [LIES], "",
    ),
    "an outline": (
        [shape("polygon", [10, 20.5], [30, 21], [25, 44])],
        [("cat", 10, 20.5, 20, 23.5)],
        "drawn around an outline",
    ),
    "an outline of an older version": (
        [shape(None, [10, 20], [30, 21], [25, 44])], [LIES], "drawn around an outline",
    ),
    "a circle": (
        [shape("circle", [30, 24], [36, 32])], [("cat", 20, 14, 20, 20)], "drawn around an outline",
    ),
    "a mask": ([shape("mask", [10, 20], [30, 44], mask="iVBOR")], [LIES], "around an outline"),
    "parts of one thing": (
        [
            shape("polygon", [10, 20], [14, 20], [14, 44], group_id=1),
            BOX,
            shape("polygon", [20, 30], [30, 30], [30, 31], group_id=1),
            shape("polygon", [1, 2], [3, 2], [3, 5], group_id=2),
        ],
        [LIES, LIES, ("cat", 1, 2, 2, 3)],
        "drawn around an outline",
    ),
    "beside points and lines": (
        [shape("point", [1, 1]), BOX, shape("line", [1, 1], [9, 9]), shape("linestrip", [1, 1])],
        [LIES],
        "points and lines are left aside",
    ),
    "beside what else is said": (
        [shape("rectangle", [10, 20], [30, 44], description="z" * 1001)], [LIES],
        "too long or too many, are left aside",
    ),
    "nothing": ([], [], ""),
}  # fmt: skip


def test_shapes_become_the_boxes_that_they_are_or_those_around_them(boxes: BoxPool) -> None:
    files: dict[str, bytes | str] = {}
    for seed, (name, (shapes, _, _)) in enumerate(DRAWN.items()):
        files |= {f"{name}/a.jpg": image(seed), f"{name}/a.json": labelme(shapes)}
    result = boxes.send(files)
    assert (result["added"], result["refused"], result["annotations"]) == (len(DRAWN), 0, 12)
    assert boxes.sides() == {f"{name}/a.jpg": lies for name, (_, lies, _) in DRAWN.items()}
    why = boxes.why()
    for name, (_, _, note) in DRAWN.items():
        assert note in why.get(f"{name}/a.jpg", ""), name
        assert bool(note) is (f"{name}/a.jpg" in why)
    given = [one.given for one in boxes.labels()["to the digit/a.jpg"].boxes]
    assert [one and one.values for one in given] == [("10.25", "20.5", "30.75", "44.125")]
    assert {one.source_name for one in boxes.votes()} == {"LabelMe"}


WRONG: list[tuple[list[dict[str, Any]], str]] = [
    ([BOX, shape("rectangle", [5, 5], [5, 9])], "a.json: box 2 has no width"),
    ([shape("rectangle", [5, 5])], "box 1 is a rectangle that encloses nothing"),
    ([shape("rectangle", [5, 5], ["6", 7])], "box 1 has points that are no pairs of numbers"),
    ([shape("rectangle", [9, 5], [14, 10], [9, 15], [4, 10])], "box 1 is turned, and boxes here"),
    ([shape("rotation", [9, 5], [14, 10], [9, 15], [4, 10])], "box 1 is turned, and boxes here"),
    ([shape("polygon", [5, 5], [9, 9])], "box 1 is a polygon that encloses nothing"),
    ([shape("circle", [5, 5], [5, 5])], "box 1 is a circle that encloses nothing"),
    ([shape("cuboid", [5, 5], [9, 9])], "box 1 is a cuboid and no box"),
    ([shape("point", [5, 5]), shape("line", [1, 1], [9, 9])], "a.json: has no boxes but point, li"),
    ([shape("rectangle", [5, 5], [9, 9], label=" ")], "box 1 has no label"),
    ([shape("rectangle", [5, 5], [9, 9], label="cow")], "'cow', which is not a class"),
    ([shape("rectangle", [5, 5], [9, 9], score=0.9)], "box 1 has a score: it is what a model pre"),
    ([shape("rectangle", [70, 5], [90, 9])], "box 1 lies outside the image of 64 × 48 pixels"),
    ([*[BOX] * 10_001], "more than 10,000 boxes on one image"),
]


def test_what_is_no_box_is_named_and_costs_the_label_and_not_the_image(boxes: BoxPool) -> None:
    files: dict[str, bytes | str] = {}
    for number, (shapes, _) in enumerate(WRONG):
        files |= {f"{number}/a.jpg": image(number), f"{number}/a.json": labelme(shapes)}
    result = boxes.send(files)
    assert (result["added"], result["annotations"]) == (len(WRONG), 0)
    why = boxes.why()
    for number, (_, reason) in enumerate(WRONG):
        assert reason in why[f"{number}/a.jpg"]


def test_flags_come_along_and_sizes_must_agree(boxes: BoxPool) -> None:
    flagged = shape("rectangle", [1, 2], [4, 6], flags={"occluded": True, "truncated": False})
    upright = shape("rectangle", [10, 20], [30, 44])
    files: dict[str, bytes | str] = {
        "a.jpg": image(1), "a.json": labelme([flagged]),
        "b.jpg": image(2), "b.json": labelme([BOX], "b.jpg", (640, 480)),
        # As it is shown, which is how LabelMe opens it.
        "c.jpg": image(3, 6), "c.json": labelme([upright], "c.jpg", (48, 64)),
    }  # fmt: skip
    boxes.send(files)
    labels, why = boxes.labels(), boxes.why()
    (box,) = labels["a.jpg"].boxes
    assert (box.occluded, box.truncated) == (True, False)
    assert "says that the image has 640 × 480 pixels, and it has 64 × 48" in why["b.jpg"]
    assert boxes.sides()["c.jpg"] == [LIES]
    assert why.keys() == {"b.jpg"}


def test_pictures_in_the_files_are_passed_by(boxes: BoxPool) -> None:
    # More than one element of a document may take, as photographs in PNG do.
    picture = base64.b64encode(bytes(18 << 20)).decode()
    small = base64.b64encode(image(2)).decode()
    first = {"imageData": picture, **json.loads(labelme([BOX], "c.jpg"))} | {"imageData": picture}
    result = boxes.send(
        {
            "a.jpg": image(1), "a.json": labelme([BOX], data=picture),
            "b.jpg": image(2), "b.json": labelme([BOX], "b.jpg", data=small),
            # As programs write them that sort members.
            "c.jpg": image(3), "c.json": json.dumps(first, sort_keys=True),
        }
    )  # fmt: skip
    assert boxes.sides() == {"a.jpg": [LIES], "b.jpg": [LIES], "c.jpg": [LIES]}
    assert (result["added"], result["refused"]) == (3, 0)


def test_only_what_is_nothing_but_base64_is_cut_out() -> None:
    content = b'{"label": "cat", "imageData": "' + b"QUJD" * 100_000 + b'", "flags": {}}'
    whole = WithoutPictures(io.BytesIO(content))
    kept = b"".join(iter(lambda: whole.read(1 << 16), b""))
    assert len(kept) < 3 << 16
    found = json.loads(kept)
    assert found.pop("imageData").strip("QUJD") == ""
    assert found == {"label": "cat", "flags": {}}
    # Where little is asked for, words may be the whole of a block.
    words = WithoutPictures(io.BytesIO(b'{"label":"caterpillar"}'))
    assert b"".join(iter(lambda: words.read(4), b"")) == b'{"label":"caterpillar"}'


def test_images_are_found_beside_their_files_or_where_these_say(boxes: BoxPool) -> None:
    def file(x: int, path: str) -> str:
        return labelme([shape("rectangle", [x, 0], [x + 1, 1])], path)

    files: dict[str, bytes | str] = {
        # Renamed together, and the file was not told.
        "a/new.jpg": image(1), "a/new.json": file(1, "old.jpg"),
        "a/old.jpg": image(2), "a/old.json": file(2, "old.jpg"),
        # Below another folder, as LabelMe writes them with --output, on Windows too.
        "images/b.jpg": image(3), "said/b.json": file(3, "..\\images\\b.jpg"),
        "images/c/d.jpg": image(4), "said/c/d.json": file(4, "../../images/c/d.jpg"),
        "other/c/d.jpg": image(5),
        # Of another machine.
        "images/e.jpg": image(6), "said/e.json": file(6, "C:\\Users\\me\\photos\\e.jpg"),
        # Two that are called like it.
        "f/g.jpg": image(7), "f/g.png": image(8, kind="PNG"), "f/g.json": file(7, "g.png"),
        # It says nothing of where.
        "h/i.png": image(9, kind="PNG"), "h/i.json": file(8, ""),
    }  # fmt: skip
    boxes.send(files)
    assert {name: sides[0][1] for name, sides in boxes.sides().items()} == {
        "a/new.jpg": 1, "a/old.jpg": 2, "images/b.jpg": 3, "images/c/d.jpg": 4, "images/e.jpg": 6,
        "f/g.png": 7, "h/i.png": 8,
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/", "\\", "//", "C:/", "C:\\", "..", "../..", ".", "  "])
def test_a_path_that_names_nothing_is_none(boxes: BoxPool, path: str) -> None:
    files: dict[str, bytes | str] = {
        "a/b.jpg": image(1), "a/b.json": labelme([BOX], path),
        "lost/c.json": labelme([BOX], path),
    }  # fmt: skip
    result = boxes.send(files)
    assert (result["added"], result["annotations"]) == (1, 1)
    assert boxes.sides() == {"a/b.jpg": [LIES]}
    # By itself it can only be found by what it is called.
    assert boxes.result(boxes.add(labelme([], path).encode(), "b.json"))["labeled"] == 1
    assert boxes.sides() == {"a/b.jpg": []}


def test_an_image_of_that_name_in_another_folder_is_another(boxes: BoxPool) -> None:
    boxes.send({"camA/1.jpg": image(1)})
    boxes.send({"camB/1.json": labelme([BOX], "1.jpg")})
    boxes.send({
        "images/val/2.jpg": image(2),
        "said/train/2.json": labelme([BOX], "../../images/train/2.jpg"),
        "images/train/3.jpg": image(3),
        "images/train/2.json": labelme([BOX], "2.jpg"),
    })  # fmt: skip
    assert boxes.sides() == {}


def test_a_file_without_shapes_is_none_of_its(boxes: BoxPool) -> None:
    said = {"imagePath": "a.jpg", "imageHeight": 48, "imageWidth": 64, "objects": [{"x": 1}]}
    result = boxes.send({"a.jpg": image(1), "a.json": json.dumps(said)})
    assert (result["added"], result["annotations"]) == (1, 0)
    # Members in another order, and none after the shapes.
    other: dict[str, Any] = {
        "imageData": None,
        "imageHeight": 48,
        "imagePath": "b.jpg",
        "shapes": [],
    }
    result = boxes.send({"b.jpg": image(2), "b.json": json.dumps(other)})
    assert (result["added"], result["annotations"]) == (1, 1)


def test_what_is_said_beside_an_image_without_shapes_is_kept(pool: Pool) -> None:
    said = {"imagePath": "1.png", "imageHeight": 8, "flags": {"nsfw": False}, "url": "u"}
    job = pool.add(tarred({"1.png": png(1), "1.json": json.dumps(said).encode()}), "a.tar")
    assert job.result is not None, job.error
    (found,) = pool.examples()
    assert found.meta["url"] == "u"


def test_files_of_images_that_are_there_already_draw_on_them(boxes: BoxPool) -> None:
    boxes.send({"set/a.jpg": image(1), "set/b.jpg": image(2)})
    result = boxes.send({"a.json": labelme([BOX]), "b.json": labelme([], "b.jpg")})
    assert (result["labeled"], result["refused"]) == (2, 0)
    assert boxes.sides() == {"set/a.jpg": [LIES], "set/b.jpg": []}
    # One by itself.
    again = labelme([shape("rectangle", [1, 2], [3, 5])], "b.jpg").encode()
    assert boxes.result(boxes.add(again, "b.json"))["labeled"] == 1
    assert boxes.sides()["set/b.jpg"] == [("cat", 1, 2, 2, 3)]


def test_there_may_be_as_many_as_images_beside_documents_of_others(boxes: BoxPool) -> None:
    files: dict[str, bytes | str] = {}
    for number in range(120):
        files |= {f"{number}.png": image(number, kind="PNG")}
        files |= {f"{number}.json": labelme([BOX], f"{number}.png")}
    files |= {"coco/a.jpg": image(500), "coco/x.json": coco([{"bbox": [1, 2, 3, 4]}])}
    plan = boxes.result(boxes.add(packed(files), "pool.zip", dry_run=True))
    assert plan["by_split"]["pool"] == 121
    assert {one["format"] for one in plan["documents"]} == {"LabelMe", "COCO"}
    assert {one["column"]: one["readable"] for one in plan["labels"]} == {"LabelMe": 120, "COCO": 1}
    result = boxes.send(files)
    assert (result["added"], result["annotations"], result["refused"]) == (121, 121, 0)


def test_what_is_broken_is_named_and_costs_its_image_nothing(boxes: BoxPool) -> None:
    files: dict[str, bytes | str] = {"a.jpg": image(1), "a.json": labelme([BOX])[:-9]}
    result = boxes.send(files)
    assert (result["added"], result["annotations"]) == (1, 0)
    assert "a.json ends early" in boxes.why()["a.json"]


FLAGS = {"cat": False, "dog": False}


def test_the_one_flag_that_is_set_is_the_class_of_an_image(pool: Pool) -> None:
    files = {
        "1.png": png(1), "1.json": labelme([], "1.png", flags=FLAGS | {"cat": True}).encode(),
        "2.png": png(2), "2.json": labelme([BOX], "2.png", flags=FLAGS | {"dog": True}).encode(),
        "3.png": png(3), "3.json": labelme([], "3.png", flags=dict.fromkeys(FLAGS, True)).encode(),
        "4.png": png(4), "4.json": labelme([], "4.png", flags=FLAGS).encode(),
        "5.png": png(5), "5.json": labelme([BOX], "5.png").encode(),
        "6.png": png(6), "6.json": json.dumps({"url": "https://host.example/6"}).encode(),
        "8.png": png(8),
        "8.json": labelme([], "8.png", flags={"cat": "false", " ": True, "dog": "true"}).encode(),
        "a/7.png": png(7),
        "b/7.json": labelme([], "../a/7.png", flags={"cat": True}).encode(),
    }  # fmt: skip
    plan = pool.add(tarred(files), "a.tar", dry_run=True).result
    assert plan is not None
    assert {(one["name"], one["format"]) for one in plan["documents"]} == {
        ("1.json", "LabelMe"), ("1 × .json", "WebDataset"),
    }  # fmt: skip
    job = pool.add(tarred(files), "a.tar")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["annotations"], job.result["refused"]) == (8, 4, 1)
    labeled = {one.name for one in pool.examples() if one.state is ExampleState.LABELED}
    assert labeled == {"1.png", "2.png", "8.png", "a/7.png"}
    assert "sets no flag, which would be the class of its image" in reasons(job.result)["5.json"]
    assert "several flags are set (cat, dog); an image has one class" in pool.report(job)
    (described,) = (one.meta for one in pool.examples() if one.name == "6.png")
    assert described["url"] == "https://host.example/6"


def test_shapes_alone_leave_the_class_to_the_folder(tmp_path: Path) -> None:
    files = {
        "cat/1.png": png(1), "dog/2.png": png(2),
        "cat/1.json": labelme([BOX], "1.png").encode(),
    }  # fmt: skip
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(files.items()))
    source = FolderSource(ZipEntries(path), tmp_path / "work", ["label"], sidecars=True)
    with closing(source):
        assert source.documents == []
        assert [(one.name, one.label) for one in source.items(0)] == [
            ("cat/1.png", "cat"), ("dog/2.png", "dog"), ("cat/1.json", None),
        ]  # fmt: skip
