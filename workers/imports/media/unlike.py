"""Files that come among images and are none: what they are by their names, and what helps."""

from io import BytesIO
from pathlib import PurePosixPath
from typing import Final

from PIL import Image

from core.errors import DomainError
from core.media.images.medium import IMAGES
from core.media.images.rendition import READERS
from workers.imports.items import Fetched, Item, Refused

_TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".parquet", ".xlsx", ".xls"})
_YOLO: Final = "labels"


def is_called_image(name: str) -> bool:
    """Whether a file is called like an image."""
    return PurePosixPath(name).suffix.lower() in IMAGES


def advice(name: str) -> str | None:
    """What a file is that is no image, and what to do with it; ``None`` if the name tells nothing.

    Args:
        name: Its path.
    """
    path = PurePosixPath(name)
    ending = path.suffix.lower()
    if ending in _TABLES:
        return (
            "a table: call it metadata.csv (or .jsonl), with a column file_name, or import it on "
            "its own once the images are there"
        )
    if ending == ".txt" and _YOLO in path.parts[:-1]:
        return (
            "YOLO's boxes: Karat labels whole images; put these in a folder for each class, or "
            "name their classes in metadata.csv"
        )
    return None


def unlike_image(item: Item) -> Refused | None:
    """Why a file is no image that is not called like one; what is in it is looked at."""
    if item.size == 0 or is_called_image(item.name):
        return None
    content = item.read()
    if isinstance(content, Refused):
        return content
    found = begins_as_image(content.content if isinstance(content, Fetched) else content)
    return None if found else by_name(item.name)


def by_name(name: str) -> Refused:
    """Why a file is no image, by its name."""
    helped, ending = advice(name), PurePosixPath(name).suffix.lower()
    if helped is not None:
        return Refused(helped)
    if ending:
        return Refused(f"not an image by its name ({ending})")
    return Refused("not an image by its name")


def begins_as_image(content: bytes) -> bool:
    """Whether bytes begin as an image does."""
    try:
        with Image.open(BytesIO(content), formats=READERS):
            return True
    except DomainError:
        raise
    except Exception:  # Pillow's readers raise whatever hostile bytes lead them to
        return False
