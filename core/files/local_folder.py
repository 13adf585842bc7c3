"""Which files of a folder on this machine are images of a data set, and which are left out."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

RENAME: Final = "its name is not UTF-8; rename it, and import it again"
_UNREADABLE: Final = "it cannot be read; change its permissions, and import it again"

LeftOut = Callable[[str, str], None]
"""Takes the path of a file in the folder and the reason why it is left out."""


def escaped(name: str) -> str:
    """A file's name with those of its bytes written as numbers that are not UTF-8.

    Args:
        name: As the operating system gave it.
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_utf_8(name: str) -> bool:
    """Whether a file's name is UTF-8.

    Args:
        name: As the operating system gave it.
    """
    return escaped(name) == name


def files_of(folder: Path, on_left_out: LeftOut | None = None) -> Iterator[Path]:
    """The folder's files that can be sent, in an order that is the same everywhere.

    Hidden ones are left out, and what macOS packs beside files.

    Args:
        folder: Where to begin.
        on_left_out: Called with each file that cannot be sent, and the reason.

    Yields:
        Paths that begin with that of the folder.
    """

    def closed(error: OSError) -> None:
        if on_left_out is not None:
            name = Path(error.filename).relative_to(folder).as_posix()
            on_left_out(escaped(name), _UNREADABLE)

    root = folder.resolve()
    for parent, directories, names in os.walk(folder, onerror=closed):
        shown = [name for name in sorted(directories) if not _is_hidden(name)]
        directories[:] = [name for name in shown if not Path(parent, name).is_symlink()]
        links = [name for name in shown if name not in directories]
        for name in [*links, *(name for name in sorted(names) if not _is_hidden(name))]:
            file = Path(parent, name)
            reason = _obstacle(file, file.relative_to(folder).as_posix(), root)
            if reason is None:
                yield file
            elif on_left_out is not None:
                on_left_out(escaped(file.relative_to(folder).as_posix()), reason)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.lower() == "__macosx"


def _obstacle(file: Path, name: str, root: Path) -> str | None:
    """Why a file of a folder cannot be sent, and what to do about it."""
    if not is_utf_8(name):
        return RENAME
    if file.is_file():
        if file.is_symlink() and not file.resolve().is_relative_to(root):
            return "it is a link out of the folder; put the file itself in its place"
        return None if os.access(file, os.R_OK) else _UNREADABLE
    if file.is_dir():
        return "it is a link to a folder; put the folder itself in its place"
    return "it is no file, or a link to nothing; put a file in its place"
