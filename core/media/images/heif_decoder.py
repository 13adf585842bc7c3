"""The program that decodes HEIC, one file after another. See ``core.media.images.heif_processes``.

It greets once it can decode. A request is a kind, how many pixels there may be, the number of bytes
of a file, and these. An answer is two numbers of bytes, and as many: of what is known of the image,
as JSON, and of its pixels.
"""

import base64
import json
import os
import resource
import signal
import sys
from contextlib import suppress
from select import select
from struct import Struct
from typing import Any, BinaryIO, Final

from pi_heif import libheif_info, open_heif, options

GREETING: Final = b"HEIC"
REQUEST: Final = Struct(">cQQ")
ANSWER: Final = Struct(">LQ")
HEADER: Final = b"h"
PIXELS: Final = b"p"
MODES: Final = frozenset({"L", "LA", "La", "RGB", "RGBA", "RGBa"})
"""Of Pillow, that an answer may be in. Each letter is a byte of a pixel."""
MOST_SECONDS: Final = 120
"""For one file. Then the program ends, by ``SIGALRM``."""
_IDLE_SECONDS: Final = 60
# For the program itself, and for each pixel: ten bits of four channels, then eight, then a copy.
_OWN_MEMORY: Final = 1 << 29
_PIXEL_MEMORY: Final = 32
_MOST_MEMORY: Final = 8 << 30


def main() -> None:
    """Answer until nothing is asked for a while, or who asks has gone."""
    # Of what ends others it hears by the end of its requests.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # The library is looked for as late as this, and importing it says nothing of what is missing.
    if not libheif_info()["decoders"]:
        sys.exit("libheif is there, and cannot decode HEIC")
    # Nobody's picture: previews, depth, and what else phones add.
    options.THUMBNAILS = options.DEPTH_IMAGES = options.AUX_IMAGES = False
    # Who decodes many asks from several threads.
    options.DECODE_THREADS = 1
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    _shut_in()
    answers.write(GREETING)
    answers.flush()
    while select([requests], [], [], _IDLE_SECONDS)[0]:
        signal.alarm(MOST_SECONDS)
        request = _request(requests)
        if request is None:
            break
        said, pixels = _answer(*request)
        about = json.dumps(said).encode()
        answers.write(ANSWER.pack(len(about), len(pixels)))
        answers.write(about)
        answers.write(pixels)
        answers.flush()
        signal.alarm(0)


def _shut_in() -> None:
    """Have nothing that the decoder is led to open a file or a connection, or be an answer."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    # The library needs threads, so that their number stays as it is.
    for kind in ("RLIMIT_NOFILE", "RLIMIT_CORE"):
        # Not every system has each of them.
        with suppress(AttributeError, OSError, ValueError):
            resource.setrlimit(getattr(resource, kind), (0, 0))


def _request(requests: BinaryIO) -> tuple[bytes, int, bytes] | None:
    head = requests.read(REQUEST.size)
    if len(head) < REQUEST.size:
        return None
    kind, most, length = REQUEST.unpack(head)
    content = requests.read(length)
    return (kind, most, content) if len(content) == length else None


def _answer(kind: bytes, most: int, content: bytes) -> tuple[dict[str, Any], bytes]:
    own = _OWN_MEMORY + 2 * len(content)
    _leave_memory(own)
    try:
        file = open_heif(content, convert_hdr_to_8bit=True)
        image = file[file.primary_index]
        width, height = image.size
        if min(width, height) < 1:
            raise OSError("it has no pixels")
        _leave_memory(own + _PIXEL_MEMORY * width * height)
        pixels = bytes(image.data) if kind == PIXELS else b""
        # Decoding may have found another size than the header has.
        width, height = image.size
        if width * height > most:
            raise OSError("it has more pixels than its header says")
        if image.mode not in MODES:
            raise OSError(f"its pixels are of a kind that we do not read ({image.mode})")
        profile = image.info.get("icc_profile")
        said = {
            "size": image.size,
            "mode": image.mode,
            "images": len(file),
            "profile": base64.b64encode(profile if isinstance(profile, bytes) else b"").decode(),
        }
    except Exception as error:  # it raises whatever hostile bytes lead it to
        return {"error": str(error) or type(error).__name__}, b""
    return said, pixels


def _leave_memory(wanted: int) -> None:
    with suppress(AttributeError, OSError, ValueError):
        _, given = resource.getrlimit(resource.RLIMIT_AS)
        most = _MOST_MEMORY if given == resource.RLIM_INFINITY else min(given, _MOST_MEMORY)
        resource.setrlimit(resource.RLIMIT_AS, (min(wanted, most), most))


if __name__ == "__main__":
    main()
