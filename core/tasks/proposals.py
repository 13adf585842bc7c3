"""What a model proposes, boxes or a class, and what people make of the boxes. Pure."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from core.tasks.boxes import MOST_PROPOSALS, Box, BoxesLabel, ClassId, Proposal, Share, overlap

Fate = Literal["kept", "adjusted", "rejected"]
SHIFTED: Final = "shifted"
"""The key of a stored proposal that was planted: where it was before."""
SHIFT: Final = (0.08, 0.15)
"""How far a planted proposal is off, in parts of its width and of its height."""
_SIDES: Final = ("class_id", "x", "y", "w", "h")


class Outcome(NamedTuple):
    """What became of a proposal that was shown.

    Attributes:
        place: Among those of the query.
        fate: Kept to the last bit, adjusted, or rejected.
        iou: Of the proposal and the box that was made of it; None if rejected.
        is_shifted: Whether it was planted.
    """

    place: int
    fate: Fate
    iou: float | None
    is_shifted: bool = False


class SuggestedClass(BaseModel):
    """A class that a model takes an example for, and how sure it is; null if it does not say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    class_id: ClassId
    score: Share | None


class Planted(NamedTuple):
    """A proposal that is put beside where it belongs, should it be planted.

    Attributes:
        luck: It is planted where the chance for that is above this, 0..1.
        place: Which of the proposals it is.
        box: What stands there then.
    """

    luck: float
    place: int
    box: dict[str, Any]


def to_store(
    proposals: Iterable[Mapping[str, Any]], *, shifted: float = 0.0, seed: tuple[int, ...] = ()
) -> list[dict[str, Any]]:
    """Proposals as ``queries.proposals`` holds them: the surest first, 300 at most.

    Args:
        proposals: Each with class_id, x, y, w, h and score, and attributes if it has any.
        shifted: The chance that one of them is planted: put beside where it belongs, 0..1.
        seed: Makes that choice; of the same it is always the same.

    Raises:
        pydantic.ValidationError: One is none.
    """
    held = [Proposal.model_validate(one) for one in proposals]
    held.sort(key=lambda one: -one.score)
    found = [one.model_dump() for one in held[:MOST_PROPOSALS]]
    if found and (planted := plant(found, seed)).luck < shifted:
        found[planted.place] = planted.box
    return found


def plant(stored: Sequence[Mapping[str, Any]], seed: tuple[int | str, ...]) -> Planted:
    """Choose which of some boxes would be planted, and where; of one seed it is always the same."""
    random = Random(hashlib.sha256(repr(seed).encode()).digest())
    luck, place = random.random(), random.choice(range(len(stored)))
    one = stored[place]
    box = {**one, SHIFTED: {"x": one["x"], "y": one["y"]}}
    for start, side in (("x", "w"), ("y", "h")):
        box[start] += random.choice((-1, 1)) * random.uniform(*SHIFT) * one[side]
    return Planted(luck, place, box)


def shown(stored: Sequence[Mapping[str, Any]] | None) -> list[Proposal] | None:
    """Proposals without what would tell that one was planted; None where no model proposed any."""
    if stored is None:
        return None
    return [_proposal(one) for one in stored]


def suggested(stored: Sequence[Mapping[str, Any]] | None) -> SuggestedClass | None:
    """The class that was proposed; None where no model proposed any."""
    return SuggestedClass.model_validate(stored[0]) if stored else None


def _proposal(stored: Mapping[str, Any]) -> Proposal:
    known = {name: stored[name] for name in Proposal.model_fields if name in stored}
    return Proposal.model_validate(known)


def outcomes(label: BoxesLabel, stored: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """What an answer made of the proposals that were shown with it.

    Those that no box names and that lie below the label's threshold were not shown; without a
    threshold nobody knows what was.

    Args:
        label: The answer.
        stored: ``queries.proposals`` of its query.
    """
    named: dict[int, Box] = {}
    for box in label.boxes:
        if box.proposal is not None and box.origin in ("kept", "adjusted"):
            named.setdefault(box.proposal, box)
    found = []
    for place, one in enumerate(stored):
        is_shifted = SHIFTED in one
        final = named.get(place)
        if final is not None:
            is_kept = all(getattr(final, name) == one[name] for name in _SIDES)
            fate: Fate = "kept" if is_kept else "adjusted"
            found.append(Outcome(place, fate, overlap(_proposal(one), final), is_shifted))
        elif label.threshold is not None and one["score"] >= label.threshold:
            found.append(Outcome(place, "rejected", None, is_shifted))
    return found
