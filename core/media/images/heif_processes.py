"""The processes that decode HEIC, which know nothing of this one.

Its decoder is led astray by damaged files, up to writing where it must not, and ends with them.
Then only that file is refused: neither an import nor the server ends as well. It is given none of
their memory, secrets or connections and can open no file, but runs as the same user.
"""

import atexit
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock, Timer
from typing import Any, Final

from core.errors import Unavailable
from core.media.images import heif_decoder
from core.media.images.heif_decoder import (
    ANSWER,
    GREETING,
    MODES,
    MOST_SECONDS,
    PIXELS,
    REQUEST,
)
from core.process.cpus import usable_cpus

PROGRAM: Final = heif_decoder.__file__
# One that is well ends by itself a little earlier.
_LATE_SECONDS: Final = MOST_SECONDS + 10
_ENDING_SECONDS: Final = 5
_MOST_TRIES: Final = 3
_MOST_SAID: Final = 16 << 20
_ANY: Final = (1 << 63) - 1
_WANTED: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "TMPDIR")


class DecoderUnavailable(Unavailable):
    """No decoder starts on this machine, which is no fault of a file."""

    def __init__(self, why: str) -> None:
        """Say what keeps it from starting."""
        super().__init__(
            "heic_decoder_unavailable",
            f"The decoder of HEIC does not start here ({why}): install Karat again, or raise the "
            "limits of processes, memory and open files; then try again.",
        )


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a decoder found in a file.

    Attributes:
        size: Columns and rows of the main image, upright.
        mode: Pillow's.
        images: How many there are.
        profile: ICC; may be empty.
        pixels: Of the main image; empty if they were not asked for.
    """

    size: tuple[int, int]
    mode: str
    images: int
    profile: bytes
    pixels: bytes


class _Decoder:
    """A process that decodes.

    Attributes:
        was_late: Whether a file took it too long, once it has ended.
        was_killed: Whether somebody else has ended it, such as a system that is short of memory.

    Raises:
        DecoderUnavailable: It does not start.
    """

    def __init__(self) -> None:
        self.was_late = self.was_killed = self._has_gone = False
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={name: os.environ[name] for name in _WANTED if name in os.environ},
                process_group=0,
            )
        except OSError as error:
            raise DecoderUnavailable(str(error)) from error
        try:
            self._expect_greeting()
        except BaseException:
            self.end()
            raise

    def _expect_greeting(self) -> None:
        errors = self._process.stderr
        assert errors
        with self._watched():
            try:
                is_well = self._read(len(GREETING)) == GREETING
            except OSError:
                is_well = False
            if not is_well:
                self._kill()
                last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise DecoderUnavailable(last or "it ends at once")
        errors.close()

    def ask(self, kind: bytes, content: bytes, most: int) -> Decoded | str | None:
        """What is in a file, or why it is not read; ``None`` if this decoder is of no more use.

        Args:
            kind: ``HEADER``, or ``PIXELS`` as well.
            content: The file.
            most: How many pixels it may have.
        """
        requests = self._process.stdin
        assert requests
        with self._watched():
            try:
                requests.write(REQUEST.pack(kind, most, len(content)))
                requests.write(content)
                requests.flush()
                said, pixels = ANSWER.unpack(self._read(ANSWER.size))
                about = json.loads(self._read(said)) if said <= _MOST_SAID else {}
                if "error" in about and not pixels:
                    return str(about["error"])
                return self._decoded(about, pixels, kind, most)
            except OSError:
                self._has_gone = True
            except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
                # No answer that it gives when it is well.
                pass
        return None

    def _decoded(self, about: dict[str, Any], pixels: int, kind: bytes, most: int) -> Decoded:
        """What an answer says, unless it is one that no decoder gives that is well."""
        width, height = map(int, about["size"])
        mode, images = str(about["mode"]), int(about["images"])
        if mode not in MODES or min(width, height, images) < 1 or width * height > most:
            raise ValueError
        if pixels != (width * height * len(mode) if kind == PIXELS else 0):
            raise ValueError
        profile = base64.b64decode(about["profile"])
        return Decoded((width, height), mode, images, profile, self._read(pixels))

    def _read(self, length: int) -> bytes:
        assert self._process.stdout
        found = self._process.stdout.read(length)
        if len(found) < length:
            raise OSError
        return found

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """End it if it takes too long, and cannot do so itself."""
        timer = Timer(_LATE_SECONDS, self._end_late)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:
            # There is no room for a thread.
            raise DecoderUnavailable(str(error)) from error
        try:
            yield
        finally:
            timer.cancel()

    def _end_late(self) -> None:
        self.was_late = True
        self._kill()

    def _kill(self) -> None:
        """End it, and whatever it was led to start."""
        if self._process.returncode is None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def has_ended(self) -> bool:
        """Whether it has, by itself or with a file."""
        return self._process.poll() is not None

    def end(self) -> None:
        """Have it end, and wait for that."""
        if self._has_gone:
            # How it has ended is known a moment after its pipes are closed.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_ENDING_SECONDS)
        by_itself = self.has_ended()
        self._kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                # What was not sent yet, nobody will read.
                with suppress(OSError):
                    pipe.close()
        status = self._process.wait()
        self.was_late |= status == -signal.SIGALRM
        self.was_killed = by_itself and not self.was_late and status == -signal.SIGKILL

    def forget(self) -> None:
        """Leave it to the process that has started it, of which this one is a copy."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._process.returncode = 0


class _Decoders:
    """As many processes as are asked at once, up to one a core. Each ends when it has no work."""

    def __init__(self) -> None:
        self._idle: list[_Decoder] = []
        self._lock = Lock()
        self._room = BoundedSemaphore(usable_cpus())

    def ask(self, kind: bytes, content: bytes, most: int = _ANY) -> Decoded:
        """What a decoder finds in a file.

        Args:
            kind: ``HEADER``, or ``PIXELS`` as well.
            content: The file.
            most: How many pixels it may have.

        Raises:
            OSError: It is damaged, or of a kind that is not read.
            DecoderUnavailable: No decoder starts, or can be watched.
        """
        with self._room:
            found = self._asked(kind, content, most)
        if isinstance(found, str):
            raise OSError(found)
        return found

    def _asked(self, kind: bytes, content: bytes, most: int) -> Decoded | str:
        decoder = self._waiting()
        # One that waited may have been left damaged by an earlier file.
        is_new = decoder is None
        for _ in range(_MOST_TRIES):
            decoder = decoder or _Decoder()
            try:
                found = decoder.ask(kind, content, most)
            except BaseException:
                decoder.end()
                raise
            if found is not None:
                with self._lock:
                    self._idle.append(decoder)
                return found
            decoder.end()
            if decoder.was_late:
                return f"it took longer to decode than {MOST_SECONDS} seconds"
            if is_new and not decoder.was_killed:
                return "its decoder ended with it"
            decoder, is_new = None, True
        return "its decoder was ended by something else each time, as where memory is short"

    def _waiting(self) -> _Decoder | None:
        with self._lock:
            ended = [one for one in self._idle if one.has_ended()]
            self._idle = [one for one in self._idle if one not in ended]
            found = self._idle.pop() if self._idle else None
        for one in ended:
            one.end()
        return found

    def close(self) -> None:
        """End those that wait."""
        while self._idle:
            self._idle.pop().end()

    def forget(self) -> None:
        """Begin anew in a copy of the process."""
        for decoder in self._idle:
            decoder.forget()
        self._idle, self._lock = [], Lock()
        self._room = BoundedSemaphore(usable_cpus())


decoders: Final = _Decoders()
atexit.register(decoders.close)
os.register_at_fork(after_in_child=decoders.forget)
