"""Files of an installation: images by content, stores of pixels and texts, artifacts, uploads.

Every file appears under its final name only when it is whole, by a rename in the same directory.
With a bucket, images lie there, and artifacts too; the data directory then holds copies and what
can be made again.
"""

import ctypes
import hashlib
import logging
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from core.errors import DomainError, NotFound
from core.files.buckets import Buckets
from core.settings import Settings
from core.settings.locations import Location
from core.settings.project import Fit

logger = logging.getLogger(__name__)
_BLOCK: Final = 1 << 20
MADE_SUFFIXES: Final = (".webp", ".png", ".jpg")
"""Endings of the names of what is made of an image: see ``core.media.images.thumbnails``."""


@dataclass(frozen=True)
class Remote:
    """The folder of a bucket that holds an installation's images and artifacts."""

    buckets: Buckets
    place: Location

    def image(self, content_hash: bytes) -> Location:
        """Where the image whose SHA-256 is ``content_hash`` (32 bytes) lies."""
        digest = content_hash.hex()
        return self.place.child(f"images/{digest[:2]}/{digest}")


class Storage:
    """Layout of the data directory.

    Args:
        root: The data directory; created when first written to.
        remote: The bucket for images and artifacts, if there is one.
    """

    def __init__(self, root: Path, remote: Remote | None = None) -> None:
        """Remember the places; nothing is read or written yet."""
        self.root = root
        self.remote = remote

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The storage that an installation's settings name."""
        place = settings.storage_place
        return cls(settings.data_dir, Remote(Buckets(settings), place) if place else None)

    def image(self, content_hash: bytes) -> Path:
        """File of the image whose SHA-256 is ``content_hash`` (32 bytes)."""
        digest = content_hash.hex()
        return self.root / f"images/{digest[:2]}/{digest}"

    def put_image(self, content_hash: bytes, content: bytes) -> None:
        """Store an image's original bytes; storing the same content again changes nothing."""
        path = self.image(content_hash)
        if self.remote is not None:
            self.remote.buckets.write(self.remote.image(content_hash), content)
        elif not path.exists():
            write_atomically(path, lambda part: part.write_bytes(content))

    def has_image(self, content_hash: bytes) -> bool:
        """Whether an image's original bytes are stored. Blocks."""
        if self.image(content_hash).exists():
            return True
        if self.remote is None:
            return False
        try:
            self.remote.buckets.head(self.remote.image(content_hash))
        except NotFound:
            return False
        return True

    def pixels(self, project_id: int, size: int, fit: Fit) -> Path:
        """Pixel store of a project: its decoded images at the model's input size.

        The size of the first import is not part of the name. Those that images were brought to
        later are, and so is how images lie in their squares, so that the project's settings and
        the file never contradict.

        Args:
            project_id: The project.
            size: Side of the images in pixels, as the settings of the project say.
            fit: Likewise.
        """
        path = self.resized_pixels(project_id, size, fit)
        return path if path.exists() else self.project(project_id) / f"pixels{_named(fit)}.u8"

    def resized_pixels(self, project_id: int, size: int, fit: Fit) -> Path:
        """Where a pixel store of another size than that of the first import is, or will be."""
        return self.project(project_id) / f"pixels{_named(fit)}-{size}.u8"

    def all_pixels(self, project_id: int) -> list[Path]:
        """Pixel stores of a project: one, but for the moment when another takes its place."""
        return sorted(self.project(project_id).glob("pixels*.u8"))

    def texts(self, project_id: int) -> Path:
        """Directory of the text store of a project: its texts in the order of the pool.

        The database holds them too, so that it can be made again.
        """
        return self.project(project_id) / "texts"

    def project(self, project_id: int) -> Path:
        """Directory of everything that belongs to one project."""
        return self.root / "projects" / str(project_id)

    def features(self, project_id: int) -> Path:
        """Directory of embeddings that are computed once per pool."""
        return self.project(project_id) / "features"

    def warm_up(self, project_id: int) -> Path:
        """The last warm-up of a project's pruning, which can be made again: no backup has it."""
        return self.features(project_id) / "warm-up.npz"

    def artifact(self, key: str) -> Path:
        """File of an artifact.

        Args:
            key: ``artifacts.storage_key``, a relative path.
        """
        return self.root / key

    def publish(self, key: str) -> None:
        """Copy an artifact's file to the bucket, if there is one."""
        if self.remote is not None:
            self.remote.buckets.write(self.remote.place.child(key), self.artifact(key))

    def fetch(self, key: str) -> Path:
        """File of an artifact, brought from the bucket if another machine made it. Blocks.

        The file is missing if it is missing there too.
        """
        path = self.artifact(key)
        if self.remote is not None and not path.exists():
            buckets = self.remote.buckets
            with suppress(NotFound):
                blocks = buckets.blocks(buckets.head(self.remote.place.child(key)))
                write_atomically(path, lambda part: fill(part, blocks))
        return path

    def job_log(self, project_id: int, job_id: int) -> Path:
        """What a job has said of itself, over all its attempts."""
        return self.project(project_id) / "jobs" / str(job_id) / "job.log"

    def work(self, job_id: int) -> Path:
        """Directory for what a job has finished so far; removed when it succeeds."""
        return self.root / "work" / str(job_id)

    def upload(self, name: str) -> Path:
        """File of an upload that waits for its import."""
        return self.root / "uploads" / name

    def remove_upload(self, name: str) -> None:
        """Remove an upload that nobody needs, once that is committed. Blocks.

        Where it cannot be removed it stays until ``workers.cleanup.removals`` finds that nobody
        needs it.
        """
        with suppress(OSError):
            self.upload(name).unlink()

    def made_of_image(self, content_hash: bytes) -> Iterator[Path]:
        """Where what was made of an image may lie, named by the hash of its original."""
        digest = content_hash.hex()
        # Of this version and of earlier ones, the first of which called the folder otherwise.
        for folder in (*self.root.glob("renditions/*/*"), *self.root.glob("thumbnails/*")):
            for suffix in MADE_SUFFIXES:
                yield folder / digest[:2] / f"{digest}{suffix}"

    def remove_images(
        self, content_hashes: Collection[bytes]
    ) -> tuple["Freed", dict[bytes, Exception]]:
        """Remove originals and what was made of them. Blocks.

        The caller knows that nothing names them: see ``core.files.removals``.

        Returns:
            What was removed; and which of them cannot be, and why: they cost no other.
        """
        freed, stay = Freed(), dict[bytes, Exception]()
        if self.remote is not None and content_hashes:
            places = {self.remote.image(one): one for one in content_hashes}
            try:
                kept = self.remote.buckets.remove_all(list(places))
            except DomainError as error:
                return freed, dict.fromkeys(content_hashes, error)
            stay |= {places[location]: error for location, error in kept.items()}
        for one in content_hashes:
            if one in stay:
                continue
            paths = (self.image(one), *self.made_of_image(one))
            try:
                freed += sum(map(_unlink, paths), Freed())
            except OSError as error:
                stay[one] = error
        return freed, stay

    def remove_path(self, name: str) -> "Freed":
        """Remove a file, or a folder with all that is in it, from the data directory. Blocks.

        Args:
            name: Its path there.

        Raises:
            OSError: Something of it is still there; what can go has gone.
        """
        # First what can fail: copies that are left are still of use.
        if self.remote is not None and name.startswith(("projects/", "weights/")):
            self.remote.buckets.remove(self.remote.place.child(name))
        path = self.root / name
        if not path.is_dir() or path.is_symlink():
            return _unlink(path)
        freed = Freed()
        for parent, _, files in os.walk(path):
            for file in files:
                # What fails is told below, after all else has gone.
                with suppress(OSError):
                    freed += _unlink(Path(parent, file))
        shutil.rmtree(path, ignore_errors=True)
        if path.exists():
            # Once more, to say what is in the way.
            shutil.rmtree(path)
        return freed

    def discard(self, name: str) -> bool:
        """Remove what nothing names any more, as ``remove_path`` does. Blocks.

        Returns:
            Whether it is gone; of what cannot be removed the log says so.
        """
        try:
            self.remove_path(name)
        except (OSError, DomainError) as error:
            logger.warning("%s, which nothing names any more, stays: %s", name, error)
            return False
        return True


def _named(fit: Fit) -> str:
    # As in versions before there was another.
    return "" if fit == "crop" else f"-{fit}"


@dataclass(frozen=True)
class Freed:
    """What was removed from the disk: how many files, and their room in bytes."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: Self) -> "Freed":
        """Both together."""
        return Freed(self.files + other.files, self.bytes + other.bytes)


def room_of(path: Path) -> int:
    """Bytes that a file takes on the disk; a file with holes takes less than it is long."""
    return path.lstat().st_blocks * 512


def _unlink(path: Path) -> Freed:
    try:
        size = room_of(path)
        path.unlink()
    except FileNotFoundError:
        return Freed()
    return Freed(1, size)


def fill(file: Path, blocks: Iterable[bytes]) -> None:
    """Write ``blocks`` to ``file``."""
    with file.open("wb") as output:
        output.writelines(blocks)


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then rename it to ``path``.

    Where the folder was missing, ``write`` has failed by then and is called once more.
    """
    part = path.with_name(f"{path.name}.{secrets.token_hex(16)}.part")
    try:
        try:
            write(part)
        except Exception:
            # Made only now: of many files in few folders, nearly none is the first.
            if path.parent.is_dir():
                raise
            path.parent.mkdir(parents=True, exist_ok=True)
            write(part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def flush(directory: Path) -> None:
    """Have everything on the disk of ``directory`` that was written before. Blocks.

    Once for many files: each by itself would wait for the disk.
    """
    if not directory.is_dir():
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        # Of this file system only, where the system can tell them apart.
        syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if syncfs is None:
            os.sync()
        elif syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(directory))
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
