"""A job that meets a full disk waits, says so, and goes on by itself; it never fails of it."""

import errno
import sqlite3
from typing import Any

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from core import settings
from core.files import disk
from core.states import JobState
from core.tables import Job
from tests.workers.import_files import Pool, png, zipped
from workers.celery_tasks.sweep import sweep
from workers.imports.pool import PoolWriter


def _sqlite() -> Exception:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


def _chained() -> Exception:
    error = RuntimeError("could not write")
    error.__cause__ = OSError(errno.EDQUOT, "Disk quota exceeded")
    return error


FULL: list[Exception] = [
    OSError(errno.ENOSPC, "No space left on device"),
    psycopg.errors.DiskFull("could not extend file"),
    OperationalError("INSERT", {}, psycopg.errors.DiskFull("could not extend file")),
    _sqlite(),
    _chained(),
]
NOT: list[Exception] = [
    OSError(errno.EACCES, "Permission denied"),
    OperationalError("INSERT", {}, psycopg.OperationalError("server closed the connection")),
    ValueError("no"),
]


def _message(job: Job) -> str:
    return job.message or ""


@pytest.mark.parametrize("error", FULL, ids=lambda one: type(one).__name__)
def test_a_job_that_meets_a_full_disk_waits_and_goes_on(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    job = pool.queue(zipped([(f"{seed}.png", png(seed)) for seed in range(3)]))

    def full(*_: Any) -> None:
        raise error

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(PoolWriter, "write_files", full)
        pool.run(job)
    assert str(job.state) == "queued"
    assert _message(job).startswith("Waits for room on the disk")
    pool.session.commit()
    sweep({})
    pool.session.refresh(job)
    # There is room: it was sent again.
    assert _message(job) == ""
    pool.run(job)
    assert job.state is JobState.SUCCEEDED
    assert len(pool.examples()) == 3


@pytest.mark.parametrize("error", NOT, ids=lambda one: type(one).__name__)
def test_other_failures_are_no_full_disk(error: Exception) -> None:
    assert not disk.is_full(error)


def test_below_the_mark_no_job_begins_and_the_sweep_sends_none(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = pool.queue(zipped([("0.png", png(0))]))
    with monkeypatch.context() as meanwhile:
        meanwhile.setenv("KARAT_DISK_LOW_BYTES", str(2**60))
        # A fifth of the disk is the most that counts.
        meanwhile.setattr("core.files.disk.shutil.disk_usage", _nearly_full)
        settings.settings.cache_clear()
        for _ in range(2):
            pool.run(job)
            sweep({})
        pool.session.refresh(job)
        assert (job.state, job.attempt) == (JobState.QUEUED, 0)
        assert _message(job).startswith("Waits for room on the disk")
        pool.session.commit()
    settings.settings.cache_clear()
    sweep({})
    pool.run(job)
    assert pool.session.get_one(Job, job.id).state is JobState.SUCCEEDED


def _nearly_full(_: object) -> Any:
    return type("Usage", (), {"free": 2**20, "total": 2**40})
