"""How well heads on frozen features learn from a part of wrong labels, by pruning method.

``python -m benchmarks.pruning_frozen --data DIR --json FILE`` draws 10,000 training images of
CIFAR-10 a seed, with the labels of CIFAR-10N (`worse_label`) or with wrong ones that are made
(``--labels asymmetric:0.4``), and looks at the 200 leading axes of packaged `efficientnet_lite0`
features, as the job `relabel` does. A head is warmed up for ten epochs, every method prunes, and
the robust head (`sop_plus`) and the plain one (`ce`) of the product learn what is kept; the test
split of true labels judges. A run takes seconds; all methods of a seed share images and warm-up.

Beside the methods of the catalog, which may have a parameter (`ccs?cutoff=0.1`), stand scores that
are not in it (`benchmarks.pruning_scores`). `alignprune` alone is given labels that are right, of
another hundred images.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.label_noise import noisy_labels
from benchmarks.open_set.protocol import Images
from benchmarks.pruning_scores import Float64Array, alignment, aum, el2n
from benchmarks.runs import Run, Runs, difference, spread
from models.catalog import specs
from models.catalog.params.prune import PruneParams
from models.numerics.probability import log_softmax
from models.protocols import Float32Array, Indices
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.run import prune
from models.pruning.view import PruningView
from models.ranking.ordering import best_first
from models.relabeling.opinions import Axes, ce_head, sop_head

CLASSES: Final = 10
IMAGES: Final = 10_000
REFERENCE: Final = 100
HEADS: Final = {"sop_plus": sop_head, "ce": ce_head}
CATALOG: Final = tuple(
    spec.name for spec in specs() if spec.kind == "pruning" and spec.name != "grand"
)
TRIED: Final = ("el2n", "aum", "alignprune", "dual?sampled=false", "ccs?cutoff=0.1")
RATIOS: Final = "0.2"


@dataclass(frozen=True)
class Recorded(FrozenWarmUp):
    """A warm-up that keeps what its head says after each epoch, in `work`."""

    @property
    def augments(self) -> bool:
        """Say that features come as they are, without a view."""
        return False

    def _epochs(self, inputs: Float32Array, seed: int) -> Iterator[Float32Array]:
        for epoch, said in enumerate(super()._epochs(inputs, seed)):
            np.save(self.work / f"epoch-{epoch}.npy", said)
            yield said

    def course(self) -> Float32Array:
        """Return the logits after each epoch, (E, N, C)."""
        epochs = range(self.params.epochs)
        return np.stack([np.load(self.work / f"epoch-{epoch}.npy") for epoch in epochs])


@dataclass(frozen=True)
class Pool:
    """The images of a seed.

    Attributes:
        truth: (N,) int64.
        view: what the warm-up recorded of them, noisy labels among it.
        course: (E, N, C) float32 logits.
        reference: (E,) mean loss of images with labels that are right.
        learned: (N, d) float32 features that the heads see.
        tested: (T, d) float32 features of the test split.
        answers: (T,) int64, its labels.
    """

    truth: Indices
    view: PruningView
    course: Float32Array
    reference: Float64Array
    learned: Float32Array
    tested: Float32Array
    answers: Indices

    @classmethod
    def draw(cls, pictures: Images, data: Path, labels: str, seed: int) -> "Pool":
        """Draw a pool and warm a head up on it."""
        drawn = np.random.default_rng(seed).permutation(pictures.train)
        rows, known = np.sort(drawn[:IMAGES]), np.sort(drawn[IMAGES : IMAGES + REFERENCE])
        test = np.arange(pictures.train, pictures.count)
        features = np.load(pictures.embed("efficientnet_lite0", {}), mmap_mode="r")
        axes = Axes.fit(features[rows])
        truth = pictures.targets
        noisy = noisy_labels(pictures, data, labels, rows, seed)
        params = PruneParams.model_validate({"network": "minilm", "epochs": 10})
        both = np.concatenate([rows, known])
        with tempfile.TemporaryDirectory() as work:
            np.save(Path(work) / "features.npy", axes.apply(features[both]))
            task = Recorded(
                pictures.store,
                both,
                np.concatenate([noisy, truth[known]]),
                classes=CLASSES,
                params=params,
                seed=seed,
                work=Path(work),
            )
            view, course = task.look(), task.course()
        losses = -log_softmax(course[:, IMAGES:])
        reference = np.take_along_axis(losses, truth[known][None, :, None], axis=2).mean(
            axis=(1, 2)
        )
        return cls(
            truth[rows],
            view.part(np.arange(IMAGES)),
            course[:, :IMAGES],
            reference.astype(np.float64),
            axes.apply(features[rows]),
            axes.apply(features[test]),
            truth[test],
        )

    def kept(self, method: str, n: int) -> Indices:
        """Return the (n,) positions that a method keeps."""
        scores = {
            "el2n": lambda: el2n(self.course, self.view.labels),
            "aum": lambda: aum(self.view),
            "alignprune": lambda: alignment(self.course, self.view.labels, self.reference),
        }
        if method not in scores:
            name, _, given = method.partition("?")
            params = dict(item.split("=") for item in given.split("&") if given)
            read = {key: json.loads(value) for key, value in params.items()}
            return prune(name, self.view, n, read).order
        return best_first(n, scores[method]())

    def run(self, case: Run) -> Run:
        """Prune, learn by every head, and judge."""
        kept = np.sort(self.kept(case["method"], round(case["ratio"] * IMAGES)))
        labels, x = self.view.labels[kept], self.learned[kept]
        wrong = labels != self.truth[kept]
        found: dict[str, Any] = {"noise": float(wrong.mean())}
        for name, head in HEADS.items():
            asked = np.concatenate([self.tested, x])
            named = head(x, labels, asked, CLASSES).argmax(axis=1)
            answers = len(self.answers)
            right = named[answers:] == self.truth[kept]
            found[name] = float((named[:answers] == self.answers).mean())
            found[f"corrected_{name}"] = float(right[wrong].mean()) if wrong.any() else None
        return {**case, **found}


def main() -> None:
    options = _arguments()
    config = {"images": IMAGES, "features": "efficientnet_lite0", "reference": REFERENCE}
    runs = Runs(options.json, config, ("labels", "ratio", "method", "seed"))
    pictures = Images.prepare(options.data, options.cache)
    for labels in options.labels.split(","):
        for seed in range(options.seeds):
            cases = [
                {"labels": labels, "ratio": float(ratio), "method": method, "seed": seed}
                for ratio in options.ratios.split(",")
                for method in options.methods.split(",")
            ]
            missing = [case for case in cases if case not in runs]
            if missing:
                pool = Pool.draw(pictures, options.data, labels, seed)
                for case in missing:
                    runs.add(pool.run(case))
    console = Console(width=160)
    for labels in dict.fromkeys(run["labels"] for run in runs.all):
        for ratio in sorted({run["ratio"] for run in runs.all}):
            mine = [one for one in runs.all if (one["labels"], one["ratio"]) == (labels, ratio)]
            if mine:
                console.print(table(mine, f"{labels}, {ratio} kept"))


def table(runs: list[Run], title: str) -> Table:
    """Mean and standard deviation over seeds in %, and the difference to `uniform` in pairs."""
    result = Table(title=title)
    for heading in ("method", "seeds", "sop_plus", "to uniform ± s.e.", "ce", "wrong", "corrected"):
        result.add_column(heading, justify="right" if result.columns else "left")
    plain = {run["seed"]: run["sop_plus"] for run in runs if run["method"] == "uniform"}
    for method in (*CATALOG, *TRIED):
        mine = [run for run in runs if run["method"] == method]
        if not mine:
            continue
        gains = [
            100 * (one["sop_plus"] - plain[one["seed"]]) for one in mine if one["seed"] in plain
        ]
        columns = [
            [100 * one[name] for one in mine if one[name] is not None]
            for name in ("sop_plus", "ce", "noise", "corrected_sop_plus")
        ]
        shown = [spread(column) for column in columns]
        result.add_row(method, str(len(mine)), shown[0], difference(gains), *shown[1:])
    return result


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of CIFAR-10 and CIFAR-10N")
    parser.add_argument(
        "--labels", default="worse_label",
        help="columns of CIFAR-10N, or kinds that are made with a rate, such as instance:0.1",
    )  # fmt: skip
    parser.add_argument("--ratios", default=RATIOS)
    parser.add_argument("--methods", default=",".join((*CATALOG, *TRIED)))
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--json", type=Path, default=Path("results/pruning_frozen.json"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
