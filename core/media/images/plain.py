"""Small JPEGs of which nothing has to be decided, decoded without looking at anything else.

Most small images of a pool are such: eight bits of grey or colour, upright, without a profile. What
Pillow finds out of each beforehand takes it as long as decoding a few thousand pixels.
"""

import struct
from dataclasses import dataclass
from typing import Final

from PIL import Image

_BEGIN: Final = b"\xff\xd8\xff"
_END: Final = b"\xff\xd9"
# Pillow hands libjpeg more than this in several pieces; and of larger ones, decoding is the cost.
_MOST_BYTES: Final = 1 << 16
_MODES: Final = {1: "L", 3: "RGB"}
# Baseline, extended and progressive Huffman: what browsers show.
_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
_HUFFMAN: Final = 0xC4
_QUANTIZATION: Final = 0xDB
_RESTART: Final = 0xDD
_SCAN: Final = 0xDA
_JFIF: Final = 0xE0
_TABLE: Final = 65


@dataclass(frozen=True, slots=True)
class PlainJpeg:
    """A JPEG that is its own picture: every reader sees it upright, in sRGB, opaque, of 8 bits.

    Attributes:
        content: The file.
        width: Its columns.
        height: Its rows.
        mode: Pillow's, L or RGB.
    """

    content: bytes
    width: int
    height: int
    mode: str

    def decoded(self) -> Image.Image | None:
        """The picture in mode RGB, as from ``Image.open``; ``None`` if that may say otherwise."""
        try:
            image = Image.frombytes(
                self.mode, (self.width, self.height), self.content, "jpeg", self.mode, ""
            )
        except (ValueError, OSError):
            return None
        return image if self.mode == "RGB" else image.convert("RGB")


def plain_jpeg(content: bytes) -> PlainJpeg | None:
    """``content``, if its header has one frame and its tables, and nothing else.

    ``None`` is no more than: it takes a closer look. So anything unusual is such, be it harmless.
    """
    if len(content) > _MOST_BYTES or content[:3] != _BEGIN or content[-2:] != _END:
        return None
    width, height, mode = 0, 0, ""
    at = 2
    try:
        while content[at] == 0xFF:
            marker = content[at + 1]
            length = content[at + 2] << 8 | content[at + 3]
            if marker == _SCAN:
                return PlainJpeg(content, width, height, mode) if width and height else None
            if marker in _FRAMES:
                bits, height, width, channels = struct.unpack_from(">BHHB", content, at + 4)
                if mode or bits != 8 or length != 8 + 3 * channels or channels not in _MODES:
                    return None
                mode = _MODES[channels]
            elif marker == _QUANTIZATION:
                if not _is_of_bytes(content, at + 4, at + 2 + length):
                    return None
            elif marker == _JFIF:
                if length < 16 or content[at + 4 : at + 9] != b"JFIF\0":
                    return None
            elif marker not in {_HUFFMAN, _RESTART} or length < 2:
                return None
            at += 2 + length
    except (IndexError, struct.error):
        pass
    return None


def _is_of_bytes(content: bytes, start: int, end: int) -> bool:
    """Whether quantization tables of 8 bits fill the segment."""
    return start < end and (end - start) % _TABLE == 0 and max(content[start:end:_TABLE]) < 16
