"""Files that stand beside an image under its name, as WebDataset and img2dataset write them.

``0001.jpg`` is described by ``0001.cls`` (its class, or the number of one), ``0001.txt`` (its
caption) and ``0001.json`` (anything: the address that it was crawled from, for one).
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final

from core.media.texts.medium import NotText, decoded
from workers.imports.formats.metadata import Metadata
from workers.imports.items import Refused, extras
from workers.imports.layout import is_called_image

FORMAT: Final = "WebDataset"
# Columns, as a metadata.csv would have them.
_COLUMNS: Final = {".cls": "label", ".txt": "caption"}
_JSON: Final = ".json"
_ENDINGS: Final = frozenset({*_COLUMNS, _JSON})
_LABELME: Final = (
    "LabelMe's shapes, which are not read; for a project of boxes export COCO, YOLO or VOC"
)
_MOST_BYTES: Final = 1 << 20
# A group is one image, and a few files that say something of it.
_MOST_TOGETHER: Final = 10


def beside_images(files: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any, str | None]]:
    """Tell which files stand beside an image: those that follow each other and are called alike.

    Args:
        files: Paths, and what goes with each.

    Yields:
        The same, and the path of the image that each says something of, if it does.
    """
    for _, group in groupby(files, lambda one: one[0].rpartition(".")[0]):
        together = iter(group)
        some = list(islice(together, _MOST_TOGETHER + 1))
        images = [name for name, _ in some if is_called_image(name)]
        image = images[0] if len(images) == 1 and len(some) <= _MOST_TOGETHER else None
        for name, entry in some:
            is_beside = image is not None and PurePosixPath(name).suffix.lower() in _ENDINGS
            yield name, entry, image if is_beside else None
        yield from ((name, entry, None) for name, entry in together)


def in_sum(counts: Counter[str]) -> list[tuple[str, str]]:
    """How many there are, of which endings, as one document among others, if there are any."""
    return [(f"{counts.total():,} × {', '.join(sorted(counts))}", FORMAT)] if counts else []


def add_sidecars(
    metadata: Metadata,
    found: Iterable[tuple[str, Any, str | None]],
    open_file: Callable[[Any], BinaryIO | Refused],
) -> None:
    """Note what files say of their images, or why they say nothing.

    Args:
        metadata: Where to.
        found: As ``beside_images`` yields them.
        open_file: Opens what goes with a path.
    """
    with metadata.together():
        for name, entry, image in found:
            if image is None:
                continue
            said = _read(name, open_file(entry))
            if isinstance(said, Refused):
                metadata.problem(name, said.reason)
            else:
                metadata.add_row(image, said)


def _read(name: str, file: BinaryIO | Refused) -> dict[str, Any] | Refused:
    """What a file says, by column; or why it says nothing."""
    if isinstance(file, Refused):
        return file
    try:
        with file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            return Refused(f"larger than {_MOST_BYTES >> 20} MiB")
        text = decoded(content).content
        ending = PurePosixPath(name).suffix.lower()
        if ending != _JSON:
            return {_COLUMNS[ending]: text.strip()}
        found = json.loads(text)
    except (NotText, ValueError, RecursionError) as error:
        return Refused(f"it cannot be read: {error}")
    if not isinstance(found, dict):
        return Refused("no JSON object, which would name columns")
    if "shapes" in found:
        return Refused(_LABELME)
    return found if extras(found) else Refused("it says nothing that can be kept of an image")
