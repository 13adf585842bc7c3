"""What the four numbers of each format mean, against what the formats say of a box of pixels."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from core.tasks.box_conventions import CONVENTIONS, number_of, shortest, turned, written
from core.tasks.boxes import Box, Given

SIZE = (640.0, 480.0)
# Pixels 10 to 29 across and 20 to 59 down, counted from 0, as each format has them.
EXPECTED = {
    "coco": (10, 20, 20, 40),
    "voc": (11, 21, 30, 60),
    "yolo": (20 / 640, 40 / 480, 20 / 640, 40 / 480),
    "label_studio": (100 * 10 / 640, 100 * 20 / 480, 100 * 20 / 640, 100 * 40 / 480),
    "cvat": (10, 20, 30, 60),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_box_of_known_pixels(name: str) -> None:
    convention = CONVENTIONS[name]
    assert convention.sides(EXPECTED[name], SIZE) == pytest.approx((10, 20, 20, 40))
    assert convention.numbers((10, 20, 20, 40), SIZE) == pytest.approx(EXPECTED[name])


sides = st.tuples(
    *[st.floats(0, 300, allow_subnormal=False)] * 2,
    *[st.floats(0.5, 100, allow_subnormal=False)] * 2,
)


@pytest.mark.parametrize("name", CONVENTIONS)
@settings(max_examples=30)
@given(sides=sides)
def test_what_a_format_writes_it_reads_again(
    name: str, sides: tuple[float, float, float, float]
) -> None:
    convention = CONVENTIONS[name]
    box = Box(class_id=1, x=sides[0], y=sides[1], w=sides[2], h=sides[3])
    texts = written(box, convention, SIZE, is_json=True)
    values = [value for text in texts if (value := number_of(text)) is not None]
    if name == "voc":
        # Its first and last column and row are both within the box: nothing is less than a pixel.
        sides = (*sides[:2], max(sides[2], 1.0), max(sides[3], 1.0))
    assert convention.sides(values, SIZE) == pytest.approx(sides, abs=1e-9)


def test_numbers_that_came_go_out_letter_by_letter_while_they_say_where_the_box_is() -> None:
    values = ("0.50000", "5e-1", "0.1250", ".25")
    convention = CONVENTIONS["yolo"]
    x, y, w, h = convention.sides([0.5, 0.5, 0.125, 0.25], SIZE)
    box = Box(class_id=1, x=x, y=y, w=w, h=h, given=Given(format="yolo", values=values))
    assert written(box, convention, SIZE) == list(values)
    # JSON has no number that begins with a dot.
    assert written(box, convention, SIZE, is_json=True) == ["0.5", "0.5", "0.125", "0.25"]
    moved = box.model_copy(update={"x": x + 1})
    assert written(moved, convention, SIZE)[1:] == ["0.5", "0.125", "0.25"]
    # The numbers of another format are no numbers of this one.
    assert written(box, CONVENTIONS["coco"], SIZE) == ["280", "180", "80", "120"]


@pytest.mark.parametrize("text", ['1, "x": 2', "1 <", "NaN", "0x10", "", "1e999"])
def test_what_is_no_number_never_leaves_as_one(text: str) -> None:
    given_ = Given(format="coco", values=(text, "2", "3", "4"))
    box = Box(class_id=1, x=1, y=2, w=3, h=4, given=given_)
    assert written(box, CONVENTIONS["coco"], SIZE, is_json=True) == ["1", "2", "3", "4"]


def test_yolo_is_cut_at_the_border_as_its_readers_refuse_what_lies_beyond() -> None:
    box = Box(class_id=1, x=-10, y=470, w=20, h=20)
    numbers = [float(text) for text in written(box, CONVENTIONS["yolo"], SIZE)]
    assert numbers == pytest.approx([5 / 640, 475 / 480, 10 / 640, 10 / 480])
    assert written(box, CONVENTIONS["coco"], SIZE) == ["-10", "470", "20", "20"]


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-7, 12.0, -3.5, 1 / 3, 1e22, math.pi])
def test_the_shortest_text_is_read_as_the_same_number(value: float) -> None:
    assert float(shortest(value)) == value


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
def test_boxes_turn_as_pillow_turns_their_pixels(orientation: int) -> None:
    stored = Image.new("L", (40, 30))
    stored.paste(255, (5, 7, 17, 12))
    exif = stored.getexif()
    exif[0x0112] = orientation
    upright = ImageOps.exif_transpose(stored)
    assert upright is not None
    found = upright.getbbox()
    assert found is not None
    left, top, width, height = turned((5, 7, 12, 5), (40, 30), orientation)
    assert (left, top, left + width, top + height) == found
