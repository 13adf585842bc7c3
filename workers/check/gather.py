"""Reading what is to be checked: pixels once, and every label that something says of an image."""

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.errors import DomainError, Invalid
from core.media.nouns import in_words_of, noun
from core.names import composed
from core.settings import Settings
from core.states import Medium, Split, Verdict
from core.tasks.class_lookup import folded
from core.tasks.registry import class_of
from models.media.base import Store
from models.protocols import OOD
from workers.check.asked import Asked, Eta
from workers.check.inputs import Inputs, opened
from workers.check.kept import kept_of
from workers.check.words import meant
from workers.imports.batch import Candidate, Looked, Prepared, batches, decide
from workers.imports.formats.documents import DocumentSource
from workers.imports.items import Reference, beginning
from workers.imports.lookup import closest, spellings
from workers.imports.media.base import Addition
from workers.imports.mentions import Mention
from workers.imports.pool import Held
from workers.imports.reading import LabelReader, Opinion
from workers.imports.report import Line, Note, Tally

MOST_DETAILS: Final = 5
"""Of a reason so many different details are told."""
_MOST_DETAIL: Final = 200


@dataclass(frozen=True, slots=True)
class Given:
    """That a file, or a row, says of an image what it is.

    Attributes:
        file: What the file or the row calls the image.
        image: Row of the store.
        label: Position of the class, or ``OOD``.
        times: How many annotators say so.
    """

    file: str
    image: int
    label: int
    times: int = 1


@dataclass
class Gathered:
    """What was read.

    Attributes:
        classes: Their names.
        names: (N,) of the images, each that of its first file.
        digests: (N,) SHA-256.
        given: Every label.
        unlabeled: Names of files of which nothing says what they are.
        tally: What became of each item.
        left_out: Files that cannot be read, and why.
        noted: Of what is to be said of files, some of what is each file's own, by the reason.
        notes: What is to be said of all.
        medium: What they are.
        store: Their pixels, or texts.
    """

    classes: list[str]
    names: list[str] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    unlabeled: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    left_out: dict[str, str] = field(default_factory=dict)
    noted: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    medium: Medium = Medium.IMAGE
    store: Store | None = None


def gather(asked: Asked, work: Path, settings: Settings, course: Eta) -> Gathered:
    """Read examples and labels, and keep the pixels or texts in ``work``.

    Args:
        asked: What is checked.
        work: A folder of its own on a disk with room for them.
        settings: For the largest image, and the longest text.
        course: Told how far it is.

    Raises:
        DomainError: As ``opened``; ``no_images``, ``not_labeled`` or ``disk_full``.
    """
    course.begin("names")
    with opened(asked, work, names_only=True) as inputs:
        classes = inputs.classes()
        is_document = isinstance(inputs.labels, DocumentSource)
        names = inputs.names() if is_document else []
        _require_one_named(asked, inputs)
    with opened(asked, work) as inputs:
        if not classes:
            raise _no_labels(asked, inputs)
        reading = _Reading(inputs, classes, names, work, settings)
        course.begin("images", inputs.total)
        return reading.read(course)


def _no_labels(asked: Asked, inputs: Inputs) -> DomainError:
    if inputs.total == 0:
        return Invalid("no_images", in_words_of(inputs.medium, f"{asked.path} holds no images."))
    return Invalid(
        "not_labeled",
        f"Nothing says what {asked.path} holds. Put the "
        f"{noun(inputs.medium).many} into a folder for each class, or say which column holds the "
        "labels with label_column.",
    )


def _require_one_named(asked: Asked, inputs: Inputs) -> None:
    """Refuse rows about other images than those that are there, before these are all read.

    Raises:
        Invalid: ``not_labeled``.
    """
    if inputs.labels is None:
        return
    named = [one.reference for one in inputs.labels.items(0) if one.reference is not None]
    if not named or any(one.column != "name" for one in named):
        return
    known = {composed(name) for name in inputs.names()}
    if not known or any(spelling in known for one in named for spelling in spellings(one)):
        return
    where = asked.images or asked.path.resolve().parent
    raise Invalid(
        "not_labeled",
        f"None of the {len(named):,} rows of {asked.path.name} names an image of {where}: there "
        f"is no {named[0].value!r}. Say where the images are with --images, below which they are "
        "called as in the rows, or which column names them with key_column.",
    )


class _Reading:
    """The images and labels so far."""

    def __init__(
        self, inputs: Inputs, classes: list[str], names: list[str], work: Path, settings: Settings
    ) -> None:
        self._inputs = inputs
        self._kept = kept_of(inputs.medium, work, settings)
        self._is_begun = False
        self._item_names = names
        # Ids count from one, as those of tables do: 0 would pass for none.
        ids = {name: number for number, name in enumerate(classes, 1)}
        self._reader = LabelReader(ids, inputs.values)
        left_out = {name: meant(reason) for name, reason in inputs.left_out.items()}
        self._found = Gathered(
            classes, left_out=left_out, notes=_alike(classes), medium=inputs.medium
        )
        self._rows: dict[bytes, int] = {}
        self._by_name: dict[str, list[tuple[str, int]]] = {}
        self._files: list[tuple[str, int]] = []

    def read(self, course: Eta) -> Gathered:
        """Read everything."""
        found = self._found
        total = self._inputs.total
        with closing(self._kept):
            items = self._inputs.items()
            for batch in batches(
                items, Split.POOL, self._reader, self._kept.reading, self._inputs.chosen
            ):
                if not self._is_begun and any(isinstance(one, Candidate) for one in batch):
                    self._is_begun = True
                    found.notes += self._kept.begin(self._inputs.images, self._reader)
                self._add(batch)
                course.progress(found.tally.total, total)
        if not found.names:
            raise self._no_images()
        found.store = self._kept.open(len(found.names))
        said = {one.image for one in found.given}
        found.unlabeled = [name for name, image in self._files if image not in said]
        return found

    def _add(self, batch: list[Prepared]) -> None:
        make, helped = self._kept.make, self._kept.reading.helped
        decided = decide(batch, Looked(self._known, self._find, make, helped, self._first_name))
        self._store(decided.additions)
        for position, (one, line) in enumerate(zip(batch, decided.lines, strict=True)):
            labels: tuple[Opinion, ...] = ()
            image = None
            if isinstance(one, Candidate) and one.digest in self._rows:
                image, labels = self._rows[one.digest], one.labels
                self._files.append((line.name, image))
                self._by_name.setdefault(composed(line.name), []).append((line.name, image))
            elif isinstance(one, Mention) and position in decided.labeled:
                ((image, _),) = self._find([one.reference])[one.reference]
                labels = one.labels
            if image is not None:
                self._say(line, image, labels)
            reason = self._kept.reading.worded(meant(line.reason))
            self._found.tally.count(line.outcome, line.name, reason, line.split)
            self._note(line.notes)

    def _note(self, notes: Iterable[Note]) -> None:
        tally, noted = self._found.tally, self._found.noted
        tally.note(notes)
        for one in notes:
            details = noted.setdefault(one.reason, []) if one.reason in tally.noted else []
            detail = beginning(meant(one.detail), _MOST_DETAIL)
            if detail and detail not in details and len(details) <= MOST_DETAILS:
                details.append(detail)

    def _say(self, line: Line, image: int, labels: Iterable[Opinion]) -> None:
        # Whoever says the same twice says it once.
        voices = dict.fromkeys(
            (one.source_name, OOD if one.verdict is Verdict.OOD else (class_of(one.label) or 0) - 1)
            for one in labels
            if one.verdict in (Verdict.OOD, Verdict.LABEL)
        )
        said = Counter(label for _, label in voices)
        self._found.given += [Given(line.name, image, one, times) for one, times in said.items()]

    def _store(self, additions: list[Addition]) -> None:
        if not additions:
            return
        found = self._found
        self._kept.write(len(found.names), additions)
        for one in additions:
            self._rows[one.digest] = len(found.names)
            found.names.append(one.name)
            found.digests.append(one.digest)

    def _known(self, digests: Collection[bytes]) -> dict[bytes, Held]:
        names = self._found.names
        return {
            one: Held(names[self._rows[one]], Split.POOL, None, frozenset(), is_new=True)
            for one in digests
            if one in self._rows
        }

    def _find(self, references: Collection[Reference]) -> dict[Reference, list[tuple[int, Split]]]:
        found: dict[Reference, list[tuple[int, Split]]] = {}
        for one in references:
            if one.column == "content_hash":
                row = self._rows.get(one.value)  # type: ignore[arg-type]
                images = [] if row is None else [(row, Split.POOL)]
            else:
                images = self._called(one)
            if images:
                found[one] = list(dict.fromkeys(images))
        return found

    def _called(self, one: Reference) -> list[tuple[int, Split]]:
        if one.column == "id":
            # Only a document's, of an item of the images; numbers of rows mean nothing here.
            number = int(one.value)
            if not 1 <= number <= len(self._item_names):
                return []
            one = Reference("name", self._item_names[number - 1])
        images = [
            (name, (row, Split.POOL))
            for spelling in spellings(one)
            for name, row in self._by_name.get(spelling, [])
        ]
        return closest(one, images)

    def _first_name(self) -> str | None:
        return next(iter(self._found.names), None)

    def _no_images(self) -> DomainError:
        tally = self._found.tally
        reason = next(iter(sorted(tally.refused_by_reason.items(), key=lambda one: -one[1])), None)
        why = "" if reason is None else f" Of most, because: {reason[0]}."
        files, one = (
            ("rows or files", "a text")
            if self._found.medium is Medium.TEXT
            else ("files", "an image")
        )
        return Invalid("no_images", f"None of {tally.total:,} {files} can be read as {one}.{why}")


def _alike(classes: list[str]) -> list[str]:
    """Classes that may be one, by what they are called."""
    by_folded: dict[str, list[str]] = {}
    for name in classes:
        by_folded.setdefault(folded(name), []).append(name)
    return [
        f"These differ only in how they are written, and count as different classes: {shown}."
        for names in by_folded.values()
        if len(names) > 1 and (shown := ", ".join(map(repr, names)))
    ]
