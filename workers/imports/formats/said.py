"""What several rows say of one image, taken together: in whatever order they come. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from core.states import Split, Verdict
from workers.imports.drawn import BOXES, PREDICTED, Drawn, Predicted
from workers.imports.formats.metadata import UNREAD, Row
from workers.imports.items import Refused, Said, annotated, contradiction, digests, only, printable
from workers.imports.meta import extras
from workers.imports.split_words import is_flag, row_split
from workers.imports.stated import (
    author_name,
    beside,
    is_stated,
    read_note,
    read_seconds,
    read_stated,
    read_time,
    text,
)

_STATED: Final = "boxes of a file are left aside where metadata.jsonl states verdicts"


@dataclass(frozen=True, slots=True)
class Described:
    """What is said of an image beside its bytes; fields as in ``Item``."""

    name: str | None = None
    split: str | None = None
    meant: Split | None = None
    unsure: str | None = None
    label: str | None = None
    is_stated: bool = False
    label_column: str | None = None
    rivals: tuple[tuple[str | None, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()
    said: tuple[Said, ...] = ()
    predicted: tuple[Predicted, ...] = ()
    unread: tuple[str, ...] = ()
    how: str = ""
    digests: tuple[bytes, ...] = ()
    told: tuple[tuple[str, str], ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)


def describe(rows: Sequence[Row], folder: Described, columns: Sequence[str]) -> Described | Refused:
    """Take together what ``rows`` say.

    Labels that contradict each other are all kept. As the truth of an evaluation image none is,
    nor where the folder is another class than the rows say; and two splits refuse the image, which
    cannot be in both.

    Args:
        rows: What is said.
        folder: What the image's folder says, where no row says it.
        columns: Columns that become annotations.
    """
    if not rows and "label" not in columns:
        return folder
    rows, told = _without_drawn(rows)
    # Sorted, so that where rows agree on something they say once, it is the same in any order.
    found = sorted((_one(row, columns) for row in rows), key=repr)
    splits = _distinct(one.split for one in found)
    if len(splits) > 1:
        return Refused(f"it is said to be of several splits: {', '.join(splits)[:100]}")
    labels = _distinct(one.label for one in found)
    unread = [reason for one in found for reason in one.unread]
    is_stated_by_any = any(one.said or one.label_column == "" for one in found)
    if len(labels) > 1 and "label" not in columns and not is_stated_by_any:
        unread.insert(0, contradiction(labels))
    label = labels[0] if len(labels) == 1 else None
    column = next((one.label_column for one in found if one.label is not None), None)
    rivals: dict[tuple[str | None, str], None] = {
        (one.label_column or "", printable(one.label)): None for one in found if one.label
    }
    if rivals and folder.label:
        rivals[None, folder.label] = None
    if not labels and not is_stated_by_any:
        label, column = folder.label, None
    annotations = [pair for one in found for pair in one.annotations]
    # What a document states is a vote of its own.
    written = folder.label if is_stated_by_any else label
    if "label" in columns and written and not any(name == "label" for name, _ in annotations):
        annotations.append(("label", written))
    meta: dict[str, Any] = {}
    for one in found:
        meta.update(one.meta)
    return Described(
        name=next(iter(_distinct(one.name for one in found)), None),
        split=splits[0] if splits else folder.split,
        meant=None if splits else folder.meant,
        unsure=None if splits else folder.unsure,
        label=label,
        is_stated=bool(labels) and all(one.label_column == "" for one in found if one.label),
        label_column=column or None,
        rivals=tuple(rivals) if len(rivals) > 1 else (),
        annotations=tuple(dict.fromkeys(annotations)),
        said=tuple(said for one in found for said in one.said),
        predicted=tuple(each for row in rows for each in predicted_on(row.fields)),
        unread=tuple(dict.fromkeys(unread)),
        how=next(iter(_distinct(one.how for one in found)), ""),
        digests=digests(row.fields.get("sha256") for row in rows),
        told=told,
        meta=meta,
    )


def drawn_on(fields: Mapping[str, Any]) -> tuple[Said, ...]:
    """What is drawn on an image by those whose boxes an indexed row holds."""
    return tuple(
        Said(
            source_name=author_name(one["author"]),
            verdict=Verdict.LABEL,
            seconds=read_seconds(one.get("seconds")),
            at=read_time(one.get("created_at")),
            drawn=Drawn.from_json(one),
            note=read_note(one.get("note")),
        )
        for one in fields.get(BOXES, ())
    )


def predicted_on(fields: Mapping[str, Any]) -> tuple[Predicted, ...]:
    """What models predict of an image, as an indexed row holds it."""
    return tuple(
        Predicted(
            model=author_name(one["model"]),
            drawn=Drawn.from_json(one) if "boxes" in one else None,
            class_name=one.get("class"),
            probability=one.get("probability"),
            refused=one.get("refused", ""),
        )
        for one in fields.get(PREDICTED, ())
    )


def _without_drawn(
    rows: Sequence[Row],
) -> tuple[Sequence[Row], tuple[tuple[str, str], ...]]:
    """Rows without boxes that a row of our own exports states beside them, as whole verdicts."""
    if not any(is_stated(row.fields) and BOXES not in row.fields for row in rows):
        return rows, ()
    drawn = [one["file"] for row in rows for one in row.fields.get(BOXES, ())]
    kept = []
    for row in rows:
        others = {key: row.fields[key] for key in row.fields.keys() - {BOXES, UNREAD}}
        kept.append(Row(others, row.how) if BOXES in row.fields else row)
    return kept, tuple((_STATED, name) for name in drawn)


def _one(row: Row, columns: Sequence[str]) -> Described:
    fields = dict(row.fields)
    unread = tuple(fields.pop(UNREAD, ()))
    if is_stated(fields, columns):
        return _stated(fields, unread, row.how, columns)
    flags = [name for name in fields if is_flag(name)]
    split = row_split(fields, flags)
    for name in ("split", *flags):
        fields.pop(name, None)
    label = text(only(fields.pop("label", None)))
    said = annotated(columns, partial(_cell, {**fields, "label": label}))
    for name in columns:
        fields.pop(name, None)
    return Described(
        split=split,
        label=label,
        label_column="label",
        annotations=said,
        unread=unread,
        how=row.how,
        meta=extras(fields),
    )


def _cell(fields: Mapping[str, Any], name: str) -> str | None:
    return text(only(fields.get(name)))


def _stated(
    fields: Mapping[str, Any], unread: tuple[str, ...], how: str, columns: Sequence[str]
) -> Described:
    """Of what states verdicts, no folder says the class; an empty column name says that."""
    split = row_split(fields)
    more = beside(columns)
    annotations = annotated(more, partial(_cell, fields))
    others = {key: value for key, value in fields.items() if key not in (BOXES, PREDICTED, *more)}
    found = read_stated({**others, "split": split})
    if isinstance(found, Refused):
        return Described(
            split=split,
            label_column="",
            annotations=annotations,
            unread=(*unread, found.reason),
            how=how,
        )
    return Described(
        name=found.name,
        split=split,
        label=found.label,
        label_column="",
        annotations=annotations,
        said=(*found.said, *drawn_on(fields)),
        unread=unread,
        how=how,
        meta=found.meta,
    )


def _distinct(values: Iterable[str | None]) -> list[str]:
    return sorted({printable(value) for value in values if value})
