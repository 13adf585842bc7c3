"""Which image a document means, where it calls images by paths of its own.

A name means an image if the paths agree, or agree once leading folders are left out on one side:
``camA/1.png`` is ``photos/camA/1.png`` and ``1.png``, never ``camB/1.png``. It counts only if no
second image agrees as well, and no other name of the document with the same image. A document that
lies in a folder of images speaks of those below it, and of others by their whole paths.

The index is on disk, so that memory stays flat in the number of images and of names.
"""

import heapq
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from core.names import composed

_FROM_DOCUMENT, _FROM_TOP, _TAIL = 3, 2, 1
_SHOWN: Final = 3
# Of the images that a name may mean so many are noted, however many there are: it means none then.
_KEPT: Final = _SHOWN + 1


def stem_of(path: str) -> str:
    """What files beside each other have in common: the path without its ending, composed."""
    return composed(path.rpartition(".")[0])


@dataclass(frozen=True, slots=True)
class Called:
    """A name that a document has for an image.

    Attributes:
        path: The path, as ``plain_path`` gives it.
        is_made: Whether another program made it from the file's own name, so that the file
            may be called what ``sent_name`` makes it.
    """

    path: str
    is_made: bool = False


class Match(NamedTuple):
    """The image that a row means.

    Attributes:
        image: The number that ``look_through`` was given with it.
        how: What the row calls it, where that is not simply its path.
    """

    image: int
    how: str


class Unmatched(NamedTuple):
    """Why a row means no image; ``known`` if there are some it could mean."""

    reason: str
    known: bool


class Matches:
    """Names of rows, and the images that they mean."""

    def __init__(self, index: sqlite3.Connection) -> None:
        """Make the tables in ``index``."""
        self._index = index
        for statement in (
            "CREATE TABLE called (row INT, document INT, rank INT, path TEXT, folder TEXT, "
            "base TEXT, is_made INT, given TEXT)",
            "CREATE TABLE names (name INTEGER PRIMARY KEY, path TEXT, folder TEXT, base TEXT, "
            "is_made INT)",
            "CREATE TABLE seen (image INTEGER PRIMARY KEY, path TEXT, given TEXT)",
            "CREATE TABLE claims (name INT, level INT, image INT, "
            "PRIMARY KEY (name, level, image)) WITHOUT ROWID",
            "CREATE TABLE meant (row INTEGER PRIMARY KEY, image INT, how TEXT, reason TEXT)",
        ):
            index.execute(statement)

    def call(
        self, row: int, document: int, folder: str, names: Sequence[Called], *, below: bool
    ) -> None:
        """Note what a row calls its image.

        Args:
            row: Its number.
            document: Number of its document.
            folder: Of the document; empty at the top.
            names: What it may be called, the likeliest first.
            below: Whether only images below ``folder`` can be meant.
        """
        for rank, name in enumerate(names):
            given, within = name.path.lstrip("/"), folder if below else ""
            if ".." in given.split("/"):
                # What goes up is a path from the top.
                given, within = resolved(f"{folder}/{given}"), ""
            path = composed(given)
            self._index.execute(
                "INSERT INTO called VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (row, document, rank, path, composed(within), _base(path), name.is_made, given),
            )

    def look_through(self, images: Iterable[tuple[int, str]], *, again: bool = False) -> None:
        """Find the images that rows mean.

        Args:
            images: Numbers and paths.
            again: Whether other images were looked through before; only rows that none of those
                could be are looked at.
        """
        for table in ("names", "seen", "claims"):
            self._index.execute(f"DELETE FROM {table}")
        self._index.execute("BEGIN")
        if again:
            self._index.execute("DELETE FROM called WHERE row IN (SELECT row FROM meant)")
            # Folders of documents are of the archive that they came in.
            self._index.execute("UPDATE called SET folder = ''")
        self._index.execute(
            "INSERT INTO names (path, folder, base, is_made) "
            "SELECT DISTINCT path, folder, base, is_made FROM called"
        )
        for index in ("names (path, folder, is_made)", "names (base)", "called (row)"):
            name = index.replace(" (", "_").replace(", ", "_").rstrip(")")
            self._index.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {index}")
        self._claim(images)
        self._claim_shorter()
        self._index.execute("COMMIT")
        self._decide()

    def found(self, row: int) -> Match | Unmatched:
        """What a row means."""
        known = self._index.execute(
            "SELECT image, how, reason FROM meant WHERE row = ?", (row,)
        ).fetchone()
        if known is None:
            return Unmatched("", known=False)
        image, how, reason = known
        return Unmatched(reason, known=True) if image is None else Match(image, how)

    def rows_of(self, image: int) -> list[tuple[int, str]]:
        """Rows that mean an image, in their order, with ``how`` as in ``Match``."""
        return self._index.execute(
            "SELECT row, how FROM meant WHERE image = ? ORDER BY row", (image,)
        ).fetchall()

    def _claim(self, images: Iterable[tuple[int, str]]) -> None:
        """Note the images that may be meant, and which names are their path or its end."""
        write = self._index.cursor()
        there = {folder for (folder,) in write.execute("SELECT DISTINCT folder FROM names")}
        for number, name in images:
            path = composed(name)
            base = _base(path)
            made = sent_name(base)
            called = write.execute(
                "SELECT 1 FROM names WHERE base IN (?, ?) LIMIT 1", (base, made)
            ).fetchone()
            if not called:
                continue
            write.execute("INSERT INTO seen VALUES (?, ?, ?)", (number, path, name))
            # Of many documents only those that can speak of it.
            folders = [folder for folder in ("", *_folders(path)) if folder in there]
            within = f"folder IN ({', '.join('?' * len(folders))})"
            for tail in _tails(path):
                # A whole path is that from the top, wherever the document lies.
                where, values = ("TRUE", ()) if tail == path else (within, folders)
                names = write.execute(
                    f"SELECT name, folder FROM names WHERE path = ? AND {where}", (tail, *values)
                ).fetchall()
                for one, folder in names:
                    _note(write, one, _level(path, tail, folder), number)
            if made != base:
                names = write.execute(
                    f"SELECT name FROM names WHERE path = ? AND {within} AND is_made",
                    (made, *folders),
                ).fetchall()
                for (one,) in names:
                    _note(write, one, _TAIL, number)

    def _claim_shorter(self) -> None:
        """Images whose path is the end of a name claim too: folders of the name are left out."""
        self._index.execute("CREATE INDEX IF NOT EXISTS seen_path ON seen (path)")
        look = self._index.cursor()
        names = self._index.execute("SELECT name, path, folder FROM names WHERE instr(path, '/')")
        for name, path, folder in names:
            for tail in list(_tails(path))[1:]:
                # The whole path of the image: the folder of the document is one that it has, and
                # has to agree with the name's as others have.
                if folder and not tail.startswith(f"{folder}/"):
                    continue
                found = look.execute(
                    "SELECT image FROM seen WHERE path = ? LIMIT ?", (tail, _KEPT)
                ).fetchall()
                for (image,) in found:
                    _note(look, name, _TAIL, image)

    def _decide(self) -> None:
        """Leave each row the one image that it means, if there is one."""
        self._index.execute(
            "CREATE TABLE IF NOT EXISTS chosen (row INT, document INT, image INT, level INT, "
            "path TEXT)"
        )
        self._index.execute("DELETE FROM chosen")
        self._index.execute("BEGIN")
        rows = self._index.execute("SELECT DISTINCT row, document FROM called ORDER BY row")
        write = self._index.cursor()
        for row, document in rows:
            self._choose(write, row, document)
        self._index.execute("CREATE INDEX IF NOT EXISTS chosen_image ON chosen (image)")
        for (image,) in self._index.execute("SELECT DISTINCT image FROM chosen"):
            self._settle(write, image)
        self._index.execute("COMMIT")
        self._index.execute("CREATE INDEX IF NOT EXISTS meant_image ON meant (image)")

    def _choose(self, write: sqlite3.Cursor, row: int, document: int) -> None:
        """Of the images that a row may mean those that agree best, if it is one."""
        # Ordered, so that the first are the best.
        found = write.execute(
            "SELECT rank, level, image, path FROM called "
            "JOIN names USING (path, folder, is_made) JOIN claims USING (name) "
            "WHERE row = ? ORDER BY rank, level DESC",
            (row,),
        ).fetchall()
        if not found:
            return
        best = [one for one in found if one[:2] == found[0][:2]]
        images = {image for _, _, image, _ in best}
        if len(images) > 1:
            images = self._exact(row, images) or images
            best = [one for one in best if one[2] in images]
        if len(images) > 1:
            count = f"{len(images)}" if len(images) < _KEPT else f"more than {_SHOWN}"
            self._say(write, row, f"{count} images could be meant: {self._paths_of(images)}")
            return
        _, level, image, path = best[0]
        write.execute(
            "INSERT INTO chosen VALUES (?, ?, ?, ?, ?)", (row, document, image, level, path)
        )

    def _exact(self, row: int, images: Collection[int]) -> set[int]:
        """Of images that differ in how letters are composed alone, the one with the row's."""
        marks = ", ".join("?" * len(images))
        seen = self._index.execute(
            f"SELECT image, path, given FROM seen WHERE image IN ({marks})", tuple(images)
        ).fetchall()
        if len({path for _, path, _ in seen}) > 1:
            return set()
        names = self._index.execute(
            "SELECT given FROM called WHERE row = ? ORDER BY rank", (row,)
        ).fetchall()
        for (name,) in names:
            same = {one for one, _, path in seen if _is_tail(name, path) or _is_tail(path, name)}
            if len(same) == 1:
                return same
        return set()

    def _settle(self, write: sqlite3.Cursor, image: int) -> None:
        """Of the names that mean an image those that can be its own."""
        found = write.execute(
            "SELECT row, document, level, path FROM chosen WHERE image = ?", (image,)
        ).fetchall()
        best: dict[int, int] = defaultdict(int)
        for _, document, level, _ in found:
            best[document] = max(best[document], level)
        paths: dict[int, set[str]] = defaultdict(set)
        for _, document, level, path in found:
            if level == best[document]:
                paths[document].add(path)
        loose = {path for document, some in paths.items() for path in some if best[document] == 1}
        # What ends another's path is the end of the longest, too.
        longest = max(loose, key=len, default="")
        agree = all(_is_tail(one, longest) for one in loose)
        first = {document: _first(some) for document, some in paths.items()}
        first_loose = _first(loose)
        for row, document, level, path in found:
            if level < best[document]:
                self._say(write, row, f"the image {self._paths_of([image])} is called otherwise")
            elif len(paths[document]) > 1 or (level == _TAIL and not agree):
                others = sorted({*first[document], *first_loose} - {path})
                shown = ", ".join(others[:_SHOWN])
                self._say(write, row, f"the image {self._paths_of([image])} could also be {shown}")
            else:
                how = "" if level > _TAIL else path
                write.execute("INSERT INTO meant VALUES (?, ?, ?, NULL)", (row, image, how))

    def _say(self, write: sqlite3.Cursor, row: int, reason: str) -> None:
        write.execute("INSERT INTO meant VALUES (?, NULL, NULL, ?)", (row, reason))

    def _paths_of(self, images: Iterable[int]) -> str:
        shown = sorted(images)[: _SHOWN + 1]
        marks = ", ".join("?" * len(shown))
        rows = self._index.execute(f"SELECT path FROM seen WHERE image IN ({marks})", shown)
        paths = sorted(path for (path,) in rows)
        return ", ".join(paths[:_SHOWN]) + (", …" if len(paths) > _SHOWN else "")


def resolved(path: str) -> str:
    """``path`` without ``.`` and ``..``; what would lead out of the archive stays at its top."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def sent_name(base: str) -> str:
    """What a file is called once it was uploaded to Label Studio, or another Django program.

    Blanks become underscores, and of other characters only letters, digits, ``-``, ``_`` and ``.``
    stay.
    """
    kept = base.strip().replace(" ", "_")
    return "".join(one for one in kept if one.isalnum() or one in "-_.")


def _level(path: str, tail: str, folder: str) -> int:
    """How well a name, which is the ``tail`` of an image's path, agrees with it."""
    if path == (f"{folder}/{tail}" if folder else tail):
        return _FROM_DOCUMENT
    return _FROM_TOP if path == tail else _TAIL


def _note(write: sqlite3.Cursor, name: int, level: int, image: int) -> None:
    """Note that a name may mean an image, unless enough are known for it to mean none."""
    write.execute(
        "INSERT OR IGNORE INTO claims SELECT ?1, ?2, ?3 "
        "WHERE (SELECT count(*) FROM claims WHERE name = ?1 AND level = ?2) < ?4",
        (name, level, image, _KEPT),
    )


def _first(paths: Iterable[str]) -> list[str]:
    """Those that may be shown."""
    return heapq.nsmallest(_KEPT, paths)


def _folders(path: str) -> Iterator[str]:
    """The folders that a file lies in, from the outermost on."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _tails(path: str) -> Iterator[str]:
    """``path``, and what is left without its first folder, its first two, and so on."""
    while True:
        yield path
        _, slash, path = path.partition("/")
        if not slash:
            return


def _is_tail(one: str, other: str) -> bool:
    return other == one or other.endswith(f"/{one}")
