"""Which column of a table holds its texts, which names them, and which labels them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from workers.imports.formats.rows import Place
from workers.imports.items import NAME_COLUMNS, invalid_column
from workers.imports.split_words import is_flag
from workers.imports.stated import OWN

TEXT_COLUMNS: Final = (
    "text", "content", "sentence", "document", "review", "body", "message", "question",
)  # fmt: skip
ID_COLUMNS: Final = ("id", "guid", "uid", "_id")
LABEL_COLUMNS: Final = ("label", "labels", "class_name", "class")
"""The last but the first are of doccano's earlier exports, and of our own."""
_NAMES: Final = tuple(name for name in NAME_COLUMNS if name != "name")
# What is none of the texts, though it is text.
_OTHERS: Final = frozenset({
    *ID_COLUMNS, *LABEL_COLUMNS, *NAME_COLUMNS, "key", "object_key", "location", "uri", "sha256",
    "example_id", "split",
})  # fmt: skip
_LOOKED_AT: Final = 1000


class Kinds:
    """What columns hold, by the first 1,000 rows of a table.

    Attributes:
        texts: Columns that hold words, not only numbers.
        lists: Columns that hold lists.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.texts: set[str] = set()
        self.lists: set[str] = set()

    def watch(self, rows: Iterable[Place]) -> Iterator[Place]:
        """Hand rows on, and look at the first of them."""
        for number, (place, row) in enumerate(rows):
            if number < _LOOKED_AT and not isinstance(row, str):
                self._look(row)
            yield place, row

    def _look(self, row: Mapping[str, Any]) -> None:
        for name, value in row.items():
            if isinstance(value, list):
                self.lists.add(name)
            elif isinstance(value, str) and name not in self.texts and not _is_number(value):
                self.texts.add(name)


def _is_number(text: str) -> bool:
    try:
        float(text or 0)
    except ValueError:
        return False
    return True


def text_column(
    names: Sequence[str],
    texts: Collection[str],
    given: Mapping[str, str],
    annotations: Collection[str],
    *,
    is_stated: bool = False,
) -> str | None:
    """The column that holds texts: the one that was given, or the only one that may be meant.

    Args:
        names: All columns.
        texts: Those that hold words.
        given: Names of columns by role, where the sender gave them.
        annotations: Columns that become annotations.
        is_stated: Whether the rows state verdicts, in words of ours.

    Returns:
        Its name; ``None`` if no column may be meant.

    Raises:
        DomainError: ``invalid_column`` if the one that was given is not there, or several may be
            meant.
    """
    column = given.get("text")
    if column is not None:
        if column not in names:
            raise invalid_column("text", f"The file has no column {column!r}.", names)
        return column
    taken = {*annotations, *given.values()}
    # Of columns called so, those of words: a review may be a number of stars.
    usual = [
        name
        for name in names
        if name.casefold() in TEXT_COLUMNS and name not in taken and (name in texts or not texts)
    ]
    if is_stated and "text" in usual:
        return "text"
    own = {*_OTHERS, *(OWN if is_stated else ())}
    others = [
        name
        for name in names
        if name in texts and name not in taken and name.casefold() not in own and not is_flag(name)
    ]
    found = usual or others
    if len(found) > 1:
        raise invalid_column(
            "text",
            f"Several columns may hold the texts ({', '.join(found[:10])}); say which with "
            "text_column.",
            names,
        )
    return next(iter(found), None)


def name_column(names: Sequence[str], given: Mapping[str, str], text: str) -> str | None:
    """The column that names texts; ``None`` where their places in the file do."""
    if "key" in given:
        if given["key"] not in names:
            raise invalid_column("key", f"The file has no column {given['key']!r}.", names)
        return given["key"]
    there = {name.casefold(): name for name in names if name != text}
    return next((there[name] for name in (*ID_COLUMNS, *_NAMES) if name in there), None)
