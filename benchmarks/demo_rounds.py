"""Whole rounds through the product, several strategies and seeds, on a real pool.

``python -m benchmarks.demo_rounds --data train.parquet --evaluation test.parquet``

Each run is ``karat demo --exit``: its own database, server, workers and simulated annotators, of
whose verdicts 2 % are wrong.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def run_demo(arguments: argparse.Namespace, strategy: str, seed: int) -> list[dict[str, Any]]:
    """Rounds of one run, as the demo reports them."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [
            sys.executable, "-m", "karat", "demo", "--exit", "--json", report.name,
            "--strategy", strategy, "--seed", str(seed), "--rounds", str(arguments.rounds),
            "--budget", str(arguments.budget),
        ]  # fmt: skip
        if arguments.data:
            command += [
                "--data", str(arguments.data), "--evaluation", str(arguments.evaluation),
                "--in-classes", arguments.in_classes, "--noise", str(arguments.noise),
                "--pool-size", str(arguments.pool_size),
            ]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rounds: list[dict[str, Any]] = json.loads(Path(report.name).read_text())["rounds"]
    return rounds


def _mean(values: list[float], digits: int = 1) -> str:
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} ± {spread:.{digits}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="Parquet pool; digits if not given")
    parser.add_argument("--evaluation", type=Path)
    parser.add_argument("--in-classes", default="deer,bird,dog,horse")
    parser.add_argument("--noise", type=float, default=0.6)
    parser.add_argument("--pool-size", type=int, default=10_000)
    parser.add_argument("--budget", type=float, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--strategies", default="mqnet,conf,random")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    results: dict[str, list[list[dict[str, Any]]]] = {}
    table = Table(title="Rounds 1 and later, mean ± std over seeds")
    for heading in ("strategy", "last accuracy %", "IN share %", "slowest round s"):
        table.add_column(heading, justify="right")
    for strategy in arguments.strategies.split(","):
        runs = [run_demo(arguments, strategy, seed) for seed in seeds]
        results[strategy] = runs
        table.add_row(
            strategy,
            _mean([100 * rounds[-1]["accuracy"] for rounds in runs]),
            _mean([100 * statistics.mean(r["in_share"] for r in rounds[1:]) for rounds in runs]),
            _mean([max(sum(r["seconds"].values()) for r in rounds) for rounds in runs]),
        )
    Console().print(table)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        config = {key: str(value) for key, value in vars(arguments).items()}
        arguments.json.write_text(json.dumps({"config": config, "results": results}, indent=2))


if __name__ == "__main__":
    main()
