"""One file with the database and everything in storage, of one moment, while Karat runs."""

import contextlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

import psycopg

from core.files.disk import room
from core.security.private import private_files
from core.settings import Settings
from karat.local.archive import DATABASE, FORMAT, MANIFEST, STORED, ArchiveWriter, Manifest
from karat.local.database import connected, told
from karat.local.embedded import postgres_programs
from karat.local.installation import Installation
from karat.local.links import Links, links_in
from karat.local.processes import ServiceError, tied

_WARM_UP: Final = "warm-up.npz"
"""`core.files.storage.Storage.warm_up`, which the next job that wants it makes again."""

_BLOCK: Final = 5000
_LOOK_SECONDS: Final = 1.0
_DIGEST: Final = re.compile("[0-9a-f]{64}")
# "pg_dump (PostgreSQL) 18.1 (Debian 18.1-1)"
_VERSION: Final = re.compile(r"\(PostgreSQL\) (\d+)")


@dataclass(frozen=True)
class BackedUp:
    """What was written: how many files of storage, and the length of the archive."""

    files: int
    bytes: int


def back_up(installation: Installation, file: Path) -> BackedUp:
    """Write a backup; it has its name only when it is whole.

    The database is dumped from one snapshot. Files are only ever added, whole, before the rows that
    name them, so those copied after the snapshot hold all that it names. Uploads and artifacts may
    go or be replaced meanwhile: links keep them until they are copied, where the file system has
    any. What no row names, such as images of a project that was just deleted, stays out; of what
    projects have, all is copied.

    Args:
        installation: What to back up.
        file: Where to; it must not exist.

    Raises:
        ServiceError: It exists, the dump fails, answers need the room that it takes, or a project
            was deleted meanwhile, or its images brought to another size.
    """
    if file.exists():
        raise ServiceError(f"{file} exists already.", "Choose another name.")
    part = file.with_name(f"{file.name}.{uuid.uuid4().hex}.part")
    try:
        with private_files(), part.open("xb") as output:
            count = _write(installation, output, part)
            output.flush()
            os.fsync(output.fileno())
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
    return BackedUp(count, file.stat().st_size)


def _write(installation: Installation, output: IO[bytes], part: Path) -> int:
    with (
        contextlib.ExitStack() as stack,
        connected(installation.database_url) as connection,
        tarfile.open(fileobj=output, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        require_room = _room_for(installation, part)
        require_room(0)
        links = stack.enter_context(links_in(installation.data_dir))
        # Before the snapshot, too: what it names may be replaced before it is linked.
        _link(links, installation.data_dir, _describe(connection)[-1])
        connection.rollback()
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        manifest, snapshot, wanted = _describe(connection)
        _link(links, installation.data_dir, wanted)
        # Beside the archive, under its name: what one that is killed leaves there is known for what
        # it is, and goes before the next (``karat.local.backups``).
        dump = part.with_suffix(".dump")
        stack.callback(dump.unlink, missing_ok=True)
        _dump(installation, snapshot, manifest.postgres, dump, require_room)
        connection.rollback()
        checksums = stack.enter_context(tempfile.TemporaryFile())
        writer = ArchiveWriter(archive, checksums, require_room)
        writer.add_bytes(MANIFEST, manifest.to_json())
        writer.add(DATABASE, dump)
        dump.unlink()
        for name, path in wanted.of(_stored(links, installation.data_dir, wanted), connection):
            writer.add(f"storage/{name}", path)
        _require_same(connection, wanted)
        return writer.finish() - 2


def _room_for(installation: Installation, part: Path) -> Callable[[int], None]:
    """What refuses so many bytes more where they would take the room that answers need.

    On another disk a backup may take all there is.
    """
    settings = Settings(data_dir=installation.data_dir)
    if part.stat().st_dev != installation.data_dir.stat().st_dev:
        return lambda _: None

    def require(more: int) -> None:
        found = room(settings)
        if found.free - more < found.low:
            raise ServiceError(
                "There is too little room for a backup on the disk of the data, where answers "
                f"need the last {found.low / 2**30:.1f} GiB.",
                "Make room, keep fewer, or write it to another disk.",
            )

    return require


@dataclass(frozen=True)
class _Wanted:
    """What the snapshot's rows name; files of deleted projects may still be on their way out."""

    projects: dict[int, str | None]
    """Ids, and how models see the images, as the settings say."""
    uploads: set[str]
    weights: set[str]
    """Where they are in storage."""
    artifacts: set[str]
    """Where they are in storage."""
    withdrawn: int
    """How many examples were withdrawn by then."""

    def of(
        self, stored: Iterator[tuple[str, Path]], connection: psycopg.Connection[Any]
    ) -> Iterator[tuple[str, Path]]:
        """Those of ``stored`` that are wanted, in blocks: a pool may have a million images."""
        while block := list(islice(stored, _BLOCK)):
            images = self._images([path.name for _, path in block], connection)
            for name, path in block:
                folder, _, rest = name.partition("/")
                if folder == "images":
                    wanted = path.name in images
                elif folder == "projects":
                    wanted = rest.partition("/")[0] in self._folders
                else:
                    wanted = name in self.weights or name in self.passing
                if wanted:
                    yield name, path

    @cached_property
    def passing(self) -> set[str]:
        """Where files are that may go or be replaced while others are copied."""
        return self.artifacts | {f"uploads/{one}" for one in self.uploads}

    @cached_property
    def _folders(self) -> set[str]:
        return {str(one) for one in self.projects}

    def _images(self, names: list[str], connection: psycopg.Connection[Any]) -> set[str]:
        """Of file names those of images of the snapshot's projects."""
        digests = [bytes.fromhex(name) for name in names if _DIGEST.fullmatch(name)]
        if not digests:
            return set()
        found = connection.execute(
            "SELECT encode(content_hash, 'hex') FROM examples "
            "WHERE project_id = ANY(%s) AND content_hash = ANY(%s)",
            (list(self.projects), digests),
        ).fetchall()
        # Nothing holds back vacuum while files are copied.
        connection.rollback()
        return {name for (name,) in found}


def _describe(connection: psycopg.Connection[Any]) -> tuple[Manifest, str, _Wanted]:
    """The manifest, the snapshot's name, and what there is in it."""
    found = connection.execute(
        "SELECT pg_export_snapshot(), to_regclass('alembic_version') IS NOT NULL"
    ).fetchone()
    assert found is not None
    if not found[1]:
        raise ServiceError("The database holds no Karat.", "Check DATABASE_URL.")
    revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    projects = _sizes(connection)
    uploads = connection.execute(
        "SELECT params ->> 'upload' FROM jobs "
        "WHERE params ? 'upload' AND NOT params ? 'answer' "
        # A plan that waits for its answer has succeeded, and is started from its upload.
        "AND (state <> 'succeeded' OR params ? 'dry_run')"
    )
    artifacts = connection.execute("SELECT storage_key FROM artifacts")
    wanted = _Wanted(
        projects,
        {row[0] for row in uploads},
        _weights(connection),
        {row[0] for row in artifacts},
        _withdrawn(connection),
    )
    manifest = Manifest(
        format=FORMAT,
        karat=version("karat"),
        schema=str(revision[0]) if revision else "",
        postgres=connection.info.server_version // 10_000,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        storage_url=os.environ.get("KARAT_STORAGE_URL") or None,
    )
    return manifest, str(found[0]), wanted


def _sizes(connection: psycopg.Connection[Any]) -> dict[int, str | None]:
    # With what is seen of them: pixels of either are files of their own.
    fit = "COALESCE(settings ->> 'fit', 'crop')"
    statement = f"SELECT id, (settings ->> 'input_size') || ' ' || {fit} FROM projects"
    return {row[0]: row[1] for row in connection.execute(statement)}


def _weights(connection: psycopg.Connection[Any]) -> set[str]:
    if not _has(connection, "weights"):
        return set()
    return {row[0] for row in connection.execute("SELECT storage_key FROM weights")}


def _withdrawn(connection: psycopg.Connection[Any]) -> int:
    if not _has(connection, "withdrawals"):
        return 0
    found = connection.execute("SELECT COALESCE(sum(done), 0) FROM withdrawals").fetchone()
    assert found is not None
    return int(found[0])


def _has(connection: psycopg.Connection[Any], table: str) -> bool:
    # An installation that is older than this program may be backed up before it is upgraded.
    found = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [table]).fetchone()
    return found is not None and bool(found[0])


def _require_same(connection: psycopg.Connection[Any], wanted: _Wanted) -> None:
    """Refuse a backup of which files went while they were copied.

    They go with their project, and pixels where others of another size take their place.
    """
    left, projects = _sizes(connection), wanted.projects
    if projects.keys() - left.keys():
        raise ServiceError("A project was deleted during the backup.", "Start it again.")
    if wanted.weights - _weights(connection):
        raise ServiceError("Weights were deleted during the backup.", "Start it again.")
    # The dump has their rows as they were.
    if wanted.withdrawn != _withdrawn(connection):
        raise ServiceError("Images were withdrawn during the backup.", "Start it again.")
    # One without a size had no pixels yet.
    if any(size is not None and size != left[one] for one, size in projects.items()):
        raise ServiceError(
            "The images of a project were brought to another size during the backup.",
            "Start it again.",
        )


def _dump(
    installation: Installation,
    snapshot: str,
    server: int,
    target: Path,
    require_room: Callable[[int], None],
) -> None:
    run_program(
        installation,
        "pg_dump",
        server,
        "--format=custom",
        f"--snapshot={snapshot}",
        "--no-owner",
        "--no-privileges",
        "--no-subscriptions",
        "--no-publications",
        f"--file={target}",
        meanwhile=lambda: require_room(0),
    )


def run_program(
    installation: Installation,
    name: str,
    server: int,
    *arguments: str,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Run a program of PostgreSQL's on an installation's database.

    Args:
        installation: Whose.
        name: ``pg_dump`` or ``pg_restore``.
        server: Major version of the server; the program's must not be older.
        arguments: For the program.
        meanwhile: Called again and again while it runs; where that raises, it is killed.

    Raises:
        ServiceError: There is none that is new enough, or it fails.
    """
    address, secret = told(installation.database_url)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    with subprocess.Popen(
        [*tied(), "--", _find(name, server), f"--dbname={address}", *arguments],
        env=environment | secret,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            errors = _errors_of(process, meanwhile)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        last = (errors.strip().splitlines() or ["no reason given"])[-1]
        raise ServiceError(f"{name} failed: {last}", "Nothing was changed.")


def _errors_of(process: subprocess.Popen[str], meanwhile: Callable[[], None]) -> str:
    while True:
        try:
            return process.communicate(timeout=_LOOK_SECONDS)[1]
        except subprocess.TimeoutExpired:
            meanwhile()


def _find(name: str, server: int) -> str:
    """The program from our wheel, or the one on the PATH if the server is newer than that."""
    candidates = [shutil.which(name)]
    with contextlib.suppress(ServiceError):
        candidates.insert(0, str(postgres_programs() / name))
    for candidate in filter(None, candidates):
        said = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
        found = _VERSION.search(said.stdout)
        if found is not None and int(found[1]) >= server:
            return candidate
    raise ServiceError(
        f"There is no {name} for PostgreSQL {server}.",
        f"Install the client programs of PostgreSQL {server} or newer.",
    )


def _link(links: Links, data_dir: Path, wanted: _Wanted) -> None:
    """Link what may go or be replaced, and uploads whose import nobody has started yet."""
    links.keep({name for name, _ in _files(data_dir, "uploads")} | wanted.artifacts)


def _stored(links: Links, data_dir: Path, wanted: _Wanted) -> Iterator[tuple[str, Path]]:
    """Name and place of every file to keep; first of those that others may take away."""
    yield from ((name, links.path(name)) for name in sorted(wanted.passing))
    for folder in STORED:
        for name, path in _files(data_dir, folder):
            if name not in wanted.passing:
                yield name, path


def _files(data_dir: Path, folder: str) -> Iterator[tuple[str, Path]]:
    """Name and place of every file that is whole."""
    for parent, directories, names in os.walk(data_dir / folder):
        directories.sort()
        for name in sorted(names):
            path = Path(parent, name)
            is_whole = not name.endswith(".part") and name != _WARM_UP
            if is_whole and path.is_file() and not path.is_symlink():
                yield str(path.relative_to(data_dir)), path
