"""Prune4ReL at scale: time, memory and objective beside the plain loop, apricot and k-center.

``python -m benchmarks.pruning --n 50000 --d 512 --ratio 0.2 --json FILE`` draws clustered
embeddings, selects in a process of its own that holds little but them, neighbour search included,
and then runs the plain loop of algorithm 1 in float32. With ``--data`` the embeddings are frozen
ones of CIFAR-10 with the human labels of CIFAR-10N.

What is reported of each size: `seconds`; `reference_seconds`, scaled up where the loop was stopped
after `--reference-seconds`, with `reference_picks`; `speedup`; `same_subset`: whether the picks,
as many as the reference made, are the same set, and `same_order`, both loops in the arithmetic
that `models.pruning.neighbours` defines; `gap`: by how much the float32 gain of any of these picks
was below the largest in float32, so that a difference to a float32 loop is a tie within that;
`exact`: a proof on a sample, at any size, that nobody had a larger gain than what was picked
(`benchmarks.pruning_pool.certified`); `peak_mb`: by how much the resident set grew.

``--greedy`` adds the true greedy beside apricot's lazy greedy on the same graph (which apricot is
given), and the objective of the other subsets.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.pruning_pool import certified, plain_loop, read_pool, write_cifar, write_pool
from models.catalog.params.pruning import Prune4RelParams
from models.pruning.neighbours import Neighbours
from models.pruning.objective import objective_curve
from models.pruning.run import prune
from models.pruning.similarity import Similarity, confidence
from models.pruning.view import PruningView

METHODS = ("prune4rel", "prune4rel_balanced", "prune4rel_greedy", "k_center", "uniform")


def few(pool: PruningView) -> PruningView:
    """The first 500 examples, to load and compile everything with."""
    embeddings, logits = pool.given("embeddings"), pool.given("logits")
    return PruningView(
        pool.labels[:500], pool.classes, embeddings=embeddings[:500], logits=logits[:500]
    )


def measure(folder: Path, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """Select in this process."""
    pool = read_pool(folder)
    params = {"tau": options.tau, "similarity": options.similarity}
    params = params if method.startswith("prune4rel") else {}
    n = round(len(pool) * options.ratio)
    prune(method, few(pool), 50, params)
    # Else what was imported and read makes a full collection due in the middle of the selection.
    gc.collect()
    # Linux: forget the peak so far.
    Path("/proc/self/clear_refs").write_text("5")
    before = psutil.Process().memory_info().rss
    start = time.perf_counter()
    pruned = prune(method, pool, n, params)
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    result = {
        "method": method, "n": len(pool), "kept": n, "seconds": seconds,
        "peak_mb": (peak - before) / 1e6, "notes": [*pruned.warnings, *pruned.notes],
        "extras": dict(pruned.extras),
    }  # fmt: skip
    np.save(folder / f"{method}.npy", pruned.order)
    if method == "prune4rel":
        np.save(folder / "neighbourhood.npy", pruned.reasons["neighbourhood"])
    return result


def measured(folder: Path, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """Select in a process of its own."""
    command = [
        sys.executable, "-m", "benchmarks.pruning", "--measure", str(folder), method,
        "--ratio", str(options.ratio), "--similarity", options.similarity,
    ]  # fmt: skip
    if options.tau is not None:
        command += ["--tau", str(options.tau)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{method} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def compared(folder: Path, run: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Add what the plain loop says of a run of `prune4rel`."""
    pool = read_pool(folder)
    order = np.load(folder / "prune4rel.npy")
    sure = confidence(pool.given("logits"), "max_prob")
    similarity = Similarity(options.similarity, run["extras"]["tau"])
    run["exact"] = certified(pool, sure, similarity, order, np.load(folder / "neighbourhood.npy"))
    if options.reference_seconds > 0:
        plain = plain_loop(pool, sure, similarity, run["kept"], options.reference_seconds)
        picks = len(plain.order)
        run["reference_picks"] = picks
        run["reference_seconds"] = plain.seconds * run["kept"] / picks
        run["speedup"] = run["reference_seconds"] / run["seconds"]
        run["same_subset"] = set(plain.order.tolist()) == set(order[:picks].tolist())
        run["same_order"] = bool((plain.order == order[:picks]).all())
        run["gap"] = plain.gap
    return run


def greedy_beside_apricot(folder: Path, run: dict[str, Any], options: argparse.Namespace) -> None:
    """Add what apricot takes to maximise the same objective lazily, and whether it picks alike."""
    from apricot import FeatureBasedSelection
    from scipy.sparse import csr_matrix

    pool = read_pool(folder)
    sure = confidence(pool.given("logits"), "max_prob")
    similarity = Similarity(options.similarity, run["extras"]["tau"])
    rows = Neighbours(pool.given("embeddings"), similarity).rows(np.arange(len(pool)))
    weights = similarity.of(rows.cosines) * np.repeat(sure, np.diff(rows.starts))
    graph = csr_matrix((weights, rows.columns, rows.starts), shape=(len(pool), len(pool)))

    def select(part: Any, n: int) -> Any:
        return FeatureBasedSelection(n, concave_func=np.tanh, optimizer="lazy").fit(part)

    select(graph[:500], 50)
    start = time.perf_counter()
    theirs = select(graph, run["kept"])
    run["apricot_seconds"] = time.perf_counter() - start
    run["apricot_objective"] = objective(folder, theirs.ranking, run, options)
    ours = np.load(folder / "prune4rel_greedy.npy")
    run["apricot_same"] = len(set(ours.tolist()) & set(theirs.ranking.tolist())) / len(ours)


def objective(folder: Path, order: Any, run: dict[str, Any], options: argparse.Namespace) -> float:
    """The sum of tanh of neighbourhood confidences of any subset."""
    params = Prune4RelParams(tau=run["extras"]["tau"], similarity=options.similarity)
    return float(objective_curve(read_pool(folder), np.asarray(order), params)[-1])


def runs_of(n: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Everything about one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.data:
            write_cifar(folder, options.data, options.cache, options.labels, n)
        else:
            write_pool(folder, n, options.d, options.seed)
        methods = METHODS if options.greedy else METHODS[:1]
        runs = [measured(folder, method, options) for method in methods]
        compared(folder, runs[0], options)
        for run in runs[1:]:
            run["extras"].setdefault("tau", runs[0]["extras"]["tau"])
            if run["method"] == "prune4rel_greedy" and n <= options.apricot_n:
                greedy_beside_apricot(folder, run, options)
            elif "objective" not in run["extras"]:
                order = np.load(folder / f"{run['method']}.npy")
                run["extras"]["objective"] = objective(folder, order, run, options)
        return runs


def table_of(runs: list[dict[str, Any]]) -> Table:
    """One line a run."""
    columns = ("method", "n", "kept", "seconds", "peak MB", "plain s", "times", "same", "exact")
    table = Table(*columns, "objective", "of optimum ≥", "apricot s")

    def shown(run: dict[str, Any], key: str, digits: int) -> str:
        return f"{run[key]:,.{digits}f}" if key in run else ""

    for run in runs:
        table.add_row(
            run["method"], f"{run['n']:,}", f"{run['kept']:,}", shown(run, "seconds", 2),
            shown(run, "peak_mb", 0), shown(run, "reference_seconds", 1), shown(run, "speedup", 1),
            str(run.get("same_subset", "")), str(run.get("exact", "")),
            shown(run["extras"], "objective", 0), shown(run["extras"], "guaranteed", 3),
            shown(run, "apricot_seconds", 1),
        )  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", default="50000", help="sizes, separated by commas")
    parser.add_argument("--d", type=int, default=512, help="numbers in an embedding")
    parser.add_argument("--ratio", type=float, default=0.2, help="share that is kept")
    parser.add_argument("--tau", type=float, help="default: chosen from the neighbour histogram")
    parser.add_argument("--similarity", choices=("shifted", "cosine"), default="shifted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="folder of CIFAR-10 and CIFAR-10N")
    parser.add_argument("--labels", default="worse_label", help="column of the noisy labels")
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--greedy", action="store_true", help="other methods and apricot as well")
    parser.add_argument("--apricot-n", type=int, default=20_000, help="largest size it is given")
    parser.add_argument("--reference-seconds", type=float, default=600, help="0: no plain loop")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        folder, method = options.measure
        print(json.dumps(measure(Path(folder), method, options)))
        return
    results = []
    for n in map(int, options.n.split(",")):
        for run in runs_of(n, options):
            results.append(run)
            print(json.dumps(run), file=sys.stderr, flush=True)
    Console(width=160).print(table_of(results))
    if options.json:
        config = {
            key: str(value) if isinstance(value, Path) else value
            for key, value in vars(options).items() if key not in {"json", "measure"}
        } | {"cores": os.cpu_count(), "threads": os.environ.get("OMP_NUM_THREADS")}  # fmt: skip
        options.json.parent.mkdir(parents=True, exist_ok=True)
        written = {**results[0], "config": config, "runs": results}
        options.json.write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main()
