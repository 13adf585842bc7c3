"""The model auto: both kinds of features side by side, and the verdicts that choose."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.features.auto import BOTH, POOL, choose_features, split_of
from models.features.embed import embed_pool
from models.media.image import PixelStore
from models.target.train import load_target, train_target

NETWORK = "efficientnet_lite0"


def written(path: Path, images: NDArray[np.uint8]) -> PixelStore:
    with PixelStore.writer(path, images.shape[1]) as writer:
        writer.write(0, images)
    return PixelStore.open(path, images.shape[1], len(images))


@pytest.fixture
def store(tmp_path: Path) -> PixelStore:
    images = np.random.default_rng(0).integers(0, 256, (30, 96, 96, 3), dtype=np.uint8)
    images[::2] //= 3
    return written(tmp_path / "pixels.u8", images)


def test_both_kinds_stand_side_by_side_and_weigh_the_same(
    store: PixelStore, tmp_path: Path
) -> None:
    out = tmp_path / "auto.npy"
    embed_pool(store, "auto", {}, out=out, seed=0)
    rows = np.load(out)
    split = split_of(store.size)
    assert rows.shape[1] > split == 1280
    for part in (rows[:, :split], rows[:, split:]):
        spread = np.square(part - part.mean(axis=0)).sum(axis=1).mean()
        assert spread == pytest.approx(1, rel=1e-3)
    # Made again from what was saved, they are the same.
    out.unlink()
    embed_pool(store, "auto", {}, out=out, seed=0)
    np.testing.assert_array_equal(np.load(out), rows)


def test_a_pool_of_tiny_images_has_features_of_its_own_alone(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 256, (30, 16, 16, 3), dtype=np.uint8)
    store = written(tmp_path / "pixels.u8", images)
    for name in ("auto", POOL):
        embed_pool(store, name, {}, out=tmp_path / f"{name}.npy", seed=0)
    auto, pool = np.load(tmp_path / "auto.npy"), np.load(tmp_path / "patch_kmeans.npy")
    assert auto.shape == pool.shape
    # One factor apart, which no head notices.
    scale = np.linalg.norm(auto) / np.linalg.norm(pool)
    np.testing.assert_allclose(auto, pool * scale, rtol=1e-3, atol=1e-5)
    model = train_target(
        store, np.arange(8), np.arange(8) % 2, classes=2, name="auto", params={}, seed=0,
        embeddings=auto,
    )  # fmt: skip
    assert model.notes == ()


def blobs(informative: slice, n: int = 120) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """(n, 30) noise in which two classes and OOD, the last, differ in some columns."""
    random = np.random.default_rng(1)
    labels = (np.arange(n) + 2) % 3
    rows = random.normal(size=(n, 30))
    centers = random.normal(size=(3, 30)) * 4
    rows[:, informative] += centers[labels][:, informative]
    return rows.astype(np.float32), labels.astype(np.int64)


@pytest.mark.parametrize(
    ("informative", "name", "columns"),
    [(slice(0, 20), NETWORK, (0, 20)), (slice(20, 30), POOL, (20, 30))],
)
def test_the_verdicts_choose_what_tells_them_apart(
    informative: slice, name: str, columns: tuple[int, int]
) -> None:
    rows, labels = blobs(informative)
    chosen = choose_features(
        rows, np.arange(120), labels, classes=2, split=20, network=NETWORK, seed=0
    )
    assert chosen is not None
    assert set(chosen.losses) == {NETWORK, POOL, BOTH}
    other = POOL if name == NETWORK else NETWORK
    assert chosen.losses[other] > 2 * chosen.losses[name]
    assert chosen.name in (name, BOTH)
    assert chosen.columns in (columns, (0, 30))


def test_both_are_taken_where_each_knows_one_half() -> None:
    random = np.random.default_rng(2)
    labels = np.arange(200) % 4
    rows = random.normal(size=(200, 30)).astype(np.float32)
    rows[:, 0] += 5 * (labels % 2)
    rows[:, 25] += 5 * (labels // 2)
    chosen = choose_features(
        rows, np.arange(200), labels, classes=4, split=20, network=NETWORK, seed=0
    )
    assert chosen is not None
    assert (chosen.name, chosen.columns, chosen.is_sure) == (BOTH, (0, 30), True)
    assert chosen.note.startswith("Features: both, surely the best. Log loss of each: both ")


def test_the_network_stays_where_others_are_better_by_chance_alone() -> None:
    stayed, said = 0, set()
    for seed in range(20):
        random = np.random.default_rng(seed)
        labels = random.integers(-1, 3, 40) % 4
        rows = random.normal(size=(40, 30)).astype(np.float32)
        chosen = choose_features(
            rows, np.arange(40), labels, classes=3, split=15, network=NETWORK, seed=seed
        )
        assert chosen is not None
        is_least = chosen.losses[chosen.name] == min(chosen.losses.values())
        assert is_least or chosen.name == NETWORK
        assert ("as no other is better by more than chance" in chosen.note) != is_least
        stayed += chosen.name == NETWORK
        said.add(is_least)
    # The least of three losses alone would be the network's seven times of twenty.
    assert stayed >= 14
    assert said == {True, False}


def test_too_few_verdicts_choose_nothing() -> None:
    rows, labels = blobs(slice(0, 20), 10)
    chosen = choose_features(
        rows, np.arange(10), labels, classes=2, split=20, network=NETWORK, seed=0
    )
    assert chosen is not None
    assert (chosen.name, chosen.losses) == (NETWORK, {})
    assert "until there are 20 answers" in chosen.note


def test_a_model_is_loaded_with_the_features_that_it_was_trained_on(
    store: PixelStore, tmp_path: Path
) -> None:
    out = tmp_path / "auto.npy"
    embed_pool(store, "auto", {}, out=out, seed=0)
    rows = np.load(out, mmap_mode="r")
    inside, outside = np.arange(0, 20), np.arange(20, 30)
    model = train_target(
        store, inside, inside % 2, classes=2, name="auto", params={}, seed=0,
        ood_indices=outside, embeddings=rows,
    )  # fmt: skip
    (note,) = model.notes
    assert note.startswith("Features: ")
    model.save(tmp_path / "model.safetensors")
    again = load_target(tmp_path / "model.safetensors", store, embeddings=rows)
    all_of_them = np.arange(30)
    before, after = model.infer(all_of_them), again.infer(all_of_them)
    np.testing.assert_array_equal(before.logits, after.logits)
    np.testing.assert_array_equal(before.embeddings, after.embeddings)


def test_ood_answers_count_as_a_class() -> None:
    rows, labels = blobs(slice(0, 20))
    with_ood = choose_features(
        rows,
        np.arange(120),
        labels,
        classes=2,
        split=20,
        network=NETWORK,
        seed=0,
    )
    inside = np.flatnonzero(labels < 2)
    without = choose_features(
        rows, inside, labels[inside], classes=2, split=20, network=NETWORK, seed=0
    )
    assert with_ood is not None
    assert without is not None
    assert with_ood.losses[POOL] > without.losses[POOL]
