"""Episodes of labeling while processes die: ``python -m tests.chaos.episodes --episodes 50``.

Each episode imports a pool, labels it with 16 annotators, closes rounds, prunes, and kills or
pauses processes meanwhile. When everything runs again, every answer that was acknowledged must be
stored once, and ``workers.verify`` must find nothing. Everything listens on 127.0.0.1 or on sockets
of a private directory.
"""

import argparse
import dataclasses
import io
import json
import random
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from PIL import Image

from karat import supervisor
from karat.client import Client
from karat.installation import Installation, findings
from karat.resources import Job
from karat.stack import Stack, is_ready
from karat.transport import KaratError
from tests.chaos.annotators import Annotator, Sent
from tests.chaos.trouble import make_trouble

ANNOTATORS = 16
_SETTINGS = {
    "input_size": 8,
    "budget": 40,
    "model": {"name": "cnn_tiny", "params": {"steps": 200, "augment": False}},
    "strategy": {"name": "conf"},
    "lease_seconds": 5,
}
_PRUNE = {"network": "cnn_tiny", "width": 8, "epochs": 12, "batch_size": 8, "flip": False}
_ENVIRONMENT = {
    "KARAT_HEARTBEAT_SECONDS": "0.5",
    "KARAT_STALE_SECONDS": "4",
    "KARAT_SWEEP_SECONDS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclasses.dataclass
class Report:
    """What came of a run."""

    episodes: int = 0
    events: list[str] = dataclasses.field(default_factory=list)
    answers: int = 0
    retries: int = 0
    lost: int = 0
    jobs: int = 0
    jobs_taken_over: int = 0
    jobs_failed: list[str] = dataclasses.field(default_factory=list)
    wrong: list[str] = dataclasses.field(default_factory=list)


class Chaos:
    """A stack, its admin, and what has been acknowledged so far."""

    def __init__(self, stack: Stack, seed: int, images: int) -> None:
        self.stack, self.seed, self.images = stack, seed, images
        self.sent, self.report = Sent(), Report()
        self.admin = Client(stack.url, retry_seconds=120)
        assert stack.admin_email is not None
        assert stack.admin_password is not None
        self.admin.login(stack.admin_email, stack.admin_password)
        self.admin.create_token("chaos")
        self.people = [self._annotator(number) for number in range(ANNOTATORS)]

    def _annotator(self, number: int) -> tuple[int, str]:
        """Id and token of a new annotator."""
        email, password = f"annotator{number}@example.org", "correct horse battery"
        user = self.admin.create_user(email, password, role="annotator")
        with Client(self.stack.url) as client:
            client.login(email, password)
            return user["id"], client.create_token("chaos")["secret"]

    def episode(self, number: int, seconds: float, events: int) -> None:
        """One project from its import to the end of its jobs, with trouble in between."""
        chance = random.Random(self.seed * 1000 + number)
        project = self.admin.create_project(
            f"Chaos {number}", classes=["cat", "dog"], settings=_SETTINGS
        )
        for user, _ in self.people:
            project.add_member(user)
        classes = [one["id"] for one in project.get()["classes"]]
        with tempfile.TemporaryDirectory() as name:
            imported = project.import_images(_pool(Path(name), number, self.images))
        self.admin.wait(imported["id"], timeout=120) if chance.random() < 0.5 else None
        annotators = [
            Annotator(self.stack.url, token, project.id, classes, self.sent, number * 100 + place)
            for place, (_, token) in enumerate(self.people)
        ]
        for annotator in annotators:
            annotator.start()
        begun = _Beginning(self.admin, project.id, self.sent)
        begun.start()
        done = make_trouble(self.stack, chance, seconds, events)
        self.report.events += [f"episode {number}, {one}" for one in done]
        begun.join(180)
        self._wait_until_ready()
        for annotator in annotators:
            annotator.stopping.set()
        for annotator in annotators:
            annotator.join(120)
            if annotator.is_alive():
                self.sent.complain(f"episode {number}: an outbox was not emptied in 120 s")
        self._settle(project.id, number)
        self._check(number)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 120
        while not is_ready(self.stack.url):
            if time.monotonic() > deadline:
                raise AssertionError("Karat did not come back within 120 s")
            time.sleep(0.2)

    def _settle(self, project: int, number: int) -> None:
        """Wait until no job is queued or running: none is left behind."""
        deadline = time.monotonic() + 240
        while True:
            jobs = list(self.admin.jobs(project_id=project))
            active = [job for job in jobs if job["state"] in {"queued", "running"}]
            if not active:
                break
            if time.monotonic() > deadline:
                self.report.wrong.append(f"episode {number}: jobs never ended: {active}")
                break
            time.sleep(0.5)
        self.report.jobs += len(jobs)
        self.report.jobs_taken_over += sum(job["attempt"] > 1 for job in jobs)
        self.report.jobs_failed += [
            f"episode {number}: job {job['id']} ({job['kind']}): {job['error']}"
            for job in jobs
            # Too few labels to prune are the annotators' doing.
            if job["state"] == "failed" and not _is_refusal(job)
        ]

    def _check(self, number: int) -> None:
        """Compare what was acknowledged with what is stored, and run every check."""
        url = self.stack.environment["DATABASE_URL"]
        installation = Installation(self.stack.data_dir, url, running=True)
        for finding in findings(installation):
            if finding["level"] == "problem":
                self.report.wrong.append(f"episode {number}: {finding}")
        lost = sum(1 for _ in self._lost(installation.libpq_url))
        report = self.report
        report.episodes, report.lost = report.episodes + 1, report.lost + lost
        report.answers, report.retries = len(self.sent.acknowledged), self.sent.retries
        report.wrong += self.sent.wrong
        self.sent.wrong = []

    def _lost(self, url: str) -> Iterator[str]:
        """Keys that were acknowledged, and are not stored once under the id that was told."""
        with psycopg.connect(url) as connection:
            rows = connection.execute(
                "SELECT client_key::text, min(id), count(*) FROM annotations GROUP BY client_key"
            ).fetchall()
        stored = {key: (id_, count) for key, id_, count in rows}
        for key, told in self.sent.acknowledged.items():
            if stored.get(key) != (told, 1):
                yield key


def _is_refusal(job: Job) -> bool:
    """Whether a job failed because of what it was given, such as too few labels."""
    return job["error"] is not None and job["error"]["code"] == "model_error"


def _pool(directory: Path, seed: int, images: int) -> Path:
    """A zip of different images."""
    pixels = np.random.default_rng(seed).integers(0, 256, (images, 8, 8, 3), dtype=np.uint8)
    archive = directory / "pool.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for index, one in enumerate(pixels):
            stream = io.BytesIO()
            Image.fromarray(one).save(stream, "PNG")
            file.writestr(f"{seed}-{index}.png", stream.getvalue())
    return archive


class _Beginning(threading.Thread):
    """Starts the project once its images are there, and a pruning once there are labels."""

    def __init__(self, admin: Client, project: int, sent: Sent) -> None:
        super().__init__(daemon=True)
        self._sent, self._enough = sent, len(sent.acknowledged) + 25
        self._admin, self._project = admin, admin.project(project)
        self._deadline = time.monotonic() + 180

    def run(self) -> None:
        self._until(lambda: self._project.get()["state"] == "running" or self._project.start())
        self._until(lambda: len(self._sent.acknowledged) > self._enough)
        self._until(lambda: self._project.start_job("prune", _PRUNE))

    def _until(self, act: Callable[[], object]) -> None:
        """Try again, as a user would: no images or no labels yet, or nobody there."""
        while time.monotonic() < self._deadline:
            try:
                if act():
                    return
            except KaratError:
                pass
            time.sleep(0.3)


def run(
    directory: Path,
    *,
    episodes: int,
    seed: int,
    seconds: float,
    events: int,
    images: int,
    minutes: float = 1e9,
) -> Report:
    """Play ``episodes`` on one installation.

    Args:
        directory: For the installation.
        episodes: How many.
        seed: Decides what is hit and when.
        seconds: Of trouble in each.
        events: Kills and pauses in each.
        images: In the pool of each.
        minutes: After which no episode is begun.
    """
    last = time.monotonic() + 60 * minutes
    # Nobody kills the processes of an installation a hundred times an hour but we.
    before, supervisor._MOST_RESTARTS = supervisor._MOST_RESTARTS, 10_000
    try:
        with Stack(directory, port=0, environment=_ENVIRONMENT) as stack:
            chaos = Chaos(stack, seed, images)
            for number in range(episodes):
                if time.monotonic() < last:
                    chaos.episode(number, seconds, events)
            chaos.admin.close()
            return chaos.report
    finally:
        supervisor._MOST_RESTARTS = before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--events", type=int, default=3)
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--keep", type=Path, help="directory for the installation, kept")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="karat-chaos-") as name:
        report = run(
            arguments.keep or Path(name),
            episodes=arguments.episodes,
            seed=arguments.seed,
            seconds=arguments.seconds,
            events=arguments.events,
            images=arguments.images,
            minutes=arguments.minutes,
        )
    found: dict[str, Any] = dataclasses.asdict(report)
    text = json.dumps(found, indent=2)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(text)
    sys.stdout.write(text + "\n")
    sys.exit(1 if report.lost or report.wrong or report.jobs_failed else 0)


if __name__ == "__main__":
    main()
