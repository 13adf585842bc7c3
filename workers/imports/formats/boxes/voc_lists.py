"""Pascal VOC's lists, which say of which split images are: ``ImageSets/Main/train.txt``."""

import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from core.names import composed
from core.states import Split
from workers.imports.formats.lines import lines_of
from workers.imports.matching import stem_of

FOLDER: Final = "imagesets"
"""Where lists are, in small letters."""
OF_XML: Final = "annotations"
OF_IMAGES: Final = "jpegimages"
_SUFFIX: Final = ".txt"
_SETS: Final = {"train": Split.POOL, "val": Split.EVALUATION, "test": Split.EVALUATION}
# Lists of a class say of each image whether it is there: 1, -1, or 0 where that is difficult.
_FLAG: Final = re.compile(r"\s+-?[01]$")


def is_list(name: str) -> bool:
    """Whether a file is a list that says a split.

    Lists of both together, and of single classes, say nothing that is not said there.
    """
    return _set_of(name) is not None


class Lists:
    """Those of one archive. An image that several name is of what is trained on.

    A line may be a name alone, which may have blanks, and quotes for these, or a name and a flag:
    ``img 1`` is read as ``img`` only where every line of its list ends so, and nothing is called
    ``img 1``; and whatever is listed in full goes before.
    """

    def __init__(self, index: sqlite3.Connection) -> None:
        """Keep them in ``index``."""
        self._index = index
        self._has_flags = False
        self._index.execute(
            "CREATE TABLE listed (key TEXT, split TEXT, whole TEXT, PRIMARY KEY (key, whole))"
        )

    def add(self, name: str, content: bytes) -> None:
        """Note whom the list ``name`` names, if it is one."""
        found = _set_of(name)
        if found is None:
            return
        root, split = found
        lines = lines_of(content.decode("utf-8-sig", "replace"))
        statement = (
            "INSERT INTO listed VALUES (?, ?, ?) ON CONFLICT (key, whole) DO UPDATE SET split = "
            f"excluded.split WHERE excluded.split = '{Split.POOL.value}'"
        )
        self._index.execute("BEGIN")
        for stem, whole in _stems_of([line.strip() for line in lines if line.strip()]):
            self._has_flags |= bool(whole)
            key, full = (composed(f"{root}{one}") if one else "" for one in (stem, whole))
            self._index.execute(statement, (key, split.value, full))
        self._index.execute("COMMIT")

    def settle(self, names: Iterable[str]) -> None:
        """Read no flag in a line that is the name of an XML or image in full.

        Args:
            names: Paths of the archive.
        """
        if not self._has_flags:
            return
        self._index.execute("CREATE INDEX listed_in_full ON listed (whole)")
        self._index.execute("BEGIN")
        keys = ((key,) for name in names for key in _keys(name))
        self._index.executemany("DELETE FROM listed WHERE whole = ?", keys)
        self._index.execute("COMMIT")

    def split_of(self, name: str) -> str | None:
        """The split of the image of an XML, if a list says one."""
        for key in _keys(name):
            row = self._index.execute(
                f"SELECT split FROM listed WHERE key = ? ORDER BY whole <> '', "
                f"split <> '{Split.POOL.value}' LIMIT 1",
                (key,),
            ).fetchone()
            if row is not None:
                return str(row[0])
        return None


def _set_of(name: str) -> tuple[str, Split] | None:
    """The folder of a data set, with its slash, and the split, of a list."""
    path, root = PurePosixPath(name), _before(name, FOLDER)
    split = _SETS.get(path.stem.lower())
    if root is None or path.suffix.lower() != _SUFFIX or split is None:
        return None
    return root, split


def _stems_of(lines: list[str]) -> Iterator[tuple[str, str]]:
    """What lines call images: each name, and of one without its flag the whole line, else nothing.

    Args:
        lines: Without blanks around them, none of them empty.
    """
    are_flagged = all(_FLAG.search(line) for line in lines)
    for line in lines:
        yield line.strip('"'), ""
        if are_flagged:
            yield _FLAG.sub("", line).strip('"'), line.strip('"')


def _keys(name: str) -> list[str]:
    """What lists may call an XML or an image: with the folders around it in its own, or not."""
    stem = stem_of(name)
    for folder in (OF_XML, OF_IMAGES):
        root = _before(stem, folder)
        if root is not None:
            below = stem[len(root) :].partition("/")[2]
            return list(dict.fromkeys([f"{root}{below}", f"{root}{below.rpartition('/')[2]}"]))
    return []


def _before(name: str, folder: str) -> str | None:
    """What comes before the last folder that is called so; None if none is."""
    parts = name.split("/")
    places = [place for place, part in enumerate(parts[:-1]) if part.lower() == folder]
    return "".join(f"{part}/" for part in parts[: places[-1]]) if places else None
