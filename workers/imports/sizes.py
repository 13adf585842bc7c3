"""How large the images of an import are, looked at before the first one enters an empty pool."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import BinaryIO, Final

from core.imports import ImportParams
from core.input_size import LOOKED_AT
from core.pictures.rendition import upright_size
from workers.imports.batch import Candidate, Prepared, batches
from workers.imports.folder import FolderSource
from workers.imports.items import Fetched, Refused, Source
from workers.imports.placing import Place, place
from workers.imports.reading import LabelReader
from workers.imports.split_words import normal

# Enough for the header of nearly every file.
_HEAD: Final = 64 << 10
# What is read of files whose headers are longer, or at their end, altogether.
_MOST_WHOLE: Final = 64 << 20

Size = tuple[int, int]


def sizes_of(
    source: Source, params: ImportParams, reader: LabelReader, first: Sequence[Prepared]
) -> list[Size]:
    """Sizes of up to 500 of the images that an import brings, by their headers.

    They are spread over all of a zip, whose files can be looked into at little cost; of anything
    else they are those of the first batch.

    Args:
        source: What the import reads.
        params: What it was asked to do.
        reader: Knows the project's classes.
        first: Its first batch with images.

    Returns:
        (width, height) of each, when held upright; empty if no header can be read.
    """
    spread = list(_spread(source, params, reader)) if isinstance(source, FolderSource) else []
    return spread or list(_of_batch(first))


def sizes_ahead(source: Source, params: ImportParams, reader: LabelReader) -> list[Size]:
    """The same before the import, which begins at the beginning.

    Args:
        source: What the import would read, images too.
        params: What it is asked to do.
        reader: Knows the project's classes.
    """
    if isinstance(source, FolderSource) and (found := list(_spread(source, params, reader))):
        return found
    chosen = {normal(name): choice for name, choice in params.folder_split.items()}
    for batch in batches(source.items(0), params.split, reader, chosen):
        if found := list(_of_batch(batch)):
            return found
    return []


def _of_batch(batch: Iterable[Prepared]) -> Iterator[Size]:
    for one in batch:
        if isinstance(one, Candidate) and (size := upright_size(one.content)) is not None:
            yield size


def _spread(source: FolderSource, params: ImportParams, reader: LabelReader) -> Iterator[Size]:
    chosen = {normal(name): choice for name, choice in params.folder_split.items()}
    left = _MOST_WHOLE
    for item, opened in source.spread(LOOKED_AT):
        if item.refused or not isinstance(place(item, params.split, reader, chosen), Place):
            continue
        size = _of_head(opened)
        if size is None and item.size <= left:
            left -= item.size
            content = item.read()
            whole = content.content if isinstance(content, Fetched) else content
            size = None if isinstance(whole, Refused) else upright_size(whole)
        if size is not None:
            yield size


def _of_head(opened: Callable[[], BinaryIO | Refused]) -> Size | None:
    file = opened()
    if isinstance(file, Refused):
        return None
    with closing(file):
        try:
            return upright_size(file.read(_HEAD))
        except ValueError:  # damaged in the archive, which the import will say
            return None
