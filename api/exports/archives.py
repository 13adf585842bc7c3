"""Images with what is known of them, as one zip that is made while it leaves."""

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from posixpath import basename
from typing import Final, NamedTuple, TypeVar

from anyio import to_thread

from api.exports.documents import Document, dumped
from api.exports.part import FILTERS
from api.exports.records import Images, Record
from api.exports.zips import Spool, ZipWriter
from api.transfers.streams import in_threads
from core.errors import Conflict
from core.files.prefetch import in_order, readers
from core.media.originals import Original, Originals

MISSING: Final = "MISSING.txt"
RENAMED: Final = "RENAMED.txt"
_AT_ONCE: Final = 8 << 20
# Nothing is sent while a portion is read, and a client waits only so long.
_FAR_AT_ONCE: Final = 64


class Placed(NamedTuple):
    """An image, and the path that it gets in an archive."""

    path: str
    original: Original
    bytes: int


Texts = Iterable[tuple[str, str | Iterable[bytes]]]
"""Names and contents of texts; long ones in pieces."""


@dataclass
class Written:
    """Numbers of images that an archive holds: by their folder, and by ending in small letters."""

    by_folder: Counter[str] = field(default_factory=Counter)
    by_ending: Counter[str] = field(default_factory=Counter)

    def add(self, path: str) -> None:
        """Count the image at ``path``."""
        self.by_folder[path.rpartition("/")[0]] += 1
        self.by_ending[path.rpartition(".")[2].lower()] += 1


_Image = TypeVar("_Image", Placed, Record)


async def as_zip(
    images: Images,
    originals: Originals,
    place: Callable[[Record], str | None],
    document: Document,
    folders: Sequence[str] = (),
    more: Callable[[Written], Texts] = lambda _: (),
) -> AsyncIterator[bytes]:
    """Images for which ``place`` gives a path, then the document on them, and texts.

    Files that are not called as they came stand in ``RENAMED.txt``, each beside that name.

    Args:
        images: Which.
        originals: Where their bytes are.
        place: Path of an image, or ``None`` if it stays behind.
        document: What is said of them.
        folders: Those that are there although no image may be in them.
        more: Gives the texts, once all images are written.
    """
    with closing(document), closing(Spool()) as spool, closing(Spool()) as renamed:
        spool.write(document.begin().encode())

        def added(block: list[Record]) -> list[Placed]:
            found = []
            for record in block:
                path = place(record)
                if path is not None:
                    found.append(Placed(path, record.original, record.bytes))
                    if basename(path) != basename(record.name.replace("\\", "/")):
                        renamed.write(f"{path}\t{dumped(record.name)}\n".encode())
                    spool.write(document.add(record, path).encode())
            return found

        async def placed() -> AsyncIterator[list[Placed]]:
            async for block in images.blocks():
                yield await to_thread.run_sync(added, block)

        def texts(written: Written) -> Iterator[tuple[str, Spool]]:
            for piece in document.end():
                spool.write(piece)
            yield document.name, spool
            for name, text in (*more(written), *_said(images)):
                yield from _spooled(name, text)
            if renamed.size:
                yield RENAMED, renamed

        async for piece in as_files(placed(), originals, texts, folders):
            yield piece


async def as_files(
    files: AsyncIterable[list[Placed]],
    originals: Originals,
    texts: Callable[[Written], Iterable[tuple[str, Spool]]] = lambda _: (),
    folders: Sequence[str] = (),
) -> AsyncIterator[bytes]:
    """A zip of images, then of ``texts``; images that are lost are named in ``MISSING.txt``.

    ``folders`` are there although no image may be in them.

    Raises:
        DomainError: If a bucket cannot be looked at: what is only out of reach is not lost.
    """
    with (
        ZipWriter() as archive,
        closing(Spool()) as missing,
        readers() as threads,
    ):
        written = Written()
        if folders:
            yield b"".join(map(archive.folder, folders))
        async for placed in files:
            for some in portions(placed, originals):
                contents = partial(read_all, originals, [one.original for one in some], threads)
                yield await to_thread.run_sync(_entries, archive, some, contents, written, missing)
        async for piece in in_threads(_rest(archive, texts(written), missing)):
            yield piece


async def as_document(images: Images, document: Document) -> AsyncIterator[bytes]:
    """What is known of the images, without them: as they were called where they came from."""
    with closing(document):
        yield document.begin().encode()
        async for block in images.blocks():
            yield await to_thread.run_sync(_added, document, block)
        async for piece in in_threads(document.end()):
            yield piece


def _added(document: Document, block: list[Record]) -> bytes:
    return "".join(document.add(record, record.name) for record in block).encode()


async def as_texts(images: Images, document: Document) -> AsyncIterator[bytes]:
    """Texts within what is known of them."""
    with closing(document):
        yield document.begin().encode()
        async for block in images.blocks_with_texts():
            yield "".join(document.add(record, text) for record, text in block).encode()
        async for piece in in_threads(document.end()):
            yield piece


async def as_text_zip(images: Images, document: Document, more: Texts) -> AsyncIterator[bytes]:
    """A zip of a document that holds texts, and of ``more``."""
    with ZipWriter() as archive, closing(Spool()) as spool, closing(Spool()) as missing:
        async for piece in as_texts(images, document):
            spool.write(piece)

        def files() -> Iterator[tuple[str, Spool]]:
            yield document.name, spool
            for name, text in (*more, *_said(images)):
                yield from _spooled(name, text)

        async for piece in in_threads(_rest(archive, files(), missing)):
            yield piece


def _said(images: Images) -> Texts:
    """What says that an archive holds a part alone, if it does."""
    return [] if images.part is None else [(FILTERS, images.part.text)]


def _spooled(name: str, text: str | Iterable[bytes]) -> Iterator[tuple[str, Spool]]:
    with closing(Spool()) as one:
        for piece in [text.encode()] if isinstance(text, str) else text:
            one.write(piece)
        yield name, one


def _entries(
    archive: ZipWriter,
    files: Sequence[Placed],
    contents: Callable[[], Iterable[bytes | Conflict]],
    written: Written,
    missing: Spool,
) -> bytes:
    entries = []
    for one, content in zip(files, contents(), strict=True):
        if isinstance(content, Conflict):
            missing.write(f"{one.path}: {content.detail}\n".encode())
        else:
            written.add(one.path)
            entries.append(archive.stored(one.path, content))
    return b"".join(entries)


def _rest(
    archive: ZipWriter, texts: Iterable[tuple[str, Spool]], missing: Spool
) -> Iterator[bytes]:
    for name, text in texts:
        yield from archive.spooled(name, text)
    if missing.size:
        yield from archive.spooled(MISSING, missing)
    yield from archive.finish()


def read_all(
    originals: Originals, wanted: Sequence[Original], threads: Executor
) -> Iterator[bytes | Conflict]:
    """The bytes of each image in order, or why they are lost; several at once from a bucket.

    Raises:
        DomainError: If a bucket cannot be looked at: what is only out of reach is not lost.
    """

    def read(one: Original) -> bytes | Conflict:
        try:
            return originals.read(one)
        except Conflict as lost:
            return lost

    if any(map(originals.may_wait, wanted)):
        return (content for _, content in in_order(wanted, read, threads))
    return map(read, wanted)


def portions(images: Iterable[_Image], originals: Originals) -> Iterator[list[_Image]]:
    """``images`` in their order, in pieces that fit memory and are not long in coming."""
    piece: list[_Image] = []
    held = far = 0
    for one in images:
        if piece and (held + one.bytes > _AT_ONCE or far == _FAR_AT_ONCE):
            yield piece
            piece, held, far = [], 0, 0
        piece.append(one)
        held += one.bytes
        far += originals.may_wait(one.original)
    if piece:
        yield piece
