"""Images with what is known of them, as one zip that is made while it leaves."""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, TypeVar

from anyio import to_thread

from api.exports.documents import Document
from api.exports.records import Images, Record, safe
from api.exports.zips import Spool, ZipWriter
from core.states import Split, Verdict
from core.storage import Storage

_AT_ONCE = 8 << 20


class Placed(NamedTuple):
    """An image, and the path that it gets in an archive."""

    path: str
    content_hash: bytes
    bytes: int


_Image = TypeVar("_Image", Placed, Record)


async def as_zip(
    images: Images,
    storage: Storage,
    place: Callable[[Record], str | None],
    document: Document,
    more: Sequence[tuple[str, str]] = (),
) -> AsyncIterator[bytes]:
    """Images for which ``place`` gives a path, then the document on them, and ``more`` texts."""
    with ZipWriter() as archive, closing(document), closing(Spool()) as spool:
        spool.write(document.begin().encode())
        async for block in images.blocks():
            placed: list[Placed] = []
            for record in block:
                path = place(record)
                if path is not None:
                    placed.append(Placed(path, record.content_hash, record.bytes))
                    spool.write(document.add(record, path).encode())
            async for piece in _packed(archive, storage, placed):
                yield piece
        for piece in document.end():
            spool.write(piece)
        for piece in archive.spooled(document.name, spool):
            yield piece
        for name, text in more:
            yield archive.stored(name, text.encode())
        for piece in archive.finish():
            yield piece


async def as_files(files: AsyncIterable[list[Placed]], storage: Storage) -> AsyncIterator[bytes]:
    """A zip of images and nothing else."""
    with ZipWriter() as archive:
        async for placed in files:
            async for piece in _packed(archive, storage, placed):
                yield piece
        for piece in archive.finish():
            yield piece


async def as_document(images: Images, document: Document) -> AsyncIterator[bytes]:
    """What is known of the images, without them."""
    with closing(document):
        yield document.begin().encode()
        async for block in images.blocks():
            yield "".join(document.add(record, record.file) for record in block).encode()
        for piece in document.end():
            yield piece


async def _packed(
    archive: ZipWriter, storage: Storage, files: Sequence[Placed]
) -> AsyncIterator[bytes]:
    """Entries of ``files``, read in a thread, a few MiB at a time."""
    for some in portions(files):
        yield await to_thread.run_sync(_entries, archive, storage, some)


def _entries(archive: ZipWriter, storage: Storage, files: Sequence[Placed]) -> bytes:
    return b"".join(archive.stored(one.path, read_image(storage, one)) for one in files)


def read_image(storage: Storage, image: Placed | Record) -> bytes:
    """The original bytes of an image."""
    return storage.image(image.content_hash).read_bytes()


def portions(images: Iterable[_Image]) -> Iterator[list[_Image]]:
    """``images`` in their order, in pieces that fit memory."""
    piece: list[_Image] = []
    held = 0
    for one in images:
        if piece and held + one.bytes > _AT_ONCE:
            yield piece
            piece, held = [], 0
        piece.append(one)
        held += one.bytes
    if piece:
        yield piece


def in_class_folders(class_names: Iterable[str]) -> Callable[[Record], str | None]:
    """``class/file`` for images of the pool that are labeled with a class."""
    folders = folders_of(class_names)

    def place(record: Record) -> str | None:
        if record.verdict is not Verdict.CLASS or record.class_name is None:
            return None
        return f"{folders[record.class_name]}/{record.file}"

    return place


def in_split_folders(class_names: Iterable[str]) -> Callable[[Record], str | None]:
    """``train/class/file`` and ``val/class/file``; what has no class stands beside them.

    A trainer takes every folder in ``train`` for a class, so OOD must not be one of them.
    """
    folders = folders_of(class_names)

    def place(record: Record) -> str | None:
        if record.class_name is not None:
            split = "val" if record.split is Split.EVALUATION else "train"
            return f"{split}/{folders[record.class_name]}/{record.file}"
        if record.split is Split.AUXILIARY_OOD:
            return f"{Split.AUXILIARY_OOD}/{record.file}"
        return f"{record.verdict or 'unlabeled'}/{record.file}"

    return place


def in_one_folder(record: Record) -> str:
    """``images/file``."""
    return f"images/{record.file}"


def folders_of(class_names: Iterable[str]) -> dict[str, str]:
    """A folder for each class: one level deep whatever its name, and no two classes in one."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    # Names that need no change come first and keep theirs.
    for name in sorted(class_names, key=lambda name: (safe(name) != name, name)):
        folder, number = safe(name), 2
        # Some file systems do not tell capitals apart.
        while folder.casefold() in taken:
            folder, number = f"{safe(name)}_{number}", number + 1
        taken.add(folder.casefold())
        found[name] = folder
    return found
