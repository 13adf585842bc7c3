"""Throughput and latency of labeling, beside a bare application on the same stack.

``python -m benchmarks.labeling --clients 1,8,32 --seconds 10 --json results/labeling.json``

A loop is one verdict: leased in batches of 16, each answer stored durably in a request of its own
before the client goes on, with token authentication. The bare application does one transaction a
request (see ``benchmarks/bare_app.py``). Both run against the same PostgreSQL, fsync on, one API
process each, one after the other, in turns.

A verdict takes processor time of the API and of PostgreSQL, too, which says on a busy machine what
the clock does not: compare two versions by it, in turns, with ``--alone``.

``--clients 100 --seconds 600 --alone`` is a long run without the bare application: how far the
latency drifts from its first minute to its last, and whether the API's memory grows.
"""

import argparse
import contextlib
import dataclasses
import functools
import json
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks import bare_app
from benchmarks.http_load import HttpConnection, Log, Measured, measure
from benchmarks.karat_load import KaratLoad
from benchmarks.servers import (
    Server,
    installed,
    memory,
    postmaster,
    processor_seconds,
    psycopg_url,
    serving_module,
)

BATCH = 16
# More verdicts a second than two cores have ever stored.
_MOST_PER_S = 2500
_MINUTE = 60.0


class Bare:
    """The reference application with an equally long queue."""

    def __init__(self, url: str, port: int, queries: int) -> None:
        self.port = port
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in bare_app.SCHEMA:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO bare_queue (id) SELECT generate_series(1, %s)", (queries,)
            )
            connection.execute("VACUUM ANALYZE bare_queue")

    async def annotate(self, number: int, more: Callable[[], bool], log: Log) -> None:
        """One transaction a request."""
        del number
        connection = HttpConnection(self.port, {})
        while more():
            status, body = await log.timed("submit", connection.post("/answer", {"verdict": "ood"}))
            assert status == 200, body
            assert b"null" not in body, "the queue ran dry; raise --queries"
            log.loop()
        await connection.close()


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """All client counts, ours and the reference in turns."""
    with (
        tempfile.TemporaryDirectory(prefix="karat-bench-") as name,
        installed(Path(name)) as environment,
        contextlib.ExitStack() as servers,
    ):
        server = servers.enter_context(serving_module("api", "/healthz", environment))
        beside = None
        if not arguments.alone:
            bare = serving_module("benchmarks.bare_app", "/openapi.json", environment)
            beside = servers.enter_context(bare)
        return _levels(arguments, psycopg_url(environment), server, beside)


def _levels(
    arguments: argparse.Namespace, url: str, server: Server, beside: Server | None
) -> dict[str, Any]:
    turns = arguments.repeats * len(arguments.clients)
    queries = arguments.queries or int(max(200_000, _MOST_PER_S * arguments.seconds * turns))
    database = postmaster(url)
    karat = KaratLoad(url, server.port, max(arguments.clients), queries)
    ours = functools.partial(karat.annotate, batch=BATCH)
    bare = Bare(url, beside.port, queries) if beside else None
    rows = []
    for clients in arguments.clients:
        pairs: list[tuple[Measured, Measured | None]] = []
        for _ in range(arguments.repeats):
            theirs = (
                _measured(clients, arguments.seconds, bare.annotate, beside, database)
                if bare and beside
                else None
            )
            mine = _measured(clients, arguments.seconds, ours, server, database)
            pairs.append((mine, theirs))
        rows.append(_row(clients, pairs))
    return {
        "config": vars(arguments) | {"batch": BATCH, "queries": queries},
        "levels": rows,
        **{key: rows[-1][key] for key in rows[-1] if key != "clients"},
        "answers": len(karat.tally.acknowledged),
        "double_leases": karat.tally.duplicates,
        "lost": karat.lost(),
        "errors": dict(karat.tally.errors),
    }


def _measured(clients: int, seconds: float, loop: Any, server: Server, database: int) -> Measured:
    watched = functools.partial(memory, [server.pid])
    before = processor_seconds([server.pid, database])
    found = uvloop.run(measure(clients, seconds, loop, watch=watched))
    took = processor_seconds([server.pid, database]) - before
    return dataclasses.replace(found, processor_seconds=took)


def _row(clients: int, pairs: list[tuple[Measured, Measured | None]]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "clients": clients,
        "loops_per_s": statistics.mean(ours.loops_per_s() for ours, _ in pairs),
        **{
            f"p{share}_ms": statistics.mean(ours.percentile(share / 100) for ours, _ in pairs)
            for share in (50, 95, 99)
        },
        **_processor_ms([ours for ours, _ in pairs]),
        "windows": [windows(ours) for ours, _ in pairs],
        "memory_mb": [ours.watched for ours, _ in pairs],
    }
    both = [(ours, theirs) for ours, theirs in pairs if theirs]
    if both:
        ratios = [ours.loops_per_s() / theirs.loops_per_s() for ours, theirs in both]
        row |= {
            "bare_loops_per_s": statistics.mean(theirs.loops_per_s() for _, theirs in both),
            "bare_p99_ms": statistics.mean(theirs.percentile(0.99) for _, theirs in both),
            "ratio": statistics.mean(ratios),
            "ratio_std": statistics.stdev(ratios) if len(ratios) > 1 else 0.0,
        }
    return row


def _processor_ms(runs: list[Measured]) -> dict[str, float]:
    """Milliseconds of processors that one verdict took the API and PostgreSQL, in each run."""
    each = [1000 * run.processor_seconds / max(run.loops, 1) for run in runs]
    deviation = statistics.stdev(each) if len(each) > 1 else 0.0
    return {"processor_ms": statistics.mean(each), "processor_ms_std": deviation}


def windows(measured: Measured) -> list[dict[str, float]]:
    """The figures of each whole minute of a run; of its halves if it is shorter than two."""
    length = _MINUTE if measured.seconds >= 2 * _MINUTE else measured.seconds / 2
    found = []
    for number in range(int(measured.seconds / length)):
        since, until = number * length, (number + 1) * length
        found.append(
            {
                "since_s": since,
                "loops_per_s": measured.loops_per_s(since, until),
                "p50_ms": measured.percentile(0.5, None, since, until),
                "p99_ms": measured.percentile(0.99, None, since, until),
            }
        )
    return found


def show(report: dict[str, Any]) -> None:
    """Print the tables."""
    table = Table(title="Verdicts per second, and a bare application on the same stack")
    for heading in (
        "clients",
        "Karat /s",
        "bare /s",
        "ratio",
        "p50 ms",
        "p99 ms",
        "bare p99 ms",
        "CPU ms",
    ):
        table.add_column(heading, justify="right")
    drift = Table(title="From the first minute (or half) of the last run to the last")
    for heading in ("clients", "verdicts /s", "p50 ms", "p99 ms", "API MiB"):
        drift.add_column(heading, justify="right")
    for row in report["levels"]:
        beside = "ratio" in row
        table.add_row(
            str(row["clients"]),
            f"{row['loops_per_s']:.0f}",
            f"{row['bare_loops_per_s']:.0f}" if beside else "–",
            f"{row['ratio']:.2f} ± {row['ratio_std']:.2f}" if beside else "–",
            f"{row['p50_ms']:.1f}",
            f"{row['p99_ms']:.1f}",
            f"{row['bare_p99_ms']:.1f}" if beside else "–",
            f"{row['processor_ms']:.2f} ± {row['processor_ms_std']:.2f}",
        )
        first, *_, last = row["windows"][-1]
        watched = row["memory_mb"][-1]
        drift.add_row(
            str(row["clients"]),
            f"{first['loops_per_s']:.0f} → {last['loops_per_s']:.0f}",
            f"{first['p50_ms']:.1f} → {last['p50_ms']:.1f}",
            f"{first['p99_ms']:.1f} → {last['p99_ms']:.1f}",
            f"{watched[0][1]:.0f} → {watched[-1][1]:.0f}",
        )
    Console().print(table)
    Console().print(drift)
    print(
        f"{report['answers']:,} answers, {report['lost']} lost, {report['double_leases']} leased "
        f"twice, errors {report['errors'] or 'none'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=counts, default=[1, 8, 32], help="such as 1,8,32")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--queries", type=int, help="length of the queue")
    parser.add_argument("--alone", action="store_true", help="without the bare application")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments)
    show(report)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=2, default=str))


def counts(text: str) -> list[int]:
    """Numbers of clients from ``8,32``."""
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    main()
