"""What ``/metrics`` tells Prometheus.

Requests, answers and the pool of connections are this process's own. Jobs, queues and open queries
are the whole installation's, read when asked for: of several API processes each tells the same.
"""

import asyncio
import shutil
import subprocess
from collections import Counter as Count
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from anyio import to_thread
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.database.reader import Reader
from api.labeling.schemas import AnswerIn, AnswerResult
from core.files.disk import room
from core.jobs import queue
from core.jobs.messages import QUEUES
from core.settings import Settings

_REQUEST_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 30.0)
_JOB_SECONDS: Final = (1.0, 5.0, 15.0, 60.0, 300.0, 1800.0, 7200.0, 43200.0)
_MOST_OPEN: Final = 100_000
"""Open queries are counted up to here, so that a scrape takes the same time for any queue."""
_OPEN: Final = text(
    "SELECT count(*) FROM (SELECT FROM queries q JOIN rounds r ON r.id = q.round_id "
    f"WHERE r.state = 'open' AND NOT q.done LIMIT {_MOST_OPEN}) open"
)
_JOBS: Final = text("SELECT kind, state, count(*) AS number FROM jobs GROUP BY kind, state")
_DURATIONS: Final = text(
    "SELECT kind, width_bucket(seconds, CAST(:bounds AS double precision[])) AS bucket, "
    "count(*) AS number, sum(seconds) AS seconds FROM (SELECT kind, "
    "extract(epoch FROM finished_at - started_at)::double precision AS seconds FROM jobs "
    "WHERE finished_at > started_at) ended GROUP BY kind, bucket"
)
_WORKERS: Final = text(
    "SELECT queue, count(*) AS number FROM workers, jsonb_array_elements_text("
    "CASE WHEN queues = '[]' THEN '[\"scheduler\"]' ELSE queues END) AS taken(queue) "
    "WHERE heartbeat_at >= clock_timestamp() - make_interval(secs => :stale) GROUP BY queue"
)


@dataclass(eq=False)
class _Installation(Collector):
    """What was read for the scrape under way."""

    families: list[Metric] = field(default_factory=list)

    def collect(self) -> Iterable[Metric]:
        return self.families


class Metrics:
    """The metrics of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        self._requests = Histogram(
            "karat_http_request_seconds",
            "Time to answer a request, by route; of this process",
            ("method", "route", "status"),
            buckets=_REQUEST_SECONDS,
            registry=self._registry,
        )
        self._leases = Histogram(
            "karat_lease_seconds",
            "Time to hand out queries; of this process",
            buckets=_REQUEST_SECONDS,
            registry=self._registry,
        )
        self._answers = Counter(
            "karat_answers",
            "Answers, by verdict and by what became of them; of this process",
            ("verdict", "status"),
            registry=self._registry,
        )
        self._installation = _Installation()
        self._registry.register(self._installation)
        self._reading = asyncio.Lock()
        # Finding the child of a metric by its labels takes as long as to observe it.
        self._children: dict[tuple[str, str, int], Histogram] = {}

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        key = (method, route, status)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self._requests.labels(method, route, str(status))
        child.observe(seconds)

    def leased(self, seconds: float) -> None:
        """Queries were handed out."""
        self._leases.observe(seconds)

    def answered(self, answers: Sequence[AnswerIn], results: Sequence[AnswerResult]) -> None:
        """Answers were stored, or not."""
        counts = Count(
            (answer.verdict.value, result.status)
            for answer, result in zip(answers, results, strict=True)
        )
        for labels, number in counts.items():
            self._answers.labels(*labels).inc(number)

    async def scrape(self, engine: AsyncEngine, reader: Reader, settings: Settings) -> bytes:
        """Everything, in Prometheus' text format."""
        async with self._reading:
            self._installation.families = [
                *_pool(engine),
                *await _database(reader, settings.stale_seconds),
                *await to_thread.run_sync(_machine, settings),
            ]
            return await to_thread.run_sync(generate_latest, self._registry)


def _pool(engine: AsyncEngine) -> Iterator[Metric]:
    pool: Any = engine.pool
    family = GaugeMetricFamily(
        "karat_database_connections", "Of this process, by use", labels=["use"]
    )
    family.add_metric(["busy"], pool.checkedout())
    family.add_metric(["idle"], pool.checkedin())
    family.add_metric(["most"], pool.size())
    yield family


async def _database(reader: Reader, stale_seconds: float) -> list[Metric]:
    async with reader.figures() as connection:
        stale = {"stale": stale_seconds}
        alive = {row.queue: row.number for row in await connection.execute(_WORKERS, stale)}
        waiting = await connection.scalar(_OPEN)
        states = (await connection.execute(_JOBS)).all()
        bounds = {"bounds": list(_JOB_SECONDS)}
        durations = (await connection.execute(_DURATIONS, bounds)).all()
    wanted = f"Answers that open queues still want, counted up to {_MOST_OPEN}"
    open_queries = GaugeMetricFamily("karat_open_queries", wanted, waiting)
    jobs = GaugeMetricFamily("karat_jobs", "Jobs, by kind and state", labels=["kind", "state"])
    for row in states:
        jobs.add_metric([row.kind, row.state], row.number)
    seconds = HistogramMetricFamily("karat_job_seconds", "Time that jobs took", labels=["kind"])
    for kind in sorted({row.kind for row in durations}):
        counts = {row.bucket: row.number for row in durations if row.kind == kind}
        total, buckets = 0, []
        for place, bound in enumerate((*map(str, _JOB_SECONDS), "+Inf")):
            total += counts.get(place, 0)
            buckets.append((bound, total))
        spent = sum(row.seconds for row in durations if row.kind == kind)
        seconds.add_metric([kind], buckets, spent)
    workers = GaugeMetricFamily(
        "karat_workers", "Processes that live, by queue, and the schedulers", labels=["queue"]
    )
    for name in (*QUEUES, "scheduler"):
        workers.add_metric([name], alive.get(name, 0))
    return [open_queries, jobs, seconds, workers]


def _machine(settings: Settings) -> list[Metric]:
    return [_waiting(), *_disk(settings), *_gpus()]


def _disk(settings: Settings) -> Iterator[Metric]:
    """The disk of the data directory, as this process sees it."""
    found = room(settings)
    yield GaugeMetricFamily(
        "karat_disk_free_bytes", "Left of the data directory's disk", found.free
    )
    yield GaugeMetricFamily(
        "karat_disk_low", "1 while what is large is refused or waits", float(found.state != "ok")
    )


def _waiting() -> Metric:
    family = GaugeMetricFamily(
        "karat_queue_messages", "Messages that wait for a worker, by queue", labels=["queue"]
    )
    for name in QUEUES:
        try:
            family.add_metric([name], queue.waiting(name))
        except BrokerError:
            # The broker is away: no figure is better than a wrong one.
            break
    return family


def _gpus() -> Iterator[Metric]:
    """Memory of the GPUs of this machine, if it has any."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return
    query = ["--query-gpu=index,memory.used,memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(
            [program, *query], capture_output=True, text=True, timeout=5, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return
    family = GaugeMetricFamily(
        "karat_gpu_memory_bytes", "Of the API's machine, by GPU and kind", labels=["gpu", "kind"]
    )
    for line in said.splitlines():
        index, *amounts = (part.strip() for part in line.split(","))
        for kind, amount in zip(("used", "total"), amounts, strict=False):
            if amount.isdecimal():
                family.add_metric([index, kind], int(amount) * 2**20)
    yield family
