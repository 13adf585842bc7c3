"""Data sets with labels of which some are wrong, for `benchmarks.wrong_labels`."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from benchmarks.photo_groups import GROUPS
from models.features.chosen import embed_rows
from models.media.images.store import PixelStore, fit_image
from models.protocols import Float32Array, Indices

MODEL: Final = "efficientnet_lite0"
COUNT: Final = 3_000
_PER_CLASS: Final = 30


@dataclass(frozen=True)
class Case:
    """Images with labels of which some are wrong.

    Attributes:
        name: of the data set and the noise.
        embeddings: (N, D) float32.
        labels: (N,) int64, as given.
        truth: (N,) int64.
        classes: C.
    """

    name: str
    embeddings: Float32Array
    labels: Indices
    truth: Indices
    classes: int


def embedded(images: list[bytes], side: int, cache: Path, model: str = MODEL) -> Float32Array:
    """Return features of encoded images by a model of the catalog, computed once."""
    out = cache.with_suffix(".npy")
    pixels = cache.with_suffix(".u8")
    if not out.exists():
        with PixelStore.writer(pixels, side) as writer:
            for start in range(0, len(images), 500):
                some = [
                    fit_image(Image.open(io.BytesIO(one)), side)
                    for one in images[start : start + 500]
                ]
                writer.write(start, np.stack(some))
        store = PixelStore.open(pixels, side, len(images))
        embed_rows(store, np.arange(len(images)), model, {}, seed=0, out=out)
        pixels.unlink()
    rows: Float32Array = np.load(out)
    return rows


def cifar(
    column: str, count: int | None = COUNT, *, imbalance: int = 1
) -> Callable[[Path, Path, int], Case]:
    """Return how to draw images of CIFAR-10N.

    Args:
        column: Whose labels.
        count: Images; None: all of them, whatever the seed.
        imbalance: How many times as likely an image of the most frequent class is drawn as one of
            the rarest, the classes between them in equal ratios; which is which goes by the seed.
    """

    def draw(data: Path, cache: Path, seed: int) -> Case:
        table = pq.read_table(data / "cifar10" / "cifar10_train.parquet")
        rows = np.arange(len(table))
        if count is not None:
            random, weight = np.random.default_rng(seed), None
            if imbalance > 1:
                rank = random.permutation(10)[np.array(table["label"].to_pylist(), np.int64)]
                weight = float(imbalance) ** (-rank / 9)
                weight /= weight.sum()
            rows = random.choice(len(table), count, replace=False, p=weight)
        table = table.take(rows)
        kind = "cifar" if imbalance == 1 else f"cifar-{imbalance}to1"
        file = cache / (f"{kind}-{count}-{seed}" if count is not None else "cifar-all")
        embeddings = embedded(table["image"].to_pylist(), 32, file)
        labels, truth = (np.array(table[one].to_pylist(), np.int64) for one in (column, "label"))
        return Case(column, embeddings, labels, truth, 10)

    return draw


def spoiled(
    folder: str, file: str, image: str, share: float, *, confusable: bool, alike: str = MODEL
) -> Callable[[Path, Path, int], Case]:
    """Return how to take a data set and exchange a share of its labels.

    Args:
        folder: where it is.
        file: Parquet.
        image: column of the images.
        share: of the labels, 0..1.
        confusable: for classes that look alike; else for any.
        alike: the model of the catalog by whose features classes look alike.
    """

    def draw(data: Path, cache: Path, seed: int) -> Case:
        table = pq.read_table(data / folder / file)
        truth = np.array(table["label"].to_pylist(), np.int64)
        drawn = np.random.default_rng(0).permutation(len(truth))
        place = np.zeros(len(truth), np.int64)
        for one in np.unique(truth):
            mine = drawn[truth[drawn] == one]
            place[mine] = np.arange(len(mine))
        kept = np.flatnonzero(place < (_PER_CLASS if truth.max() >= 100 else len(truth)))
        images, truth = table[image].take(kept).to_pylist(), truth[kept]
        rows = embedded(images, 64, cache / folder)
        seen = rows if alike == MODEL else embedded(images, 64, cache / f"{folder}-{alike}", alike)
        labels = exchanged(seen, truth, share, seed, confusable=confusable)
        return Case(folder, rows, labels, truth, int(truth.max()) + 1)

    return draw


def photographs(share: float, count: int = 250) -> Callable[[Path, Path, int], Case]:
    """Return how to draw so many photographs, few of four classes and the rest of a fifth."""

    def draw(data: Path, cache: Path, seed: int) -> Case:
        table = pq.read_table(data / "photos" / "photos1000.parquet")
        rows = embedded(table["image"].to_pylist(), 128, cache / "photos")
        groups = table["group"].to_pylist()
        truth = np.array([GROUPS.index(one) if one in GROUPS else len(GROUPS) for one in groups])
        some = np.random.default_rng(seed).choice(len(truth), count, replace=False)
        labels = exchanged(rows[some], truth[some], share, seed, confusable=False)
        return Case(f"photos-{share:g}", rows[some], labels, truth[some], len(GROUPS) + 1)

    return draw


def exchanged(
    rows: Float32Array, truth: Indices, share: float, seed: int, *, confusable: bool
) -> Indices:
    """Exchange labels for any other class, or for one of the three that look most alike."""
    random, classes = np.random.default_rng(seed), int(truth.max()) + 1
    spoil = random.random(len(truth)) < share
    other = (truth + random.integers(1, classes, len(truth))) % classes
    if confusable:
        means = np.stack([rows[truth == one].mean(axis=0) for one in range(classes)])
        means = means - means.mean(axis=0)
        means = means / np.linalg.norm(means, axis=1, keepdims=True)
        alike = means @ means.T
        np.fill_diagonal(alike, -2)
        near = np.argsort(-alike, axis=1)[:, :3]
        other = near[truth, random.integers(0, 3, len(truth))]
    labels: Indices = np.where(spoil, other, truth)
    return labels


_TINY: Final = ("tinyimagenet", "tinyimagenet_train100.parquet", "image")
SETS: Final[dict[str, Callable[[Path, Path, int], Case]]] = {
    "worst": cifar("worse_label"),
    "random1": cifar("random_label1"),
    "worst-imbalanced": cifar("worse_label", imbalance=20),
    "random1-imbalanced": cifar("random_label1", imbalance=20),
    "worst-50000": cifar("worse_label", None),
    "random1-50000": cifar("random_label1", None),
    "tiny-clean": spoiled(*_TINY, 0.0, confusable=False),
    "tiny-symmetric": spoiled(*_TINY, 0.2, confusable=False),
    "tiny-confusable": spoiled(*_TINY, 0.2, confusable=True),
    "tiny-patches": spoiled(*_TINY, 0.2, confusable=True, alike="patch_kmeans"),
    "textures": spoiled("ood_textures", "dtd10.parquet", "image64", 0.1, confusable=False),
    "photos-clean": photographs(0.0),
    "photos-few": photographs(0.05),
    "photos-many": photographs(0.2),
}
