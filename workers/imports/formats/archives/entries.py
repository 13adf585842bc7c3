"""What archives and folders hold: files by their paths, and which are no part of a pool."""

from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

from core.files.folder_names import LITTER
from workers.imports.items import Fetched, Refused, plain_path


class Entries(Protocol):
    """What a folder holds; each entry has a ``name``, its path, and a ``size``.

    One that is ``known`` is there for what its name says of the folders, and is no item.
    """

    def __iter__(self) -> Iterator[Any]:
        """Every entry, in the same order each time."""
        ...

    def read(self, entry: Any) -> bytes | Fetched | Refused:
        """The bytes of an entry, or why it has none."""
        ...

    def open(self, entry: Any) -> BinaryIO | Refused:
        """An entry that says something of others, as a stream; refused if it cannot be one."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


def is_known(entry: Any) -> bool:
    """Whether an entry is no item, see ``Entries``."""
    return bool(getattr(entry, "known", False))


def is_uncertain(entry: Any) -> bool:
    """Whether the name of an entry is a guess, as its encoding is not told."""
    return bool(getattr(entry, "raw", b"") or getattr(entry, "is_doubtful", False))


def path_of(entry: Any) -> str:
    """The path of an entry as it goes here."""
    return plain_path(entry.name)


def base_of(name: str) -> str:
    """What a path calls its file, in small letters."""
    return name.rpartition("/")[2].lower()


def is_litter(name: str) -> bool:
    """Hidden files and what goes with others; ``..`` is not hidden but hostile."""
    return is_hidden(name) or any(part.lower() in LITTER for part in name.split("/"))


def is_hidden(name: str) -> bool:
    """Files that a system keeps for itself."""
    parts = name.split("/")
    return any(part.startswith(".") and part not in {".", ".."} for part in parts) or (
        "__MACOSX" in parts
    )


def is_unsafe(name: str) -> bool:
    """Whether a path leads out of what it is in."""
    return name.startswith("/") or ".." in name.split("/") or name[1:3] == ":/"
