"""What OOD answers are worth to the classes, and how many pixels photographs are worth.

``python -m benchmarks.ood_answers --data DIR --seeds 12 --json FILE``
``python -m benchmarks.ood_answers --data DIR --pools photos --answers 70+130 --sides 224,256,288``

Accuracy on images of the classes of two heads on the same frozen features: one that has learned
from answers of classes, and one that has learned from as many OOD answers as well, all drawn at
random. ``DIR`` holds the folders ``photos`` and ``cifar10`` with their Parquet files. Photographs:
four groups of animals among 1,000; CIFAR-10: four animals or four vehicles among 6,000 images;
digits: 0 to 5 of scikit-learn's, as pixels.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from benchmarks.noisy_labels import MODEL, embedded
from benchmarks.photo_groups import GROUPS, among
from benchmarks.runs import Runs, difference, spread
from models.heads.head import Scaling, fit_head
from models.heads.penalty import choose_penalty
from models.protocols import OOD, Float32Array, Indices

_ANIMALS: Final = (2, 3, 4, 5)
_VEHICLES: Final = (0, 1, 8, 9)
_CIFAR_COUNT: Final = 6_000
_CIFAR_SIDE: Final = 32
_DIGITS_INSIDE: Final = 6
_HELD_OUT: Final = 0.33
"""Share of the images of the classes that accuracy is measured on."""


@dataclass(frozen=True)
class Pool:
    """Images and what they are.

    Attributes:
        rows: (N, D) float32 features.
        labels: (N,) int64 in 0..C-1, or `OOD`.
    """

    rows: Float32Array
    labels: Indices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--pools", default="photos,animals,vehicles,digits")
    parser.add_argument("--answers", default="20+20,40+60,70+130,120+200", help="of classes + OOD")
    parser.add_argument("--sides", default="224", help="pixels of the photographs")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--cache", type=Path, default=Path("results/ood_answers"))
    parser.add_argument("--json", type=Path, default=Path("results/ood_answers.json"))
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    runs = Runs(arguments.json, {"network": MODEL}, ("pool", "side", "answers", "seed"))
    for name, side, pool in pools(arguments):
        for answers in arguments.answers.split(","):
            inside, outside = map(int, answers.split("+"))
            for seed in range(arguments.seeds):
                run = {"pool": name, "side": side, "answers": answers, "seed": seed}
                if run not in runs:
                    runs.add(run | measured(pool, inside, outside, seed))
    Console(width=140).print(table(runs))


def pools(arguments: argparse.Namespace) -> Iterator[tuple[str, int, Pool]]:
    """Each pool that is asked for, with the size at which it is seen."""
    data, cache = arguments.data, arguments.cache
    for name in arguments.pools.split(","):
        if name == "photos":
            file = pq.read_table(data / "photos" / "photos1000.parquet").to_pydict()
            labels = among(GROUPS, file["group"])
            for side in map(int, arguments.sides.split(",")):
                rows = embedded(file["image"], side, cache / f"photos-{side}")
                yield name, side, Pool(rows, labels)
        elif name == "digits":
            rows, digits = load_digits(return_X_y=True)
            labels = np.where(digits < _DIGITS_INSIDE, digits, OOD).tolist()
            yield name, 8, Pool(rows.astype(np.float32), np.array(labels, np.int64))
        else:
            wanted = {"animals": _ANIMALS, "vehicles": _VEHICLES}[name]
            file = pq.read_table(data / "cifar10" / "cifar10_train.parquet")
            file = file.take(np.random.default_rng(0).permutation(len(file))[:_CIFAR_COUNT])
            rows = embedded(file["image"].to_pylist(), _CIFAR_SIDE, cache / "cifar10")
            yield name, _CIFAR_SIDE, Pool(rows, among(wanted, file["label"].to_pylist()))


def measured(pool: Pool, inside: int, outside: int, seed: int) -> dict[str, Any]:
    """Draw answers, and fit both heads: accuracies on images of the classes that are held out."""
    random = np.random.default_rng(seed)
    known = random.permutation(np.flatnonzero(pool.labels >= 0))
    tested, known = np.split(known, [round(_HELD_OUT * len(known))])
    others = random.permutation(np.flatnonzero(pool.labels == OOD))
    answered, found = known[:inside], dict[str, Any]()
    for head, asked in (("alone", answered), ("taught", np.append(answered, others[:outside]))):
        found[head] = _accuracy(pool, asked, tested, seed)
    return found


def _accuracy(pool: Pool, asked: Indices, tested: Indices, seed: int) -> float:
    classes, scaling = int(pool.labels.max()) + 1, Scaling.of_pool(pool.rows)
    labels = np.where(pool.labels[asked] == OOD, classes, pool.labels[asked])
    rows = pool.rows[asked]
    l2 = choose_penalty(rows, labels, classes=classes, scaling=scaling, seed=seed)
    head = fit_head(rows, labels, classes=classes, l2=l2, scaling=scaling)
    return float((head.logits(pool.rows[tested]).argmax(axis=1) == pool.labels[tested]).mean())


def table(runs: Runs) -> Table:
    """Accuracy in %, and differences with their standard errors, draw by draw."""
    shown = Table(title="accuracy, %")
    for title in ("pool", "side", "answers", "draws", "classes alone", "with OOD", "difference",
                  "with OOD, against the first side"):  # fmt: skip
        shown.add_column(title, justify="right")
    first: dict[tuple[str, str], dict[int, float]] = {}
    for pool, answers, side in dict.fromkeys(
        (r["pool"], r["answers"], r["side"]) for r in runs.all
    ):
        mine = [
            r for r in runs.all if (r["pool"], r["answers"], r["side"]) == (pool, answers, side)
        ]
        alone, taught = ([100 * run[one] for run in mine] for one in ("alone", "taught"))
        by_seed = {run["seed"]: 100 * run["taught"] for run in mine}
        start = first.setdefault((pool, answers), by_seed)
        shared = [by_seed[seed] - start[seed] for seed in by_seed if seed in start]
        shown.add_row(
            pool, str(side), answers, str(len(mine)), spread(alone), spread(taught),
            difference(list(np.subtract(taught, alone))),
            difference(shared) if start is not by_seed else "",
        )  # fmt: skip
    return shown


if __name__ == "__main__":
    main()
