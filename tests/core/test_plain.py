"""The short way for plain JPEGs makes what the long one makes, or leaves it to that."""

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from core.media.images.plain import plain_jpeg
from core.media.images.rendition import TooManyPixels, rendered
from tests import zoo


def told(source: bytes | Path, **options: Any) -> Any:
    """All that a reader gets of a file, or why it gets nothing."""
    try:
        with rendered(source, **options) as found:
            return (
                *(found.image.mode, found.image.size, found.image.tobytes()),
                *(found.width, found.height, found.media_type, found.as_is, found.notes),
            )
    except TooManyPixels as error:
        return str(error)
    except Exception as error:
        # Of what cannot be read at all the message names the file.
        return type(error)


def assert_both_ways_agree(content: bytes, **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "original"
        file.write_bytes(content)
        # What lies in a file is read the long way.
        expected = told(file, **options)
    assert told(content, **options) == expected
    return expected


def encoded(image: Image.Image, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


@st.composite
def jpegs(draw: st.DrawFn) -> bytes:
    width, height = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    seed = draw(st.integers(0, 99))
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    image = Image.fromarray(pixels).convert(draw(st.sampled_from(["RGB", "L"])))
    return encoded(
        image,
        quality=draw(st.integers(1, 95)),
        progressive=draw(st.booleans()),
        optimize=draw(st.booleans()),
        subsampling=draw(st.integers(0, 2)),
        restart_marker_rows=draw(st.integers(0, 2)),
    )


@pytest.mark.parametrize("kind", list(zoo.every_kind()), ids=str)
def test_both_ways_agree_on_every_kind_of_file(kind: zoo.Kind) -> None:
    content, _ = zoo.made(kind)
    assert_both_ways_agree(content)
    plain = kind in {zoo.Kind("JPEG", "L"), zoo.Kind("JPEG", "RGB")}
    assert (plain_jpeg(content) is not None) == plain


@given(jpegs())
@settings(max_examples=60, deadline=None)
def test_both_ways_agree_on_plain_jpegs(content: bytes) -> None:
    assert plain_jpeg(content) is not None
    assert_both_ways_agree(content)


@given(jpegs(), st.data())
@settings(max_examples=150, deadline=None)
def test_both_ways_agree_on_damaged_jpegs(content: bytes, data: st.DataObject) -> None:
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(2, len(damaged) - 1))
        what = data.draw(st.sampled_from(["set", "cut", "add"]))
        more = data.draw(st.binary(min_size=1, max_size=4))
        if what == "set":
            damaged[at] = more[0]
        elif what == "cut" and len(damaged) > 10:
            del damaged[at : at + len(more)]
        else:
            damaged[at:at] = more
    assert_both_ways_agree(bytes(damaged), max_pixels=10**6)


@pytest.mark.parametrize(
    "options",
    [
        {"comment": b"by hand"},
        {"exif": b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"},
        {"xmp": b"<x:xmpmeta/>"},
        {"icc_profile": zoo.matrix_profile()},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_says_more_takes_the_long_way(options: dict[str, Any]) -> None:
    content = encoded(zoo.picture(), **options)
    assert plain_jpeg(content) is None
    assert_both_ways_agree(content)


def test_both_ways_agree_on_what_is_too_large_and_on_what_may_be_smaller() -> None:
    content = encoded(Image.new("RGB", (640, 480), "red"))
    assert plain_jpeg(content) is not None
    assert assert_both_ways_agree(content, max_pixels=640 * 480 - 1) == "640 × 480 pixels"
    for longer in (100, 320, 321, 640):
        made = assert_both_ways_agree(content, longer=lambda *_, side=longer: side, shorter=24)
        assert made[1] == {100: (160, 120), 320: (320, 240)}.get(longer, (640, 480))
