"""Ctrl-C and SIGTERM as one exception that cleanup cannot be interrupted by."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """Somebody wants the program to end."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise ``Interrupted`` in the main thread at the first signal to end; ignore further ones."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    # nohup means it. SIGINT is ignored in every background job of a script, and yet whoever sends
    # it wants us to end.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        for one in numbers:
            signal.signal(one, signal.SIG_IGN)
        raise Interrupted

    previous = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore signals to end for what takes moments and must not be left half done."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
