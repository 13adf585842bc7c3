"""HEIC, as phones take it, for Pillow. Processes of their own decode it.

Its decoder is led astray by damaged files, up to writing where it must not, and ends with them.
Then only that file is refused: neither an import nor the server ends as well. It is given none of
their memory, secrets or connections, but runs as the same user.
"""

import atexit
import base64
import json
import os
import subprocess
import sys
from threading import BoundedSemaphore, Lock, Timer
from typing import Any, Final

from PIL import Image, ImageFile

from core.media.images import heif_decoder
from core.media.images.heif_decoder import ANSWER, HEADER, PIXELS, REQUEST

_BRANDS: Final = frozenset(
    {
        *(b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"),
        *(b"mif1", b"msf1"),
    }
)
_MODES: Final = frozenset({"L", "LA", "La", "RGB", "RGBA", "RGBa"})
_MOST_SECONDS: Final = 120
_ROOM: Final = os.cpu_count() or 1
_WANTED: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "TMPDIR")


class _Decoder:
    """A process that decodes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", heif_decoder.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _WANTED if name in os.environ},
        )

    def ask(self, kind: bytes, content: bytes) -> tuple[dict[str, Any], bytes] | None:
        """What it says, and pixels; ``None`` if it has ended instead."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests
        assert answers
        timer = Timer(_MOST_SECONDS, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            requests.write(REQUEST.pack(kind, len(content)))
            requests.write(content)
            requests.flush()
            head = answers.read(ANSWER.size)
            if len(head) < ANSWER.size:
                return None
            about, pixels = (answers.read(length) for length in ANSWER.unpack(head))
            return json.loads(about), pixels
        except (OSError, ValueError):
            return None
        finally:
            timer.cancel()

    def end(self) -> None:
        """Have it end, and wait for that."""
        self._process.kill()
        self._process.communicate()

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
        self._room = BoundedSemaphore(_ROOM)

    def ask(self, kind: bytes, content: bytes) -> tuple[dict[str, Any], bytes]:
        """What a decoder says of a file.

        Raises:
            OSError: It is damaged, or of a kind that is not read.
        """
        with self._room:
            found = self._asked(kind, content)
        if found is None:
            raise OSError("its decoder ended with it")
        said, pixels = found
        if "error" in said:
            raise OSError(said["error"])
        return said, pixels

    def _asked(self, kind: bytes, content: bytes) -> tuple[dict[str, Any], bytes] | None:
        with self._lock:
            decoder = self._idle.pop() if self._idle else None
        found = decoder and decoder.ask(kind, content)
        if decoder and not found:
            # It had nothing to do for long, or an earlier file has left it damaged.
            decoder.end()
        if not decoder or not found:
            decoder = _Decoder()
            found = decoder.ask(kind, content)
        if not found:
            decoder.end()
            return None
        with self._lock:
            self._idle.append(decoder)
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
        self._room = BoundedSemaphore(_ROOM)


_decoders: Final = _Decoders()
atexit.register(_decoders.close)
os.register_at_fork(after_in_child=_decoders.forget)


class HeifImageFile(ImageFile.ImageFile):
    """The main image of a file. It is upright, whatever EXIF and XMP say: decoding turns it."""

    format = "HEIF"
    format_description = "HEIF"
    n_frames = 1
    is_animated = False
    _content: bytes | None = None

    def _open(self) -> None:
        assert self.fp is not None
        self._content = self.fp.read()
        try:
            said, _ = _decoders.ask(HEADER, self._content)
            self._take(said)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SyntaxError(str(error)) from None
        self.n_frames = int(said["images"])
        self.is_animated = self.n_frames > 1
        if said["profile"]:
            self.info["icc_profile"] = base64.b64decode(said["profile"])
        self.tile = []

    def load(self) -> Any:
        """Decode it.

        Raises:
            OSError: Its pixels are damaged.
        """
        if self._content is not None:
            said, pixels = _decoders.ask(PIXELS, self._content)
            self._content = None
            promised = self.width * self.height
            self._take(said)
            if self.width * self.height > promised:
                raise OSError("it has more pixels than its header says")
            self.load_prepare()
            self.frombytes(pixels, "raw", self.mode)
        return super().load()

    def _take(self, said: dict[str, Any]) -> None:
        width, height = said["size"]
        if said["mode"] not in _MODES:
            raise OSError(f"pixels of a kind that we do not read ({said['mode']})")
        self._size, self._mode = (int(width), int(height)), said["mode"]


def _is_heif(prefix: bytes) -> bool:
    return prefix[4:8] == b"ftyp" and prefix[8:12] in _BRANDS


def register() -> None:
    """Have Pillow read HEIC by this."""
    Image.register_open(HeifImageFile.format, HeifImageFile, _is_heif)


register()
