"""The training engine computes what a bare PyTorch loop of the same arithmetic does."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.networks import TinyParams
from models.media.images.networks.nets import Network, cnn_tiny
from models.media.images.training.resume import Batches
from models.media.images.training.train import train

SIZE, COUNT, CLASSES, SEED = 16, 40, 3, 5
PIXELS = np.random.default_rng(0).integers(0, 256, (COUNT, SIZE, SIZE, 3), dtype=np.uint8)
LABELS = np.random.default_rng(1).integers(0, CLASSES, COUNT)
X = torch.from_numpy(PIXELS).permute(0, 3, 1, 2).float() / 255
Y = torch.from_numpy(LABELS)


def tiny(**params: Any) -> TinyParams:
    defaults: dict[str, Any] = {
        "width": 4, "steps": 24, "batch_size": 16, "precision": "float32",
        "augment": False, "flip": False,
    }  # fmt: skip
    return TinyParams(**defaults | params)


def untrained(params: TinyParams) -> Network:
    torch.manual_seed(SEED)
    return cnn_tiny(params, classes=CLASSES, image_size=SIZE)


def bare_loop(network: nn.Module, params: TinyParams) -> None:
    """The loop that one writes for a single experiment, on the engine's batches."""
    optimizer = torch.optim.SGD(
        network.parameters(),
        lr=params.learning_rate,
        momentum=params.momentum,
        weight_decay=params.weight_decay,
    )
    half, three_quarters = params.steps // 2, 3 * params.steps // 4
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [half, three_quarters], gamma=0.1)
    batches = Batches(COUNT, params.batch_size, SEED)
    network.train()
    for step in range(params.steps):
        rows = batches.rows(step)
        loss = functional.cross_entropy(network(X[rows])[0], Y[rows])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    network.eval()


def losses(network: nn.Module) -> Tensor:
    with torch.inference_mode():
        return functional.cross_entropy(network(X)[0], Y, reduction="none")


@pytest.mark.parametrize("params", [tiny(), tiny(momentum=0.0, weight_decay=0.1)])
def test_it_gives_the_loss_of_a_bare_loop(params: TinyParams) -> None:
    engine, bare = untrained(params), untrained(params)
    before = losses(engine.eval())
    train(engine, PIXELS, LABELS, params=params, seed=SEED)
    bare_loop(bare, params)
    assert losses(engine).mean() < before.mean()
    torch.testing.assert_close(losses(engine), losses(bare), rtol=1e-3, atol=1e-4)
    for name, value in bare.state_dict().items():
        torch.testing.assert_close(engine.state_dict()[name], value, rtol=1e-3, atol=1e-4)


def test_augmentation_changes_the_loss() -> None:
    params = tiny(augment=True)
    engine, bare = untrained(params), untrained(params)
    train(engine, PIXELS, LABELS, params=params, seed=SEED)
    bare_loop(bare, params)
    assert not torch.allclose(losses(engine), losses(bare), rtol=1e-2, atol=1e-2)


def test_training_leaves_the_choice_of_kernels_as_it_was() -> None:
    before = torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark
    params = tiny(steps=1)
    train(untrained(params), PIXELS, LABELS, params=params, seed=SEED)
    assert (torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark) == before
