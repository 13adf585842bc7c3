"""The model auto: both kinds of features side by side, and the verdicts that choose."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.catalog.params.networks import compared_width
from models.features.chosen import chosen_features
from models.features.embed import embed_pool, restore_extractor
from models.heads.feature_choice import BOTH, Sides, choose_features
from models.media.images.store import PixelStore
from models.media.texts.store import TextStore
from models.target.train import load_target, train_target

NETWORK = "efficientnet_lite0"
POOL = "patch_kmeans"
SIDES = Sides(20, NETWORK, POOL)


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
    split = 1280
    assert rows.shape[1] > split
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
    chosen = choose_features(rows, np.arange(120), labels, classes=2, sides=SIDES, seed=0)
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
    chosen = choose_features(rows, np.arange(200), labels, classes=4, sides=SIDES, seed=0)
    assert (chosen.name, chosen.columns, chosen.is_sure) == (BOTH, (0, 30), True)
    assert chosen.note.startswith(
        "Told apart by both kinds of features, surely the best. How wrong each is (log loss): both "
    )


def test_the_network_stays_where_others_are_better_by_chance_alone() -> None:
    stayed, said = 0, set()
    for seed in range(20):
        random = np.random.default_rng(seed)
        labels = random.integers(-1, 3, 40) % 4
        rows = random.normal(size=(40, 30)).astype(np.float32)
        chosen = choose_features(
            rows, np.arange(40), labels, classes=3, sides=Sides(15, NETWORK, POOL), seed=seed
        )

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
    chosen = choose_features(rows, np.arange(10), labels, classes=2, sides=SIDES, seed=0)
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
    assert note.startswith("Told apart by ")
    model.save(tmp_path / "model.safetensors")
    again = load_target(tmp_path / "model.safetensors", store, embeddings=rows)
    all_of_them = np.arange(30)
    before, after = model.infer(all_of_them), again.infer(all_of_them)
    np.testing.assert_array_equal(before.logits, after.logits)
    np.testing.assert_array_equal(before.embeddings, after.embeddings)


def test_ood_answers_count_as_a_class() -> None:
    rows, labels = blobs(slice(0, 20))
    with_ood = choose_features(rows, np.arange(120), labels, classes=2, sides=SIDES, seed=0)
    inside = np.flatnonzero(labels < 2)
    without = choose_features(rows, inside, labels[inside], classes=2, sides=SIDES, seed=0)
    assert with_ood.losses[POOL] > without.losses[POOL]


def test_texts_have_both_kinds_and_the_verdicts_choose_what_is_no_english(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    labels = np.arange(120, dtype=np.int64) % 3
    # Of Amharic the network knows no letter: of payments, parcels and accounts.
    words = (("ክፍያ", "ደረሰኝ", "ገንዘብ"), ("ጭነት", "መላኪያ", "ጥቅል"), ("መለያ", "የይለፍ", "ስም"))
    texts = [
        f"{' '.join(random.permutation(words[label])[:2])} {random.integers(10**6)}"
        for label in labels
    ]
    with TextStore.writer(tmp_path / "texts") as writer:
        writer.write(0, texts)
    store, out = TextStore.open(tmp_path / "texts", 120), tmp_path / "auto_text.npy"
    embed_pool(store, "auto_text", {}, out=out, seed=0)
    rows = np.load(out)
    assert rows.shape[1] > 384
    for part in (rows[:, :384], rows[:, 384:]):
        spread = np.square(part - part.mean(axis=0)).sum(axis=1).mean()
        assert spread == pytest.approx(1, rel=1e-3)
    # Made again from what was saved, they are the same.
    np.testing.assert_allclose(restore_extractor(out).extract(texts[:7]), rows[:7], atol=5e-3)
    inside = np.arange(90)
    model = train_target(
        store, inside, labels[:90], classes=3, name="auto_text", params={}, seed=0, embeddings=rows
    )
    (note,) = model.notes
    assert note.startswith(("Told apart by hashed_ngrams", "Told apart by both"))
    assert note.index("hashed_ngrams ") < note.index("minilm ")
    predicted = model.infer(np.arange(90, 120)).logits.argmax(axis=1)
    assert (predicted == labels[90:]).mean() > 0.9
    # Until there are some answers it is the network, which alone says what is alike to people.
    few = chosen_features(rows, labels[:6], "auto_text", classes=3, image_size=None, seed=0)
    assert few.embeddings.shape == (120, 384)
    assert compared_width("auto_text", rows.shape[1]) == 384
