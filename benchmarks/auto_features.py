"""Which features the model ``auto`` chooses, and what the choice is worth.

``python -m benchmarks.auto_features --cifar DIR --photos FILE --textures FILE --json FILE``

Accuracy on images that are not labeled, with few to many answers drawn at random, of a logistic
head on the packaged network's features, on those of the pool, on both side by side, and on what
``auto`` takes. Each pool is left out whose option is. CIFAR-10: its first trial, 60 % OOD, 10,000
images. Photographs: four groups of animals among 1,000. Textures: six of ten kinds, the others OOD.
Digits: those of scikit-learn, enlarged from 8 to 32 pixels, 0 to 5, the others OOD.
"""

import argparse
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from benchmarks.open_set.protocol import EMBEDDING_SEED, Case, Images, split
from benchmarks.photo_groups import GROUPS
from benchmarks.runs import Runs, spread
from models.catalog.params.networks import AutoParams
from models.features.embed import embed_pool
from models.heads.feature_choice import BOTH, choose_features, sides_of
from models.heads.head import Scaling, fit_head
from models.heads.penalty import choose_penalty
from models.media.images.store import PixelStore, fit_image
from models.protocols import OOD, Float32Array, Indices

NETWORK: Final = "efficientnet_lite0"
POOL: Final = "patch_kmeans"
AUTO: Final = "auto"
ANSWERS: Final = (20, 40, 100, 200, 400, 1000)
_TEXTURES_INSIDE: Final = 6
_PHOTO_SIDE: Final = 128
_TEXTURE_SIDE: Final = 64
_DIGITS_INSIDE: Final = 6
_DIGIT_SIDE: Final = 32
_CIFAR: Final = Case(noise=0.6, trial=0, seed=0)
_CIFAR_POOL: Final = 10_000
_SHARE_ASKED: Final = 0.6
"""Answers are drawn from this share of a pool; the others are what accuracy is measured on."""


@dataclass(frozen=True)
class Pool:
    """Images and what they are.

    Attributes:
        embeddings: (N, D) of both kinds, as `auto` stores them.
        labels: (N,) int64 in 0..C-1, or `OOD`.
        side: pixels of a side.
        pixels: file of the images; none of CIFAR-10.
    """

    embeddings: Float32Array
    labels: Indices
    side: int
    pixels: Path | None = None

    @property
    def classes(self) -> int:
        """Return C."""
        return int(self.labels.max()) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--cifar", type=Path, help="folder of CIFAR-10 as Parquet")
    parser.add_argument("--photos", type=Path, help="Parquet: image, group")
    parser.add_argument("--textures", type=Path, help="Parquet: image64, label")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--json", type=Path, default=Path("results/auto_features.json"))
    arguments = parser.parse_args()
    runs = Runs(arguments.json, {"network": NETWORK}, ("pool", "answers", "seed"))
    names = []
    for name, pool in pools(arguments):
        names.append(name)
        for answers in (count for count in ANSWERS if count <= _SHARE_ASKED * len(pool.labels)):
            for seed in range(arguments.seeds):
                run = {"pool": name, "answers": answers, "seed": seed}
                if run not in runs:
                    runs.add(run | _measure(pool, answers, seed))
    console = Console(width=140)
    for name in names:
        console.print(_table(runs, name))


def pools(arguments: argparse.Namespace) -> Iterator[tuple[str, Pool]]:
    """Each pool that there is a file of, embedded; pixels and embeddings are kept in `cache`."""
    grey, digits = load_digits(return_X_y=True)
    grey = np.round(grey.reshape(-1, 8, 8) * 255 / 16).astype(np.uint8)
    labels = np.where(digits < _DIGITS_INSIDE, digits, OOD).tolist()
    shown = [Image.fromarray(one).convert("RGB") for one in grey]
    yield "digits", _pool(shown, labels, _DIGIT_SIDE, arguments.cache, "digits_32")
    if arguments.photos:
        table = pq.read_table(arguments.photos, columns=["image", "group"]).to_pydict()
        labels = [GROUPS.index(one) if one in GROUPS else OOD for one in table["group"]]
        yield (
            "photos",
            _pool(_decoded(table["image"]), labels, _PHOTO_SIDE, arguments.cache, "photos"),
        )
    if arguments.textures:
        table = pq.read_table(arguments.textures, columns=["image64", "label"]).to_pydict()
        labels = [one if one < _TEXTURES_INSIDE else OOD for one in table["label"]]
        yield (
            "textures",
            _pool(_decoded(table["image64"]), labels, _TEXTURE_SIDE, arguments.cache, "textures"),
        )
    if arguments.cifar:
        images = Images.prepare(arguments.cifar, arguments.cache)
        parts = split(images.targets, images.train, _CIFAR, budget=0, pool_size=_CIFAR_POOL)
        embeddings = np.load(images.embed(AUTO, {}), mmap_mode="r")
        yield "cifar10", Pool(embeddings[parts.pool], parts.labels[parts.pool], images.size)


def _decoded(encoded: list[bytes]) -> Iterator[Image.Image]:
    return (Image.open(io.BytesIO(one)).convert("RGB") for one in encoded)


def _pool(
    images: Iterable[Image.Image], labels: list[int], side: int, cache: Path, name: str
) -> Pool:
    path = cache / f"{name}_{AUTO}.npy"
    if not path.exists():
        pixels = np.stack([fit_image(one, side) for one in images])
        cache.mkdir(parents=True, exist_ok=True)
        with PixelStore.writer(cache / f"{name}.bin", side) as writer:
            writer.write(0, pixels)
        store = PixelStore.open(cache / f"{name}.bin", side, len(pixels))
        embed_pool(store, AUTO, {}, out=path, seed=EMBEDDING_SEED)
    return Pool(np.load(path), np.array(labels, dtype=np.int64), side, cache / f"{name}.bin")


def _measure(pool: Pool, answers: int, seed: int) -> dict[str, Any]:
    """Draw answers, fit a head on each kind of features, and let the answers choose."""
    drawn = np.random.default_rng([seed, answers]).permutation(len(pool.labels))
    asked, rest = np.split(drawn, [round(_SHARE_ASKED * len(drawn))])
    asked = asked[:answers]
    tested = rest[pool.labels[rest] >= 0]
    width, sides = pool.embeddings.shape[1], sides_of(AutoParams(), pool.side)
    assert sides is not None
    edge = sides.split
    columns = {NETWORK: slice(0, edge), POOL: slice(edge, width), BOTH: slice(0, width)}
    accuracy = {
        name: _accuracy(pool.embeddings[:, part], pool, asked, tested, seed)
        for name, part in columns.items()
    }
    chosen = choose_features(
        pool.embeddings,
        asked,
        np.where(pool.labels[asked] == OOD, pool.classes, pool.labels[asked]),
        classes=pool.classes,
        sides=sides,
        seed=seed,
    )
    return {
        "accuracy": accuracy | {AUTO: accuracy[chosen.name]},
        "chosen": chosen.name,
        "losses": dict(chosen.losses),
        "is_sure": chosen.is_sure,
    }


def _accuracy(
    rows: NDArray[np.float32], pool: Pool, asked: Indices, tested: Indices, seed: int
) -> float:
    known = asked[pool.labels[asked] >= 0]
    scaling, labels = Scaling.of_pool(rows), pool.labels[known]
    l2 = choose_penalty(rows[known], labels, classes=pool.classes, scaling=scaling, seed=seed)
    head = fit_head(rows[known], labels, classes=pool.classes, l2=l2, scaling=scaling)
    return float((head.logits(rows[tested]).argmax(axis=1) == pool.labels[tested]).mean())


def _table(runs: Runs, name: str) -> Table:
    """Accuracy in % by answers and features, and how often each was chosen."""
    columns = (NETWORK, POOL, BOTH, AUTO)
    shown = Table(title=name)
    for title in ("answers", *columns, "chosen (network, pool, both)", "sure"):
        shown.add_column(title, justify="right")
    mine = [run for run in runs.all if run["pool"] == name]
    for answers in sorted({run["answers"] for run in mine}):
        found = [run for run in mine if run["answers"] == answers]
        chosen = [run["chosen"] for run in found]
        shown.add_row(
            str(answers),
            *(spread([100 * run["accuracy"][one] for run in found]) for one in columns),
            " ".join(str(chosen.count(one)) for one in columns[:3]),
            str(sum(run["is_sure"] for run in found)),
        )
    return shown


if __name__ == "__main__":
    main()
