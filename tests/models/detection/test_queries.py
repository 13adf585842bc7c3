"""What is asked about by what a detector finds, against plain loops."""

import math
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from models.catalog.params.detection import BoxEntropyParams, BoxQueryParams, PalParams
from models.catalog.params.scores import ObjectsParams
from models.catalog.params.strategies import ExpectedValueParams
from models.informativeness import box_entropy
from models.protocols import Float32Array, PoolView
from models.purity import objects
from models.ranking.candidates import Candidates, LastAnswers, Prices
from models.ranking.pool_scores import PoolScores
from models.strategies import box_entropy as by_entropy
from models.strategies import expected_value, pal
from models.tasks.boxes.box_features import box_features
from models.tasks.boxes.entropy import right
from models.tasks.boxes.proposals import apart
from models.tasks.boxes.sides import POOLED, shapes
from tests.models.open_set import said

CLASSES = 2


def found(*rows: list[tuple[float, int]], at: float = 0.0) -> Float32Array:
    """(N, 6, 6) detections of scores and classes, beside each other."""
    detections = np.zeros((len(rows), 6, 6), dtype=np.float32)
    for row, ones in enumerate(rows):
        for place, (score, kind) in enumerate(ones):
            left = at + 0.15 * place
            detections[row, place] = (left, 0.1, left + 0.1, 0.3, score, kind)
    return detections


def candidates(
    detections: Float32Array,
    *,
    labels: list[int] | None = None,
    **more: Any,
) -> Candidates:
    count = len(detections)
    rows = np.eye(count, 4, dtype=np.float32)
    known = np.array([0, 1] if labels is None else labels)
    view = PoolView(
        logits=np.zeros((count, CLASSES), np.float32),
        embeddings=rows,
        labeled_logits=np.zeros((len(known), CLASSES), np.float32),
        labeled_embeddings=np.zeros((len(known), rows.shape[1]), np.float32),
        labels=said(known),
        classes=CLASSES,
        seed=0,
        detections=detections,
        indices=np.arange(count),
    )
    scores = PoolScores(
        np.arange(count), view.logits, np.zeros(count, np.float32),
        box_entropy.score(view, BoxEntropyParams()), detections=detections,
    )  # fmt: skip
    return replace(Candidates(scores, view), **more)


def open_by(score: float) -> float:
    p = score**2
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


WEAK = [(0.09, 0)] * 6
ONE = [(0.7, 0), (0.09, 1)]
THREE = [(0.7, 0), (0.6, 1), (0.5, 0), (0.3, 1), (0.3, 0)]


def test_weak_detections_say_nothing_and_the_most_open_count() -> None:
    view = candidates(found(WEAK, ONE, THREE)).view
    assert_allclose(
        box_entropy.score(view, BoxEntropyParams()),
        [0, open_by(0.7), open_by(0.7) + open_by(0.6) + open_by(0.5)],
        rtol=1e-5,
    )
    everything = BoxEntropyParams(aggregate="sum", least_score=0)
    assert_allclose(box_entropy.score(view, everything)[0], 6 * open_by(0.09), rtol=1e-5)
    mean = BoxEntropyParams(aggregate="mean")
    assert_allclose(
        box_entropy.score(view, mean)[2], sum(open_by(one) for one, _ in THREE) / 5, rtol=1e-5
    )
    largest = BoxEntropyParams(aggregate="max")
    assert_allclose(box_entropy.score(view, largest)[2], open_by(0.7), rtol=1e-5)


def test_a_picture_of_weak_detections_is_asked_about_last() -> None:
    seconds = BoxQueryParams(aggregate="per_second", look_seconds=2, box_seconds=3)
    one = candidates(found(WEAK, ONE, THREE))
    ranking = by_entropy.rank(one, 3, seconds)
    assert ranking.order[-1] == 0
    boxes = sum(score**2 for score, _ in THREE)
    assert_allclose(
        ranking.meta_scores[2],
        sum(open_by(score) for score, _ in THREE[:3]) / (2 + 3 * boxes),
        rtol=1e-5,
    )
    purity = objects.score(one.view, ObjectsParams())
    assert_array_equal(np.argsort(-purity), [2, 1, 0])
    assert_allclose(
        np.exp(purity[2]), -sum(math.log(1 - score**2) for score, _ in THREE), rtol=1e-4
    )


def test_what_drawing_takes_is_charged_once() -> None:
    detections = found(ONE, THREE)
    params = ExpectedValueParams(sharpness=0, floor=0.5, balance=0)
    one = candidates(detections, prices=Prices(9, 3, 5))
    gain = one.scores.informativeness - one.scores.informativeness.min()
    gain = gain + 0.5 * gain.mean()
    cost = 3 + 5 * right(detections).sum(axis=1)
    ranking = expected_value.rank(one, 2, params)
    assert_allclose(ranking.meta_scores, gain / cost, rtol=1e-4)
    assert ranking.surface is not None
    assert not ranking.surface.exact


def answers() -> LastAnswers:
    """Everything of the second class is wrong, and of the first what is below 0.6."""
    scores = np.random.default_rng(0).uniform(0.2, 0.8, (40, 6))
    then = found(*[[(one, place % 2) for place, one in enumerate(row)] for row in scores])
    judged = ((scores > 0.6) & (np.arange(6) % 2 == 0)).astype(np.int8)
    return LastAnswers(np.zeros(40, dtype=np.bool_), candidates(then).scores, None, judged)


def test_pal_learns_from_answers_which_detections_are_right() -> None:
    last = answers()
    now = found([(0.6, 0)], [(0.6, 1)], [(0.3, 0)])
    params = PalParams(diversity=0, rarity=0)
    fitted = pal.rank(candidates(now, last=last), 3, params)
    assert fitted.order[0] == 0
    assert fitted.notes == ()
    assert fitted.meta_scores[1] < fitted.meta_scores[0] / 2
    few = pal.rank(candidates(now, last=last), 3, PalParams(fewest=500, diversity=0, rarity=0))
    assert few.notes == (pal.UNFITTED_NOTE,)
    assert_allclose(few.meta_scores, [open_by(0.6), open_by(0.6), open_by(0.3)], rtol=1e-5)


def test_what_pal_knows_of_a_pool_fits_memory() -> None:
    """Of places that hold nothing, and of classes, there may be a hundred each."""
    images = 2_000
    detections = np.zeros((images, 100, 6), dtype=np.float32)
    detections[:, :6] = found(THREE)[0]
    many = candidates(detections, last=answers())
    many = replace(many, view=replace(many.view, classes=80))
    tracemalloc.start()
    try:
        ranking = pal.rank(many, 3, PalParams(diversity=0, rarity=0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ranking.notes == ()
    # A number for each class at each place would take 64,000 bytes an image.
    assert peak < 16_000 * images


def test_pal_looks_at_whole_images_when_asked() -> None:
    # The same entropies: of one class twice, and of two classes.
    both = candidates(found([(0.7, 0), (0.7, 0)], [(0.7, 0), (0.7, 1)]))
    plain = PalParams(diversity=0, rarity=0)
    assert pal.rank(both, 2, plain).order.tolist() == [0, 1]
    half = -0.5 * math.log(0.5)
    mixed = pal.rank(both, 2, plain.model_copy(update={"mixture": 1.0}))
    assert mixed.order.tolist() == [1, 0]
    assert_allclose(mixed.meta_scores / (2 * open_by(0.7)), [1, 1 + 2 * half / math.log(2)], 1e-5)
    varied = pal.rank(both, 2, plain.model_copy(update={"variety": 1.0}))
    assert varied.order.tolist() == [1, 0]
    p = 0.7**2
    there = [(1 - (1 - p) ** 2) / 2, p]
    assert_allclose(varied.meta_scores / (2 * open_by(0.7)), 1 + np.array(there), 1e-5)


def test_pal_prefers_rare_classes_and_what_is_not_like_its_picks() -> None:
    one, other = [(0.6, 0)], [(0.6, 1)]
    rare = candidates(found(one, other), labels=[0, 0, 0, 0, 1])
    assert pal.rank(rare, 2, PalParams(diversity=0)).order[0] == 1
    # The first two look alike, the third like neither, the last is of another class.
    rows = found([(0.7, 0)], [(0.68, 0)], [(0.6, 0)], [(0.45, 1)])
    spread = candidates(rows)
    assert pal.rank(spread, 3, PalParams(diversity=0, rarity=0)).order.tolist() == [0, 1, 2]
    by_class = PalParams(diversity=1, rarity=0)
    assert pal.rank(spread, 2, by_class).order.tolist() == [0, 3]
    looks = np.array([[1, 0], [1, 0], [-1, 1], [0, 0]], dtype=np.float32)
    spread = replace(spread, view=replace(spread.view, maps=maps_of(looks)))
    assert pal.rank(spread, 3, by_class).order.tolist()[:2] == [0, 2]


def maps_of(looks: Float32Array) -> np.ndarray:
    """(N, D) rows of images of 64 px, of one colour in each of the channels at stride 16."""
    shape = shapes(64)
    maps = [np.zeros((len(looks), *one), dtype=np.float16) for one in shape]
    maps[1][:, : looks.shape[1]] = looks[:, :, None, None]
    flat = [one.reshape(len(looks), -1) for one in maps]
    return np.concatenate([np.zeros((len(looks), POOLED), np.float16), *flat], axis=1)


def test_features_of_a_box_are_those_of_its_place() -> None:
    rows = maps_of(np.zeros((2, 1), dtype=np.float32)).astype(np.float32)
    start = POOLED + int(np.prod(shapes(64)[0]))
    # The first channel at stride 16 counts its 4 x 4 places.
    rows[1, start : start + 16] = np.arange(16)
    one = np.array([[0.25, 0.5, 0.75, 1.0, 0.9, 0], [0.9, 0.1, 1.0, 0.2, 0.9, 0]])
    features = box_features(rows, np.array([1]), one[None].astype(np.float32))
    assert features.shape == (1, 2, 112)
    assert features[0, :, 0].tolist() == [np.mean([9, 10, 13, 14]), 3]


def test_nested_suggestions_of_a_class_are_one() -> None:
    rows = np.array(
        [
            [0.1, 0.1, 0.9, 0.9, 0.9, 0],
            [0.2, 0.2, 0.5, 0.5, 0.8, 0],  # within the first
            [0.2, 0.2, 0.5, 0.5, 0.7, 1],  # of another class
            [0.8, 0.8, 1.0, 1.0, 0.6, 0],  # a quarter within
            [0.19, 0.19, 0.52, 0.52, 0.5, 1],  # around the third
        ],
        dtype=np.float32,
    )
    assert_allclose(apart(rows)[:, 4], [0.9, 0.7, 0.6])
    assert len(apart(rows[:0])) == 0


def test_pal_says_how_many_it_has_picked() -> None:
    told: list[tuple[int, int]] = []
    rows = found([(0.7, 0)], [(0.68, 0)], [(0.6, 0)])
    many = candidates(rows, progress=lambda *steps: told.append(steps))
    pal.rank(many, 3, PalParams())
    assert told == [(0, 3), (1, 3), (2, 3)]
