"""The services of docker-compose.yml, run by their own commands where no Docker is at hand."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from sqlalchemy import make_url

from core.jobs.messages import QUEUE_OF, QUEUES, DeliverWebhooks, RemoveFiles, Sweep
from core.settings import Settings
from karat import Client
from karat.local.embedded import EmbeddedPostgres, postgres_programs, redis_program
from karat.local.fork_server import ForkedProcess
from tests.conftest import ROOT
from tests.karat.helpers import image_folder
from tests.processes import eventually, fork_server, free_port, libpq_url, typed
from tests.test_docs import variable

SECRETS = {
    "KARAT_DATABASE_PASSWORD": "of the database",
    "KARAT_SERVICE_PASSWORD": "of-the-service",
    "KARAT_REDIS_PASSWORD": "of-redis",
    "KARAT_METRICS_TOKEN": "of metrics",
}
OURS = (
    "migrate",
    "api",
    "worker-gpu",
    "worker-cpu",
    "worker-housekeeping",
    "worker-judge",
    "worker-web",
    "scheduler",
    "backup",
)
THEIRS = ("postgres", "redis")
_OF_THE_FILE = {
    "DATABASE_URL", "REDIS_URL", "KARAT_SERVICE_DATABASE_URL", "KARAT_DATA_DIR",
    "KARAT_FRONTEND_DIR", "KARAT_LOG_FORMAT", "KARAT_ALIVE_FILE",
    # Called KARAT_PROXY here.
    "KARAT_TRUSTED_PROXIES",
}  # fmt: skip
_VARIABLE = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")


def compose(given: Mapping[str, str]) -> dict[str, Any]:
    """The file as Compose reads it with the variables ``given``."""

    def value(found: re.Match[str]) -> str:
        name, kind, rest = found.groups()
        if name in given:
            return given[name]
        if kind == "-":
            return str(rest)
        raise LookupError(f"{name}: {rest}")

    def filled(part: Any) -> Any:
        if isinstance(part, str):
            return _VARIABLE.sub(value, part)
        if isinstance(part, list):
            return [filled(one) for one in part]
        if not isinstance(part, dict):
            return part
        # What has no value is handed on to the container, if it is set at all.
        known = {key: given.get(key) if one is None else filled(one) for key, one in part.items()}
        return {key: one for key, one in known.items() if one is not None}

    read: dict[str, Any] = filled(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))
    return read


SERVICES: dict[str, dict[str, Any]] = compose(SECRETS)["services"]


def test_the_services_are_these() -> None:
    assert {*OURS, *THEIRS} == SERVICES.keys()


def test_as_many_processes_train_as_there_are_devices() -> None:
    for several in ("1", "2"):
        worker = compose({**SECRETS, "KARAT_TRAINING_PROCESSES": several})["services"]["worker-gpu"]
        (devices,) = worker["deploy"]["resources"]["reservations"]["devices"]
        told = worker["environment"]["KARAT_TRAINING_PROCESSES"]
        assert devices["count"] == str(told) == several


@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_has_a_default(name: str) -> None:
    with pytest.raises(LookupError, match=name):
        compose({key: value for key, value in SECRETS.items() if key != name})


@pytest.mark.parametrize("name", OURS)
def test_ours_run_without_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["user"] == "10001:10001"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_no_log_grows_for_ever() -> None:
    assert {
        name for name, one in SERVICES.items() if "max-size" not in one["logging"]["options"]
    } == set()


def test_only_the_migration_has_the_account_of_the_owner() -> None:
    owner = make_url(SERVICES["migrate"]["environment"]["DATABASE_URL"])
    assert owner.username == SERVICES["postgres"]["environment"]["POSTGRES_USER"]
    secret = SECRETS["KARAT_DATABASE_PASSWORD"]
    told = {name for name in OURS if secret in str(SERVICES[name]["environment"])}
    assert told == {"migrate"}
    service = SERVICES["migrate"]["environment"]["KARAT_SERVICE_DATABASE_URL"]
    assert {SERVICES[name]["environment"]["DATABASE_URL"] for name in OURS[1:]} == {service}
    assert make_url(service).username != owner.username


def test_only_the_api_is_reached_and_only_from_the_machine() -> None:
    assert {name for name in SERVICES if "ports" in SERVICES[name]} == {"api"}
    assert SERVICES["api"]["ports"] == ["127.0.0.1:8080:8080"]
    assert compose(SECRETS)["networks"]["inside"] == {"internal": True}


def test_what_calls_other_machines_reads_no_images_and_what_reads_images_calls_none() -> None:
    out = {name for name, one in SERVICES.items() if "outside" in one["networks"]}
    assert out == {"api", "worker-web", "worker-judge"}
    assert SERVICES["worker-web"]["volumes"] == []


def test_each_queue_has_a_service_and_shares_it_with_no_other() -> None:
    taken = [
        option.removeprefix("--queues=")
        for service in SERVICES.values()
        for option in service.get("command", ())
        if option.startswith("--queues=")
    ]
    assert sorted(taken) == sorted(QUEUES)
    for message in (Sweep, RemoveFiles, DeliverWebhooks):
        assert message.queue not in QUEUE_OF.values()


@pytest.mark.parametrize(
    ("name", "readers"),
    [
        ("KARAT_PUBLIC_URL", {"api", "worker-web"}),
        ("KARAT_WEBHOOKS", {"api", "worker-web"}),
        ("KARAT_WEBHOOK_ALLOW", {"api", "worker-web"}),
        ("KARAT_WEBHOOK_SECONDS", {"worker-web"}),
        ("DATABASE_READ_URL", {"api"}),
        ("KARAT_JUDGE_ALLOW", {"api", "worker-web", "worker-judge"}),
        ("KARAT_SECRET", {"api", "worker-web", "worker-judge"}),
        ("KARAT_SCORING_ROWS", {"worker-gpu"}),
        ("KARAT_SESSION_DAYS", {*OURS}),
        ("KARAT_TRAINING_PROCESSES", {"worker-gpu"}),
    ],
)
def test_what_an_operator_sets_reaches_whoever_reads_it(name: str, readers: set[str]) -> None:
    services = compose({**SECRETS, name: "as set"})["services"]
    told = {one for one in OURS if services[one]["environment"].get(name) == "as set"}
    assert told == readers


def test_every_setting_reaches_a_container_if_it_is_set() -> None:
    given = dict.fromkeys(map(variable, Settings.model_fields), "as set")
    services = compose({**SECRETS, **given})["services"]
    read = [services[name]["environment"].items() for name in OURS]
    told = {name for one in read for name, value in one if value == "as set"}
    assert given.keys() - told == _OF_THE_FILE
    # An empty text would be no number of days.
    assert "KARAT_SESSION_DAYS" not in SERVICES["api"]["environment"]


def test_all_but_the_migration_are_watched_and_wait_for_what_they_need() -> None:
    for name, service in SERVICES.items():
        assert ("healthcheck" in service) == (name != "migrate")
        for needed, how in service.get("depends_on", {}).items():
            finished = how["condition"] == "service_completed_successfully"
            assert finished == (needed == "migrate")


def test_the_image_is_built_in_stages_and_runs_as_nobody_special() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    stages = [line for line in lines if line.startswith("FROM ")]
    last = lines[lines.index(stages[-1]) :]
    assert len(stages) == 3
    assert "USER 10001:10001" in last
    assert "COPY --from=frontend /build/frontend/dist /app/frontend/dist" in last
    copied = [
        line.split()[1] for line in lines if line.startswith("COPY ") and "--from" not in line
    ]
    assert all((ROOT / source).exists() for source in copied)


class Stage:
    """Runs services as containers would, their hosts, ports and folders put on this machine."""

    def __init__(self, directory: Path, postgres: EmbeddedPostgres) -> None:
        self.directory = directory
        self.port, self.redis_port = free_port(), free_port()
        (directory / "data").mkdir()
        (directory / "tmp").mkdir()
        (directory / "backups").mkdir()
        self._postgres = postgres
        self._sockets = str(postgres.sockets)

    def placed(self, name: str, text: str) -> str:
        """A word of a service's, as it reads here."""
        if text.startswith("postgresql://"):
            user = make_url(text).username
            here = make_url(self._postgres.url)
            # The owner has another name here.
            return here.set(username=here.username if user == "karat" else user).render_as_string()
        if text.startswith("redis://"):
            return text.replace("@redis:6379", f"@127.0.0.1:{self.redis_port}")
        text = text.replace("0.0.0.0", "127.0.0.1").replace("8080", str(self.port))
        text = re.sub(r"/tmp/", f"{self.directory}/tmp/{name}-", text)
        folders = {"/data": "data", "/backups": "backups"}
        return str(self.directory / folders[text]) if text in folders else text

    def environment(self, name: str) -> dict[str, str]:
        own = {
            key: self.placed(name, value)
            for key, value in SERVICES[name].get("environment", {}).items()
        }
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        plain = {key: os.environ[key] for key in ("HOME", "LANG") if key in os.environ}
        return {**plain, **own, "PATH": path, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}

    def command(self, name: str) -> list[str]:
        return [self.placed(name, word) for word in SERVICES[name]["command"]]

    def health(self, name: str) -> list[str]:
        kind, *words = SERVICES[name]["healthcheck"]["test"]
        assert kind == "CMD"
        return [self.placed(name, word) for word in words]

    @contextlib.contextmanager
    def running(self, name: str, command: list[str], environment: dict[str, str]) -> Iterator[None]:
        process: subprocess.Popen[bytes] | ForkedProcess
        with (self.directory / f"{name}.log").open("ab") as log:
            if (program := _program(command, environment)) is None:
                process = subprocess.Popen(
                    command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
                )
            else:
                module, arguments = program
                process = fork_server().fork(
                    module,
                    arguments,
                    output=log.fileno(),
                    directory=ROOT,
                    environment=environment,
                )
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def becomes_healthy(self, name: str, health: list[str], environment: dict[str, str]) -> None:
        def healthy() -> bool:
            return _run(health, environment).returncode == 0

        try:
            eventually(healthy, f"{name} becomes healthy", seconds=120)
        except AssertionError as error:
            log = self.directory / f"{name}.log"
            raise AssertionError(f"{error}\n{log.read_text() if log.exists() else ''}") from error


def _program(command: list[str], environment: dict[str, str]) -> tuple[str, list[str]] | None:
    """Module and arguments, if a program of ours or Celery's can be forked to do the same."""
    first, *words = command
    if first == "python":
        return (words[1], words[2:]) if words[0] == "-m" else None
    if first not in {"alembic", "celery", "karat"}:
        return None
    # By this name a shell finds it.
    assert shutil.which(first, path=environment["PATH"])
    return first, words


def _run(command: list[str], environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """To its end."""
    if (program := _program(command, environment)) is not None:
        return typed(fork_server(), *program, environment, ROOT, 120)
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def _flags(command: list[str]) -> dict[str, str]:
    """Settings of ``postgres -c name=value``."""
    assert command[0] == "postgres"
    assert set(command[1::2]) == {"-c"}
    return dict(word.split("=", 1) for word in command[2::2])


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    settings = _flags(SERVICES["postgres"]["command"]) | {"fsync": "off"}
    with EmbeddedPostgres(tmp_path / "postgres", settings=settings) as postgres:
        yield Stage(tmp_path, postgres)


@pytest.mark.timeout(420)
def test_an_image_is_labeled_by_the_services_of_the_file(stage: Stage, tmp_path: Path) -> None:
    ready = [str(postgres_programs() / "pg_isready"), "--dbname=karat"]
    assert SERVICES["postgres"]["healthcheck"]["test"][1] == "pg_isready"
    stage.becomes_healthy("postgres", ready, {"PGHOST": stage._sockets, "PATH": "/usr/bin"})
    with contextlib.ExitStack() as stack:
        words = [redis_program(), *stage.command("redis")[1:], "--port", str(stage.redis_port)]
        listen = ["--bind", "127.0.0.1", "--dir", str(tmp_path)]
        environment = stage.environment("redis")
        stack.enter_context(stage.running("redis", [*words, *listen], environment))
        client = str(Path(redis_program()).with_name("redis-cli"))
        asks = [client, "-p", str(stage.redis_port), *stage.health("redis")[1:]]
        stage.becomes_healthy("redis", asks, environment)

        migrate = _run(stage.command("migrate"), stage.environment("migrate"))
        assert migrate.returncode == 0, migrate.stderr
        for name in OURS[1:]:
            stack.enter_context(stage.running(name, stage.command(name), stage.environment(name)))
        for name in OURS[1:]:
            stage.becomes_healthy(name, stage.health(name), stage.environment(name))
        _label_one(stage, tmp_path)


def _label_one(stage: Stage, tmp_path: Path) -> None:
    mail, password = "admin@example.org", "correct horse battery"
    words = ["python", "-m", "api.bootstrap", "--email", mail, "--password", password]
    made = _run(words, stage.environment("migrate"))
    assert made.returncode == 0, made.stderr
    with Client(f"http://127.0.0.1:{stage.port}") as client:
        client.login(mail, password)
        project = client.create_project("Pets", classes=["cat", "dog"])
        job = project.import_images(image_folder(tmp_path / "images", 4))
        client.wait(job["id"], timeout=90)
        project.start()
        deadline = time.monotonic() + 90
        while not (queries := project.lease(1)["items"]):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        receipt = project.answer(
            [{"query_id": queries[0]["query_id"], "verdict": "ood", "seconds": 1.0}]
        )
        assert [one["status"] for one in receipt["results"]] == ["accepted"]
    url = libpq_url(stage.environment("api")["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT current_user").fetchall() == [("karat_service",)]
        assert connection.execute("SELECT verdict FROM annotations").fetchall() == [("ood",)]
    log = (tmp_path / "worker-cpu.log").read_text()
    assert '"job_id": ' in log
    assert not any(secret in log for secret in SECRETS.values())
