"""Label Studio as its container runs it, on this machine, for comparison only.

It gets a virtual environment of its own, PostgreSQL like Karat's, and uWSGI with the options of its
container that bear on speed. Its reports to its makers are turned off: nothing leaves 127.0.0.1.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
from platformdirs import user_cache_path

from benchmarks.http_load import HttpConnection, Log
from benchmarks.servers import Server, free_port, serving
from benchmarks.tally import Tally
from karat.local.embedded import EmbeddedPostgres

VERSION = "1.23.2"
ENVIRONMENT = user_cache_path("karat") / f"label-studio-{VERSION}"
CLASSES = ("a", "b")
_CHOICES = "".join(f'<Choice value="{name}"/>' for name in CLASSES)
_CONFIG = (
    '<View><Image name="image" value="$image"/>'
    f'<Choices name="label" toName="image">{_CHOICES}</Choices></View>'
)
# Its answer to one image, as its own page sends it.
_RESULT = [
    {"from_name": "label", "to_name": "image", "type": "choices", "value": {"choices": ["a"]}}
]
# How many files a request may hold by its own limit.
_FILES = 100
_PACKAGES = Path("/usr/lib/postgresql")
_START = 400.0
# What each process of its server writes once it has loaded the application.
_READY = b"WSGI app 0"
_SEED = """
import json, sys
import django

django.setup()
from django.db import transaction
from organizations.models import Organization
from rest_framework.authtoken.models import Token
from users.models import User

with transaction.atomic():
    for number, token in enumerate(json.load(sys.stdin)):
        user = User.objects.create_user(email=f"annotator{number}@example.org", password=None)
        found = Organization.objects.first()
        if found is None:
            found = Organization.create_organization(
                created_by=user, title="Benchmark", legacy_api_tokens_enabled=True
            )
        else:
            found.add_user(user)
        user.active_organization = found
        user.save()
        Token.objects.filter(user=user).delete()
        Token.objects.create(user=user, key=token)
"""


class SystemPostgres(EmbeddedPostgres):
    """PostgreSQL of the system's packages, with the same settings.

    Label Studio needs the module pg_trgm, which Karat's own PostgreSQL comes without.
    """

    locale = ()

    def find_programs(self) -> Path:
        """The newest that is installed with the module."""
        for version in sorted(_PACKAGES.glob("[0-9]*"), key=lambda path: -int(path.name)):
            modules = Path("/usr/share/postgresql", version.name, "extension")
            if (modules / "pg_trgm.control").exists():
                return version / "bin"
        raise SystemExit("PostgreSQL is not installed with pg_trgm: apt-get install postgresql")


def install(directory: Path) -> None:
    """Make a virtual environment with Label Studio in ``directory``, unless it is there."""
    ready = directory / ".ready"
    if ready.exists():
        return
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run(
        [uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(directory)],
        check=True,
    )
    subprocess.run(
        [uv, "pip", "install", "--python", str(directory / "bin" / "python"),
         f"label-studio[uwsgi]=={VERSION}"],
        check=True,
    )  # fmt: skip
    ready.touch()


class LabelStudio:
    """An installation with a database of its own and a user for each client."""

    def __init__(
        self, environment: Path, data: Path, images: Path, postgres: EmbeddedPostgres, clients: int
    ) -> None:
        """Prepare the database.

        Args:
            environment: Where ``install`` put it.
            data: Its data directory; made if missing.
            images: The folder of the images, which it serves.
            postgres: A running server, for it alone.
            clients: How many users to make.
        """
        data.mkdir(parents=True, exist_ok=True)
        self.data, self.images, self.postgres = data, images, postgres
        self.tokens = [uuid.uuid4().hex for _ in range(clients)]
        self._bin = environment / "bin"
        package = next((environment / "lib").glob("python*/site-packages/label_studio"))
        self._package = package
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "core.settings.label_studio",
            "DJANGO_DB": "default",
            "POSTGRE_NAME": postgres.database,
            "POSTGRE_USER": "postgres",
            "POSTGRE_HOST": str(postgres.sockets),
            "LABEL_STUDIO_BASE_DATA_DIR": str(data),
            "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
            "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(images.parent),
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "COLLECT_ANALYTICS": "false",
            "LATEST_VERSION_CHECK": "false",
            "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": "",
            "LOG_LEVEL": "ERROR",
        }
        self._python("manage.py", "locked_migrate", "--no-color", "--verbosity", "0")
        self._python("-c", _SEED, given=json.dumps(self.tokens))

    def _python(self, *arguments: str, given: str = "") -> None:
        done = subprocess.run(
            [str(self._bin / "python"), *arguments],
            cwd=self._package,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"Label Studio was not prepared: {done.stderr[-2000:]}")

    @contextlib.contextmanager
    def serving(self, processes: int) -> Iterator[Server]:
        """Run its server with so many processes that answer requests, one at a time each."""
        port = free_port()
        options = {
            "http": f"127.0.0.1:{port}",
            "module": "core.wsgi:application",
            "processes": str(processes),
            "threads": "1",
            "buffer-size": "65535",
            "http-timeout": "600",
            # All clients may wait at once.
            "listen": "1024",
            "post-buffering": "4096",
        }
        flags = [
            "master", "single-interpreter", "enable-threads", "lazy-apps", "thunder-lock",
            "need-app", "disable-logging", "die-on-term", "ignore-sigpipe",
            "ignore-write-errors",
        ]  # fmt: skip
        command = [
            str(self._bin / "uwsgi"),
            *(f"--{flag}" for flag in flags),
            *(part for name, value in options.items() for part in (f"--{name}", value)),
        ]
        log = self.data / f"server-{port}.log"
        with serving(
            command, port, "/health", self.environment,
            directory=self._package, log=log, seconds=_START,
        ) as server:  # fmt: skip
            deadline = time.monotonic() + _START
            while log.read_bytes().count(_READY) < processes:
                if time.monotonic() > deadline:
                    raise SystemExit(f"not all processes started; see {log.read_text()[-2000:]}")
                time.sleep(0.2)
            yield server


class LabelStudioLoad:
    """One project of it, over its API."""

    def __init__(self, studio: LabelStudio, port: int, title: str, sampling: str) -> None:
        self.studio, self.port = studio, port
        self.tally = Tally()
        self._http = httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Token {studio.tokens[0]}"},
            timeout=900,
            # It closes a connection after each response.
            limits=httpx.Limits(max_keepalive_connections=0),
        )
        body = {
            "title": title,
            "label_config": _CONFIG,
            "maximum_annotations": 1,
            "sampling": sampling,
        }
        self.project = int(self._call("POST", "/api/projects/", json=body)["id"])

    def _call(self, method: str, path: str, **more: Any) -> Any:
        response = self._http.request(method, path, **more)
        if response.is_error:
            raise SystemExit(f"{method} {path}: {response.status_code} {response.text[:500]}")
        return response.json()

    def tasks(self) -> int:
        """How many tasks the project has."""
        return int(self._call("GET", f"/api/projects/{self.project}/")["task_number"])

    def sync(self) -> float:
        """Make a task of each image in its folder, which it does not open; seconds."""
        start = time.perf_counter()
        body = {"project": self.project, "path": str(self.studio.images), "use_blob_urls": True}
        storage = self._call("POST", "/api/storages/localfiles/", json=body)["id"]
        found = self._call("POST", f"/api/storages/localfiles/{storage}/sync")
        if found["status"] != "completed":
            raise SystemExit(f"the storage was not synced: {found}")
        return time.perf_counter() - start

    def upload(self) -> float:
        """Send each image, as many in a request as it takes; seconds."""
        start = time.perf_counter()
        paths = sorted(self.studio.images.iterdir())
        for first in range(0, len(paths), _FILES):
            files = [
                (path.name, (path.name, path.read_bytes(), "image/jpeg"))
                for path in paths[first : first + _FILES]
            ]
            self._call("POST", f"/api/projects/{self.project}/import", files=files)
        return time.perf_counter() - start

    def fill(self, *, annotated: bool = False) -> float:
        """Import tasks that name the images by address, each annotated or none; seconds."""
        folder = self.studio.images.name
        answers = {"annotations": [{"result": _RESULT}]} if annotated else {}
        tasks = [
            {"data": {"image": f"/data/local-files/?d={quote(f'{folder}/{path.name}')}"}, **answers}
            for path in sorted(self.studio.images.iterdir())
        ]
        start = time.perf_counter()
        self._call("POST", f"/api/projects/{self.project}/import", json=tasks)
        return time.perf_counter() - start

    def export(self, kind: str) -> tuple[float, bytes]:
        """Download all annotated tasks as ``JSON`` or ``CSV``; seconds and content."""
        start = time.perf_counter()
        response = self._http.get(
            f"/api/projects/{self.project}/export", params={"exportType": kind}
        )
        response.raise_for_status()
        return time.perf_counter() - start, response.content

    async def annotate(self, number: int, more: Callable[[], bool], log: Log) -> None:
        """Ask for the next task, annotate it, again; no pause between."""
        headers = {"Authorization": f"Token {self.studio.tokens[number]}"}
        connection = HttpConnection(self.port, headers, kept=False)
        while more():
            status, body = await log.timed(
                "next", connection.get(f"/api/projects/{self.project}/next/")
            )
            if status != 200:
                await self.tally.failed("next", status)
                continue
            task = int(json.loads(body)["id"])
            self.tally.handed(number, task)
            status, body = await log.timed(
                "submit",
                connection.post(
                    f"/api/tasks/{task}/annotations/", {"result": _RESULT, "lead_time": 1.0}
                ),
            )
            if status != 201:
                await self.tally.failed("submit", status)
                continue
            self.tally.answered(task, int(json.loads(body)["id"]))
            log.loop()
        await connection.close()

    def lost(self) -> int:
        """Acknowledged annotations that are not stored."""
        with psycopg.connect(self.studio.postgres.url.replace("+psycopg", "")) as connection:
            rows = connection.execute(
                "SELECT id FROM task_completion WHERE project_id = %s AND NOT was_cancelled",
                (self.project,),
            ).fetchall()
        return self.tally.lost(key for (key,) in rows)
