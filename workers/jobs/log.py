"""A log of each job that people read: one line an event, kept through kills and retries."""

import logging
import os
import re
import threading
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Final

logger = logging.getLogger(__name__)

_PROGRESS_SECONDS: Final = 30.0
_LIMIT: Final = 1 << 20
"""Bytes of a log beyond which no more progress is noted."""
_HARD_LIMIT: Final = _LIMIT + (1 << 16)
_LONGEST: Final = 1000
_FRAMES: Final = 8
_ROOT: Final = Path(__file__).resolve().parents[2]
_URL = re.compile(r"\b([a-z][a-z0-9+.-]*)://\S+", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w.…/])/(?:[^\s/'\"(),:;]+/)+(?=[^\s/'\"(),:;])")


class JobLog:
    """Appends to the log of one job; safe to use from several threads.

    A log that cannot be written to is no reason for a job to fail.
    """

    def __init__(self, path: Path, attempt: int, every: float = _PROGRESS_SECONDS) -> None:
        """Write nothing yet.

        Args:
            path: Of the log.
            attempt: Which attempt at the job it is; each line names it.
            every: Seconds between two lines of progress.
        """
        self._path, self._attempt, self._every = path, attempt, every
        self._lock = threading.Lock()
        self._noted = time.monotonic()

    def write(self, event: str) -> None:
        """Add an event, in one line."""
        self._append(event, _HARD_LIMIT)

    def progress(self, event: str) -> None:
        """Add an event, unless the one before is not long ago."""
        now = time.monotonic()
        if now - self._noted >= self._every:
            self._noted = now
            self._append(event, _LIMIT)

    def traceback(self, error: BaseException) -> None:
        """Add where an error came from, innermost last: a line for each place."""
        for frame in traceback.extract_tb(error.__traceback__)[-_FRAMES:]:
            self.write(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}")
        self.write(f"  {said_of(error)}")

    def _append(self, event: str, limit: int) -> None:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = " ".join(scrubbed(event[:_LONGEST]).splitlines())
        line = f"{now} attempt {self._attempt}: {text}\n".encode()
        try:
            with self._lock:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                # One write to the end, so that lines of two processes never mix.
                file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
                try:
                    if os.fstat(file).st_size + len(line) <= limit:
                        os.write(file, line)
                finally:
                    os.close(file)
        except OSError as error:
            logger.warning("cannot write the log of a job: %s", error)


def scrubbed(text: str) -> str:
    """Leave out what is nobody's business: addresses, which may hold passwords, and folders."""
    return _PATH.sub("…/", _URL.sub(r"\1://…", text))


def said_of(error: BaseException) -> str:
    """What people are told of an error that nobody foresaw.

    Its first line: after that the database quotes the statement, and the row.
    """
    message = str(error).partition("\n")[0]
    return scrubbed(f"{type(error).__name__}: {message}"[:_LONGEST])


def _place(filename: str) -> str:
    """Name a source file without saying where on the machine it is."""
    path = PurePath(filename)
    if path.is_relative_to(_ROOT) and "site-packages" not in path.parts:
        return str(path.relative_to(_ROOT))
    if "site-packages" in path.parts:
        return "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    return path.name
