"""Open-set active learning on CIFAR-10 (4:6 split or cross-data-set), by driving `models/`.

``python -m benchmarks.open_set_al --data DIR --noise 0.2,0.6 --strategies random,mqnet,oracle``

`DIR` holds `cifar10_train.parquet` and `cifar10_test.parquet` with columns `image` (encoded) and
`label` (0..9). A strategy is `strategy/purity/informativeness`, each with parameters if need be:
`mqnet?skyline=false/probe/margin`; `oracle` is the smallest margin among the true in-distribution
examples. What the target model learns from OOD answers follows a plus: `mqnet+taufe`,
`mqnet+ood_class`. With `--textures` and `--tinyimagenet` all ten classes are in-distribution, and
OOD are the images of these two data sets. Every run is written to `--json` when it ends, and a
benchmark that was stopped goes on.
"""

import argparse
import json
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.open_set import outside, report, thesis
from benchmarks.open_set.protocol import IN_CLASSES, Case, Images
from benchmarks.open_set.runs import ORACLE, Algorithm, Outcome, Setup, run
from models.catalog import specs
from models.features.embed import embedding_params, uses_embeddings
from models.ranking.candidates import Prices

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_SMALL_POOL = 10_000

MODELS = {
    ("small", "frozen"): ("patch_kmeans", None),
    ("small", "packaged"): ("efficientnet_lite0", None),
    ("small", "auto"): ("auto", None),
    ("small", "network"): ("cnn_tiny", _SMALL_POOL),
    ("full", "frozen"): ("patch_kmeans", None),
    ("full", "packaged"): ("efficientnet_lite0", None),
    ("full", "auto"): ("auto", None),
    ("full", "network"): ("resnet18_small", None),
}
"""Target model and size of the pool by `--scale` and `--features`."""

_FEATURES = tuple(dict.fromkeys(features for _, features in MODELS))

_LEARNERS = ("", "+taufe", "+ood_class")

ABLATIONS = {
    "skyline": ("random", "mqnet", "mqnet?skyline=false", ORACLE),
    "validation": ("random", "mqnet", "mqnet+outside", ORACLE),
    "inputs": (
        "random",
        *(f"mqnet/{purity}/{score}" for purity in ("react", "csi") for score in ("conf", "ll")),
        ORACLE,
    ),
    "learners": (
        *(f"{name}{learner}" for name in ("random", "conf") for learner in _LEARNERS),
        ORACLE,
    ),
    "cost": ("random", "conf", "coreset", "ccal", "similar", "mqnet", "expected_value", ORACLE),
}
"""Strategies of `--ablation`, unless `--strategies` names others."""


@dataclass(frozen=True)
class Task:
    """One run."""

    label: str
    setup: Setup
    algorithm: Algorithm
    case: Case


def main() -> None:
    arguments = _arguments()
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(arguments.threads)))
    setup = _setup(arguments)
    config = _config(arguments, setup)
    outcomes = _finished(arguments.json, config)
    tasks = [task for task in _tasks(arguments, setup) if (task.label, task.case) not in outcomes]
    console = Console(width=160)
    for task, outcome in _run_all(tasks, arguments.jobs, arguments.threads):
        outcomes[task.label, task.case] = outcome
        _write(arguments.json, config, outcomes)
        console.print(
            f"{task.label}  noise {task.case.noise:.0%}  trial {task.case.trial}  seed "
            f"{task.case.seed}:  {100 * outcome.accuracy[-1]:.2f} %  {sum(outcome.seconds):.0f} s",
            highlight=False,
        )
    shown = {
        key: outcome
        for key, outcome in outcomes.items()
        if key in {(task.label, task.case) for task in _tasks(arguments, setup)}
    }
    for table in report.tables(shown, cross=setup.cross):
        console.print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument("--noise", default="0.2,0.6", help="shares of OOD in the pool")
    parser.add_argument("--trials", default="0-4", help="class splits, as 0-4 or 0,3")
    parser.add_argument("--seeds", default="2", help="runs of each trial, or which, as 10-13")
    parser.add_argument("--strategies", help="labels, separated by commas; default: all")
    parser.add_argument("--scale", choices=("small", "full"), default="small")
    parser.add_argument("--features", choices=_FEATURES, default="frozen")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--budget", type=int, default=500)
    parser.add_argument("--pool-size", type=int, help="default: everything; 10,000 if small")
    parser.add_argument("--ablation", choices=tuple(ABLATIONS))
    parser.add_argument("--model-params", type=json.loads, default={}, help="JSON object")
    parser.add_argument("--contrastive", type=Path, help=".npy with a row for every image")
    parser.add_argument("--textures", type=Path, help="Parquet file of OOD textures")
    parser.add_argument("--tinyimagenet", type=Path, help="folder of OOD images of Tiny-ImageNet")
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--threads", type=int, default=1, help="threads of each run")
    parser.add_argument("--json", type=Path, default=Path("results/open_set_al.json"))
    return parser.parse_args()


def _setup(arguments: argparse.Namespace) -> Setup:
    images = Images.prepare(arguments.data, arguments.cache)
    others: dict[str, outside.MakeImages] = {}
    if arguments.textures:
        others["textures"] = partial(outside.textures, arguments.textures, images.size)
    if arguments.tinyimagenet:
        others["tinyimagenet"] = partial(outside.tinyimagenet, arguments.tinyimagenet, images.size)
    if others:
        images = images.with_others(arguments.cache / "_".join(["cross", *others]), others)
    model, pool_size = MODELS[arguments.scale, arguments.features]
    if uses_embeddings(model, arguments.model_params):
        images.embed(model, arguments.model_params)
    return Setup(
        images=images,
        model=model,
        model_params=arguments.model_params,
        rounds=arguments.rounds,
        budget=arguments.budget,
        pool_size=arguments.pool_size or pool_size,
        held_out=(
            arguments.budget * (arguments.rounds - 1) if arguments.ablation == "validation" else 0
        ),
        contrastive=arguments.contrastive,
        cross=bool(others),
    )


def _tasks(arguments: argparse.Namespace, setup: Setup) -> list[Task]:
    """List all runs, case by case, so that a stopped benchmark has whole pairs."""
    if arguments.strategies:
        names = arguments.strategies.split(",")
    elif arguments.ablation:
        names = list(ABLATIONS[arguments.ablation])
    else:
        names = [ORACLE, *(spec.name for spec in specs() if spec.kind == "strategy")]
    prices = thesis.OOD_PRICES if arguments.ablation == "cost" else (1.0,)
    return [
        Task(
            name if price == 1 else f"{name} c_ood={price:g}",
            replace(setup, prices=Prices(1.0, price)),
            Algorithm.parse(name),
            Case(noise, trial, seed),
        )
        for seed in _seeds(arguments.seeds)
        for trial in _trials(arguments.trials)
        for noise in map(float, arguments.noise.split(","))
        for price in prices
        for name in names
    ]


def _seeds(text: str) -> list[int]:
    return _numbers(text) if "-" in text else list(range(int(text)))


def _trials(text: str) -> list[int]:
    return [trial for trial in _numbers(text) if 0 <= trial < len(IN_CLASSES)]


def _numbers(text: str) -> list[int]:
    """Read `0-4` or `0,3`."""
    first, dash, last = text.partition("-")
    return list(range(int(first), int(last) + 1)) if dash else [int(t) for t in text.split(",")]


def _run_all(tasks: list[Task], jobs: int, threads: int) -> Iterator[tuple[Task, Outcome]]:
    if jobs == 1:
        for task in tasks:
            yield task, run(task.setup, task.algorithm, task.case)
        return
    # Spawned, so that the libraries read the number of threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_limit, initargs=(threads,)) as pool:
        futures = {pool.submit(run, task.setup, task.algorithm, task.case): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _limit(threads: int) -> None:
    import torch

    torch.set_num_threads(threads)


def _config(arguments: argparse.Namespace, setup: Setup) -> dict[str, Any]:
    """What runs of one file must share."""
    return {
        "scale": arguments.scale,
        "features": arguments.features,
        "model": setup.model,
        "model_params": dict(setup.model_params),
        "rounds": setup.rounds,
        "budget": setup.budget,
        "pool_size": setup.pool_size,
        "ablation": arguments.ablation,
        **({"outside": setup.images.directory.name} if setup.cross else {}),
        "contrastive": None if arguments.contrastive is None else arguments.contrastive.name,
        "embeddings": (
            embedding_params(setup.model, setup.model_params)
            if uses_embeddings(setup.model, setup.model_params)
            else None
        ),
        "cpu_threads": arguments.threads,
    }


def _finished(path: Path, config: dict[str, Any]) -> dict[tuple[str, Case], Outcome]:
    """Read what an earlier call has finished."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    if {key: kept["config"].get(key) for key in config} != config:
        raise SystemExit(f"{path} holds runs of another configuration; name another --json FILE.")
    return {
        (item["label"], Case(item["noise"], item["trial"], item["seed"])): Outcome.from_json(
            item["outcome"]
        )
        for item in kept["runs"]
    }


def _write(path: Path, config: dict[str, Any], outcomes: report.Outcomes) -> None:
    """Write everything so far in one rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    inputs = {
        label: [algorithm.settings.purity, algorithm.settings.informativeness]
        for label in report.labels(outcomes)
        for algorithm in [Algorithm.parse(label.partition(" c_ood=")[0])]
    }
    content = {
        "config": config | {"inputs": inputs},
        "results": report.to_json(outcomes),
        "runs": [
            {
                "label": label, "noise": case.noise, "trial": case.trial, "seed": case.seed,
                "outcome": outcome.to_json(),
            }
            for (label, case), outcome in outcomes.items()
        ],
    }  # fmt: skip
    partial = path.with_name(path.name + ".tmp")
    partial.write_text(json.dumps(content, indent=1))
    os.replace(partial, path)


if __name__ == "__main__":
    main()
