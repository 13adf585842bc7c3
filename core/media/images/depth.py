"""Values of more than eight bits, brought to eight by one stated rule."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_BITS: Final = (8, 10, 12, 14, 16)
_STRIP_PIXELS: Final = 1 << 20
_BITS_PER_SAMPLE: Final = 258
_PHOTOMETRIC: Final = 262
_MAX_SAMPLE_VALUE: Final = 281
_SAMPLE_FORMAT: Final = 339
_GDAL_NODATA: Final = 42113
_WHITE: Final = 255

_Values = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Range:
    """What values an image has.

    Attributes:
        low: Least finite value; 0 if there is none.
        high: Greatest finite value; 0 if there is none.
        whole: Whether all finite values are whole numbers.
        finite: Whether there are no others.
    """

    low: float
    high: float
    whole: bool
    finite: bool


@dataclass(frozen=True, slots=True)
class Scale:
    """Which value becomes black, which white, and what a person should be told of it."""

    black: float
    white: float
    note: str | None


def is_deep(image: Image.Image) -> bool:
    """Whether an image has one channel of more than eight bits."""
    return image.mode.startswith("I") or image.mode == "F"


def scale_of(values: Range, bits: int | None, container: str) -> Scale:
    """The rule: a known range that holds all values, else from the least to the greatest.

    Known are the ranges of 8, 10, 12, 14 and 16 bits, for whole numbers from 0, the smallest that
    holds them all; and 0 to 1, for floats.

    Args:
        values: What there is.
        bits: What the file says that its values have; ``None`` if it says nothing of use.
        container: ``16-bit``, ``32-bit`` or ``float``: what the file has room for.
    """
    floats = container == "float"
    if floats and values.low >= 0 and values.high <= 1:
        return Scale(0, 1, "float values, 0 to 1 read as black to white")
    if values.whole and values.low >= 0 and values.high < 1 << _BITS[-1]:
        if bits in _BITS and values.high < 1 << bits:
            return Scale(0, (1 << bits) - 1, None)
        found = next(each for each in _BITS if values.high < 1 << each)
        plain = container == f"{found}-bit"
        note = f"{container} values up to {values.high:,.0f}: read as {found}-bit"
        return Scale(0, (1 << found) - 1, None if plain else note)
    reach = f"{_said(values.low)} to {_said(values.high)}"
    return Scale(values.low, values.high, f"{container} values from {reach}: scaled to that range")


def eight_bits(image: Image.Image) -> tuple[Image.Image, str | None]:
    """Scale the values of an image that ``is_deep`` to 0..255.

    NaN, minus infinity and what the file declares to be no data become black, plus infinity white;
    a value that the file declares to be transparent becomes white.

    Returns:
        The image in mode L, and what was decided.
    """
    tags: Any = getattr(image, "tag_v2", {})
    read = _reader(image, tags)
    values = _range_of(read, image)
    container = "float" if image.mode == "F" else "32-bit" if image.mode == "I" else "16-bit"
    if container == "32-bit" and _one(tags, _BITS_PER_SAMPLE) == 16:
        container = "signed 16-bit"
    scale = scale_of(values, _stated_bits(tags), container)
    clear = image.info.get("transparency")
    grey = Image.new("L", image.size)
    for top, strip in _strips(image):
        scaled = _scaled(read(strip), scale)
        if _one(tags, _PHOTOMETRIC) == 0:
            # White is zero, which Pillow heeds for eight bits only.
            scaled = _WHITE - scaled
        if isinstance(clear, int):
            scaled[np.asarray(strip) == clear] = _WHITE
        grey.paste(Image.fromarray(scaled), (0, top))
    note = scale.note
    if note and not values.finite:
        note += "; NaN and no data as black"
    return grey, note


def is_deep_colour(rawmode: object) -> bool:
    """Whether several channels of 16 bits are read, of which Pillow keeps the upper eight."""
    return isinstance(rawmode, str) and rawmode.startswith(("R", "CMYK", "LA")) and ";16" in rawmode


def fewer_bits(upper: Image.Image) -> int:
    """How many bits the values of an image have whose ``upper`` eight of 16 were read."""
    bands = upper.getbands()
    colours = [band for band in bands if band != "A"]
    extrema = [upper.getchannel(band).getextrema() for band in colours]
    highest = max(int(high) for _, high in extrema)  # type: ignore[arg-type]
    return next(bits for bits in _BITS if highest < 1 << (bits - 8))


def joined(upper: Image.Image, lower: Image.Image, bits: int) -> Image.Image:
    """The upper eight of ``bits`` bits, from the upper and the lower eight of 16."""
    up, down = 16 - bits, bits - 8
    high = [min(value << up, 255) for value in range(256)]
    low = [value >> down for value in range(256)]
    bands = []
    for name in upper.getbands():
        one, other = upper.getchannel(name), lower.getchannel(name)
        if name == "A":
            # Opacity mostly fills its 16 bits, whatever the colours have.
            bands.append(one)
            continue
        mask: Callable[[Image.Image], NDArray[np.uint8]] = np.asarray
        bands.append(Image.fromarray(mask(one.point(high)) | mask(other.point(low))))
    return Image.merge(upper.mode, bands)


def _strips(image: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    """Parts of an image from top to bottom, so that no array of all of it is made."""
    width, height = image.size
    rows = max(1, _STRIP_PIXELS // max(1, width))
    for top in range(0, height, rows):
        yield top, image.crop((0, top, width, min(height, top + rows)))


def _reader(image: Image.Image, tags: Any) -> Callable[[Image.Image], _Values]:
    """From a strip to its values: int64, or float64 with NaN where there is no data."""
    unsigned = image.mode == "I" and _one(tags, _SAMPLE_FORMAT) in {None, 1}
    unsigned = unsigned and _one(tags, _BITS_PER_SAMPLE) == 32
    missing = _no_data(tags)

    def read(strip: Image.Image) -> _Values:
        values: _Values = np.asarray(strip)
        if unsigned:
            values = values.view(np.uint32)
        if missing is None:
            return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
        return np.where(values == missing, np.nan, values.astype(np.float64))

    return read


def _range_of(read: Callable[[Image.Image], _Values], image: Image.Image) -> Range:
    low, high, whole, finite = math.inf, -math.inf, True, True
    for _, strip in _strips(image):
        values = read(strip)
        if values.dtype.kind == "f":
            real = values[np.isfinite(values)]
            finite = finite and real.size == values.size
            whole = whole and bool((real == np.floor(real)).all())
            values = real
        if values.size:
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    return Range(low, high, whole, finite) if low <= high else Range(0, 0, True, finite)


def _scaled(values: _Values, scale: Scale) -> NDArray[np.uint8]:
    """Eight bits of each value: as a shift for whole numbers of a known range, else rounded."""
    reach = scale.white - scale.black
    if reach == 0:
        return np.zeros(values.shape, np.uint8)
    if scale.black == 0 and reach >= _WHITE and math.log2(reach + 1) in _BITS:
        shifted = np.nan_to_num(values, posinf=reach, neginf=0) * 256 // (reach + 1)
        return shifted.clip(0, _WHITE).astype(np.uint8)
    share = (values - scale.black) / reach
    return (np.nan_to_num(share, posinf=1, neginf=0).clip(0, 1) * _WHITE + 0.5).astype(np.uint8)


def _stated_bits(tags: Any) -> int | None:
    """What a TIFF says of the bits that its values use."""
    highest, room = _one(tags, _MAX_SAMPLE_VALUE), _one(tags, _BITS_PER_SAMPLE)
    if isinstance(highest, int) and highest + 1 in {1 << bits for bits in _BITS}:
        return highest.bit_length()
    return room if isinstance(room, int) and room in {10, 12, 14} else None


def _no_data(tags: Any) -> float | None:
    written = tags.get(_GDAL_NODATA)
    try:
        return None if written is None else float(str(written).strip("\0 "))
    except ValueError:
        return None


def _one(tags: Any, tag: int) -> Any:
    found = tags.get(tag)
    return found[0] if isinstance(found, tuple) and found else found


def _said(value: float) -> str:
    return f"{value:,.0f}" if value == math.floor(value) and abs(value) < 1e15 else f"{value:.6g}"
