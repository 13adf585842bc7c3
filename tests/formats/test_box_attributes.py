"""What is said of boxes leaves as every format has it, is read by others, and comes back."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO

from api.exports.archives import Written
from api.exports.boxes import documents
from api.exports.boxes.beside import Beside, Cvat, Voc
from api.exports.documents import OUR_CONTROLS, Document, labeling_config
from api.exports.records import Record
from core.states import ExampleState, Split
from core.tasks.box_attributes import RESERVED, Attributes, Value
from core.tasks.boxes import BOXES, Box, BoxesLabel
from core.tasks.class_lookup import ClassLookup
from workers.imports.drawn import Drawn, Rectangle
from workers.imports.formats.boxes import cvat, label_studio, labelme, voc
from workers.imports.formats.boxes.attributes import keep
from workers.imports.formats.boxes.coco import CocoBoxes
from workers.imports.formats.boxes.parquet import Objects, said
from workers.imports.formats.json_stream import elements
from workers.imports.formats.said import drawn_on
from workers.imports.items import Refused
from workers.imports.settled import Settled, settle

CLASSES = {1: "cat", 2: 'a "dog" & <co>'}
IDS = {name: id_ for id_, name in CLASSES.items()}
some = settings(max_examples=25, deadline=None)

letters = st.characters(
    exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff", include_characters="<&\"'"
)
names = (
    st.text(letters, min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda name: bool(name) and name.lower() not in RESERVED)
)
texts = st.text(st.one_of(letters, st.sampled_from("\n\t")), max_size=30)
numbers = st.one_of(
    st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False, width=64)
)
values: st.SearchStrategy[Value] = st.one_of(
    st.booleans(), texts, numbers, st.sampled_from(["true", "007", "1.0", " ", "", "Unspecified"])
)
attributes = st.dictionaries(
    st.one_of(names, st.sampled_from(["pose", "z_order", "group_id", "meta", "track_id", "note"])),
    values,
    max_size=6,
)
# As in a tool, where each attribute of a class is put in one way.
typed = st.dictionaries(
    names, st.sampled_from([st.booleans(), texts, numbers]), max_size=5
).flatmap(lambda kinds: st.lists(st.fixed_dictionaries({}, optional=kinds), min_size=1, max_size=4))


def label(said: Sequence[Mapping[str, Value]]) -> BoxesLabel:
    flags = ("occluded", "truncated", "difficult", "crowd")
    return BoxesLabel(
        type="boxes",
        boxes=tuple(
            Box(
                class_id=1 + place % 2, x=place, y=2, w=3.5, h=4, attributes=Attributes(each),
                **{flag: bool(place & 1 << bit) for bit, flag in enumerate(flags)},
            )
            for place, each in enumerate(said)
        ),
    )  # fmt: skip


def record(said: BoxesLabel) -> Record:
    return Record(
        example_id=7,
        pool_index=0,
        name="a.jpg",
        content_hash=b"\x01" * 32,
        media_type="image/jpeg",
        bytes=10,
        width=64,
        height=48,
        split=Split.EVALUATION,
        state=ExampleState.UNLABELED,
        class_name="[]",
        meta={},
        location=None,
        location_tag=None,
        label=said,
    )


def document(found: Document, said: BoxesLabel) -> bytes:
    """What stands in a document of one image."""
    begun, one = found.begin(), found.add(record(said), "images/a.jpg")
    content = (begun + one).encode() + b"".join(found.end())
    found.close()
    return content


def archive(kind: type[Beside], said: BoxesLabel) -> dict[str, bytes]:
    """The texts of an archive of one image."""
    beside = kind(CLASSES, lambda record, folder, of_split=True: f"{folder}/{record.name}")  # noqa: ARG005
    one = record(said)
    with closing(beside):
        beside.add(one, beside.place(one))
        return {
            name: text.encode() if isinstance(text, str) else b"".join(text)
            for name, text in beside.texts(Written())
        }


def read_again(found: Drawn | Refused) -> list[Box]:
    assert isinstance(found, Drawn), found
    settled = settle(found, ClassLookup(IDS))
    assert isinstance(settled, Settled), settled
    assert not settled.notes
    return list(settled.label.boxes)


def as_coco(said: BoxesLabel) -> list[Box]:
    content = json.loads(document(documents.CocoBoxes(CLASSES), said))
    # As another program keeps it, which drops what only we write.
    for one in content["images"]:
        for name in one.keys() - {"id", "file_name", "width", "height"}:
            del one[name]
    with TemporaryDirectory() as folder:
        index = CocoBoxes(Path(folder, "index"), "a.json")
        index.add(elements(io.BytesIO(json.dumps(content).encode()), "a.json"))
        ((_, fields),) = index.rows()
        index.close()
    (one,) = drawn_on(fields)
    assert one.drawn is not None
    return read_again(one.drawn)


def as_cvat(said: BoxesLabel) -> list[Box]:
    content = archive(Cvat, said)["annotations.xml"]
    wrong: list[str] = []
    rows = cvat.rows(
        io.BytesIO(content), "a.xml", lambda *why: wrong.append(str(why)), lambda _: None
    )
    ((_, fields),) = rows
    assert not wrong
    (one,) = drawn_on(fields)
    assert one.drawn is not None
    return read_again(one.drawn)


def as_voc(said: BoxesLabel) -> list[Box]:
    found = voc.read(io.BytesIO(archive(Voc, said)["Annotations/a.xml"]), "a.xml")
    assert not isinstance(found, Refused), found
    return read_again(found.drawn)


def as_label_studio(said: BoxesLabel) -> list[Box]:
    written = documents.LabelStudioBoxes(lambda _, path: path, CLASSES)
    (task,) = json.loads(document(written, said))
    assert isinstance(task, dict)
    del task["data"]["split"]
    (one,) = drawn_on(label_studio.fields_of(task, "a.json"))
    assert one.drawn is not None
    assert one.note is None
    # Its interface declares what it asks of regions, each name once.
    root = ElementTree.fromstring(
        labeling_config([*CLASSES.values()], boxes=True, of_regions=written.controls)
    )
    called = [each.attrib["name"] for each in root if each.tag != "Image"]
    assert len(called) == len({*called})
    used = {each["from_name"] for each in task["annotations"][0]["result"]}
    assert {each for each in used if each not in OUR_CONTROLS} <= {*called}
    return read_again(one.drawn)


def as_text(said: BoxesLabel) -> list[Box]:
    """As tables, JSON Lines and metadata have it."""
    text = BOXES.write(said, CLASSES)
    assert text is not None
    found = BOXES.read(text, IDS)
    assert found is not None
    return list(found.boxes)


def same(found: Sequence[Box], wanted: BoxesLabel) -> None:
    """Attributes to the type, and flags."""
    flags = ("occluded", "truncated", "difficult", "crowd")
    assert [[getattr(box, flag) for flag in flags] for box in found] == [
        [getattr(box, flag) for flag in flags] for box in wanted.boxes
    ]
    assert [kinds(box.attributes) for box in found] == [
        kinds(box.attributes) for box in wanted.boxes
    ]


def kinds(said: Mapping[str, Value]) -> list[tuple[str, type, Value]]:
    return [(name, type(value), value) for name, value in said.items()]


@pytest.mark.parametrize("again", [as_coco, as_label_studio, as_text])
@some
@given(said=st.lists(attributes, min_size=1, max_size=4))
def test_attributes_come_back_to_the_type(
    again: Callable[[BoxesLabel], list[Box]], said: list[dict[str, Value]]
) -> None:
    same(again(label(said)), label(said))


@some
@given(typed)
def test_cvat_tells_what_it_asks_for_each_attribute(said: list[dict[str, Value]]) -> None:
    same(as_cvat(label(said)), label(said))


@some
@given(st.lists(attributes, min_size=1, max_size=4))
def test_pascal_voc_has_them_as_text(said: list[dict[str, Value]]) -> None:
    def in_letters(value: Value) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    wanted = [{name: in_letters(value) for name, value in one.items()} for one in said]
    once = as_voc(label(said))
    assert [box.attributes for box in once] == wanted
    # And from then on they are the same.
    same(as_voc(label([box.attributes for box in once])), label([{**b.attributes} for b in once]))


@some
@given(st.lists(attributes, min_size=1, max_size=4))
def test_parquet_has_them_as_json_of_each_box(said_of: list[dict[str, Value]]) -> None:
    columns = Objects("bbox", "category", (), ("attributes",), None, (), None, ("bbox_format",))
    objects = {
        "bbox": [[1.0, 2.0, 3.0, 4.0]] * len(said_of),
        "category": ["cat"] * len(said_of),
        "attributes": [json.dumps(one) if one else None for one in said_of],
    }
    found = said({"objects": objects, "bbox_format": "coco"}, columns, "a")
    assert not isinstance(found, Refused)
    assert found[0].drawn is not None
    assert [kinds(box.attributes) for box in read_again(found[0].drawn)] == [
        kinds(dict(sorted(one.items()))) for one in said_of
    ]


def test_others_read_them(tmp_path: Path) -> None:
    said = label([{"colour": "red", "age": 3, "pose": "left"}, {"parked": True, "z_order": 2}])
    path = tmp_path / "a.json"
    path.write_bytes(document(documents.CocoBoxes(CLASSES), said))
    coco = COCO(str(path))
    assert [one["attributes"] for one in coco.loadAnns(coco.getAnnIds([7]))] == [
        {"age": 3, "colour": "red", "pose": "left"},
        {"occluded": True, "parked": True, "z_order": 2},
    ]
    root = ElementTree.fromstring(archive(Cvat, said)["annotations.xml"])
    assert [
        (label.findtext("name"), one.findtext("name"), one.findtext("input_type"))
        for label in root.iterfind("meta/task/labels/label")
        for one in label.iterfind("attributes/attribute")
        if one.findtext("name") not in ("truncated", "difficult", "crowd")
    ] == [
        ("cat", "age", "number"), ("cat", "colour", "text"), ("cat", "pose", "text"),
        (CLASSES[2], "parked", "checkbox"),
    ]  # fmt: skip
    first, second = root.iter("box")
    assert {one.attrib["name"]: one.text for one in first}["colour"] == "red"
    assert (first.attrib["z_order"], second.attrib["z_order"]) == ("0", "2")
    found = ElementTree.fromstring(archive(Voc, said)["Annotations/a.xml"])
    assert [one.findtext("pose") for one in found.iter("object")] == ["left", "Unspecified"]
    assert [(one.findtext("name"), one.findtext("value")) for one in found.iter("attribute")] == [
        ("age", "3"),
        ("colour", "red"),
        ("parked", "true"),
        ("z_order", "2"),
    ]


def test_label_studio_says_them_of_regions_in_its_own_ways() -> None:
    sides = {"x": 10, "y": 10, "width": 20, "height": 20, "rotation": 0}
    # A choice may come before the rectangle that it is of.
    asked = [
        ("colour", "choices", ["red"]), ("label", "rectanglelabels", ["cat"]),
        ("kinds", "choices", ["a", "b"]), ("plate", "textarea", ["B 1"]), ("age", "number", 3),
        ("stars", "rating", 4),
    ]  # fmt: skip
    results: list[dict[str, Any]] = [
        {
            "id": "r",
            "from_name": name,
            "type": kind,
            "value": {**sides, "text" if kind == "textarea" else kind: value},
            "meta": {"text": ["look", "crowd"]} if name == "label" else {},
        }
        for name, kind, value in asked
    ]
    task = {"data": {"image": "a.jpg"}, "annotations": [{"result": results}]}
    (one,) = drawn_on(label_studio.fields_of(task, "a.json"))
    assert one.drawn is not None
    (box,) = read_again(one.drawn)
    assert box.crowd
    assert box.attributes == {
        "colour": "red", "kinds": '["a", "b"]', "plate": "B 1", "age": 3, "stars": 4,
        "meta": "look",
    }  # fmt: skip


def test_labelme_says_flags_description_and_group() -> None:
    shape = {
        "label": "cat", "points": [[1, 2], [4, 6]], "shape_type": "rectangle", "group_id": 0,
        "description": "sleeps", "flags": {"tame": True, "wild": False, "Occluded": True},
        "attributes": {"age": 3.5},
    }  # fmt: skip
    content = {"shapes": [shape], "imagePath": "a.jpg", "imageHeight": 48, "imageWidth": 64}
    found = labelme.read(io.BytesIO(json.dumps(content).encode()), "a.json")
    assert not isinstance(found, Refused)
    assert found.fields is not None
    (one,) = drawn_on(found.fields)
    assert one.drawn is not None
    (box,) = read_again(one.drawn)
    assert box.occluded
    assert box.attributes == {
        "age": 3.5, "description": "sleeps", "group_id": 0, "tame": True, "wild": False,
    }  # fmt: skip


def test_what_has_no_place_is_left_aside_and_told() -> None:
    kept = keep(
        [
            ("colour", "red"), ("colour", "blue"), ("points", [1, 2]), ("deep", {"a": None}),
            ("missing", None), ("nan", float("nan")), ("far", float("inf")), ("many", 2**60),
            ("bell", "a\x07b\r\nc"), ("occluded", False), ("rotation", 0.0),
        ]
    )  # fmt: skip
    assert kept.are_all
    assert kept.attributes == {
        "colour": "red", "points": "[1, 2]", "deep": '{"a": null}', "far": "inf",
        "many": str(2**60), "bell": "a\N{REPLACEMENT CHARACTER}b\nc",
    }  # fmt: skip
    for name, value in (("x" * 101, 1), ("x", "y" * 1001), ("occluded", 2), ("", 1)):
        assert keep([(name, value), ("kept", 1)]) == ({"kept": 1}, False)
    many = keep((str(number), number) for number in range(51))
    assert (len(many.attributes), many.are_all) == (50, False)


def test_an_index_of_before_boxes_had_attributes_is_read() -> None:
    """An import that was interrupted by an upgrade goes on with what it has indexed."""
    made = Rectangle(3, "car", ("1", "2", "3", "4"), ("occluded",), score="0.5")
    *before, attributes = json.loads(json.dumps(made.to_json()))
    assert attributes == {}
    assert Rectangle.from_json(before) == made
