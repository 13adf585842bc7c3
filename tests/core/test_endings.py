"""JPEGs without their end marker, and colours of 16 bits that are declared transparent."""

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from PIL import Image

from core.media.images.rendition import rendered
from models.frame import Frame
from workers.imports.items import Refused
from workers.imports.media.decode import Decoded, decode


def noise(seed: int, width: int, height: int) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def jpeg(image: Image.Image, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 1000),
    st.integers(1, 70),
    st.integers(1, 70),
    st.sampled_from(["RGB", "L", "CMYK"]),
    st.booleans(),
    st.integers(1, 400),
)
def test_a_jpeg_that_lacks_its_end_marker_alone_is_read(
    seed: int, width: int, height: int, mode: str, progressive: bool, more: int
) -> None:
    whole = jpeg(noise(seed, width, height).convert(mode), progressive=progressive)
    assert whole.endswith(b"\xff\xd9")
    with rendered(whole) as picture:
        expected = np.asarray(picture.image)
        assert not picture.notes
    for cut in (1, 2):
        found = decode(whole[:-cut], max_pixels=10**6, frame=Frame(8))
        assert isinstance(found, Decoded)
        assert found.notes == ("its end marker is missing",)
        assert not found.as_is
        with rendered(whole[:-cut]) as picture:
            assert_array_equal(np.asarray(picture.image), expected)
    # What lacks pixels is refused. A few of the last bytes may hold none.
    cut_off = whole[: -2 - min(more, len(whole) // 2)]
    if isinstance(decode(cut_off, max_pixels=10**6, frame=Frame(8)), Decoded):
        with rendered(cut_off) as picture:
            assert_array_equal(np.asarray(picture.image), expected)


@pytest.mark.parametrize(
    ("seed", "width", "height", "lacking"), [(110, 8, 23, 27), (0, 64, 64, 40), (3, 16, 16, 9)]
)
def test_a_jpeg_that_lacks_pixels_is_refused(
    seed: int, width: int, height: int, lacking: int
) -> None:
    whole = jpeg(noise(seed, width, height))
    assert isinstance(decode(whole[:-lacking], max_pixels=10**6, frame=Frame(8)), Refused)


def test_what_stands_behind_a_jpeg_changes_nothing() -> None:
    whole = jpeg(noise(1, 30, 20))
    for more in (b"\0" * 40, b"junk", whole, whole[:50]):
        found = decode(whole + more, max_pixels=10**6, frame=Frame(8))
        assert isinstance(found, Decoded)
        assert not found.notes
        assert_array_equal(found.pixels, _pixels(whole))


def _pixels(content: bytes) -> NDArray[np.uint8]:
    found = decode(content, max_pixels=10**6, frame=Frame(8))
    assert isinstance(found, Decoded)
    return found.pixels


def deep_png(values: NDArray[np.uint16], key: tuple[int, int, int]) -> bytes:
    """A PNG of 16 bits a channel in which one colour is transparent.

    Args:
        values: (H, W, 3).
        key: That colour.
    """
    height, width, _ = values.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    chunks = [
        (b"IHDR", struct.pack(">2L5B", width, height, 16, 2, 0, 0, 0)),
        (b"tRNS", struct.pack(">3H", *key)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))
        for kind, data in chunks
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([8, 10, 12, 14, 16]))
def test_a_transparent_colour_of_16_bits_is_white_where_all_bits_agree(
    seed: int, bits: int
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 1 << bits, (6, 7, 3), dtype=np.uint16)
    values[0, 0] = (1 << bits) - 1
    key = values[2, 3] = generator.integers(0, 1 << (bits - 1), 3)
    values[4, 1] = key
    # As like it as can be, and opaque.
    values[5, 5] = key + np.array([0, 0, 1])
    content = deep_png(values, (int(key[0]), int(key[1]), int(key[2])))
    clear = (values == key).all(axis=2)
    assert clear[2, 3]
    assert clear[4, 1]
    assert not clear[5, 5]
    with rendered(content) as picture:
        found = np.asarray(picture.image).astype(int)
        assert not picture.as_is
    assert (found[clear] == 255).all()
    expected = values.astype(int) >> (bits - 8)
    assert np.abs(found[~clear] - expected[~clear]).max() <= 1


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_transparent_colour_turns_with_its_image(orientation: int) -> None:
    values = np.full((2, 3, 3), 4000, np.uint16)
    values[0, 0] = (1, 2, 65535)
    values[1, 2] = 65535
    content = deep_png(values, (1, 2, 65535))
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = exif.tobytes()
    chunk = struct.pack(">L", len(data)) + b"eXIf" + data
    chunk += struct.pack(">L", zlib.crc32(b"eXIf" + data))
    at = content.index(b"tRNS") - 4
    with rendered(content[:at] + chunk + content[at:]) as picture:
        found = np.asarray(picture.image).astype(int)
    assert (found.shape[0] == 3) == (orientation >= 5)
    corners = {1: (0, 0), 2: (0, -1), 3: (-1, -1), 4: (-1, 0), 5: (0, 0), 6: (0, -1), 7: (-1, -1),
               8: (-1, 0)}  # fmt: skip
    assert (found[corners[orientation]] == 255).all()
    assert (found == 255).all(axis=2).sum() == 2
