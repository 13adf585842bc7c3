"""Looks for what is wrong with an installation, and says how to mend it."""

import importlib.util
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from core.files.disk import too_few_files
from core.process.version import build
from core.security.private import open_to_others
from karat.local.embedded import postgres_programs, redis_program
from karat.local.findings import Finding, asked, reason
from karat.local.processes import DirectoryLock, ServiceError
from karat.local.stack import (
    BACKUPS,
    DEFAULT_PORT,
    DEMO_DIRECTORY,
    LOCK_FILE,
    STATE_FILE,
    choose_port,
    is_ready,
)
from karat.local.workers import examine_workers

_LEAST_FREE = 2 * 2**30


def examine(data_dir: Path, port: int | None) -> Iterator[Finding]:
    """Check everything that Karat needs.

    Where nothing runs on the data directory but the demo does below it, the demo is looked at.

    Args:
        data_dir: The data directory.
        port: The port that Karat would use; None for 8080 or the next free one.

    Yields:
        A finding for each check, as soon as it is made.
    """
    data_dir = data_dir.expanduser().resolve()
    running = _running(data_dir)
    demo = data_dir / DEMO_DIRECTORY
    below = {} if running else _running(demo)
    is_demo = bool(below) and _is_alive(demo)
    if is_demo:
        data_dir, running = demo, below
    killed = bool(running) and not _is_alive(data_dir)
    if killed:
        # The addresses in it lead nowhere.
        running = {}
    yield _python()
    yield _packages()
    yield _frontend()
    yield _directory(data_dir)
    yield from _privacy(data_dir)
    yield _space(data_dir)
    yield _program("PostgreSQL program", lambda: str(postgres_programs() / "postgres"))
    yield _program("Redis program", redis_program)
    urls = {name: os.environ.get(name) or running.get(name) for name in _URLS}
    if running:
        if is_demo:
            yield Finding("Karat", True, f"the demo is running on {data_dir}")
        yield _api(running["url"])
        if BACKUPS in running:
            yield _backups(shlex.split(running[BACKUPS]))
    elif killed:
        yield Finding(
            "Karat",
            False,
            f"was killed, or the machine went down, while it ran on {data_dir}.",
            f"Start it again: karat up --data-dir {data_dir}. Answers are kept, jobs go on.",
        )
        yield _port(port)
    else:
        yield Finding("Karat", True, f"is not running on {data_dir}; start it with: karat up")
        yield _port(port)
    yield from places()
    # What takes seconds comes last.
    yield _torch()
    environment = {**os.environ, **{name: url for name, url in urls.items() if url}}
    environment["KARAT_DATA_DIR"] = str(data_dir)
    if urls["DATABASE_URL"]:
        yield _database(environment)
    if urls["REDIS_URL"]:
        yield from examine_workers(environment)


_URLS = ("DATABASE_URL", "REDIS_URL")


def _running(data_dir: Path) -> dict[str, str]:
    """Where the Karat that runs on a data directory is; empty if none does."""
    try:
        state: dict[str, str] = json.loads((data_dir / STATE_FILE).read_text())
    except (OSError, ValueError):
        return {}
    return state


def _is_alive(data_dir: Path) -> bool:
    return DirectoryLock(data_dir / LOCK_FILE, str(data_dir)).taken


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Finding(
        "Python",
        good,
        f"{found} in {sys.prefix}",
        "" if good else "Use 3.11, 3.12 or 3.13: make PYTHON=python3.12 setup",
    )


def _packages() -> Finding:
    from packaging.requirements import Requirement

    wrong = []
    try:
        needed = [Requirement(text) for text in requires("karat") or ()]
    except PackageNotFoundError:
        return Finding("packages", False, "Karat itself is not installed.", "Run: make setup")
    needed = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    for one in needed:
        try:
            if version(one.name) not in one.specifier:
                wrong.append(f"{one.name} {version(one.name)} is not {one.specifier}")
        except PackageNotFoundError:
            wrong.append(f"{one.name} is missing")
    if wrong:
        return Finding("packages", False, "; ".join(wrong) + ".", "Run: make setup")
    return Finding("packages", True, f"{len(needed)} as Karat {build()} requires")


def _torch() -> Finding:
    """In a process of its own: importing torch takes seconds and can crash."""
    script = (
        "import torch; cuda = torch.cuda.is_available(); "
        "print(torch.__version__, torch.cuda.get_device_name() if cuda else 'CPU', sep=' on ')"
    )
    done = asked([sys.executable, "-c", script])
    if done.returncode == 0:
        return Finding("torch", True, done.stdout.strip())
    return Finding(
        "torch", False, reason(done), "Run: make setup. Reinstall the GPU driver if it is that."
    )


def _frontend() -> Finding:
    chosen = os.environ.get("KARAT_FRONTEND_DIR")
    spec = importlib.util.find_spec("api")
    if chosen:
        directory = Path(chosen)
    elif spec is not None and spec.origin is not None:
        directory = Path(spec.origin).parent.parent / "frontend" / "dist"
    else:
        return Finding("frontend", False, "The package api is not installed.", "Run: make setup")
    if (directory / "index.html").is_file():
        return Finding("frontend", True, f"built in {directory}")
    return Finding("frontend", False, f"{directory} has no built pages.", "Run: make setup")


def _directory(data_dir: Path) -> Finding:
    existing = _existing(data_dir)
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        detail = "can be written" if existing == data_dir else "is made by karat up"
        return Finding("data directory", True, f"{data_dir} {detail}")
    return Finding(
        "data directory",
        False,
        f"{existing} cannot be written.",
        f"Make it yours: sudo chown -R $USER {existing}. Or choose another with --data-dir.",
    )


def _privacy(data_dir: Path) -> Iterator[Finding]:
    """Whether others on this machine can read what is kept; nothing where nothing is."""
    if not data_dir.is_dir() or not os.access(data_dir, os.R_OK | os.X_OK):
        return
    found = open_to_others(data_dir)
    if not found:
        yield Finding("privacy", True, "others on this machine cannot read it")
        return
    more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
    yield Finding(
        "privacy",
        False,
        f"{found[0]}{more} can be read by others on this machine.",
        f"karat up closes them, and so does: chmod -R go= {data_dir}",
    )


def _space(data_dir: Path) -> Finding:
    place = _existing(data_dir)
    free, files = shutil.disk_usage(place).free, too_few_files(place)
    detail = f"{free / 2**30:.1f} GiB free"
    if files is not None:
        detail += f", and only {files:,} more files can be made"
    elif free >= _LEAST_FREE:
        return Finding("disk", True, detail)
    return Finding(
        "disk", False, f"{detail}.", "Make room, or choose another disk with --data-dir."
    )


def _program(subject: str, find: Callable[[], str]) -> Finding:
    try:
        done = asked([find(), "--version"])
    except (OSError, ServiceError) as error:
        return Finding(subject, False, str(error), "Run: make setup")
    if done.returncode == 0:
        return Finding(subject, True, done.stdout.strip().split(" sha=")[0])
    return Finding(
        subject, False, reason(done), "Your system lacks a library it needs: install that."
    )


def _port(port: int | None) -> Finding:
    try:
        free = choose_port("127.0.0.1", port)
    except ServiceError as error:
        return Finding("port", False, error.message, error.remedy)
    if port is None and free != DEFAULT_PORT:
        return Finding("port", True, f"{DEFAULT_PORT} is taken; karat up takes {free} instead")
    return Finding("port", True, f"{free} is free")


def _api(url: str) -> Finding:
    if is_ready(url):
        return Finding("API", True, f"is ready at {url}")
    return Finding(
        "API",
        False,
        f"{url} is not ready.",
        "See logs/api.log in the data directory.",
    )


def _backups(words: list[str]) -> Finding:
    """Whether those are made that ``karat up`` was asked for; nobody else tells that they fail."""
    done = asked([sys.executable, "-P", "-m", "karat", "backup", *words, "--check"])
    if done.returncode == 0:
        return Finding("backups", True, done.stdout.strip())
    return Finding(
        "backups",
        False,
        done.stdout.strip() or reason(done),
        "See logs/backup.log in the data directory; the first may be under way.",
    )


def _database(environment: dict[str, str]) -> Finding:
    done = asked([sys.executable, "-P", "-m", "migrations.ready"], environment)
    if done.returncode == 0:
        return Finding("database", True, "reachable, its schema of this version or a later one")
    return Finding(
        "database",
        False,
        reason(done),
        "Check DATABASE_URL and that the server runs. An old schema is brought up by karat up.",
    )


def places() -> Iterator[Finding]:
    """Check whether the places that the settings name can be used with the credentials there are.

    Yields:
        A finding for each place to import from, and one for where files are kept if that is a
        bucket; one alone for settings that are none.
    """
    from pydantic import ValidationError

    from core.errors import DomainError
    from core.files.buckets import Buckets
    from core.settings import Settings

    try:
        settings = Settings()
    except ValidationError as error:
        why = "; ".join(one["msg"] for one in error.errors())
        yield Finding("settings", False, why, "Correct it; see docs/settings.md.")
        return
    buckets = Buckets(settings)
    remedy = (
        "Check KARAT_S3_ENDPOINT, the region, and AWS_ACCESS_KEY_ID with its secret; "
        "see docs/operations.md."
    )
    for place in settings.import_places:
        try:
            found = next(buckets.pages(place), None)
        except DomainError as error:
            yield Finding("import location", False, f"{place}: {error.detail}", remedy)
        else:
            yield Finding(
                "import location", True, f"{place} {'can be read' if found else 'is empty'}"
            )
    storage = settings.storage_place
    if storage is not None:
        try:
            probe = storage.child("doctor")
            buckets.write(probe.child("probe"), b"karat")
            buckets.head(probe.child("probe"))
            buckets.remove(probe)
        except DomainError as error:
            yield Finding("storage", False, f"{storage}: {error.detail}", remedy)
        else:
            yield Finding("storage", True, f"{storage} can be written, read and cleared")


def _existing(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())
