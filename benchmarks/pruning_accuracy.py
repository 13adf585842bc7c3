"""How well a network learns from a part of the human labels of CIFAR-10N, by pruning method.

``python -m benchmarks.pruning_accuracy --data DIR --json FILE`` draws 10,000 training images a
seed, with the labels of ``--labels``, warms up a tiny network on them, prunes by every method and
trains `sop_plus` and `ce` on what is kept; the whole test split of true labels judges after the
last epoch. ``--scale full`` is the protocol of the thesis, for a GPU: 50,000 images, PreAct
ResNet-18, 10 warm-up epochs, 300 epochs.

The methods of a seed share images, warm-up and training seed. Two methods look at what is cheaper
here than in the thesis: `grand` averages `--warm-ups` models (full scale: 10), and `ssp` has the
project's own unsupervised features (`patch_kmeans`).

Reported of each run: accuracy, noise ratio of the subset, and self-correctability: the share of its
wrong labels for which the learner names the true class. Every run is written to `--json` when it
ends, and a benchmark that was stopped goes on.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.label_noise import noisy_labels
from benchmarks.open_set.protocol import Images
from benchmarks.runs import Run, Runs, spread
from models.catalog.params.warm_up import WarmUpParams
from models.pruning.run import prune
from models.pruning.view import PruningView
from models.pruning.warm_up import WarmUp
from models.relabeling.run import relabel

CLASSES: Final = 10
LEADING: Final = ("uniform", "small_loss", "prune4rel_balanced")
METHODS: Final = (
    *LEADING, "prune4rel", "prune4rel_greedy", "margin", "k_center", "forgetting", "grand", "ssp",
    "moderate", "dual", "ccs",
)  # fmt: skip
LEARNERS: Final = ("sop_plus", "ce")
RATIOS: Final = (0.2, 0.4, 0.6, 0.8)

TINY: Final = {"network": "cnn_tiny", "width": 32, "batch_size": 64, "learning_rate": 0.05}
SCALES: Final[dict[str, dict[str, Any]]] = {
    "small": {
        "images": 10_000,
        "warm_up": {**TINY, "epochs": 10, "models": 3},
        # With few epochs u and v have to grow sooner: see docs/algorithms/learner-sop_plus.md.
        "learner": {**TINY, "batch_size": 32, "epochs": 30},
        "sop_plus": {"lr_u": 1.5, "lr_v": 16.0},
    },
    "full": {
        "images": 50_000,
        "warm_up": {"network": "preact_resnet18", "epochs": 10, "models": 10},
        "learner": {},
        "sop_plus": {},
    },
}

# CIFAR-10N worst; thesis, section 5.3.2, table of test accuracies with SOP+, ratios as above.
THESIS: Final[dict[str, tuple[float, ...]]] = {
    "uniform": (81.9, 87.5, 90.8, 91.8),
    "small_loss": (78.8, 84.1, 89.3, 92.3),
    "margin": (45.7, 61.8, 84.6, 92.5),
    "k_center": (81.9, 88.0, 91.3, 92.3),
    "forgetting": (71.1, 87.7, 90.6, 92.2),
    "grand": (15.4, 25.7, 51.0, 86.8),
    "ssp": (70.8, 86.6, 89.2, 92.3),
    "moderate": (75.2, 81.9, 87.7, 91.8),
    "prune4rel": (82.7, 88.1, 91.3, 92.5),
    "prune4rel_balanced": (84.9, 89.2, 91.3, 92.9),
}
# The same, table of the ratio of noisy examples in the selected subset.
THESIS_NOISE: Final[dict[str, tuple[float, ...]]] = {
    "small_loss": (0.8, 3.6, 11.5, 26.2),
    "margin": (54.6, 52.1, 48.5, 44.6),
    "k_center": (40.0, 41.1, 41.6, 42.1),
    "forgetting": (37.7, 38.8, 39.2, 40.2),
    "grand": (91.5, 79.4, 64.2, 50.1),
    "ssp": (48.5, 46.4, 43.2, 42.1),
    "moderate": (31.7, 33.4, 34.7, 40.0),
    "prune4rel": (38.7, 42.7, 43.5, 46.5),
}


def main() -> None:
    options = _arguments()
    torch.set_num_threads(options.threads)
    settings = SCALES[options.scale] | {"labels": options.labels, "tau": options.tau}
    for name, changed in options.params.items():
        settings = settings | {name: {**settings[name], **changed}}
    if options.images:
        settings = settings | {"images": options.images}
    runs = Runs(options.json, settings, ("ratio", "method", "learner", "seed"))
    pool = Pool(options, settings)
    console = Console(width=200)
    for case in cases(options):
        if case not in runs:
            run = pool.run(case)
            runs.add(run)
            name = " ".join(map(str, case.values()))
            console.print(f"{name}: {100 * run['accuracy']:.2f} %", highlight=False)
    console.print(accuracies(runs.all))
    console.print(noise(runs.all))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of CIFAR-10 and CIFAR-10N")
    parser.add_argument("--scale", choices=tuple(SCALES), default="small")
    parser.add_argument("--labels", default="worse_label", help="column, or kind:rate that is made")
    parser.add_argument("--images", type=int, help="how many training images")
    parser.add_argument("--ratios", default=",".join(map(str, RATIOS)))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tau", type=float, help="default: chosen from the neighbour histogram")
    parser.add_argument(
        "--params", type=json.loads, default={},
        help='JSON: {"warm_up": {...}, "learner": {...}, "sop_plus": {...}}',
    )  # fmt: skip
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, default=Path("results/pruning_accuracy.json"))
    return parser.parse_args()


def cases(options: argparse.Namespace) -> Iterator[Run]:
    """What says most comes first; seed by seed, so that a stopped benchmark has whole pairs."""
    methods, learners = options.methods.split(","), options.learners.split(",")
    leading = [one for one in methods if one in LEADING]
    others = [one for one in methods if one not in LEADING]
    for ratio in map(float, options.ratios.split(",")):
        blocks = [(leading, [learner]) for learner in learners] + [(others, learners)]
        for some, by in blocks:
            for seed in range(options.seeds):
                for learner in by:
                    for method in some:
                        yield {"ratio": ratio, "method": method, "learner": learner, "seed": seed}


class Pool:
    """CIFAR-10 with noisy labels, and the warm-up of each seed, which is made once."""

    def __init__(self, options: argparse.Namespace, settings: dict[str, Any]) -> None:
        self.settings, self.cache = settings, options.cache
        self.pictures = Images.prepare(options.data, options.cache)
        self.truth = self.pictures.targets
        self.data = options.data
        self._views: dict[int, PruningView] = {}

    def run(self, case: Run) -> Run:
        """Prune, learn, and judge."""
        rows, ratio = self.rows(case["seed"]), case["ratio"]
        view = self.view(case["seed"])
        params = {"tau": self.settings["tau"]} if case["method"].startswith("prune4rel") else {}
        started = time.perf_counter()
        pruned = prune(case["method"], view, round(ratio * len(rows)), params)
        selected = time.perf_counter()
        learner = case["learner"]
        test = np.arange(self.pictures.train, self.pictures.count)
        with tempfile.TemporaryDirectory() as work:
            found = relabel(
                learner,
                self.pictures.store,
                rows,
                view.labels,
                classes=CLASSES,
                seed=case["seed"],
                work=Path(work),
                params={**self.settings["learner"], **self.settings.get(learner, {})},
                trained_on=pruned.order,
                evaluation=test,
                evaluation_labels=self.truth[test],
            )
        kept = np.sort(pruned.order)
        truth = self.truth[rows]
        wrong = view.labels != truth
        right = found.corrected == truth
        return {
            **case,
            "accuracy": found.accuracy,
            "noise": float(wrong[kept].mean()),
            "corrected": float(right[kept][wrong[kept]].mean()) if wrong[kept].any() else None,
            "extras": {**pruned.extras, **found.extras},
            "select_seconds": selected - started,
            "train_seconds": time.perf_counter() - selected,
        }

    def rows(self, seed: int) -> NDArray[np.int64]:
        """The training images of a seed, ascending."""
        drawn = np.random.default_rng(seed).permutation(self.pictures.train)
        return np.sort(drawn[: self.settings["images"]])

    def view(self, seed: int) -> PruningView:
        """What the warm-up of a seed has recorded."""
        if seed not in self._views:
            self._views = {seed: self._recorded(seed)}
        return self._views[seed]

    def _recorded(self, seed: int) -> PruningView:
        rows = self.rows(seed)
        labels = noisy_labels(self.pictures, self.data, self.settings["labels"], rows, seed)
        facts = {name: self.settings[name] for name in ("images", "warm_up", "labels")}
        facts["records"] = [field.name for field in fields(PruningView)]
        folder = self.cache / "pruning_accuracy" / str(seed)
        note, file = folder / "facts.json", folder / "view.npz"
        if not (file.exists() and json.loads(note.read_text()) == facts):
            folder.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            with tempfile.TemporaryDirectory() as work:
                task = WarmUp(
                    self.pictures.store,
                    rows,
                    labels,
                    classes=CLASSES,
                    params=WarmUpParams.model_validate(self.settings["warm_up"]),
                    seed=seed,
                    work=Path(work),
                )
                task.train()
                view = task.look()
            note.write_text(json.dumps(facts))
            arrays: dict[str, Any] = {
                name: value for name, value in vars(view).items() if isinstance(value, np.ndarray)
            }
            np.savez(file, **arrays)
        with np.load(file) as arrays:
            view = PruningView(**arrays, classes=CLASSES, seed=seed)
        features = np.load(self.pictures.embed("patch_kmeans", {}), mmap_mode="r")
        return replace(view, self_supervised=np.asarray(features[rows]))


def accuracies(runs: list[Run]) -> Table:
    """Accuracy in % by ratio and learner, the thesis's with SOP+ beside it."""
    result = Table(title="accuracy %, mean ± standard deviation over seeds")
    result.add_column("method")
    columns = [(r, one) for r in _ratios(runs) for one in LEARNERS]
    for ratio, learner in columns:
        result.add_column(f"{ratio} {learner}", justify="right")
        if learner == "sop_plus":
            result.add_column("thesis", justify="right")
    for method in METHODS:
        cells = []
        for ratio, learner in columns:
            chosen = [
                100 * run["accuracy"]
                for run in runs
                if (run["ratio"], run["method"], run["learner"]) == (ratio, method, learner)
            ]
            cells.append(spread(chosen))
            if learner == "sop_plus":
                cells.append(_printed(THESIS, method, ratio))
        result.add_row(method, *cells)
    return result


def noise(runs: list[Run]) -> Table:
    """Noise ratio and self-correctability of the subsets in %, by ratio."""
    result = Table(title="share of wrong labels in the subset, and of those that SOP+ corrects, %")
    result.add_column("method")
    for ratio in _ratios(runs):
        for heading in (f"{ratio} wrong", "thesis", "corrected"):
            result.add_column(heading, justify="right")
    for method in METHODS:
        cells = []
        for ratio in _ratios(runs):
            mine = [run for run in runs if (run["ratio"], run["method"]) == (ratio, method)]
            # Learners of a seed have the same subset.
            by_seed = {run["seed"]: 100 * run["noise"] for run in mine}
            corrected = [
                100 * run["corrected"]
                for run in mine
                if run["learner"] == "sop_plus" and run["corrected"] is not None
            ]
            cells += [
                spread(list(by_seed.values())), _printed(THESIS_NOISE, method, ratio),
                spread(corrected),
            ]  # fmt: skip
        result.add_row(method, *cells)
    return result


def _ratios(runs: list[Run]) -> list[float]:
    return sorted({run["ratio"] for run in runs})


def _printed(table: dict[str, tuple[float, ...]], method: str, ratio: float) -> str:
    if method not in table or ratio not in RATIOS:
        return "–"
    return f"{table[method][RATIOS.index(ratio)]:.1f}"


if __name__ == "__main__":
    main()
