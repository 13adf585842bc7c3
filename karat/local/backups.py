"""Backups of a directory, one after another: made when they are due, the oldest removed."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg

from karat.local.backup import BackedUp
from karat.local.processes import ServiceError

LEAST: Final = timedelta(minutes=1)
_NAME: Final = "karat-%Y%m%dT%H%M%SZ.tar"
_OURS: Final = re.compile(r"karat-\d{8}T\d{6}Z\.tar")
# What a backup that was killed has left; its name says which it was to be.
_PART: Final = re.compile(r"karat-\d{8}T\d{6}Z\.tar\.[0-9a-f]{32}\.(part|dump)")
_EVERY: Final = re.compile(r"([1-9]\d{0,4})\s*([mhd])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
# After a failure, such as a full disk: sooner than a day, and not at once.
_AGAIN: Final = timedelta(minutes=15)
# As far ahead another machine's clock may be.
_AHEAD: Final = timedelta(minutes=1)


def read_every(text: str) -> timedelta:
    """An interval such as ``24h``, ``30m`` or ``7d``.

    Raises:
        ValueError: It is none.
    """
    found = _EVERY.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(f"{text!r} is no interval. Write it as 24h, 30m or 7d.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup that is there, and when it was begun."""

    path: Path
    at: datetime


class Backups:
    """The backups of a directory. Other files there are left alone."""

    def __init__(self, directory: Path, every: timedelta, keep: int) -> None:
        """Look nowhere yet.

        Args:
            directory: Where they are; made if missing.
            every: How long after one the next is due.
            keep: How many of them stay, the newest; at least 1.
        """
        self.directory = directory.expanduser()
        self._every, self._keep = every, keep
        self._failed_at: datetime | None = None

    def found(self) -> list[Kept]:
        """Those that are there, the newest first."""
        names = self.directory.iterdir() if self.directory.is_dir() else ()
        ours = [path for path in names if _OURS.fullmatch(path.name)]
        kept = [
            Kept(path, datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)) for path in ours
        ]
        return sorted(kept, key=lambda one: one.at, reverse=True)

    def left(self, now: datetime) -> timedelta:
        """How long until the next is due; nothing or less: it is due."""
        newest = self._newest(now)
        wait = newest + self._every - now if newest else timedelta(0)
        if self._failed_at is not None and not _is_ahead(self._failed_at, now):
            wait = max(wait, self._failed_at + min(_AGAIN, self._every) - now)
        return wait

    def is_late(self, now: datetime) -> bool:
        """Whether one was due an interval ago, and is not there."""
        newest = self._newest(now)
        return newest is None or now - newest > 2 * self._every

    def _newest(self, now: datetime) -> datetime | None:
        """When the newest was begun; one from the future, of a clock since set back, is none."""
        return next((one.at for one in self.found() if not _is_ahead(one.at, now)), None)

    def make(self, write: Callable[[Path], BackedUp], now: datetime) -> tuple[Path, BackedUp]:
        """Write one, and remove those beyond the number to keep; none goes if that fails.

        Args:
            write: Writes a backup to a path, or raises.
            now: When it begins.

        Returns:
            Where it is, and what is in it.

        Raises:
            ServiceError: The directory cannot be written to, or as ``write`` does.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._remove_parts()
            path = self.directory / now.strftime(_NAME)
            made = write(path)
        except OSError as error:
            self._failed_at = now
            raise ServiceError(
                f"No backup was written to {self.directory}: {error.strerror or error}.",
                "Make room there, or name another directory. It is tried again.",
            ) from error
        except psycopg.Error as error:
            self._failed_at = now
            raise ServiceError(
                "No backup was written: the database does not answer.", "It is tried again."
            ) from error
        except ServiceError:
            self._failed_at = now
            raise
        self._failed_at = None
        # Those from the future go first: how old they are nobody knows.
        for old in sorted(self.found(), key=lambda one: _is_ahead(one.at, now))[self._keep :]:
            with suppress(FileNotFoundError):
                old.path.unlink()
        return path, made

    def _remove_parts(self) -> None:
        for path in list(self.directory.iterdir()):
            if _PART.fullmatch(path.name):
                path.unlink(missing_ok=True)


def _is_ahead(at: datetime, now: datetime) -> bool:
    return at > now + _AHEAD
