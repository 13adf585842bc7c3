"""What is kept of examples while they are checked: rows of a store, by what they are."""

import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol

from core.errors import DomainError, ErrorKind
from core.jobs.imports import ImportParams
from core.media.images.input_size import SizeChoice
from core.media.nouns import in_words_of
from core.process.cpus import usable_cpus
from core.settings import Settings
from core.states import Medium
from core.tasks.classification import CLASSIFICATION
from models.frame import Frame
from models.media.base import Store
from models.media.images.store import PixelStore, PixelWriter
from models.media.texts.store import TextStore, TextWriter
from workers.imports.items import Refused, Source
from workers.imports.media.base import Addition, Made, Reading
from workers.imports.media.decode import Decoded, decode_all
from workers.imports.media.image import ImageReading, sizes_of
from workers.imports.media.text import MadeText, TextReading
from workers.imports.reading import LabelReader
from workers.imports.sampling import samples_ahead

_MOST_THREADS: Final = 4
# Features of both kinds beside each other, as float32, twice while they are made; and the rest.
_FEATURES_BYTES: Final = 2 * 4 * 1_800
# As of new projects whose labels are classes.
_FIT: Final = CLASSIFICATION.fit
_SPARE_BYTES: Final = 64 << 20
# A text of a table, as it is stored.
_TEXT_BYTES: Final = 2 << 10


class Kept(Protocol):
    """The store of one check, while it is written."""

    reading: Reading

    def begin(self, images: Source, reader: LabelReader) -> Sequence[str]:
        """Choose, before the first example, what is kept of each; returns what to say of it."""
        ...

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Make rows of bytes."""
        ...

    def write(self, first: int, additions: Sequence[Addition]) -> None:
        """Write rows from ``first`` on."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...

    def open(self, count: int) -> Store:
        """Read what was written."""
        ...


class KeptImages:
    """Pixels."""

    def __init__(self, work: Path, settings: Settings) -> None:
        """Keep them in a folder of the check."""
        self._images = ImageReading()
        self.reading: Reading = self._images
        self._work, self._most = work, settings.max_image_pixels
        self._threads = ThreadPoolExecutor(min(_MOST_THREADS, usable_cpus()))
        self._writer: PixelWriter | None = None

    def begin(self, images: Source, reader: LabelReader) -> Sequence[str]:
        """Choose the size of all, by some of them."""
        samples = samples_ahead(images, ImportParams(filename=""), self.reading, reader)
        choice = SizeChoice.of(sizes_of(samples), fit=_FIT, total=images.total)
        # Without a header that can be read there is no image either.
        self._images.input_size = side = 8 if choice is None else choice.side
        _require_room(Medium.IMAGE, self._work, images.total, side * side * 3)
        self._writer = PixelStore.writer(self._pixels, side)
        return [] if choice is None else [str(choice)]

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Decode files."""
        return decode_all(contents, threads=self._threads, max_pixels=self._most, frame=self._frame)

    def write(self, first: int, additions: Sequence[Addition]) -> None:
        """Write their pixels."""
        assert self._writer is not None
        made = (one.made for one in additions)
        self._writer.write(first, (one.pixels for one in made if isinstance(one, Decoded)))

    def close(self) -> None:
        """Close the store, and end the threads."""
        self._threads.shutdown()
        if self._writer is not None:
            self._writer.close()

    def open(self, count: int) -> Store:
        """Read the pixels."""
        return PixelStore.open(self._pixels, self._frame.side, count, fit=_FIT)

    @property
    def _frame(self) -> Frame:
        return Frame(self._images.input_size or 1, _FIT)

    @property
    def _pixels(self) -> Path:
        return self._work / "pixels"


class KeptTexts:
    """Texts."""

    def __init__(self, work: Path, settings: Settings) -> None:
        """Keep them in a folder of the check."""
        self.reading: Reading = TextReading(settings)
        self._work = work
        self._writer: TextWriter | None = None

    def begin(self, images: Source, reader: LabelReader) -> Sequence[str]:  # noqa: ARG002
        """Nothing is chosen."""
        _require_room(Medium.TEXT, self._work, images.total, _TEXT_BYTES)
        self._writer = TextStore.writer(self._texts)
        return []

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Texts of UTF-8, as they were read."""
        return [MadeText(content.decode()) for content in contents]

    def write(self, first: int, additions: Sequence[Addition]) -> None:
        """Write the texts."""
        assert self._writer is not None
        self._writer.write(first, [one.content.decode() for one in additions])

    def close(self) -> None:
        """Close the store."""
        if self._writer is not None:
            self._writer.close()

    def open(self, count: int) -> TextStore:
        """Read the texts."""
        return TextStore.open(self._texts, count)

    @property
    def _texts(self) -> Path:
        return self._work / "kept"


def kept_of(medium: Medium, work: Path, settings: Settings) -> Kept:
    """What is kept of examples of a medium."""
    return KeptTexts(work, settings) if medium is Medium.TEXT else KeptImages(work, settings)


def _require_room(medium: Medium, work: Path, count: int, size: int) -> None:
    """Refuse what the disk has no room for, before anything takes long."""
    needed = count * (size + _FEATURES_BYTES) + _SPARE_BYTES
    free = shutil.disk_usage(work).free
    if needed > free:
        examples = in_words_of(medium, f"{count:,} images need")
        raise DomainError(
            "disk_full",
            f"{examples} {needed / 1e9:.1f} GB for the time of the check, and "
            f"{work.parent} has {free / 1e9:.1f} GB left. Make room, or name a folder on another "
            "disk with the environment variable TMPDIR.",
            kind=ErrorKind.UNAVAILABLE,
        )
