"""Between pixels of an image and the square that a model sees."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from PIL import Image

from models.media.images.store import fit_image
from models.tasks.boxes.fit import seen, to_image, to_square
from models.tasks.boxes.measure import average_precision
from models.tasks.boxes.proposals import proposals
from models.tasks.boxes.targets import BoxTargets
from tests.models.open_set import numbers

sides = st.integers(1, 5000)
places = st.floats(-100, 6000, allow_nan=False)


@settings(max_examples=50, deadline=None)
@given(sides, sides, places, places, st.floats(0.01, 5000), st.floats(0.01, 5000))
def test_a_box_goes_to_the_square_and_back(
    width: int, height: int, x: float, y: float, w: float, h: float
) -> None:
    corners, size = np.array([[x, y, x + w, y + h]]), np.array([[width, height]])
    shares = to_square(corners, size)
    assert_allclose(to_image(shares, size), corners, atol=1e-6)
    # Of any image the square is the shorter side, in the middle.
    side = min(width, height)
    assert_allclose((shares[0, 2:] - shares[0, :2]) * side, [w, h], rtol=1e-6, atol=1e-6)
    middle = to_square(np.array([[width / 2, height / 2] * 2]), size)
    assert_allclose(middle, 0.5)


@pytest.mark.parametrize("size", [(90, 60), (60, 90), (64, 64), (61, 90)])
def test_the_square_is_the_one_that_pixels_are_made_of(size: tuple[int, int]) -> None:
    """A white box in a black image is white where `fit_image` puts it."""
    width, height = size
    left, top, right, bottom = width // 2 - 6, height // 2 - 10, width // 2 + 12, height // 2 + 8
    image = Image.new("RGB", size)
    image.paste((255, 255, 255), (left, top, right, bottom))
    pixels = fit_image(image, 240)[:, :, 0]
    rows, columns = np.nonzero(pixels > 127)
    seen_at = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    shares = to_square(np.array([[left, top, right, bottom]], float), np.array([size]))
    assert_allclose(shares[0] * 240, seen_at, atol=1.0)


def test_what_the_square_hardly_shows_is_left_out() -> None:
    shares = np.array([[0.2, 0.2, 0.4, 0.4], [-0.9, 0, 0.1, 1], [-0.4, 0, 0.6, 1], [1.1, 0, 2, 1]])
    cut, kept = seen(shares)
    assert kept.tolist() == [True, False, True, False]
    assert_allclose(cut[2], [0, 0, 0.6, 1])


def test_targets_are_taken_and_say_what_images_are_of() -> None:
    def box(class_id: int, **more: Any) -> dict[str, Any]:
        return {"class_id": class_id, "x": 1, "y": 2, "w": 3, "h": 4, **more}

    labels: list[dict[str, Any] | None] = [
        {"boxes": [box(7), box(9, crowd=True), box(9)]},
        {"boxes": []},
        None,
        {"boxes": [box(7)]},
    ]
    found = BoxTargets.of(labels, [7, 9], np.full((4, 2), 10))
    assert numbers(found.outputs()).tolist() == [1, -1, -1, 0]
    assert found.present().tolist() == [0, 1]
    part = found.take(np.array([3, 0, 1]))
    assert part.counts.tolist() == [1, 3, 0]
    assert part.classes.tolist() == [0, 0, 1, 1]
    assert part.crowd.tolist() == [False, False, True, False]
    again = BoxTargets(**part.arrays())
    assert_allclose(again.corners, [[1, 2, 4, 6]] * 4)


def test_one_row_of_many_is_taken_without_a_look_at_the_others() -> None:
    many = 200_000
    empty = np.zeros(0, dtype=np.int64)
    targets = BoxTargets(
        np.zeros((0, 4)), empty, empty == 1, empty == 1, np.zeros(many + 1, dtype=np.int64),
        np.ones((many, 2), dtype=np.int64),
    )  # fmt: skip
    tracemalloc.start()
    try:
        assert len(targets.take(np.array([many - 1]))) == 1
        assert tracemalloc.get_traced_memory()[1] < many
    finally:
        tracemalloc.stop()


def test_what_is_found_of_a_box_that_reaches_beyond_the_image_is_all_of_it() -> None:
    label = {"boxes": [{"class_id": 1, "x": -20, "y": 10, "w": 70, "h": 50}]}
    targets = BoxTargets.of([label], [1], np.array([[100, 100]]))
    detections = np.array([[[0, 0.1, 0.5, 0.6, 0.9, 0]]], dtype=np.float32)
    value, more = average_precision(detections, targets, [1])
    assert (value, more["map75"], more["ar100"]) == pytest.approx((1, 1, 1))


def test_proposals_lie_in_the_image_surest_first() -> None:
    detections = np.zeros((5, 6), dtype=np.float32)
    detections[:3] = [
        [0, 0, 0.5, 0.5, 0.4, 1],
        [0.5, 0.5, 1, 1, 0.9, 0],
        [0.1, 0.1, 0.1, 0.9, 0.8, 0],
    ]
    found = proposals(detections, 300, 200, [11, 22])
    assert found == [
        {"class_id": 11, "x": 150, "y": 100, "w": 100, "h": 100, "score": 0.9},
        {"class_id": 22, "x": 50, "y": 0, "w": 100, "h": 100, "score": 0.4},
    ]
