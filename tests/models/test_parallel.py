"""Several processes train one network as one would."""

from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch
from numpy.testing import assert_allclose

from models.errors import Cancelled, ModelError
from models.files.tensorfile import read
from models.media.images.store import PixelStore
from models.target.train import train_target
from models.target.trained import NetworkModel

PARAMS: dict[str, Any] = {"steps": 24, "batch_size": 16, "width": 8, "precision": "float32"}


@pytest.fixture
def store(tmp_path: Path) -> PixelStore:
    generator = np.random.default_rng(0)
    images = generator.integers(0, 120, (96, 12, 12, 3), dtype=np.uint8)
    images[::3, :6] += 120
    images[1::3, :, :6] += 120
    with PixelStore.writer(tmp_path / "pixels", 12) as writer:
        writer.write(0, images)
    return PixelStore.open(tmp_path / "pixels", 12, 96)


def _trained(store: PixelStore, processes: int, *, steps: int = 24, **more: Any) -> NetworkModel:
    inside = np.flatnonzero(np.arange(96) % 3 < 2)
    params = {**PARAMS, "steps": steps, **more.pop("params", {})}
    model = train_target(
        store,
        inside,
        inside % 3,
        classes=2,
        name="cnn_tiny",
        params=params,
        seed=3,
        ood_indices=np.flatnonzero(np.arange(96) % 3 == 2),
        processes=processes,
        **more,
    )
    assert isinstance(model, NetworkModel)
    return model


@pytest.mark.parametrize("method", ["taufe", "oat"])
def test_ood_images_leave_the_views_of_the_others_as_they_are(
    store: PixelStore, method: str
) -> None:
    augmenting = {"augment": True, "flip": True}
    plain = _trained(store, 1, params=augmenting).network
    beside = _trained(store, 1, params={**augmenting, method: 1e-9}).network.state_dict()
    for name, value in plain.named_parameters():
        torch.testing.assert_close(beside[name], value, rtol=1e-3, atol=1e-5, msg=name)


def test_two_processes_learn_what_one_does_and_go_on_where_it_was(
    store: PixelStore, tmp_path: Path
) -> None:
    params = {"taufe": 0.1, "loss_prediction": True}
    checkpoint = tmp_path / "work" / "training.safetensors"
    checkpoint.parent.mkdir()

    def interrupt(step: int, _: int) -> None:
        if step == 10:
            raise Cancelled

    one = _trained(store, 1, params=params)
    with pytest.raises(Cancelled):
        _trained(store, 1, params=params, checkpoint=checkpoint, progress=interrupt)
    assert read(checkpoint)[1]["step"] == "10"
    seen: set[str] = set()

    def look(*_: int) -> None:
        seen.update(path.name for path in checkpoint.parent.glob("*/*.npy"))

    two = _trained(store, 2, params=params, checkpoint=checkpoint, progress=look)
    assert seen == {"pixels.npy", "labels.npy", "ood_pixels.npy"}
    assert list(checkpoint.parent.iterdir()) == [checkpoint]
    after = two.network.state_dict()
    for name, value in one.network.state_dict().items():
        torch.testing.assert_close(after[name], value, rtol=1e-4, atol=1e-5, msg=name)
    early = _trained(store, 1, steps=1, params=params).network.state_dict()["head.weight"]
    assert float((after["head.weight"] - early).abs().max()) > 0.05
    everything = np.arange(96)
    assert_allclose(
        two.infer(everything).logits, one.infer(everything).logits, rtol=1e-3, atol=1e-4
    )


def test_what_was_cancelled_leaves_no_process(store: PixelStore) -> None:
    def stop(step: int, steps: int) -> None:
        if 0 < step < steps:
            raise Cancelled

    # Other tests may have left servers running that the session shares.
    before = _children()
    with pytest.raises(Cancelled):
        _trained(store, 2, steps=100_000, progress=stop)
    assert _children() <= before


def _children() -> set[psutil.Process]:
    """All processes below this one, but for those that PostgreSQL begins whenever it likes."""
    servers = {one.pid for one in psutil.process_iter(["name"]) if one.info["name"] == "postgres"}
    below = psutil.Process().children(recursive=True)
    return {one for one in below if one.pid not in servers}


def test_errors_say_what_to_do(store: PixelStore) -> None:
    with pytest.raises(ModelError, match="batch_size a multiple of 6"):
        _trained(store, 3)
    diverging = {"learning_rate": 10.0, "momentum": 0.99, "weight_decay": 1.0, "augment": False}
    with pytest.raises(ModelError, match="lower learning_rate"):
        _trained(store, 2, params=diverging)
