"""TAUFE beside plain training and OAT on few labels of CIFAR-10.

``python -m benchmarks.taufe --data DIR --textures FILE --sizes 500,1000,2500,5000 --seeds 5``

Set-ups: all ten classes with textures as OOD (`textures`); the four classes of a trial of
`benchmarks.open_set` with the other six as OOD (`others`; a trial a seed); and all ten classes with
OOD of one data set to learn from and of another to judge by, of Tiny-ImageNet and textures
(`textures_unseen` learns from textures, `tinyimagenet_unseen` the other way round). N labeled and N
OOD images are learned from, as in the thesis, and the whole test split judges; a fifth of the
textures, or the other classes of the test split, are the OOD images that judge where one data set
does both. All methods share seed, batches and number of updates. With `"training": "mixmatch"` in
`--params` the images of the classes that have no label here are the unlabeled ones, so that no OOD
image is among them; with `"training": "adversarial"` some are attacked to judge. Every run is
written to `--json` when it ends, and a benchmark that was stopped goes on.
"""

import argparse
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.open_set import outside
from benchmarks.open_set.protocol import IN_CLASSES, Images
from benchmarks.runs import Runs, difference, spread
from models.catalog.params.regularize import TaufeParams
from models.media.images.store import PixelStore
from models.protocols import Indices
from models.regularization.judging import measure
from models.regularization.parts import Parts
from models.regularization.training import train_method

SETUPS: Final = ("textures", "others", "textures_unseen", "tinyimagenet_unseen")
THESIS: Final = {
    "standard": {500: 38.58, 1000: 52.63, 2500: 72.94, 5000: 82.38},
    "oat": {500: 40.73, 1000: 53.16, 2500: 73.51, 5000: 82.71},
    "taufe": {500: 42.51, 1000: 56.79, 2500: 74.15, 5000: 83.73},
}
"""Accuracy in %, ResNet-18, all ten classes, LSUN as OOD: thesis, section 3.4, task I."""
THESIS_MIXED: Final = {"standard": 88.32, "taufe": 90.10}
"""MixMatch with 250 labels: thesis, section 3.5, LSUN."""
THESIS_ATTACKED: Final = {"supervised": 0.0, "standard": 44.26, "taufe": 45.48}
"""Accuracy on attacked images, all labels: thesis, section 3.5, LSUN."""


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    images = Images.prepare(arguments.data, arguments.cache)
    store, places = with_outside(images, arguments)
    params = TaufeParams.model_validate(arguments.params)
    config = {"params": params.model_dump(), "cpu_threads": arguments.threads}
    runs = Runs(arguments.json, config, ("setup", "size", "seed", "method"))
    console = Console(width=160)
    for setup, size, seed in _cases(arguments):
        parts = parts_of(setup, size, seed, images, places)
        if params.training == "mixmatch":
            parts = parts.beside(unlabeled_of(parts, images, setup, seed))
        for method in arguments.methods or params.methods:
            case = {"setup": setup, "size": size, "seed": seed, "method": method}
            if case in runs:
                continue
            started = time.perf_counter()
            model = train_method(
                method, store, parts, params, classes=int(parts.labels.max()) + 1, seed=seed
            )
            seconds = time.perf_counter() - started
            found = measure(model, parts, params, seed=seed)
            runs.add({**case, "seconds": seconds, **found})
            name = " ".join(map(str, case.values()))
            attacked = found.get("attacked_accuracy")
            after = "" if attacked is None else f", attacked {100 * attacked:.2f} %"
            console.print(f"{name}: {100 * found['accuracy']:.2f} %{after}", highlight=False)
    for setup in arguments.setups.split(","):
        console.print(table(setup, runs.all, params))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument("--textures", type=Path, required=True, help="Parquet file of textures")
    parser.add_argument("--tinyimagenet", type=Path, help="folder of Tiny-ImageNet, for unseen")
    parser.add_argument("--setups", default=",".join(SETUPS[:2]))
    parser.add_argument("--methods", type=lambda text: text.split(","), help="default: all")
    parser.add_argument("--sizes", default="500,1000,2500,5000", help="labeled images")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--params", type=json.loads, default={}, help="JSON object of the job's")
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, default=Path("results/taufe.json"))
    return parser.parse_args()


def _cases(arguments: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    """Seed by seed, so that a stopped benchmark has whole pairs."""
    for seed in range(arguments.seeds):
        for setup in arguments.setups.split(","):
            for size in map(int, arguments.sizes.split(",")):
                yield setup, size, seed


def with_outside(
    images: Images, arguments: argparse.Namespace
) -> tuple[PixelStore, dict[str, Indices]]:
    """Put textures, and Tiny-ImageNet if it is given, behind the images of CIFAR-10."""
    parts = {"textures": partial(outside.textures, arguments.textures, images.size)}
    if arguments.tinyimagenet:
        parts["tinyimagenet"] = partial(outside.tinyimagenet, arguments.tinyimagenet, images.size)
    return outside.appended(images.store, parts, arguments.cache)


def labels_of(setup: str, seed: int, targets: Indices) -> Indices:
    """Return the classes of a set-up, (N,) int64 in 0..C-1, -1 for the others."""
    classes = sorted(IN_CLASSES[seed % 5]) if setup == "others" else list(range(10))
    labels = np.full(len(targets), -1, dtype=np.int64)
    for position, name in enumerate(classes):
        labels[targets == name] = position
    return labels


def parts_of(setup: str, size: int, seed: int, images: Images, places: dict[str, Indices]) -> Parts:
    """Draw `size` labeled and as many OOD images, of which there may be fewer."""
    generator = np.random.default_rng([seed, size])
    labels = labels_of(setup, seed, images.targets)
    trained = np.arange(len(labels)) < images.train
    inside = np.sort(generator.permutation(np.flatnonzero(trained & (labels >= 0)))[:size])
    if setup == "textures":
        shuffled = generator.permutation(places["textures"])
        test_ood, pool = shuffled[: len(shuffled) // 5], shuffled[len(shuffled) // 5 :]
    elif setup == "others":
        test_ood = np.flatnonzero(~trained & (labels < 0))
        pool = generator.permutation(np.flatnonzero(trained & (labels < 0)))
    else:
        learned = setup.removesuffix("_unseen")
        (judging,) = set(places) - {learned}
        test_ood, pool = places[judging], generator.permutation(places[learned])
    test = np.flatnonzero(~trained & (labels >= 0))
    return Parts(
        inside, labels[inside], np.sort(pool[:size]), pool[:0], test, labels[test],
        np.sort(test_ood), "evaluation",
    )  # fmt: skip


def unlabeled_of(parts: Parts, images: Images, setup: str, seed: int) -> Indices:
    """Return the training images of the classes whose label nobody is told."""
    labels = labels_of(setup, seed, images.targets)[: images.train]
    return np.setdiff1d(np.flatnonzero(labels >= 0), parts.inside)


def table(setup: str, runs: list[dict[str, Any]], params: TaufeParams) -> Table:
    """Build one line for each size and method."""
    attacks = params.training == "adversarial"
    result = Table(title=setup)
    for heading in (
        "labels", "method", "accuracy %", "− standard", "thesis %", "similarity", "− standard",
        "AUROC energy %", "FPR95 energy %", *(["attacked %", "thesis %"] if attacks else []), "s",
    ):  # fmt: skip
        result.add_column(heading, justify="right")
    mine = [run for run in runs if run["setup"] == setup]
    for size in sorted({run["size"] for run in mine}):
        standard = {r["seed"]: r for r in mine if (r["size"], r["method"]) == (size, "standard")}
        for method in params.methods:
            chosen = [r for r in mine if (r["size"], r["method"]) == (size, method)]
            pairs = [(r, standard[r["seed"]]) for r in chosen if r["seed"] in standard]
            thesis = _printed(method, size, params) if setup == "textures" else None
            attacked = (
                [
                    spread([100 * r["attacked_accuracy"] for r in chosen]),
                    str(THESIS_ATTACKED.get(method, "–")),
                ]
                if attacks
                else []
            )
            result.add_row(
                str(size),
                method,
                spread([100 * r["accuracy"] for r in chosen]),
                difference([100 * (r["accuracy"] - s["accuracy"]) for r, s in pairs], 2),
                "–" if thesis is None else f"{thesis:.1f}",
                f"{np.mean([r['similarity'] for r in chosen]):.3f}" if chosen else "–",
                difference([r["similarity"] - s["similarity"] for r, s in pairs], 3),
                spread([100 * r["energy"]["auroc"] for r in chosen]),
                spread([100 * r["energy"]["fpr95"] for r in chosen]),
                *attacked,
                f"{np.mean([r['seconds'] for r in chosen]):.0f}" if chosen else "–",
            )
    return result


def _printed(method: str, size: int, params: TaufeParams) -> float | None:
    """Return the accuracy in % that the thesis prints."""
    if params.training == "mixmatch":
        return THESIS_MIXED.get(method) if size == 250 else None
    return THESIS[method].get(size) if params.training == "supervised" else None


if __name__ == "__main__":
    main()
