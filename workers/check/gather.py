"""Reading what is to be checked: pixels once, and every label that something says of an image."""

import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from core.errors import DomainError, ErrorKind, Invalid
from core.imports import ImportParams
from core.input_size import SizeChoice
from core.settings import Settings
from core.states import Split, Verdict
from core.tasks.registry import class_of
from models.media.image import PixelStore, PixelWriter
from models.protocols import OOD
from workers.check.asked import Asked, Eta
from workers.check.inputs import Inputs, opened
from workers.check.words import meant
from workers.imports.batch import Candidate, Looked, Prepared, batches, decide
from workers.imports.documents import DocumentSource
from workers.imports.items import Reference, beginning, composed
from workers.imports.lookup import closest, spellings
from workers.imports.media.base import Addition
from workers.imports.media.decode import Decoded, decode_all
from workers.imports.media.image import ImageReading, sizes_of
from workers.imports.mentions import Mention
from workers.imports.pool import Held
from workers.imports.reading import LabelReader, Opinion
from workers.imports.report import Line, Note, Tally
from workers.imports.sampling import samples_ahead

MOST_DETAILS: Final = 5
"""Of a reason so many different details are told."""
_MOST_DETAIL: Final = 200
_MOST_THREADS: Final = 4
# Features of both kinds beside each other, as float32, twice while they are made; and the rest.
_FEATURES_BYTES: Final = 2 * 4 * 1_800
_SPARE_BYTES: Final = 64 << 20


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
        size: Side of the images in the store.
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
    size: int = 0


def gather(asked: Asked, work: Path, settings: Settings, course: Eta) -> Gathered:
    """Read images and labels; pixels go into ``pixels_of(work)``.

    Args:
        asked: What is checked.
        work: A folder of its own on a disk with room for the pixels.
        settings: For the largest image.
        course: Told how far it is.

    Raises:
        DomainError: As ``opened``; ``no_images``, ``not_labeled`` or ``disk_full``.
    """
    course.begin("names")
    with opened(asked, work, names_only=True) as inputs:
        classes = inputs.classes()
        is_document = isinstance(inputs.labels, DocumentSource)
        names = inputs.names() if is_document else []
    with opened(asked, work) as inputs:
        if not classes:
            raise _no_labels(asked, inputs)
        reading = _Reading(inputs, classes, names, work, settings)
        course.begin("images", inputs.total)
        return reading.read(course)


def pixels_of(work: Path) -> Path:
    """Where the pixels are."""
    return work / "pixels"


def _no_labels(asked: Asked, inputs: Inputs) -> DomainError:
    if inputs.total == 0:
        return Invalid("no_images", f"{asked.path} holds no images.")
    return Invalid(
        "not_labeled",
        f"Nothing says what any image of {asked.path} is. Put the images into a folder for each "
        "class, or say which column holds the labels with label_column.",
    )


class _Reading:
    """The images and labels so far."""

    def __init__(
        self, inputs: Inputs, classes: list[str], names: list[str], work: Path, settings: Settings
    ) -> None:
        self._inputs, self._work, self._settings = inputs, work, settings
        self._reading = ImageReading()
        self._item_names = names
        # Ids count from one, as those of tables do: 0 would pass for none.
        ids = {name: number for number, name in enumerate(classes, 1)}
        self._reader = LabelReader(ids, inputs.values)
        left_out = {name: meant(reason) for name, reason in inputs.left_out.items()}
        self._found = Gathered(classes, left_out=left_out, notes=_alike(classes))
        self._rows: dict[bytes, int] = {}
        self._by_name: dict[str, list[tuple[str, int]]] = {}
        self._files: list[tuple[str, int]] = []
        self._writer: PixelWriter | None = None

    def read(self, course: Eta) -> Gathered:
        """Read everything."""
        found = self._found
        total = self._inputs.total
        with ExitStack() as held:
            threads = ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1))
            held.callback(threads.shutdown)
            items = self._inputs.items()
            for batch in batches(
                items, Split.POOL, self._reader, self._reading, self._inputs.chosen
            ):
                if self._writer is None and any(isinstance(one, Candidate) for one in batch):
                    self._choose_size()
                    self._writer = held.enter_context(
                        PixelStore.writer(pixels_of(self._work), found.size)
                    )
                self._add(batch, threads)
                course.progress(found.tally.total, total)
        if not found.names:
            raise self._no_images()
        said = {one.image for one in found.given}
        found.unlabeled = [name for name, image in self._files if image not in said]
        return found

    def _choose_size(self) -> None:
        params = ImportParams(filename="")
        samples = samples_ahead(self._inputs.images, params, self._reading, self._reader)
        choice = SizeChoice.of(sizes_of(samples))
        # Without a header that can be read there is no image either.
        self._found.size = side = 8 if choice is None else choice.side
        if choice is not None:
            self._found.notes.append(str(choice))
        _require_room(self._work, self._inputs.images.total, side)

    def _add(self, batch: list[Prepared], threads: ThreadPoolExecutor) -> None:
        decode = partial(
            decode_all,
            threads=threads,
            max_pixels=self._settings.max_image_pixels,
            size=max(1, self._found.size),
        )
        helped = self._reading.helped
        decided = decide(batch, Looked(self._known, self._find, decode, helped, self._first_name))
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
            self._found.tally.count(line.outcome, line.name, meant(line.reason), line.split)
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
        assert self._writer is not None
        found = self._found
        made = [one.made for one in additions]
        rows = np.stack([one.pixels for one in made if isinstance(one, Decoded)])
        self._writer.write(len(found.names), rows)
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
            if not number < len(self._item_names):
                return []
            one = Reference("name", self._item_names[number])
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
        return Invalid("no_images", f"None of {tally.total:,} files can be read as an image.{why}")


def _alike(classes: list[str]) -> list[str]:
    """Classes that may be one, by what they are called."""
    by_folded: dict[str, list[str]] = {}
    for name in classes:
        by_folded.setdefault(" ".join(name.casefold().split()), []).append(name)
    return [
        f"These differ only in how they are written, and count as different classes: {shown}."
        for names in by_folded.values()
        if len(names) > 1 and (shown := ", ".join(map(repr, names)))
    ]


def _require_room(work: Path, images: int, side: int) -> None:
    """Refuse what the disk has no room for, before anything takes long."""
    needed = images * (side * side * 3 + _FEATURES_BYTES) + _SPARE_BYTES
    free = shutil.disk_usage(work).free
    if needed > free:
        raise DomainError(
            "disk_full",
            f"{images:,} images need {needed / 1e9:.1f} GB for the time of the check, and "
            f"{work.parent} has {free / 1e9:.1f} GB left. Make room, or name a folder on another "
            "disk with the environment variable TMPDIR.",
            kind=ErrorKind.UNAVAILABLE,
        )
