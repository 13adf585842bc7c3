"""TAUFE where things are: boxes regressed, and boxes read off a classifier, on Tiny-ImageNet.

``python -m benchmarks.localization --data DIR --seeds 3``

DIR holds ``tinyimagenet_train100.parquet``: 64 px images with one true box each. Its animals are
in-distribution: a seed draws N of their images to learn from, the others judge, and N images of
things are the OOD images. As in the thesis (section 3.4, tasks II and III) standard and
TAUFE regress boxes by three losses, and standard, OAT and TAUFE classify, and are asked where. The
methods share seed, batches, views and number of updates. Every run is written to `--json` when it
ends, and a benchmark that was stopped goes on.
"""

import argparse
import io
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.runs import Runs, difference, spread
from models.catalog.params.localize import LocalizeParams
from models.media.images.store import PixelStore, fit_image
from models.protocols import Indices
from models.tasks.localization.boxes import Boxes
from models.tasks.localization.judge import figures, floors, look
from models.tasks.localization.networks import build_localizer
from models.tasks.localization.train import Examples, train_localizer

TASKS: Final = {
    "l1": {"localize": "regression", "loss": "l1"},
    "l1_iou": {"localize": "regression", "loss": "l1_iou"},
    "d_iou": {"localize": "regression", "loss": "d_iou"},
    "cam": {"localize": "cam"},
    "cam_map": {"localize": "cam", "penalty": "map"},
}
"""What is compared; `cam_map` penalises each place of the map, so only its TAUFE is not `cam`."""
THESIS: Final = {
    "l1": {"standard": 66.41, "taufe": 67.16},
    "l1_iou": {"standard": 66.57, "taufe": 67.22},
    "d_iou": {"standard": 66.82, "taufe": 67.03},
    "cam": {"standard": 54.45, "oat": 55.24, "taufe": 59.68},
}
"""CUB-200 with ImageNet as OOD, N = 2,000, ResNet-50: mean IoU in %, of `cam` GT-known Loc in %."""

ANIMALS: Final = 59
"""Labels are in the order of WordNet, where animals come first."""

_GIVEN: Final = 64
_FILE: Final = "tinyimagenet_train100.parquet"


@dataclass(frozen=True)
class Pool:
    """The images: rows of `store` with (N,) labels and (N, 4) boxes; `whole` have a true one."""

    store: PixelStore
    labels: Indices
    boxes: Boxes
    whole: NDArray[np.bool_]

    @classmethod
    def prepare(cls, data: Path, cache: Path, side: int) -> "Pool":
        """Decode the images, once, and bring them to a side in pixels."""
        columns = ["image", "label", "xmin", "ymin", "xmax", "ymax"]
        table = pq.read_table(data / _FILE, columns=columns)
        labels = table["label"].to_numpy().astype(np.int64)
        corners = np.stack([table[name].to_numpy() for name in columns[2:]], axis=1).astype(float)
        whole: NDArray[np.bool_] = np.all(corners[:, 2:] > corners[:, :2], axis=1)
        # Its corners are pixels that still belong to the box.
        corners[:, 2:] += 1
        path = cache / f"tinyimagenet_{side}.bin"
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".tmp")
            with PixelStore.writer(partial, side) as writer:
                for row, encoded in enumerate(table["image"].to_pylist()):
                    image = Image.open(io.BytesIO(encoded)).convert("RGB")
                    writer.write(row, fit_image(image, side)[None])
            os.replace(partial, path)
        return cls(PixelStore.open(path, side, len(labels)), labels, corners / _GIVEN, whole)


@dataclass(frozen=True)
class Trial:
    """Which images are learned from, and which judge: pool rows; labels are of the pool."""

    inside: Indices
    ood: Indices
    test: Indices
    labels: Indices

    @classmethod
    def draw(cls, pool: Pool, size: int, tested: int, seed: int) -> "Trial":
        """Draw `size` images of animals, as many of things, and what judges."""
        generator = np.random.default_rng(seed)
        is_animal = pool.labels < ANIMALS
        inside = generator.permutation(np.flatnonzero(is_animal & pool.whole))
        ood = generator.permutation(np.flatnonzero(~is_animal))
        return cls(inside[:size], ood[:size], inside[size : size + tested], pool.labels)


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    pool = Pool.prepare(arguments.data, arguments.cache, arguments.side)
    config = {
        "params": arguments.params,
        "side": arguments.side,
        "size": arguments.size,
        "tested": arguments.tested,
    }
    runs = Runs(arguments.json, config, ("task", "seed", "method"))
    console = Console(width=160)
    for task, seed, method in _cases(arguments):
        case = {"task": task, "seed": seed, "method": method}
        if case in runs:
            continue
        started = time.perf_counter()
        params = LocalizeParams.model_validate(arguments.params | TASKS[task])
        trial = Trial.draw(pool, arguments.size, arguments.tested, seed)
        truth = pool.boxes[trial.test]
        if method not in params.methods:
            learned = pool.boxes[trial.inside]
            found = floors(learned, truth, params)[method]
        else:
            found = run(pool, trial, params, method, seed=seed)
        found |= {"seconds": time.perf_counter() - started}
        runs.add({**case, **found})
        shown = f"IoU {100 * found['iou']:.2f}, found {100 * found['localized']:.2f} %"
        console.print(f"{task} {seed} {method}: {shown}", highlight=False)
    console.print(table(runs.all))


def run(
    pool: Pool, trial: Trial, params: LocalizeParams, method: str, *, seed: int
) -> dict[str, Any]:
    """Train one method and judge it; the map of all channels is judged of the same network."""
    store, inside = pool.store, trial.inside
    labels = trial.labels
    examples = Examples(
        store.take(inside), labels[inside], pool.boxes[inside], store.take(trial.ood)
    )
    network = build_localizer(params, store=store, classes=ANIMALS, seed=seed)
    network.begin_with(examples.boxes.mean(axis=0))
    train_localizer(network, examples, params, method, seed=seed)
    truth, tested = pool.boxes[trial.test], labels[trial.test]
    seen = look(network, store, trial.test, tested, params)
    found = figures(seen, truth, tested, params, store.size)
    if params.localize == "cam":
        summed = params.model_copy(update={"map": "sum"})
        seen = look(network, store, trial.test, tested, summed)
        found["sum"] = figures(seen, truth, tested, summed, store.size)
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help=f"folder of {_FILE}")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--side", type=int, default=64, help="of the images, in pixels")
    parser.add_argument("--size", type=int, default=2000, help="images of either kind")
    parser.add_argument("--tested", type=int, default=2000, help="images that judge, at most")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--params",
        type=json.loads,
        default={"network": "cnn_tiny", "width": 16, "steps": 600, "batch_size": 32},
        help="JSON object of the job's",
    )
    parser.add_argument("--cache", type=Path, default=Path("results/localization"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, default=Path("results/localization.json"))
    return parser.parse_args()


def _cases(arguments: argparse.Namespace) -> Iterator[tuple[str, int, str]]:
    """Seed by seed, so that a stopped benchmark has whole pairs."""
    for seed in range(arguments.seeds):
        for task in arguments.tasks.split(","):
            if task == "cam_map":
                yield task, seed, "taufe"
                continue
            methods = LocalizeParams.model_validate(TASKS[task]).methods
            guesses = ("mean_box", "whole_image") if task in ("l1", "cam") else ()
            for method in (*methods, *guesses):
                yield task, seed, method


def table(runs: list[dict[str, Any]]) -> Table:
    """Build one line for each task and method."""
    result = Table(title="localization")
    for heading in (
        "task", "method", "IoU %", "− standard", "found %", "− standard", "MaxBoxAcc %", "sum %",
        "MaxBoxAcc, sum %", "accuracy %", "thesis %", "s",
    ):  # fmt: skip
        result.add_column(heading, justify="right")
    for task, method in dict.fromkeys((run["task"], run["method"]) for run in runs):
        chosen = [one for one in runs if (one["task"], one["method"]) == (task, method)]
        beside = {
            one["seed"]: one
            for one in runs
            if (one["task"], one["method"]) == (task.removesuffix("_map"), "standard")
        }
        pairs = [(one, beside[one["seed"]]) for one in chosen if one["seed"] in beside]
        sums = [one["sum"] for one in chosen if "sum" in one]
        thesis = THESIS.get(task, {}).get(method)
        result.add_row(
            task,
            method,
            _percent(chosen, "iou"),
            _gain(pairs, "iou"),
            _percent(chosen, "localized"),
            _gain(pairs, "localized"),
            _percent(chosen, "max_box_acc"),
            _percent(sums, "localized"),
            _percent(sums, "max_box_acc"),
            _percent(chosen, "accuracy"),
            "–" if thesis is None else f"{thesis:.2f}",
            f"{np.mean([one['seconds'] for one in chosen]):.0f}",
        )
    return result


def _percent(runs: list[dict[str, Any]], name: str) -> str:
    return spread([100 * one[name] for one in runs if name in one])


def _gain(pairs: list[tuple[dict[str, Any], dict[str, Any]]], name: str) -> str:
    """Mean and standard error of the differences within seeds."""
    gains = [100 * (one[name] - other[name]) for one, other in pairs]
    return difference(gains, 2) if any(gains) else "–"


if __name__ == "__main__":
    main()
