"""From an image's bytes to the picture that everybody sees: model, annotators and small versions.

It is upright, in sRGB, opaque on white, of eight bits; of several frames the first, and of several
images in one HEIC the main one.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

from PIL import Image, ImageChops, ImageFile, TiffImagePlugin

from core.errors import DomainError
from core.media.images import browsers, depth, heif
from core.media.images.colour import srgb
from core.media.images.endings import completed
from core.media.images.gate import decoding
from core.media.images.plain import PlainJpeg, plain_jpeg
from core.media.images.scans import is_in_one_scan

# Every image is compared with the installation's own limit before it is decoded.
Image.MAX_IMAGE_PIXELS = None
# Blocks of this size are mapped by themselves, and go back to the system when they are freed. Of
# Pillow's own, 16 MiB, the C library keeps those of every thread: gigabytes, after large images.
Image.core.set_block_size(1 << 26)  # type: ignore[attr-defined]

VERSION: Final = 2
"""Of the rules by which pictures are made. What was made by others is never shown again."""

MEDIA_TYPES: Final = {
    "JPEG": "image/jpeg",
    # What phones append to a JPEG (depth, a second exposure) leaves it a JPEG.
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "GIF": "image/gif",
    # Before HEIF, which opens what is written as either and then cannot decode it.
    "AVIF": "image/avif",
    heif.HeifImageFile.format: "image/heic",
}
READERS: Final = [name for name in MEDIA_TYPES if name != "MPO"]
"""Pillow's, in the order in which they are tried."""
_HEAD: Final = 1 << 18
_WHITE: Final = (255, 255, 255)
_UPRIGHT: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_ON_ITS_SIDE: Final = frozenset(_UPRIGHT[number] for number in (5, 6, 7, 8))
_OTHER_ORDER: Final = {"B": "L", "L": "B", "N": "B" if sys.byteorder == "little" else "L"}
_STRAIGHT: Final = {"La": "LA", "RGBa": "RGBA", "PA": "RGBA", "1": "L"}
_GREY_LEVELS: Final = {"1": 255, "L;2": 85, "L;4": 17}


class TooManyPixels(ValueError):
    """The header of an image promises more pixels than are decoded."""

    def __init__(self, width: int, height: int) -> None:
        """Say what it promises."""
        super().__init__(f"{width} × {height} pixels")
        self.width, self.height = width, height


@dataclass(frozen=True, slots=True)
class Rendition:
    """The picture, and what is known of the original that it was made from.

    Attributes:
        image: The picture, in mode RGB; smaller than the original if that was asked for.
        width: Columns of the original, when held upright.
        height: Rows of the original, when held upright.
        media_type: What the original's bytes are.
        as_is: Whether every browser shows the original's bytes as this picture.
        notes: What had to be decided, for the person who brought the image.
    """

    image: Image.Image
    width: int
    height: int
    media_type: str
    as_is: bool
    notes: tuple[str, ...]


@contextmanager
def rendered(
    source: Path | bytes,
    *,
    max_pixels: int | None = None,
    longer: Callable[[int, int], int] | None = None,
    shorter: int = 1,
) -> Iterator[Rendition]:
    """Make the picture; its memory is accounted for until the block ends.

    All of its frame is decoded. May wait until others have ended theirs.

    Args:
        source: The original.
        max_pixels: Largest width × height that is decoded.
        longer: If the picture may be smaller than the original where that saves work: from the
            original's two sides, the pixels that its longer one must have.
        shorter: Likewise of the other side.

    Raises:
        TooManyPixels: More than ``max_pixels``.
        UnidentifiedImageError: It is no image in a format that is read.
        DomainError: Nothing of its format can be decoded here, such as HEIC.
        Exception: Whatever Pillow's readers are led to by hostile bytes.
    """
    plain = plain_jpeg(source) if isinstance(source, bytes) else None
    if plain is not None and _is_wanted_whole(plain, max_pixels, longer, shorter):
        with decoding.hold(plain.width * plain.height):
            decoded = plain.decoded()
            if decoded is not None:
                yield Rendition(decoded, plain.width, plain.height, MEDIA_TYPES["JPEG"], True, ())
                return
    whole = completed(source, max_pixels)
    with _opened(whole) as file, Image.open(file, formats=READERS) as image:
        width, height = image.size
        if max_pixels is not None and width * height > max_pixels:
            raise TooManyPixels(width, height)
        notes = _frames(image)
        notes += ["its end marker is missing"] if whole is not source else []
        _mend_planes(image)
        if longer and image.mode != "CMYK":
            _draft(image, longer(*image.size), shorter)
        is_reduced = image.size != (width, height) and is_in_one_scan(file)
        with decoding.hold(image.width * image.height if is_reduced else width * height):
            picture = _rendition(image, whole, (width, height), notes)
            yield picture if whole is source else replace(picture, as_is=False)


def upright_size(content: bytes) -> tuple[int, int] | None:
    """Columns and rows of an image when held upright, by its header.

    Args:
        content: The original, or as much of its beginning as holds the header.

    Returns:
        ``None`` if that is no image in a format that is read, or not enough of one.

    Raises:
        DomainError: Nothing of its format can be decoded here, such as HEIC.
    """
    found = upright_and_turn(content)
    return found and found[:2]


def upright_and_turn(content: bytes) -> tuple[int, int, int] | None:
    """The same, and the EXIF orientation by which it is turned upright, 1 to 8."""
    try:
        with Image.open(BytesIO(content), formats=READERS) as image:
            width, height = image.size
            orientation = browsers.orientation_of(image)
            is_upright = browsers.is_size_upright(image)
    except DomainError:
        raise
    except Exception:  # Pillow's readers raise whatever hostile bytes lead them to
        return None
    if _UPRIGHT.get(orientation) in _ON_ITS_SIDE and not is_upright:
        return height, width, orientation
    return width, height, orientation


def _draft(image: ImageFile.ImageFile, longer: int, shorter: int) -> None:
    """Have ``image`` decoded no larger than wanted, if it is a JPEG: it never builds more.

    Of CMYK a rendition of full size is wanted, too.
    """
    factor = _factor(image.size, longer, shorter)
    if factor >= 2:
        image.draft(None, (image.width // factor, image.height // factor))


def _factor(size: tuple[int, int], longer: int, shorter: int) -> int:
    return min(max(size) // longer, min(size) // shorter)


def _is_wanted_whole(
    plain: PlainJpeg,
    max_pixels: int | None,
    longer: Callable[[int, int], int] | None,
    shorter: int,
) -> bool:
    """Whether it may be decoded, and no smaller version will do."""
    size = plain.width, plain.height
    if max_pixels is not None and size[0] * size[1] > max_pixels:
        return False
    return longer is None or _factor(size, longer(*size), shorter) < 2


def _rendition(
    image: ImageFile.ImageFile, source: Path | bytes, size: tuple[int, int], frames: list[str]
) -> Rendition:
    rawmode = _rawmode(image)
    corner = image.tile[0].extents if image.tile else None
    image.load()
    mode, info = image.mode, dict(image.info)
    orientation = browsers.orientation_of(image)
    deep = depth.is_deep(image) or depth.is_deep_colour(rawmode)
    picture, note = _shallow(image, source, rawmode)
    keyed = _keyed(image, source, rawmode)
    if orientation != 1:
        picture = picture.transpose(_UPRIGHT[orientation])
        keyed = keyed and keyed.transpose(_UPRIGHT[orientation])
    if keyed is not None:
        info.pop("transparency")
    picture, alpha = _split(picture, info, rawmode)
    alpha = alpha if keyed is None else keyed
    if image.format == "BMP" and alpha is not None and alpha.getextrema() == (0, 0):
        # A fourth byte that was never meant as opacity.
        alpha = None
    gamma = None if info.get("icc_profile") or "srgb" in info else info.get("gamma")
    picture = srgb(picture, info.get("icc_profile"), gamma)
    opaque = alpha is None or alpha.getextrema()[0] == 255
    if alpha is not None and not opaque:
        ground = Image.new("RGB", picture.size, _WHITE)
        ground.paste(picture, mask=alpha)
        picture = ground
    if image.format == "GIF" and corner and orientation == 1 and corner != (0, 0, *picture.size):
        # Outside of its frame there is nothing, which is not a colour of the palette.
        ground = Image.new("RGB", picture.size, _WHITE)
        ground.paste(picture.crop(corner), corner[:2])
        picture, opaque = ground, False
    facts = browsers.Facts(mode, orientation, opaque, not frames, deep, _head(source))
    width, height = size if orientation < 5 else size[::-1]
    return Rendition(
        picture,
        width,
        height,
        MEDIA_TYPES[image.format or ""],
        browsers.shows_itself(image, facts),
        (*frames, *([note] if note else [])),
    )


def _shallow(
    image: Image.Image, source: Path | bytes, rawmode: str | None
) -> tuple[Image.Image, str | None]:
    """The image with eight bits a channel, and what was decided of its depth."""
    if depth.is_deep(image):
        return depth.eight_bits(image)
    if depth.is_deep_colour(rawmode):
        bits = depth.fewer_bits(image)
        lower = None if bits == 16 else _lower_bytes(image, source)
        if lower is not None:
            note = f"16-bit values below {1 << bits:,}: read as {bits}-bit"
            return depth.joined(image, lower, bits), note
    return image, None


def _keyed(image: Image.Image, source: Path | bytes, rawmode: str | None) -> Image.Image | None:
    """Opacity where a colour of 16 bits is declared transparent: all of its bits have to agree."""
    clear = image.info.get("transparency")
    if image.mode != "RGB" or not isinstance(clear, tuple) or not depth.is_deep_colour(rawmode):
        return None
    lower = _lower_bytes(image, source)
    alpha = Image.new("L", image.size, 255)
    for half, shift in ((image, 8), (lower, 0)):
        for band, value in zip(half.split() if half else (), clear, strict=False):
            key = int(value) >> shift & 255
            other = band.point([0 if level == key else 255 for level in range(256)])
            alpha = ImageChops.darker(alpha, ImageChops.invert(other))
    return ImageChops.invert(alpha)


def _lower_bytes(image: Image.Image, source: Path | bytes) -> Image.Image | None:
    """The image again, with the lower eight of its 16 bits; ``None`` if it is not read so."""
    with _opened(source) as file, Image.open(file, formats=READERS) as other:
        _mend_planes(other)
        grey = other.tile[0].args == "LA;16B"
        swapped = [_swapped(tile.args) for tile in other.tile]
        if None in swapped:
            return None
        tiles = zip(other.tile, swapped, strict=True)
        other.tile = [tile._replace(args=args) for tile, args in tiles]
        try:
            other.load()
        except (ValueError, OSError):
            return None
        if grey:
            # Four bytes, read as four channels: the upper and the lower of grey, and of opacity.
            return Image.merge("RGBA", [other.getchannel(band) for band in "GGGA"])
        return other.copy() if other.mode == image.mode else None


def _mend_planes(image: ImageFile.ImageFile) -> None:
    """Have planes of 16 bits in a TIFF read as such: Pillow takes their bytes for two values."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return
    bits = image.tag_v2.get(258)
    if not isinstance(bits, tuple) or set(bits) != {16}:
        return
    order = "L" if image.tag_v2.prefix == b"II" else "B"
    for index, tile in enumerate(image.tile):
        plane, *more = tile.args if isinstance(tile.args, tuple) else ("",)
        if len(plane) == 1:
            image.tile[index] = tile._replace(args=(f"{plane};16{order}", *more))


def _swapped(args: Any) -> Any:
    """What reads the lower byte of values where ``args``, Pillow's, read the upper one."""
    rawmode, *more = args if isinstance(args, tuple) else (args,)
    if rawmode == "LA;16B":
        return "RGBA"
    if not isinstance(rawmode, str) or ";16" not in rawmode:
        return None
    swapped = rawmode[:-1] + _OTHER_ORDER[rawmode[-1]]
    return (swapped, *more) if isinstance(args, tuple) else swapped


def _split(
    image: Image.Image, info: dict[str | tuple[int, int], object], rawmode: str | None
) -> tuple[Image.Image, Image.Image | None]:
    """Colours without opacity, and the opacity (mode L, 0 is clear) if there is one."""
    clear = info.get("transparency")
    if image.mode in {"1", "L"} and isinstance(clear, int):
        # Pillow names the value as it is stored, and scales the pixels.
        key = clear * _GREY_LEVELS.get(rawmode or "", 1)
        grey = image.convert("L")
        return grey, grey.point([0 if level == key else 255 for level in range(256)])
    image = image.convert(_STRAIGHT[image.mode]) if image.mode in _STRAIGHT else image
    if image.mode == "RGB" and isinstance(clear, tuple):
        image.info["transparency"] = clear
        image = image.convert("RGBA")
    elif image.mode == "P":
        image = image.convert("RGBA" if clear is not None else "RGB")
    if image.mode in {"LA", "RGBA"}:
        return image.convert(image.mode[:-1]), image.getchannel("A")
    return image, None


def _frames(image: Image.Image) -> list[str]:
    """What to say of an image of several frames or pages; nothing of what phones append."""
    if image.format == "MPO" or not getattr(image, "is_animated", False):
        return []
    if image.format == "HEIF":
        # It says which one it is that is shown, and opens with that.
        return [f"the main one of {getattr(image, 'n_frames', 1):,} images"]
    try:
        count = f"{getattr(image, 'n_frames', 1):,}"
        image.seek(0)
    except (EOFError, OSError, SyntaxError, ValueError):
        # A later frame is broken, which the first need not pay for.
        image.seek(0)
        count = "several"
    if image.format == "TIFF":
        return [f"the first of {count} pages"]
    return [f"the first of {count} frames"]


def _rawmode(image: ImageFile.ImageFile) -> str | None:
    """How the pixels of an image that is not loaded yet are stored."""
    args = image.tile[0].args if image.tile else None
    first = args[0] if isinstance(args, tuple) and args else args
    return first if isinstance(first, str) else None


def _opened(source: Path | bytes) -> BinaryIO:
    """The bytes as a file that Pillow has not opened itself."""
    # It would map a TIFF that lies on its side into memory as if that were upright.
    return BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _head(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source[:_HEAD]
    with source.open("rb") as file:
        return file.read(_HEAD)
