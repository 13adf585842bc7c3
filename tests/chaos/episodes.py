"""Episodes of labeling while processes die: ``python -m tests.chaos.episodes --episodes 50``.

Each episode imports a pool, labels it with 16 annotators, closes rounds, prunes, and kills or
pauses processes meanwhile. When everything runs again, every answer that was acknowledged must be
stored once, and ``workers.verify`` must find nothing. Everything listens on 127.0.0.1 or on sockets
of a private directory. With ``--json FILE`` a stopped run goes on after its last whole episode, on
a new installation.
"""

import argparse
import dataclasses
import io
import json
import os
import random
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import psycopg
from PIL import Image

from benchmarks.runs import Run, Runs
from karat.client.client import Client
from karat.client.resources import Job
from karat.client.transport import KaratError
from karat.local import supervisor
from karat.local.installation import Installation, findings
from karat.local.stack import Stack, is_ready
from tests.chaos.annotators import Annotator, Sent
from tests.chaos.trouble import make_trouble
from tests.processes import libpq_url
from tests.shared import SHARED, lasting_folder
from tests.stacks import admin_login, installed

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
    """What came of one episode, or of several together.

    ``wrong`` is what must never happen, such as a check that fails or a wait that did not end.
    """

    episodes: int = 0
    events: list[str] = dataclasses.field(default_factory=list)
    answers: int = 0
    retries: int = 0
    lost: int = 0
    jobs: int = 0
    jobs_taken_over: int = 0
    jobs_failed: list[str] = dataclasses.field(default_factory=list)
    wrong: list[str] = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    def __add__(self, other: "Report") -> "Report":
        """Both together."""
        names = [field.name for field in dataclasses.fields(self)]
        return Report(**{name: getattr(self, name) + getattr(other, name) for name in names})


class Chaos:
    """A stack, its admin, and what has been acknowledged so far."""

    def __init__(self, stack: Stack, seed: int, images: int, annotators: int) -> None:
        self.stack, self.seed, self.images = stack, seed, images
        self.sent = Sent()
        self.admin = Client(stack.url, retry_seconds=120)
        self.admin.login(*admin_login(stack))
        self.admin.create_token("chaos")
        self.people = [self._annotator(number) for number in range(annotators)]
        self._lost: set[str] = set()

    def _annotator(self, number: int) -> tuple[int, str]:
        """Id and token of a new annotator."""
        email, password = f"annotator{number}@example.org", "correct horse battery"
        user = self.admin.create_user(email, password, role="annotator")
        with Client(self.stack.url) as client:
            client.login(email, password)
            return user["id"], client.create_token("chaos")["secret"]

    def episode(self, number: int, seconds: float, events: int, limit: float) -> Report:
        """One project from its import to the end of its jobs, with trouble in between.

        Args:
            number: Of the episode; decides with the seed what happens.
            seconds: Of trouble.
            events: Kills and pauses in them.
            limit: Seconds after which whatever is still waited for is given up as wrong.
        """
        report, start = Report(episodes=1), time.monotonic()
        answers, retries = len(self.sent.acknowledged), self.sent.retries
        try:
            self._play(report, number, seconds, events, start + limit)
            self._check(report)
        except (AssertionError, KaratError, psycopg.Error) as error:
            report.wrong.append(f"{type(error).__name__}: {error}")
        report.answers = len(self.sent.acknowledged) - answers
        report.retries = self.sent.retries - retries
        report.wrong = [f"episode {number}: {one}" for one in report.wrong + self.sent.wrong]
        report.events = [f"episode {number}, {one}" for one in report.events]
        report.seconds = time.monotonic() - start
        self.sent.wrong = []
        return report

    def _play(
        self, report: Report, number: int, seconds: float, events: int, deadline: float
    ) -> None:
        chance = random.Random(self.seed * 1000 + number)
        project = self.admin.create_project(
            f"Chaos {number}", classes=["cat", "dog"], settings=_SETTINGS
        )
        for user, _ in self.people:
            project.add_member(user)
        classes = [one["id"] for one in project.get()["classes"]]
        with tempfile.TemporaryDirectory() as name:
            imported = project.import_images(_pool(Path(name), number, self.images))
        if chance.random() < 0.5:
            self.admin.wait(imported["id"], timeout=_left(deadline))
        annotators = [
            Annotator(self.stack.url, token, project.id, classes, self.sent, number * 100 + place)
            for place, (_, token) in enumerate(self.people)
        ]
        for annotator in annotators:
            annotator.start()
        begun = _Beginning(self.admin, project.id, self.sent, deadline)
        begun.start()
        try:
            report.events = make_trouble(self.stack, chance, seconds, events)
            begun.join(_left(deadline))
            assert begun.done, "the project or its pruning did not start"
            self._wait_until_ready(deadline)
            for annotator in annotators:
                annotator.stopping.set()
            for annotator in annotators:
                annotator.join(_left(deadline))
            alive = sum(annotator.is_alive() for annotator in annotators)
            assert alive == 0, f"{alive} outboxes were not emptied"
        finally:
            for annotator in annotators:
                annotator.stopping.set()
                annotator.giving_up.set()
            for annotator in annotators:
                annotator.join(30)
        self._settle(report, project.id, deadline)

    def _wait_until_ready(self, deadline: float) -> None:
        while not is_ready(self.stack.url):
            assert time.monotonic() < deadline, "Karat did not come back"
            time.sleep(0.2)

    def _settle(self, report: Report, project: int, deadline: float) -> None:
        """Wait until no job is queued or running: none is left behind."""
        while True:
            jobs = list(self.admin.jobs(project_id=project))
            active = [job for job in jobs if job["state"] in {"queued", "running"}]
            if not active:
                break
            assert time.monotonic() < deadline, f"jobs never ended: {active}"
            time.sleep(0.5)
        report.jobs = len(jobs)
        report.jobs_taken_over = sum(job["attempt"] > 1 for job in jobs)
        report.jobs_failed = [
            f"job {job['id']} ({job['kind']}): {job['error']}"
            for job in jobs
            # Too few labels to prune are the annotators' doing.
            if job["state"] == "failed" and not _is_refusal(job)
        ]

    def _check(self, report: Report) -> None:
        """Compare what was acknowledged with what is stored, and run every check."""
        url = self.stack.environment["DATABASE_URL"]
        installation = Installation(self.stack.data_dir, url, running=True)
        report.wrong += [
            str(finding) for finding in findings(installation) if finding["level"] == "problem"
        ]
        lost = set(self._missing(libpq_url(url)))
        report.lost = len(lost - self._lost)
        self._lost |= lost

    def _missing(self, url: str) -> Iterator[str]:
        """Keys that were acknowledged, and are not stored once under the id that was told."""
        with psycopg.connect(url) as connection:
            rows = connection.execute(
                "SELECT client_key::text, min(id), count(*) FROM annotations GROUP BY client_key"
            ).fetchall()
        stored = {key: (id_, count) for key, id_, count in rows}
        for key, told in self.sent.acknowledged.items():
            if stored.get(key) != (told, 1):
                yield key


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


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

    def __init__(self, admin: Client, project: int, sent: Sent, deadline: float) -> None:
        super().__init__(daemon=True)
        self.done = False
        self._sent, self._enough = sent, len(sent.acknowledged) + 25
        self._admin, self._project = admin, admin.project(project)
        self._deadline = deadline

    def run(self) -> None:
        self.done = (
            self._until(lambda: self._project.get()["state"] == "running" or self._project.start())
            and self._until(lambda: len(self._sent.acknowledged) > self._enough)
            and self._until(lambda: self._project.start_job("prune", _PRUNE))
        )

    def _until(self, act: Callable[[], object]) -> bool:
        """Try again, as a user would: no images or no labels yet, or nobody there."""
        while time.monotonic() < self._deadline:
            try:
                if act():
                    return True
            except KaratError:
                pass
            time.sleep(0.3)
        return False


def run(
    directory: Path,
    *,
    episodes: int,
    seed: int,
    seconds: float,
    events: int,
    images: int,
    annotators: int = ANNOTATORS,
    limit: float = 400.0,
    minutes: float = 1e9,
    kept: Runs | None = None,
) -> Report:
    """Play ``episodes`` on one installation.

    Args:
        directory: For the installation; it is made.
        episodes: How many.
        seed: Decides what is hit and when.
        seconds: Of trouble in each.
        events: Kills and pauses in each.
        images: In the pool of each.
        annotators: Who label it; 16 unless told otherwise.
        limit: Seconds that each may take.
        minutes: After which no episode is begun.
        kept: Episodes that have been played, which are not repeated; those played now are added.

    Returns:
        All of them together.
    """
    last = time.monotonic() + 60 * minutes
    runs = [] if kept is None else kept.all
    left = [number for number in range(episodes) if kept is None or {"episode": number} not in kept]
    if not left:
        return together(runs)
    # Nobody kills the processes of an installation a hundred times an hour but we.
    before, supervisor._MOST_RESTARTS = supervisor._MOST_RESTARTS, 10_000
    try:
        # Of what a killed database has acknowledged nothing is lost, unlike with what is fast.
        with installed(directory, environment=_ENVIRONMENT, postgres_settings={}) as stack:
            chaos = Chaos(stack, seed, images, annotators)
            for number in left:
                if time.monotonic() > last:
                    break
                played = {"episode": number} | dataclasses.asdict(
                    chaos.episode(number, seconds, events, limit)
                )
                runs.append(played) if kept is None else kept.add(played)
                assert is_ready(stack.url), f"Karat did not come back after episode {number}"
            chaos.admin.close()
    finally:
        supervisor._MOST_RESTARTS = before
    return together(runs)


def together(runs: Iterable[Run]) -> Report:
    """The report of several episodes."""
    names = {field.name for field in dataclasses.fields(Report)}
    reports = (
        Report(**{name: value for name, value in run.items() if name in names}) for run in runs
    )
    return sum(reports, Report())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--events", type=int, default=3)
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--limit", type=float, default=400.0, help="seconds an episode may take")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--keep", type=Path, help="new directory for the installation, kept")
    parser.add_argument("--json", type=Path, help="kept episodes; those in it are not repeated")
    arguments = parser.parse_args()
    config = {name: getattr(arguments, name) for name in ("seed", "seconds", "events", "images")}
    kept = Runs(arguments.json, config, ("episode",)) if arguments.json else None
    os.environ.setdefault(SHARED, str(lasting_folder()))
    with tempfile.TemporaryDirectory(prefix="karat-chaos-") as name:
        report = run(
            arguments.keep or Path(name, "data"),
            episodes=arguments.episodes,
            limit=arguments.limit,
            minutes=arguments.minutes,
            kept=kept,
            **config,
        )
    sys.stdout.write(json.dumps(dataclasses.asdict(report), indent=2) + "\n")
    sys.exit(1 if report.lost or report.wrong or report.jobs_failed else 0)


if __name__ == "__main__":
    main()
