"""Networks whose weights are installed: the right ones, from files that are what they should be."""

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from models.catalog.params.networks import PackagedParams
from models.errors import ModelError
from models.features.embed import embed_pool, extractor_path
from models.media.images.networks import packaged
from models.media.images.networks.packaged import LEAST_SIDE
from models.media.images.store import PixelStore
from models.target.train import load_target, train_target

NETWORKS = ["efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2"]


def build(name: str, size: int = 32, **params: Any) -> Any:
    return getattr(packaged, name)(PackagedParams(**params), classes=2, image_size=size)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_published_tensor_is_in_its_place(name: str) -> None:
    published = packaged._published(name)
    own = build(name, tuned="all").backbone.state_dict()
    convolutions = [value for key, value in own.items() if value.ndim == 4]
    theirs = [value for value in published.values() if value.ndim == 4]
    assert len(convolutions) == len(theirs)
    assert all(torch.equal(a, b) for a, b in zip(convolutions, theirs, strict=True))
    # The classifier for ImageNet is not kept, and nothing else is missing.
    assert len(own) == len(published) - 2


def test_small_images_are_enlarged_and_large_ones_are_not() -> None:
    assert build("efficientnet_lite0", 32).input_size == LEAST_SIDE
    assert build("efficientnet_lite0", 224).input_size == 224
    assert build("efficientnet_lite0", 224, input_size=64).input_size == 64


def test_a_file_that_was_changed_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known = packaged._PACKAGES["efficientnet_lite0"]
    spec = importlib.util.find_spec(known.package)
    assert spec is not None
    folder = next(iter(spec.submodule_search_locations or []))
    content = bytearray((Path(folder) / known.file).read_bytes())
    content[len(content) // 2] ^= 1
    changed = tmp_path / "weights.pth"
    changed.write_bytes(content)
    # An absolute path stays what it is below any folder.
    other = dataclasses.replace(known, file=str(changed))
    monkeypatch.setitem(packaged._PACKAGES, "efficientnet_lite0", other)
    with pytest.raises(ModelError, match=r"is not the file that was published: its SHA-256"):
        build("efficientnet_lite0")


def test_missing_weights_are_named_with_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    known = packaged._PACKAGES["efficientnet_lite1"]
    other = dataclasses.replace(known, package="not_installed_here")
    monkeypatch.setitem(packaged._PACKAGES, "efficientnet_lite1", other)
    with pytest.raises(ModelError, match="install the package not-installed-here"):
        build("efficientnet_lite1")


def test_last_stages_alone_are_tuned() -> None:
    network = build("efficientnet_lite0").train()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    logits, _ = network(torch.rand(4, 3, 64, 64))
    logits.square().sum().backward()
    optimizer.step()
    changed = {
        name for name, value in network.state_dict().items() if not torch.equal(value, before[name])
    }
    kept = ("conv_stem", "bn1", *(f"blocks.{stage}." for stage in range(5)))
    prefixes = tuple(f"backbone.model.{part}" for part in kept)
    assert not any(name.startswith(prefixes) for name in changed)
    assert any(name.startswith("backbone.model.blocks.6.") for name in changed)


@pytest.fixture
def store(tmp_path: Path) -> PixelStore:
    """Forty images of two kinds: a bright disc, or stripes."""
    random = np.random.default_rng(0)
    images = random.integers(0, 60, (40, 32, 32, 3), dtype=np.uint8)
    rows, columns = np.mgrid[:32, :32]
    disc = (rows - 16) ** 2 + (columns - 16) ** 2 < 80
    images[::2][:, disc] += 150
    images[1::2][:, (columns // 4) % 2 == 0] += 150
    path = tmp_path / "pixels.u8"
    with PixelStore.writer(path, 32) as writer:
        writer.write(0, images)
    return PixelStore.open(path, 32, len(images))


def test_frozen_features_are_made_once_and_tell_classes_apart(
    store: PixelStore, tmp_path: Path
) -> None:
    out = tmp_path / "features.npy"
    embed_pool(store, "efficientnet_lite0", {}, out=out, seed=0)
    rows = np.load(out)
    assert rows.shape == (40, 1280)
    assert rows.min() >= 0
    assert extractor_path(out).is_file()
    out.unlink()
    embed_pool(store, "efficientnet_lite0", {}, out=out, seed=0)
    np.testing.assert_array_equal(np.load(out), rows)
    seen = np.arange(10)
    model = train_target(
        store, seen, seen % 2, classes=2, name="efficientnet_lite0", params={}, seed=0,
        embeddings=rows,
    )  # fmt: skip
    rest = np.arange(10, 40)
    assert (model.infer(rest).logits.argmax(axis=1) == rest % 2).mean() > 0.9


@pytest.mark.parametrize("name", ["efficientnet_lite0", "auto"])
def test_what_is_saved_needs_no_package_any_more(
    name: str, store: PixelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "features.npy"
    embed_pool(store, name, {}, out=out, seed=0)
    rows = np.load(out)
    known = packaged._PACKAGES["efficientnet_lite0"]
    gone = dataclasses.replace(known, package="not_installed_here")
    monkeypatch.setitem(packaged._PACKAGES, "efficientnet_lite0", gone)
    out.unlink()
    embed_pool(store, name, {}, out=out, seed=0)
    np.testing.assert_array_equal(np.load(out), rows)


def test_fine_tuned_weights_come_back(store: PixelStore, tmp_path: Path) -> None:
    seen = np.arange(20)
    params = {"mode": "finetune", "steps": 3, "batch_size": 4, "input_size": 32}
    model = train_target(
        store, seen, seen % 2, classes=2, name="efficientnet_lite0", params=params, seed=0
    )
    model.save(tmp_path / "model.safetensors")
    again = load_target(tmp_path / "model.safetensors", store)
    np.testing.assert_array_equal(again.infer(seen).logits, model.infer(seen).logits)
