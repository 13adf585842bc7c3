"""What is said of images that do not come with it: which are meant, and what holds. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.states import Split
from core.tasks.registry import type_of
from workers.imports.drawn import Predicted
from workers.imports.items import Reference, Refused
from workers.imports.labels import Labeled
from workers.imports.predicted import Foreseen
from workers.imports.reading import Opinion
from workers.imports.report import LEFT_ASIDE, NOT_TAKEN, Line, Note, Outcome
from workers.imports.settled import Upright

_MOST_SHOWN: Final = 100
_ANOTHER: Final = "another of the same image and model comes before it"

Settle = Callable[[Opinion, Upright], tuple[Opinion, tuple[str, ...]] | Refused]
"""Makes what was drawn a label of an image, with notes."""
Foresee = Callable[[Predicted, Upright | None], Foreseen | Refused]
"""Makes what a model predicts what can be suggested of an image."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An item that is about an image of the pool."""

    name: str
    reference: Reference
    labels: tuple[Opinion, ...]
    notes: tuple[Note, ...]
    also: tuple[Reference, ...] = ()
    predicted: tuple[Predicted, ...] = ()


def mentioned(
    one: Mention,
    meant: Mapping[Reference, Sequence[tuple[int, Split]]],
    first_name: Callable[[], str | None],
) -> Line:
    """What becomes of a mention, which is as if it said nothing new.

    Args:
        one: What is said.
        meant: Id and split of the images that references may mean.
        first_name: What an image of the project is called, if it has any.
    """
    matches = meant.get(one.reference, ())
    ids = {id_ for id_, _ in matches}
    # What means none here may be of somewhere else; what means another contradicts.
    others = ((each, {id_ for id_, _ in meant.get(each, ())}) for each in one.also)
    other = next((each for each, found in others if found and not found & ids), None)
    if matches and other is not None:
        first, second = one.reference.said_by, other.said_by
        reason = (
            f"its {first} and its {second} mean different images; say which holds with "
            f"key_column={first} or key_column={second}"
        )
    elif not matches:
        reason = _unmatched(one.reference.column, first_name())
    elif len(matches) > 1:
        reason = f"{len(matches)} images have this name; say which by sha256 or example_id"
    elif matches[0][1] is not Split.POOL:
        reason = f"the image is in the split {matches[0][1]}; only the pool is annotated"
    else:
        what = "labels" if one.labels else "predictions"
        return Line(one.name, Outcome.UNCHANGED, f"its {what} are known already", notes=one.notes)
    return Line(one.name, Outcome.REFUSED, reason)


def _unmatched(column: str, example: str | None) -> str:
    if example is None:
        return "the project has no such image; import it first"
    if column == "name":
        return (
            "no image of the project has this name; write the whole path that it was imported "
            f"with, such as {example[:_MOST_SHOWN]}"
        )
    what = "example_id" if column == "id" else "sha256"
    return f"no image of the project has this {what}"


def of_models(
    predicted: Iterable[Predicted], image: Upright | None, foresee: Foresee
) -> tuple[tuple[Foreseen, ...], tuple[Note, ...]]:
    """What can be suggested of an image, and what is to be said of the rest."""
    found: list[Foreseen] = []
    notes: list[Note] = []
    for one in predicted:
        foreseen = foresee(one, image)
        if isinstance(foreseen, Refused):
            notes.append(Note(LEFT_ASIDE, foreseen.reason))
        elif any(foreseen.model == each.model for each in found):
            notes.append(Note(LEFT_ASIDE, _ANOTHER))
        else:
            found.append(foreseen)
            notes += foreseen.notes
    return tuple(found), tuple(notes)


def needs_size(opinion: Opinion) -> bool:
    """Whether it takes the size of an image to say whether an opinion holds."""
    if opinion.drawn is not None:
        return True
    return opinion.label is not None and type_of(opinion.label).looks_at_size


def settled(
    one: Mention,
    line: Line,
    image: Upright | None,
    settle: Settle,
    foresee: Foresee,
) -> tuple[Labeled, Line]:
    """What is said of an image that is there, with boxes in its pixels, and the line with notes.

    Args:
        one: What is said.
        line: Its line.
        image: The image that is meant; ``None`` where its size is no matter.
        settle: Makes what was drawn a label.
        foresee: Makes what is predicted what can be suggested.
    """
    labels: list[Opinion] = []
    for opinion in one.labels:
        if not needs_size(opinion):
            labels.append(opinion)
            continue
        assert image is not None
        found = settle(opinion, image)
        if isinstance(found, Refused):
            line = line.noted(NOT_TAKEN, found.reason)
        else:
            labels.append(found[0])
            for note in found[1]:
                line = line.noted(note, opinion.drawn.file if opinion.drawn else "")
    foreseen, notes = of_models(one.predicted, image, foresee)
    line = replace(line, notes=(*line.notes, *notes))
    if not labels and not foreseen:
        kinds = (NOT_TAKEN, LEFT_ASIDE)
        reasons = "; ".join(each.detail for each in line.notes if each.reason in kinds)
        line = Line(one.name, Outcome.REFUSED, reasons)
    return Labeled(one.reference, tuple(labels), foreseen), line
