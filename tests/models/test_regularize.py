"""What the comparison of regularizers is judged by, and what it is refused for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from pytorch_ood.metrics.functional import aupr, auroc, fpr_at_tpr

from models.catalog import validate
from models.catalog.params.regularize import METHODS, TaufeParams
from models.errors import ModelError
from models.evaluation.evaluate import class_similarity
from models.evaluation.ood_detection import ood_detection
from models.features.tsne import planar_map
from models.media.images.store import PixelStore
from models.regularization.doubts import doubts_of_ood
from models.regularization.judging import draw, drawing, measure
from models.regularization.parts import Parts, divide
from models.regularization.training import settings_of as settings_by_method
from models.regularization.training import train_method
from models.target.trained import NetworkModel
from tests.models.open_set import numbers

PARAMS = TaufeParams(network="cnn_tiny", width=8, steps=40, batch_size=32, flip=False)
NONE = np.empty(0, dtype=np.int64)


@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_ood_detection_equals_the_library(shift: float) -> None:
    rng = np.random.default_rng(0)
    inside, ood = rng.normal(shift, 1, 400).astype("f"), rng.normal(0, 1, 300).astype("f")
    outlying = torch.from_numpy(-np.concatenate([inside, ood]))
    labels = torch.cat([torch.zeros(400), -torch.ones(300)]).long()
    found = ood_detection(inside, ood)
    assert found.auroc == pytest.approx(float(auroc(outlying, labels)))
    assert found.aupr_out == pytest.approx(float(aupr(outlying, labels, "ood")), abs=5e-3)
    # The thesis finds in-distribution examples, and theirs OOD: turned round.
    reference = fpr_at_tpr(-outlying, -1 - labels, 0.95)
    assert found.fpr95 == pytest.approx(float(reference))


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 12), st.integers(0, 1000))
def test_class_similarity_equals_the_mean_over_pairs(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, labels = rng.standard_normal((count, 3)).astype("f"), rng.integers(0, 3, count)
    cosines = [
        float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        for i, a in enumerate(rows)
        for j, b in enumerate(rows)
        if labels[i] != labels[j]
    ]
    found = class_similarity(rows, labels)
    if cosines:
        assert found == pytest.approx(sum(cosines) / len(cosines), abs=1e-5)
    else:
        assert np.isnan(found)


def test_the_map_keeps_clusters_apart_and_survives_degenerate_input() -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(10 * np.eye(3), 30, axis=0) + 0.1 * rng.standard_normal((90, 3))
    points = planar_map(rows.astype("f"), seed=0)
    centers = points.reshape(3, 30, 2).mean(axis=1)
    spread = np.linalg.norm(points.reshape(3, 30, 2) - centers[:, None], axis=2).max()
    gaps = [np.linalg.norm(centers[i] - centers[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert min(gaps) > 2 * spread
    assert np.abs(points).max() == pytest.approx(1)
    for few in (rows[:0], rows[:3], np.ones((9, 3))):
        assert_array_equal(planar_map(few.astype("f"), seed=0), np.zeros((len(few), 2)))


def parts_of(
    labels: NDArray[np.int64], *, evaluation: bool = True, **params: Any
) -> tuple[Parts, NDArray[np.int64]]:
    """Digits 0 to 5 are in-distribution; 6 and 7 were called OOD, 8 and 9 imported as OOD."""
    answered, rest = np.arange(500), np.arange(1000, 1797)
    known = labels[:500]
    inside, tested = answered[known < 6], rest[labels[rest] < 6]
    nothing = NONE if not evaluation else tested
    parts = divide(
        inside, labels[inside], answered[(known == 6) | (known == 7)], answered[known > 7],
        nothing, labels[nothing], PARAMS.model_copy(update=params), seed=3,
    )  # fmt: skip
    return parts, inside


def test_nothing_is_both_learned_from_and_judged_by(digit_labels: NDArray[np.int64]) -> None:
    for evaluation in (True, False):
        parts, inside = parts_of(digit_labels, evaluation=evaluation)
        assert parts.judged_on == ("evaluation" if evaluation else "held_out")
        learned = np.concatenate([parts.inside, parts.verdicts, parts.auxiliary])
        judged = np.concatenate([parts.test, parts.test_ood])
        assert len(np.intersect1d(learned, judged)) == 0
        assert 0.1 < len(parts.test_ood) / (digit_labels[:500] >= 6).sum() < 0.3
        if evaluation:
            assert_array_equal(parts.inside, inside)
        assert_array_equal(parts.labels, digit_labels[parts.inside])
        assert_array_equal(parts.test_labels, digit_labels[parts.test])


def test_a_handful_of_ood_images_is_doubted(digit_labels: NDArray[np.int64]) -> None:
    parts, _ = parts_of(digit_labels)
    assert doubts_of_ood(parts, PARAMS) == ()
    ten = replace(parts, verdicts=parts.verdicts[:4], auxiliary=parts.auxiliary[:6])
    assert doubts_of_ood(ten, PARAMS) == ()
    (few,) = doubts_of_ood(replace(ten, auxiliary=parts.auxiliary[:5]), PARAMS)
    assert "fewer than 10 OOD images (9, ood_from = both)" in few
    assert "split auxiliary_ood" in few
    (unjudged,) = doubts_of_ood(replace(ten, test_ood=NONE), PARAMS)
    assert "No OOD image is left to judge by" in unjudged


def test_more_answers_leave_what_was_held_out_held_out(digit_labels: NDArray[np.int64]) -> None:
    inside = np.flatnonzero(digit_labels < 6)
    ood = np.flatnonzero(digit_labels >= 6)

    def held(count: int) -> set[int]:
        parts = divide(
            inside[:count], digit_labels[inside[:count]], ood[:count], NONE, NONE, NONE, PARAMS,
            seed=0,
        )  # fmt: skip
        return set(parts.test.tolist()) | set(parts.test_ood.tolist())

    assert held(100) == {
        index for index in held(300) if index in set(inside[:100]) | set(ood[:100])
    }


def test_a_class_keeps_its_only_example() -> None:
    inside = np.arange(40)
    labels = np.array([0] * 38 + [1, 2])
    for seed in range(20):
        params = PARAMS.model_copy(update={"held_out": 0.9})
        parts = divide(inside, labels, np.array([50]), NONE, NONE, NONE, params, seed=seed)
        assert set(parts.labels.tolist()) == {0, 1, 2}
        assert len(parts.verdicts) == 1


@pytest.mark.parametrize(
    ("labels", "verdicts", "auxiliary", "ood_from", "fault"),
    [
        ([0, 0], [5], [], "both", "Fewer than two classes"),
        ([], [5], [], "both", "Fewer than two classes"),
        ([0, 1], [], [], "both", "no OOD image"),
        ([0, 1], [5], [], "auxiliary_ood", "auxiliary_ood"),
        ([0, 1], [], [5], "verdicts", "ood_from = verdicts"),
    ],
)
def test_what_is_missing_is_said_before_training(
    labels: list[int], verdicts: list[int], auxiliary: list[int], ood_from: str, fault: str
) -> None:
    params = PARAMS.model_copy(update={"ood_from": ood_from})
    known, called, imported = (
        np.array(rows, dtype=np.int64) for rows in (labels, verdicts, auxiliary)
    )
    with pytest.raises(ModelError, match=fault):
        divide(np.arange(len(known)), known, called, imported, NONE, NONE, params, seed=0)


def test_three_methods_differ_in_one_thing(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    parts, _ = parts_of(digit_labels)
    chosen, labels = drawing(parts, seed=0)
    assert set(numbers(labels).tolist()) == {-1, 0, 1, 2, 3, 4, 5}
    assert_array_equal(digit_labels[chosen] >= 6, labels.is_ood)
    found = {}
    for method in METHODS:
        model = train_method(method, digit_store, parts, PARAMS, classes=6, seed=1)
        found[method] = measure(model, parts, PARAMS, seed=0)
        points = draw(model, chosen[:40], seed=0)
        assert len(points) == 40
        assert all(-1 <= value <= 1 for point in points for value in point)
    assert len({one["accuracy"] for one in found.values()}) > 1
    for one in found.values():
        assert one["accuracy"] > 0.4
        assert len(one["per_class"]) == 6
        assert -1 <= one["similarity"] <= 1
        for score in ("msp", "energy"):
            assert all(0 <= value <= 1 for value in one[score].values())


def test_the_settings_of_a_method_are_those_of_a_model() -> None:
    params = PARAMS.model_copy(update={"taufe": 0.5, "oat": 2.0, "ood_from": "verdicts"})
    chosen = settings_by_method(params, 32)
    filled = {
        method: validate("model", one["name"], one["params"]) for method, one in chosen.items()
    }
    assert {m: (one["taufe"], one["oat"]) for m, one in filled.items()} == {
        "standard": (0, 0), "oat": (0, 2.0), "taufe": (0.5, 0),
    }  # fmt: skip
    assert all(one["width"] == 8 and one["ood_from"] == "verdicts" for one in filled.values())


@pytest.mark.parametrize(
    ("given", "side", "taufe", "rate"),
    [
        ({}, 32, 0.1, 0.1),
        ({"network": "cnn_tiny"}, 64, 0.01, 0.05),
        ({"network": "timm"}, 224, 0.01, 0.01),
        ({"network": "timm", "mode": "scratch"}, 224, 0.01, 0.1),
        ({"network": "timm", "taufe": 2.0, "learning_rate": 0.3}, 224, 2.0, 0.3),
    ],
)
def test_what_is_left_empty_suits_the_images_and_the_network(
    given: dict[str, Any], side: int, taufe: float, rate: float
) -> None:
    chosen = settings_by_method(TaufeParams(**given), side)["taufe"]["params"]
    assert (chosen["taufe"], chosen["learning_rate"]) == (taufe, rate)


def test_a_network_of_large_images_is_trained_with_the_weight_that_suits_them(
    tmp_path: Path,
) -> None:
    with PixelStore.writer(tmp_path / "pixels.bin", 64) as writer:
        writer.write(0, np.random.default_rng(0).integers(0, 256, (8, 64, 64, 3), dtype=np.uint8))
    store = PixelStore.open(tmp_path / "pixels.bin", 64, 8)
    params = TaufeParams(network="cnn_tiny", width=4, steps=1, batch_size=2)
    known = np.array([0, 1, 0, 1])
    parts = divide(np.arange(4), known, np.arange(4, 8), NONE, NONE, NONE, params, seed=0)
    model = train_method("taufe", store, parts, params, classes=2, seed=0)
    assert isinstance(model, NetworkModel)
    assert model.params["taufe"] == 0.01
