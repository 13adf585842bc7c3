"""A running Karat for the tests of what a user types and imports."""

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.database.engines import sync_engine, sync_sessions
from core.settings import Settings
from karat import Client
from karat.local.stack import Stack
from tests.karat.helpers import Run
from tests.karat.template import Template, template
from tests.stacks import admin_login, ease_logins, installed
from tests.world import World


# Of the folder: it would go on looking for work until the process has done all others.
@pytest.fixture(scope="package")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """PostgreSQL, Redis, the API, the workers and the scheduler."""
    with installed(tmp_path_factory.mktemp("live") / "data") as stack:
        ease_logins(stack)
        yield stack


@pytest.fixture(scope="package")
def admin(live: Stack) -> Iterator[Client]:
    with Client(live.url) as client:
        client.login(*admin_login(live))
        yield client


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has never logged in."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("KARAT_")}
    for name in ("DATABASE_URL", "REDIS_URL"):
        mine.pop(name, None)
    # Linux reads the one, macOS derives it from the other.
    return {**mine, "XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}


@pytest.fixture(scope="session")
def commands() -> Template:
    """What commands are forked from."""
    return template()


@pytest.fixture
def karat(commands: Template, environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs ``karat`` as a user does; output is not a terminal."""

    def run(*arguments: Any, status: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        done = commands.run([*map(str, arguments)], {**environment, **more}, tmp_path, 120)
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def engineer(live: Stack, karat: Run) -> str:
    """Logged in on the command line; returns the address."""
    engine = sync_engine(Settings(database_url=live.environment["DATABASE_URL"]))
    with sync_sessions(engine)() as session:
        # With a password that is quickly compared, as the API stores none.
        world = World(session, live.data_dir)
        email = world.person(str(uuid.uuid4()), "correct horse battery").email
    engine.dispose()
    done = karat("login", live.url, "--email", email, KARAT_PASSWORD="correct horse battery")
    assert f"Logged in to {live.url} as {email} (engineer)." in done.stdout
    return email
