"""Whether the broker of an installation and its workers are well."""

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

import psycopg

from core.process.version import UNTOLD, build
from core.settings import Settings
from karat.local.database import connected
from karat.local.findings import Finding, asked, reason

# Whose log in the data directory tells of each queue.
_LOGS: Final = {
    "gpu": "gpu",
    "cpu": "cpu",
    "judge": "cpu",
    "housekeeping": "housekeeping",
    "web": "housekeeping",
}
_INSPECT: Final = (
    *("celery", "--app", "workers.app", "inspect", "active_queues"),
    *("--json", "--timeout=3"),
)
_ALIVE: Final = """
    SELECT name, queues, version FROM workers
    WHERE heartbeat_at >= clock_timestamp() - make_interval(secs => %s) ORDER BY name
"""


def examine_workers(environment: dict[str, str]) -> Iterator[Finding]:
    """Check the broker, that somebody works on each queue, and that all are one Karat.

    Args:
        environment: Of a process of the installation.

    Yields:
        A finding for each.
    """
    done = asked([sys.executable, "-P", "-m", *_INSPECT], environment)
    answers: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        try:
            answers = json.loads(line)
        except ValueError:
            continue
    if done.returncode != 0 and "No nodes replied" not in done.stdout + done.stderr:
        remedy = "Check REDIS_URL and that the server runs."
        yield Finding("broker", False, reason(done), remedy)
        return
    yield Finding("broker", True, "reachable")
    alive = _alive(environment.get("DATABASE_URL"))
    served = {queue["name"] for queues in answers.values() for queue in queues}
    lives = {queue for _, queues, _ in alive for queue in queues}
    for queue, log in _LOGS.items():
        if queue in served:
            yield Finding(f"worker {queue}", True, "answers")
        elif queue in lives:
            yield Finding(f"worker {queue}", True, "lives, and answers when its job is done")
        else:
            yield Finding(
                f"worker {queue}",
                False,
                "None answers, and none has said of late that it lives.",
                f"See logs/worker-{log}.log in the data directory.",
            )
    for name, _, version in alive:
        if version != build():
            yield Finding(
                name,
                False,
                f"is Karat {version or UNTOLD}, and this is {build()}.",
                "Upgrade the older one, and start it again.",
            )


def _alive(database_url: str | None) -> list[Any]:
    """Name, queues and version of each process that has said of late that it lives."""
    if database_url is None:
        return []
    try:
        with connected(database_url) as connection:
            return connection.execute(_ALIVE, [Settings().stale_seconds]).fetchall()
    except (psycopg.Error, ValueError):
        # What is wrong with the database, or with settings, is told by itself.
        return []
