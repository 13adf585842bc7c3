"""Throughput and latency of labeling, beside a bare application on the same stack.

``python -m benchmarks.labeling --clients 32 --seconds 10 --json results/labeling.json``

A loop is one verdict: leased in batches of 16, each answer stored durably in a request of its own
before the client goes on, with token authentication. The bare application does one transaction a
request (see ``benchmarks/bare_app.py``). Both run against the same PostgreSQL, fsync on, one API
process each, one after the other, in turns.
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import uvloop
from rich.console import Console
from rich.table import Table

from api.credentials import secret_hash
from api.projects.settings import checked
from benchmarks import bare_app
from benchmarks.http_load import HttpConnection, Measured, measure
from karat.embedded import EmbeddedPostgres, EmbeddedRedis

BATCH = 16
ROOT = Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def serving(module: str, path: str, environment: dict[str, str]) -> Iterator[int]:
    """Run ``python -m module --port`` until it answers; yields the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", module, "--port", str(port)], cwd=ROOT, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(200):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{port}{path}")
                break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(10)


class Karat:
    """A project with a long queue, and annotators with tokens."""

    def __init__(self, url: str, port: int, clients: int, queries: int) -> None:
        self.url, self.port = url, port
        self.tokens = [f"karat_benchmark_{number}" for number in range(clients)]
        self.leased: Counter[int] = Counter()
        self.acknowledged: list[str] = []
        with psycopg.connect(url) as connection:
            self.project = self._fill(connection, queries)

    def _fill(self, connection: psycopg.Connection[Any], queries: int) -> int:
        values = checked({"budget": 1e9}).model_dump_json()
        row = connection.execute(
            "INSERT INTO projects (name, state, settings) VALUES (%s, 'running', %s) RETURNING id",
            (str(uuid.uuid4()), values),
        ).fetchone()
        assert row is not None
        project = int(row[0])
        connection.execute(
            "INSERT INTO classes (project_id, name, colour, position) "
            "VALUES (%(p)s, 'a', '#000000', 0), (%(p)s, 'b', '#ffffff', 1)",
            {"p": project},
        )
        for token in self.tokens:
            connection.execute(
                "WITH u AS (INSERT INTO users (email, name, role, password_hash, active) VALUES "
                "(%(mail)s, 'x', 'annotator', '', true) RETURNING id), "
                "m AS (INSERT INTO members (project_id, user_id) SELECT %(p)s, id FROM u) "
                "INSERT INTO api_tokens (user_id, name, prefix, token_hash) "
                "SELECT id, 'b', '', %(hash)s FROM u",
                {"mail": f"{uuid.uuid4()}@example.org", "p": project, "hash": secret_hash(token)},
            )
        connection.execute(
            "INSERT INTO rounds (project_id, number, state, settings, strategy, seed, budget) "
            "VALUES (%s, 0, 'open', %s, 'random', 0, 1e9)",
            (project, values),
        )
        connection.execute(
            "INSERT INTO examples (project_id, pool_index, content_hash, media_type, bytes, width, "
            "height, split, state, name, meta) SELECT %(p)s, n, sha256(n::text::bytea), "
            "'image/png', 1, 1, 1, 'pool', 'queried', n || '.png', '{}' "
            "FROM generate_series(0, %(n)s - 1) n",
            {"p": project, "n": queries},
        )
        connection.execute(
            "INSERT INTO queries (project_id, round_id, example_id, rank) SELECT e.project_id, "
            "r.id, e.id, e.pool_index FROM examples e JOIN rounds r USING (project_id) "
            "WHERE project_id = %s",
            (project,),
        )
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE")
        return project

    async def annotate(self, number: int, more: Callable[[], bool], latencies: list[float]) -> int:
        """Lease 16, answer them one by one, again."""
        connection = HttpConnection(self.port, {"Authorization": f"Bearer {self.tokens[number]}"})
        await connection.open()
        base = f"/api/projects/{self.project}/labeling"
        client, answered = str(uuid.uuid4()), 0
        while more():
            status, body = await _timed(
                latencies, connection.post(f"{base}/lease", {"n": BATCH, "client": client})
            )
            assert status == 200, body
            queries = [item["query_id"] for item in json.loads(body)["items"]]
            assert queries, "the queue ran dry; raise --queries"
            self.leased.update(queries)
            for query in queries:
                key = str(uuid.uuid4())
                answer = {"key": key, "query_id": query, "verdict": "ood", "seconds": 1.0}
                status, body = await _timed(
                    latencies, connection.post(f"{base}/answers", {"answers": [answer]})
                )
                assert status == 200, body
                assert b'"accepted"' in body, body
                self.acknowledged.append(key)
                answered += 1
        await connection.close()
        return answered

    def check(self) -> tuple[int, int]:
        """(queries leased more than once, acknowledged answers that are not stored once)."""
        with psycopg.connect(self.url) as connection:
            rows = connection.execute(
                "SELECT client_key::text FROM annotations WHERE project_id = %s AND counted",
                (self.project,),
            ).fetchall()
        stored = Counter(key for (key,) in rows)
        lost = sum(stored[key] != 1 for key in self.acknowledged)
        return sum(count > 1 for count in self.leased.values()), lost


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
            connection.execute("VACUUM ANALYZE")

    async def annotate(self, number: int, more: Callable[[], bool], latencies: list[float]) -> int:
        """One transaction a request."""
        del number
        connection = HttpConnection(self.port, {})
        await connection.open()
        answered = 0
        while more():
            status, body = await _timed(latencies, connection.post("/answer", {"verdict": "ood"}))
            assert status == 200, body
            assert b"null" not in body, "the queue ran dry; raise --queries"
            answered += 1
        await connection.close()
        return answered


async def _timed(latencies: list[float], request: Any) -> Any:
    start = time.perf_counter()
    answer = await request
    latencies.append(time.perf_counter() - start)
    return answer


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """All client counts, ours and the reference in turns."""
    levels = sorted({1, min(8, arguments.clients), arguments.clients})
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        directory = Path(name)
        with (
            EmbeddedPostgres(directory / "postgres") as postgres,
            EmbeddedRedis(directory / "redis") as redis,
        ):
            environment = {
                **os.environ,
                "DATABASE_URL": postgres.url,
                "REDIS_URL": redis.url,
                "KARAT_DATA_DIR": str(directory / "data"),
            }
            upgrade = ["alembic", "-c", "migrations/alembic.ini", "upgrade", "head"]
            subprocess.run([sys.executable, "-m", *upgrade], cwd=ROOT, env=environment, check=True)
            url = postgres.url.replace("+psycopg", "")
            with (
                serving("api", "/healthz", environment) as port,
                serving("benchmarks.bare_app", "/openapi.json", environment) as bare_port,
            ):
                karat = Karat(url, port, arguments.clients, arguments.queries)
                bare = Bare(url, bare_port, arguments.queries)
                rows = []
                for clients in levels:
                    pairs = []
                    for _ in range(arguments.repeats):
                        theirs = uvloop.run(measure(clients, arguments.seconds, bare.annotate))
                        ours = uvloop.run(measure(clients, arguments.seconds, karat.annotate))
                        pairs.append((ours, theirs))
                    rows.append(_row(clients, pairs))
                doubled, lost = karat.check()
    most = rows[-1]
    return {
        "config": vars(arguments) | {"batch": BATCH},
        "levels": rows,
        **{key: most[key] for key in most if key != "clients"},
        "double_leases": doubled,
        "lost": lost,
    }


def _row(clients: int, pairs: list[tuple[Measured, Measured]]) -> dict[str, Any]:
    ratios = [ours.loops_per_s / theirs.loops_per_s for ours, theirs in pairs]
    return {
        "clients": clients,
        "loops_per_s": statistics.mean(ours.loops_per_s for ours, _ in pairs),
        "p50_ms": statistics.mean(ours.percentile(0.5) for ours, _ in pairs),
        "p99_ms": statistics.mean(ours.percentile(0.99) for ours, _ in pairs),
        "bare_loops_per_s": statistics.mean(theirs.loops_per_s for _, theirs in pairs),
        "bare_p99_ms": statistics.mean(theirs.percentile(0.99) for _, theirs in pairs),
        "ratio": statistics.mean(ratios),
        "ratio_std": statistics.stdev(ratios) if len(ratios) > 1 else 0.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--queries", type=int, default=200_000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments)
    table = Table(title="Verdicts per second: Karat and a bare application on the same stack")
    for heading in ("clients", "Karat /s", "bare /s", "ratio", "p50 ms", "p99 ms", "bare p99 ms"):
        table.add_column(heading, justify="right")
    for row in report["levels"]:
        table.add_row(
            str(row["clients"]),
            f"{row['loops_per_s']:.0f}",
            f"{row['bare_loops_per_s']:.0f}",
            f"{row['ratio']:.2f} ± {row['ratio_std']:.2f}",
            f"{row['p50_ms']:.1f}",
            f"{row['p99_ms']:.1f}",
            f"{row['bare_p99_ms']:.1f}",
        )
    Console().print(table)
    Console().print(f"double leases {report['double_leases']}, lost answers {report['lost']}")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=2, default=str))


if __name__ == "__main__":
    main()
