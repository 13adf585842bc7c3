"""Images within an import: original bytes as files, pixels in the store, what browsers show."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import PurePosixPath
from typing import Any, Final

from sqlalchemy.orm import Session, sessionmaker

from core.events import project_changed
from core.files.removals import hold_files, removals_begun
from core.files.storage import Storage, flush
from core.media.images.input_size import LARGE, PHOTOGRAPHS, SizeChoice
from core.media.images.rendition import Rendition, upright_size
from core.media.images.thumbnails import LARGEST, make, make_ahead
from core.settings import Settings
from core.settings.project import ProjectSettings
from core.states import Medium
from core.tables import Project
from models.errors import ModelError
from models.frame import Frame
from models.media.images.store import PixelStore, PixelWriter
from workers.imports.items import Item, Refused
from workers.imports.media.base import Addition, Begun, Content, Made, Sample, unwrapped
from workers.imports.media.decode import Decoded, decode_all
from workers.imports.media.unlike import advice, by_name, is_called_image, unlike_image

# So many files with one ending are looked into before the rest is believed to be alike.
_LOOKED_INTO: Final = 20
SIZE: Final = "input_size"
"""How large the model sees the images, in plans and results: a ``SizeChoice``."""


class ImageReading:
    """Reads images."""

    def __init__(self) -> None:
        """Nothing was looked into yet."""
        self._endings: Counter[tuple[str, bool]] = Counter()
        self.input_size: int | None = None
        """Side of the images in the pixel store; ``None`` in a pool that is to get its first."""

    @property
    def row_bytes(self) -> int:
        """A square of pixels, as large as may be chosen where nothing is chosen yet."""
        return 3 * (self.input_size or PHOTOGRAPHS[0][0]) ** 2

    def read(self, item: Item) -> Content | Refused:
        """The bytes as they came; what is in them is decoded later, several at once."""
        found = item.read()
        return found if isinstance(found, Refused) else unwrapped(found)

    def unlike(self, item: Item) -> Refused | None:
        """Why a file is no image that is not called like one."""
        return unlike_image(item)

    def foretell(self, item: Item) -> Refused | None:
        """Why a file that is not called like an image is none; so many of an ending are read."""
        ending = PurePosixPath(item.name).suffix.lower()
        if item.size == 0 or is_called_image(item.name):
            return None
        if self._endings[ending, False] >= _LOOKED_INTO and not self._endings[ending, True]:
            return by_name(item.name)
        found = unlike_image(item)
        self._endings[ending, found is None] += 1
        return found

    def beginning(self, item: Item) -> str:  # noqa: ARG002
        """No words tell how an image begins."""
        return ""

    def helped(self, name: str, refused: Refused) -> Refused:
        """What to do with a file that is no image, if its name tells."""
        found = None if is_called_image(name) else advice(name)
        return refused if found is None else Refused(found)

    def worded(self, reason: str) -> str:
        """Reasons are written of images."""
        return reason

    def foresee(
        self, settings: ProjectSettings, samples: Iterable[Iterable[Sample]], total: int
    ) -> Mapping[str, Any]:
        """How large the model would see the images, if this import chooses that."""
        choice = None
        if settings.input_size is None:
            choice = _choice(settings, sizes_of(samples), total)
        return {SIZE: None if choice is None else choice.to_json()}


class ImageMedium(ImageReading):
    """Images of one project. Only one import of a project runs at a time."""

    medium: Final = Medium.IMAGE
    facts: Final = (SIZE,)
    has_originals: Final = True

    def __init__(
        self,
        sessions: sessionmaker[Session],
        storage: Storage,
        project: Project,
        settings: Settings,
        threads: Executor,
    ) -> None:
        """Take up a pool.

        Args:
            sessions: For what is written beside the rows.
            storage: For originals and pixels.
            project: Its settings tell how the model sees the images.
            settings: For the largest image.
            threads: To decode and write several at once.
        """
        super().__init__()
        self.project_id = project.id
        known = ProjectSettings.model_validate(project.settings)
        self.input_size, self._fit = known.input_size, known.fit
        self._sessions, self._storage, self._threads = sessions, storage, threads
        self._max_pixels = settings.max_image_pixels
        self._sizes: list[tuple[int, int]] = []
        self._total = 0
        self._removals_begun: int | None = None
        self._pixels: PixelWriter | None = None

    @property
    def is_begun(self) -> bool:
        """Whether it is known how large the model sees the images."""
        return self.input_size is not None

    def look(self, samples: Iterable[Iterable[Sample]], total: int) -> None:
        """Look how large the images are, and how many."""
        self._sizes, self._total = sizes_of(samples), total

    def begin(self, session: Session) -> Begun:
        """Choose how large the model sees the images of an empty pool, unless somebody has.

        Args:
            session: Of the transaction, which keeps the choice in the project's settings.

        Returns:
            The choice; nothing where there was one, or no header can be read.
        """
        project = session.get_one(
            Project, self.project_id, with_for_update={"key_share": True}, populate_existing=True
        )
        settings = ProjectSettings.model_validate(project.settings)
        self._fit = settings.fit
        if settings.input_size is not None:
            self.input_size = settings.input_size
            return Begun()
        choice = _choice(settings, self._sizes, self._total)
        if choice is None:
            return Begun()
        self.input_size = choice.side
        project.settings = {**project.settings, SIZE: choice.side}
        session.execute(project_changed(project))
        return Begun({SIZE: choice.to_json()}, (str(choice),))

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Decode images."""
        return decode_all(
            contents,
            self._threads,
            max_pixels=self._max_pixels,
            # Without one there is no image whose header could be read: all are refused.
            frame=Frame(self.input_size or LARGE, self._fit),
            keep=self._make_ahead,
        )

    def _make_ahead(self, content: bytes, picture: Rendition) -> None:
        """What annotators would wait for; it stays where the row then is not committed."""
        make_ahead(self._storage, content, picture)

    def write(self, first: int, additions: Sequence[Addition]) -> None:
        """Store bytes and pixels."""
        with self._sessions.begin() as session:
            session.execute(hold_files())
            self._removals_begun = session.scalar(removals_begun())
        if self._storage.remote is None:
            for addition in additions:
                if addition.origin is None:
                    self._storage.put_image(addition.digest, addition.content)
            # Before the rows: once they are committed, no retry reads these from the upload again.
            flush(self._storage.root / "images")
        far = [one for one in additions if one.origin is not None or self._storage.remote]
        # Consumed, so that a failure is raised.
        list(self._threads.map(self._write_far, far))
        if additions:
            pixels = self._writer(first)
            pixels.write(first, (_decoded(one).pixels for one in additions))
            pixels.flush()

    def _writer(self, first: int) -> PixelWriter:
        if self._pixels is None:
            # There are pixels, so the size that they have was chosen.
            assert self.input_size is not None
            path = self._storage.pixels(self.project_id, self.input_size, self._fit)
            if PixelStore.held(path, self.input_size) < first:
                # A gap would be black images to the model, and nobody would notice.
                raise ModelError(
                    f"The pixel store {path} has lost images, and so have the originals. Import "
                    "those images again by themselves, which brings them back, and new ones after."
                )
            self._pixels = PixelStore.writer(path, self.input_size)
        return self._pixels

    def _write_far(self, addition: Addition) -> None:
        """What is made of an original that lies elsewhere, so that it need not be read again."""
        if addition.origin is None:
            self._storage.put_image(addition.digest, addition.content)
        make(self._storage, addition.digest, LARGEST, addition.content)

    def hold(self, session: Session, additions: Sequence[Addition]) -> None:
        """Have every file until the commit: what was there may have gone with another project."""
        session.execute(hold_files())
        if session.scalar(removals_begun()) == self._removals_begun:
            return
        for one in additions:
            if one.origin is None and not self._storage.has_image(one.digest):
                self._storage.put_image(one.digest, one.content)
        flush(self._storage.root / "images")

    def came_again(self, session: Session, contents: Mapping[bytes, bytes]) -> None:
        """Only originals of images get lost, and ``workers.imports.moved`` sees to these."""

    def added(self, session: Session, first: int, additions: Sequence[Addition]) -> None:
        """All there is of an image in the database is its row."""

    def close(self) -> None:
        """Close the pixel store."""
        if self._pixels is not None:
            self._pixels.close()


def _choice(
    settings: ProjectSettings, sizes: list[tuple[int, int]], total: int
) -> SizeChoice | None:
    return SizeChoice.of(sizes, fit=settings.fit, total=total, above=settings.patch_size)


def sizes_of(samples: Iterable[Iterable[Sample]]) -> list[tuple[int, int]]:
    """(width, height) of images, when held upright, by their headers where these are enough.

    Of the first group in which any image can be read.
    """
    found = ([size for one in group if (size := _size_of(one)) is not None] for group in samples)
    return next((sizes for sizes in found if sizes), [])


def _size_of(sample: Sample) -> tuple[int, int] | None:
    size = upright_size(sample.head)
    if size is None:
        whole = sample.whole()
        size = None if whole is None else upright_size(whole)
    return size


def _decoded(addition: Addition) -> Decoded:
    assert isinstance(addition.made, Decoded)
    return addition.made
