"""JPEGs that lack nothing but the marker at their end, as some cameras and downloads leave them."""

from collections import defaultdict
from hashlib import sha256, sha512
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

from core.media.images.gate import decoding

_BEGIN: Final = b"\xff\xd8\xff"
_SCAN: Final = b"\xff\xda"
_END: Final = b"\xff\xd9"
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_NO_SEGMENT: Final = frozenset({0x00, 0x01, *range(0xD0, 0xDA), 0xFF})
_COEFFICIENTS: Final = 64
# What would be read as pixels if any were missing. Short codes stand for the same small change in
# several of them, so two alike prove little: many are tried, until one makes another picture.
_PADDING: Final = (
    *(bytes([byte]) * 64 for byte in (0x55, 0xAA, 0x0F, 0xFE)),
    *(sha512(bytes([seed])).digest().replace(b"\xff", b"\xfe") for seed in range(8)),
)


def completed(source: Path | bytes, max_pixels: int | None) -> Path | bytes:
    """An original with its end marker, if it is a JPEG that lacks that alone; else as it is.

    Whether pixels are missing too is not told by the file. If all scans are there that it takes,
    and what stands behind the last one changes no pixel, none are.

    Args:
        source: The original.
        max_pixels: Largest width × height that is decoded.
    """
    if not _is_open(source):
        return source
    content = source if isinstance(source, bytes) else source.read_bytes()
    if content.rfind(_END) > content.rfind(_SCAN):
        return source
    content = content.removesuffix(_END[:1])
    if not _has_all_scans(content):
        return source
    try:
        with Image.open(BytesIO(content), formats=["JPEG"]) as image:
            pixels = image.width * image.height
        if max_pixels is not None and pixels > max_pixels:
            return source
        with decoding.hold(pixels):
            picture = _picture(content + _END)
            is_whole = all(_picture(content + more + _END) == picture for more in _PADDING)
    except Exception:  # Pillow's readers raise whatever hostile bytes lead them to
        return source
    return content + _END if is_whole else source


def _is_open(source: Path | bytes) -> bool:
    """Whether it begins as a JPEG, and does not end as one."""
    if isinstance(source, bytes):
        return source.startswith(_BEGIN) and not source.endswith(_END)
    with source.open("rb") as file:
        if file.read(len(_BEGIN)) != _BEGIN:
            return False
        file.seek(-len(_END), 2)
        return file.read() != _END


def _has_all_scans(content: bytes) -> bool:
    """Whether the scans of a JPEG bring every coefficient of each channel in full precision."""
    channels: set[int] = set()
    brought: dict[int, set[int]] = defaultdict(set)
    at = 2
    while (at := content.find(b"\xff", at)) >= 0 and at + 4 <= len(content):
        marker = content[at + 1]
        if marker in _NO_SEGMENT:
            # Of pixels, or filling.
            at += 1 if marker == 0xFF else 2
            continue
        end = at + 2 + int.from_bytes(content[at + 2 : at + 4], "big")
        segment = content[at + 4 : end]
        if marker in _FRAMES and len(segment) >= 6:
            channels = {*segment[6 : 6 + 3 * segment[5] : 3]}
        elif marker == _SCAN[1] and len(segment) >= 4 and end <= len(content):
            *named, first, last, precision = segment[1:]
            if precision & 15 == 0:
                for channel in named[: 2 * segment[0] : 2]:
                    brought[channel] |= {*range(first, last + 1)}
        at = end
    return bool(channels) and all(len(brought[one]) == _COEFFICIENTS for one in channels)


def _picture(content: bytes) -> bytes:
    with Image.open(BytesIO(content), formats=["JPEG"]) as image:
        return sha256(image.tobytes()).digest()
