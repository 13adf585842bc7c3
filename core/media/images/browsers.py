"""Which originals every browser shows as everybody is to see them."""

import re
import struct
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image, TiffImagePlugin

from core.media.images import colour

_ORIENTATION: Final = 0x0112
_SHORT: Final = 3
_SRGB_PRIMARIES: Final = (0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)
# Baseline, extended and progressive Huffman; browsers read no arithmetic and no lossless coding.
_JPEG_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
_BMP_INFO_HEADER: Final = 40
_XMP: Final = re.compile(rb"tiff:Orientation\s*(?:=\s*[\"']|>)\s*([1-8])")


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out while a picture was made.

    Attributes:
        mode: Pillow's, as stored.
        orientation: By which it was turned upright, 1 to 8.
        opaque: Whether no part of it is transparent.
        still: Whether there is one frame only.
        deep: Whether values had more than eight bits.
        head: The first bytes of the file.
    """

    mode: str
    orientation: int
    opaque: bool
    still: bool
    deep: bool
    head: bytes


def orientation_of(image: Image.Image) -> int:
    """How a loaded image is to be turned, 1 to 8: as its EXIF says, else its XMP.

    HEIF and AVIF say it elsewhere, and what they have of either does not count. Of HEIF it is done
    by decoding, and of AVIF Pillow tells it as EXIF.
    """
    if image.format == "HEIF" or (
        image.format == "JPEG" and not ("exif" in image.info or "xmp" in image.info)
    ):
        return 1
    if image.format == "AVIF":
        # Pillow's own look at EXIF falls back to XMP.
        exif = Image.Exif()
        exif.load(image.info.get("exif") or b"")
        stated = exif.get(_ORIENTATION)
    else:
        stated = image.getexif().get(_ORIENTATION)
        stated = _said_by_xmp(image) if stated is None else stated
    return stated if isinstance(stated, int) and 1 <= stated <= 8 else 1


def is_size_upright(image: Image.Image) -> bool:
    """Whether Pillow tells, before pixels are read, the size of an image as if it stood upright.

    So it does of a TIFF whose own tag lays it on its side, and of nothing that its XMP does.
    """
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return False
    return image.tag_v2.get(_ORIENTATION) in {5, 6, 7, 8}


def _said_by_xmp(image: Image.Image) -> int:
    packet = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
    packet = packet.encode() if isinstance(packet, str) else packet
    found = _XMP.search(packet) if isinstance(packet, bytes) else None
    return int(found[1]) if found else 1


def shows_itself(image: Image.Image, facts: Facts) -> bool:
    """Whether browsers show the file of ``image`` as the picture that was made of it.

    What is not known for certain is not; then a rendition is shown in its place.

    Args:
        image: As opened from the file, and loaded.
        facts: What was found out.
    """
    if not facts.opaque or facts.deep:
        return False
    if image.format in {"JPEG", "MPO"}:
        return _jpeg(image, facts)
    if facts.orientation != 1 or not facts.still or not _profile(image, facts):
        return False
    if image.format == "PNG":
        return _png(image, facts)
    return image.format in {"WEBP", "GIF"} or (image.format == "BMP" and _bmp(facts.head))


def _profile(image: Image.Image, facts: Facts) -> bool:
    profile = image.info.get("icc_profile")
    return not profile or (facts.mode not in {"1", "L", "LA"} and colour.is_plain(profile))


def _jpeg(image: Image.Image, facts: Facts) -> bool:
    if facts.mode not in {"L", "RGB"} or not _profile(image, facts):
        return False
    turned = facts.orientation == 1 or (
        facts.orientation == _exif_orientation(image.info.get("exif") or b"")
    )
    return turned and _jpeg_frame(facts.head) in _JPEG_FRAMES


def _jpeg_frame(head: bytes) -> int | None:
    """The marker of a JPEG's frame; ``None`` if it comes later than ``head`` reaches."""
    at = 2
    while at + 4 <= len(head):
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            return marker
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4])
    return None


def _exif_orientation(exif: bytes) -> int:
    """The orientation as browsers read it: one short number in the first directory, else 1."""
    data = exif.removeprefix(b"Exif\0\0")
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(f"{order}L", data, 4)
        (entries,) = struct.unpack_from(f"{order}H", data, start)
        for entry in range(entries):
            tag, kind, count, value = struct.unpack_from(
                f"{order}HHLH", data, start + 2 + 12 * entry
            )
            if (tag, kind, count) == (_ORIENTATION, _SHORT, 1):
                return int(value) if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def _png(image: Image.Image, facts: Facts) -> bool:
    if b"cICP" in facts.head:
        return False
    info: dict[Any, Any] = image.info
    if info.get("icc_profile") or "srgb" in info:
        return True
    primaries = info.get("chromaticity", _SRGB_PRIMARIES)
    near = all(
        abs(one - other) < 0.001 for one, other in zip(primaries, _SRGB_PRIMARIES, strict=True)
    )
    return "gamma" not in info and near


def _bmp(head: bytes) -> bool:
    """Whether it is of the oldest kind, without compression, masks, alpha or profile."""
    if len(head) < 34:
        return False
    size, bits, compression = struct.unpack_from("<L10xHL", head, 14)
    return bool(size == _BMP_INFO_HEADER and compression == 0 and bits in {1, 4, 8, 24})
