"""Ctrl-C and SIGTERM as one exception that cleanup cannot be interrupted by."""

import signal
from collections.abc import Callable, Iterable, Iterator
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

    with _handled(numbers, interrupt):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore signals to end for what takes moments and must not be left half done."""
    with _handled((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), signal.SIG_IGN):
        yield


@contextmanager
def _handled(
    numbers: Iterable[signal.Signals], handler: signal.Handlers | Callable[..., object]
) -> Iterator[None]:
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)
