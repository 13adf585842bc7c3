"""Boxes of images, and what of them the square shows that a model sees."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from models.frame import CROPPED, Frame
from models.tasks.boxes.fit import seen
from models.tasks.boxes.matching import hits, visible
from models.tasks.boxes.measure import average_precision
from models.tasks.boxes.proposals import proposals
from models.tasks.boxes.targets import BoxTargets
from tests.models.open_set import numbers


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
    value, more = average_precision(detections, targets, [1], CROPPED)
    assert (value, more["map75"], more["ar100"]) == pytest.approx((1, 1, 1))


def test_proposals_lie_in_the_image_surest_first() -> None:
    detections = np.zeros((5, 6), dtype=np.float32)
    detections[:3] = [
        [0, 0, 0.5, 0.5, 0.4, 1],
        [0.5, 0.5, 1, 1, 0.9, 0],
        [0.1, 0.1, 0.1, 0.9, 0.8, 0],
    ]
    found = proposals(detections, 300, 200, [11, 22], CROPPED)
    assert found == [
        {"class_id": 11, "x": 150, "y": 100, "w": 100, "h": 100, "score": 0.9},
        {"class_id": 22, "x": 50, "y": 0, "w": 100, "h": 100, "score": 0.4},
    ]


def test_what_lies_at_the_side_is_there_for_who_sees_the_whole_image() -> None:
    label = {"boxes": [{"class_id": 1, "x": 10, "y": 40, "w": 60, "h": 80}]}
    targets = BoxTargets.of([label], [1], np.array([[400, 200]]))
    assert len(visible(targets, 0, Frame(64))[0]) == 0
    whole = Frame(64, "pad")
    ((left, top, right, bottom),) = visible(targets, 0, whole)[0].tolist()
    assert (left, top, right, bottom) == pytest.approx((0.025, 0.35, 0.175, 0.55))
    found = np.array([[[left, top, right, bottom, 0.9, 0]]], dtype=np.float32)
    assert hits(found, targets, whole).tolist() == [[1]]
    assert average_precision(found, targets, [1], whole)[0] == pytest.approx(1)
    (proposed,) = proposals(found[0], 400, 200, [1], whole)
    assert proposed == {"class_id": 1, "x": 10, "y": 40, "w": 60, "h": 80, "score": 0.9}
    # What is found beside the image is cut off at its edge.
    (cut,) = proposals(np.array([[0, 0, 1, 0.5, 0.9, 0]], np.float32), 400, 200, [1], whole)
    assert (cut["y"], cut["h"]) == (0, 100)
