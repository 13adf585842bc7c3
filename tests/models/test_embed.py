from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from core.artifacts.features import learned_digest
from models.errors import Cancelled, ModelError
from models.features import embed
from models.features.embed import (
    embed_pool,
    extractor_path,
    uses_embeddings,
)
from models.heads.head import Scaling, fit_head
from models.media import embedding_files
from models.media.images.store import PixelStore

PARAMS = {"features": 32, "dimension": 24, "iterations": 3}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_files, "_BLOCK", 40)
    monkeypatch.setattr(embedding_files, "_BLOCKS_PER_SAVE", 2)


def first(store: PixelStore, count: int) -> PixelStore:
    return PixelStore.open(store.path, store.size, count)


def embedded(store: PixelStore, out: Path, **more: object) -> NDArray[np.float32]:
    embed_pool(store, "patch_kmeans", PARAMS | more, out=out, seed=0)
    result: NDArray[np.float32] = np.load(out)
    return result


def test_features_tell_digits_apart(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    x = embedded(first(digit_store, 800), tmp_path / "x.npy", features=48, flip=False, dimension=64)
    assert x.shape == (800, 64)
    assert x.dtype == np.float32
    head = fit_head(x[:300], digit_labels[:300], classes=10, l2=0.3, scaling=Scaling.fit(x))
    assert (head.logits(x[300:]).argmax(axis=1) == digit_labels[300:800]).mean() > 0.85


class _Killed(BaseException):
    """Stands for a signal: nothing in between may catch it."""


@pytest.mark.parametrize("kill", [Cancelled, _Killed])
def test_a_killed_call_resumes(
    digit_store: PixelStore, tmp_path: Path, kill: type[BaseException]
) -> None:
    store, out = first(digit_store, 240), tmp_path / "x.npy"
    expected = embedded(store, tmp_path / "whole.npy")
    embedded_rows: list[int] = []

    def die(step: int, steps: int) -> None:
        if steps == 240 and step >= 160:
            raise kill

    with pytest.raises(kill):
        embed_pool(store, "patch_kmeans", PARAMS, out=out, seed=0, progress=die)
    assert not out.exists()
    embed_pool(
        store, "patch_kmeans", PARAMS, out=out, seed=0,
        progress=lambda step, _: embedded_rows.append(step),
    )  # fmt: skip
    assert embedded_rows[0] == 160
    assert_array_equal(np.load(out), expected)
    assert {path.name for path in tmp_path.iterdir()} == {
        "x.npy", "x.extractor.safetensors", "whole.npy", "whole.extractor.safetensors",
    }  # fmt: skip


def test_later_images_get_embeddings_of_the_same_kind(
    digit_store: PixelStore, tmp_path: Path
) -> None:
    out = tmp_path / "x.npy"
    before = embedded(first(digit_store, 150), out)
    after = embedded(first(digit_store, 220), out)
    assert after.shape == (220, 24)
    assert_array_equal(after[:150], before)
    embed_pool(first(digit_store, 220), "patch_kmeans", PARAMS, out=out, seed=7, rows=(125, 220))
    assert_allclose(np.load(out), after, atol=1e-4)


def test_a_complete_file_is_left_alone(digit_store: PixelStore, tmp_path: Path) -> None:
    out = tmp_path / "x.npy"
    embedded(first(digit_store, 100), out)
    written = out.stat().st_mtime_ns
    embedded(first(digit_store, 100), out, l2=9.0)
    assert out.stat().st_mtime_ns == written


def test_rows_may_not_leave_a_gap(digit_store: PixelStore, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"rows 5\.\.10 of 1797: 0 are embedded"):
        embed_pool(
            digit_store, "patch_kmeans", PARAMS, out=tmp_path / "x.npy", seed=0, rows=(5, 10)
        )


def test_other_parameters_need_another_file(digit_store: PixelStore, tmp_path: Path) -> None:
    out = tmp_path / "x.npy"
    embedded(first(digit_store, 100), out)
    with pytest.raises(ModelError, match="with other parameters into another file"):
        embedded(first(digit_store, 200), out, features=40)
    extractor_path(out).unlink()
    with pytest.raises(ModelError, match=r"x\.extractor\.safetensors is missing"):
        embedded(first(digit_store, 200), out)


def test_a_network_that_is_trained_is_not_embedded(digit_store: PixelStore, tmp_path: Path) -> None:
    assert not uses_embeddings("cnn_tiny", {})
    assert not uses_embeddings("torchvision", {"mode": "scratch"})
    assert uses_embeddings("torchvision", {"mode": "frozen"})
    assert uses_embeddings("patch_kmeans", {})
    with pytest.raises(ModelError, match="cnn_tiny is not frozen"):
        embed_pool(digit_store, "cnn_tiny", {}, out=tmp_path / "x.npy", seed=0)


def test_a_frozen_network_embeds_without_a_download(
    digit_store: PixelStore, tmp_path: Path
) -> None:
    params = {"mode": "frozen", "pretrained": False, "architecture": "resnet18"}
    out = tmp_path / "x.npy"
    for count in (30, 50):
        embed_pool(first(digit_store, count), "torchvision", params, out=out, seed=0)
    assert np.load(out).shape == (50, 512)
    assert learned_digest(out) is None
    again = tmp_path / "again.npy"
    embed_pool(first(digit_store, 30), "torchvision", params, out=again, seed=0)
    assert_allclose(np.load(again), np.load(out)[:30], atol=1e-4)


@pytest.mark.parametrize("size", [8, 13, 40])
def test_any_image_size_works(tmp_path: Path, size: int) -> None:
    images = np.random.default_rng(0).integers(0, 256, (40, size, size, 3), dtype=np.uint8)
    images[:5] = 77
    with PixelStore.writer(tmp_path / "pixels.bin", size) as writer:
        writer.write(0, images)
    x = embedded(PixelStore.open(tmp_path / "pixels.bin", size, 40), tmp_path / "x.npy")
    assert x.shape == (40, 24)
    assert np.isfinite(x).all()


def test_images_smaller_than_a_patch_are_refused(tmp_path: Path) -> None:
    with PixelStore.writer(tmp_path / "pixels.bin", 6) as writer:
        writer.write(0, np.zeros((5, 6, 6, 3), np.uint8))
    with pytest.raises(ModelError, match="set patch_size to at most 5"):
        embedded(PixelStore.open(tmp_path / "pixels.bin", 6, 5), tmp_path / "x.npy")


def test_a_pool_without_images_is_refused(digit_store: PixelStore, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="import some first"):
        embedded(first(digit_store, 0), tmp_path / "x.npy")


def test_a_single_image_differs_from_nothing(digit_store: PixelStore, tmp_path: Path) -> None:
    x = embedded(first(digit_store, 1), tmp_path / "x.npy")
    assert_array_equal(x, [[0.0]])


@pytest.mark.parametrize("counts", [(1, 2), (1, 5, 9, 40), (30, 60), (30, 59, 60)])
def test_features_of_few_images_are_learned_anew_when_there_are_many(
    digit_store: PixelStore, tmp_path: Path, counts: tuple[int, ...]
) -> None:
    for count in counts:
        x = embedded(first(digit_store, count), tmp_path / "x.npy")
    assert_array_equal(x, embedded(first(digit_store, counts[-1]), tmp_path / "at once.npy"))


def test_features_of_many_images_stay(
    digit_store: PixelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "_ENOUGH_TO_FIT", 100)
    before = embedded(first(digit_store, 100), tmp_path / "x.npy")
    after = embedded(first(digit_store, 300), tmp_path / "x.npy")
    assert_array_equal(after[:100], before)


def test_a_call_killed_while_features_are_learned_anew_is_taken_up(
    digit_store: PixelStore, tmp_path: Path
) -> None:
    out = tmp_path / "x.npy"
    embedded(first(digit_store, 20), out)
    store = first(digit_store, 90)

    def die(step: int, steps: int) -> None:
        # While fitting, which counts iterations.
        if steps != 90 and step == 2:
            raise _Killed

    with pytest.raises(_Killed):
        embed_pool(store, "patch_kmeans", PARAMS, out=out, seed=0, progress=die)
    assert not out.exists()
    assert_array_equal(embedded(store, out), embedded(store, tmp_path / "at once.npy"))


def test_what_was_learned_is_told_from_what_is_learned_anew(
    digit_store: PixelStore, tmp_path: Path
) -> None:
    out, digests = tmp_path / "x.npy", []
    for count in (30, 59, 60):
        embedded(first(digit_store, count), out)
        digests.append(learned_digest(out))
    assert None not in digests
    assert digests[0] == digests[1] != digests[2]
    embedded(first(digit_store, 60), tmp_path / "at once.npy")
    assert learned_digest(tmp_path / "at once.npy") == digests[2]


def test_a_file_of_more_images_than_are_asked_about_stays(
    digit_store: PixelStore, tmp_path: Path
) -> None:
    out = tmp_path / "x.npy"
    more = embedded(first(digit_store, 60), out)
    assert_array_equal(embedded(first(digit_store, 40), out), more)
