from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from models.catalog.params.networks import BackboneParams, TinyParams, TrainingParams
from models.errors import Cancelled, ModelError
from models.evaluation.evaluate import accuracy
from models.media.images.networks.nets import resnet18_small, timm_backbone, torchvision_backbone
from models.media.images.store import PixelStore
from models.media.images.training import resume
from models.media.images.training import train as training
from models.media.images.training.resume import Batches
from models.media.images.training.train import augmented
from models.protocols import Progress, TargetModel
from models.target.train import load_target, train_target, training_notes
from models.target.trained import NetworkModel

TINY = {"steps": 30, "width": 8, "batch_size": 32, "flip": False}

Train = Callable[..., TargetModel]


@pytest.fixture
def train(digit_store: PixelStore, digit_labels: NDArray[np.int64]) -> Train:
    def run(
        count: int = 60,
        *,
        seed: int = 0,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> TargetModel:
        return train_target(
            digit_store,
            np.arange(count),
            digit_labels[:count],
            classes=10,
            name="cnn_tiny",
            params=TINY | params,
            seed=seed,
            checkpoint=checkpoint,
            progress=progress,
        )

    return run


def logits(model: TargetModel) -> NDArray[np.float32]:
    return model.infer(np.arange(100)).logits


def test_cnn_tiny_learns_digits(train: Train, digit_labels: NDArray[np.int64]) -> None:
    model = train(400, steps=150, width=16)
    rest = np.arange(400, 1797)
    assert accuracy(model.infer(rest), digit_labels[rest]) > 0.9


def test_training_follows_its_seed(train: Train) -> None:
    outside = torch.get_rng_state()
    assert_array_equal(logits(train(seed=1)), logits(train(seed=1)))
    assert not np.array_equal(logits(train(seed=1)), logits(train(seed=2)))
    assert_array_equal(torch.get_rng_state().numpy(), outside.numpy())


def test_a_killed_training_resumes_bit_by_bit(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", 0.0)
    checkpoint = tmp_path / "training.safetensors"
    expected = logits(train())

    def die(step: int, steps: int) -> None:
        del steps
        if step == 20:
            raise Cancelled

    with pytest.raises(Cancelled):
        train(checkpoint=checkpoint, progress=die)
    steps: list[int] = []
    resumed = train(checkpoint=checkpoint, progress=lambda step, _: steps.append(step))
    assert steps == [20, 30]
    assert_array_equal(logits(resumed), expected)
    assert [path.name for path in tmp_path.iterdir()] == [checkpoint.name]


def test_a_checkpoint_of_another_run_is_not_resumed(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", 0.0)
    checkpoint = tmp_path / "training.safetensors"
    train(seed=1, checkpoint=checkpoint)
    assert_array_equal(logits(train(checkpoint=checkpoint)), logits(train()))
    assert_array_equal(logits(train(50, checkpoint=checkpoint)), logits(train(50)))


def test_progress_runs_to_the_end(train: Train) -> None:
    steps: list[tuple[int, int]] = []
    train(progress=lambda step, total: steps.append((step, total)))
    assert steps[0] == (0, 30)
    assert steps[-1] == (30, 30)


def test_one_label_is_enough(train: Train) -> None:
    assert np.isfinite(logits(train(1))).all()


@pytest.mark.parametrize("name", ["cnn_tiny", "patch_kmeans"])
def test_no_label_is_an_error_that_says_so(digit_store: PixelStore, name: str) -> None:
    nothing = np.empty(0, dtype=np.int64)
    with pytest.raises(ModelError, match="no labeled in-distribution example"):
        train_target(digit_store, nothing, nothing, classes=3, name=name, params={}, seed=0)


@pytest.mark.parametrize("label", [-1, 3])
def test_labels_out_of_range_are_refused(digit_store: PixelStore, label: int) -> None:
    with pytest.raises(ModelError, match=r"expected 0\.\.2"):
        train_target(
            digit_store, np.array([0, 1]), np.array([0, label]),
            classes=3, name="cnn_tiny", params=TINY, seed=0,
        )  # fmt: skip


def test_divergence_is_reported(train: Train) -> None:
    with pytest.raises(ModelError, match=r"diverged .* lower learning_rate"):
        train(learning_rate=10.0, momentum=0.99, weight_decay=1.0, steps=200, augment=False)


def test_a_saved_network_scores_as_before(
    train: Train, digit_store: PixelStore, tmp_path: Path
) -> None:
    model = train()
    model.save(tmp_path / "model.safetensors")
    loaded = load_target(tmp_path / "model.safetensors", digit_store)
    assert loaded.classes == 10
    before, after = model.infer(np.arange(70)), loaded.infer(np.arange(70))
    assert_array_equal(after.logits, before.logits)
    assert_array_equal(after.embeddings, before.embeddings)
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]


def test_a_network_needs_images_as_it_has_learned_from(
    train: Train, digit_store: PixelStore, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    train().save(path)
    other = PixelStore.open(tmp_path / "none.bin", 24, 0)
    with pytest.raises(ModelError, match="trained on 16 px images and the pool has 24 px"):
        load_target(path, other)
    whole = PixelStore.open(digit_store.path, 16, len(digit_store), fit="pad")
    with pytest.raises(ModelError, match="on middle squares of images and the pool has whole"):
        load_target(path, whole)
    model = load_target(path, digit_store)
    assert isinstance(model, NetworkModel)
    NetworkModel(model.network, whole, model.name, model.params).save(path)
    assert load_target(path, whole).classes == 10
    with pytest.raises(ModelError, match="on whole images and the pool has middle squares"):
        load_target(path, digit_store)


def test_a_head_trains_saves_and_loads(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    pixels = digit_store[slice(None)][..., 0].reshape(1797, -1).astype(np.float32)
    model = train_target(
        digit_store, np.arange(200), digit_labels[:200],
        classes=12, name="patch_kmeans", params={}, seed=0, embeddings=pixels,
    )  # fmt: skip
    rest = np.arange(200, 1797)
    assert accuracy(model.infer(rest), digit_labels[rest]) > 0.75
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="needs embeddings; run embed_pool first"):
        load_target(tmp_path / "model.safetensors", digit_store)
    loaded = load_target(tmp_path / "model.safetensors", digit_store, embeddings=pixels)
    assert loaded.classes == 12
    assert_allclose(loaded.infer(rest).logits, model.infer(rest).logits, atol=1e-6)
    with pytest.raises(ModelError, match="on 256 features and the embeddings have 10"):
        load_target(tmp_path / "model.safetensors", digit_store, embeddings=pixels[:, :10])


def test_inference_keeps_the_order_asked_for(train: Train) -> None:
    model = train()
    some = np.array([900, 3, 900, 41])
    outputs = model.infer(some)
    alone = model.infer(np.array([41]))
    assert_allclose(outputs.logits[3:], alone.logits, atol=1e-5)
    assert_array_equal(outputs.embeddings[0], outputs.embeddings[2])
    assert model.infer(some[:0]).logits.shape == (0, 10)


def test_augmentation_shifts_each_image_on_its_own() -> None:
    images = torch.zeros(64, 3, 16, 16)
    images[:, :, 8, 5] = 1
    torch.manual_seed(0)
    moved = augmented(images, TrainingParams(flip=False))
    places = {tuple(place) for place in moved[:, 0].nonzero()[:, 1:].tolist()}
    assert moved.sum() == images.sum()
    assert len(places) > 12
    assert all(abs(y - 8) <= 2 and abs(x - 5) <= 2 for y, x in places)
    mirrored = augmented(images, TrainingParams(augment=False))
    assert {tuple(p) for p in mirrored[:, 0].nonzero()[:, 1:].tolist()} == {(8, 5), (8, 10)}
    assert augmented(images, TrainingParams(augment=False, flip=False)) is images


def test_batches_are_full_passes_in_random_order() -> None:
    batches = Batches(10, 4, seed=0)
    stream = torch.cat([batches.rows(step) for step in range(10)])
    for number in range(4):
        assert sorted(stream[10 * number : 10 * number + 10].tolist()) == list(range(10))
    alone = Batches(10, 4, seed=0).rows(7)
    assert_array_equal(alone.numpy(), stream[28:32].numpy())
    assert len(Batches(3, 64, seed=0).rows(2)) == 64


def test_learning_rate_falls_at_half_and_three_quarters() -> None:
    rates = [training.decay_of(step, 100) for step in (0, 49, 50, 74, 75, 99)]
    assert_allclose(rates, [1, 1, 0.1, 0.1, 0.01, 0.01])


def test_resnet18_small_has_the_published_size() -> None:
    network = resnet18_small(TrainingParams(), classes=10, image_size=32).eval()
    assert sum(value.numel() for value in network.parameters()) == 11_173_962
    assert network(torch.zeros(1, 3, 32, 32))[1].shape == (1, 512)


@pytest.mark.parametrize(
    ("build", "architecture", "dimension"),
    [
        (torchvision_backbone, "resnet18", 512),
        (torchvision_backbone, "mobilenet_v3_small", 1024),
        (torchvision_backbone, "googlenet", 1024),
        (timm_backbone, "resnet10t", 512),
        (timm_backbone, "vit_tiny_patch16_224", 192),
    ],
)
@pytest.mark.filterwarnings("ignore:The default weight initialization of GoogleNet")
def test_published_architectures(
    build: Callable[..., torch.nn.Module], architecture: str, dimension: int
) -> None:
    params = BackboneParams(architecture=architecture, mode="scratch")
    network = build(params, classes=3, image_size=32)
    for training_mode in (True, False):
        logits, embeddings = network.train(training_mode)(torch.rand(2, 3, 32, 32))
        assert logits.shape == (2, 3)
        assert embeddings.shape == (2, dimension)


@pytest.mark.parametrize("build", [torchvision_backbone, timm_backbone])
def test_an_unknown_architecture_is_refused(build: Callable[..., torch.nn.Module]) -> None:
    params = BackboneParams(architecture="resnet19", mode="scratch")
    with pytest.raises(ModelError, match=r"no .*network 'resnet19'"):
        build(params, classes=3, image_size=32)


def test_weights_that_cannot_be_downloaded_name_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))

    def refuse(*_: object, **__: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("torch.hub.download_url_to_file", refuse)
    with pytest.raises(
        ModelError, match=r"no route to host.* upload the file .* a packaged network"
    ):
        torchvision_backbone(BackboneParams(), classes=3, image_size=32)


def test_bfloat16_trains(train: Train) -> None:
    assert np.isfinite(logits(train(precision="bfloat16"))).all()
    assert TinyParams().precision == "auto"


def test_classes_without_a_label_are_named_ten_at_most() -> None:
    def notes(*unlabeled: str) -> tuple[str, ...]:
        return training_notes("cnn_tiny", TINY, inside=9, ood=0, missing=unlabeled)

    assert notes() == ()
    assert notes("emu", "fox") == (
        "Classes without a label to train on (2): emu, fox; the model cannot predict them.",
    )
    (many,) = notes(*(f"c{number}" for number in range(11)))
    assert many.startswith("Classes without a label to train on (11): c0, c1,")
    assert "c9, ...; the" in many
