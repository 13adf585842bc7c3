"""TAUFE beside plain training and OAT on few labels of CIFAR-10.

``python -m benchmarks.taufe --data DIR --textures FILE --sizes 500,1000,2500,5000 --seeds 5``

Two set-ups: all ten classes with textures as OOD (`textures`), and the four classes of a trial of
`benchmarks.open_set` with the other six as OOD (`others`; a trial a seed). N labeled and N OOD
images are learned from, as in the thesis, and the whole test split judges; a fifth of the textures,
or the other classes of the test split, are the OOD images that judge. The three methods share seed,
batches and number of updates. Every run is written to `--json` when it ends, and a benchmark that
was stopped goes on.
"""

import argparse
import io
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
import torch
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.open_set.protocol import IN_CLASSES, Images
from benchmarks.runs import Runs, spread
from models.media.image import PixelStore, fit_image
from models.params.regularize import TaufeParams
from models.protocols import Indices
from models.regularize import METHODS, Parts, measure, train_method

SETUPS: Final = ("textures", "others")
THESIS: Final = {
    "standard": {500: 38.58, 1000: 52.63, 2500: 72.94, 5000: 82.38},
    "oat": {500: 40.73, 1000: 53.16, 2500: 73.51, 5000: 82.71},
    "taufe": {500: 42.51, 1000: 56.79, 2500: 74.15, 5000: 83.73},
}
"""Accuracy in %, ResNet-18, all ten classes, LSUN as OOD: thesis, section 3.4, task I."""
THESIS_SIMILARITY: Final = {"standard": 0.116, "oat": 0.286, "taufe": 0.095}
"""Thesis, section 3.3, table of average cosine similarities (LSUN)."""

_TEXTURE_QUALITY = 95


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    images = Images.prepare(arguments.data, arguments.cache)
    store, textures = _with_textures(images, arguments.textures, arguments.cache)
    params = TaufeParams.model_validate(arguments.params)
    config = {"params": params.model_dump(), "cpu_threads": arguments.threads}
    runs = Runs(arguments.json, config, ("setup", "size", "seed", "method"))
    console = Console(width=160)
    for setup, size, seed in _cases(arguments):
        parts = parts_of(setup, size, seed, images, textures)
        for method in METHODS:
            case = {"setup": setup, "size": size, "seed": seed, "method": method}
            if case in runs:
                continue
            started = time.perf_counter()
            model = train_method(
                method, store, parts, params, classes=int(parts.labels.max()) + 1, seed=seed
            )
            seconds = time.perf_counter() - started
            found = measure(model, parts)
            runs.add({**case, "seconds": seconds, **found})
            name = " ".join(map(str, case.values()))
            console.print(f"{name}: {100 * found['accuracy']:.2f} %", highlight=False)
    for setup in arguments.setups.split(","):
        console.print(table(setup, runs.all))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument("--textures", type=Path, required=True, help="Parquet file of textures")
    parser.add_argument("--setups", default=",".join(SETUPS))
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


def _with_textures(images: Images, path: Path, cache: Path) -> tuple[PixelStore, Indices]:
    """Put the textures behind the images of CIFAR-10; re-encoded, as those are JPEG too."""
    encoded = pq.read_table(path, columns=["image32"])["image32"].to_pylist()
    file = cache / "with_textures.bin"
    count = images.count + len(encoded)
    if not file.exists():
        decoded = []
        for one in encoded:
            jpeg = io.BytesIO()
            Image.open(io.BytesIO(one)).convert("RGB").save(jpeg, "JPEG", quality=_TEXTURE_QUALITY)
            decoded.append(fit_image(Image.open(jpeg), images.size))
        partial = file.with_suffix(".tmp")
        with PixelStore.writer(partial, images.size) as writer:
            writer.write(0, images.store[slice(None)])
            writer.write(images.count, np.stack(decoded))
        os.replace(partial, file)
    return PixelStore.open(file, images.size, count), np.arange(images.count, count)


def parts_of(setup: str, size: int, seed: int, images: Images, textures: Indices) -> Parts:
    """Draw `size` labeled and as many OOD images, of which there may be fewer."""
    generator = np.random.default_rng([seed, size])
    targets = images.targets
    classes = list(range(10)) if setup == "textures" else sorted(IN_CLASSES[seed % 5])
    labels = np.full(len(targets), -1, dtype=np.int64)
    for position, name in enumerate(classes):
        labels[targets == name] = position
    trained = np.arange(len(targets)) < images.train
    inside = np.sort(generator.permutation(np.flatnonzero(trained & (labels >= 0)))[:size])
    if setup == "textures":
        shuffled = generator.permutation(textures)
        test_ood, pool = shuffled[: len(shuffled) // 5], shuffled[len(shuffled) // 5 :]
    else:
        test_ood = np.flatnonzero(~trained & (labels < 0))
        pool = generator.permutation(np.flatnonzero(trained & (labels < 0)))
    test = np.flatnonzero(~trained & (labels >= 0))
    return Parts(
        inside, labels[inside], np.sort(pool[:size]), pool[:0], test, labels[test],
        np.sort(test_ood), "evaluation",
    )  # fmt: skip


def table(setup: str, runs: list[dict[str, Any]]) -> Table:
    """Build one line for each size and method."""
    result = Table(title=setup)
    for heading in (
        "labels", "method", "accuracy %", "− standard", "thesis %", "similarity", "− standard",
        "AUROC energy %", "FPR95 energy %", "s",
    ):  # fmt: skip
        result.add_column(heading, justify="right")
    mine = [run for run in runs if run["setup"] == setup]
    for size in sorted({run["size"] for run in mine}):
        standard = {r["seed"]: r for r in mine if (r["size"], r["method"]) == (size, "standard")}
        for method in METHODS:
            chosen = [r for r in mine if (r["size"], r["method"]) == (size, method)]
            pairs = [(r, standard[r["seed"]]) for r in chosen if r["seed"] in standard]
            thesis = THESIS[method].get(size) if setup == "textures" else None
            result.add_row(
                str(size),
                method,
                spread([100 * r["accuracy"] for r in chosen]),
                _error([100 * (r["accuracy"] - s["accuracy"]) for r, s in pairs]),
                "–" if thesis is None else f"{thesis:.1f}",
                f"{np.mean([r['similarity'] for r in chosen]):.3f}",
                _error([r["similarity"] - s["similarity"] for r, s in pairs], 3),
                spread([100 * r["energy"]["auroc"] for r in chosen]),
                spread([100 * r["energy"]["fpr95"] for r in chosen]),
                f"{np.mean([r['seconds'] for r in chosen]):.0f}",
            )
    return result


def _error(values: list[float], digits: int = 2) -> str:
    """Mean and standard error."""
    if len(values) < 2:
        return "–"
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):+.{digits}f} ± {error:.{digits}f}"


if __name__ == "__main__":
    main()
