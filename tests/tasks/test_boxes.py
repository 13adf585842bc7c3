"""What boxes are, when two lists of them say the same, and what several amount to."""

import json
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import Invalid
from core.states import ExampleState, Verdict
from core.tasks.box_attributes import MOST_CHARACTERS, Attributes, why_no_value
from core.tasks.box_geometry import CANDIDATES, EXACT, iou, matched
from core.tasks.boxes import BOXES, Box, BoxesLabel, corners_of
from core.tasks.registry import label_of, stored
from core.verdicts.consensus import Vote, is_disputed, outcome

CLASSES = {"cat": 1, "dog": 2, "크레인": 3}
NAMES = {class_id: name for name, class_id in CLASSES.items()}
few = settings(max_examples=40, deadline=None)


def label(*places: tuple[float, ...], **rest: Any) -> BoxesLabel:
    """A label of boxes that are (class, x, y, w, h)."""
    fields = ("class_id", "x", "y", "w", "h")
    boxes = [Box.model_validate(dict(zip(fields, place, strict=True))) for place in places]
    return BoxesLabel(type="boxes", boxes=tuple(boxes), **rest)


# Steps of a quarter pixel close together: many overlap, and many overlap alike.
side = st.integers(1, 60).map(lambda n: n / 4)
place = st.integers(-20, 40).map(lambda n: n / 4)
attributes = st.dictionaries(
    st.sampled_from(["colour", "age", "색"]), st.one_of(st.booleans(), st.integers(0, 2), st.text())
).map(lambda said: Attributes(sorted(said.items()))).filter(
    lambda said: not any(map(why_no_value, said.values()))
)  # fmt: skip
box = st.builds(
    Box, class_id=st.integers(1, 3), x=place, y=place, w=side, h=side,
    occluded=st.booleans(), crowd=st.booleans(), attributes=attributes,
    origin=st.sampled_from(["drawn", "kept", "adjusted", "imported"]),
)  # fmt: skip
labels = st.lists(box, max_size=7).map(lambda boxes: BoxesLabel(type="boxes", boxes=tuple(boxes)))


@few
@given(labels, labels)
def test_distance_is_symmetric_and_of_a_label_to_itself_zero(
    one: BoxesLabel, other: BoxesLabel
) -> None:
    assert BOXES.distance(one, other) == BOXES.distance(other, one)
    assert 0 <= BOXES.distance(one, other) <= 1
    turned = one.model_copy(update={"boxes": one.boxes[::-1]})
    assert BOXES.distance(one, turned) == 0


@few
@given(st.lists(box, max_size=5), st.lists(box, max_size=5))
def test_no_matching_has_more_pairs(one: list[Box], other: list[Box]) -> None:
    overlaps = iou(corners_of(one), corners_of(other)) >= 0.5
    small, large = sorted((len(one), len(other)))
    if len(one) > len(other):
        overlaps = overlaps.T
    most = max(
        sum(overlaps[row, column] for row, column in zip(range(small), order, strict=True))
        for order in permutations(range(large), small)
    )
    found = matched(corners_of(one), corners_of(other))
    assert len(found) == most
    assert len({row for row, _, _ in found}) == len({column for _, column, _ in found}) == most
    assert all(value >= 0.5 for _, _, value in found)


@few
@given(labels)
def test_what_is_kept_or_written_comes_back(one: BoxesLabel) -> None:
    assert label_of(json.loads(json.dumps(stored(one)))) == one
    assert hash(label_of(stored(one))) == hash(one)
    written = BOXES.write(one, NAMES)
    assert written is not None
    assert BOXES.read(written, CLASSES) == one


def test_iou_of_what_is_known() -> None:
    one = corners_of(label((1, 0, 0, 2, 2), (1, 10, 10, 1, 1)).boxes)
    other = corners_of(label((1, 1, 0, 2, 2), (1, 2, 0, 2, 2), (1, 0.5, 0.5, 1, 1)).boxes)
    assert iou(one, other).tolist() == [[1 / 3, 0, 1 / 4], [0, 0, 0]]


def test_a_pair_is_of_one_class_and_one_to_one() -> None:
    cat = label((1, 0, 0, 10, 10))
    assert BOXES.distance(cat, label((2, 0, 0, 10, 10))) == 1
    assert BOXES.distance(cat, label((1, 0, 0, 10, 10), (1, 1, 0, 10, 10))) == pytest.approx(1 / 3)
    assert BOXES.distance(cat, label()) == 1
    assert BOXES.distance(label(), label()) == 0
    # 0.9 × 10 of 11: not the same box to the pixel, and the same thing.
    assert BOXES.same(cat, label((1, 1, 0, 10, 10)))


def test_thousands_of_boxes_find_each_other_as_few_do() -> None:
    rng = np.random.default_rng(3)
    corners = rng.uniform(0, 4000, (1500, 2))
    many = np.concatenate([corners, corners + rng.uniform(5, 60, (1500, 2))], axis=1)
    moved = many + rng.normal(0, 2, many.shape)
    moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
    overlaps = iou(many, moved) >= 0.5
    assert CANDIDATES < len(many) < np.sqrt(EXACT * 1000)
    at_once = {(row, column) for row, column, _ in matched(many, moved)}
    assert all(overlaps[pair] for pair in at_once)
    in_parts = set()
    # Boxes are 60 wide at most, so that those of a quarter meet nothing beyond its neighbours.
    for row, column, _ in matched(many[:600], moved):
        in_parts.add((row, column))
    assert len(in_parts & at_once) > 0.97 * len(in_parts)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"w": 0}, "w"),
        ({"h": -3}, "h"),
        ({"x": float("nan")}, "x"),
        ({"y": float("inf")}, "y"),
        ({"w": 1e300}, "w"),
        ({"class_id": 0}, "class_id"),
        ({"rotation": 30}, "rotation"),
        ({"proposal": -1}, "proposal"),
        ({"origin": "guessed"}, "origin"),
        ({"given": {"format": "coco", "values": ["1"]}}, "given"),
        ({"attributes": ["red"]}, "are an object of names and values"),
        ({"attributes": {"wheels": [4]}}, "attribute wheels: a value is a text, a number, true"),
        ({"attributes": {"wheels": None}}, "attribute wheels: a value is a text, a number, true"),
        ({"attributes": {"age": float("inf")}}, "attribute age: a number is finite"),
        ({"attributes": {"id": 2**53 + 1}}, "attribute id: a whole number is up to"),
        ({"attributes": {"plate": "x" * 1001}}, "attribute plate: a text has 1,000 characters"),
        ({"attributes": {"plate": "\0"}}, "attribute plate: a text has no control characters"),
        ({"attributes": {" ": 1}}, "attribute  : a name is a text that is not empty"),
        ({"attributes": {"x" * 101: 1}}, "a name has 100 characters at most"),
        ({"attributes": {"a\nb": 1}}, r"attribute a\\nb: a name has no control characters"),
        ({"attributes": {"Crowd": True}}, "attribute Crowd: crowd is a flag of a box"),
        ({"attributes": {"rotation": 3}}, "attribute rotation: boxes stand upright"),
        ({"attributes": {str(n): n for n in range(51)}}, "51 attributes where a box has 50"),
    ],
)
def test_what_is_no_box_is_refused_by_name(change: dict[str, Any], said: str) -> None:
    good = {"class_id": 1, "x": 1, "y": 2, "w": 3, "h": 4}
    with pytest.raises(ValidationError, match=said):
        BOXES.parse({"type": "boxes", "boxes": [{**good, **change}]})


def test_attributes_of_all_boxes_have_a_bound() -> None:
    def saying(name: str, count: int) -> BoxesLabel:
        said = Attributes({name: "x" * 999})
        places = ((n % 100 * 20, n // 100 * 20) for n in range(count))
        boxes = (Box(class_id=1, x=x, y=y, w=9, h=9, attributes=said) for x, y in places)
        return BoxesLabel(type="boxes", boxes=tuple(boxes))

    most = MOST_CHARACTERS // 1000
    with pytest.raises(ValidationError, match="more than 1,048,576 characters together"):
        saying("a", most + 1)
    # What people agree on keeps to it: of the last boxes there are none.
    agreed = BOXES.agree([saying("a", most), saying("b", most)])
    assert [len(box.attributes) for box in agreed.boxes] == [2] * (most // 2) + [0] * (most // 2)


def test_a_large_float_stays_one_though_browsers_write_its_digits() -> None:
    for value in (1e17, 2.0**60, 1e300, -5e20):
        sent = json.loads(format(value, ".0f")) if abs(value) < 1e21 else value
        box = {"class_id": 1, "x": 1, "y": 2, "w": 3, "h": 4, "attributes": {"far": sent}}
        (one,) = BOXES.parse({"type": "boxes", "boxes": [box]}).boxes
        assert one.attributes == {"far": value}
        assert type(one.attributes["far"]) is float


def test_attributes_do_not_count_where_boxes_are_compared() -> None:
    plain = label((1, 0, 0, 10, 10), (2, 50, 50, 8, 8))

    def saying(said: dict[str, Any]) -> BoxesLabel:
        boxes = (plain.boxes[0].model_copy(update={"attributes": Attributes(said)}),)
        return plain.model_copy(update={"boxes": (*boxes, *plain.boxes[1:])})

    red, blue = saying({"age": 1, "colour": "red"}), saying({"colour": "blue", "parked": True})
    assert BOXES.distance(plain, red) == BOXES.distance(red, blue) == 0
    assert BOXES.same(red, blue)
    # What most say of a name is kept, of equals what was said first; who drew it anew says nothing.
    for said, kept in (
        ([plain, red], {"age": 1, "colour": "red"}),
        ([red, blue], {"age": 1, "colour": "red", "parked": True}),
        ([red, blue, blue, plain], {"age": 1, "colour": "blue", "parked": True}),
    ):
        one, other = BOXES.agree(said).boxes
        assert (one.attributes, other.attributes) == (kept, {})
    # Labels without any are written as they were before there were any.
    assert "attributes" not in json.dumps(stored(plain))
    assert "attributes" not in (BOXES.write(plain, NAMES) or "attributes")


def test_a_project_takes_its_classes_inside_its_image() -> None:
    BOXES.check(label(), {1})
    with pytest.raises(Invalid, match="Box 2 is of class 9"):
        BOXES.check(label((1, 0, 0, 1, 1), (9, 0, 0, 1, 1)), {1, 2})
    BOXES.check_size(label((1, -5, -5, 6, 6), (1, 99.5, 49, 30, 30)), 100, 50)
    for outside in ((1, 100, 0, 5, 5), (1, 0, 50, 5, 5), (1, -5, 0, 5, 5), (1, 0, -5, 5, 5)):
        with pytest.raises(Invalid, match="entirely outside the image of 100 × 50"):
            BOXES.check_size(label(outside), 100, 50)


@pytest.mark.parametrize(
    "text",
    [
        "", "cat", "{}", "3", "[3]", "[[1,2,3,4]]", '[{"class":"cow","x":0,"y":0,"w":1,"h":1}]',
        '[{"class":"cat","x":0,"y":0,"w":NaN,"h":1}]', '[{"class":"cat","x":0,"y":0,"w":1}]',
        '[{"class":["cat"],"x":0,"y":0,"w":1,"h":1}]',
        '[{"class_id":1,"class":"cat","x":0,"y":0,"w":1,"h":1}]', "[" * 100_000,
    ],
)  # fmt: skip
def test_a_cell_that_holds_no_boxes_is_none(text: str) -> None:
    assert BOXES.read(text, CLASSES) is None


def test_a_cell_is_in_names_and_boxes_of_a_file_were_imported() -> None:
    text = '[{"class": "크레인", "x": 0.1, "y": 2, "w": 3, "h": 4.5, "crowd": true}]'
    read = BOXES.read(text, CLASSES)
    assert read is not None
    (one,) = read.boxes
    assert (one.class_id, one.x, one.crowd, one.origin) == (3, 0.1, True, "imported")
    assert BOXES.write(read, {1: "cat"}) is None
    assert BOXES.read("[]", CLASSES) == label()


def test_what_people_agree_on_is_the_mean_of_what_half_of_them_have() -> None:
    said = [
        label((1, 0, 0, 10, 10), (2, 50, 50, 8, 8), threshold=0.3),
        label((2, 52, 50, 8, 8), (1, 1, 0, 10, 10), threshold=0.3),
        label((1, 2, 0, 10, 10), (2, 51, 50, 8, 8), (3, 90, 90, 5, 5), threshold=0.3),
    ]
    agreed = BOXES.agree(said)
    assert {(one.class_id, one.x, one.y, one.w, one.h) for one in agreed.boxes} == {
        (1, 1, 0, 10, 10), (2, 51, 50, 8, 8),
    }  # fmt: skip
    assert agreed.threshold == 0.3
    # Equal edges stay to the last bit, and what all of them say of a box does as well.
    same = label((1, 0.1, 0.2, 0.7, 1.1))
    assert BOXES.agree([same, same, same]) == same
    assert BOXES.agree([label(), label()]) == label()


def test_votes_on_boxes_are_settled_by_overlap() -> None:
    near = [label((1, 0, 0, 10, 10)), label((1, 1, 0, 10, 10))]
    far = [label((1, 0, 0, 10, 10)), label((1, 30, 0, 10, 10))]
    none = [label(), label((1, 0, 0, 10, 10))]
    for said, disputed in ((near, False), (far, True), (none, True)):
        votes = [Vote(Verdict.LABEL, one) for one in said]
        assert is_disputed(votes) is disputed
    state, agreed = outcome([Vote(Verdict.LABEL, one) for one in near])
    assert isinstance(agreed, BoxesLabel)
    assert (state, agreed.boxes[0].x) == (ExampleState.LABELED, 0.5)
    # Nothing of the classes in it is not the same as not even the right kind of picture.
    assert is_disputed([Vote(Verdict.LABEL, label()), Vote(Verdict.OOD)])
