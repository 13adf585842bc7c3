"""Files of every kind that an import takes, each with the picture that everybody is to see."""

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms, PngImagePlugin

from tests import heic

heic.written()

WIDTH, HEIGHT = 96, 64
DEPTHS: Final = ("10", "12", "14", "16", "int16", "int32", "float 0..1", "float", "float 255")
MODES: Final = {
    "JPEG": ("L", "RGB", "CMYK"),
    "PNG": (
        *("1", "L", "L with key", "LA", "P", "P with key", "RGB", "RGB with key", "RGBA"),
        *("10", "12", "14", "16", "RGB 12", "RGB 16", "RGBA 12", "RGBA 16", "LA 12", "LA 16"),
    ),
    "WEBP": ("RGB", "RGBA"),
    "GIF": ("L", "P", "P with key"),
    "BMP": ("1", "L", "P", "RGB"),
    "TIFF": ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "LAB", *DEPTHS),
    "AVIF": ("L", "RGB", "RGBA"),
    "HEIF": ("L", "RGB", "RGBA"),
}
PROFILED: Final = {
    "JPEG": {"RGB", "L"},
    "PNG": {"RGB", "RGBA", "L"},
    "WEBP": {"RGB", "RGBA"},
    "TIFF": {"RGB", "L"},
    "AVIF": {"RGB"},
    "HEIF": {"RGB"},
}
"""What may carry an ICC profile here."""
TURNABLE: Final = ("JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF")
TURNED_BY_XMP: Final = ("JPEG", "PNG", "WEBP", "TIFF")
FRAMED: Final = ("PNG", "WEBP", "GIF", "TIFF")
TURNED: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How pixels are stored that an orientation turns upright again."""


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        format: Of Pillow.
        mode: Of Pillow, or one of ``MODES``.
        orientation: 1 to 8.
        said_by: Whether EXIF or XMP says it.
        profile: ``none``, ``wide`` for primaries of its own, or ``broken``.
        frames: How many, of which the first counts.
        packed: Whether a TIFF is compressed.
    """

    format: str
    mode: str
    orientation: int = 1
    said_by: str = "exif"
    profile: str = "none"
    frames: int = 1
    packed: bool = False

    def __str__(self) -> str:
        """Name it for a test."""
        extra = f" {self.profile} profile" if self.profile != "none" else ""
        turned = f" {self.said_by} {self.orientation}" if self.orientation > 1 else ""
        more = f" {self.frames} frames" if self.frames > 1 else ""
        return f"{self.format} {self.mode}{turned}{extra}{more}{' packed' if self.packed else ''}"


def picture() -> Image.Image:
    """Smooth, in colour, and another in each corner; no channel is narrow."""
    x, y = np.meshgrid(np.linspace(0, 1, WIDTH), np.linspace(0, 1, HEIGHT))
    channels = np.stack([x, y, 1 - x * y], axis=-1)
    return Image.fromarray((30 + 200 * channels).astype(np.uint8))


def opacity() -> Image.Image:
    """Clear at the left, opaque at the right."""
    ramp = np.linspace(-0.3, 1.3, WIDTH).clip(0, 1) * 255
    return Image.fromarray(np.tile(ramp.astype(np.uint8), (HEIGHT, 1)))


def matrix_profile(space: bytes = b"RGB ") -> bytes:
    """An ICC profile of wide primaries (those of Adobe RGB) and a power of 1.8; or of greys."""

    def xyz(*values: float) -> bytes:
        return b"XYZ \0\0\0\0" + struct.pack(">3l", *(round(v * 65536) for v in values))

    curve = b"curv\0\0\0\0" + struct.pack(">LH", 1, round(1.8 * 256)) + b"\0\0"
    name = b"desc\0\0\0\0" + struct.pack(">L", 5) + b"Wide\0" + bytes(4 + 4 + 2 + 1 + 67)
    tags = {b"desc": name, b"cprt": b"text\0\0\0\0none\0\0\0\0", b"wtpt": xyz(0.9642, 1, 0.8249)}
    if space == b"RGB ":
        tags |= {b"rXYZ": xyz(0.60974, 0.31111, 0.01947), b"gXYZ": xyz(0.20528, 0.62567, 0.06087)}
        tags |= {b"bXYZ": xyz(0.14919, 0.06322, 0.74457)}
        tags |= dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve)
    else:
        tags[b"kTRC"] = curve
    table, body = struct.pack(">L", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for tag, content in tags.items():
        content = content.ljust(-(-len(content) // 4) * 4, b"\0")
        table += tag + struct.pack(">2L", start + len(body), len(content))
        body += content
    size = 128 + len(table) + len(body)
    header = struct.pack(">L4sL4s4s4s", size, b"none", 0x02400000, b"mntr", space, b"XYZ ")
    header += struct.pack(">6H4s", 2026, 1, 1, 0, 0, 0, b"acsp") + bytes(28)
    header += struct.pack(">3l", 63190, 65536, 54061)
    return header.ljust(128, b"\0") + table + body


def made(kind: Kind) -> tuple[bytes, Image.Image]:
    """A file of a kind, and what is to be seen of it (mode RGB)."""
    shown, clear = picture(), opacity()
    seen = _seen(kind, shown.copy(), clear)
    if kind.orientation > 1:
        shown, clear = (one.transpose(TURNED[kind.orientation]) for one in (shown, clear))
    if kind.profile == "wide":
        shown = _in_profile(shown, kind)
    if kind.format == "PNG" and kind.mode.split()[-1] in {"12", "16"} and " " in kind.mode:
        return _deep_png(kind, shown, clear), seen
    stored, options = _stored(kind, shown, clear)
    options |= _orientation(kind)
    if kind.profile != "none":
        grey = stored.mode in {"L", "LA"}
        wide = matrix_profile(b"GRAY" if grey else b"RGB ")
        options["icc_profile"] = wide if kind.profile == "wide" else b"no profile"
    if kind.packed:
        options["compression"] = "tiff_lzw"
    if kind.frames > 1:
        others = [Image.new(stored.mode, stored.size, index) for index in range(1, kind.frames)]
        options |= {"save_all": True, "append_images": others}
    file = io.BytesIO()
    stored.save(file, kind.format, **options)
    return file.getvalue(), seen


def _seen(kind: Kind, seen: Image.Image, clear: Image.Image) -> Image.Image:
    mode = kind.mode
    if mode == "1":
        return seen.convert("1", dither=Image.Dither.NONE).convert("RGB")
    if (mode.startswith("L") and mode != "LAB") or mode in DEPTHS:
        seen = seen.convert("L")
        if mode in {"int16", "int32", "float"}:
            seen = Image.fromarray((_from_black_to_white(seen) * 255 + 0.5).astype(np.uint8))
        seen = seen.convert("RGB")
    if kind.format == "GIF" or mode.startswith("P"):
        seen = seen.quantize(64, dither=Image.Dither.NONE).convert("RGB")
    if mode.startswith(("RGBA", "LA")) and mode != "LAB":
        return Image.composite(seen, Image.new("RGB", seen.size, "white"), clear)
    if mode.endswith("with key"):
        seen.paste("white", (0, 0, WIDTH // 2, HEIGHT))
    return seen


def _from_black_to_white(grey: Image.Image) -> NDArray[np.float64]:
    values = np.asarray(grey).astype(float)
    return np.asarray((values - values.min()) / (values.max() - values.min()))


def _stored(
    kind: Kind, shown: Image.Image, clear: Image.Image
) -> tuple[Image.Image, dict[str, Any]]:
    """The image to save, and how."""
    lossless: dict[str, Any] = {"lossless": True, "exact": True}
    fine: dict[str, dict[str, Any]] = {
        "JPEG": {"quality": 95, "subsampling": 0},
        "WEBP": lossless,
        "AVIF": {"quality": 95, "subsampling": "4:4:4"},
        "HEIF": {"quality": 95, "chroma": 444},
    }
    options = fine.get(kind.format, {})
    grey = shown.convert("L")
    if kind.mode in DEPTHS:
        return Image.fromarray(_deep(grey, kind.mode)), options
    if kind.mode == "RGBA":
        shown.putalpha(clear)
        return shown, options
    if kind.mode == "LA":
        return Image.merge("LA", (grey, clear)), options
    if kind.mode == "P":
        return shown.quantize(64, dither=Image.Dither.NONE), options
    if kind.mode.endswith("with key"):
        return _keyed(kind, shown)
    if kind.mode == "LAB":
        srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
        made = ImageCms.profileToProfile(shown, srgb, lab, outputMode="LAB")
        assert made is not None
        return made, options
    if kind.mode == "1":
        return shown.convert("1", dither=Image.Dither.NONE), options
    return (grey if kind.mode == "L" else shown.convert(kind.mode)), options


def _keyed(kind: Kind, shown: Image.Image) -> tuple[Image.Image, dict[str, Any]]:
    """Half of it in a colour that is declared to be transparent, and which nothing else has."""
    turned = Image.new("1", (WIDTH, HEIGHT))
    turned.paste(1, (0, 0, WIDTH // 2, HEIGHT))
    if kind.orientation > 1:
        turned = turned.transpose(TURNED[kind.orientation])
    if kind.mode.startswith("P"):
        shown = shown.quantize(64, dither=Image.Dither.NONE)
        shown.putpalette([*(shown.getpalette() or [])[: 64 * 3], 250, 0, 250])
        shown.paste(64, mask=turned)
        return shown, {"transparency": 64}
    if kind.mode.startswith("L"):
        grey = shown.convert("L")
        grey.paste(3, mask=turned)
        return grey, {"transparency": 3}
    shown.paste((250, 0, 250), mask=turned)
    return shown, {"transparency": (250, 0, 250)}


def _deep(grey: Image.Image, mode: str) -> NDArray[Any]:
    """Values of a depth; those of a known range as they are, the others over all of theirs."""
    share = np.asarray(grey).astype(float) / 255
    if mode.isdigit():
        return np.asarray((share * ((1 << int(mode)) - 1)).astype(np.uint16))
    if mode == "float 0..1":
        return share.astype(np.float32)
    if mode == "float 255":
        return np.asarray(grey).astype(np.float32)
    share = _from_black_to_white(grey)
    if mode == "float":
        return (share * 7.3 - 2.1).astype(np.float32)
    return (share * 2**31 * 0.99 if mode == "int32" else share * 3000 - 1024).astype(np.int32)


def _deep_png(kind: Kind, shown: Image.Image, clear: Image.Image) -> bytes:
    """A PNG of several channels of 16 bits, which Pillow does not write."""
    colour, bits = kind.mode.split()
    image = shown.convert("L" if colour.startswith("L") else "RGB")
    bands = [np.asarray(band) for band in image.split()]
    values = [band.astype(float) / 255 * ((1 << int(bits)) - 1) for band in bands]
    if colour.endswith("A"):
        values.append(np.asarray(clear).astype(float) * 257)
    pixels = np.stack(values, axis=-1).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    kinds = {"RGB": 2, "LA": 4, "RGBA": 6}
    header = struct.pack(">2L5B", *image.size, 16, kinds[colour], 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    said = _orientation(kind)
    if "exif" in said:
        chunks.insert(1, (b"eXIf", said["exif"].tobytes().removeprefix(b"Exif\0\0")))
    elif said:
        text = b"XML:com.adobe.xmp\0\0\0\0\0" + xmp_packet(kind.orientation)
        chunks.insert(1, (b"iTXt", text))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">L", len(data)) + name + data + struct.pack(">L", zlib.crc32(name + data))
        for name, data in chunks
    )


def _orientation(kind: Kind) -> dict[str, Any]:
    if kind.orientation == 1:
        return {}
    if kind.said_by == "exif":
        exif = Image.Exif()
        exif[0x0112] = kind.orientation
        # Of an object the writer of HEIF reads no orientation.
        return {"exif": exif.tobytes() if kind.format == "HEIF" else exif}
    packet = xmp_packet(kind.orientation)
    if kind.format == "PNG":
        info = PngImagePlugin.PngInfo()
        info.add_itxt("XML:com.adobe.xmp", packet.decode())
        return {"pnginfo": info}
    return {"tiffinfo": {700: packet}} if kind.format == "TIFF" else {"xmp": packet}


def xmp_packet(orientation: int) -> bytes:
    return (
        b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description "
        b"xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='%d'/></rdf:RDF></x:xmpmeta>"
    ) % orientation


def _in_profile(shown: Image.Image, kind: Kind) -> Image.Image:
    """The numbers that mean the same colours by ``matrix_profile`` as ``shown`` does in sRGB."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
    if kind.mode.startswith("L"):
        light = np.asarray(shown.convert("L")).astype(float) / 255
        light = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
        return Image.fromarray((light ** (1 / 1.8) * 255 + 0.5).astype(np.uint8)).convert("RGB")
    wide = ImageCms.ImageCmsProfile(io.BytesIO(matrix_profile()))
    made = ImageCms.profileToProfile(shown, srgb, wide, outputMode="RGB")
    assert made is not None
    return made


def every_kind() -> Iterator[Kind]:
    """Each format and mode once, and every other property at least once for each format."""
    for form, modes in MODES.items():
        for mode in modes:
            yield Kind(form, mode)
        profiled = PROFILED.get(form, set())
        for mode in sorted(profiled):
            yield from (Kind(form, mode, profile=profile) for profile in ("wide", "broken"))
        if form in TURNABLE:
            for orientation in TURNED:
                yield Kind(form, "RGB", orientation)
        if form in TURNED_BY_XMP:
            yield from (Kind(form, "RGB", orientation, "xmp") for orientation in (3, 6))
        if form in FRAMED:
            yield Kind(form, "P" if form == "GIF" else "RGB", frames=3)
        if form == "TIFF":
            yield from (Kind(form, mode, 6) for mode in modes)
            yield from (Kind(form, mode, 6, packed=True) for mode in modes)
