"""Localization against the formulas that the thesis and the papers it cites print."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy.special import softmax

from models.catalog.params.localize import LocalizeParams
from models.errors import Cancelled, ModelError
from models.features.embed import embed_pool
from models.media.images.store import PixelStore
from models.target.train import train_target
from models.tasks.localization import train as training
from models.tasks.localization.box_losses import BoxLoss, box_loss
from models.tasks.localization.boxes import Boxes, iou, localized
from models.tasks.localization.judge import OVERLAPS, figures, floors, look
from models.tasks.localization.looking import Looker, cam_boxes
from models.tasks.localization.map_box import box_of_map, enlarged_map, scaled_map
from models.tasks.localization.networks import Localizer, build_localizer
from models.tasks.localization.train import Examples, shifted, train_localizer

SIDE = 32
QUICK: dict[str, Any] = {
    "network": "cnn_tiny", "width": 8, "batch_size": 16, "steps": 120,
}  # fmt: skip


def pairs(count: int, seed: int) -> tuple[Boxes, Boxes]:
    rng = np.random.default_rng(seed)
    low, sides = rng.uniform(-0.2, 0.8, (2, count, 2)), rng.uniform(0.05, 0.6, (2, count, 2))
    boxes = np.concatenate([low, low + sides], axis=2)
    return boxes[0], boxes[1]


def iou_of(a: Any, b: Any) -> float:
    """Thesis, equation 3.5, of one pair of corners."""
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    areas = [(one[2] - one[0]) * (one[3] - one[1]) for one in (a, b)]
    return float(shared / (areas[0] + areas[1] - shared))


def loss_of(a: Any, b: Any, loss: BoxLoss, side: int, first: float, second: float) -> float:
    """The loss of one pair, in scalars."""
    total = 0.0
    for one, other in zip(a, b, strict=True):
        pixels = abs(one - other) * side
        total += (0.5 * pixels**2 if pixels < 1 else pixels - 0.5) / side / 4
    if loss != "l1":
        total += first * (1 - iou_of(a, b))
    if loss == "d_iou":
        centres = [((one[0] + one[2]) / 2, (one[1] + one[3]) / 2) for one in (a, b)]
        around = (
            min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]),
        )  # fmt: skip
        diagonal = math.hypot(around[2] - around[0], around[3] - around[1])
        total += second * math.dist(*centres) ** 2 / diagonal**2
    return total


def test_iou_is_that_of_the_thesis_and_of_degenerate_boxes_none() -> None:
    one, other = pairs(200, 0)
    assert_allclose(iou(one, other), [iou_of(a, b) for a, b in zip(one, other, strict=True)])
    assert iou(one, one).min() == pytest.approx(1)
    inverted, point = one[:, [2, 3, 0, 1]], one[:, [0, 1, 0, 1]]
    for degenerate in (inverted, point):
        assert_array_equal(iou(degenerate, other), 0)
    assert_array_equal(iou(point, point), 0)
    shares = sum(iou_of(a, b) >= 0.3 for a, b in zip(one, other, strict=True)) / 200
    assert localized(one, other, 0.3) == pytest.approx(shares)


@pytest.mark.parametrize("loss", ["l1", "l1_iou", "d_iou"])
def test_losses_are_those_of_their_papers_pair_by_pair(loss: BoxLoss) -> None:
    one, other = pairs(60, 1)
    found = box_loss(
        torch.from_numpy(one), torch.from_numpy(other), loss=loss, side=64, iou_weight=0.4,
        distance_weight=0.7,
    )  # fmt: skip
    expected = [loss_of(a, b, loss, 64, 0.4, 0.7) for a, b in zip(one, other, strict=True)]
    assert float(found) == pytest.approx(np.mean(expected))
    # Each pair has a diagonal of its own: what stands beside it in the batch changes nothing.
    alone = [
        float(
            box_loss(
                torch.from_numpy(one[[k]]), torch.from_numpy(other[[k]]), loss=loss, side=64,
                iou_weight=0.4, distance_weight=0.7,
            )
        )
        for k in range(60)
    ]  # fmt: skip
    assert_allclose(alone, expected)


def test_a_box_is_that_of_the_largest_part_of_a_map() -> None:
    heat = np.zeros((8, 8), dtype=np.float32)
    heat[1:3, 1:3], heat[4, 5], heat[5, 6], heat[6, 5:8], heat[7, 7] = 1, 0.5, 0.4, 0.3, 0.3
    # Six points that touch by corners are more than the four of the square.
    assert box_of_map(heat, 0.3) == (5, 4, 8, 8)
    assert box_of_map(heat, 0.45) == (1, 1, 3, 3)
    assert box_of_map(np.zeros((4, 4), dtype=np.float32), 0.2) is None
    assert scaled_map(np.full((3, 3), 7, dtype=np.float32)).max() == 0
    rng = np.random.default_rng(0)
    coarse = rng.standard_normal((8, 8)).astype(np.float32)
    fine = enlarged_map(coarse, 64)
    assert (fine.min(), fine.max(), fine.shape) == (0, 1, (64, 64))
    row, column = np.unravel_index(fine.argmax(), fine.shape)
    peak = np.unravel_index(coarse.argmax(), coarse.shape)
    assert (row // 8, column // 8) == peak


def test_boxes_move_with_their_images() -> None:
    """A box around a bright square is still around it, shifted and mirrored."""
    count = 40
    images, boxes = squares(count, 3)[:2]
    params = LocalizeParams.model_validate(QUICK)
    moved, where = shifted(
        torch.from_numpy(images).permute(0, 3, 1, 2),
        torch.from_numpy(boxes).float(), params, torch.Generator().manual_seed(0),
    )  # fmt: skip
    bright = moved.amax(dim=1).numpy() > 100
    changed = 0
    for number in range(count):
        rows, columns = np.nonzero(bright[number])
        seen = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        clipped = np.clip(where[number].numpy() * SIDE, 0, SIDE)
        assert_allclose(clipped, seen, atol=1e-4)
        changed += not np.allclose(where[number].numpy(), boxes[number])
    assert changed > count / 2


def squares(count: int, seed: int) -> tuple[NDArray[np.uint8], Boxes, NDArray[np.int64]]:
    """Pictures of one red or green square on dark noise, and where it is."""
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 60, (count, SIDE, SIDE, 3), dtype=np.uint8)
    classes, sides = rng.integers(0, 2, count), rng.integers(8, 18, (count, 2))
    corners = (rng.random((count, 2)) * (SIDE - sides)).astype(np.int64)
    for image, side, corner, kind in zip(images, sides, corners, classes, strict=True):
        across, down = slice(corner[0], corner[0] + side[0]), slice(corner[1], corner[1] + side[1])
        image[down, across, kind] = 220
    return images, np.concatenate([corners, corners + sides], axis=1) / SIDE, classes


@pytest.fixture(scope="module")
def square_store(tmp_path_factory: pytest.TempPathFactory) -> PixelStore:
    """300 pictures of squares, and 60 of nothing."""
    nothing = np.random.default_rng(9).integers(0, 256, (60, SIDE, SIDE, 3), dtype=np.uint8)
    path = tmp_path_factory.mktemp("squares") / "pixels.bin"
    with PixelStore.writer(path, SIDE) as writer:
        writer.write(0, np.concatenate([squares(300, 0)[0], nothing]))
    return PixelStore.open(path, SIDE, 360)


def learned(
    store: PixelStore, params: LocalizeParams, method: str, **how: Any
) -> tuple[Localizer, Boxes, NDArray[np.int64]]:
    _, boxes, classes = squares(300, 0)
    examples = Examples(store[slice(0, 200)], classes[:200], boxes[:200], store[slice(300, 360)])
    network = build_localizer(params, store=store, classes=2, seed=0)
    network.begin_with(examples.boxes.mean(axis=0))
    return train_localizer(network, examples, params, method, seed=0, **how), boxes, classes


@pytest.mark.parametrize("method", ["standard", "taufe"])
def test_a_regressed_box_is_better_than_any_guess(square_store: PixelStore, method: str) -> None:
    how = {"localize": "regression", "loss": "d_iou", "steps": 300, "learning_rate": 0.02}
    params = LocalizeParams(**(QUICK | how))
    network, boxes, classes = learned(square_store, params, method)
    judged = np.arange(200, 300)
    found = figures(
        look(network, square_store, judged, classes[judged], params), boxes[judged],
        classes[judged], params, SIDE,
    )  # fmt: skip
    guessed = floors(boxes[:200], boxes[judged], params)
    assert found["iou"] > 1.3 * max(one["iou"] for one in guessed.values())
    assert len(found["overlaps"]) == len(OVERLAPS)
    assert found["overlaps"][OVERLAPS.index(0.5)] == found["localized"]
    assert "accuracy" not in found


def test_a_classifier_of_classes_alone_shows_where_they_are(
    square_store: PixelStore, tmp_path: Path
) -> None:
    params = LocalizeParams(**QUICK, flip=False)
    network, boxes, classes = learned(square_store, params, "taufe")
    judged = np.arange(200, 300)
    seen = look(network, square_store, judged, classes[judged], params)
    found = figures(seen, boxes[judged], classes[judged], params, SIDE)
    assert found["accuracy"] > 0.9
    # The best threshold is chosen on what judges, so it is never worse than the fixed one.
    assert found["max_box_acc"] >= found["localized"]
    assert found["max_box_acc"] == max(found["thresholds"])
    guessed = floors(boxes[:200], boxes[judged], params)
    assert found["max_box_acc"] > max(one["localized"] for one in guessed.values())
    # Class activation maps as Zhou et al. print them: M_c(x, y) = sum over k of w_k^c f_k(x, y).
    pixels = torch.from_numpy(square_store[judged[:3]]).permute(0, 3, 1, 2).float() / 255
    with torch.no_grad():
        activations = network.map(pixels)
    assert seen.maps is not None
    for number in range(3):
        weights = network.head.weight[classes[judged[number]]].tolist()
        expected = sum(w * activations[number, k] for k, w in enumerate(weights))
        assert isinstance(expected, torch.Tensor)
        assert_allclose(seen.maps[number], expected.detach().numpy(), atol=1e-4)
    summed = look(
        network, square_store, judged[:3], classes[:3], params.model_copy(update={"map": "sum"})
    )
    assert summed.maps is not None
    assert_allclose(summed.maps, activations.sum(dim=1).numpy(), rtol=1e-3)
    # What is saved says the same again.
    network.save(tmp_path / "one.safetensors", "localize", params.model_dump())
    again = look(
        Localizer.load(tmp_path / "one.safetensors"), square_store, judged, classes[judged], params
    )
    assert_array_equal(again.boxes, seen.boxes)


def test_a_map_on_which_nothing_stands_out_is_the_whole_image(square_store: PixelStore) -> None:
    params = LocalizeParams(**QUICK)
    network = build_localizer(params, store=square_store, classes=2, seed=0).eval()
    with torch.no_grad():
        network.head.weight.zero_()
    seen = look(network, square_store, np.arange(5), np.zeros(5, dtype=np.int64), params)
    assert seen.constant == 5
    assert_array_equal(seen.boxes, np.tile([0, 0, 1, 1], (5, 1)))


@pytest.mark.parametrize("penalty", ["pooled", "map"])
def test_a_training_that_was_stopped_goes_on_to_the_same_weights(
    square_store: PixelStore, tmp_path: Path, penalty: str
) -> None:
    params = LocalizeParams(**{**QUICK, "steps": 30, "penalty": penalty})
    whole, *_ = learned(square_store, params, "taufe")
    checkpoint = tmp_path / "state.safetensors"

    def stop(step: int, _: int) -> None:
        if step == 20:
            raise Cancelled

    with pytest.raises(Cancelled):
        learned(square_store, params, "taufe", checkpoint=checkpoint, progress=stop)
    resumed, *_ = learned(square_store, params, "taufe", checkpoint=checkpoint)
    for name, value in whole.state_dict().items():
        assert_array_equal(value.numpy(), resumed.state_dict()[name].numpy())


def test_all_methods_see_the_same_images_in_the_same_places(
    square_store: PixelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    views: dict[str, list[NDArray[np.float32]]] = {}
    for method in ("standard", "oat", "taufe"):
        seen = views.setdefault(method, [])

        def watched(images: Any, boxes: Any, *rest: Any, seen: Any = seen) -> Any:
            moved = shifted(images, boxes, *rest)
            seen.append(moved[1].numpy())
            return moved

        monkeypatch.setattr(training, "shifted", watched)
        learned(square_store, LocalizeParams(**{**QUICK, "steps": 4}), method)
    # Every second call of the others is for the OOD images.
    for method in ("oat", "taufe"):
        assert_array_equal(views[method][::2], views["standard"])


def test_oat_is_refused_for_boxes_with_the_reason(square_store: PixelStore) -> None:
    with pytest.raises(ValidationError, match="class probabilities"):
        LocalizeParams(localize="regression", oat=1.0)
    params = LocalizeParams(**QUICK, localize="regression")
    assert params.methods == ("standard", "taufe")
    with pytest.raises(ModelError, match="class probabilities"):
        learned(square_store, params, "oat")


@pytest.mark.parametrize("name", ["cnn_tiny", "efficientnet_lite0", "auto"])
def test_saved_classifiers_say_where_they_look(
    square_store: PixelStore, tmp_path: Path, name: str
) -> None:
    """The mean of a map is its logit but for the constant, however the model is made.

    Those that are frozen were embedded in half precision, where the processor has it.
    """
    params = {"width": 8, "steps": 60, "batch_size": 16} if name == "cnn_tiny" else {"l2": 1.0}
    count = 120 if name == "cnn_tiny" else 60
    rows, (_, _, classes), out = np.arange(count), squares(300, 0), None
    embeddings = None
    store = square_store.take(np.arange(count + 12)) if name != "cnn_tiny" else square_store
    if name != "cnn_tiny":
        out = tmp_path / f"{name}.npy"
        embed_pool(store, name, params, out=out, seed=0)
        embeddings = np.load(out)
    model = train_target(
        store, rows, classes[rows], classes=2, name=name, params=params, seed=0,
        embeddings=embeddings,
    )  # fmt: skip
    model.save(tmp_path / "model.safetensors")
    tested = np.arange(count, count + 12)
    looker = Looker.load(tmp_path / "model.safetensors", SIDE, out)
    seen = [looker.look(store[tested], np.full(12, output)) for output in (0, 1)]
    logits = model.infer(tested).logits
    means = (seen[1].maps - seen[0].maps).mean(axis=(1, 2))
    apart = logits[:, 1] - logits[:, 0]
    assert_allclose(means - means[0], apart - apart[0], atol=0.25)
    assert_allclose(seen[0].probabilities, softmax(logits, axis=1), atol=0.02)
    assert_array_equal(seen[0].probabilities.argmax(axis=1), logits.argmax(axis=1))
    sizes = np.tile([2 * SIDE + 20, 2 * SIDE], (12, 1))
    for box in cam_boxes(looker, store[tested], sizes, store.frame):
        assert box is not None
        # The square is the middle of the picture.
        assert 10 <= box.x < box.x + box.w <= 2 * SIDE + 10
        assert 0 <= box.y < box.y + box.h <= 2 * SIDE
        assert 0.5 <= box.score <= 1


def test_features_without_a_place_are_refused(noise_store: PixelStore, tmp_path: Path) -> None:
    out = tmp_path / "features.npy"
    embed_pool(noise_store, "patch_kmeans", {"features": 16}, out=out, seed=0)
    model = train_target(
        noise_store, np.arange(20), np.arange(20) % 2, classes=2, name="patch_kmeans",
        params={"features": 16}, seed=0, embeddings=np.load(out),
    )  # fmt: skip
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="no place on the image"):
        Looker.load(tmp_path / "model.safetensors", 8, out)
