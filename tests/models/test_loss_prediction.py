from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from torch.nn import functional

from models.catalog.params.networks import BackboneParams, TinyParams, TrainingParams
from models.errors import ModelError
from models.heads.head import Scaling, fit_head
from models.heads.head_losses import HeadLosses
from models.heads.loss_prediction import LossPrediction, pair_loss
from models.media.images.networks.build import build_network
from models.media.images.networks.nets import (
    Network,
    cnn_tiny,
    resnet18_small,
    timm_backbone,
    torchvision_backbone,
)
from models.media.images.store import PixelStore
from models.media.images.training.train import train
from models.target.train import load_target, train_target, training_notes

TINY = {"steps": 20, "width": 8, "batch_size": 32, "flip": False, "loss_prediction": True}


def slow_pair_loss(predicted: list[float], losses: list[float]) -> float:
    """Equation 2 of Yoo & Kweon, pair by pair."""
    pairs = len(losses) // 2
    total = 0.0
    for first in range(pairs):
        second = pairs + first
        if losses[first] == losses[second]:
            continue
        sign = 1 if losses[first] > losses[second] else -1
        total += max(0.0, -sign * (predicted[first] - predicted[second]) + 1.0)
    return total / max(1, pairs)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 65])
def test_the_ranking_loss_is_the_formula(count: int) -> None:
    generator = torch.Generator().manual_seed(count)
    predicted = 2 * torch.randn(count, generator=generator, dtype=torch.float64)
    losses = torch.randint(4, (count,), generator=generator).double()
    expected = slow_pair_loss(predicted.tolist(), losses.tolist())
    assert float(pair_loss(predicted, losses)) == pytest.approx(expected)


@pytest.mark.parametrize("losses", [[1.0, 1.0], [2.0, 0.5, 7.0], [3.0]])
def test_ties_and_examples_without_a_partner_give_no_gradient(losses: list[float]) -> None:
    predicted = torch.tensor([0.3, 0.1, 0.2][: len(losses)], requires_grad=True)
    pair_loss(predicted, torch.tensor(losses)).backward()  # type: ignore[no-untyped-call]
    ordered = len(losses) == 3
    assert predicted.grad is not None
    assert_array_equal(predicted.grad.numpy(), [-1, 1, 0] if ordered else [0] * len(losses))


def test_no_gradient_flows_into_the_losses() -> None:
    losses = torch.tensor([1.0, 2.0], requires_grad=True)
    pair_loss(torch.tensor([1.0, 0.0], requires_grad=True), losses).backward()  # type: ignore[no-untyped-call]
    assert losses.grad is None


def tiny(*, loss_prediction: bool = True) -> Network:
    torch.manual_seed(0)
    network = cnn_tiny(TinyParams(width=8), classes=3, image_size=16)
    if loss_prediction:
        network.add_loss_prediction(16)
    return network


@pytest.mark.parametrize("shielded", [False, True])
def test_shielding_keeps_the_gradient_out_of_the_backbone(shielded: bool) -> None:
    network = tiny()
    predicted = network.all_outputs(torch.rand(4, 3, 16, 16), shielded=shielded)[2]
    assert predicted is not None
    predicted.sum().backward()  # type: ignore[no-untyped-call]
    assert all(value.grad is None for value in network.head.parameters())
    assert all((value.grad is None) == shielded for value in network.backbone[0].parameters())  # type: ignore[index]
    assert network.loss_prediction is not None
    assert all(value.grad is not None for value in network.loss_prediction.parameters())


def test_the_module_reads_the_pooled_features_of_four_stages() -> None:
    network, images = tiny().eval(), torch.rand(5, 3, 16, 16)
    module = network.loss_prediction
    assert module is not None
    hidden: list[torch.Tensor] = []
    x = (images - network.mean[0]) / network.std[0]
    for layer in network.backbone.children():
        x = layer(x)
        if isinstance(layer, torch.nn.ReLU):
            stage = module.stages[len(hidden)]
            hidden.append(functional.relu(stage(x.mean(dim=(2, 3)))))
    expected = module.last(torch.cat(hidden, dim=1))[:, 0]
    predicted = network.all_outputs(images)[2]
    assert predicted is not None
    assert [part.shape[1] for part in hidden] == [128] * 4
    assert_allclose(predicted.detach().numpy(), expected.detach().numpy(), atol=1e-5)


def test_the_backbone_is_shielded_after_60_percent(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    original = Network.all_outputs

    def note(network: Network, images: torch.Tensor, *, shielded: bool = False) -> object:
        seen.append(shielded)
        return original(network, images, shielded=shielded)

    monkeypatch.setattr(Network, "all_outputs", note)
    params = TinyParams.model_validate(TINY)
    train(tiny(), digit_store[slice(0, 40)], digit_labels[:40] % 3, params=params, seed=0)
    assert seen == [False] * 12 + [True] * 8


def test_initial_weights_do_not_depend_on_the_module(digit_store: PixelStore) -> None:
    params = TinyParams(width=8)
    plain, extended = (
        build_network(
            "cnn_tiny", params, classes=3, store=digit_store, seed=1, loss_prediction=wanted
        ).state_dict()
        for wanted in (False, True)
    )
    assert all(torch.equal(value, extended[name]) for name, value in plain.items())
    assert len(extended) > len(plain)


@pytest.mark.parametrize("batch_size", [2, 33])
def test_any_batch_size_trains(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], batch_size: int
) -> None:
    model = train_target(
        digit_store, np.arange(3), digit_labels[:3], classes=10, name="cnn_tiny",
        params=TINY | {"batch_size": batch_size}, seed=0,
    )  # fmt: skip
    predicted = model.infer(np.arange(50)).predicted_losses
    assert predicted is not None
    assert np.isfinite(predicted).all()


def test_a_network_learns_which_losses_are_large(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    model = train_target(
        digit_store, np.arange(300), digit_labels[:300], classes=10, name="cnn_tiny",
        params=TINY | {"steps": 120, "width": 12}, seed=0,
    )  # fmt: skip
    rest = np.arange(300, 1797)
    outputs = model.infer(rest)
    wrong = outputs.logits.argmax(axis=1) != digit_labels[rest]
    assert outputs.predicted_losses is not None
    assert wrong.any()
    order = outputs.predicted_losses.argsort()
    assert wrong[order[-500:]].sum() > 2 * wrong[order[:500]].sum()

    model.save(tmp_path / "model.safetensors")
    loaded = load_target(tmp_path / "model.safetensors", digit_store).infer(rest)
    assert loaded.predicted_losses is not None
    assert_array_equal(loaded.predicted_losses, outputs.predicted_losses)


def test_a_model_without_the_module_predicts_no_losses(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    model = train_target(
        digit_store, np.arange(3), digit_labels[:3], classes=10, name="cnn_tiny",
        params=TINY | {"loss_prediction": False}, seed=0,
    )  # fmt: skip
    assert model.infer(np.arange(5)).predicted_losses is None


@pytest.mark.parametrize(
    ("build", "architecture", "widths"),
    [
        (torchvision_backbone, "resnet18", [64, 128, 256, 512]),
        (torchvision_backbone, "mobilenet_v3_small", [16, 24, 48, 576]),
        (timm_backbone, "resnet10t", [64, 128, 256, 512]),
        (timm_backbone, "convnext_atto", [40, 80, 160, 320]),
    ],
)
def test_published_networks_have_stages(
    build: Callable[..., Network], architecture: str, widths: list[int]
) -> None:
    params = BackboneParams(architecture=architecture, mode="scratch")
    network = build(params, classes=3, image_size=64)
    network.add_loss_prediction(64)
    assert network.loss_prediction is not None
    assert [stage.in_features for stage in network.loss_prediction.stages] == widths
    predicted = network.all_outputs(torch.rand(2, 3, 64, 64))[2]
    assert predicted is not None
    assert predicted.shape == (2,)


def test_resnet18_small_is_read_after_each_of_its_four_groups() -> None:
    network = resnet18_small(TrainingParams(), classes=3, image_size=32)
    network.add_loss_prediction(32)
    assert network.loss_prediction is not None
    widths = [stage.in_features for stage in network.loss_prediction.stages]
    assert widths == [64, 128, 256, 512]


def test_a_network_without_stages_is_refused() -> None:
    params = BackboneParams(architecture="vit_tiny_patch16_224", mode="scratch")
    network = timm_backbone(params, classes=3, image_size=32)
    with pytest.raises(ModelError, match=r"four stages.*turn loss_prediction off"):
        network.add_loss_prediction(32)


def features(store: PixelStore) -> NDArray[np.float32]:
    return store[slice(None)][..., 0].reshape(len(store), -1).astype(np.float32)


def test_a_head_learns_which_losses_are_large(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    x = features(digit_store)
    model = train_target(
        digit_store, np.arange(300), digit_labels[:300], classes=10, name="patch_kmeans",
        params={"loss_prediction": True}, seed=0, embeddings=x,
    )  # fmt: skip
    rest = np.arange(300, 1797)
    outputs = model.infer(rest)
    wrong = outputs.logits.argmax(axis=1) != digit_labels[rest]
    assert outputs.predicted_losses is not None
    order = outputs.predicted_losses.argsort()
    assert wrong[order[-500:]].sum() > 2 * wrong[order[:500]].sum()

    model.save(tmp_path / "model.safetensors")
    path = tmp_path / "model.safetensors"
    loaded = load_target(path, digit_store, embeddings=x).infer(rest)
    assert loaded.predicted_losses is not None
    assert_array_equal(loaded.predicted_losses, outputs.predicted_losses)


def test_a_head_with_too_few_answers_predicts_one_loss_for_all_and_says_so(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    params = {"loss_prediction": True}
    model = train_target(
        digit_store, np.arange(9), digit_labels[:9], classes=10, name="patch_kmeans",
        params=params, seed=0, embeddings=features(digit_store),
    )  # fmt: skip
    assert_array_equal(model.infer(np.arange(40)).predicted_losses, np.zeros(40))
    (note,) = training_notes("patch_kmeans", params, inside=9, ood=0)
    assert note.startswith("Too few answers yet to learn to predict losses")
    assert training_notes("patch_kmeans", params, inside=10, ood=0) == ()
    assert training_notes("cnn_tiny", params, inside=9, ood=0) == ()


def test_learning_follows_its_seed(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    x, outside = features(digit_store)[:50], torch.get_rng_state()
    head = fit_head(x, digit_labels[:50], classes=10, l2=0.3, scaling=Scaling.fit(x))

    def predicted(seed: int) -> NDArray[np.float32]:
        return HeadLosses.learn(head, x, digit_labels[:50], seed=seed).predict(x)

    assert_array_equal(predicted(1), predicted(1))
    assert not np.array_equal(predicted(1), predicted(2))
    assert_array_equal(torch.get_rng_state().numpy(), outside.numpy())


def test_one_row_goes_through_the_module() -> None:
    assert LossPrediction([4, 4])([torch.rand(1, 4, 2, 2), torch.rand(1, 4)]).shape == (1,)
