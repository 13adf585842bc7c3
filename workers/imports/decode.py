"""From encoded bytes to a row of pixels, or a reason why not. Pure."""

import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from threading import Lock
from typing import Final

from PIL import ExifTags, Image, UnidentifiedImageError

from models.data import Pixels, fit_image
from workers.imports.items import Refused, printable

# Every image is compared with the installation's own limit before it is decoded.
Image.MAX_IMAGE_PIXELS = None

_MEDIA_TYPES: Final = {
    "JPEG": "image/jpeg",
    # What phones append to a JPEG (depth, a second exposure) leaves it a JPEG.
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "GIF": "image/gif",
}
_READERS: Final = [name for name in _MEDIA_TYPES if name != "MPO"]
_MAGIC: Final = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
_SIDEWAYS: Final = frozenset({5, 6, 7, 8})
_LARGE_PIXELS: Final = 16_000_000
_one_large = Lock()
# Below this many bytes an image, handing it to a thread costs more than it saves.
_WORTH_A_THREAD: Final = 16_384


@dataclass(frozen=True, slots=True)
class Decoded:
    """An image that may enter the pool.

    Attributes:
        pixels: (S, S, 3) uint8, as the model sees it.
        width: Columns, when held upright.
        height: Rows, when held upright.
        media_type: What to serve its bytes as.
    """

    pixels: Pixels
    width: int
    height: int
    media_type: str


def one_large(width: int, height: int) -> AbstractContextManager[object]:
    """Hold this while the pixels of an image are in memory: several large ones need gigabytes."""
    return _one_large if width * height > _LARGE_PIXELS else nullcontext()


def decode(content: bytes, *, max_pixels: int, size: int) -> Decoded | Refused:
    """Decode all of ``content``.

    Args:
        content: A file, as it was sent.
        max_pixels: Largest width × height that is decoded.
        size: Side S of the model's input.
    """
    if not content:
        return Refused("empty file")
    try:
        with Image.open(BytesIO(content), formats=_READERS) as image:
            width, height = image.size
            if width * height > max_pixels:
                return Refused(
                    f"{width} × {height} pixels are more than the limit of {max_pixels:,}"
                )
            if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
                return Refused("animated, or more than one page")
            with one_large(width, height):
                pixels = fit_image(image, size)
            if image.getexif().get(ExifTags.Base.Orientation) in _SIDEWAYS:
                width, height = height, width
            return Decoded(pixels, width, height, _MEDIA_TYPES[image.format or ""])
    except UnidentifiedImageError:
        if content.startswith(_MAGIC):
            return Refused("truncated or corrupt: its header cannot be read")
        return Refused("not an image in a format we read (JPEG, PNG, WebP, BMP, TIFF, GIF)")
    except Exception as error:  # Pillow's readers raise whatever hostile bytes lead them to
        return Refused(f"truncated or corrupt: {_describe(error)}")


def decode_all(
    contents: Sequence[bytes], threads: Executor, *, max_pixels: int, size: int
) -> list[Decoded | Refused]:
    """``decode`` each of ``contents``, in ``threads`` if they are large enough to profit."""
    one = partial(decode, max_pixels=max_pixels, size=size)
    with warnings.catch_warnings():
        # Pillow warns of odd tags in files that it decodes all the same.
        warnings.simplefilter("ignore")
        if sum(map(len, contents)) > _WORTH_A_THREAD * len(contents):
            return list(threads.map(one, contents))
        return [one(content) for content in contents]


def _describe(error: Exception) -> str:
    text = printable(str(error)).split("<_io.")[0].strip()
    return text[:200] or type(error).__name__
