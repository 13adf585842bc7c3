"""Examples of an import that are looked into before the first one enters an empty pool."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import BinaryIO, Final

from core.jobs.imports import ImportParams
from core.media.images.input_size import LOOKED_AT
from workers.imports.batch import Candidate, Prepared, batches
from workers.imports.formats.folder import FolderSource
from workers.imports.items import Item, Refused, Source
from workers.imports.media.base import Reading, Sample
from workers.imports.placing import Place, place
from workers.imports.reading import LabelReader
from workers.imports.split_words import normal

# Enough for the header of nearly every file.
_HEAD: Final = 64 << 10
# What is read of files whose headers are longer, or at their end, altogether.
_MOST_WHOLE: Final = 64 << 20

Samples = Iterator[Iterator[Sample]]
"""Examples in groups, of which the first counts that tells anything."""


def samples_of(
    source: Source,
    params: ImportParams,
    reading: Reading,
    reader: LabelReader,
    first: Sequence[Prepared],
) -> Samples:
    """Up to 500 of the examples that an import brings.

    They are spread over all of a zip, whose files can be looked into at little cost; of anything
    else they are those of the first batch.

    Args:
        source: What the import reads.
        params: What it was asked to do.
        reading: Of the medium.
        reader: Knows the project's classes.
        first: Its first batch that brings any.
    """
    if isinstance(source, FolderSource):
        yield _spread(source, params, reading, reader)
    yield _of_batch(first)


def samples_ahead(
    source: Source, params: ImportParams, reading: Reading, reader: LabelReader
) -> Samples:
    """The same before the import, which begins at the beginning.

    Args:
        source: What the import would read, examples too.
        params: What it is asked to do.
        reading: Of the medium.
        reader: Knows the project's classes.
    """
    if isinstance(source, FolderSource):
        yield _spread(source, params, reading, reader)
    chosen = {normal(name): choice for name, choice in params.folder_split.items()}
    for batch in batches(source.items(0), params.split, reader, reading, chosen):
        yield _of_batch(batch)


def _of_batch(batch: Iterable[Prepared]) -> Iterator[Sample]:
    for one in batch:
        if isinstance(one, Candidate):
            yield Sample(one.content, partial(_same, one.content))


def _same(content: bytes) -> bytes:
    return content


def _spread(
    source: FolderSource, params: ImportParams, reading: Reading, reader: LabelReader
) -> Iterator[Sample]:
    chosen = {normal(name): choice for name, choice in params.folder_split.items()}
    left = _MOST_WHOLE

    def whole(item: Item) -> bytes | None:
        nonlocal left
        if item.size > left:
            return None
        left -= item.size
        found = reading.read(item)
        return None if isinstance(found, Refused) else found.content

    for item, opened in source.spread(LOOKED_AT):
        if item.refused or not isinstance(place(item, params.split, reader, chosen), Place):
            continue
        head = _head(opened)
        if head is not None:
            yield Sample(head, partial(whole, item))


def _head(opened: Callable[[], BinaryIO | Refused]) -> bytes | None:
    """The beginning of a file; ``None`` if it cannot be opened or is damaged."""
    file = opened()
    if isinstance(file, Refused):
        return None
    with closing(file):
        try:
            return file.read(_HEAD)
        except ValueError:  # damaged in the archive, which the import will say
            return None
