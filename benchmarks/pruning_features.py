"""What the job `prune` keeps by its default, frozen features, and what heads make of that.

``python -m benchmarks.pruning_features --data DIR --json FILE`` draws 3,000 training images of
CIFAR-10 a seed, with the labels of CIFAR-10N (`worse_label`), and does as the job does: features of
`efficientnet_lite0` of each image as it is and of one strong view, a head that is warmed up for ten
epochs on the former, `tau` chosen by the method. Heads learn what is kept (`try_heads`), and the
first 5,000 images of the test split judge. `premise` is Spearman's correlation, over bins of
neighbourhood confidence, with the share that a head relabels rightly (`premise_of`).

Features take minutes a seed, and are kept in ``--cache``; all else takes seconds.
"""

import argparse
import csv
from pathlib import Path
from typing import Final

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.open_set.protocol import Images
from benchmarks.runs import Run, Runs, difference, spread
from models.catalog.params.prune import PruneParams
from models.protocols import Float32Array, Indices
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.premise import premise_of, relabeled_by_head
from models.pruning.run import prune
from models.pruning.trial import HEADS, try_heads
from models.pruning.view import PruningView

CLASSES: Final = 10
JUDGING: Final = 5_000
METHODS: Final = "prune4rel_balanced,prune4rel,dual,ccs,small_loss,uniform"


class Pool:
    """The images of a seed, warmed up on."""

    def __init__(self, pictures: Images, noisy: Indices, images: int, seed: int) -> None:
        drawn = np.random.default_rng(seed).permutation(pictures.train)
        rows = np.sort(drawn[:images])
        judging = pictures.train + np.arange(JUDGING)
        task = FrozenWarmUp(
            pictures.store,
            rows,
            noisy[rows],
            classes=CLASSES,
            params=PruneParams(network="efficientnet_lite0"),
            seed=seed,
            work=pictures.directory / "pruning_features" / f"{images}-{seed}",
            evaluation=judging,
        )
        task.train()
        self.view: PruningView = task.look()
        self.judging: Float32Array = task.evaluation_features
        self.truth, self.answers = pictures.targets[rows], pictures.targets[judging]

    def run(self, case: Run) -> Run:
        """Prune, learn by every head, and judge."""
        view, labels = self.view, self.view.labels
        pruned = prune(case["method"], view, round(case["ratio"] * len(view)), {})
        features, right = view.given("plain_embeddings"), labels == self.truth
        found = try_heads(
            features, labels, pruned.order, self.judging, self.answers,
            classes=CLASSES, seed=case["seed"],
        )  # fmt: skip
        premise = None
        if "neighbourhood" in pruned.reasons:
            said = relabeled_by_head(features, labels, pruned.order, CLASSES)
            known = np.ones_like(right)
            sure = pruned.reasons["neighbourhood"]
            premise = premise_of(sure, known, right, said == self.truth).relabeled
        return {
            **case,
            **{name: shares["kept"] for name, shares in found.items()},
            **{f"{name}_all": shares["all"] for name, shares in found.items()},
            "wrong": float(1 - right[pruned.order].mean()),
            "premise": premise,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of CIFAR-10 and CIFAR-10N")
    parser.add_argument("--labels", default="worse_label", help="column of the noisy labels")
    parser.add_argument("--images", type=int, default=3_000)
    parser.add_argument("--ratios", default="0.2,0.4")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--json", type=Path, default=Path("results/pruning_features.json"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    config = {"images": options.images, "labels": options.labels, "judging": JUDGING}
    runs = Runs(options.json, config, ("ratio", "method", "seed"))
    pictures = Images.prepare(options.data, options.cache)
    noisy = np.empty(pictures.train, dtype=np.int64)
    with (options.data / "train_noisy_labels.csv").open() as file:
        for row in csv.DictReader(file):
            noisy[int(row["index"])] = int(row[options.labels])
    for seed in range(options.seeds):
        cases = [
            {"ratio": float(ratio), "method": method, "seed": seed}
            for ratio in options.ratios.split(",")
            for method in options.methods.split(",")
        ]
        missing = [case for case in cases if case not in runs]
        if missing:
            pool = Pool(pictures, noisy, options.images, seed)
            for case in missing:
                runs.add(pool.run(case))
    Console(width=160).print(table(runs.all))


def table(runs: list[Run]) -> Table:
    """One line a ratio and method; differences to `uniform` are of pairs, with standard errors."""
    columns = [one for name in HEADS for one in (name, "to uniform")]
    result = Table("ratio", "method", *columns, "wrong", "premise")
    for ratio, method in dict.fromkeys((one["ratio"], one["method"]) for one in runs):
        mine = [one for one in runs if (one["ratio"], one["method"]) == (ratio, method)]
        other = {
            one["seed"]: one for one in runs if (one["ratio"], one["method"]) == (ratio, "uniform")
        }
        cells = []
        for name in HEADS:
            apart = [100 * (one[name] - other[one["seed"]][name]) for one in mine]
            cells += [spread([100 * one[name] for one in mine]), difference(apart)]
        told = [one["premise"] for one in mine if one["premise"] is not None]
        cells.append(spread([100 * one["wrong"] for one in mine]))
        result.add_row(str(ratio), method, *cells, f"{np.mean(told):.2f}" if told else "")
    everything = [
        one for one in runs if one["method"] == "uniform" and one["ratio"] == runs[0]["ratio"]
    ]
    cells = [
        cell
        for name in HEADS
        for cell in (spread([100 * one[f"{name}_all"] for one in everything]), "")
    ]
    result.add_row("1", "all", *cells, "", "")
    return result


if __name__ == "__main__":
    main()
