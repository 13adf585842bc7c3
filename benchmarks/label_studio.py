"""Karat beside Label Studio: what the same images and the same clients take of each.

``python -m benchmarks.label_studio --clients 8,32,100 --seconds 60 --json results/studio.json``

Both run whole, each with a PostgreSQL of its own from the system's packages and the same settings:
Karat as ``karat up`` starts it, with one API process, and Label Studio with the server of its
container, uWSGI, once with one process and once with the two for each core that its container
starts. Label Studio is installed on the first run (``--label-studio-env``). They take turns: with
each number of clients first Label Studio, then Karat asked for one image at a time as Label Studio
is, then Karat with leases of 16, as its page asks. A client asks for the next task, submits one
class, and asks again.

Runs that are in ``--json`` are not repeated, so that a stopped benchmark goes on.
"""

import argparse
import functools
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks.http_load import Log, Loop, measure
from benchmarks.import_pool import write_zip
from benchmarks.karat_load import KaratLoad
from benchmarks.label_studio_server import (
    ENVIRONMENT,
    VERSION,
    LabelStudio,
    LabelStudioLoad,
    SystemPostgres,
    install,
)
from benchmarks.labeling import BATCH, counts
from benchmarks.runs import Run, Runs
from benchmarks.servers import Server, memory
from karat.client.client import Client
from karat.local.stack import Stack

# More answers a second than two cores have ever stored; Karat's queue is that much longer.
_MOST_PER_S = 2500
_WARM_SECONDS = 3.0
_SAMPLING = {"sequential": "Sequential sampling", "uniform": "Uniform sampling"}
_SHARES = (50, 95, 99)


class Comparison:
    """Both installations, and the runs so far."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        runs: Runs,
        stack: Stack,
        postgres: SystemPostgres,
        studio: LabelStudio,
    ) -> None:
        self.arguments, self.runs, self.stack, self.studio = arguments, runs, stack, studio
        self.postgres = postgres
        assert stack.admin_email is not None
        assert stack.admin_password is not None
        self.admin = Client(stack.url)
        self.admin.login(stack.admin_email, stack.admin_password)

    def imports(self, server: Server, archive: Path) -> None:
        """Time the imports of all images."""
        n = self.arguments.tasks

        def karat() -> float:
            project = self.admin.create_project("Import", ["a", "b"], settings={"input_size": 32})
            start = time.perf_counter()
            self.admin.wait(project.import_images(archive)["id"])
            seconds = time.perf_counter() - start
            assert project.get()["counts"]["pool"] == n
            return seconds

        def theirs(how: str) -> float:
            project = self._project(server, f"Import by {how}")
            seconds = float(getattr(project, how)())
            assert project.tasks() == n
            return seconds

        self._timed("import", "Karat: zip sent, images checked and decoded", karat)
        self._timed("import", "Label Studio: files sent", lambda: theirs("upload"))
        self._timed("import", "Label Studio: folder synced", lambda: theirs("sync"))
        self._timed("import", "Label Studio: list of addresses", lambda: theirs("fill"))

    def exports(self, server: Server, directory: Path) -> None:
        """Time the exports of as many answered tasks."""
        n = self.arguments.tasks
        kinds = {f"Karat: {kind}": kind for kind in ("csv", "jsonl")}
        their_kinds = {f"Label Studio: {kind}": kind for kind in ("CSV", "JSON")}
        if not any(self._missing("export", name, 0, 0) for name in (*kinds, *their_kinds)):
            return
        load = self._queue(1, n + 1)
        uvloop.run(
            load.annotate(
                0, lambda: len(load.tally.acknowledged) < n, Log(), batch=250, at_once=250
            )
        )
        answered = self.admin.project(load.project)
        theirs = self._project(server, "Export")
        theirs.fill(annotated=True)

        def karat(kind: str) -> float:
            start = time.perf_counter()
            file = answered.export(directory / f"export.{kind}", kind)  # type: ignore[arg-type]
            seconds = time.perf_counter() - start
            assert file.read_bytes().count(b"\n") >= n
            return seconds

        def studio(kind: str) -> float:
            seconds, content = theirs.export(kind)
            found = len(json.loads(content)) if kind == "JSON" else content.count(b"\n")
            assert found >= n
            return seconds

        for name, kind in kinds.items():
            self._timed("export", name, functools.partial(karat, kind))
        for name, kind in their_kinds.items():
            self._timed("export", name, functools.partial(studio, kind))

    def load(self, server: Server, processes: int, clients: int) -> None:
        """One turn of each with so many clients."""
        studio = f"Label Studio, {processes} process" + ("es" if processes > 1 else "")
        pids = [server.pid, self.studio.postgres.pid]
        if self._missing("load", studio, processes, clients):
            project = self._project(server, f"{clients} clients, {processes}")
            project.fill()
            self._turn(studio, processes, clients, pids, project, project.annotate)
        queries = int(_MOST_PER_S * (self.arguments.seconds + _WARM_SECONDS))
        for batch in (1, BATCH):
            name = "Karat, one at a time" if batch == 1 else f"Karat, leases of {batch}"
            if self._missing("load", name, processes, clients):
                load = self._queue(clients, max(queries, self.arguments.tasks))
                others = self.stack.processes
                ours = [others.pop("api").pid, self.postgres.pid]
                ours += [process.pid for process in others.values()]
                loop = functools.partial(load.annotate, batch=batch)
                self._turn(name, processes, clients, ours, load, loop)

    def _turn(
        self,
        name: str,
        processes: int,
        clients: int,
        pids: list[int],
        load: KaratLoad | LabelStudioLoad,
        loop: Loop,
    ) -> None:
        uvloop.run(measure(clients, _WARM_SECONDS, loop))
        measured = uvloop.run(
            measure(clients, self.arguments.seconds, loop, watch=lambda: memory(pids))
        )
        run = {
            "step": "load",
            "server": name,
            "turn": processes,
            "clients": clients,
            "load_average": os.getloadavg()[0],
            "answers": measured.loops,
            "answers_per_s": measured.loops_per_s(),
            **{
                f"{kind}_p{share}_ms": measured.percentile(share / 100, kind)
                for kind in ("next", "submit")
                for share in _SHARES
            },
            "duplicates": load.tally.duplicates,
            "lost": load.lost(),
            "errors": dict(load.tally.errors),
            "memory_mb": max(seen for _, seen in measured.watched),
            # What answers and its database: the rest of Karat trains, or waits to.
            "answering_mb": memory(pids[:2]),
        }
        self.runs.add(run)
        print(f"{clients} clients, {name}: {run['answers_per_s']:.1f} answers/s", flush=True)

    def _timed(self, step: str, name: str, seconds: Callable[[], float]) -> None:
        if self._missing(step, name, 0, 0):
            run = {"step": step, "server": name, "turn": 0, "clients": 0, "seconds": seconds()}
            self.runs.add(run | {"load_average": os.getloadavg()[0]})
            print(f"{step}, {name}: {run['seconds']:.2f} s", flush=True)

    def _missing(self, step: str, name: str, processes: int, clients: int) -> bool:
        case = {"step": step, "server": name, "turn": processes, "clients": clients}
        return case not in self.runs

    def _project(self, server: Server, title: str) -> LabelStudioLoad:
        sampling = _SAMPLING[self.arguments.sampling]
        return LabelStudioLoad(self.studio, server.port, title, sampling)

    def _queue(self, clients: int, queries: int) -> KaratLoad:
        assert self.stack.port is not None
        url = self.postgres.url.replace("+psycopg", "")
        return KaratLoad(url, self.stack.port, clients, queries)


def run(arguments: argparse.Namespace, runs: Runs) -> None:
    """Whatever is not in ``runs`` yet."""
    install(arguments.label_studio_env)
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        directory = Path(name)
        archive, images = directory / "pool.zip", directory / "documents" / "images"
        write_zip(archive, arguments.tasks)
        _unpack(archive, images)
        with (
            SystemPostgres(directory / "postgres-karat") as beside,
            SystemPostgres(directory / "postgres", database="label_studio") as postgres,
            Stack(directory / "karat", port=0, database_url=beside.url) as stack,
        ):
            studio = LabelStudio(
                arguments.label_studio_env,
                directory / "label-studio",
                images,
                postgres,
                max(arguments.clients),
            )
            comparison = Comparison(arguments, runs, stack, beside, studio)
            for number, processes in enumerate(arguments.processes):
                with studio.serving(processes) as server:
                    if number == 0:
                        comparison.imports(server, archive)
                        comparison.exports(server, directory)
                    for clients in arguments.clients:
                        comparison.load(server, processes, clients)


def _unpack(archive: Path, folder: Path) -> None:
    """All images of a zip in one folder, since a folder is what Label Studio reads."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            (folder / Path(name).name).write_bytes(file.read(name))


def show(runs: list[Run]) -> None:
    """Print the tables."""
    console = Console(width=150)
    table = Table(title="next task → submit, without a pause; milliseconds")
    headings = ("clients", "server", "answers/s", "next p50", "p95", "p99", "submit p50", "p95",
                "p99", "duplicates", "lost", "errors", "MiB", "API, DB")  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "server" else "right")
    for run in (run for run in runs if run["step"] == "load"):
        table.add_row(
            str(run["clients"]),
            run["server"],
            f"{run['answers_per_s']:,.1f}",
            *(
                f"{run[f'{kind}_p{share}_ms']:,.0f}"
                for kind in ("next", "submit")
                for share in _SHARES
            ),
            str(run["duplicates"]),
            str(run["lost"]),
            str(sum(run["errors"].values())),
            f"{run['memory_mb']:,.0f}",
            f"{run['answering_mb']:,.0f}",
        )
    console.print(table)
    times = Table(title="seconds")
    for heading in ("step", "server", "seconds"):
        times.add_column(heading, justify="right" if heading == "seconds" else "left")
    for run in (run for run in runs if "seconds" in run):
        times.add_row(run["step"], run["server"], f"{run['seconds']:.2f}")
    console.print(times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=counts, default=[8, 32, 100], help="such as 8,32")
    parser.add_argument("--seconds", type=float, default=60, help="of each turn")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument(
        "--processes",
        type=counts,
        default=[1, 2 * (os.cpu_count() or 1)],
        help="of Label Studio's server; a run for each",
    )
    parser.add_argument("--sampling", choices=_SAMPLING, default="sequential")
    parser.add_argument("--label-studio-env", type=Path, default=ENVIRONMENT)
    parser.add_argument("--json", type=Path, default=Path("results/studio.json"))
    arguments = parser.parse_args()
    config = {
        "label_studio": VERSION,
        "cores": os.cpu_count(),
        **{name: getattr(arguments, name) for name in ("seconds", "tasks", "sampling")},
    }
    runs = Runs(arguments.json, config, ("step", "server", "turn", "clients"))
    run(arguments, runs)
    show(runs.all)


if __name__ == "__main__":
    main()
