"""The contrastive learner: its loss, its training, and the features it leaves."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

from models.catalog.params.contrastive import ContrastiveParams
from models.errors import Cancelled, ModelError
from models.files import tensorfile
from models.media.images import contrastive
from models.media.images.contrastive import embed_with_encoder, learn_encoder, nt_xent
from models.media.images.store import PixelStore
from models.media.images.training import resume
from models.media.images.views import shifted_views

TINY = {"network": "cnn_tiny", "width": 8, "flip": False}
SHORT = ContrastiveParams(**TINY, epochs=2, batch_size=16)

Learn = Callable[..., Path]


@pytest.fixture
def learn(digit_store: PixelStore, tmp_path: Path) -> Learn:
    def run(
        name: str = "encoder",
        params: ContrastiveParams = SHORT,
        rows: NDArray[np.int64] | None = None,
        **options: object,
    ) -> Path:
        out = tmp_path / f"{name}.safetensors"
        indices = np.arange(60) if rows is None else rows
        learn_encoder(digit_store, indices, params, **{"seed": 0, "out": out, **options})  # type: ignore[arg-type]
        return out

    return run


def same_weights(one: Path, other: Path) -> bool:
    (first, _), (second, _) = tensorfile.read(one), tensorfile.read(other)
    return all(torch.equal(first[name], second[name]) for name in first | second)


def embedded(store: PixelStore, encoder: Path, out: Path) -> NDArray[np.float32]:
    embed_with_encoder(store, encoder, out=out)
    features: NDArray[np.float32] = np.load(out)
    return features


def test_loss_is_that_of_simclr_written_out() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((2, 5, 7))
    rows = np.concatenate([first, second])
    total = 0.0
    for i in range(10):
        similar = {
            k: math.exp(rows[i] @ rows[k] / np.linalg.norm(rows[i]) / np.linalg.norm(rows[k]) / 0.5)
            for k in range(10)
            if k != i
        }
        total -= math.log(similar[(i + 5) % 10] / sum(similar.values()))
    loss = nt_xent(torch.from_numpy(first), torch.from_numpy(second), 0.5)
    assert float(loss) == pytest.approx(total / 10, rel=1e-10)


def test_loss_is_least_where_pairs_agree_and_nothing_else_does() -> None:
    apart = torch.eye(6)
    assert nt_xent(apart, apart, 0.1) < 0.01
    assert nt_xent(apart, apart.roll(1, 0), 0.1) > 5


def test_kernels_are_scaled_layer_by_layer_and_biases_are_not() -> None:
    """One step of LARS (You et al., 2017, equation 6) without momentum, written out."""
    torch.manual_seed(0)
    layer = nn.Linear(4, 3)
    params = ContrastiveParams(learning_rate=2.0, weight_decay=0.01)
    optimizer = contrastive._lars(layer, params)
    layer(torch.randn(5, 4)).square().sum().backward()
    w, b = layer.weight.detach().clone(), layer.bias.detach().clone()
    g, h = layer.weight.grad, layer.bias.grad
    assert g is not None
    assert h is not None
    optimizer.step()
    trust = 0.001 * w.norm() / (g.norm() + 0.01 * w.norm())
    assert_close = torch.testing.assert_close
    assert_close(layer.weight.detach(), w - 2.0 * trust * (g + 0.01 * w))
    assert_close(layer.bias.detach(), b - 2.0 * h)


def test_learning_rate_rises_then_falls_to_zero() -> None:
    factors = [contrastive._schedule(step, 100, 10.0) for step in range(100)]
    assert factors[0] == pytest.approx(0.1)
    assert int(np.argmax(factors)) == 10
    assert max(factors) == 1
    assert factors == sorted(factors[:10]) + sorted(factors[10:], reverse=True)
    assert factors[-1] < 0.001


def test_views_of_an_image_come_together(
    learn: Learn, digit_store: PixelStore, tmp_path: Path
) -> None:
    """A short training brings views closer to their own image than to others."""
    params = ContrastiveParams(**TINY, epochs=12, batch_size=32)
    rows = np.arange(400)
    trained = learn("trained", params, rows)
    untrained = learn("untrained", ContrastiveParams(**TINY, epochs=1, learning_rate=1e-9), rows)
    torch.manual_seed(1)
    pixels = torch.from_numpy(digit_store[rows]).permute(0, 3, 1, 2)
    mild = params.model_copy(update={"rotations": False, "smallest_crop": 0.5})
    views = (shifted_views(pixels, mild) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    path = tmp_path / "views.u8"
    with PixelStore.writer(path, digit_store.size) as writer:
        writer.write(0, views.contiguous().numpy())
    view_store = PixelStore.open(path, digit_store.size, len(rows))

    image_store = PixelStore.open(digit_store.path, digit_store.size, len(rows))

    def agreement(encoder: Path) -> float:
        """How often a view is closer to its own image than to another."""
        originals = embedded(image_store, encoder, tmp_path / f"{encoder.stem}.npy")
        seen = embedded(view_store, encoder, tmp_path / f"{encoder.stem}.views.npy")
        first, second = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (seen, originals))
        cosine = first @ second.T
        return float((np.diag(cosine)[:, None] > cosine).sum() / (400 * 399))

    after = agreement(trained)
    assert after > 0.9
    assert after > agreement(untrained) + 0.05


def test_same_seed_same_encoder(learn: Learn) -> None:
    first, again, other = learn("a"), learn("b"), learn("c", seed=1)
    assert same_weights(first, again)
    assert not same_weights(first, other)


@pytest.mark.parametrize("end", [Cancelled, KeyboardInterrupt])
def test_a_run_that_was_ended_resumes_as_if_it_had_not_been(
    learn: Learn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    whole = learn("whole")
    if end is not Cancelled:  # a cancelled run leaves a checkpoint whenever it is
        monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", 0.0)
    seen: list[int] = []

    def stop_at(step: int, steps: int) -> None:
        assert steps == 8
        seen.append(step)
        if step == 5 and seen.count(5) == 1:
            raise end

    checkpoint = tmp_path / "checkpoint.safetensors"
    with pytest.raises(end):
        learn("resumed", checkpoint=checkpoint, progress=stop_at)
    assert not (tmp_path / "resumed.safetensors").exists()
    resumed = learn("resumed", checkpoint=checkpoint, progress=stop_at)
    assert seen == [0, 1, 2, 3, 4, 5, 5, 6, 7, 8]  # 2 passes over 60 images in batches of 16
    assert same_weights(resumed, whole)


def test_checkpoint_of_another_run_is_left_alone(
    learn: Learn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", 0.0)
    checkpoint = tmp_path / "checkpoint.safetensors"
    learn("other", checkpoint=checkpoint, seed=1)
    assert same_weights(learn("mine", checkpoint=checkpoint), learn("alone"))


@pytest.mark.parametrize("network", ["resnet18_small", "resnet18"])
def test_larger_networks_learn_and_embed(
    network: str, learn: Learn, digit_store: PixelStore, tmp_path: Path
) -> None:
    params = ContrastiveParams.model_validate({"network": network, "epochs": 1, "batch_size": 4})
    encoder = learn("large", params, np.arange(8))
    few = PixelStore.open(digit_store.path, digit_store.size, 10)
    assert embedded(few, encoder, tmp_path / "large.npy").shape == (10, 512)


def test_without_rotations_it_is_simclr(learn: Learn) -> None:
    params = SHORT.model_copy(update={"rotations": False})
    before, _ = tensorfile.read(learn("before", params.model_copy(update={"epochs": 1})))
    after, _ = tensorfile.read(learn("after", params))
    # The head, which tells rotations apart, has nothing to learn.
    assert_array_equal(before["head.weight"], after["head.weight"])
    assert not torch.equal(before["backbone.0.weight"], after["backbone.0.weight"])


@pytest.fixture
def computed_in() -> Iterator[set[torch.dtype]]:
    """Number formats that convolutions answered in since the test began."""
    formats: set[torch.dtype] = set()

    def note(module: nn.Module, _: object, output: object) -> None:
        if isinstance(module, nn.Conv2d) and isinstance(output, torch.Tensor):
            formats.add(output.dtype)

    handle = register_module_forward_hook(note)
    yield formats
    handle.remove()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_it_learns_and_embeds_in_the_precision_asked_for(
    precision: str, learn: Learn, computed_in: set[torch.dtype],
    digit_store: PixelStore, tmp_path: Path,
) -> None:  # fmt: skip
    params = SHORT.model_copy(update={"epochs": 1, "precision": precision})
    encoder = learn(precision, params)
    assert computed_in == {getattr(torch, precision)}
    tensors, _ = tensorfile.read(encoder)
    assert {value.dtype for value in tensors.values()} <= {torch.float32, torch.int64}
    computed_in.clear()
    few = PixelStore.open(digit_store.path, digit_store.size, 20)
    assert np.isfinite(embedded(few, encoder, tmp_path / "x.npy")).all()
    assert computed_in == {getattr(torch, precision)}


def test_half_the_precision_learns_nearly_the_same(learn: Learn) -> None:
    def learned(name: str, **changes: object) -> torch.Tensor:
        tensors, _ = tensorfile.read(learn(name, SHORT.model_copy(update=changes)))
        weights = [v.flatten() for name, v in tensors.items() if name.endswith("weight")]
        return torch.cat(weights)

    start = learned("start", learning_rate=1e-9)
    full = learned("full", precision="float32") - start
    half = learned("half", precision="bfloat16") - start
    assert torch.nn.functional.cosine_similarity(full, half, dim=0) > 0.98
    assert not torch.equal(full, half)


def test_later_images_are_embedded_by_the_same_encoder(
    learn: Learn, digit_store: PixelStore, tmp_path: Path
) -> None:
    encoder = learn()
    out = tmp_path / "features.npy"
    few = PixelStore.open(digit_store.path, digit_store.size, 50)
    before = embedded(few, encoder, out)
    assert before.dtype == np.float32
    assert before.shape == (50, 32)
    more = PixelStore.open(digit_store.path, digit_store.size, 70)
    after = embedded(more, encoder, out)
    whole = embedded(more, encoder, tmp_path / "whole.npy")
    assert_array_equal(after[:50], before)
    np.testing.assert_allclose(after, whole, atol=1e-5)


def test_what_cannot_work_is_refused(learn: Learn, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the pool has only one; import more"):
        learn(rows=np.arange(1))
    with pytest.raises(ModelError, match=r"diverged by step 8; lower learning_rate"):
        learn(params=SHORT.model_copy(update={"temperature": 1e-40}))
    encoder = learn()
    with PixelStore.writer(tmp_path / "large.u8", 32) as writer:
        writer.write(0, np.zeros((3, 32, 32, 3), dtype=np.uint8))
    large = PixelStore.open(tmp_path / "large.u8", 32, 3)
    with pytest.raises(ModelError, match=r"16 px.*32 px; learn the features again"):
        embed_with_encoder(large, encoder, out=tmp_path / "x.npy")
    tensorfile.write(tmp_path / "else.safetensors", {"a": torch.zeros(1)}, {"format": "else"})
    with pytest.raises(ModelError, match="no encoder"):
        embed_with_encoder(large, tmp_path / "else.safetensors", out=tmp_path / "x.npy")
