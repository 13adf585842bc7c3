"""Fixtures of all tests: real PostgreSQL and Redis, and a fresh database for each that asks."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings as hypothesis_settings
from psycopg import sql
from sqlalchemy.orm import Session

from api.main import create_app
from core import settings
from core.database.engines import sync_engine, sync_sessions
from core.jobs import queue
from core.tables import User
from karat.local.embedded import EmbeddedPostgres, EmbeddedRedis
from tests.clip import tiny_clip
from tests.engines import shared_statements
from tests.logins import PASSWORD
from tests.processes import libpq_url
from tests.s3 import CREDENTIALS, Bucket, S3Server, s3_server
from tests.scratch import scratch
from tests.stacks import FAST, put_database
from tests.world import World
from workers.celery_tasks import remove_files
from workers.jobs import context

TEMPLATE = "karat"
# How long an example takes says nothing on a machine that does other things, too.
hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")


@dataclass(frozen=True)
class Services:
    """Where the session's servers are."""

    postgres: EmbeddedPostgres
    redis: EmbeddedRedis

    def database_url(self, name: str) -> str:
        base, _, query = self.postgres.url.partition("?")
        return f"{base.rpartition('/')[0]}/{name}?{query}"

    @cached_property
    def _connection(self) -> psycopg.Connection[Any]:
        """One for the whole run: each that is opened is a process that has to start."""
        return psycopg.connect(libpq_url(self.postgres.url), autocommit=True)

    def administer(self, *statements: sql.Composed) -> None:
        for statement in statements:
            self._connection.execute(statement)

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="session")
def services() -> Iterator[Services]:
    """One server each for the whole run, with a migrated template database."""
    with scratch() as directory:
        put_database(directory / "postgres")
        with (
            EmbeddedPostgres(
                directory / "postgres", settings=FAST, database="postgres"
            ) as postgres,
            EmbeddedRedis(directory / "redis") as redis,
            shared_statements(),
        ):
            found = Services(postgres, redis)
            # What a first connection finds out of the tables is a file of the database, which
            # copies have then; each server removes it as it starts.
            psycopg.connect(libpq_url(found.database_url(TEMPLATE))).close()
            yield found
            found.close()


@pytest.fixture
def installation(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[settings.Settings]:
    """An empty installation: its own database, broker and data directory."""
    name = f"karat_{os.getpid()}_{os.urandom(4).hex()}"
    database, template = sql.Identifier(name), sql.Identifier(TEMPLATE)
    services.administer(
        sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(database, template)
    )
    monkeypatch.setenv("DATABASE_URL", services.database_url(name))
    monkeypatch.setenv("REDIS_URL", services.redis.url)
    monkeypatch.setenv("KARAT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("KARAT_HEARTBEAT_SECONDS", "0.2")
    monkeypatch.setenv("KARAT_STALE_SECONDS", "1.5")
    monkeypatch.setenv("KARAT_SWEEP_SECONDS", "0.5")
    # Hundreds of directories are kept for a while.
    monkeypatch.setenv("KARAT_DISK_RESERVE_BYTES", "0")
    _forget()
    yield settings.settings()
    if context.sessions.cache_info().currsize:
        context.sessions().kw["bind"].dispose()
    queue.celery().close()
    # Every queue: a message of this test must not reach a worker of the next.
    with redis.Redis(unix_socket_path=str(services.redis.socket_path)) as broker:
        broker.flushall()
    _forget()
    services.administer(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database))


def _forget() -> None:
    """Processes read their environment once; tests are many installations in one process."""
    for cached in (settings.settings, queue.celery, context.sessions):
        cached.cache_clear()
    # Where it left off is a place among the removals of one installation.
    remove_files._after = 0


@pytest.fixture
def broker(
    installation: settings.Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmbeddedRedis]:
    """A broker of its own, which the test may stop."""
    assert installation.redis_url
    with EmbeddedRedis(tmp_path / "redis") as found, monkeypatch.context() as patch:
        patch.setenv("REDIS_URL", found.url)
        settings.settings.cache_clear()
        queue.celery.cache_clear()
        yield found
        queue.celery().close()
    settings.settings.cache_clear()
    queue.celery.cache_clear()


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """A server of buckets for the whole run."""
    with s3_server() as found:
        yield found


@pytest.fixture
def bucket(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """An empty bucket that images may be taken from; ask for it before the installation."""
    found = Bucket(s3.files(), s3.bucket())
    for name, value in (
        *CREDENTIALS.items(),
        ("KARAT_S3_ENDPOINT", s3.endpoint),
        ("KARAT_IMPORT_LOCATIONS", found.url),
    ):
        monkeypatch.setenv(name, value)
    _forget()
    return found


@pytest.fixture(scope="session")
def clip_weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Name of a CLIP whose weights need no download."""
    with tiny_clip(tmp_path_factory.mktemp("hub")) as name:
        yield name


@pytest.fixture
def session(installation: settings.Settings) -> Iterator[Session]:
    """A database session of the test itself."""
    engine = sync_engine(installation)
    with sync_sessions(engine)() as found:
        yield found
    engine.dispose()


@pytest.fixture
def world(session: Session, installation: settings.Settings) -> World:
    """Builds users, projects and pools."""
    return World(session, Path(installation.data_dir))


@pytest.fixture
def ada(world: World) -> User:
    """An engineer who can log in."""
    return world.person("Ada", PASSWORD)


@pytest.fixture(scope="session")
def application() -> Callable[[settings.Settings], FastAPI]:
    """Gives the application for an installation.

    Most installations of tests differ only in where they are, which an application looks up as it
    begins: they share one, as its routes take longer to make than most tests.
    """
    elsewhere = {"database_url", "redis_url", "data_dir"}
    made: list[tuple[dict[str, Any], FastAPI]] = []

    def give(installation: settings.Settings) -> FastAPI:
        wanted = installation.model_dump(exclude=elsewhere)
        for known, app in made:
            if known == wanted:
                app.state.settings = installation
                return app
        made.append((wanted, create_app(installation)))
        return made[-1][1]

    return give


@pytest.fixture
def http(
    installation: settings.Settings, application: Callable[[settings.Settings], FastAPI]
) -> Iterator[TestClient]:
    """The application in this process, on the installation's database."""
    with TestClient(application(installation), base_url="http://karat.test") as client:
        yield client
