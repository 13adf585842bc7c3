"""Detectors learn shapes, go on where they stopped, and leave Karat as a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from models.catalog import parse
from models.errors import Cancelled, ModelError
from models.features.embed import embed_pool
from models.frame import CROPPED
from models.media.images.store import PixelStore
from models.protocols import Indices, Outputs, Progress
from models.tasks.base import Training
from models.tasks.boxes.export import Exported, export
from models.tasks.boxes.learner import LEARNER
from models.tasks.boxes.matching import hits, losses
from models.tasks.boxes.model import blank
from tests.shapes import scene, stored

TRAIN, JUDGED = 24, 12
NOTHING = np.empty(0, dtype=np.int64)
SCENES = [scene(seed) for seed in range(TRAIN + JUDGED)]
TARGETS: Any = LEARNER.targets(
    [one.label() for one in SCENES], [1, 2], np.full((len(SCENES), 2), 64)
)
# At their own size images cost a quarter of what they do enlarged.
QUICK = {
    "fcos": {"steps": 60, "batch_size": 4, "precision": "float32", "input_size": 64},
    "fcos_scratch": {"steps": 70, "batch_size": 4, "precision": "float32", "width": 32},
}
both = pytest.mark.parametrize("name", list(QUICK))


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> PixelStore:
    return stored(SCENES, tmp_path_factory.mktemp("pool") / "pixels.u8")


@pytest.fixture(scope="module")
def rows(pool: PixelStore) -> Any:
    out = pool.path.with_name("fcos.npy")
    embed_pool(pool, "fcos", QUICK["fcos"], out=out, seed=0)
    return np.load(out, mmap_mode="r")


def learn(
    name: str,
    pool: PixelStore,
    rows: Any,
    *,
    examples: Indices | None = None,
    targets: Any = TARGETS,
    ood: Indices = NOTHING,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
    processes: int = 1,
    **params: Any,
) -> Any:
    indices = np.arange(TRAIN) if examples is None else examples
    return LEARNER.train(
        Training(
            pool, indices, targets.take(indices), classes=2, name=name,
            params={**QUICK[name], **params}, seed=3, ood_indices=ood, auxiliary_indices=NOTHING,
            embeddings=rows, checkpoint=checkpoint, progress=progress,
            processes=processes,
        )
    )  # fmt: skip


def judged(model: Any) -> Outputs:
    outputs: Outputs = model.infer(np.arange(TRAIN, TRAIN + JUDGED))
    return outputs


@both
def test_boxes_are_found_and_kept_in_a_file(
    name: str, pool: PixelStore, rows: Any, tmp_path: Path
) -> None:
    model = learn(name, pool, rows)
    outputs = judged(model)
    truth = TARGETS.take(np.arange(TRAIN, TRAIN + JUDGED))
    found = LEARNER.metrics(outputs, truth, [1, 2])
    assert found.headline == "mAP"
    assert found.value is not None
    assert found.value > 0.2
    assert found.more["map50"] > 0.5
    few = judged(learn(name, pool, rows, steps=2))
    worse = LEARNER.metrics(few, truth, [1, 2])
    assert worse.value is None or worse.value < found.value
    assert LEARNER.losses(outputs, truth).mean() < LEARNER.losses(few, truth).mean()
    assert (LEARNER.losses(outputs, truth) >= 0).all()

    detections = outputs.detections
    assert detections is not None
    assert detections.shape == (JUDGED, 100, 6)
    assert (np.diff(detections[:, :, 4]) <= 0).all()
    # What an image is told by is its surest detection, of each class.
    surest = detections[np.arange(JUDGED), 0]
    assert_allclose(1 / (1 + np.exp(-outputs.logits.max(axis=1))), surest[:, 4], rtol=1e-4)

    model.save(tmp_path / "model.safetensors")
    again = judged(LEARNER.restore(tmp_path / "model.safetensors", pool, embeddings=rows))
    whole = PixelStore.open(pool.path, pool.size, len(pool), fit="pad")
    with pytest.raises(ModelError, match="on middle squares of images and the pool has whole"):
        LEARNER.restore(tmp_path / "model.safetensors", whole, embeddings=rows)
    assert_array_equal(again.detections, detections)
    assert_array_equal(again.embeddings, outputs.embeddings)
    outside = tmp_path / "detector.pt2"
    export(tmp_path / "model.safetensors", outside)
    _looks_alike(outside, pool, outputs)


def _looks_alike(file: Path, pool: PixelStore, outputs: Outputs) -> None:
    """The file finds what the model finds, in pixels of the square."""
    detector = torch.export.load(file).module()
    assert outputs.detections is not None
    for place in range(4):
        image = torch.from_numpy(pool[[TRAIN + place]][0]).permute(2, 0, 1)
        boxes, scores, labels = detector(image)
        ours = outputs.detections[place]
        ours = ours[ours[:, 4] > 0.2]
        assert_allclose(scores[: len(ours)], ours[:, 4], atol=0.02)
        assert_allclose(boxes[: len(ours)], ours[:, :4] * 64, atol=1.0)
        assert_array_equal(labels[: len(ours)], ours[:, 5])


def test_a_file_finds_what_the_model_finds_in_full_pictures() -> None:
    params = parse("model", "fcos_scratch", {})
    detector = blank("fcos_scratch", params, classes=2, image_size=100, seed=0).cpu().eval()
    with torch.no_grad():
        # Something everywhere, in sizes that overlap.
        detector.head.classification_head.cls_logits.bias.fill_(1.0)
        detector.head.regression_head.bbox_reg.bias.fill_(5.0)
        image = torch.from_numpy(scene(0, side=100).pixels).permute(2, 0, 1)
        [ours], _, _ = detector.detect(image[None])
        boxes, scores, labels = Exported(detector, None, 100)(image)
    assert len(scores) == 100
    assert_allclose(scores, ours["scores"], rtol=1e-5)
    assert_allclose(boxes, ours["boxes"] * (100 / 112), atol=1e-3)
    assert_array_equal(labels, ours["labels"])


@both
def test_what_was_cancelled_goes_on_to_the_same_model(
    name: str, pool: PixelStore, rows: Any, tmp_path: Path
) -> None:
    def stop(step: int, steps: int) -> None:
        assert steps == 20
        if step == 10:
            raise Cancelled

    whole = learn(name, pool, rows, steps=20)
    part = tmp_path / "training.safetensors"
    with pytest.raises(Cancelled):
        learn(name, pool, rows, steps=20, checkpoint=part, progress=stop)
    assert part.exists()
    started: list[int] = []

    def look(step: int, steps: int) -> None:
        assert steps == 20
        started.append(step)

    resumed = learn(name, pool, rows, steps=20, checkpoint=part, progress=look)
    assert started[0] == 10
    for key, value in whole.detector.state_dict().items():
        assert torch.equal(value, resumed.detector.state_dict()[key]), key


def test_images_of_none_teach_that_nothing_is_there(pool: PixelStore, rows: Any) -> None:
    few = np.arange(TRAIN // 2)
    none = np.arange(TRAIN // 2, TRAIN)
    without = learn("fcos", pool, rows, examples=few).infer(none)
    taught = learn("fcos", pool, rows, examples=few, ood=none).infer(none)
    ignored = learn("fcos", pool, rows, examples=few, ood=none, ood_as_empty=False).infer(none)
    assert taught.logits.max(axis=1).mean() < without.logits.max(axis=1).mean() - 1
    assert_array_equal(ignored.logits, without.logits)
    # Of crowds nobody says what is where.
    crowds = [{"class_id": one, "x": 0, "y": 0, "w": 64, "h": 64, "crowd": True} for one in (1, 2)]
    labels = [one.label() for one in SCENES[: TRAIN // 2]] + [{"boxes": crowds}] * (TRAIN // 2)
    targets: Any = LEARNER.targets(labels, [1, 2], np.full((TRAIN, 2), 64))
    unsaid = learn("fcos", pool, rows, targets=targets).infer(none)
    assert taught.logits.max(axis=1).mean() < unsaid.logits.max(axis=1).mean() - 1


def test_maps_are_made_once_and_grow_with_the_pool(
    pool: PixelStore, rows: Any, tmp_path: Path
) -> None:
    assert rows.dtype == np.float16
    # 1,280 features, and 40, 112 and 320 channels at strides 8, 16 and 32.
    assert rows.shape[1] == 1280 + 40 * 8**2 + 112 * 4**2 + 320 * 2**2
    # Small images are looked at at 128 px, where nothing else is asked for.
    embed_pool(PixelStore.open(pool.path, pool.size, 2), "fcos", {}, out=tmp_path / "x", seed=0)
    assert np.load(tmp_path / "x").shape[1] == 1280 + 40 * 16**2 + 112 * 8**2 + 320 * 4**2
    out = tmp_path / "maps.npy"
    first = PixelStore.open(pool.path, pool.size, 10)
    embed_pool(first, "fcos", {**QUICK["fcos"], "steps": 5}, out=out, seed=0)
    looked: list[int] = []

    def look(step: int, steps: int) -> None:
        assert steps == len(pool)
        looked.append(step)

    # Nothing of what only training depends on makes other maps.
    embed_pool(pool, "fcos", {**QUICK["fcos"], "steps": 9}, out=out, seed=1, progress=look)
    assert looked[0] == 10
    assert_allclose(np.load(out), rows, atol=0.05, rtol=0.02)
    with pytest.raises(ModelError, match="embed with other parameters into another file"):
        embed_pool(pool, "fcos", {"input_size": 256}, out=out, seed=0)


def test_cancelled_looking_goes_on(pool: PixelStore, rows: Any, tmp_path: Path) -> None:
    out = tmp_path / "maps.npy"

    def stop(step: int, steps: int) -> None:
        assert step < steps
        raise Cancelled

    with pytest.raises(Cancelled):
        embed_pool(pool, "fcos", {"input_size": 64}, out=out, seed=0, progress=stop)
    assert not out.exists()
    embed_pool(pool, "fcos", QUICK["fcos"], out=out, seed=0)
    assert_array_equal(np.load(out), rows)


def test_without_boxes_there_is_nothing_to_learn(pool: PixelStore, rows: Any) -> None:
    empty = LEARNER.targets([{"boxes": []}] * 2, [1, 2], np.full((2, 2), 64))
    with pytest.raises(ModelError, match="draw some first"):
        LEARNER.train(
            Training(
                pool, np.arange(2), empty, classes=2, name="fcos", params={"input_size": 64},
                seed=0, ood_indices=NOTHING, auxiliary_indices=NOTHING, embeddings=rows,
            )
        )  # fmt: skip
    with pytest.raises(ModelError, match="choose the model fcos"):
        LEARNER.train(
            Training(
                pool, np.arange(2), TARGETS.take(np.arange(2)), classes=2, name="cnn_tiny",
                params={}, seed=0, ood_indices=NOTHING, auxiliary_indices=NOTHING,
            )
        )  # fmt: skip


def test_each_box_is_hit_once_and_by_its_class() -> None:
    truth: Any = LEARNER.targets(
        [{"boxes": [{"class_id": 1, "x": 0, "y": 0, "w": 32, "h": 32}]}],
        [1, 2],
        np.array([[64, 64]]),
    )
    there = [0, 0, 0.5, 0.5]
    rows = [[*there, 0.6, 0], [*there, 0.9, 0], [*there, 0.95, 1], [0.5, 0.5, 1, 1, 0.3, 0]]
    found = np.zeros((1, 6, 6), dtype=np.float32)
    found[0, :4] = rows
    assert hits(found, truth, CROPPED).tolist() == [[0, 1, 0, 0, -1, -1]]


def test_what_lies_in_a_crowd_of_its_class_is_neither_right_nor_wrong() -> None:
    everywhere = {"class_id": 1, "x": 0, "y": 0, "w": 64, "h": 64, "crowd": True}
    truth: Any = LEARNER.targets([{"boxes": [everywhere]}], [1, 2], np.array([[64, 64]]))
    outputs = np.zeros((1, 3, 6), dtype=np.float32)
    outputs[0, :2] = [[0.1, 0.1, 0.6, 0.6, 0.9, 0], [0.5, 0, 0.6, 0.2, 0.8, 0]]
    assert hits(outputs, truth, CROPPED).tolist() == [[-1, -1, -1]]
    assert losses(outputs, truth, CROPPED).tolist() == [0]
    outputs[0, 1, 5] = 1
    assert hits(outputs, truth, CROPPED).tolist() == [[-1, 0, -1]]


def test_two_processes_learn_what_one_does(pool: PixelStore, rows: Any, tmp_path: Path) -> None:
    # A part of the examples holds nothing, so that shares of a batch differ in what they hold.
    shown: Any = {"examples": np.arange(4, TRAIN), "ood": np.arange(4)}
    one = judged(learn("fcos", pool, rows, **shown, steps=8))
    part = tmp_path / "work" / "training.safetensors"
    part.parent.mkdir()
    two = judged(learn("fcos", pool, rows, **shown, steps=8, checkpoint=part, processes=2))
    assert list(part.parent.iterdir()) == []
    early = judged(learn("fcos", pool, rows, **shown, steps=1))
    learned = np.abs(one.logits - early.logits).max()
    assert learned > 0.1
    # Sums in another order: AdamW makes more of it than rounding where a gradient is near nothing.
    assert np.abs(two.logits - one.logits).max() < learned / 50


def test_a_batch_that_cannot_be_shared_says_so(pool: PixelStore, rows: Any) -> None:
    with pytest.raises(ModelError, match="batch_size a multiple of 3"):
        learn("fcos", pool, rows, processes=3)
