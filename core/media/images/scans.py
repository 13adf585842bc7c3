"""Whether a JPEG is decoded as it is read, or only once all of it is in memory."""

from typing import BinaryIO, Final

_SOI: Final = b"\xff\xd8"
_SOS: Final = 0xDA
# Frames: 0xC4, 0xC8 and 0xCC among them are no headers of frames.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Of one scan: baseline, extended, and extended in arithmetic coding (ITU-T T.81, table B.1).
_SEQUENTIAL: Final = frozenset({0xC0, 0xC1, 0xC9})


def is_in_one_scan(file: BinaryIO) -> bool:
    """Whether the first scan of a JPEG is all of it, so that its decoder keeps a few lines.

    Of any other, progressive or with a scan for each channel, libjpeg holds all coefficients at
    full size, however small the picture is that is asked for. What cannot be read is such another.

    Args:
        file: The JPEG, at any position; it is left where it was.
    """
    position = file.tell()
    try:
        file.seek(0)
        return _is_in_one_scan(file)
    finally:
        file.seek(position)


def _is_in_one_scan(file: BinaryIO) -> bool:
    if file.read(2) != _SOI:
        return False
    channels = 0
    while (marker := _marker(file)) is not None:
        length = int.from_bytes(file.read(2), "big")
        if length < 2:
            return False
        if marker == _SOS:
            return file.read(1) == bytes([channels]) and channels > 0
        if marker not in _FRAMES:
            file.seek(length - 2, 1)
            continue
        header = file.read(length - 2)
        if marker not in _SEQUENTIAL or len(header) < 6:
            return False
        channels = header[5]
    return False


def _marker(file: BinaryIO) -> int | None:
    """The next marker, before which any number of bytes 0xFF may stand."""
    if file.read(1) != b"\xff":
        return None
    while (byte := file.read(1)) == b"\xff":
        pass
    return byte[0] if byte else None
