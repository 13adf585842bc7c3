"""Which bytes are an image, and what the model then sees."""

import io

import numpy as np
import pytest
from PIL import Image

from models.frame import Frame
from tests import zoo
from tests.workers.import_files import animation, encoded, huge_png, jpeg, picture, png
from workers.imports.items import Refused
from workers.imports.media.decode import Decoded, decode

SIZE = 8


def run(content: bytes, max_pixels: int = 64_000_000) -> Decoded | Refused:
    return decode(content, max_pixels=max_pixels, frame=Frame(SIZE))


def accepted(content: bytes) -> Decoded:
    found = run(content)
    assert isinstance(found, Decoded), found
    assert found.pixels.shape == (SIZE, SIZE, 3)
    assert found.pixels.dtype == np.uint8
    return found


def refused(content: bytes, max_pixels: int = 64_000_000) -> str:
    found = run(content, max_pixels)
    assert isinstance(found, Refused)
    return found.reason


@pytest.mark.parametrize("kind", zoo.MODES)
def test_reads_still_images_of_every_format(kind: str) -> None:
    found = accepted(encoded(picture(1, 20, 10), kind))
    assert found.media_type == ("image/heic" if kind == "HEIF" else f"image/{kind.lower()}")
    assert (found.width, found.height) == (20, 10)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_reads_every_mode_of_png(mode: str) -> None:
    level = 255 if mode == "1" else 200
    grey = np.full((10, 10), level, dtype=np.uint8)
    if mode == "I;16":
        image = Image.fromarray(grey.astype(np.uint16) << 8)
    else:
        image = Image.fromarray(grey).convert("RGBA").convert(mode)
    assert abs(accepted(encoded(image)).pixels.astype(int) - level).max() <= 1


def test_composes_a_transparent_palette_on_white() -> None:
    image = Image.new("P", (10, 10), 0)
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.paste(1, (0, 0, 10, 5))
    pixels = accepted(encoded(image, transparency=0)).pixels
    assert pixels[0, 0].tolist() == [40, 50, 60]
    assert pixels[-1, -1].tolist() == [255, 255, 255]


def test_reads_cmyk_and_grey_jpeg() -> None:
    cmyk = accepted(encoded(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG"))
    assert cmyk.pixels[0, 0, 0] > 200
    assert cmyk.pixels[0, 0, 1] < 60
    grey = accepted(encoded(Image.new("L", (16, 16), 90), "JPEG"))
    assert abs(grey.pixels.astype(int) - 90).max() <= 1


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_turns_an_image_upright_by_its_exif(kind: str, orientation: int) -> None:
    upright = Image.new("RGB", (32, 16), "white")
    upright.paste("black", (0, 0, 16, 16))
    turn = {
        1: None,
        3: Image.Transpose.ROTATE_180,
        6: Image.Transpose.ROTATE_90,
        8: Image.Transpose.ROTATE_270,
    }[orientation]
    stored = upright if turn is None else upright.transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = accepted(encoded(stored, kind, exif=exif.tobytes() if kind == "HEIF" else exif))
    assert (found.width, found.height) == (32, 16)
    assert found.pixels[4, 0].max() < 30
    assert found.pixels[4, -1].min() > 225


def test_a_jpeg_with_a_second_picture_behind_it_is_a_jpeg() -> None:
    stream = io.BytesIO()
    picture(1, 40, 30).save(stream, "MPO", save_all=True, append_images=[picture(2, 40, 30)])
    assert accepted(stream.getvalue()).media_type == "image/jpeg"


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_takes_the_first_of_several_frames_and_says_so(kind: str) -> None:
    found = accepted(animation(kind))
    what = "pages" if kind == "TIFF" else "frames"
    assert found.notes == (f"the first of 3 {what}",)
    assert found.media_type == f"image/{kind.lower()}"
    still = accepted(encoded(picture(0), kind))
    assert still.notes == ()
    assert abs(found.pixels.astype(int) - still.pixels).mean() <= 4


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_a_broken_later_frame_does_not_cost_the_first(kind: str) -> None:
    whole = animation(kind)
    found = run(whole[: len(whole) - 40])
    if kind == "WEBP":
        # Its length is declared at the beginning.
        assert isinstance(found, Refused)
    else:
        assert isinstance(found, Decoded), found


@pytest.mark.parametrize(
    "content",
    [
        b"hello, this is text",
        b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
        b"<?xml version='1.0'?><svg/>",
        b"%PDF-1.7\n",
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08free",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        encoded(picture(1), "PPM"),
        encoded(picture(1), "ICO"),
        bytes(1000),
    ],
)
def test_refuses_what_is_no_image_of_an_allowed_format(content: bytes) -> None:
    assert refused(content).startswith("not an image in a format we read")


def test_refuses_an_empty_file() -> None:
    assert refused(b"") == "empty file"


@pytest.mark.parametrize("kind", zoo.MODES)
@pytest.mark.parametrize("share", [0.01, 0.3, 0.8])
def test_refuses_truncated_images(kind: str, share: float) -> None:
    content = encoded(picture(1, 64, 64), kind)
    # What these two are stands behind where the others begin.
    least = 12 if kind in {"AVIF", "HEIF"} else 8
    reason = refused(content[: max(least, int(len(content) * share))])
    assert reason.startswith("truncated or corrupt")
    assert "0x" not in reason


def test_refuses_a_damaged_png() -> None:
    content = bytearray(encoded(picture(1, 64, 64)))
    content[len(content) // 2] ^= 0xFF
    assert refused(bytes(content)).startswith("truncated or corrupt")


def test_refuses_by_the_header_what_is_too_large_to_decode() -> None:
    assert refused(huge_png()) == "60000 × 50000 pixels are more than the limit of 64,000,000"
    assert "limit" in refused(png(1), max_pixels=119)
    assert isinstance(run(png(1), max_pixels=120), Decoded)


def test_hostile_bytes_never_raise() -> None:
    generator = np.random.default_rng(0)
    for content in (
        jpeg(1),
        png(1),
        animation("GIF"),
        *(encoded(picture(1), kind) for kind in ("WEBP", "BMP", "TIFF", "GIF", "AVIF", "HEIF")),
    ):
        for _ in range(60):
            broken = bytearray(content)
            for position in generator.integers(0, len(broken), 4):
                broken[position] = generator.integers(0, 256)
            assert isinstance(run(bytes(broken), 1_000_000), Decoded | Refused)
