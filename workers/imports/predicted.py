"""What of a model's predictions can be suggested to annotators, and what is left aside. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from core.jobs.imports import ImportParams
from core.states import Verdict
from core.tasks.box_attributes import NONE, Attributes
from core.tasks.box_conventions import number_of
from core.tasks.boxes import MOST_PROPOSALS, Box, BoxesLabel
from core.tasks.proposals import to_store
from core.tasks.registry import class_of
from workers.imports.drawn import Drawn, Predicted, Rectangle
from workers.imports.formats.boxes.attributes import keep
from workers.imports.items import Item, Refused
from workers.imports.reading import LabelReader, Opinion
from workers.imports.report import LEFT_ASIDE, Note
from workers.imports.settled import Upright
from workers.imports.values import says_nothing

_UNSURE: Final = "how sure the model is was not said; its boxes are shown wherever the slider is"
_MOST: Final = f"of more than {MOST_PROPOSALS} predicted boxes the surest {MOST_PROPOSALS} are kept"
_SILENT: Final = "no prediction in this row"


class Foreseen(NamedTuple):
    """What can be suggested of one image.

    Attributes:
        model: Whose prediction it is.
        proposals: As ``queries.proposals`` has them.
        notes: What was left aside, or decided.
    """

    model: str
    proposals: list[dict[str, Any]]
    notes: tuple[Note, ...] = ()


def of_model(items: Iterable[Item], params: ImportParams) -> Iterator[Item]:
    """Items of which all that their files state is a model's, where the import was told so.

    Columns that are named hold its classes; without any it is what a format holds as predictions,
    or else as labels. The truth of evaluation images is no part of that.
    """
    if params.predictions is None:
        yield from items
        return
    columns = params.annotations
    for item in items:
        is_its = (item.label_column or "label") in columns if columns else item.is_stated
        yield replace(
            item,
            annotations=(),
            said=(),
            predicted=tuple(_by(item, params.predictions, params)),
            label=None if is_its else item.label,
            rivals=() if is_its else item.rivals,
            silence=_SILENT,
        )


def _by(item: Item, model: str, params: ImportParams) -> Iterator[Predicted]:
    if params.annotations:
        probability = params.columns.get("probability", "")
        sure = dict(item.annotations).get(probability)
        for column, text in item.annotations:
            if column != probability and not says_nothing(text):
                yield Predicted(model, class_name=text, probability=sure, column=column)
    elif item.predicted:
        yield from (replace(one, model=model) for one in item.predicted)
    else:
        for one in item.said:
            if one.drawn is not None or one.class_name is not None:
                yield Predicted(model, one.drawn, one.class_name)


def foresee(one: Predicted, image: Upright | None, reader: LabelReader) -> Foreseen | Refused:
    """What can be suggested of a prediction.

    A box that cannot be read costs itself alone: one that is missing teaches nothing.

    Args:
        one: What a file has.
        image: The image; without it, what could be if it were as the file says.
        reader: Of the import.
    """
    if one.refused:
        return Refused(one.refused)
    if one.drawn is not None:
        return _boxes(one.model, one.drawn, image, reader)
    if reader.of_one_class:
        return _class(one, reader)
    drawn = _written(one.column or one.model, one.class_name or "")
    return drawn if isinstance(drawn, Refused) else _boxes(one.model, drawn, image, reader)


def _class(one: Predicted, reader: LabelReader) -> Foreseen | Refused:
    found = reader.label(one.column or one.model, one.class_name or "")
    if isinstance(found, Refused):
        return found
    class_id = class_of(found.label)
    if class_id is None:
        return Refused(f"{found.source_name} says {found.verdict}, and only classes are suggested")
    score = None
    if one.probability is not None and not says_nothing(one.probability):
        score = _share(one.probability)
        if score is None:
            shown = one.probability[:20]
            return Refused(
                f"its probability is {shown!r} where a share above 0, up to 1, should be"
            )
    return Foreseen(one.model, [{"class_id": class_id, "score": score}])


def _boxes(
    model: str, drawn: Drawn, image: Upright | None, reader: LabelReader
) -> Foreseen | Refused:
    found = _settled(model, drawn, image, reader)
    if isinstance(found, Refused):
        return found
    pairs, notes, left = found
    proposals, is_unsure = [], False
    for written, box in pairs:
        score = 1.0 if written.score is None else _share(written.score)
        is_unsure |= written.score is None
        if score is None:
            shown = (written.score or "")[:20]
            reason = f"has a score of {shown!r} where a share above 0, up to 1, should be"
            left.append(f"{drawn.file}: box {written.number} {reason}")
        else:
            sides = {name: getattr(box, name) for name in ("class_id", "x", "y", "w", "h")}
            proposals.append({**sides, "score": score, "attributes": box.attributes})
    if left and not proposals:
        return Refused("; ".join(dict.fromkeys(left)))
    told = [Note(each, drawn.file) for each in notes]
    told += [Note(_UNSURE, drawn.file)] if is_unsure else []
    told += [Note(_MOST, drawn.file)] if len(proposals) > MOST_PROPOSALS else []
    told += [Note(LEFT_ASIDE, each) for each in dict.fromkeys(left)]
    return Foreseen(model, to_store(proposals), tuple(told))


_Settled = tuple[list[tuple[Rectangle, Box]], tuple[str, ...], list[str]]
"""Boxes as written and as they are, what was decided, and why others are left aside."""


def _settled(
    model: str, drawn: Drawn, image: Upright | None, reader: LabelReader
) -> _Settled | Refused:
    """All boxes at once, or those that can be read where some cannot."""
    plain = tuple(replace(box, score=None) for box in drawn.boxes)

    def of(boxes: tuple[Rectangle, ...]) -> tuple[BoxesLabel, tuple[str, ...]] | Refused:
        some = replace(drawn, boxes=boxes)
        found = reader.settled(Opinion(model, Verdict.LABEL, None, drawn=some), image)
        if isinstance(found, Refused):
            return found
        assert isinstance(found[0].label, BoxesLabel)
        return found[0].label, found[1]

    whole = of(plain)
    if not isinstance(whole, Refused):
        return list(zip(drawn.boxes, whole[0].boxes, strict=True)), whole[1], []
    # What their numbers mean only all boxes of an image tell.
    if drawn.guessed or reader.of_one_class:
        return whole
    pairs: list[tuple[Rectangle, Box]] = []
    notes: dict[str, None] = {}
    left: list[str] = []
    for written, box in zip(drawn.boxes, plain, strict=True):
        found = of((box,))
        if isinstance(found, Refused):
            left.append(found.reason)
        else:
            pairs.append((written, found[0].boxes[0]))
            notes |= dict.fromkeys(found[1])
    return pairs, tuple(notes), left


def _written(column: str, text: str) -> Drawn | Refused:
    """Boxes that stand in a cell as a list in JSON, with the score of each."""
    try:
        rows = json.loads(text)
        boxes = tuple(
            Rectangle(
                place,
                str(row["class"]),
                tuple(str(row[side]) for side in ("x", "y", "w", "h")),
                score=None if row.get("score") is None else str(row["score"]),
                attributes=_attributes(row),
            )
            for place, row in enumerate(rows, 1)
        )
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return Refused(f"{column} holds no list of boxes in JSON, each with class, x, y, w and h")
    return Drawn(column, "coco", boxes)


def _attributes(row: Mapping[str, Any]) -> Attributes:
    said = row.get("attributes")
    return keep(said.items()).attributes if isinstance(said, dict) else NONE


def _share(text: str) -> float | None:
    found = number_of(text.strip())
    return found if found is not None and 0 < found <= 1 else None
