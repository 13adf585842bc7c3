"""From a few hundred items to what is added, what is not, and why. Writes nothing."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.imports import FolderChoice
from core.states import Split
from workers.imports.decode import Decoded
from workers.imports.items import Fetched, Item, LeftOut, Origin, Reference, Refused
from workers.imports.labels import Label, Labeled, read_labels, read_said
from workers.imports.moved import Met
from workers.imports.placing import Place, place
from workers.imports.pool import Addition
from workers.imports.report import Outcome

_MOST_ITEMS: Final = 512
_MOST_BYTES: Final = 32 << 20
_MOST_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that was read and has a place."""

    name: str
    place: Place
    content: bytes
    digest: bytes
    labels: tuple[Label, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """An item that is about an image of the pool: the first of ``references`` that there is."""

    name: str
    references: tuple[Reference, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one item."""

    name: str
    outcome: Outcome
    reason: str = ""
    split: Split | None = None


Prepared = Candidate | Mention | Line


@dataclass(frozen=True, slots=True)
class Decided:
    """What becomes of a batch: what enters the pool, what is said of it, a line for each item.

    ``labeled`` are by the position of their line, which is as if it said nothing new.
    ``met`` are bytes that came again: the pool may have lost its own.
    """

    additions: list[Addition]
    labeled: dict[int, Labeled]
    lines: list[Line]
    met: dict[bytes, Met]

    def told(self, news: Collection[int]) -> list[Line]:
        """The lines, where those at the positions ``news`` brought a label that was not known."""
        return [
            _labeled(line) if position in news and line.outcome is not Outcome.ADDED else line
            for position, line in enumerate(self.lines)
        ]


def batches(
    items: Iterable[Item],
    default: Split,
    classes: Mapping[str, int],
    chosen: Mapping[str, FolderChoice] | None = None,
) -> Iterator[list[Prepared]]:
    """Read items into batches that are bounded in number and in bytes."""
    batch: list[Prepared] = []
    held = 0
    for item in items:
        prepared = _prepare(item, default, classes, chosen)
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
    find: Callable[[Collection[Reference]], Mapping[Reference, Sequence[tuple[int, Split]]]],
    decode_all: Callable[[Sequence[bytes]], Sequence[Decoded | Refused]],
    first_name: Callable[[], str | None],
) -> Decided:
    """Sort a batch into additions, duplicates, labels for what is there, and refusals.

    Args:
        batch: Items in their order.
        known: Tells which hashes the pool holds, and under what name.
        find: Tells which images references may mean.
        decode_all: Decodes contents.
        first_name: Tells the name of an image that the project has, if it has any.
    """
    mentions = (one for one in batch if isinstance(one, Mention))
    meant = find([reference for one in mentions for reference in one.references])
    unique = {one.digest: one.content for one in batch if isinstance(one, Candidate)}
    held = dict(known(unique.keys()))
    fresh = [digest for digest in unique if digest not in held]
    images = dict(zip(fresh, decode_all([unique[digest] for digest in fresh]), strict=True))
    decided = Decided([], {}, [], {})
    for one in batch:
        if isinstance(one, Line):
            decided.lines.append(one)
        elif isinstance(one, Mention):
            reference = next((r for r in one.references if r in meant), one.references[0])
            line = _mentioned(one, meant.get(reference, ()), first_name)
            if line.outcome is not Outcome.REFUSED:
                decided.labeled[len(decided.lines)] = Labeled(reference, one.labels)
            decided.lines.append(line)
        else:
            decided.lines.append(_enter(one, held, images, decided))
    return decided


def _enter(
    one: Candidate,
    held: dict[bytes, str],
    images: Mapping[bytes, Decoded | Refused],
    decided: Decided,
) -> Line:
    """Add an image, unless it is there; its labels are for the one that is there."""
    image = images.get(one.digest)
    if isinstance(image, Refused):
        return Line(one.name, Outcome.REFUSED, image.reason)
    if one.labels:
        reference = Reference("content_hash", one.digest)
        decided.labeled[len(decided.lines)] = Labeled(reference, one.labels)
    if one.digest in held:
        decided.met[one.digest] = Met(one.content, one.origin)
        return Line(one.name, Outcome.DUPLICATE, f"same content as {held[one.digest]}")
    assert image is not None
    held[one.digest] = one.name
    decided.additions.append(
        Addition(one.name, one.place, one.content, one.digest, image, one.origin)
    )
    return Line(one.name, Outcome.ADDED, split=one.place.split)


def _mentioned(
    one: Mention, matches: Sequence[tuple[int, Split]], first_name: Callable[[], str | None]
) -> Line:
    if not matches:
        reason = _unmatched(one.references[0].column, first_name())
    elif len(matches) > 1:
        reason = f"{len(matches)} images have this name; say which by sha256 or example_id"
    elif matches[0][1] is not Split.POOL:
        reason = f"the image is in the split {matches[0][1]}; only the pool is annotated"
    else:
        return Line(one.name, Outcome.UNCHANGED, "its labels are known already")
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


def _labeled(line: Line) -> Line:
    reason = line.reason if line.outcome is Outcome.DUPLICATE else ""
    return replace(line, outcome=Outcome.LABELED, reason=reason)


def _prepare(
    item: Item,
    default: Split,
    classes: Mapping[str, int],
    chosen: Mapping[str, FolderChoice] | None,
) -> Prepared:
    written, stated = read_labels(item.annotations, classes), read_said(item.said, classes)
    if isinstance(written, Refused):
        return Line(item.name, Outcome.REFUSED, written.reason)
    if isinstance(stated, Refused):
        return Line(item.name, Outcome.REFUSED, stated.reason)
    labels = (*written, *stated)
    if item.reference is not None and not labels:
        return Line(item.name, Outcome.EMPTY, item.silence)
    if item.reference is not None:
        return Mention(item.name, (item.reference, *item.otherwise), labels)
    placed = place(item, default, classes, chosen)
    if isinstance(placed, LeftOut):
        return Line(item.name, Outcome.LEFT_OUT, placed.reason)
    if isinstance(placed, Refused):
        return Line(item.name, Outcome.REFUSED, placed.reason)
    content = item.read()
    if isinstance(content, Refused):
        return Line(item.name, Outcome.REFUSED, content.reason)
    if placed.split is not Split.POOL:
        labels = ()
    origin: Origin | None = None
    if isinstance(content, Fetched):
        origin, content = content.origin, content.content
    digest = hashlib.sha256(content).digest()
    return Candidate(item.name, placed, content, digest, labels, origin)
