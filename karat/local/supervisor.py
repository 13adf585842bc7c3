"""Watches processes and starts again what dies."""

import contextlib
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from karat.local.logs import keep_small
from karat.local.processes import Process, ServiceError, first_line, stop_all

_MOST_RESTARTS = 8
_STEADY_SECONDS = 60.0
_LOG_SECONDS = 60.0


@dataclass
class _Child:
    start: Callable[[], Process]
    process: Process
    started: float = field(default_factory=time.monotonic)
    restarts: int = 0
    due: float | None = None


class Supervisor:
    """Keeps named processes running until told to stop them.

    What is started again belongs to the watching thread, and the system ends it when that thread
    ends; so the thread stays until ``close``.
    """

    def __init__(
        self,
        notify: Callable[[str], None],
        first_pause: float = 0.25,
        longest_pause: float = 15.0,
        no_room: Callable[[], bool] = lambda: False,
        logs: Path | None = None,
    ) -> None:
        """Supervise nothing yet.

        Args:
            notify: Told, in one sentence, when a process died and what is done about it.
            first_pause: Seconds before a process is started again; doubled each time.
            longest_pause: Seconds beyond which it is not doubled.
            no_room: Whether the disk is full: what dies then is tried again for ever, since all
                goes on once there is room.
            logs: Directory of the logs of what is supervised, which are kept small.
        """
        self._logs = logs
        self._looked = time.monotonic()
        self._longest_pause = longest_pause
        self._no_room = no_room
        self._first_pause = first_pause
        self.failure: ServiceError | None = None
        self.failed = threading.Event()
        self._notify = notify
        self._children: dict[str, _Child] = {}
        self._lock = threading.Lock()
        self._watching = False
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def processes(self) -> dict[str, Process]:
        """The latest process of each name, in the order of their first start."""
        return {name: child.process for name, child in self._children.items()}

    def start(self, name: str, start: Callable[[], Process]) -> None:
        """Start a process and remember how.

        Args:
            name: What to call it.
            start: Starts it; called again when it dies.

        Raises:
            ServiceError: It does not start.
        """
        self._children[name] = _Child(start, start())

    def watch(self) -> None:
        """Begin to start again what dies."""
        self._watching = True
        self._thread = threading.Thread(target=self._run, name="karat-supervisor", daemon=True)
        self._thread.start()

    def unwatch(self) -> None:
        """Start nothing again from now on."""
        with self._lock:
            self._watching = False

    def stop(self, names: list[str], seconds: float) -> None:
        """Stop processes together: SIGTERM, and after a while SIGKILL.

        Args:
            names: Which; those that never started are passed over.
            seconds: How long they may take.
        """
        stop_all(
            [self._children[name].process for name in names if name in self._children],
            [(signal.SIGTERM, seconds)],
        )

    def close(self) -> None:
        """End the watching thread, and with it whatever it started that still runs."""
        self.unwatch()
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            while not self._closed.wait(0.2):
                with self._lock:
                    if self._watching:
                        for name, child in self._children.items():
                            self._look_after(name, child)
                self._look_at_logs()
        except Exception as error:
            # Nobody would notice otherwise that nothing is started again.
            self.failure = ServiceError(f"Processes are watched no more: {first_line(error)}.")
            self.failed.set()
            self._closed.wait()

    def _look_at_logs(self) -> None:
        if self._logs is None or time.monotonic() - self._looked < _LOG_SECONDS:
            return
        self._looked = time.monotonic()
        for log in self._logs.glob("*.log"):
            keep_small(log)

    def _look_after(self, name: str, child: _Child) -> None:
        now = time.monotonic()
        if child.due is not None:
            if now >= child.due:
                self._start_again(name, child)
            return
        status = child.process.poll()
        if status is None or self.failure is not None:
            return
        if now - child.started > _STEADY_SECONDS:
            child.restarts = 0
        why = ""
        if self._no_room():
            why = " The disk is full: make room, and it goes on."
        elif child.restarts >= _MOST_RESTARTS:
            self.failure = ServiceError(
                f"{name} {_how_it_ended(status)} for the {child.restarts + 1}th time."
            )
            self.failed.set()
            return
        # Nothing doubles for ever.
        pause = min(self._first_pause * 2 ** min(child.restarts, 30), self._longest_pause)
        child.due = now + pause
        self._tell(f"{name} {_how_it_ended(status)}; starting it again in {pause:g} s.{why}")

    def _start_again(self, name: str, child: _Child) -> None:
        child.due = None
        child.restarts += 1
        child.started = time.monotonic()
        try:
            child.process = child.start()
        except Exception as error:
            # Whatever it was, such as no room for another process: its dead process stays, and is
            # met again next time.
            self._tell(f"{name} did not come up: {first_line(error)}.")

    def _tell(self, message: str) -> None:
        # On a full disk, or a terminal that is gone, nothing can be said, and all else goes on.
        with contextlib.suppress(Exception):
            self._notify(message)


def _how_it_ended(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
