"""Selection at scale: time and memory of our strategies beside scikit-activeml and apricot.

``python -m benchmarks.selection --n 10000,50000 --picks 500 --peers --json FILE`` draws clustered
embeddings, and measures each method in a process of its own that holds little but them: the
seconds of one selection, and by how much the resident set grew at its peak. Ours and the peer's
take turns. A peer that takes more than `--peer-seconds`, or more address space than `--peer-gb`,
is stopped and the table says so. `knn` is no selection: it is purity by 5,000 verdicts, and `csi`
is the same on other features; the strategies know 500 verdicts.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.selection_pool import (
    CLASSES,
    VERDICTS,
    Order,
    Pool,
    objective,
    read_pool,
    write_pool,
)

METHODS = ("coreset", "badge", "facility", "flcmi", "logdetcmi", "uherding", "knn")
PEERS = {"coreset": "scikit-activeml", "badge": "scikit-activeml", "facility": "apricot"}
STRATEGY_VERDICTS = 500
FACILITY_SAMPLE = 5000
REPEATED_BELOW = 60.0

Select = Callable[[Pool, int], Order]


def ours(method: str) -> Select:
    """Our method, called as a round calls it."""
    from models.catalog import find, parse
    from models.catalog.resolve import resolve
    from models.protocols import OpenSetLabels, PoolView
    from models.ranking.candidates import Candidates
    from models.ranking.pool_scores import PoolScores
    from models.selection.coverage import Demand, greedy_cover, sampled
    from models.selection.points import Points

    def view_of(pool: Pool) -> PoolView:
        return PoolView(
            pool.embeddings @ pool.weight, pool.embeddings, pool.labeled @ pool.weight,
            pool.labeled, OpenSetLabels.of(pool.labels, pool.labels < 0), CLASSES, seed=0,
            indices=np.arange(len(pool.embeddings)),
        )  # fmt: skip

    def strategy(pool: Pool, picks: int) -> Order:
        view, functions = view_of(pool), {"flcmi", "logdetcmi"}
        zeros = np.zeros(len(view.logits), dtype=np.float32)
        scores = PoolScores(np.arange(len(view.logits)), view.logits, zeros, zeros)
        name = "similar" if method in functions else method
        params = parse("strategy", name, {"function": method} if method in functions else {})
        order: Order = resolve(find("strategy", name))(
            Candidates(scores, view), picks, params
        ).order
        return order

    def facility(pool: Pool, picks: int) -> Order:
        points = Points(pool.embeddings)
        ones = np.ones(len(points), dtype=np.float32)
        everything = len(points) <= 10_000
        sample = sampled(ones > 0, len(points) if everything else FACILITY_SAMPLE, seed=0)
        demand = Demand(ones, ones, 0 * ones, None, sample)
        return greedy_cover(points, np.sqrt(points.squared_norms()), demand, picks).order

    def knn(pool: Pool, picks: int) -> Order:
        score = resolve(find("purity", "knn"))(view_of(pool), parse("purity", "knn", {}))
        return np.argsort(-score)[:picks]

    return {"facility": facility, "knn": knn}.get(method, strategy)


def theirs(method: str) -> Select:
    """The peer's method."""
    if method == "facility":
        from apricot import FacilityLocationSelection

        def facility(pool: Pool, picks: int) -> Order:
            rows = pool.embeddings / np.linalg.norm(pool.embeddings, axis=1, keepdims=True)
            kernel = np.maximum(rows @ rows.T, 0).astype(np.float64)
            chosen = FacilityLocationSelection(picks, metric="precomputed").fit(kernel)
            return np.asarray(chosen.ranking, dtype=np.int64)

        return facility

    from skactiveml.pool import Badge, CoreSet

    from models.selection.library import head_of

    def active(pool: Pool, picks: int) -> Order:
        rows = np.concatenate([pool.embeddings, pool.labeled])
        labels = np.concatenate([np.full(len(pool.embeddings), np.nan), pool.labels])
        if method == "coreset":
            return np.asarray(CoreSet(random_state=0).query(rows, labels, batch_size=picks))
        head = head_of(pool.weight, np.zeros(CLASSES, dtype=np.float32))
        badge = Badge(random_state=0)
        return np.asarray(badge.query(rows, labels, clf=head, fit_clf=False, batch_size=picks))

    return active


def measure(folder: Path, side: str, method: str, picks: int) -> dict[str, Any]:
    """Select in this process, after a selection among a few that loads and compiles everything."""
    pool = read_pool(folder, VERDICTS if method == "knn" else STRATEGY_VERDICTS)
    select = ours(method) if side == "ours" else theirs(method)
    few = Pool(pool.embeddings[:200], pool.labeled[:50], pool.labels[:50], pool.weight)
    select(few, 5)
    # Linux: forget the peak so far.
    Path("/proc/self/clear_refs").write_text("5")
    before = psutil.Process().memory_info().rss
    start = time.perf_counter()
    order = select(pool, picks)
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    return {
        "seconds": seconds,
        "megabytes": (peak - before) / 1e6,
        "objective": objective(method, pool, order),
        "order": order.tolist(),
    }


def measured(folder: Path, side: str, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure in a process of its own; a peer may be stopped."""
    command = [
        sys.executable, "-m", "benchmarks.selection", "--measure", str(folder), side, method,
        "--picks", str(options.picks), "--peer-gb", str(options.peer_gb),
    ]  # fmt: skip
    limit = options.peer_seconds if side == "peer" else None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"skipped": f"> {options.peer_seconds:.0f} s"}
    if side == "peer" and ("MemoryError" in done.stderr or done.returncode == -9):
        return {"skipped": f"> {options.peer_gb:.0f} GB"}
    if done.returncode:
        sys.exit(f"{side} {method} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def compare(folder: Path, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one method, ours and the peer's in turns."""
    runs: dict[str, list[dict[str, Any]]] = {"ours": []}
    if options.peers and method in PEERS:
        runs["peer"] = []
    for turn in range(options.repeats):
        for side, done in runs.items():
            slow = done and ("skipped" in done[-1] or done[-1]["seconds"] > REPEATED_BELOW)
            if turn == 0 or not slow:
                done.append(measured(folder, side, method, options))
    return runs


def row_of(method: str, n: int, runs: dict[str, list[dict[str, Any]]]) -> list[str]:
    """One line of the table."""
    mine, peer = runs["ours"], runs.get("peer", [])
    cells = [method, f"{n:,}", _mean(mine, "seconds"), _mean(mine, "megabytes", 0)]
    if not peer:
        return [*cells, "", "", "", "", ""]
    if "skipped" in peer[0]:
        return [*cells, f"{PEERS[method]} {peer[0]['skipped']}", "", "", "", ""]
    faster = statistics.mean(run["seconds"] for run in peer) / statistics.mean(
        run["seconds"] for run in mine
    )
    value = mine[0]["objective"] / peer[0]["objective"]
    return [
        *cells, f"{PEERS[method]} {_mean(peer, 'seconds')}", _mean(peer, "megabytes", 0),
        f"{faster:.1f}", f"{value:.4f}",
        f"{len(set(mine[0]['order']) & set(peer[0]['order'])) / len(mine[0]['order']):.0%}",
    ]  # fmt: skip


def _mean(runs: list[dict[str, Any]], key: str, digits: int = 2) -> str:
    values = [run[key] for run in runs]
    spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):,.{digits}f}{spread}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", default="10000,50000,200000,1000000")
    parser.add_argument("--picks", type=int, default=500)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3, help="once when that took a minute")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--peer-seconds", type=float, default=900)
    parser.add_argument("--peer-gb", type=float, default=16)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        folder, side, method = options.measure
        if side == "peer":
            most = int(options.peer_gb * 1e9)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        print(json.dumps(measure(Path(folder), side, method, options.picks)))
        return
    columns = ("method", "n", "ours s", "ours MB", "peer s", "peer MB", "times", "value", "same")
    table = Table(*columns, title=f"{options.picks} of n, {options.dimension} numbers each")
    results = []
    for n in map(int, options.n.split(",")):
        with tempfile.TemporaryDirectory() as name:
            write_pool(Path(name), n, options.dimension, options.seed)
            for method in options.methods.split(","):
                runs = compare(Path(name), method, options)
                results.append({"method": method, "n": n, **runs})
                row = row_of(method, n, runs)
                table.add_row(*row)
                print(" | ".join(row), file=sys.stderr, flush=True)
    Console(width=160).print(table)
    if options.json:
        config = {
            key: value for key, value in vars(options).items() if key not in {"json", "measure"}
        } | {"cores": os.cpu_count(), "threads": os.environ.get("OMP_NUM_THREADS")}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"config": config, "results": results}, indent=1))


if __name__ == "__main__":
    main()
