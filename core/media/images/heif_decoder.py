"""The program that decodes HEIC, one file after another. See ``core.media.images.heif``.

A request is a kind, the number of bytes of a file, and these. An answer is two numbers of bytes,
and as many: of what is known of the image, as JSON, and of its pixels.
"""

import base64
import json
import resource
import signal
import sys
from contextlib import suppress
from select import select
from struct import Struct
from typing import Any, BinaryIO, Final

import pi_heif
from pi_heif import options

REQUEST: Final = Struct(">cQ")
ANSWER: Final = Struct(">LQ")
HEADER: Final = b"h"
PIXELS: Final = b"p"
_IDLE_SECONDS: Final = 60
_MOST_MEMORY: Final = 8 << 30


def main() -> None:
    """Answer until nothing is asked for a while, or who asks has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for kind, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CORE, 0)):
        # Not every system has each of them.
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
    # Nobody's picture: previews, depth, and what else phones add.
    options.THUMBNAILS = options.DEPTH_IMAGES = options.AUX_IMAGES = False
    # Who decodes many asks from several threads.
    options.DECODE_THREADS = 1
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while select([requests], [], [], _IDLE_SECONDS)[0] and (request := _request(requests)):
        said, pixels = _answer(*request)
        about = json.dumps(said).encode()
        answers.write(ANSWER.pack(len(about), len(pixels)))
        answers.write(about)
        answers.write(pixels)
        answers.flush()


def _request(requests: BinaryIO) -> tuple[bytes, bytes] | None:
    head = requests.read(REQUEST.size)
    if len(head) < REQUEST.size:
        return None
    kind, length = REQUEST.unpack(head)
    content = requests.read(length)
    return (kind, content) if len(content) == length else None


def _answer(kind: bytes, content: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        file = pi_heif.open_heif(content, convert_hdr_to_8bit=True)
        image = file[file.primary_index]
        # Decoding may find another size than the header has.
        pixels = bytes(image.data) if kind == PIXELS else b""
        profile = image.info.get("icc_profile") or b""
        said = {
            "size": image.size,
            "mode": image.mode,
            "images": len(file),
            "profile": base64.b64encode(profile).decode(),
        }
    except Exception as error:  # it raises whatever hostile bytes lead it to
        return {"error": str(error) or type(error).__name__}, b""
    return said, pixels


if __name__ == "__main__":
    main()
