"""JSON documents of other tools: which tool's, and what they say of which image."""

import io
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from core.errors import DomainError
from workers.imports import label_studio
from workers.imports.coco import CocoIndex
from workers.imports.items import (
    Item,
    Reference,
    Refused,
    invalid_archive,
    printable,
    reference,
    refused_item,
    short_name,
)
from workers.imports.json_stream import elements
from workers.imports.metadata import REFUSED, Metadata, Missing, base_of
from workers.imports.stated import read_said_of

SUFFIX: Final = ".json"
_LOOKED_AT: Final = 1 << 20
_MOST_TAILS: Final = 8
_COCO: Final = frozenset({"images", "annotations", "categories"})


class Tool(Enum):
    """Whose document it is."""

    LABEL_STUDIO = "Label Studio"
    COCO = "COCO"


def whose(file: BinaryIO) -> Tool | None:
    """Tell by the beginning of a document whose it is; ``None`` if it is no such document."""
    try:
        for key, one in elements(io.BytesIO(file.read(_LOOKED_AT)), ""):
            if key is None:
                is_task = isinstance(one, dict) and isinstance(one.get("data"), dict)
                return Tool.LABEL_STUDIO if is_task else None
            if key in _COCO and isinstance(one, dict):
                return Tool.COCO
    except (DomainError, ValueError):
        # Damaged, or cut off here: what it began with was no element of such a document.
        return None
    return None


def read_document(
    tool: Tool, open_: Callable[[], BinaryIO], name: str, metadata: Metadata, work: Path
) -> None:
    """Index what the document ``name`` says.

    Args:
        tool: Whose it is.
        open_: Opens it.
        name: Its path; paths in it are relative to its folder, or to any.
        metadata: The index.
        work: For what is needed on the way.

    Raises:
        DomainError: ``invalid_archive``.
    """
    folder = name.rpartition("/")[0]
    prefix = f"{folder}/" if folder else ""
    with open_() as file:
        found = elements(file, name)
        if tool is Tool.LABEL_STUDIO:
            rows = label_studio.rows((one for _, one in found), name)
            metadata.add_loose((prefix + path, other, said) for path, other, said in rows)
            return
        coco = CocoIndex(work / "coco.sqlite", name)
        try:
            coco.add(found)
            rows = coco.rows()
            metadata.add_loose((prefix + path, other, said) for path, other, said in rows)
        finally:
            coco.close()


def mention(missing: Missing) -> Item:
    """What a document says of an image that does not come with it, but may be there."""
    if REFUSED in missing.fields:
        return refused_item(missing.file, missing.fields[REFUSED])
    said = read_said_of(missing.fields)
    if isinstance(said, Refused):
        return refused_item(missing.file, said.reason)
    first, *others = _references(missing)
    return Item(
        name=short_name(missing.file),
        read=lambda: Refused("the document holds no image"),
        reference=first,
        otherwise=tuple(others),
        said=said,
        silence="nothing is said of it, and its image did not come",
    )


def _references(missing: Missing) -> list[Reference]:
    """By content where the document tells, else by name: the whole path, then ever less of it.

    What has another content is another image, whatever it is called.
    """
    content = reference("sha256", missing.fields.get("sha256"))
    if isinstance(content, Reference):
        return [content]
    name = reference("name", missing.fields.get("name"))
    found = [name] if isinstance(name, Reference) else []
    parts = missing.file.split("/")
    tails = ["/".join(parts[start:]) for start in range(min(len(parts), _MOST_TAILS))]
    plain = label_studio.without_prefix(parts[-1])
    names = dict.fromkeys([*tails, parts[-1], plain])
    found += [Reference("name", short_name(name)) for name in names if name]
    return found


class DocumentSource:
    """What a document says of images that the project has."""

    def __init__(self, path: Path, filename: str, work: Path) -> None:
        """Index the document at ``path`` under ``work``.

        Args:
            path: The file.
            filename: What its sender called it.
            work: For the index.

        Raises:
            DomainError: ``invalid_archive``.
        """
        with path.open("rb") as file:
            tool = whose(file)
        if tool is None:
            raise invalid_archive(
                f"{printable(filename)} is neither Label Studio's JSON (export as JSON, not as "
                "JSON-MIN) nor COCO's."
            )
        self._metadata = Metadata(work / "metadata.sqlite")
        try:
            name = base_of(filename)
            read_document(tool, lambda: path.open("rb"), name, self._metadata, work)
            self._metadata.claim(())
        except BaseException:
            self._metadata.close()
            raise

    @property
    def total(self) -> int:
        """Images that the document names."""
        return self._metadata.missing_count()

    def items(self, start: int) -> Iterator[Item]:
        """What is said of each, from ``start`` on."""
        return (mention(one) for one in islice(self._metadata.missing(), start, None))

    def close(self) -> None:
        """Close the index."""
        self._metadata.close()
