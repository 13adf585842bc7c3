"""A project of a million images through the whole product, beside one of ten thousand.

``python -m benchmarks.million --n 1000000 --json results/million.json``

Starts PostgreSQL, Redis, the API and the workers as ``karat up`` does, and goes by HTTP alone:
uploads Parquet files of 16 × 16 JPEGs, opens round 0, labels, lets the models train, score and
choose, twice, and exports. Leases are timed in both projects in turns. Memory is the sum of the
proportional set sizes of all processes, looked at every second.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import httpx
import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks import synthetic
from benchmarks.memory import PeakMemory
from karat.client.client import Client
from karat.client.findings import Round
from karat.client.project import ProjectClient
from karat.client.resources import ExportFormat
from karat.demo.annotators import Judge
from karat.local.stack import Stack

SMALL = 10_000
EVALUATION = 1_000
BUDGET = 300
PER_FILE = 250_000
LEASE = 16
# Formats that have no row for an image without a verdict.
ANSWERED_ONLY = frozenset({"csv", "jsonl", "imagefolder"})

PAGES: dict[str, dict[str, Any]] = {
    "first page": {"split": "all"},
    "deep page": {"split": "all", "deep": True},
    "unlabeled": {"split": "pool", "state": "unlabeled"},
    "OOD": {"split": "pool", "state": "ood"},
    "by purity": {"split": "pool", "sort": "-purity"},
    "by purity, deep": {"split": "pool", "sort": "-purity", "deep": True},
    "name": {"split": "pool", "name": "1234"},
}


class Truth(dict[str, str | None]):
    """The class of each image, worked out when it is asked for."""

    def __missing__(self, name: str) -> str | None:
        """Return the class of the image of that file name, None for OOD."""
        return synthetic.truth(synthetic.number_of(name))


class Run:
    """One project, labeled by one annotator."""

    def __init__(self, client: Client, title: str, n: int, folder: Path) -> None:
        """Make the project; nothing is in it yet."""
        self.n, self._client, self._folder = n, client, folder
        self.seconds: dict[str, float] = {}
        self.leases: list[float] = []
        self.answers: list[float] = []
        self.project: ProjectClient = client.create_project(
            title,
            list(synthetic.CLASSES),
            settings={"budget": BUDGET, "input_size": synthetic.SIZE, "zero_wait": False},
        )
        self._judge = Judge.of(Truth(), self.project.get()["classes"], wrong=0.02, seed=0)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the seconds of what is done within to those of ``name``."""
        started = time.perf_counter()
        yield
        took = time.perf_counter() - started
        self.seconds[name] = self.seconds.get(name, 0.0) + took

    def import_all(self) -> None:
        """Make the images, send them, and wait until they are in."""
        for start in range(0, self.n, PER_FILE):
            self._import(start, min(start + PER_FILE, self.n), "pool")
        self._import(self.n, self.n + EVALUATION, "evaluation")

    def _import(self, start: int, stop: int, split: Any) -> None:
        file = self._folder / f"{split}-{start}.parquet"
        with self.timed("make images (not Karat)"):
            synthetic.write(file, start, stop)
        with self.timed("import"):
            job = self.project.import_images(
                file, split=split, image_column="image", label_column="label"
            )
            file.unlink()
            self._client.wait(job["id"])

    def begin(self) -> None:
        """Open round 0, and wait for the features that its job makes afterwards."""
        with self.timed("open round 0"):
            self.project.start()
            self._open(0)
        with self.timed("features"):
            job = next(self._client.jobs(project_id=self.project.id, kind="advance_round"))
            self._client.wait(job["id"])

    def look(self, times: int) -> None:
        """Time leases that are given back."""
        for _ in range(times):
            self.leases.append(_milliseconds(lambda: self.project.lease(LEASE)))
            self.project.release()

    def label(self, number: int) -> Round:
        """Answer round ``number`` one image after the other, and wait for the next to open."""
        while (lease := self.project.lease(LEASE))["items"]:
            for query in lease["items"]:
                given = self._judge.answer(query)
                self.answers.append(_milliseconds(lambda: self.project.answer([given])))  # noqa: B023
        with self.timed(f"close round {number}"):
            self._open(number + 1)
        return self.project.rounds()[number]

    def _open(self, number: int) -> None:
        while True:
            rounds = self.project.rounds()
            if any(one["state"] == "failed" for one in rounds):
                raise SystemExit(f"A round failed: {next(self._client.jobs())['error']}")
            if any(one["number"] == number and one["state"] == "open" for one in rounds):
                return
            time.sleep(0.2)

    def export(self, formats: Sequence[ExportFormat]) -> dict[str, int]:
        """Save the answers in each format, with all images where it takes those; returns bytes."""
        sizes: dict[str, int] = {}
        for name in formats:
            file = self._folder / f"export.{name}"
            with self.timed(f"export {name}"):
                path = self.project.export(file, name, unlabeled=name not in ANSWERED_ONLY)
            sizes[name] = path.stat().st_size
        return sizes


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _spread(values: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {"n": len(values), "p50": cuts[49], "p95": cuts[94], "p99": cuts[98]}


def pages(http: httpx.Client, project: int, n: int, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of the pages of the pool browser: the first request, and the median."""
    found = {}
    for name, view in PAGES.items():
        query = {**view, "limit": 100}
        if query.pop("deep", False):
            query["cursor"] = n * 9 // 10
        took = [
            _milliseconds(
                lambda: http.get(
                    f"/api/projects/{project}/examples",
                    params=query,  # noqa: B023
                ).raise_for_status()
            )
            for _ in range(repeats)
        ]
        found[name] = {"first": took[0], "median": statistics.median(took)}
    return found


def measure(
    stack: Stack, client: Client, n: int, formats: Sequence[ExportFormat], folder: Path
) -> dict[str, Any]:
    """Run both projects; returns the report."""
    small = Run(client, "ten thousand", min(n, SMALL), folder)
    large = Run(client, "a million", n, folder)
    rounds = []
    for run in (small, large):
        run.import_all()
        run.begin()
    for number in range(2):
        for _ in range(20):
            # In turns, since the machine is not equally busy all the time.
            small.look(10)
            large.look(10)
        small.label(number)
        rounds.append(large.label(number))
    token = client.create_token("benchmark", expires_in_days=1, scope="read")["secret"]
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=stack.url, headers=headers, timeout=300) as http:
        browsing = pages(http, large.project.id, n, 5)
    sizes = large.export(formats)
    with psycopg.connect(stack.environment["DATABASE_URL"].replace("+psycopg", "")) as database:
        row = database.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
    return {
        "n": n,
        "seconds": large.seconds,
        "seconds_small": small.seconds,
        "rounds": [{"seconds": one["seconds"], "accuracy": one["accuracy"]} for one in rounds],
        "lease_ms": {str(one.n): _spread(one.leases) for one in (small, large)},
        "answer_ms": {str(one.n): _spread(one.answers) for one in (small, large)},
        "pages_ms": browsing,
        "exported_bytes": sizes,
        "database_mib": row[0] / 2**20,
    }


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Start everything, measure, stop."""
    folder = Path(tempfile.mkdtemp(prefix="karat-million-", dir=arguments.folder))
    free = shutil.disk_usage(folder).free
    try:
        with Stack(folder / "data", port=0) as stack, Client(stack.url) as client:
            assert stack.admin_email is not None
            assert stack.admin_password is not None
            client.login(stack.admin_email, stack.admin_password)
            pids = {name: process.pid for name, process in stack.processes.items()}
            started = time.perf_counter()
            with PeakMemory(pids) as memory:
                report = measure(stack, client, arguments.n, arguments.formats, folder)
            report["all_seconds"] = time.perf_counter() - started
            report["memory_mib"] = {
                "total": memory.total,
                "anonymous": memory.anonymous,
                **memory.each,
            }
            report["disk_mib"] = (free - shutil.disk_usage(folder).free) / 2**20
    finally:
        if arguments.keep:
            Console().print(f"Kept in {folder}.")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return report


def show(report: dict[str, Any]) -> None:
    """Print the tables."""
    console = Console()
    table = Table(title=f"{report['n']:,} images")
    table.add_column("step")
    table.add_column("seconds", justify="right")
    for name, value in report["seconds"].items():
        table.add_row(name, f"{value:.1f}")
    table.add_row("everything, both projects", f"{report['all_seconds']:.1f}")
    console.print(table)
    for number, one in enumerate(report["rounds"]):
        phases = ", ".join(f"{name} {value:.1f}" for name, value in one["seconds"].items())
        console.print(f"round {number}: {phases} s, accuracy {one['accuracy']:.3f}")
    table = Table(title="Milliseconds a request")
    for column in ("request", "images", "n", "p50", "p95", "p99"):
        table.add_column(column, justify="left" if column == "request" else "right")
    for name in ("lease", "answer"):
        for size, one in report[f"{name}_ms"].items():
            numbers = (f"{one[cut]:.1f}" for cut in ("p50", "p95", "p99"))
            table.add_row(name, f"{int(size):,}", str(one["n"]), *numbers)
    for name, one in report["pages_ms"].items():
        table.add_row(f"page: {name}", f"{report['n']:,}", "5", f"{one['median']:.1f}", "", "")
    console.print(table)
    memory = ", ".join(f"{name} {value:,.0f}" for name, value in report["memory_mib"].items())
    console.print(f"peak MiB: {memory}")
    console.print(
        f"database {report['database_mib']:,.0f} MiB, all files {report['disk_mib']:,.0f} MiB"
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000, help="images of the large project")
    parser.add_argument(
        "--formats", nargs="+", choices=get_args(ExportFormat), default=["csv", "parquet"]
    )
    parser.add_argument("--folder", type=Path, help="where the data goes; a temporary folder")
    parser.add_argument("--keep", action="store_true", help="leave the data directory behind")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments)
    show(report)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
