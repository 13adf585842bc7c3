"""Latency of the pool browser over a synthetic pool: rows and scores, no image files.

``python -m benchmarks.pool_browser --n 1000000 --json results/pool_browser.json``

Two in a hundred images have verdicts; the others have scores. Each figure is of one API process,
over HTTP, one request after the other; ``first`` is the first request of its kind, which reads the
scores from disk, and ``requests`` how many it takes until a page of 100 is full or the pool ends.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psycopg
from numpy.lib.format import open_memmap
from rich.console import Console
from rich.table import Table

from api.callers.credentials import secret_hash
from api.projects.settings import checked
from benchmarks.servers import installed, psycopg_url, serving_module
from core.files.storage import Storage
from models.ranking.pool_scores import PoolScores

TOKEN = "karat_benchmark"
CLASSES = 10
EMBEDDING = 64
ANSWERED = 50
"""One image in so many has verdicts."""

VIEWS: dict[str, dict[str, Any]] = {
    "first page": {"split": "all"},
    "page of the pool": {"split": "pool"},
    "deep page": {"split": "pool", "deep": True},
    "state ood": {"split": "pool", "state": "ood"},
    "class": {"split": "pool", "class_id": 3},
    "verdict unsure": {"split": "pool", "verdict": "unsure"},
    "annotator": {"split": "pool", "annotator_id": 1},
    "disagreement": {"split": "pool", "disagreement": "true"},
    "name, in every tenth": {"split": "pool", "name": "7.png"},
    "name, in a hundred": {"split": "pool", "name": "1234"},
    "predicted": {"split": "pool", "predicted": 3},
    "purity at most 0.001": {"split": "pool", "purity_max": 0.001},
    "sorted by purity": {"split": "pool", "sort": "-purity"},
    "sorted, deep": {"split": "pool", "sort": "-purity", "deep": True},
    "sorted and unlabeled": {"split": "pool", "state": "unlabeled", "sort": "informativeness"},
    "sorted and named": {"split": "pool", "sort": "-purity", "name": "1234"},
}

_EXAMPLES = (
    "INSERT INTO examples (project_id, pool_index, content_hash, media_type, bytes, width, height,"
    " split, state, name, label, meta) SELECT %(p)s, n, sha256(n::text::bytea),"
    " 'image/png', 1, 32, 32, 'pool', CASE WHEN n %% %(each)s > 0 THEN 'unlabeled'"
    " WHEN n / %(each)s %% 3 = 0 THEN 'ood' WHEN n / %(each)s %% 100 = 1 THEN 'unsure'"
    " ELSE 'labeled' END, n || '.png', CASE WHEN n %% %(each)s = 0 AND n / %(each)s %% 3 > 0"
    " AND n / %(each)s %% 100 <> 1 THEN jsonb_build_object('type', 'classification', 'class_id',"
    " 1 + n / %(each)s %% 10) END, '{}'"
    " FROM generate_series(0, %(n)s - 1) n"
)
_ANNOTATIONS = (
    "INSERT INTO annotations (project_id, example_id, query_id, round_id, annotator_id, client_key,"
    " verdict, label, seconds, cost, counted) SELECT %(p)s, e.id, q.id, q.round_id,"
    " %(annotator)s, gen_random_uuid(), CASE e.state WHEN 'labeled' THEN 'label' ELSE e.state END,"
    " e.label, 1, 1, true FROM examples e JOIN queries q ON q.example_id = e.id"
    " WHERE e.project_id = %(p)s"
)


def fill(connection: psycopg.Connection[Any], storage: Storage, n: int) -> int:
    """Make the project; returns its id."""
    values = checked({}).model_dump_json()
    execute = connection.execute
    for number in (1, 2):
        execute(
            "INSERT INTO users (email, name, role, password_hash, active)"
            " VALUES (%s, 'x', 'admin', '', true)",
            (f"{number}@example.org",),
        )
    execute(
        "INSERT INTO api_tokens (user_id, name, prefix, token_hash) VALUES (1, 'b', '', %s)",
        (secret_hash(TOKEN),),
    )
    row = execute(
        "INSERT INTO projects (name, state, settings) VALUES ('pool', 'running', %s) RETURNING id",
        (values,),
    ).fetchone()
    assert row is not None
    p = {"p": row[0], "n": n, "each": ANSWERED}
    execute(
        "INSERT INTO classes (project_id, name, colour, position)"
        " SELECT %(p)s, 'class ' || c, '#336699', c FROM generate_series(0, 9) c",
        p,
    )
    execute(
        "INSERT INTO rounds (project_id, number, state, settings, strategy, seed, budget)"
        " VALUES (%s, 0, 'open', %s, 'random', 0, 1e9)",
        (p["p"], values),
    )
    execute(_EXAMPLES, p)
    execute(
        "INSERT INTO queries (project_id, round_id, example_id, rank, done) SELECT e.project_id,"
        " r.id, e.id, e.pool_index, true FROM examples e JOIN rounds r USING (project_id)"
        " WHERE project_id = %(p)s AND e.state <> 'unlabeled'",
        p,
    )
    execute(_ANNOTATIONS, {**p, "annotator": 1})
    # A second opinion on some, and another one on a few of those.
    execute(_ANNOTATIONS + " AND e.pool_index / %(each)s %% 20 = 0", {**p, "annotator": 2})
    execute(
        "UPDATE annotations SET verdict = 'ood', label = NULL WHERE annotator_id = 2"
        " AND id % 10 = 0"
    )
    _score(connection, storage, int(p["p"]), n)
    connection.commit()
    connection.autocommit = True
    execute("VACUUM ANALYZE")
    return int(p["p"])


def _score(connection: psycopg.Connection[Any], storage: Storage, project: int, n: int) -> None:
    generator = np.random.default_rng(0)
    indices = np.arange(n)
    indices = indices[indices % ANSWERED > 0]
    key = f"projects/{project}/rounds/0/scores.parquet"
    path = storage.artifact(key)
    scores = PoolScores(
        indices,
        generator.normal(size=(len(indices), CLASSES)).astype(np.float32),
        generator.random(len(indices), dtype=np.float32),
        generator.random(len(indices), dtype=np.float32),
    )
    scores.to_parquet(path)
    connection.execute(
        "INSERT INTO artifacts (project_id, round_id, kind, storage_key, sha256, bytes, meta)"
        " VALUES (%s, 1, 'scores', %s, 'none', %s, %s)",
        (project, key, path.stat().st_size, json.dumps({"class_ids": list(range(1, 11))})),
    )
    features = storage.features(project) / "synthetic-0.npy"
    features.parent.mkdir(parents=True, exist_ok=True)
    rows = open_memmap(features, mode="w+", dtype=np.float32, shape=(n, EMBEDDING))
    for start in range(0, n, 65_536):
        block = rows[start : start + 65_536]
        block[:] = generator.normal(size=block.shape)
    rows.flush()


def timed(http: httpx.Client, path: str, query: dict[str, Any]) -> tuple[float, Any]:
    """Milliseconds of one request, and its body."""
    started = time.perf_counter()
    response = http.get(path, params=query)
    response.raise_for_status()
    return 1000 * (time.perf_counter() - started), response.json()


def full_page(http: httpx.Client, query: dict[str, Any]) -> tuple[list[float], int]:
    """Milliseconds of each request until 100 images are there or the pool ends, and how many."""
    times, found = list[float](), 0
    query = {**query, "limit": 100}
    while True:
        spent, page = timed(http, "examples", query)
        times.append(spent)
        found += len(page["items"])
        if found >= 100 or page["next_cursor"] is None:
            return times, found
        query["cursor"] = page["next_cursor"]


def measure(http: httpx.Client, n: int, repeats: int) -> list[dict[str, Any]]:
    """One row a view."""
    rows = []
    for name, view in VIEWS.items():
        query = {**view}
        if query.pop("deep", False):
            query["cursor"] = n * 9 // 10
        first, _ = timed(http, "examples", {**query, "limit": 100})
        pages = [full_page(http, query) for _ in range(repeats)]
        each = [spent for times, _ in pages for spent in times]
        filters = {key: value for key, value in view.items() if key not in {"sort", "deep"}}
        counting, count = timed(http, "examples/count", filters)
        rows.append(
            {
                "view": name,
                "first": first,
                "median": statistics.median(each),
                "worst": max(each),
                "requests": len(pages[0][0]),
                "found": pages[0][1],
                "count": count["count"],
                "exact": count["exact"],
                "counting": counting,
            }
        )
    return rows


@contextmanager
def served(n: int) -> Iterator[tuple[int, int]]:
    """Fill and serve; yields the port of the API and the project."""
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        directory = Path(name)
        with installed(directory) as environment:
            with psycopg.connect(psycopg_url(environment)) as connection:
                project = fill(connection, Storage(directory / "data"), n)
            with serving_module("api", "/healthz", environment) as server:
                yield server.port, project


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure each view."""
    with (
        served(arguments.n) as (port, project),
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}/api/projects/{project}/",
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=120,
        ) as http,
    ):
        views = measure(http, arguments.n, arguments.repeats)
        nearest = [timed(http, "examples/5/neighbours", {})[0] for _ in range(arguments.repeats)]
    return {"n": arguments.n, "views": views, "neighbours": nearest, "dimension": EMBEDDING}


def show(result: dict[str, Any]) -> None:
    """Print the table."""
    table = Table(title=f"{result['n']:,} images; milliseconds a request")
    columns = ("view", "first", "median", "worst", "requests", "found", "count", "counting")
    for column in columns:
        table.add_column(column, justify="left" if column == "view" else "right")
    for row in result["views"]:
        count = f"{'' if row['exact'] else '~'}{row['count']:,}"
        numbers = (f"{row[column]:.0f}" for column in ("first", "median", "worst"))
        rest = (str(row["requests"]), str(row["found"]), count, f"{row['counting']:.0f}")
        table.add_row(row["view"], *numbers, *rest)
    console = Console()
    console.print(table)
    median = statistics.median(result["neighbours"])
    console.print(f"24 neighbours among {result['n']:,} × {result['dimension']}: {median:.0f} ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    result = run(chosen)
    show(result)
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
