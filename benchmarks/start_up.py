"""Starting Karat: until the first page, until every worker, and what it takes of the machine.

``python -m benchmarks.start_up --repeats 5 --json results/start_up.json``

Starts Karat on an empty directory, stops it, and starts it again on what is there then. Memory
is that of Karat's own Python processes, not of PostgreSQL and Redis, once all have been still for
some seconds. To compare two versions, run it in the checkouts of both, in turn.
"""

import argparse
import json
import platform
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from karat.local.stack import Stack

_MIB = 2**20
_STILL_SECONDS = 6.0
_LONGEST_SECONDS = 180.0
_SERVERS = ("postgres", "redis-server", "valkey-server")


def start(data_dir: Path) -> dict[str, float]:
    """Start Karat once and stop it.

    Args:
        data_dir: Its data directory, empty at the first start.

    Returns:
        Seconds until the API is ready (``page``) and all workers are (``workers``), to stop
        (``stop``) and of processors in all (``processor``), and of Karat's Python processes the MiB
        together (``memory``: pages that are shared count once) and of no other process (``own``).
    """
    logs = data_dir / "logs"
    before = _ready(logs)
    began, started = time.perf_counter(), psutil.Process().cpu_times()
    with Stack(data_dir, port=0) as stack:
        page = time.perf_counter() - began
        wanted = sum(name.startswith("worker-") for name in stack.processes)
        while _ready(logs) - before < wanted:
            if time.perf_counter() - began > _LONGEST_SECONDS:
                raise TimeoutError(f"Not all workers were ready; see {logs}.")
            time.sleep(0.02)
        workers = time.perf_counter() - began
        time.sleep(_STILL_SECONDS)
        family = [
            one
            for one in psutil.Process().children(recursive=True)
            if not one.name().startswith(_SERVERS)
        ]
        memory = [one.memory_full_info() for one in family]
        ends = time.perf_counter()
    ended = psutil.Process().cpu_times()
    return {
        "page": page,
        "workers": workers,
        "stop": time.perf_counter() - ends,
        "processor": sum(ended[2:4]) - sum(started[2:4]),
        "memory": sum(one.pss for one in memory) / _MIB,
        "own": sum(one.uss for one in memory) / _MIB,
    }


def _ready(logs: Path) -> int:
    """How often a worker has said that it is ready."""
    return sum(log.read_text().count("ready.") for log in logs.glob("worker-*.log"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    starts: dict[str, list[dict[str, float]]] = {"first": [], "again": []}
    for _ in range(arguments.repeats):
        with tempfile.TemporaryDirectory() as name:
            for kind in starts:
                starts[kind].append(start(Path(name) / "data"))
    table = Table("start", *starts["first"][0])
    for kind, all_of_them in starts.items():
        cells = []
        for key in all_of_them[0]:
            values = [one[key] for one in all_of_them]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.mean(values):.1f} ± {spread:.1f}")
        table.add_row(kind, *cells)
    Console().print(table)
    if arguments.json:
        report = {"machine": platform.platform(), **starts}
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
