"""From encoded bytes to a row of pixels, or a reason why not. Pure."""

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from PIL import UnidentifiedImageError

from core.errors import DomainError
from core.media.images import heif
from core.media.images.rendition import Rendition, TooManyPixels, rendered
from core.media.images.thumbnails import largest_ahead
from models.frame import Frame
from models.media.images.store import Pixels, fit_image
from workers.imports.items import Refused, printable

_TIFF: Final = (b"II*\0", b"MM\0*")
_MAGIC: Final = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"BM", b"RIFF")
_BRANDS: Final = heif.STILL | {b"avif", b"avis"}
# Below this many bytes an image, handing it to a thread costs more than it saves.
_WORTH_A_THREAD: Final = 16_384

Keep = Callable[[bytes, Rendition], None]
"""Takes the bytes and the picture of an image that may enter the pool, while it is in memory."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """An image that may enter the pool.

    Attributes:
        pixels: (S, S, 3) uint8, as the model sees it.
        width: Columns, when held upright.
        height: Rows, when held upright.
        media_type: What to serve its bytes as.
        as_is: Whether browsers show these bytes as everybody is to see them.
        notes: What had to be decided to make a picture of it, such as how 12 bits were read.
    """

    pixels: Pixels
    width: int
    height: int
    media_type: str
    as_is: bool
    notes: tuple[str, ...] = ()


def decode(
    content: bytes, *, max_pixels: int, frame: Frame, keep: Keep | None = None
) -> Decoded | Refused:
    """Decode all of ``content``, or of several frames the first, of several images the main one.

    Args:
        content: A file, as it was sent.
        max_pixels: Largest width × height that is decoded.
        frame: What the model sees of an image: a square of side S.
        keep: What else to make of its picture.

    Raises:
        DomainError: Nothing of its format can be decoded here, such as HEIC.
    """
    if not content:
        return Refused("empty file")
    with ExitStack() as held:
        try:
            picture = held.enter_context(
                rendered(
                    content, max_pixels=max_pixels, longer=largest_ahead, shorter=2 * frame.side
                )
            )
            pixels = fit_image(picture.image, frame.side, frame.fit)
        except TooManyPixels as found:
            return Refused(
                f"{found.width} × {found.height} pixels are more than the limit of {max_pixels:,}"
            )
        except UnidentifiedImageError:
            if content.startswith(_TIFF):
                return Refused(
                    "truncated or corrupt: its header cannot be read; or a TIFF of a kind that we "
                    "do not read, such as several channels of more than 16 bits"
                )
            if heif.brand_of(content) in heif.FILMS:
                return Refused(
                    "truncated or corrupt: its header cannot be read; or a film of HEIF, of which "
                    "we read still images"
                )
            if content.startswith(_MAGIC) or heif.brand_of(content) in _BRANDS:
                return Refused("truncated or corrupt: its header cannot be read")
            return Refused(
                "not an image in a format we read (JPEG, PNG, WebP, HEIC, AVIF, BMP, TIFF, GIF)"
            )
        except DomainError:
            # No fault of the file.
            raise
        except Exception as error:  # Pillow's readers raise whatever hostile bytes lead them to
            return Refused(f"truncated or corrupt: {_describe(error)}")
        if keep is not None:
            keep(content, picture)
        return Decoded(
            pixels,
            picture.width,
            picture.height,
            picture.media_type,
            picture.as_is,
            picture.notes,
        )


def decode_all(
    contents: Sequence[bytes],
    threads: Executor,
    *,
    max_pixels: int,
    frame: Frame,
    keep: Keep | None = None,
) -> list[Decoded | Refused]:
    """``decode`` each of ``contents``, in ``threads`` if they are large enough to profit."""
    one = partial(decode, max_pixels=max_pixels, frame=frame, keep=keep)
    with warnings.catch_warnings():
        # Pillow warns of odd tags in files that it decodes all the same.
        warnings.simplefilter("ignore")
        if sum(map(len, contents)) > _WORTH_A_THREAD * len(contents):
            return list(threads.map(one, contents))
        return [one(content) for content in contents]


def _describe(error: Exception) -> str:
    text = printable(str(error)).split("<_io.")[0].strip()
    return text[:200] or type(error).__name__
