"""From a few hundred items to what is added, what is not, and why. Writes nothing."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from core.states import Split
from workers.imports.decode import Decoded
from workers.imports.items import Item, Refused
from workers.imports.placing import Place, place
from workers.imports.pool import Addition
from workers.imports.report import Outcome

_MOST_ITEMS: Final = 512
_MOST_BYTES: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that was read and has a place."""

    name: str
    place: Place
    content: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one item."""

    name: str
    outcome: Outcome
    reason: str = ""
    split: Split | None = None


Prepared = Candidate | Line


def batches(
    items: Iterable[Item], default: Split, classes: Mapping[str, int]
) -> Iterator[list[Prepared]]:
    """Read items into batches that are bounded in number and in bytes."""
    batch: list[Prepared] = []
    held = 0
    for item in items:
        prepared = _prepare(item, default, classes)
        batch.append(prepared)
        held += len(prepared.content) if isinstance(prepared, Candidate) else 0
        if len(batch) >= _MOST_ITEMS or held >= _MOST_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def decide(
    batch: Sequence[Prepared],
    known: Callable[[Collection[bytes]], Mapping[bytes, str]],
    decode_all: Callable[[Sequence[bytes]], Sequence[Decoded | Refused]],
) -> tuple[list[Addition], list[Line]]:
    """Sort a batch into additions, duplicates and refusals.

    Args:
        batch: Items in their order.
        known: Tells which hashes the pool holds, and under what name.
        decode_all: Decodes contents.

    Returns:
        What enters the pool, and one line for each item, both in order.
    """
    unique = {one.digest: one.content for one in batch if isinstance(one, Candidate)}
    held = dict(known(unique.keys()))
    fresh = [digest for digest in unique if digest not in held]
    images = dict(zip(fresh, decode_all([unique[digest] for digest in fresh]), strict=True))
    additions: list[Addition] = []
    lines: list[Line] = []
    for one in batch:
        if isinstance(one, Line):
            lines.append(one)
            continue
        if one.digest in held:
            reason = f"same content as {held[one.digest]}"
            lines.append(Line(one.name, Outcome.DUPLICATE, reason))
            continue
        image = images[one.digest]
        if isinstance(image, Refused):
            lines.append(Line(one.name, Outcome.REFUSED, image.reason))
            continue
        held[one.digest] = one.name
        additions.append(Addition(one.name, one.place, one.content, one.digest, image))
        lines.append(Line(one.name, Outcome.ADDED, split=one.place.split))
    return additions, lines


def _prepare(item: Item, default: Split, classes: Mapping[str, int]) -> Prepared:
    placed = place(item, default, classes)
    if isinstance(placed, Refused):
        return Line(item.name, Outcome.REFUSED, placed.reason)
    content = item.read()
    if isinstance(content, Refused):
        return Line(item.name, Outcome.REFUSED, content.reason)
    return Candidate(item.name, placed, content, hashlib.sha256(content).digest())
