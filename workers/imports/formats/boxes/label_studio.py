"""Tasks of Label Studio whose results are boxes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from core.states import Split, Verdict
from core.tasks.box_attributes import FLAGS
from workers.imports.drawn import BOXES, PREDICTED, Drawn, Rectangle, stated_size
from workers.imports.formats.boxes.attributes import keep
from workers.imports.formats.boxes.shapes import (
    ENCLOSED,
    LEFT_ASIDE,
    around,
    is_turned,
    number,
    texts,
    turned_by,
    vote,
)
from workers.imports.formats.label_studio import (
    VERDICT_CONTROL,
    WORDS,
    about,
    annotations_of,
    author_of,
    listed,
    model_of,
    note_of,
    predictions_of,
    results_of,
)
from workers.imports.formats.metadata import UNREAD
from workers.imports.items import Refused, printable
from workers.imports.stated import read_seconds

_SIDES: Final = ("x", "y", "width", "height")
META: Final = "meta"
"""Attribute that holds what is written beside a region itself."""
_TRUTHS: Final[Mapping[object, bool]] = {"true": True, "false": False}
_SHAPES: Final = ("rectangle", "polygon", "ellipse", "brush", "keypoint", "vector", "bitmask")
# Results that hold the labels of a shape which stands in another result.
_LABELS: Final = frozenset({"labels", *(f"{one}labels" for one in _SHAPES)})


@dataclass(slots=True)
class _Region:
    """A shape, which may be spread over several results of one id."""

    place: int
    kind: str = ""
    value: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)
    flags: dict[str, None] = field(default_factory=dict)
    size: tuple[float, float] | None = None
    score: str | None = None
    said: list[tuple[str, object]] = field(default_factory=list)


def fields_of(task: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a task says of its image.

    An annotation that was submitted without a result says that there is nothing in the image.

    Args:
        task: Of a document.
        name: What that is called.
    """
    votes: list[dict[str, Any]] = []
    drawn: list[dict[str, Any]] = []
    unread: list[str] = []
    for annotation in annotations_of(task):
        said: dict[str, Any] = {
            "annotator": author_of(annotation),
            "class": None,
            "seconds": read_seconds(annotation.get("lead_time")),
            "created_at": annotation.get("created_at"),
            "note": note_of(annotation),
        }
        if annotation.get("was_cancelled"):
            votes.append({**said, "verdict": Verdict.SKIP})
            continue
        found = _annotation(annotation, name)
        if isinstance(found, Refused):
            unread.append(found.reason)
        elif isinstance(found, Verdict):
            votes.append({**said, "verdict": found})
        else:
            drawn.append({**said, **vote(found, said["annotator"])})
    fields = about(task)
    is_truth = fields["split"] is Split.EVALUATION
    fields |= {"class": None, "votes": [] if is_truth else votes, BOXES: drawn}
    predicted = []
    for prediction in predictions_of(task):
        found = _annotation(prediction, name, is_of_model=True)
        if isinstance(found, Refused):
            predicted.append({"model": model_of(prediction), "refused": found.reason})
        elif isinstance(found, Drawn):
            predicted.append({"model": model_of(prediction), **found.to_json()})
    if predicted:
        fields[PREDICTED] = predicted
    return {**fields, UNREAD: unread} if unread else fields


def _annotation(
    annotation: Mapping[str, Any], name: str, *, is_of_model: bool = False
) -> Drawn | Verdict | Refused:
    """What one annotation says; scores count where a model says it, not where people took it."""
    verdicts: list[Verdict] = []
    regions: dict[object, _Region] = {}
    others: dict[str, None] = {}
    beside: list[tuple[object, str, str, object]] = []
    for one in results_of(annotation):
        kind = str(one.get("type"))
        value = one.get("value")
        if not isinstance(value, dict):
            if kind != "relation":
                others[kind] = None
        elif kind == "choices":
            words = [str(choice).lower() for choice in listed(value.get("choices"))]
            if one.get("from_name") == VERDICT_CONTROL and set(words) <= WORDS.keys():
                verdicts += (WORDS[word] for word in words)
            else:
                beside.append(_beside(one, kind, value))
        elif kind in _LABELS or kind in _SHAPES:
            key = one.get("id")
            # Without an id a result stands for itself.
            key = len(regions) if key is None else str(key)
            region = regions.setdefault(key, _Region(len(regions) + 1))
            _add(region, kind, value, one)
            if is_of_model and (score := one.get("score", annotation.get("score"))) is not None:
                region.score = number(score)
        else:
            beside.append(_beside(one, kind, value))
    for key, kind, name, meant in beside:
        if key in regions:
            regions[key].said.append((name, meant))
        else:
            others[kind] = None
    if verdicts and regions:
        return Refused(f"{name}: an annotation says {verdicts[0]}, and draws boxes")
    if verdicts:
        return verdicts[0]
    if others and not regions:
        kinds = printable(", ".join(others))[:100]
        return Refused(f"{name}: an annotation has no boxes but {kinds}")
    return _drawn(list(regions.values()), name, (LEFT_ASIDE,) if others else ())


def _add(region: _Region, kind: str, value: dict[str, Any], result: Mapping[str, Any]) -> None:
    shape = kind.removesuffix("labels") if kind != "labels" else ""
    region.kind = region.kind or shape or ("rectangle" if "width" in value else "")
    region.value |= value
    if kind in _LABELS:
        region.labels |= {printable(str(one)): None for one in listed(value.get(kind))}
    meta = result.get("meta")
    if isinstance(meta, dict):
        words = [str(one) for one in listed(meta.get("text"))]
        region.flags |= {one: None for one in FLAGS if one in words}
        others = [one for one in words if one not in FLAGS]
        region.said += [(name, one) for name, one in meta.items() if name != "text"]
        region.said += [(META, _only(others))] if others else []
    size = stated_size(result.get("original_width"), result.get("original_height"))
    region.size = region.size if size is None else size


def _beside(
    result: Mapping[str, Any], kind: str, value: Mapping[str, Any]
) -> tuple[object, str, str, object]:
    """The id of the region that a result is beside, its kind, its control, and what it says."""
    key = result.get("id")
    # A control that is asked of each region: its kind names what it holds, but for text areas.
    said = value.get("text" if kind == "textarea" else kind)
    is_choice = kind == "choices"
    words = [_TRUTHS.get(str(one), one) if is_choice else one for one in listed(said)]
    name = str(result.get("from_name") or kind)
    return None if key is None else str(key), kind, name, _only(words) if words else None


def _only(words: list[Any]) -> object:
    return words[0] if len(words) == 1 else words


def _drawn(regions: Sequence[_Region], name: str, notes: tuple[str, ...]) -> Drawn | Refused:
    boxes: list[Rectangle] = []
    sizes = {one.size: None for one in regions if one.size is not None}
    if len(sizes) > 1:
        return Refused(f"{name}: its boxes are of images of different sizes")
    told = dict.fromkeys(notes)
    for one in regions:
        values = _values(one)
        labels = list(one.labels)
        if isinstance(values, Refused):
            reason = values.reason
        elif len(labels) != 1:
            shown = ", ".join(labels)[:100]
            reason = f"has several labels ({shown})" if labels else "has no label"
        else:
            is_made = one.kind != "rectangle"
            if is_made:
                told[ENCLOSED] = None
            kept = keep(one.said)
            if not kept.are_all:
                told[LEFT_ASIDE] = None
            made = one.place, labels[0], values, tuple(one.flags), is_made, one.score
            boxes.append(Rectangle(*made, kept.attributes))
            continue
        return Refused(f"{name}: box {one.place} {reason}")
    return Drawn(name, "label_studio", tuple(boxes), next(iter(sizes), None), tuple(told))


def _values(region: _Region) -> tuple[str, ...] | Refused:
    """Left, top, width and height in percent."""
    value = region.value
    if is_turned(value.get("rotation", 0)):
        return Refused(turned_by(value["rotation"]))
    if region.kind == "rectangle":
        return tuple(number(value.get(one)) for one in _SIDES)
    try:
        if region.kind == "polygon":
            box = around((float(x), float(y)) for x, y in value["points"])
        elif region.kind == "ellipse":
            x, y = float(value["x"]), float(value["y"])
            across, down = float(value["radiusX"]), float(value["radiusY"])
            box = x - across, y - down, x + across, y + down
        else:
            return Refused(f"is a {region.kind or 'label'} and no box")
    except (KeyError, OverflowError, TypeError, ValueError):
        box = None
    if box is None or not all(map(math.isfinite, box)):
        return Refused(f"is a {region.kind} that encloses nothing")
    left, top, right, bottom = box
    return texts((left, top, right - left, bottom - top))
