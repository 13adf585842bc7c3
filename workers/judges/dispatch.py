"""Asking a judge by a courier: a process that brings home what is on its way when this one dies."""

import errno
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from sqlalchemy.exc import OperationalError

from core.errors import Conflict
from workers.judges.errors import JudgeDown, OverBudget, Unanswered
from workers.judges.orders import Ask, Order

_CHECK_SECONDS: Final = 0.5
_GRACE_SECONDS: Final = 20.0
_WAITS: Final = (
    "waits for what a worker that died had sent to the judge: it comes, and is not asked again"
)


def dispatch(
    order: Order,
    asks: Iterable[Ask],
    on_done: Callable[[int, dict[str, Any]], None],
    *,
    check: Callable[[], None],
    say: Callable[[str], None],
    on_favours: Callable[[], None] = lambda: None,
) -> None:
    """Have everything asked by a process that outlives this one.

    Args:
        order: Whom to ask, for which job. No two are asked for one job at a time: what one that was
            left has on its way is waited for, as long as the judge's timeout.
        asks: Taken one by one, by another thread, as soon as nobody else asks for the job.
        on_done: Told of each answer by its number, in the order in which they come.
        check: Asked twice a second whether to go on; what it raises ends the asking. What is on its
            way then is waited for, for some seconds, and kept in any case.
        say: Told what it waits for.
        on_favours: Told, before the end or an error, if the judge's orders are those in which rows
            were shown.

    Raises:
        JudgeDown: The judge cannot be asked.
        OverBudget: What may be spent is spent.
        Unanswered: It did not embed something.
        OperationalError: The database is gone.
        OSError: There is no room left for answers.
        Conflict: ``courier_lost``, as the process was killed.
    """
    with _courier() as courier:
        feeder = threading.Thread(target=courier.feed, args=(order, asks), daemon=True)
        reader = threading.Thread(target=courier.read, daemon=True)
        feeder.start()
        reader.start()
        try:
            courier.follow(on_done, check, say, on_favours)
        finally:
            # Nothing new is sent from here on.
            courier.leave()
            with suppress(subprocess.TimeoutExpired):
                courier.process.wait(min(_GRACE_SECONDS, order.settings.timeout))
                reader.join()
            feeder.join()


class _Courier:
    """The process, from the worker's side."""

    def __init__(self, process: "subprocess.Popen[bytes]", life: int) -> None:
        self.process = process
        self._life: int | None = life
        self._said: queue.SimpleQueue[dict[str, Any] | Exception | None] = queue.SimpleQueue()
        self._ready = threading.Event()

    def feed(self, order: Order, asks: Iterable[Ask]) -> None:
        """Send the order and, when nobody else asks for the job, what to ask."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError), self.process.stdin:
            self._send(order.to_json())
            self._ready.wait()
            left = iter(asks)
            while self._life is not None:
                try:
                    ask = next(left, None)
                except Exception as error:
                    # Of the database, say.
                    self._said.put(error)
                    return
                if ask is None:
                    return
                self._send(ask)

    def read(self) -> None:
        """Take what it says, so that it never waits for this process, and see to its end."""
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                # Killed in the middle of one, it leaves a part of it.
                if line.endswith(b"\n"):
                    self._said.put(json.loads(line))
        self._said.put(None)
        # One that was left ends later, when nobody else asks for it.
        self.process.wait()

    def follow(
        self,
        on_done: Callable[[int, dict[str, Any]], None],
        check: Callable[[], None],
        say: Callable[[str], None],
        on_favours: Callable[[], None],
    ) -> None:
        """Hand on what it says until all is done; see ``dispatch``."""
        while True:
            check()
            try:
                said = self._said.get(timeout=_CHECK_SECONDS)
            except queue.Empty:
                continue
            if said is None:
                raise Conflict(
                    "courier_lost",
                    "The process that asks the judge was killed. What was answered is kept: start "
                    "again, and look at the memory of the machine if it happens once more.",
                )
            if isinstance(said, Exception):
                raise said
            if "number" in said:
                on_done(said["number"], said["found"])
            elif "ready" in said:
                self._ready.set()
            elif "waits" in said:
                say(_WAITS)
            elif "favours_places" in said:
                on_favours()
            elif "end" in said:
                return
            else:
                raise _error(said)

    def leave(self) -> None:
        """Want nothing more; what is on its way is still brought home."""
        if self._life is not None:
            life, self._life = self._life, None
            os.close(life)
        self._ready.set()

    def _send(self, what: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what).encode() + b"\n")
        self.process.stdin.flush()


@contextmanager
def _courier() -> Iterator[_Courier]:
    theirs, ours = os.pipe()
    try:
        process = _started(theirs)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    yield _Courier(process, ours)


def _started(life: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "workers.judges.courier", str(life)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(life,),
        # What ends this one, as Ctrl-C in a terminal, does not end it.
        start_new_session=True,
    )


def _error(said: dict[str, Any]) -> Exception:
    match said["error"]:
        case "down":
            return JudgeDown(said["fault"], said["detail"])
        case "cap":
            return OverBudget(said["spent"], said["most"])
        case "unanswered":
            return Unanswered(said["reason"], said["detail"])
        case "full":
            return OSError(errno.ENOSPC, said["detail"])
        case "database":
            return OperationalError("asking a judge", {}, Exception(said["detail"]))
        case _:
            return RuntimeError(said["detail"])
