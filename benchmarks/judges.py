"""Asking a judge about ten thousand clusters: speed beside the server's own, kills, memory.

The server is ``karat.demo.stand_in_judge``; the client is a process of its own, which asks as jobs
do (``workers.judges.dispatch``), is killed twice in the first case, and begins again with nothing
but what is kept in PostgreSQL.

    python -m benchmarks.judges
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks.servers import ROOT, migrate
from core.database.engines import sync_engine, sync_sessions
from core.lifecycle import new_job
from core.settings import Settings
from core.states import JobKind
from core.tables import Judge as JudgeRow
from karat.demo.stand_in_judge import Behaviour, StandIn, stand_in
from karat.local.embedded import EmbeddedPostgres
from workers.judges.dispatch import dispatch
from workers.judges.orders import Ask, Order
from workers.judges.settings import JudgeSettings

CONCURRENCY: Final = 24
_WORDS: Final = (
    "name", "list", "write", "why", "how", "the", "of", "colour", "city", "number", "river", "tree",
)  # fmt: skip
_MIB: Final = 2**20


@dataclass
class Life:
    """A client from its start to its end.

    Attributes:
        told: Clusters that it said are done.
        seconds: From the first of them to the last.
        memory: MiB, after a tenth of its clusters and at the end.
        tally: What it counted; empty if it was killed.
    """

    told: list[int] = field(default_factory=list)
    seconds: float = 0.0
    memory: tuple[float, float] = (0.0, 0.0)
    tally: dict[str, Any] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Clusters in a second."""
        return len(self.told) / self.seconds if self.seconds else 0.0


def cluster(number: int) -> list[str]:
    """Two to ten rows of some 350 characters, the same for the same number."""
    chance = random.Random(number)
    return [
        f"Row {place} of {number}\n\n" + " ".join(chance.choices(_WORDS, k=60))
        for place in range(chance.randint(2, 10))
    ]


def quality(text: str) -> float:
    """Rows that come first are better, for a server that has to know."""
    return 1.0 - float(text.split()[1]) / 10


def _ask(url: str, judge_id: int, job_id: int, clusters: int) -> None:
    wrong = 0
    here = psutil.Process()

    def done(number: int, found: dict[str, Any]) -> None:
        nonlocal wrong
        wrong += found["orders"] != [[*range(len(cluster(number)))]]
        # With the process that asks.
        both = [here, *here.children()]
        size = sum(one.memory_info().rss for one in both) / _MIB
        print(number, found["paid"], f"{size:.1f}", flush=True)

    settings = JudgeSettings(judge_id, url, "stand-in", concurrency=CONCURRENCY)
    asks = (Ask(number, "rank", cluster(number)) for number in range(clusters))
    order = Order(settings, job_id, None)
    dispatch(order, asks, done, check=lambda: None, say=lambda _: None)
    print(json.dumps({"wrong": wrong}))


def live(
    url: str, judge_id: int, job_id: int, clusters: int, kill_after: int | None = None
) -> Life:
    """Run a client until it has asked about all clusters, or has paid for so many and is killed."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.judges",
        "--ask",
        url,
        str(judge_id),
        str(job_id),
        str(clusters),
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    life, sizes, first, paid = Life(), [], 0.0, 0
    for line in process.stdout:
        if line.startswith("{"):
            life.tally = json.loads(line)
            continue
        name, cost, size = line.split()
        sizes.append(float(size))
        # What is found in the database takes no time of the server's.
        if int(cost):
            paid += 1
            first = first or time.monotonic()
            life.told.append(int(name))
            life.seconds = time.monotonic() - first
        if kill_after is not None and paid == kill_after:
            process.kill()
            break
    process.stdout.close()
    process.wait()
    life.memory = (sizes[len(sizes) // 10], sizes[-1])
    return life


def killed(url: str, judge_id: int, job_id: int, clusters: int) -> list[Life]:
    """Three clients after each other: two are killed, the third ends."""
    lives = [live(url, judge_id, job_id, clusters, clusters // 4) for _ in range(2)]
    return [*lives, live(url, judge_id, job_id, clusters)]


def report(title: str, lives: Sequence[Life], server: StandIn, limit: float | None) -> None:
    """Print what is in the table of docs/benchmarks.md."""
    again = sum(server.answered.values()) - len(server.answered)
    arrived = sum(len(life.told) for life in lives) - len({n for life in lives for n in life.told})
    print(f"\n{title}")
    for life in lives:
        share = f", {life.rate / limit:.3f} of the limit" if limit else ""
        print(
            f"  {len(life.told)} paid in {life.seconds:.0f} s: {life.rate:.1f}/s{share}; "
            f"{life.memory[0]:.0f} → {life.memory[1]:.0f} MiB; {life.tally or 'killed'}"
        )
    print(f"  questions {len(server.answered)}, answered again {again}; of those told {arrived}")
    print(f"  statuses {dict(server.statuses)}")


def judges(settings: Settings) -> Iterator[tuple[int, int]]:
    """A new judge for each case, as answers are kept, and a job that pays."""
    sessions = sync_sessions(sync_engine(settings))
    number = 0
    while True:
        number += 1
        row = JudgeRow(
            name=f"judge {number}", base_url="http://127.0.0.1/v1", model="stand-in",
            concurrency=CONCURRENCY, timeout=60.0, max_tokens=256,
        )  # fmt: skip
        job = new_job(JobKind.SELECT_INSTRUCTIONS, project_id=None, params={})
        with sessions.begin() as session:
            session.add_all([row, job])
            session.flush()
            ids = row.id, job.id
        yield ids


def main() -> None:
    """Ask, or start everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--clusters", type=int, default=10_000)
    parser.add_argument(
        "--slots", type=int, default=20, help="answers that the server makes at once"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="that each takes")
    given = parser.parse_args()
    if given.ask:
        _ask(given.ask[0], *map(int, given.ask[1:]))
        return
    with (
        tempfile.TemporaryDirectory(prefix="karat-judges-") as name,
        EmbeddedPostgres(Path(name)) as pg,
    ):
        os.environ |= {"DATABASE_URL": pg.url, "KARAT_JUDGE_ALLOW": "127.0.0.1"}
        migrate(dict(os.environ))
        ids = judges(Settings())
        limit = given.slots / given.seconds
        slow = Behaviour(slots=given.slots, seconds=given.seconds)
        with stand_in(quality, slow) as (url, server):
            lives = killed(url, *next(ids), given.clusters)
            report(f"{given.slots} answers at once, {given.seconds:g} s each", lives, server, limit)
        few = Behaviour(per_second=limit, seconds=0.5)
        with stand_in(quality, few) as (url, server):
            lives = [live(url, *next(ids), given.clusters // 5)]
            report(f"429 beyond {limit:g} requests a second", lives, server, limit)
        with stand_in(quality) as (url, server):
            lives = [live(url, *next(ids), given.clusters // 5)]
            report("as fast as it goes", lives, server, None)


if __name__ == "__main__":
    main()
