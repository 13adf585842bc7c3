"""Child processes that neither outlive Karat nor run twice on one directory."""

import contextlib
import fcntl
import hashlib
import os
import pwd
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import psutil

from core.security.private import UMASK

_LAUNCHER = Path(__file__).with_name("launch.py")
# sun_path holds 108 bytes on Linux and 104 on macOS; a socket and its lock take 22 of them.
_LONGEST_SOCKET_DIRECTORY = 78
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/_.+-]+")


class ServiceError(Exception):
    """A process of Karat's could not do its work."""

    def __init__(self, message: str, remedy: str = "") -> None:
        """Say what happened.

        Args:
            message: What happened, in one sentence.
            remedy: What the user can do about it.
        """
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy


def first_line(error: Exception) -> str:
    """The first line of what an error says, without its end; its kind, if it says nothing."""
    message = error.message if isinstance(error, ServiceError) else str(error)
    return message.partition("\n")[0].rstrip(".:") or type(error).__name__


class AlreadyRunningError(ServiceError):
    """Another Karat holds the directory."""


@dataclass(frozen=True)
class Account:
    """A user of this machine."""

    name: str
    uid: int
    gid: int


class Process(Protocol):
    """A child that is watched and stopped, however it was started."""

    returncode: int | None

    @property
    def pid(self) -> int:
        """Its process id."""

    def poll(self) -> int | None:
        """Its status, negative where a signal ended it; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Its status, once it has ended; ``subprocess.TimeoutExpired`` after ``timeout`` s."""

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal; harmless when it has ended."""

    def kill(self) -> None:
        """Send it SIGKILL; harmless when it has ended."""


class DirectoryLock:
    """A lock on a directory that the system lets go when the process ends, however it ends."""

    def __init__(self, path: Path, what: str) -> None:
        """Describe the lock; ``acquire`` takes it.

        Args:
            path: The lock file; it holds the pid of its owner and stays after the release.
            what: What is locked, for the message.
        """
        self._path = path
        self._what = what
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether we have it."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            AlreadyRunningError: Another process has it.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode(errors="replace").strip()
            os.close(descriptor)
            raise AlreadyRunningError(
                f"Karat already runs on {self._what} (process {owner}).",
                "Stop it, or choose another data directory.",
            ) from None
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    @property
    def taken(self) -> bool:
        """Whether another process has it."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def release(self) -> None:
        """Let the lock go; harmless when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def spawn(
    command: Sequence[str],
    *,
    log: Path,
    output: IO[bytes] | None = None,
    directory: Path,
    environment: Mapping[str, str] | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
    account: Account | None = None,
    reach: str | None = None,
    descriptors: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in its own session, with its output appended to a log.

    What it makes is readable by its user only.

    Its own session keeps a Ctrl-C in the terminal from reaching it: the order of stopping is
    ours. On Linux the system sends it ``death_signal`` when the thread that started it ends, even
    by SIGKILL.

    Args:
        command: The program's path and its arguments.
        log: File that gets stderr, and stdout.
        output: A file that gets stdout in its place.
        directory: Working directory.
        environment: Its whole environment; ours if None.
        death_signal: What it is sent when we die.
        account: The user to run as, if we are root.
        reach: "search" to let ``account`` pass directories closed to it, "execute" to let it
            run programs closed to it as well.
        descriptors: Those of our open files that it gets, under the same numbers.

    Returns:
        The running process.
    """
    launcher = tied(death_signal)
    if account is not None:
        launcher += ["--user", str(account.uid), "--group", str(account.gid)]
    if reach is not None:
        launcher += ["--reach", reach]
    with open(log, "ab", opener=private) as errors:
        return subprocess.Popen(
            [*launcher, "--", *command],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output or errors,
            stderr=errors,
            start_new_session=True,
            umask=UMASK,
            pass_fds=descriptors,
        )


def tied(death_signal: signal.Signals = signal.SIGTERM) -> list[str]:
    """What to put before ``--`` and a command, so that it ends when the thread does that starts it.

    Args:
        death_signal: What the system sends it then; on Linux only.
    """
    launcher = [sys.executable, "-I", "-S", str(_LAUNCHER)]
    return [*launcher, "--parent", str(os.getpid()), "--death-signal", str(int(death_signal))]


def private(path: str, flags: int) -> int:
    """Opens a file, for ``open``; one that is made is readable by its owner only."""
    return os.open(path, flags, 0o600)


def stop_all(
    processes: Sequence[Process],
    signals: Sequence[tuple[signal.Signals, float]],
) -> None:
    """Ask processes to end, more firmly each time, and at last kill them.

    Args:
        processes: Children of ours; those that have ended are passed over.
        signals: Pairs of a signal and the seconds they have together after it.
    """
    for number, seconds in [*signals, (signal.SIGKILL, 10.0)]:
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            process.send_signal(number)
        deadline = time.monotonic() + seconds
        for process in alive:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))


def wait_until(ready: Callable[[], bool], process: Process, seconds: float) -> bool:
    """Wait for a child to become ready.

    Args:
        ready: Says whether it is.
        process: The child.
        seconds: How long to wait at most.

    Returns:
        True when it is ready; False when it ended or the time is over.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if ready():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return False


def end_left_overs(directory: Path, names: Sequence[str], seconds: float = 10.0) -> None:
    """End servers that an earlier, killed Karat left working in ``directory``.

    Call it with the directory locked: then whatever works there has no owner.

    Args:
        directory: Their working directory.
        names: The names of their programs.
        seconds: How long they may take to end by themselves before they are killed.
    """
    found = [one for one in psutil.process_iter(["name"]) if _works_in(one, directory, names)]
    for process in found:
        with contextlib.suppress(psutil.Error):
            # PostgreSQL's fast shutdown; Redis ends as well.
            process.send_signal(signal.SIGINT)
    _, alive = psutil.wait_procs(found, timeout=seconds)
    for process in alive:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(alive, timeout=5.0)


def _works_in(process: psutil.Process, directory: Path, names: Sequence[str]) -> bool:
    try:
        return process.name() in names and Path(process.cwd()) == directory
    except psutil.Error:
        return False


def socket_directory(directory: Path, account: Account | None) -> Path:
    """Where the socket of a server in ``directory`` goes.

    That is the directory itself, unless its path is too long for a socket or has characters that
    URLs would have to escape; then a private directory with a short name among the temporary
    files.

    Args:
        directory: The server's own directory, absolute.
        account: Who the server runs as, if not us.

    Returns:
        An existing directory that only the server's user may enter.

    Raises:
        ServiceError: Somebody else made the short directory.
    """
    if _fits(directory):
        return directory
    digest = hashlib.sha256(os.fsencode(directory)).hexdigest()[:12]
    short = (
        next(
            (
                one
                for one in (Path(tempfile.gettempdir()), Path("/tmp"))
                if _fits(one / "karat-0123456789ab")
            ),
            Path("/tmp"),
        )
        / f"karat-{digest}"
    )
    uid = account.uid if account else os.getuid()
    with contextlib.suppress(FileExistsError):
        short.mkdir(mode=0o700)
        if account is not None:
            os.chown(short, account.uid, account.gid)
    status = short.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != uid or status.st_mode & 0o077:
        raise ServiceError(
            f"{short}, where the sockets of {directory} go, belongs to somebody else.",
            "Remove it, or choose a data directory with a shorter path.",
        )
    return short


def _fits(directory: Path) -> bool:
    text = str(directory)
    plain = _PLAIN_PATH.fullmatch(text) is not None
    return plain and len(os.fsencode(text)) <= _LONGEST_SOCKET_DIRECTORY


def unprivileged_account(directory: Path) -> Account | None:
    """The user a server that refuses root runs as.

    Args:
        directory: The server's directory, which may not exist yet; its owner is kept.

    Returns:
        None unless we are root.

    Raises:
        ServiceError: We are root and there is no other user.
    """
    if os.geteuid() != 0:
        return None
    if directory.exists() and (owner := directory.stat().st_uid) != 0:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwuid(owner)
            return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    raise ServiceError(
        "PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.",
        "Start Karat as an ordinary user.",
    )


def open_to_everyone(path: Path) -> bool:
    """Whether any user may reach and use ``path``.

    Args:
        path: A directory or a program, absolute.

    Returns:
        True when it and every directory above it may be searched or run by others.
    """
    return all(one.stat().st_mode & stat.S_IXOTH for one in (path, *path.parents))


def tail(log: Path, lines: int = 8) -> str:
    """The end of a log.

    Args:
        log: The file; it may be missing.
        lines: How many lines.

    Returns:
        Its last lines, without a final newline.
    """
    if not log.exists():
        return ""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - 16_384))
        return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])
