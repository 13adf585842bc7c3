"""How many of what is asked for are of the classes, in small pools that a network sees well.

``python -m benchmarks.small_pools --data DIR --seeds 8 --json FILE``

Rounds of twenty verdicts on frozen features, as the product has them: accuracy on images of the
classes that are held out, and the share of the answers that is of the classes, by round. ``DIR``
holds the folders ``photos`` and ``ood_textures`` with their Parquet files. Pools:

- *photos*: four groups of animals among 1,000 photographs; *dogs_birds*: two of them.
- *textures_0123* and the like: these of ten kinds of textures; the others are OOD.
- *clusters*: four of ten clusters far apart, 2,000 points; the same for every seed.
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.noisy_labels import MODEL, embedded
from benchmarks.open_set.protocol import Images, Split
from benchmarks.open_set.runs import Algorithm, Learner, Setup
from benchmarks.photo_groups import GROUPS, among
from benchmarks.runs import Runs, difference
from models.media.images.store import PixelStore
from models.protocols import OOD, Float32Array, Indices

_SIDE: Final = 224
_HELD_OUT: Final = 1 / 3
"""Share of the images of the classes that accuracy is measured on."""
_CLUSTERS: Final = 10
_POINTS: Final = 2_000
_WIDTH: Final = 64
_APART: Final = 3.0


@dataclass(frozen=True)
class Pool:
    """Images and what they are.

    Attributes:
        images: with features.
        labels: (N,) int64 in 0..C-1, or `OOD`.
    """

    images: Images
    labels: Indices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument(
        "--pools", default="photos,dogs_birds,textures_0123,textures_4567,textures_0189,clusters"
    )
    parser.add_argument("--strategies", default="expected_value?floor=0,expected_value")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--budget", type=int, default=20, help="verdicts a round")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cache", type=Path, default=Path("results/small_pools"))
    parser.add_argument("--json", type=Path, default=Path("results/small_pools.json"))
    arguments = parser.parse_args()
    if arguments.budget < 2:
        parser.error("--budget is 2 or more: one answer teaches no classifier.")
    config = {"network": MODEL, "budget": arguments.budget, "rounds": arguments.rounds}
    runs = Runs(arguments.json, config, ("pool", "strategy", "seed"))
    for name in arguments.pools.split(","):
        pool = pool_of(name, arguments.data, arguments.cache)
        for strategy in arguments.strategies.split(","):
            for seed in range(arguments.seeds):
                run = {"pool": name, "strategy": strategy, "seed": seed}
                if run not in runs:
                    found = rounds(pool, strategy, seed, arguments.budget, arguments.rounds)
                    runs.add({**run, **found})
    Console(width=160).print(table(runs))


def pool_of(name: str, data: Path, cache: Path) -> Pool:
    """Return a pool by its name, its features computed once."""
    cache.mkdir(parents=True, exist_ok=True)
    if name == "clusters":
        random = np.random.default_rng(0)
        which = random.integers(0, _CLUSTERS, _POINTS)
        centres = _APART * random.normal(size=(_CLUSTERS, _WIDTH))
        rows = (centres[which] + random.normal(size=(_POINTS, _WIDTH))).astype(np.float32)
        return Pool(_with_features(rows, cache / name), np.where(which < 4, which, OOD))
    if name.startswith("textures_"):
        table = pq.read_table(data / "ood_textures" / "dtd10.parquet").to_pydict()
        kinds, encoded = table["label"], table["image64"]
        wanted: list[int | str] = [int(one) for one in name.removeprefix("textures_")]
        rows = embedded(encoded, 64, cache / "textures")
    else:
        table = pq.read_table(data / "photos" / "photos1000.parquet").to_pydict()
        kinds = table["group"]
        wanted = list({"photos": GROUPS, "dogs_birds": GROUPS[:2]}[name])
        rows = embedded(table["image"], _SIDE, cache / f"photos-{_SIDE}")
    return Pool(_with_features(rows, cache / name), among(wanted, kinds))


def _with_features(rows: Float32Array, directory: Path) -> Images:
    """Keep features as those of images, at whose pixels nobody looks any more."""
    images = Images(directory, 32, len(rows), len(rows))
    directory.mkdir(parents=True, exist_ok=True)
    np.save(images.embeddings_path(MODEL), rows)
    with PixelStore.writer(directory / "pixels.bin", images.size) as writer:
        writer.write(0, np.zeros((len(rows), images.size, images.size, 3), np.uint8))
    return images


def rounds(pool: Pool, strategy: str, seed: int, budget: int, count: int) -> dict[str, list[float]]:
    """Run all rounds: accuracy 0..1 before each round's answers, and the share of these inside."""
    setup = Setup(pool.images, MODEL, {}, rounds=count, budget=budget)
    # As models of new projects have it.
    algorithm = replace(Algorithm.parse(strategy), learner={"ood_class": True})
    learner = Learner(setup, algorithm, _split(pool.labels, seed, budget), seed)
    accuracy, inside = [], []
    for number in range(count):
        right, _, asked = learner.round(number)
        accuracy.append(right)
        inside.append(float((pool.labels[asked] != OOD).mean()))
    return {"accuracy": accuracy, "in_share": inside}


def _split(labels: Indices, seed: int, budget: int) -> Split:
    """Hold out a third of the images of the classes; the first answers are drawn at random."""
    random = np.random.default_rng(seed)
    known = random.permutation(np.flatnonzero(labels != OOD))
    tested = known[: int(len(known) * _HELD_OUT)]
    pool = np.setdiff1d(np.arange(len(labels)), tested)
    first = random.permutation(pool)[:budget]
    # Answers of a single class teach no classifier.
    while len(np.unique(labels[first][labels[first] != OOD])) < 2:
        first = random.permutation(pool)[:budget]
    return Split(labels, pool, np.sort(first), np.empty(0, np.int64), np.sort(tested))


def table(runs: Runs) -> Table:
    """Accuracy and shares in %, and differences from the first strategy, draw by draw."""
    shown = Table(title="mean over draws, %")
    for title in ("pool", "strategy", "draws", "accuracy by round", "mean: difference",
                  "last: difference", "of the classes, by round", "all", "difference"):  # fmt: skip
        shown.add_column(title, justify="right")
    first: dict[str, dict[int, tuple[list[float], list[float]]]] = {}
    for pool, strategy in dict.fromkeys((run["pool"], run["strategy"]) for run in runs.all):
        mine = {
            run["seed"]: (run["accuracy"], run["in_share"])
            for run in runs.all
            if (run["pool"], run["strategy"]) == (pool, strategy)
        }
        start = first.setdefault(pool, mine)
        accuracy, inside = (
            100 * np.mean([one[k] for one in mine.values()], axis=0) for k in (0, 1)
        )
        pairs = [(mine[seed], start[seed]) for seed in mine if seed in start]
        means = [
            [100 * float(np.mean(one[k]) - np.mean(other[k])) for one, other in pairs]
            for k in (0, 1)
        ]
        last = [100 * (one[0][-1] - other[0][-1]) for one, other in pairs]
        shown.add_row(
            pool, strategy, str(len(mine)), " ".join(f"{one:.0f}" for one in accuracy),
            difference(means[0]), difference(last), " ".join(f"{one:.0f}" for one in inside),
            f"{inside.mean():.0f}", difference(means[1]),
        )  # fmt: skip
    return shown


if __name__ == "__main__":
    main()
