"""The demo: a pool whose truth is known, labeled by simulated annotators while you watch."""

import json
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from karat.client.client import Client
from karat.client.findings import Round
from karat.client.project import ProjectClient
from karat.client.resources import Job, Split
from karat.client.transport import KaratError
from karat.demo.annotators import Annotator, Judge
from karat.demo.demo_pool import DemoPool
from karat.local.processes import ServiceError
from karat.local.stack import Stack

CREDENTIALS_FILE = "demo.json"
_WRONG = 0.02
_WATCHABLE_PAUSE = 0.08
# Prints what the API would say of settings; the catalog is not this package's to import.
_CHECK = """
import json, sys
from api.projects.settings import checked
from core.errors import Invalid
try:
    checked(*json.load(sys.stdin))
except Invalid as error:
    json.dump([error.field, error.detail], sys.stdout)
"""


@dataclass(frozen=True)
class Plan:
    """What the demo does.

    Attributes:
        rounds: Rounds to run.
        budget: What the verdicts of a round cost, at 1 each.
        strategy: Query strategy.
        purity: Purity score; the server's default if None.
        informativeness: Informativeness score; the server's default if None.
        model: Target model.
        input_size: Side of the model's input, in pixels; chosen by the import if None.
        seed: Decides the pool, the wrong verdicts and the training.
        annotators: Simulated annotators. One makes a run reproducible; with more of them, the last
            verdicts of a round depend on who is faster.
        watchable: Whether annotators pause between verdicts.
    """

    rounds: int
    budget: float
    strategy: str
    purity: str | None
    informativeness: str | None
    model: str
    input_size: int | None
    seed: int
    annotators: int
    watchable: bool

    def settings(self, pool: DemoPool) -> dict[str, Any]:
        """The settings of a project on a pool."""
        model: dict[str, Any] = {"name": self.model}
        if not pool.flip:
            model["params"] = {"flip": False}
        chosen = {
            "strategy": self.strategy,
            "purity": self.purity,
            "informativeness": self.informativeness,
        }
        settings: dict[str, Any] = {
            kind: {"name": name} for kind, name in chosen.items() if name is not None
        }
        if self.strategy == "mqnet":
            # Batches this small are often pure; the thesis's rule would then forget purity.
            settings["strategy"] = {"name": "mqnet", "params": {"without_ood": "keep"}}
        return {
            "budget": self.budget,
            "seed": self.seed,
            "input_size": self.input_size,
            # Answers given while models retrain would make a run depend on its timing.
            "zero_wait": False,
            "model": model,
            **settings,
        }


@dataclass(frozen=True)
class Login:
    """The admin of the demo."""

    email: str
    password: str


def admin_login(stack: Stack) -> Login:
    """The admin of a running stack, made now or kept from an earlier demo.

    Args:
        stack: The running stack.

    Returns:
        How to log in.

    Raises:
        ServiceError: The data directory is not a demo's.
    """
    file = stack.data_dir / CREDENTIALS_FILE
    if stack.admin_email and stack.admin_password:
        login = Login(stack.admin_email, stack.admin_password)
        file.touch(mode=0o600)
        file.write_text(json.dumps(asdict(login)))
        return login
    try:
        return Login(**json.loads(file.read_text()))
    except (OSError, ValueError, TypeError):
        raise ServiceError(
            f"{stack.data_dir} holds a Karat that is not the demo's.",
            "Choose another directory with --data-dir.",
        ) from None


def fault(plan: Plan, pool: DemoPool) -> tuple[str, str] | None:
    """What is wrong with a plan, found before any server is started.

    Args:
        plan: What the demo would do.
        pool: What would be labeled.

    Returns:
        The setting, such as ``strategy``, and what is wrong with it; None if nothing is.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", _CHECK],
        input=json.dumps([plan.settings(pool), None, pool.medium]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    if not done.stdout:
        return None
    field, detail = json.loads(done.stdout)
    return field.split(".")[1], detail.removeprefix(f"{field}: ")


def create_project(client: Client, pool: DemoPool, plan: Plan) -> ProjectClient:
    """Make the demo's project; a number tells it from those of earlier demos.

    Args:
        client: The admin's connection.
        pool: What is labeled.
        plan: What the demo does.

    Returns:
        The project.
    """
    taken = {project["name"] for project in client.projects()}
    names = [pool.title, *(f"{pool.title} {number}" for number in range(2, len(taken) + 2))]
    return client.create_project(
        next(name for name in names if name not in taken),
        pool.classes,
        medium=pool.medium,
        guidelines=f"The classes are {', '.join(pool.classes)}. Anything else is none of them.",
        settings=plan.settings(pool),
    )


def import_pool(
    client: Client, project: ProjectClient, pool: DemoPool, on_progress: Callable[[Job], None]
) -> None:
    """Send the pool and the evaluation examples, and wait until they are in.

    Args:
        client: The admin's connection.
        project: The project.
        pool: The images or texts.
        on_progress: Called with the import's job each time it is looked at.
    """
    with tempfile.TemporaryDirectory(prefix="karat-") as directory:
        unlabeled, evaluation = pool.write(Path(directory))
        splits: tuple[tuple[Path, Split], ...] = ((unlabeled, "pool"), (evaluation, "evaluation"))
        for path, split in splits:
            job = project.import_images(path, split=split)
            client.wait(job["id"], on_progress)


class Simulation:
    """Annotators at work, and the rounds they have finished."""

    def __init__(self, admin: Client, project: ProjectClient, pool: DemoPool, plan: Plan) -> None:
        """Prepare the annotators; ``run`` starts them.

        Args:
            admin: The admin's connection.
            project: The project, through that connection.
            pool: What is labeled.
            plan: What the demo does.
        """
        self._admin = admin
        self._project = project
        self._plan = plan
        self._judge = Judge.of(pool.truth, project.get()["classes"], _WRONG, plan.seed)
        self._stopped = threading.Event()

    def run(self, on_change: Callable[[Sequence[Round], str], None]) -> list[Round]:
        """Let annotators label until the planned rounds are closed.

        Args:
            on_change: Called with the rounds so far and what is going on now.

        Returns:
            The closed rounds.

        Raises:
            KaratError: A round failed, or an annotator could not answer.
        """
        annotators = [self._annotator(number + 1) for number in range(self._plan.annotators)]
        self._await_typical(on_change)
        for annotator in annotators:
            annotator.start()
        try:
            while True:
                rounds = self._project.rounds()[: self._plan.rounds]
                on_change(rounds, self._activity(rounds))
                if self._is_over(rounds):
                    return [one for one in rounds if one["state"] == "closed"]
                if self._stopped.wait(0.3):
                    raise next(one.error for one in annotators if one.error is not None)
        finally:
            self._stopped.set()
            for annotator in annotators:
                annotator.join(10.0)

    def _await_typical(self, on_change: Callable[[Sequence[Round], str], None]) -> None:
        """Wait until the first queue has its typical images: who is faster must not matter."""
        while (job := self._job()) is None or job["state"] in {"queued", "running"}:
            rounds = self._project.rounds()[: self._plan.rounds]
            on_change(rounds, self._activity(rounds))
            if self._is_over(rounds):
                return
            time.sleep(0.3)

    def _annotator(self, number: int) -> Annotator:
        """An annotator with a user and a connection of its own."""
        email = f"annotator-{number}@demo.karat.local"
        password = secrets.token_urlsafe(12)
        user = next((one for one in self._admin.users() if one["email"] == email), None)
        if user is None:
            user = self._admin.create_user(
                email, password, name=f"Annotator {number}", role="annotator"
            )
        else:
            self._admin.update_user(user["id"], password=password)
        self._project.add_member(user["id"])
        with Client(self._admin.url) as session:
            session.login(email, password)
            token = session.create_token("demo", expires_in_days=1, scope="label")["secret"]
        client = Client(self._admin.url, token)
        return Annotator(
            client,
            client.project(self._project.id),
            self._judge,
            rounds=self._plan.rounds,
            pause=_WATCHABLE_PAUSE if self._plan.watchable else 0.0,
            stopped=self._stopped,
        )

    def _is_over(self, rounds: Sequence[Round]) -> bool:
        for one in rounds:
            if one["state"] == "failed":
                job = self._job()
                reason = job["error"]["detail"] if job and job["error"] else "no reason was given"
                raise KaratError("round_failed", f"Round {one['number']} failed: {reason}")
        closed = sum(one["state"] == "closed" and one["accuracy"] is not None for one in rounds)
        if closed >= self._plan.rounds:
            return True
        return self._project.get()["state"] == "finished"

    def _activity(self, rounds: Sequence[Round]) -> str:
        for one in rounds:
            if one["state"] == "open":
                return f"round {one['number']}: {one['spent']:g} of {one['budget']:g} labeled"
        job = self._job()
        if job is None or job["progress"] is None:
            return "waiting for a worker"
        now = job["progress"]
        steps = f" {now['step']}/{now['steps']}" if now["steps"] else ""
        return f"retraining: {now['phase']}{steps}"

    def _job(self) -> Job | None:
        """The latest job of the rounds."""
        jobs = self._admin.jobs(project_id=self._project.id, kind="advance_round")
        return next(jobs, None)


def report(
    rounds: Sequence[Round], pool: DemoPool, plan: Plan, seconds: dict[str, float], source: str
) -> dict[str, Any]:
    """The results of a run, for programs.

    Args:
        rounds: The closed rounds.
        pool: What was labeled.
        plan: What the demo did.
        seconds: What else took how long.
        source: Where the pool came from.

    Returns:
        ``{"rounds": [{"number", "accuracy", "in_share", "cost", "seconds": {phase: s}}], …}``.
    """
    return {
        "rounds": [
            {
                "number": one["number"],
                "accuracy": one["accuracy"],
                "in_share": one["in_share"],
                "cost": one["spent"],
                "seconds": one["seconds"],
                "metrics": one["metrics"],
                "notes": one["notes"],
            }
            for one in rounds
        ],
        "config": {**asdict(plan), "data": source, "classes": list(pool.classes)},
        "pool": {
            f"{pool.medium}s": len(pool.examples),
            "in_share": pool.in_share,
            "evaluation": len(pool.evaluation),
        },
        "seconds": seconds,
        "finished_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
