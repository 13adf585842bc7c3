"""From a few hundred items to what is added, what is not, and why. Writes nothing."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

from core.jobs.imports import FolderChoice
from core.media.images.rendition import upright_and_turn
from core.states import Split
from core.tasks.spec import Label
from workers.imports.items import Item, LeftOut, Origin, Reference, Refused
from workers.imports.labels import Labeled, Written
from workers.imports.media.base import Addition, Content, Made, Reading
from workers.imports.mentions import (
    Foresee,
    Mention,
    Settle,
    mentioned,
    needs_size,
    of_models,
    settled,
)
from workers.imports.moved import Met
from workers.imports.placing import Place, place
from workers.imports.pool import Held
from workers.imports.predicted import Foreseen, foresee
from workers.imports.reading import LabelReader, Opinion, Read
from workers.imports.report import NOT_TAKEN, Line, Note, Outcome
from workers.imports.settled import Upright

_MOST_ITEMS: Final = 512
_MOST_BYTES: Final = 32 << 20
_MOST_MADE: Final = 64 << 20
_OTHER_BYTES: Final = (
    "what is said is of other bytes, by its sha256; leave the column sha256 out if the image was "
    "converted since"
)
_FIRST: Final = (Split.POOL, Split.AUXILIARY_OOD, Split.EVALUATION)
"""Of an image that an import brings for several splits, the first of these holds.

What a model may learn from measures nothing; and what people are to judge is not known before.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that was read and has a place."""

    name: str
    place: Place
    content: bytes
    digest: bytes
    labels: tuple[Opinion, ...]
    notes: tuple[Note, ...]
    origin: Origin | None = None
    predicted: tuple[Foreseen, ...] = ()


Prepared = Candidate | Mention | Line


@dataclass(frozen=True, slots=True)
class Decided:
    """What becomes of a batch: what enters the pool, what is said of it, a line for each item.

    ``labeled`` are by the position of their line, which is as if it said nothing new.
    ``met`` are bytes that came again: the pool may have lost its own. ``truths`` are what
    evaluation images are said to be which came before; ``replaced`` are name and place of
    images that came before for another split.
    """

    additions: list[Addition] = field(default_factory=list)
    labeled: dict[int, Labeled] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    met: dict[bytes, Met] = field(default_factory=dict)
    truths: dict[bytes, frozenset[Label]] = field(default_factory=dict)
    replaced: dict[bytes, tuple[str, Place]] = field(default_factory=dict)

    def told(
        self,
        written: Written,
        foretold: Collection[int],
        text_of: Callable[[Label], str],
        worded: Callable[[str], str],
    ) -> list[Line]:
        """The lines, once it is known which labels are new and which contradict each other.

        Args:
            written: What came of the labels.
            foretold: Positions of lines whose predictions are new.
            text_of: A label in words.
            worded: Says a reason of the examples of the project.
        """
        return [
            self._told(
                position, _worded(line, worded), written, position in foretold, text_of, worded
            )
            for position, line in enumerate(self.lines)
        ]

    def _told(
        self,
        position: int,
        line: Line,
        written: Written,
        is_foretold: bool,
        text_of: Callable[[Label], str],
        worded: Callable[[str], str],
    ) -> Line:
        if line.outcome is not Outcome.ADDED:
            if position in written.news:
                line = _become(line, Outcome.LABELED)
            elif is_foretold:
                line = _become(line, Outcome.PREDICTED)
        said = written.contradicted.get(position)
        if said is None:
            return line
        names = ", ".join(verdict if label is None else text_of(label) for verdict, label in said)
        reason = worded(f"labels of this image contradict each other ({names}), and all are kept")
        return replace(line, reason="; ".join(one for one in (line.reason, reason) if one))


def _worded(line: Line, worded: Callable[[str], str]) -> Line:
    """A line as it is said of the examples of a project; the names of others in it stay."""
    if not line.reason and not line.notes:
        return line
    names_another = line.outcome is Outcome.DUPLICATE
    notes = tuple(Note(worded(one.reason), worded(one.detail)) for one in line.notes)
    return replace(line, reason=line.reason if names_another else worded(line.reason), notes=notes)


def batches(
    items: Iterable[Item],
    default: Split,
    reader: LabelReader,
    reading: Reading,
    chosen: Mapping[str, FolderChoice] | None = None,
) -> Iterator[list[Prepared]]:
    """Read items into batches that are bounded in number, in bytes and in what is made of these.

    What is said of images that do not come with it is in batches of its own: those that come in
    the same import are there by then.
    """
    batch: list[Prepared] = []
    held = made = 0
    for item in items:
        if batch and item.reference is not None and isinstance(batch[-1], Candidate):
            yield batch
            batch, held, made = [], 0, 0
        prepared = _prepare(item, default, reader, reading, chosen)
        batch.append(prepared)
        if isinstance(prepared, Candidate):
            held += len(prepared.content)
            made += reading.row_bytes
        if len(batch) >= _MOST_ITEMS or held >= _MOST_BYTES or made >= _MOST_MADE:
            yield batch
            batch, held, made = [], 0, 0
    if batch:
        yield batch


class Looked(NamedTuple):
    """What ``decide`` has to look up or to make; see there."""

    known: Callable[[Collection[bytes]], Mapping[bytes, Held]]
    find: Callable[[Collection[Reference]], Mapping[Reference, Sequence[tuple[int, Split]]]]
    make: Callable[[Sequence[bytes]], Sequence[Made | Refused]]
    helped: Callable[[str, Refused], Refused]
    first_name: Callable[[], str | None]
    settled: Settle = lambda opinion, _: (opinion, ())
    sizes: Callable[[Collection[int]], Mapping[int, Upright]] = lambda _: {}
    foresee: Foresee = lambda one, _: Refused(one.model)


def decide(batch: Sequence[Prepared], looked: Looked) -> Decided:
    """Sort a batch into additions, duplicates, labels for what is there, and refusals.

    Args:
        batch: Items in their order.
        looked: Tells which hashes the pool holds, which examples references may mean, what is made
            of contents, what helps where that is nothing, and the name of an example that the
            project has, if it has any; what boxes mean as labels, the sizes of images by id,
            and what can be suggested of predictions.
    """
    mentions = [one for one in batch if isinstance(one, Mention)]
    meant = looked.find([each for one in mentions for each in (one.reference, *one.also)])
    unique = {one.digest: one.content for one in batch if isinstance(one, Candidate)}
    held = dict(looked.known(unique.keys()))
    fresh = [digest for digest in unique if digest not in held]
    contents = [unique[digest] for digest in fresh]
    made = dict(zip(fresh, looked.make(contents), strict=True))
    drawn = [one.reference for one in mentions if one.predicted or any(map(needs_size, one.labels))]
    ids = {id_ for one in drawn for id_, _ in meant.get(one, ())}
    sizes = looked.sizes(ids) if ids else {}
    decided = Decided()
    for one in batch:
        if isinstance(one, Line):
            decided.lines.append(one)
        elif isinstance(one, Mention):
            line = mentioned(one, meant, looked.first_name)
            if line.outcome is not Outcome.REFUSED:
                ((id_, _),) = meant[one.reference]
                said, line = settled(one, line, sizes.get(id_), looked.settled, looked.foresee)
                decided.labeled[len(decided.lines)] = said
            decided.lines.append(line)
        else:
            decided.lines.append(_enter(one, held, made, decided, looked.helped))
    return decided


def _enter(
    one: Candidate,
    held: dict[bytes, Held],
    of: Mapping[bytes, Made | Refused],
    decided: Decided,
    helped: Callable[[str, Refused], Refused],
) -> Line:
    """Add an example, unless it is there; its labels are for the one that is there."""
    made = of.get(one.digest)
    if isinstance(made, Refused):
        return Line(one.name, Outcome.REFUSED, helped(one.name, made).reason)
    if one.labels or one.predicted:
        reference = Reference("content_hash", one.digest)
        decided.labeled[len(decided.lines)] = Labeled(reference, one.labels, one.predicted)
    if one.digest in held:
        decided.met[one.digest] = Met(one.content, one.origin)
        return _again(one, held, decided)
    assert made is not None
    label = one.place.label
    said = frozenset(() if label is None else (label,))
    held[one.digest] = Held(one.name, one.place.split, label, said, is_new=True)
    decided.additions.append(
        Addition(one.name, one.place, one.content, one.digest, made, one.origin)
    )
    notes = (*one.notes, *map(Note, made.notes))
    return Line(one.name, Outcome.ADDED, split=one.place.split, notes=notes)


def _again(one: Candidate, held: dict[bytes, Held], decided: Decided) -> Line:
    """Bytes that came before, perhaps for another split, or as another truth."""
    there = held[one.digest]
    line = Line(one.name, Outcome.DUPLICATE, f"same content as {there.name}", notes=one.notes)
    label = one.place.label
    if one.place.split is not there.split and there.is_new:
        return _of_both(one, there, line, held, decided)
    if one.place.split is not there.split:
        return line.noted("the image is in another split, and stays there", there.split)
    if label is None:
        return line
    is_settled = there.label is not None and not there.said
    if is_settled and label == there.label:
        return line
    # What an earlier import has settled counts as said, so that of copies none is the first.
    before = {there.label} if is_settled and there.label is not None else there.said
    said = frozenset({*before, label})
    if said == there.said:
        return line
    held[one.digest] = replace(there, said=said, label=label if len(said) == 1 else None)
    decided.truths[one.digest] = said
    if is_settled:
        return line.noted(
            "an earlier import says another class, so it counts in no evaluation; import it again "
            "with the one that is right",
        )
    if len(said) > 1:
        return line.noted("its labels contradict each other, so it counts in no evaluation")
    return line.noted("its labels contradicted each other, and this one settles it")


def _of_both(
    one: Candidate, there: Held, line: Line, held: dict[bytes, Held], decided: Decided
) -> Line:
    """The same image for two splits, in one import: in whatever order they come."""
    first = min(one.place.split, there.split, key=_FIRST.index)
    if first is not there.split:
        held[one.digest] = Held(one.name, first, None, frozenset(), is_new=True)
        decided.replaced[one.digest] = one.name, one.place
        decided.truths.pop(one.digest, None)
        line = replace(line, split=first, before=there.split)
    return line.noted("the import brings this image for several splits; it is in one", first)


def _become(line: Line, outcome: Outcome) -> Line:
    reason = line.reason if line.outcome is Outcome.DUPLICATE else ""
    return replace(line, outcome=outcome, reason=reason)


def _prepare(
    item: Item,
    default: Split,
    reader: LabelReader,
    reading: Reading,
    chosen: Mapping[str, FolderChoice] | None,
) -> Prepared:
    if item.refused is not None:
        return _without(item, item.refused)
    came: Content | Refused | None = None
    image: Upright | None = None
    draws = any(one.drawn is not None for one in item.said)
    draws = draws or (bool(item.predicted) and reader.looks_at_size)
    if item.reference is None and draws:
        # Only the image tells where its boxes lie.
        came = reading.read(item)
        upright = None if isinstance(came, Refused) else upright_and_turn(came.content)
        image = None if upright is None else Upright(*upright)
        item = reader.upright(item, image)
    read = reader.read(item)
    notes = tuple(Note(NOT_TAKEN, reason) for reason in read.unread)
    notes = (*notes, *(Note(*one) for one in item.told))
    if item.remark:
        notes = (*notes, Note(item.remark))
    if item.how and (read.labels or read.unread or item.predicted):
        notes = (*notes, Note("what is said of it was found by the end of its path", item.how))
    if item.reference is not None and not read.labels and not item.predicted:
        if read.unread:
            return Line(item.name, Outcome.REFUSED, "; ".join(read.unread))
        return Line(item.name, Outcome.EMPTY, item.silence)
    if item.reference is not None:
        return Mention(item.name, item.reference, read.labels, notes, item.also, item.predicted)
    placed = place(item, default, reader, chosen)
    # What is no example needs neither a label nor a split.
    unlike = reading.unlike(item) if isinstance(placed, Refused) else None
    if unlike is not None:
        return _without(item, unlike)
    if isinstance(placed, Refused):
        return _without(item, placed)
    came = came or reading.read(item)
    if isinstance(came, Refused):
        return _without(item, came)
    notes = (*notes, *map(Note, came.notes))
    fitting = _within(read, placed, came, reader)
    if isinstance(fitting, Refused):
        return _without(item, fitting)
    notes = (*notes, *(Note(NOT_TAKEN, one) for one in fitting.unread[len(read.unread) :]))
    labels = fitting.labels if placed.split is Split.POOL else ()
    predicted: tuple[Foreseen, ...] = ()
    if item.predicted and placed.split is Split.POOL:
        predicted, more = of_models(item.predicted, image, partial(foresee, reader=reader))
        notes = (*notes, *more)
    digest = hashlib.sha256(came.content).digest()
    if any(one != digest for one in item.digests):
        other = replace(item, label=None, annotations=(), said=(), unread=(_OTHER_BYTES,))
        placed = place(other, default, reader, chosen)
        if isinstance(placed, Refused):
            return _without(item, placed)
        labels, predicted = (), ()
        notes = (*notes, Note(NOT_TAKEN, _OTHER_BYTES))
    return Candidate(item.name, placed, came.content, digest, labels, notes, came.origin, predicted)


def _without(item: Item, why: Refused) -> Line:
    """The line of what does not enter the pool."""
    outcome = Outcome.LEFT_OUT if isinstance(why, LeftOut) else Outcome.REFUSED
    return Line(item.name, outcome, why.reason)


def _within(read: Read, placed: Place, came: Content, reader: LabelReader) -> Read | Refused:
    """What was read, but for labels that lie beside the image; refused if its truth does."""
    if not reader.looks_at_size or not (read.labels or placed.label):
        return read
    found = upright_and_turn(came.content)
    if found is None:
        # Who looks closer at it will refuse the image.
        return read
    image = Upright(*found)
    return reader.beside(placed.label, image) or reader.within(read, image)
