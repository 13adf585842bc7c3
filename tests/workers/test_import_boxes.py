"""Boxes of other tools: where they come to lie, and what is no box."""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.states import ExampleState, Split, Verdict
from tests.workers.box_files import (
    BoxPool,
    coco,
    cvat,
    image,
    packed,
    rectangle,
    task,
    voc,
    voc_object,
)
from tests.world import World
from workers.imports.formats.boxes.yolo import class_names
from workers.imports.items import printable
from workers.imports.report import NOT_TAKEN, Note, Tally
from workers.jobs import context

YAML = "path: .\ntrain: images\nnames: ['dog', 'cat']\n"


@pytest.fixture
def pool(world: World, session: Session, installation: settings.Settings) -> Iterator[BoxPool]:
    yield BoxPool(session, Storage(Path(installation.data_dir)), world)
    context.sessions().kw["bind"].dispose()


# The same box, 10 to 30 across and 20 to 44 down, in every format; each with its image.
SAME: dict[str, tuple[str, dict[str, str]]] = {
    "coco": ("a.jpg", {"annotations.json": coco([{"bbox": [10, 20, 20, 24], "area": 480}])}),
    "voc": ("JPEGImages/a.jpg", {"Annotations/a.xml": voc(voc_object(11, 21, 30, 44))}),
    "yolo": (
        "images/a.jpg",
        {"labels/a.txt": "1 0.3125 0.6666666666666666 0.3125 0.5\n", "data.yaml": YAML},
    ),
    "cvat": (
        "a.jpg",
        {"b.xml": cvat('<box label="cat" occluded="0" xtl="10" ytl="20" xbr="30.0" ybr="44"/>')},
    ),
    "label_studio": (
        "a.jpg",
        {"tasks.json": task([rectangle(15.625, 41.666666666666664, 31.25, 50)])},
    ),
}
# Without a box, and whether the format says that somebody looked.
NONE: dict[str, tuple[str, dict[str, str], bool]] = {
    "coco": ("a.jpg", {"annotations.json": coco([])}, False),
    "voc": ("JPEGImages/a.jpg", {"Annotations/a.xml": voc("")}, True),
    "yolo": ("images/a.jpg", {"labels/a.txt": "\n", "data.yaml": YAML}, True),
    "cvat": ("a.jpg", {"annotations.xml": cvat("")}, False),
    "label_studio": ("a.jpg", {"tasks.json": task([])}, True),
}


def below(folder: str, files: Mapping[str, bytes | str]) -> dict[str, bytes | str]:
    return {f"{folder}/{name}": content for name, content in files.items()}


def together(
    cases: Mapping[str, tuple[str, Mapping[str, str]]], **how: Any
) -> dict[str, bytes | str]:
    """Files of several cases, each in a folder of its own, as one upload."""
    files: dict[str, bytes | str] = {}
    for seed, (folder, (name, others)) in enumerate(cases.items()):
        files |= below(folder, {name: image(seed, **how), **others})
    return files


def test_a_box_lies_where_its_format_says(pool: BoxPool) -> None:
    result = pool.send(together(SAME))
    assert (result["added"], result["refused"], result["annotations"]) == (5, 0, 5)
    assert result["noted"] == {}
    for name, label in pool.labels().items():
        (box,) = label.boxes
        assert (box.x, box.y, box.w, box.h) == pytest.approx((10, 20, 20, 24)), name
        assert pool.names[box.class_id] == "cat"
        assert box.origin == "imported"
        assert box.given is not None
        assert box.given.format == name.partition("/")[0]
    assert {one.state for one in pool.examples()} == {ExampleState.LABELED}
    # A second time nothing is new.
    assert pool.send(together(SAME))["annotations"] == 0


def test_images_that_are_there_are_drawn_on_and_a_dry_run_counts_them(pool: BoxPool) -> None:
    files: dict[str, bytes | str] = {}
    for seed, (kind, (name, others)) in enumerate(SAME.items()):
        # In one folder, and each called otherwise.
        files[name.replace("a.jpg", f"{kind}.jpg")] = image(seed)
        for path, content in others.items():
            files[path.replace("/a.", f"/{kind}.")] = content.replace("a.jpg", f"{kind}.jpg")
    plan = pool.result(pool.add(packed(files), "pool.zip", dry_run=True))
    assert plan["by_split"]["pool"] == 5
    assert {(one["readable"], one["unreadable"], *one["values"]) for one in plan["labels"]} == {
        (1, 0, "1 box")
    }
    assert {one["format"] for one in plan["documents"]} == {
        "COCO", "Label Studio", "YOLO", "Pascal VOC", "CVAT",
    }  # fmt: skip
    pool.send({name: one for name, one in files.items() if isinstance(one, bytes)})
    result = pool.send({name: one for name, one in files.items() if isinstance(one, str)})
    assert (result["labeled"], result["refused"]) == (5, 0), pool.why()
    for label in pool.labels().values():
        assert (label.boxes[0].x, label.boxes[0].h) == pytest.approx((10, 24))


def test_no_box_says_no_objects_only_where_somebody_looked(pool: BoxPool) -> None:
    cases = {kind: (name, files) for kind, (name, files, _) in NONE.items()}
    assert pool.send({"b.jpg": image(99), **together(cases)})["added"] == 6
    looked: dict[str, list[Any]] = {
        f"{kind}/{name}": [] for kind, (name, _, is_looked) in NONE.items() if is_looked
    }
    assert pool.sides() == looked


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"x.json": coco([{"bbox": [1, 2, 3, 4]}, {"bbox": [5, 5, 0, 4]}])},
        "x.json: box 2 has no width",
    ),
    ({"x.json": coco([{"bbox": [5, 5, 4, -4]}])}, "box 1 ends before it begins: its height"),
    ({"x.json": coco([{"bbox": [float("nan"), 5, 4, 4]}])}, "box 1 has 'null' where a number"),
    ({"x.json": coco([{"bbox": [64, 5, 4, 4]}])}, "box 1 lies outside the image of 64 × 48 pixels"),
    ({"x.json": coco([{"bbox": [1, 2, 3, 4, 30]}])}, "box 1 has 5 numbers where 4 should be"),
    (
        {"x.json": coco([{"bbox": [1, 2, 3, 4], "category_id": 5}])},
        "of category 5, which the document",
    ),
    (
        {"x.json": coco([{"bbox": [1, 2, 3, 4]}, {"bbox": [5, 6, 7, 8], "category_id": None}])},
        "x.json: box 2 has no category_id",
    ),
    ({"x.json": coco([{"bbox": [1, 2, 3, 4], "score": 0.5}])}, "box 1 has a score"),
    (
        {"x.json": coco([{"bbox": [1, 2, 3, 4], "attributes": {"rotation": 30.0}}])},
        "box 1 is turned by 30.0 degrees",
    ),
    (
        {"x.json": coco([{"segmentation": {"size": [1, 1], "counts": "x"}}])},
        "a mask without a bbox",
    ),
    (
        {
            "x.json": coco(
                [{"bbox": [1, 2, 3, 4]}],
                [{"id": 1, "file_name": "a.jpg", "width": 640, "height": 480}],
            )
        },
        "says that the image has 640 × 480 pixels, and it has 64 × 48",
    ),
    ({"Annotations/a.xml": voc(voc_object(5, 9, 9, 8))}, "Annotations/a.xml: box 1 has no height"),
    ({"Annotations/a.xml": voc(voc_object(5, 9, 9, "nan"))}, "box 1 has 'nan' where a number"),
    (
        {"Annotations/a.xml": voc(voc_object(5, 9, 9, 12, "c-at"))},
        "of 'c-at', which is not a class of the project; add it",
    ),
    ({"Annotations/a.xml": voc("<object><name>cat</name><robndbox/></object>")}, "box 1 is turned"),
    (
        {"labels/a.txt": "1 .5 .5 .1 .1 0.9\n", "data.yaml": YAML},
        "labels/a.txt: box 1 has a score: it is what a model predicts",
    ),
    (
        {"labels/a.txt": "\n1 .5 .5 .1 .1\n1 .1 .1 .2 .1 .2 .2 .1 .2\n", "data.yaml": YAML},
        "box 2 (line 3) has four corners",
    ),
    (
        {"labels/a.txt": "2 .5 .5 .1 .1\n", "data.yaml": YAML},
        "of class 2, and data.yaml has no name for it",
    ),
    ({"labels/a.txt": "1 32 24 10 10\n", "data.yaml": YAML}, "has 32 where a share of the image"),
    ({"labels/a.txt": "1 .5 .5 0 .1\n", "data.yaml": YAML}, "box 1 has no width"),
    ({"labels/a.txt": "1 1.2 .5 .1 .1\n", "data.yaml": YAML}, "box 1 lies outside the image"),
    (
        {"a.xml": cvat('<box label="cat" rotation="12.5" xtl="1" ytl="1" xbr="5" ybr="5"/>')},
        "box 1 is turned by 12.5 degrees",
    ),
    (
        {"a.xml": cvat('<box label="cat" xtl="5" ytl="1" xbr="1" ybr="5"/>')},
        "box 1 ends before it begins: its width",
    ),
    ({"a.xml": cvat('<points label="cat" points="1,2"/>')}, "box 1 is a points and no box"),
    (
        {"x.json": task([rectangle(1, 2, 3, 4), rectangle(1, 2, 3, 4, rotation=30)])},
        "x.json: box 2 is turned by 30 degrees",
    ),
    (
        {"x.json": task([{"type": "brushlabels", "value": {"rle": [1], "brushlabels": ["cat"]}}])},
        "box 1 is a brush and no box",
    ),
    (
        {"x.json": task([rectangle(1, 2, 3, 4)], (100, 10))},
        "says that the image has 100 × 10 pixels",
    ),
    ({"x.json": coco([{"bbox": ["1\n", " 2", "3", "2e"]}])}, "box 1 has '2e' where a number"),
]


def test_what_is_no_box_is_named_and_costs_the_label_and_not_the_image(pool: BoxPool) -> None:
    cases = {
        f"c{number}": (
            "JPEGImages/a.jpg" if "Annotations/a.xml" in files else "images/a.jpg",
            files,
        )
        for number, (files, _) in enumerate(WRONG)
    }
    result = pool.send(together(cases))
    assert result["added"] == len(WRONG)
    assert pool.labels() == {}
    why = pool.why()
    for (folder, (name, _)), (_, reason) in zip(cases.items(), WRONG, strict=True):
        assert reason in why[f"{folder}/{name}"]
    untaken = {note: count for note, count in result["noted"].items() if NOT_TAKEN in note}
    assert sum(untaken.values()) == len(WRONG)


def test_boxes_of_a_class_that_is_missing_are_counted_together() -> None:
    why = "is of 'dog', which is not a class of the project; add it, and import again"
    tally = Tally()
    for place in ("a.xml: box 1", "b: box 1/b.txt: box 12 (line 13)"):
        tally.note([Note(NOT_TAKEN, f"{place} {why}")])
    assert tally.noted == {f"{NOT_TAKEN}: it {why}": 2}
    tally.note([Note(NOT_TAKEN, f"reason {n}") for n in range(40)])
    tally.note([Note(NOT_TAKEN, "reason 1"), Note("other bytes")])
    assert (len(tally.noted), tally.noted[NOT_TAKEN]) == (12, 31)
    assert (tally.noted[f"{NOT_TAKEN}: reason 1"], tally.noted["other bytes"]) == (2, 1)


POINTS = {"points": [[25, 25], [50, 25], [50, 75]], "polygonlabels": ["cat"]}
MADE: list[tuple[dict[str, Any], str, tuple[float, float, float, float]]] = [
    (
        {"x.json": coco([{"segmentation": [[10, 20, 30, 20, 30, 44]]}])},
        "drawn around an outline", (10, 20, 20, 24),
    ),
    (
        {"x.json": coco([{"bbox": [10, 20, 20, 24], "segmentation": [[10, 20, 30, 20, 30, 44]]}])},
        "outlines and masks are left aside", (10, 20, 20, 24),
    ),
    (
        {"labels/a.txt": "1 .25 .25 .5 .25 .5 .75\n", "data.yaml": YAML},
        "drawn around an outline", (16, 12, 16, 24),
    ),
    (
        {"a.xml": cvat('<polygon label="cat" points="10,20;30,20;30,44"/>')},
        "drawn around an outline", (10, 20, 20, 24),
    ),
    (
        {"x.json": task([{"type": "polygonlabels", "value": POINTS}])},
        "drawn around an outline", (16, 12, 16, 24),
    ),
]  # fmt: skip


def test_outlines_become_boxes_with_a_note(pool: BoxPool) -> None:
    cases = {f"c{number}": ("images/a.jpg", files) for number, (files, _, _) in enumerate(MADE)}
    pool.send(together(cases))
    why, labels = pool.why(), pool.labels()
    for folder, (_, note, sides) in zip(cases, MADE, strict=True):
        (box,) = labels[f"{folder}/images/a.jpg"].boxes
        assert (box.x, box.y, box.w, box.h) == pytest.approx(sides)
        assert note in why[f"{folder}/images/a.jpg"]
        # What was made of something else is in no file.
        assert (box.given is None) is ("around" in note)


@pytest.mark.parametrize(
    ("orientation", "kind"), [(5, "JPEG"), (6, "JPEG"), (6, "TIFF"), (7, "JPEG"), (8, "JPEG")]
)
def test_boxes_of_pixels_as_stored_are_turned_upright_with_their_image(
    pool: BoxPool, orientation: int, kind: str
) -> None:
    """The files say 64 × 48, and the picture that everybody sees is 48 × 64."""
    formats = {name: SAME[name] for name in SAME if name != "yolo"}
    # The bytes tell what it is, whatever it is called.
    pool.send(together(formats, orientation=orientation, kind=kind))
    marked = Image.new("L", (64, 48))
    marked.paste(255, (10, 20, 30, 44))
    ways = {5: "TRANSPOSE", 6: "ROTATE_270", 7: "TRANSVERSE", 8: "ROTATE_90"}
    found = marked.transpose(Image.Transpose[ways[orientation]]).getbbox()
    why, labels = pool.why(), pool.labels()
    assert len(labels) == 4
    for name, label in labels.items():
        (box,) = label.boxes
        assert (box.x, box.y, box.x + box.w, box.y + box.h) == pytest.approx(found)
        assert box.given is None
        assert "turned upright with their image" in why[name]


def test_boxes_of_the_upright_picture_stay(pool: BoxPool) -> None:
    upright = [{"id": 1, "file_name": "a.jpg", "width": 48, "height": 64}]
    files = {"x.json": coco([{"bbox": [10, 20, 20, 24]}], upright)}
    result = pool.send({"a.jpg": image(1, 6), **files})
    assert (pool.one().x, pool.one().y) == (10, 20)
    assert result["noted"] == {}
    # Of an image that is there nobody can tell how it was turned.
    result = pool.send({"x.json": coco([{"bbox": [10, 20, 20, 24]}])})
    assert result["refused"] == 1
    assert "only its file tells how it is turned" in pool.why()["a.jpg"]


def test_numbers_may_stand_between_blanks_and_sizes_may_be_none(pool: BoxPool) -> None:
    blanks = coco([{"bbox": ["10\n", " 20", "20\t", "24"]}])
    endless = voc(voc_object(11, 21, 30, 44), size=(float("inf"), float("inf")))
    pool.send(
        {
            "one/a.jpg": image(1), "one/x.json": blanks,
            "two/JPEGImages/a.jpg": image(2), "two/Annotations/a.xml": endless,
        }
    )  # fmt: skip
    lies = ("cat", 10, 20, 20, 24)
    assert pool.sides() == {"one/a.jpg": [lies], "two/JPEGImages/a.jpg": [lies]}


def test_boxes_may_reach_beyond_the_image(pool: BoxPool) -> None:
    pool.send({"a.jpg": image(1), "x.json": coco([{"bbox": [-3.5, 40, 10, 20.25]}])})
    box = pool.one()
    assert (box.x, box.y, box.w, box.h) == (-3.5, 40, 10, 20.25)


def test_flags_come_along(pool: BoxPool) -> None:
    flagged = {"bbox": [1, 2, 3, 4], "iscrowd": 1, "attributes": {"occluded": True}}
    pool.send(
        {
            "a.jpg": image(1),
            "b.jpg": image(2),
            "c.jpg": image(3),
            "x.json": coco([flagged]),
            "b.xml": voc(
                voc_object(1, 2, 3, 4, more="<truncated>1</truncated><difficult>1</difficult>"),
                filename="b.jpg",
            ),
            "c.xml": cvat(
                '<box label="dog" occluded="1" xtl="1" ytl="1" xbr="5" ybr="5">'
                '<attribute name="difficult">true</attribute></box>',
                name="c.jpg",
            ),
        }
    )
    flags = {
        name: {
            one
            for one in ("occluded", "truncated", "difficult", "crowd")
            if getattr(label.boxes[0], one)
        }
        for name, label in pool.labels().items()
    }
    assert flags == {
        "a.jpg": {"occluded", "crowd"},
        "b.jpg": {"truncated", "difficult"},
        "c.jpg": {"occluded", "difficult"},
    }


def test_splits_and_names_of_a_yolo_data_set(pool: BoxPool) -> None:
    """As Ultralytics lays it out; a class may be called no, and numbers may have gaps."""
    result = pool.send(
        {
            "data/train/images/a.jpg": image(1),
            "data/train/images/a b.jpg": image(2),
            "data/train/labels/a.txt": "0 0.5 0.5 1.0000005 0.5\n",
            "data/train/labels/a b.txt": "3 0.5 0.5 0.5 0.5\n",
            "data/valid/images/v.jpg": image(3),
            "data/valid/labels/v.txt": "0 0.5 0.5 0.5 0.5\n0 0.25 0.25 0.1 0.1\n",
            "data/data.yaml": "names:\n  0: cat\n  3: dog\nroboflow: {license: MIT}\n",
            "data/README.txt": "read me",
        }
    )
    assert result["by_split"] == {"pool": 2, "evaluation": 1, "auxiliary_ood": 0}
    assert {name: [one[0] for one in boxes] for name, boxes in pool.sides().items()} == {
        "data/train/images/a.jpg": ["cat"],
        "data/train/images/a b.jpg": ["dog"],
        "data/valid/images/v.jpg": ["cat", "cat"],
    }
    assert [one["name"] for one in result["refused_examples"]] == ["data/README.txt"]


def test_an_evaluation_image_whose_boxes_are_none_is_refused(pool: BoxPool) -> None:
    files = {"x.json": coco([{"bbox": [5, 5, 0, 4]}])}
    result = pool.send({"val/a.jpg": image(1), **files}, split=Split.EVALUATION)
    assert (result["added"], result["refused"]) == (0, 1)
    assert "x.json: box 1 has no width" in result["refused_examples"][0]["reason"]


def test_each_person_of_label_studio_is_a_vote(pool: BoxPool) -> None:
    found = json.loads(task([rectangle(15.625, 50, 25, 25)]))
    choice = {"type": "choices", "from_name": "verdict", "value": {"choices": ["OOD"]}}
    found[0]["annotations"] += [
        {"completed_by": {"email": "ada@example.org"}, "result": [choice], "lead_time": 2.5},
        {"completed_by": 4, "result": [], "was_cancelled": True},
        {"completed_by": 5, "result": []},
    ]
    pool.send({"a.jpg": image(1), "tasks.json": json.dumps(found)})
    said = {
        one.source_name: (one.verdict, one.label and len(one.label["boxes"]))
        for one in pool.votes()
    }
    assert said == {
        "Label Studio user 3": (Verdict.LABEL, 1),
        "ada@example.org": (Verdict.OOD, None),
        "Label Studio user 4": (Verdict.SKIP, None),
        "Label Studio user 5": (Verdict.LABEL, 0),
    }


def test_numbers_of_classes_that_nobody_names_are_none(pool: BoxPool) -> None:
    pool.send({"images/a.jpg": image(1), "labels/a.txt": "1 .5 .5 .1 .1\n"})
    assert "no data.yaml or classes.txt says what that is" in pool.why()["images/a.jpg"]
    pool.send({"labels/a.txt": "1 .5 .5 .1 .1\n", "classes.txt": "dog\ncat\n"})
    assert pool.names[pool.one().class_id] == "cat"


def test_a_list_beside_the_texts_does_not_go_before_a_data_yaml(pool: BoxPool) -> None:
    names: dict[str, bytes | str] = {"data.yaml": YAML, "labels/classes.txt": "cat\ndog\n"}
    texts: dict[str, bytes | str] = {"images/a.jpg": image(1), "labels/a.txt": "1 .5 .5 .1 .1\n"}
    pool.send(names | texts)
    assert pool.names[pool.one().class_id] == "cat"
    why = pool.why()["images/a.jpg"]
    assert "labels/classes.txt names its classes otherwise, and was passed over" in why


def test_two_yaml_files_that_differ_name_no_class(pool: BoxPool) -> None:
    names: dict[str, bytes | str] = {"data.yaml": YAML, "old.yaml": "names: [dog, bird]"}
    images: dict[str, bytes | str] = {f"images/{one}.jpg": image(ord(one)) for one in "ab"}
    pool.send({**names, **images, "labels/a.txt": "1 .5 .5 .1 .1", "labels/b.txt": "0 .5 .5 .1 .1"})
    assert {name: one[0][0] for name, one in pool.sides().items()} == {"images/b.jpg": "dog"}
    why = pool.why()["images/a.jpg"]
    assert "is of class 1, which data.yaml, old.yaml name differently" in why


def test_a_voc_file_that_counts_from_0_is_told(pool: BoxPool) -> None:
    pool.send({"a.jpg": image(1), "a.xml": voc(voc_object(0, 5, 9, 9))})
    assert "a box begins at pixel 0 where VOC counts from 1" in pool.why()["a.jpg"]
    assert pool.one().x == -1


def test_xml_that_declares_entities_is_refused_by_name(pool: BoxPool) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaa">]>' + voc(voc_object(1, 2, 3, 4))
    odd = '<?xml version="1.0" encoding="unicode"?>' + voc(voc_object(1, 2, 3, 4))
    files = {"a.xml": bomb, "b.xml": "<html/>", "c.xml": "no xml", "d.xml": odd}
    result = pool.send({"a.jpg": image(1), **files})
    reasons = {one["name"]: one["reason"] for one in result["refused_examples"]}
    assert "declares a document type" in reasons["a.xml"]
    assert "neither Pascal VOC's XML nor CVAT's" in reasons["b.xml"]
    assert "cannot be read as XML" in reasons["c.xml"]
    assert "d.xml cannot be read as XML" in reasons["d.xml"]
    assert result["added"] == 1


def test_two_documents_that_draw_differently_are_both_kept(pool: BoxPool) -> None:
    first, second = coco([{"bbox": [1, 2, 30, 30]}]), coco([{"bbox": [40, 2, 10, 10]}])
    result = pool.send({"a.jpg": image(1), "x.json": first, "y.json": second})
    assert result["contradicting"] == 1
    assert len(pool.votes()) == 2
    assert "contradict each other" in pool.why()["a.jpg"]


def objects_file(
    rows: list[dict[str, Any]], names: list[str] | None = None, **metadata: str
) -> bytes:
    """A Parquet file as Hugging Face's object detection data sets are."""
    columns: dict[str, Any] = {
        "image": pa.array(
            [{"bytes": row["image"], "path": f"{row['name']}.jpg"} for row in rows],
            pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
        ),
        "objects": pa.array([row["objects"] for row in rows]),
    }
    if "bbox_format" in rows[0]:
        columns["bbox_format"] = pa.array([row["bbox_format"] for row in rows])
    category = {"feature": {"names": names, "_type": "ClassLabel"}, "_type": "Sequence"}
    features = {"objects": {"category": category}} if names else {}
    table = pa.table(columns).replace_schema_metadata(
        {"huggingface": json.dumps({"info": {"features": features}}), **metadata}
    )
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def of_objects(*boxes: list[float], category: Any = 1) -> dict[str, Any]:
    return {"bbox": list(boxes), "category": [category] * len(boxes)}


def test_objects_of_a_parquet_file(pool: BoxPool) -> None:
    """An empty list says no objects, null says nothing; numbers are named by the features."""
    rows: list[dict[str, Any]] = [
        {"name": "a", "image": image(1), "objects": of_objects([10.0, 20.0, 20.0, 24.0])},
        {"name": "b", "image": image(2), "objects": of_objects()},
        {"name": "c", "image": image(3), "objects": None},
        {"name": "d", "image": image(4), "objects": of_objects([1.0, 2.0, 3.0, 4.0], category=7)},
        # As left, top, width and height it reaches beyond; as corners it fits.
        {"name": "e", "image": image(5), "objects": of_objects([30.0, 20.0, 60.0, 44.0])},
        # What was rounded may lie beyond by less than a pixel.
        {"name": "f", "image": image(6), "objects": of_objects([30.0, 20.0, 64.4, 44.0])},
    ]
    content = objects_file(rows, ["dog", "cat"])
    result = pool.result(pool.add(content, "a.parquet"))
    assert result["added"] == 6
    assert pool.sides() == {"a.jpg": [("cat", 10, 20, 20, 24)], "b.jpg": []}
    why = pool.why()
    # It fits as corners, too, and nothing says which it is.
    assert "taken as left, top, width and height, as no bbox_format says otherwise" in why["a.jpg"]
    assert "b.jpg" not in why
    assert "is of class 7, which is not one of the 2 declared" in why["d.jpg"]
    for name in ("e.jpg", "f.jpg"):
        assert "say which they are in a column bbox_format" in why[name]
    box = pool.labels()["a.jpg"].boxes[0]
    assert box.given is not None
    assert box.given.format == "coco"


def test_a_parquet_file_may_say_what_its_numbers_are(pool: BoxPool) -> None:
    """By a column; as a list of objects; with names of classes, and flags."""
    box = {"bbox": [30.0, 20.0, 60.0, 44.0], "category": "cat", "iscrowd": True}
    rows: list[dict[str, Any]] = [
        {"name": "a", "image": image(1), "objects": [box], "bbox_format": "xyxy"},
        {"name": "b", "image": image(2), "objects": [], "bbox_format": "xyxy"},
        {"name": "c", "image": image(3), "objects": [box], "bbox_format": "polar"},
    ]
    pool.add(objects_file(rows), "a.parquet")
    assert pool.sides() == {"a.jpg": [("cat", 30, 20, 30, 24)], "b.jpg": []}
    assert pool.labels()["a.jpg"].boxes[0].crowd
    assert "bbox_format says 'polar'" in pool.why()["c.jpg"]
    single = {"bbox": [1.0, 2.0, 3.0, 4.0], "category": 1}
    pool.add(objects_file([{"name": "s", "image": image(8), "objects": single}]), "s.parquet")
    assert "bbox and category must be lists, with one entry for each box" in pool.why()["s.jpg"]
    many: dict[str, Any] = {"bbox": [[1.0, 1.0, 5.0, 5.0]] * 3000, "category": ["dog"] * 3000}
    rows = [{"name": "m", "image": image(9), "objects": many}]
    pool.add(objects_file(rows, bbox_format="xyxy"), "a.parquet")
    boxes = pool.labels()["m.jpg"].boxes
    assert (len(boxes), boxes[-1].w) == (3000, 4)


def test_a_plan_names_the_classes_of_boxes(pool: BoxPool) -> None:
    files: dict[str, bytes | str] = {
        f"images/{name}.jpg": image(seed) for seed, name in enumerate("abcd")
    }
    files |= {
        "labels/a.txt": "0 0.5 0.5 0.2 0.2\n1 0.3 0.3 0.2 0.2\n1 0.6 0.6 0.2 0.2\n",
        "labels/b.txt": "1 0.5 0.5 0.2 0.2\n",
        "labels/c.txt": "",
        "data.yaml": "path: .\ntrain: images\nnames: ['dog', 'cow']\n",
    }
    plan = pool.result(pool.add(packed(files), "pool.zip", dry_run=True))
    (group,) = plan["groups"]
    # An image counts once for each class; nobody has looked at one, and nothing is in another.
    assert group["labels"] == [
        {"name": "dog", "count": 1, "known": True},
        {"name": "cow", "count": 2, "known": False},
    ]
    assert plan["class_names"] == ["dog", "cow"]
    assert (group["count"], group["unlabeled"]) == (4, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_list_of_classes_has_one_a_line_whatever_letters_they_have(end: str) -> None:
    named = ["cat", "wild\u2028cat", "house\x85cat", "big\x0ccat", "dog"]
    content = end.join([*named, ""]).encode()
    found = class_names("classes.txt", content)
    assert found == dict(enumerate(printable(one) for one in named))
