"""How far something is, on the terminal or as lines of a log."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from karat.terminal import echo

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from karat.client.resources import Job

# Lines in a log on how far something is are so far apart: at each tenth, and between.
_LEAST_SECONDS = 5.0
_MOST_SECONDS = 30.0


@contextmanager
def bytes_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for something sent or received; in a log, lines where it takes long.

    Args:
        title: What is sent.

    Yields:
        Takes the bytes so far and the bytes in all, 0 if nobody knows them.
    """
    from rich.filesize import decimal
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with _progress(title, columns, decimal) as show:
        yield lambda done, total: show(title, done, total or None, "")


@contextmanager
def job_bar() -> Iterator[Callable[["Job"], None]]:
    """A bar for a job; in a log, lines.

    Yields:
        Takes the job each time it was looked at.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn

    columns = (
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    waiting = "waiting for a worker"
    with _progress(waiting, columns) as show:

        def update(job: "Job") -> None:
            now = job["progress"]
            if job["state"] in {"succeeded", "failed", "cancelled", "paused"}:
                # That it is, and why, is told by whoever waits for it.
                return
            if job["state"] == "queued" or now is None:
                show(job["message"] or waiting, 0, None, "")
                return
            left = now["eta_seconds"]
            step = f"{now['phase_index'] + 1}/{len(now['phases'])} " if now["phases"] else ""
            show(
                f"{step}{now['phase']}",
                now["step"],
                now["steps"] or None,
                "" if left is None else f"{left:.0f} s left",
            )

        yield update


@contextmanager
def check_bar(words: Mapping[str, str]) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """A bar for a check, and how long its phase still takes; in a log, lines.

    Args:
        words: What its phases do, in their order.

    Yields:
        Takes its events: the phase, its ``index``, the ``step`` and how many ``steps`` there are.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        TextColumn("so far:"),
        TimeElapsedColumn(),
    )
    with _progress("starting", columns) as show:
        yield lambda event: show(
            f"{event['index'] + 1}/{len(words)} {words[event['phase']]}",
            event["step"],
            event["steps"] or None,
            "",
        )


# Takes what is done now, how much of it is, of how much if that is known, and what time is left.
_Shown = Callable[[str, int, int | None, str], None]


@contextmanager
def _progress(
    first: str, columns: Sequence["ProgressColumn"], amount: Callable[[int], str] = "{:,}".format
) -> Iterator[_Shown]:
    """A bar where somebody looks, lines in a log; on stderr, so that what is printed can be piped.

    Args:
        first: What is done until something is shown; a log is not told unless it takes long.
        columns: Of the bar.
        amount: How much is done, in words of the log.
    """
    from rich.console import Console
    from rich.progress import Progress

    terminal = Console(stderr=True, highlight=False)
    if not terminal.is_interactive:
        yield _Lines(first, amount)
        return
    with Progress(*columns, console=terminal, transient=True) as progress:
        task, last = progress.add_task(first, total=None, left=""), first

        def show(what: str, done: int, total: int | None, left: str) -> None:
            nonlocal task, last
            if what != last:
                # Afresh, so that the time left is that of what is done now.
                progress.remove_task(task)
                task, last = progress.add_task(what, total=total, left=left), what
            progress.update(task, completed=done, total=total, left=left)

        yield show


class _Lines:
    """What a log has in place of a bar: a line as something begins, and some while it goes on."""

    def __init__(self, first: str, amount: Callable[[int], str]) -> None:
        self._what, self._amount = first, amount
        self._done = 0
        self._is_told = False
        self._since = time.monotonic()

    def __call__(self, what: str, done: int, total: int | None, left: str) -> None:
        waited = time.monotonic() - self._since
        tenths, percents = (self._is_further(done, total, parts) for parts in (10, 100))
        if (
            what != self._what
            or (tenths and total is not None and waited >= _LEAST_SECONDS)
            or ((percents or not self._is_told) and waited >= _MOST_SECONDS)
        ):
            self._what, self._done, self._is_told = what, done, True
            self._since = time.monotonic()
            echo(self._line(total, left), err=True)

    def _is_further(self, done: int, total: int | None, parts: int) -> bool:
        """Whether another of so many parts is done, or anything where nobody knows how much is."""
        if total is None:
            return done > self._done
        return parts * done // total > parts * self._done // total

    def _line(self, total: int | None, left: str) -> str:
        if not self._done:
            return self._what
        done = self._amount(self._done)
        if total is not None:
            done = f"{100 * self._done // total}% ({done} of {self._amount(total)})"
        return f"{self._what}: {done}{', ' if left else ''}{left}"
