"""What the rows of a table say of the examples that each of them brings or names."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final

from core.files.csv_escape import original
from workers.imports.formats.rows import Row, cell
from workers.imports.formats.table import HOLDS
from workers.imports.items import (
    Fetched,
    Item,
    Refused,
    annotated,
    digests,
    invalid_column,
    printable,
    usual_column,
)
from workers.imports.meta import extras
from workers.imports.split_words import is_flag, row_split, split_text
from workers.imports.stated import BY_MODEL, READ, SOURCE, beside, is_of_model, read_stated
from workers.imports.values import Values

# In a table of annotations, as we export it, each has a key of its own.
_OURS: Final = frozenset({"annotation_id", "key"})
_OF_ANNOTATIONS: Final = frozenset({
    *_OURS, "example_id", "pool_index", "effective", "counted", "source", "cost", "purity",
    "informativeness", "meta_score", "supersedes", "lot", "bound", "seen_as",
})  # fmt: skip
# Of the rows of a subset, as we export them.
_OF_SUBSETS: Final = frozenset({"example_id", "class_id", "rank", "sha256"})

Read = Callable[[], bytes | Fetched | Refused]


def is_ours(names: Collection[str]) -> bool:
    """Whether columns of these names are of annotations as we export them."""
    return _OURS.issubset(names)


def column_of(
    role: str, given: Mapping[str, str], usual: Sequence[str], columns: Collection[str]
) -> str | None:
    """The column of a role: the one that was given, or the first usual one that is there.

    Raises:
        DomainError: ``invalid_column`` if the one that was given is not there.
    """
    name = given.get(role)
    if name is not None and name not in columns:
        raise invalid_column(role, f"The file has no column {name!r}.", columns)
    return name or usual_column(usual, columns)


class RowItems:
    """Makes items of rows.

    Attributes:
        label: Column of the label that may be an example's truth.
        split: Column of the split.
        needed: Columns that say something of an example beside its extras.
        is_stated: Whether the rows state verdicts.
    """

    def __init__(
        self,
        names: Collection[str],
        given: Mapping[str, str],
        annotations: Sequence[str],
        *,
        is_csv: bool,
        is_stated: bool,
        labels: Sequence[str] = ("label",),
    ) -> None:
        """Decide which column is what.

        Args:
            names: The columns that there are.
            given: Names of columns by role, where the sender gave them.
            annotations: Columns that become annotations.
            is_csv: Whether cells may have been written so that spreadsheets do not compute them.
            is_stated: Whether the rows state verdicts.
            labels: How a column of labels may be called, the likeliest first.

        Raises:
            DomainError: ``invalid_column``.
        """
        self._annotations, self._is_csv = annotations, is_csv
        self._is_plain = is_csv and (is_stated or _OF_SUBSETS.issubset(names))
        self._is_ours = is_ours(names)
        self.is_stated = is_stated
        self.label = column_of("label", given, labels, names)
        self.split = column_of("split", given, ("split",), names)
        self._flags = () if self.split else tuple(name for name in names if is_flag(name))
        for column in annotations:
            if column not in names:
                raise invalid_column("annotation", f"The file has no column {column!r}.", names)
        roles = (*annotations, self.label, self.split, *self._flags)
        self.needed = {name for name in roles if name}
        if self.is_stated:
            self.needed |= READ

    def values(self, found: Mapping[str, Values]) -> dict[str, Values]:
        """Of what stands in columns, that of labels."""
        return {
            name: held for name, held in found.items() if name in (*self._annotations, self.label)
        }

    def original(self, row: Row, text: str = "") -> Row:
        """A row as it was before it was written for spreadsheets, as all that we export are.

        Args:
            row: As it stands in the file; only what comes out of here is read.
            text: Column of the text that it brings, whose hash tells, too, how that was.
        """
        if not (self._is_plain or (self._is_csv and _is_told(row.get(text), row.get("sha256")))):
            return row
        return {key: original(value or "") for key, value in row.items()}

    def item(self, row: Row, name: str, read: Read, size: int, own: Collection[str]) -> Item:
        """The item of a row.

        Args:
            row: As it was before it was written.
            name: What it is called.
            read: Reads what it brings.
            size: How long that is, where it is known.
            own: Columns that say which example it is, or what is in it.
        """
        told = digests([row.get("sha256")])
        if self.is_stated:
            return self._stated(row, name, read, size, own, told)
        taken = {*own, self.label, self.split, *self._flags, *self._annotations}
        return Item(
            name=name,
            read=read,
            size=size,
            digests=told,
            label=cell(row, self.label or ""),
            label_column=self.label,
            split=self._split_of(row),
            annotations=annotated(self._annotations, partial(cell, row)),
            meta=extras({name: value for name, value in row.items() if name not in taken}),
        )

    def _stated(
        self,
        row: Row,
        name: str,
        read: Read,
        size: int,
        own: Collection[str],
        told: tuple[bytes, ...],
    ) -> Item:
        """An example with the verdicts that its row states."""
        given = {"label": row.get(self.label or ""), "split": self._split_of(row)}
        if is_of_model(row):
            given[SOURCE] = BY_MODEL
        holds = str(row.get(HOLDS, True)).lower() not in ("false", "0")
        more = beside(self._annotations)
        beside_them = annotated(more, partial(cell, row))
        others = {*own, HOLDS, *more}
        others |= _OF_ANNOTATIONS if self._is_ours else set()
        fields: dict[str, Any] = {key: value for key, value in row.items() if key not in others}
        found = read_stated({**fields, **given})
        if isinstance(found, Refused):
            split = None if given["split"] is None else printable(given["split"]).strip() or None
            return Item(
                name=name,
                read=read,
                size=size,
                digests=told,
                split=split,
                annotations=beside_them,
                unread=(found.reason,),
            )
        return Item(
            name=name,
            read=read,
            size=size,
            digests=told,
            label=found.label if holds else None,
            is_stated=True,
            label_column=self.label,
            split=found.split,
            annotations=beside_them,
            said=found.said if holds else (),
            meta=found.meta,
        )

    def _split_of(self, row: Row) -> str | None:
        if self.split is None:
            said = row_split({name: row.get(name) for name in self._flags}, self._flags)
        else:
            said = split_text(self.split, row.get(self.split))
        return None if said is None else printable(said)


def _is_told(text: str | None, digest: str | None) -> bool:
    """Whether a hash is of a text without the apostrophe before it."""
    if not text or not digest or original(text) == text:
        return False
    return sha256(original(text).encode("utf-8", "replace")).hexdigest() == digest.strip().lower()
