"""HEIC, as phones take it, for Pillow."""

from typing import Any, Final

from PIL import Image, ImageFile

from core.media.images.heif_decoder import HEADER, PIXELS
from core.media.images.heif_processes import decoders

STILL: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1"})
"""Brands of HEIC and HEIF."""
FILMS: Final = frozenset({b"hevc", b"hevx", b"hevm", b"hevs", b"msf1"})
"""Brands of HEIF of several frames, which may hold a still image too."""


class HeifImageFile(ImageFile.ImageFile):
    """The main image of a file. It is upright, whatever EXIF and XMP say: decoding turns it."""

    format = "HEIF"
    format_description = "HEIF"
    n_frames = 1
    is_animated = False
    _content: bytes | None = None

    def _open(self) -> None:
        assert self.fp is not None
        self._content = self.fp.read()
        try:
            found = decoders.ask(HEADER, self._content)
        except OSError as error:
            raise SyntaxError(str(error)) from None
        self._size, self._mode = found.size, found.mode
        self.n_frames = found.images
        self.is_animated = self.n_frames > 1
        if found.profile:
            self.info["icc_profile"] = found.profile
        self.tile = []

    def load(self) -> Any:
        """Decode it.

        Raises:
            OSError: Its pixels are damaged, or more than its header says.
            DecoderUnavailable: No decoder starts.
        """
        if self._content is not None:
            found = decoders.ask(PIXELS, self._content, self.width * self.height)
            self._size, self._mode = found.size, found.mode
            self.load_prepare()
            self.frombytes(found.pixels, "raw", self.mode)
            self._content = None
        return super().load()


def brand_of(prefix: bytes) -> bytes:
    """Of what a file says that it is, if it begins as HEIC, AVIF and films do; else nothing."""
    return prefix[8:12] if prefix[4:8] == b"ftyp" else b""


def _is_heif(prefix: bytes) -> bool:
    return brand_of(prefix) in STILL | FILMS


def register() -> None:
    """Have Pillow read HEIC by this."""
    Image.register_open(HeifImageFile.format, HeifImageFile, _is_heif)


register()
