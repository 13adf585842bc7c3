"""Model, small versions and what is shown at full size agree, whatever kind of file it was."""

import hashlib
import io
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin

from core.files.storage import Storage
from core.media.images import rendition
from core.media.images.depth import Range, scale_of
from core.media.images.gate import Gate
from core.media.images.rendition import rendered, upright_size
from core.media.images.scans import is_in_one_scan
from core.media.images.thumbnails import make, make_full_size
from models.frame import Frame
from models.media.images.store import fit_image
from tests import zoo
from workers.imports.media.decode import Decoded, decode

_SIDE = 24
_SMALL = 64


@st.composite
def kinds(draw: DrawFn) -> zoo.Kind:
    form = draw(st.sampled_from(sorted(zoo.MODES)))
    mode = draw(st.sampled_from(zoo.MODES[form]))
    profiled = mode in zoo.PROFILED.get(form, set())
    turnable = form in zoo.TURNABLE
    # Pillow writes further frames of these only.
    framed = form in zoo.FRAMED and mode in {"RGB", "RGBA", "L", "P"}
    return zoo.Kind(
        form,
        mode,
        draw(st.integers(1, 8)) if turnable else 1,
        draw(st.sampled_from(["exif", "xmp"])) if form in zoo.TURNED_BY_XMP else "exif",
        draw(st.sampled_from(["none", "wide", "broken"])) if profiled else "none",
        draw(st.sampled_from([1, 3])) if framed else 1,
        draw(st.booleans()) if form == "TIFF" else False,
    )


def seen_by_everybody(content: bytes) -> Iterator[tuple[str, Image.Image]]:
    """What the model, the grid and the label page get of a file."""
    found = decode(content, max_pixels=10**6, frame=Frame(_SIDE))
    assert isinstance(found, Decoded), found
    yield "model", Image.fromarray(found.pixels)
    digest = hashlib.sha256(content).digest()
    with tempfile.TemporaryDirectory() as name:
        # The import decodes what it has read; everything else is made from a file.
        storage, file = Storage(Path(name)), Path(name) / "original"
        file.write_bytes(content)
        with Image.open(make(storage, digest, _SMALL, file)) as small:
            yield "small version", small.convert("RGB")
        full = make_full_size(storage, digest, file)
        assert (full is None) == found.as_is
        if full is not None:
            with Image.open(full[0]) as shown:
                assert shown.mode == "RGB"
                assert shown.size == (found.width, found.height) == (zoo.WIDTH, zoo.HEIGHT)
                yield "full size", shown.convert("RGB")


def centre(image: Image.Image) -> NDArray[np.int64]:
    return fit_image(image, _SIDE).astype(np.int64)


def assert_same(content: bytes, expected: Image.Image) -> None:
    assert upright_size(content) == expected.size
    for who, image in seen_by_everybody(content):
        apart = np.abs(centre(image) - centre(expected))
        assert apart.mean() <= 4, who
        assert np.quantile(apart, 0.99) <= 16, who


@pytest.mark.parametrize("kind", list(zoo.every_kind()), ids=str)
def test_everybody_sees_the_same(kind: zoo.Kind) -> None:
    assert_same(*zoo.made(kind))


@given(kinds())
@settings(max_examples=150, deadline=None)
def test_everybody_sees_the_same_of_any_mixture(kind: zoo.Kind) -> None:
    assert_same(*zoo.made(kind))


def rendition_of(content: bytes) -> tuple[NDArray[np.int64], tuple[str, ...], bool]:
    with rendered(content) as found:
        return np.asarray(found.image).astype(np.int64), found.notes, found.as_is


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def test_a_silhouette_stays_one() -> None:
    """The object is as black as the hidden colour around it."""
    levels = np.zeros((zoo.HEIGHT, zoo.WIDTH, 4), np.uint8)
    levels[16:48, 24:72, 3] = 255
    content = encoded(Image.fromarray(levels), "PNG")
    for who, image in seen_by_everybody(content):
        seen = np.asarray(image)
        assert seen[1, 1].min() > 240, who
        assert seen[image.height // 2, image.width // 2].max() < 15, who


@pytest.mark.parametrize("bits", [8, 10, 12, 14, 16])
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_values_of_few_bits_fill_eight(bits: int, kind: str) -> None:
    highest = (1 << bits) - 1
    values = np.arange(0, highest + 1, max(1, highest // 255), dtype=np.uint16)[:256]
    content = encoded(Image.fromarray(np.tile(values, (4, 1))), kind)
    levels, notes, _ = rendition_of(content)
    assert_array_equal(levels[0, :, 0], values.astype(int) >> (bits - 8))
    said = f"16-bit values up to {values.max():,}: read as {bits}-bit"
    assert notes == (() if bits == 16 else (said,))


@pytest.mark.parametrize(
    ("values", "levels", "note"),
    [
        (
            np.array([0, 0.5, 1], np.float32),
            [0, 128, 255],
            "float values, 0 to 1 read as black to white",
        ),
        (np.array([0, 7, 255], np.float32), [0, 7, 255], "float values up to 255: read as 8-bit"),
        (
            np.array([-2, 0, 2.5], np.float32),
            [0, 113, 255],
            "float values from -2 to 2.5: scaled to that range",
        ),
        (
            np.array([np.nan, 1, 2.5, 4, np.inf, -np.inf], np.float32),
            [0, 0, 128, 255, 255, 0],
            "float values from 1 to 4: scaled to that range; NaN and no data as black",
        ),
        (np.array([np.nan, np.nan], np.float32), [0, 0], None),
        (
            np.array([7.5, 7.5], np.float32),
            [0, 0],
            "float values from 7.5 to 7.5: scaled to that range",
        ),
        (
            np.array([-1000, 0, 3000], np.int32),
            [0, 64, 255],
            "32-bit values from -1,000 to 3,000: scaled to that range",
        ),
        (
            np.array([0, 2000, 4095], np.int32),
            [0, 125, 255],
            "32-bit values up to 4,095: read as 12-bit",
        ),
        (
            np.array([0, 2**30, 2**31 - 1], np.int32),
            [0, 128, 255],
            "32-bit values from 0 to 2,147,483,647: scaled to that range",
        ),
    ],
)
def test_other_depths_are_scaled_and_said(
    values: NDArray[Any], levels: list[int], note: str | None
) -> None:
    found, notes, as_is = rendition_of(encoded(Image.fromarray(values[None]), "TIFF"))
    assert found[0, :, 0].tolist() == levels
    assert note is None or notes == (note,)
    assert not as_is


@given(
    low=st.floats(-1e9, 1e9),
    reach=st.floats(1e-3, 1e9),
    container=st.sampled_from(["float", "32-bit", "16-bit"]),
)
def test_the_rule_never_leaves_the_values_outside(low: float, reach: float, container: str) -> None:
    values = Range(low, low + reach, whole=False, finite=True)
    scale = scale_of(values, None, container)
    assert scale.black <= values.low
    assert scale.white >= values.high
    assert scale.note


def test_a_file_that_states_its_bits_is_believed() -> None:
    dark = Image.fromarray(np.full((4, 4), 900, np.uint16))
    stated = encoded(dark, "TIFF", tiffinfo={281: 4095})
    assert rendition_of(stated)[0].max() == 900 >> 4
    assert rendition_of(stated)[1] == ()
    assert rendition_of(encoded(dark, "TIFF"))[0].max() == 900 >> 2


def test_no_data_does_not_stretch_the_range() -> None:
    heights = Image.fromarray(np.array([[-9999, 100.5, 200.5]], np.float32))
    found, _, _ = rendition_of(encoded(heights, "TIFF", tiffinfo={42113: "-9999"}))
    assert found[0, :, 0].tolist() == [0, 0, 255]


def test_white_is_zero_is_heeded_at_every_depth() -> None:
    deep = Image.fromarray(np.array([[0, 65535]], np.uint16))
    found, _, _ = rendition_of(encoded(deep, "TIFF", tiffinfo={262: 0}))
    assert found[0, :, 0].tolist() == [255, 0]


def bmp_with_alpha(alpha: int) -> bytes:
    """A BMP of 2 × 2 whose header has a mask for opacity."""
    masks = struct.pack("<4L", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    pixels = bytes([200, 100, 50, alpha]) * 4
    header = struct.pack("<LllHHLLllLL", 124, 2, 2, 1, 32, 3, len(pixels), 0, 0, 0, 0)
    header = (header + masks).ljust(124, b"\0")
    start = 14 + len(header)
    return struct.pack("<2sLHHL", b"BM", start + len(pixels), 0, 0, start) + header + pixels


@pytest.mark.parametrize(("alpha", "seen"), [(255, 50), (0, 50), (128, 152)])
def test_a_fourth_byte_of_zeros_is_no_transparency(alpha: int, seen: int) -> None:
    levels, _, as_is = rendition_of(bmp_with_alpha(alpha))
    assert abs(levels[0, 0, 0] - seen) <= 1
    assert not as_is


def test_outside_of_the_frame_of_a_gif_is_nothing() -> None:
    content = bytearray(encoded(Image.new("P", (10, 10), 1), "GIF"))
    at = content.index(b",", 13)
    assert content[at : at + 9] == b"," + struct.pack("<4H", 0, 0, 10, 10)
    # The screen is made wider than its only frame.
    struct.pack_into("<2H", content, 6, 20, 10)
    levels, _, as_is = rendition_of(bytes(content))
    assert levels.shape == (10, 20, 3)
    assert levels[:, 10:].min() == 255
    assert not as_is


def test_a_gamma_of_its_own_is_heeded() -> None:
    info = PngImagePlugin.PngInfo()
    info.add(b"gAMA", struct.pack(">L", 100_000))
    linear = encoded(Image.new("L", (4, 4), 55), "PNG", pnginfo=info)
    levels, _, as_is = rendition_of(linear)
    assert abs(levels[0, 0, 0] - 128) <= 2
    assert not as_is


def test_a_jpeg_is_decoded_no_larger_than_needed() -> None:
    content = encoded(Image.new("RGB", (1600, 1200), "red"), "JPEG")
    for longer, shorter, size in [
        (400, 1, (400, 300)),
        (401, 1, (800, 600)),
        (200, 300, (400, 300)),
        (200, 301, (800, 600)),
        (2000, 1, (1600, 1200)),
    ]:
        with rendered(content, longer=lambda *_, side=longer: side, shorter=shorter) as small:
            assert (small.image.size, small.width, small.height) == (size, 1600, 1200)
            assert small.as_is


def test_the_gate_bounds_the_pixels_in_memory() -> None:
    gate, inside, most = Gate(100), 0, 0
    lock = threading.Lock()

    def work(pixels: int) -> None:
        nonlocal inside, most
        with gate.hold(pixels):
            with lock:
                inside += min(pixels, 100)
                most = max(most, inside)
            time.sleep(0.002)
            with lock:
                inside -= min(pixels, 100)

    with ThreadPoolExecutor(12) as threads:
        sizes = [*range(1, 60), 100, 1000, 250] * 2
        list(threads.map(work, sizes))
    assert inside == 0
    assert 50 < most <= 100


_PREVIEWS = """
import resource, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from core.files.storage import Storage
from core.media.images.thumbnails import make

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

storage, file, before = Storage(Path(sys.argv[1])), Path(sys.argv[2]), peak()
with ThreadPoolExecutor(12) as threads:
    list(threads.map(lambda one: make(storage, bytes([one]) * 32, 256, file), range(12)))
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in other units elsewhere")
def test_a_dozen_large_previews_at_once_take_the_memory_of_a_few(tmp_path: Path) -> None:
    zoo.picture().resize((6000, 4000)).save(tmp_path / "large.png", compress_level=1)
    command = [sys.executable, "-c", _PREVIEWS, str(tmp_path), str(tmp_path / "large.png")]
    megabytes = int(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    # Each has 24 million pixels, 96 MB: one passes the gate at a time.
    assert megabytes < 300


def _rescanned(content: bytes) -> bytes:
    """A JPEG of one channel as the first scan of one with three."""
    at = content.index(b"\xff\xc0")
    length, count = int.from_bytes(content[at + 2 : at + 4], "big"), content[at + 9]
    assert count == 1
    channels = b"".join(bytes([number]) + content[at + 11 : at + 13] for number in (1, 2, 3))
    header = (length + 6).to_bytes(2, "big") + content[at + 4 : at + 9] + b"\x03" + channels
    return content[: at + 2] + header + content[at + 2 + length :]


def _held(content: bytes, longer: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Pixels that a decode holds of the gate."""
    gate = Gate(10**9)
    with monkeypatch.context() as patched:
        patched.setattr(rendition, "decoding", gate)
        with rendered(content, longer=lambda *_: longer):
            return 10**9 - gate._free


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("exif", [b"", b"Exif\0\0" + bytes(40_000)])
@pytest.mark.parametrize(
    ("options", "is_whole"),
    [
        ({}, False),
        ({"subsampling": 0, "optimize": True}, False),
        ({"restart_marker_blocks": 3}, False),
        ({"progressive": True}, True),
        ({"progressive": True, "subsampling": 0}, True),
    ],
)
def test_a_jpeg_of_several_scans_holds_all_its_pixels(
    mode: str,
    exif: bytes,
    options: dict[str, Any],
    is_whole: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its decoder has them in memory, however small the picture is."""
    image = Image.new(mode, (1600, 1200), 100 if mode == "L" else "red")
    more = {"exif": exif} if exif else {}
    content = encoded(image, "JPEG", **more, **options)
    assert _held(content, 400, monkeypatch) == (1600 * 1200 if is_whole else 400 * 300)
    assert _held(content, 2000, monkeypatch) == 1600 * 1200


def test_only_a_jpeg_whose_first_scan_has_every_channel_is_of_one() -> None:
    content = encoded(Image.new("L", (64, 64), 100), "JPEG")
    assert is_in_one_scan(io.BytesIO(content))
    assert is_in_one_scan(io.BytesIO(content[:2] + b"\xff" * 5 + content[2:]))
    assert not is_in_one_scan(io.BytesIO(_rescanned(content)))
    start = content.index(b"\xff\xda")
    for length in range(start + 4):
        file = io.BytesIO(content[:length])
        file.seek(1)
        assert not is_in_one_scan(file)
        assert file.tell() == 1


@given(st.binary(max_size=60), st.integers(0, 200))
def test_no_bytes_lead_the_count_of_scans_astray(noise: bytes, at: int) -> None:
    content = encoded(Image.new("RGB", (16, 16)), "JPEG")
    assert is_in_one_scan(io.BytesIO(content[:at] + noise + content[at:])) in (True, False)
    assert not is_in_one_scan(io.BytesIO(noise))


def test_a_failure_inside_leaves_room_in_the_gate() -> None:
    gate = Gate(10)
    for _ in range(3):
        with pytest.raises(KeyError), gate.hold(10):
            raise KeyError
    with gate.hold(10):
        pass


@pytest.mark.parametrize(
    ("exif", "as_is"),
    [
        (struct.pack("<4sLHHHLHxxL", b"II*\0", 8, 1, 0x0112, 3, 1, 6, 0), True),
        # As a long number, which browsers do not take for an orientation.
        (struct.pack("<4sLHHHLLL", b"II*\0", 8, 1, 0x0112, 4, 1, 6, 0), False),
    ],
)
def test_an_orientation_that_browsers_overlook_is_drawn(exif: bytes, as_is: bool) -> None:
    content = encoded(zoo.picture(), "JPEG", exif=b"Exif\0\0" + exif)
    with rendered(content) as found:
        assert found.image.size == (zoo.HEIGHT, zoo.WIDTH)
        assert found.as_is is as_is
