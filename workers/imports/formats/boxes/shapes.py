"""What becomes of shapes that are no upright boxes, the same in every format. Pure."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from core.tasks.box_conventions import shortest
from workers.imports.drawn import BOXES, Drawn
from workers.imports.formats.metadata import UNREAD
from workers.imports.items import Refused

OUTLINES: Final = "outlines and masks are left aside, and the boxes beside them kept"
ENCLOSED: Final = "a box was drawn around an outline"
LEFT_ASIDE: Final = "parts of boxes, and attributes that are too long or too many, are left aside"


def number(value: object) -> str:
    """A number of JSON or Parquet as text that is read as the same number, else what it is."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value)
    if isinstance(value, float):
        return repr(value)
    return str(value)[:40]


def around(points: Iterable[tuple[float, float]]) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of an outline; ``None`` if it has no area."""
    found = list(points)
    if len(found) < 3 or not all(map(math.isfinite, (side for point in found for side in point))):
        return None
    across, down = [x for x, _ in found], [y for _, y in found]
    box = min(across), min(down), max(across), max(down)
    return box if box[0] < box[2] and box[1] < box[3] else None


def pairs(numbers: Sequence[Any]) -> Iterator[tuple[float, float]]:
    """The points of ``x1, y1, x2, y2, …``."""
    yield from ((float(x), float(y)) for x, y in zip(numbers[::2], numbers[1::2], strict=True))


def texts(values: Iterable[float]) -> tuple[str, ...]:
    """Numbers that were made here."""
    return tuple(map(shortest, values))


def is_turned(angle: object) -> bool:
    """Whether a rotation in degrees is one."""
    if angle is None or angle == "":
        return False
    try:
        return float(str(angle)) % 360 != 0
    except ValueError:
        return True


def turned_by(angle: object) -> str:
    """Why such a box is refused."""
    return f"is turned by {str(angle)[:20]} degrees, and boxes here stand upright"


def vote(drawn: Drawn, author: str) -> dict[str, Any]:
    """What an indexed row holds of a drawing: see ``said.drawn_on``."""
    return {**drawn.to_json(), "author": author}


def drawn_fields(found: Drawn | Refused, source: str) -> dict[str, Any]:
    """What an indexed row holds of an image on which one file draws, or why it is not read."""
    silent: dict[str, Any] = {"class": None, "votes": []}
    if isinstance(found, Refused):
        return {**silent, UNREAD: [found.reason]}
    return {**silent, BOXES: [vote(found, source)]}
