"""What an import would do, before anything is stored: a dry run of it.

Names, folders, columns and labels are read, as the import reads them; images are not decoded, so
that copies and damaged images are found only by the import itself.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, Final

from PIL import Image
from sqlalchemy import select

from core.formats import IMAGES
from core.imports import LONGEST_NAME, FolderChoice, ImportParams
from core.input_size import SizeChoice
from core.pictures.rendition import MEDIA_TYPES
from core.project_settings import ProjectSettings
from core.states import Split
from core.tables import Project, ProjectClass
from workers.imports.bucket import BucketSource
from workers.imports.folder import FolderSource
from workers.imports.items import Fetched, Item, LeftOut, Refused, Source, beginning, short_name
from workers.imports.layout import normal
from workers.imports.parquet import ParquetSource
from workers.imports.placing import place, split_of
from workers.imports.reading import LabelReader
from workers.imports.report import MOST_REASON, Outcome, Tally
from workers.imports.sizes import sizes_ahead
from workers.imports.sources import open_source
from workers.runner import JobContext

# MPO is opened as the JPEG that it begins with.
_FORMATS: Final = tuple(MEDIA_TYPES.keys() - {"MPO"})
_PHASE: Final = "plan"
_EVERY: Final = 1000
_MOST_GROUPS: Final = 100
_MORE: Final = "more folders or values than are shown; say what they are with folder_split"
_MOST_LABELS: Final = 1000
# Characters of all labels of all groups: the plan is sent to whoever looks at the imports.
_MOST_LABEL_TEXT: Final = 1 << 20
# Characters of one label, value or name of a column. A class has at most 100.
_MOST_TEXT: Final = 200
_MOST_DOCUMENTS: Final = 1000
_MOST_COLUMNS: Final = 50
# A column with more values than a project may have classes is none of labels.
_MOST_VALUES: Final = 1000
_SHOWN: Final = 5
# So many files with one ending are looked into before the rest is believed to be alike.
_LOOKED_INTO: Final = 20


def plan(context: JobContext) -> dict[str, Any]:
    """Read what an import of the upload would do; stores nothing.

    Returns:
        The result, ``Plan.to_json``, and ``input_size``: how large the model would see the images
        (``core.input_size.SizeChoice``) if this is the first import, which chooses that.
    """
    context.plan([_PHASE])
    params = ImportParams.of(context.params)
    classes = (
        select(ProjectClass.name, ProjectClass.id)
        .where(ProjectClass.project_id == context.project_id)
        .order_by(ProjectClass.position)
    )
    with context.sessions() as session:
        known: dict[str, int] = dict(session.execute(classes).all())
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
    try:
        with closing(open_source(context, names_only=True)) as source:
            reader = LabelReader(known, source.values)
            found = Plan(params, reader)
            steps = source.total
            context.progress(0, steps, _PHASE)
            for step, item in enumerate(source.items(0), 1):
                found.add(item)
                if step % _EVERY == 0:
                    context.progress(step, steps, _PHASE)
            result = found.to_json(source)
            choice = None
            if settings.input_size is None and any(result["by_split"].values()):
                choice = SizeChoice.of(_sizes(context, source, reader), settings.patch_size)
            return {**result, "input_size": None if choice is None else choice.to_json()}
    finally:
        shutil.rmtree(context.work, ignore_errors=True)


def _sizes(context: JobContext, source: Source, reader: LabelReader) -> list[tuple[int, int]]:
    """Sizes of the images, which only a zip has let us look at until here."""
    params = ImportParams.of(context.params)
    if isinstance(source, FolderSource):
        return sizes_ahead(source, params, reader)
    with closing(open_source(context)) as whole:
        return sizes_ahead(whole, params, reader)


@dataclass
class Group:
    """Images that have one folder or value in common that says their split.

    Attributes:
        name: The folder or value; ``None`` for images that have none.
        proposal: What becomes of them, unless somebody says otherwise.
        reason: Why that is not sure.
        may_be_class: Whether it is a folder that may also be a class.
        count: How many there are.
        unlabeled: Those without a label.
        labels: How many have each label, as far as there is room; of long ones the beginning.
        examples: Names of some.
        fixed: What becomes of several folders or values that are shown as one, a split,
            ``left_out`` or ``refused``: it has no name of theirs, and cannot be chosen here.
    """

    name: str | None
    proposal: FolderChoice
    reason: str | None = None
    may_be_class: bool = False
    count: int = 0
    unlabeled: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    fixed: str | None = None

    def add(self, item: Item, room: int) -> int:
        """Count an image; how much of ``room``, in characters, is left beside its label."""
        self.count += 1
        if len(self.examples) < _SHOWN:
            self.examples.append(item.name)
        if item.label is None:
            self.unlabeled += 1
            return room
        label = beginning(item.label, _MOST_TEXT)
        if label not in self.labels:
            if len(self.labels) >= _MOST_LABELS or len(label) > room:
                return room
            room -= len(label)
        self.labels[label] += 1
        return room


@dataclass
class Column:
    """What is written in a column, or said by somebody, that may be labels.

    Attributes:
        chosen: Whether it becomes annotations.
        stated: Whether a document states it, or a column of verdicts, so that it does so anyway.
        readable: Values that are labels of the project.
        unreadable: Values that are not.
        values: How often some of them are there; ``None`` if they are too many for labels.
    """

    chosen: bool
    stated: bool = False
    readable: int = 0
    unreadable: int = 0
    values: Counter[str] | None = field(default_factory=Counter)


class Plan:
    """A plan, gathered item by item."""

    def __init__(self, params: ImportParams, reader: LabelReader) -> None:
        """Begin with nothing.

        Args:
            params: Of the import.
            reader: Knows the project's classes.
        """
        self._params, self._reader = params, reader
        self._chosen = {normal(name): choice for name, choice in params.folder_split.items()}
        self._groups: dict[str | None, Group] = {}
        self._merged: dict[str, Group] = {}
        self._columns: dict[str, Column] = {}
        self._readable: dict[tuple[str, str], bool] = {}
        self._of_class: dict[str | None, bool] = {}
        self._tally, self._bad = Tally(), Tally()
        self._rows = 0
        self._room = _MOST_LABEL_TEXT
        self._endings: Counter[tuple[str, bool]] = Counter()

    def add(self, item: Item) -> None:
        """Take account of one item."""
        refused = item.refused or (None if item.reference else self._unlike_image(item))
        if refused is not None:
            for tally in (self._tally, self._bad):
                tally.count(Outcome.REFUSED, item.name, refused.reason, None)
            return
        self._note_labels(item)
        if item.reference is not None:
            self._rows += 1
            is_empty = not item.annotations and not item.said
            outcome = Outcome.EMPTY if is_empty else Outcome.LABELED
            self._tally.count(outcome, item.name, "", None)
            return
        self._room = self._group(item).add(item, self._room)
        placed = place(item, self._params.split, self._reader, self._chosen)
        if isinstance(placed, LeftOut):
            self._tally.count(Outcome.LEFT_OUT, item.name, placed.reason, None)
        elif isinstance(placed, Refused):
            self._tally.count(Outcome.REFUSED, item.name, placed.reason, None)
        else:
            self._tally.count(Outcome.ADDED, item.name, "", placed.split)

    def to_json(self, source: Source) -> dict[str, Any]:
        """The plan.

        Returns:
            ``total`` items, of which there are ``rows`` about images that the project has; what
            the import does as it is asked now: ``by_split``, ``left_out``, ``refused`` (with their
            reasons), of which those in ``bad_by_reason`` are refused whatever is chosen;
            ``groups`` and ``labels``, which may be chosen; ``documents`` that were found;
            ``columns`` by role.
        """
        tally = self._tally
        folders = source if isinstance(source, FolderSource | BucketSource) else None
        columns = source.columns if isinstance(source, ParquetSource) else None
        return {
            "total": tally.total,
            "split": self._params.split.value,
            "rows": self._rows,
            "by_split": tally.by_split,
            "left_out": tally.left_out,
            "left_out_by_reason": tally.left_out_by_reason,
            "refused": tally.refused,
            "refused_by_reason": tally.refused_by_reason,
            "refused_examples": tally.refused_examples,
            "bad_by_reason": self._bad.refused_by_reason,
            "groups": [self._shown(group) for group in self._sorted()],
            "labels": list(self._labels()),
            "documents": [
                {"name": short_name(name), "format": format_}
                for name, format_ in (folders.documents[:_MOST_DOCUMENTS] if folders else [])
            ],
            "columns": {
                role: beginning(name, _MOST_TEXT)
                for role in ("image", "label", "split")
                if columns is not None and (name := getattr(columns, role)) is not None
            },
        }

    def _group(self, item: Item) -> Group:
        name = None if item.split is None else normal(item.split)
        group = self._groups.get(name)
        if group is None:
            split = split_of(item, self._params.split, self._chosen)
            proposal = FolderChoice.LEAVE_OUT if isinstance(split, Refused) else FolderChoice(split)
            is_more = len(self._groups) >= _MOST_GROUPS or len(name or "") > LONGEST_NAME
            if name is not None and is_more:
                return self._of_more(split, proposal)
            reason = None
            if isinstance(split, Refused) and name not in self._chosen:
                reason = item.unsure or f"unknown split {name!r}"
            proposal = self._chosen.get(name or "", proposal)
            group = Group(name, proposal, reason, may_be_class=item.unsure is not None)
            self._groups[name] = group
        return group

    def _of_more(self, split: Split | Refused, proposal: FolderChoice) -> Group:
        """The group of what has no group of its own, and of which the same becomes."""
        if isinstance(split, LeftOut):
            fixed = Outcome.LEFT_OUT.value
        elif isinstance(split, Refused):
            fixed = Outcome.REFUSED.value
        else:
            fixed = split.value
        reason = _MORE if isinstance(split, Refused) else None
        return self._merged.setdefault(fixed, Group("…", proposal, reason, fixed=fixed))

    def _sorted(self) -> Iterator[Group]:
        """Those that say their split first, as they came; then what is not sure, and the rest."""
        groups = [one for one in self._groups.values() if one.name is not None]
        yield from sorted(groups, key=lambda one: one.reason is not None)
        yield from self._merged.values()
        yield from (one for one in self._groups.values() if one.name is None)

    def _shown(self, group: Group) -> dict[str, Any]:
        labels = [
            {"name": name, "count": count, "known": self._is_class(name)}
            for name, count in sorted(group.labels.items())
        ]
        return {
            "name": None if group.name is None else short_name(group.name),
            "proposal": group.proposal.value,
            "reason": None if group.reason is None else beginning(group.reason, MOST_REASON),
            "may_be_class": group.may_be_class,
            "count": group.count,
            "unlabeled": group.unlabeled,
            "labels": labels,
            "examples": group.examples,
            "fixed": group.fixed,
        }

    def _is_class(self, label: str) -> bool:
        """Whether an evaluation image with this label could be placed."""
        known = self._of_class.get(label)
        if known is None:
            item = Item(name="", read=lambda: Refused("empty file"), label=label)
            placed = place(item, Split.EVALUATION, self._reader)
            known = self._of_class[label] = not isinstance(placed, Refused)
        return known

    def _note_labels(self, item: Item) -> None:
        for column, value in item.annotations:
            self._count(column, value, chosen=True)
        chosen = dict(item.annotations)
        label_column = item.label_column or "label"
        if item.label is not None and label_column not in chosen and not item.said:
            self._count(label_column, item.label, chosen=False)
        for column, value in item.meta.items():
            if column not in chosen:
                self._count(column, str(value), chosen=False)
        for one in item.said:
            source = self._column(one.source_name, chosen=True, stated=True)
            if source is not None:
                said = one.class_name or str(one.verdict)
                _note(source, said, readable=self._reader.says(one))

    def _column(self, name: str, *, chosen: bool, stated: bool = False) -> Column | None:
        if name not in self._columns and len(self._columns) >= _MOST_COLUMNS:
            return None
        return self._columns.setdefault(name, Column(chosen, stated))

    def _count(self, name: str, value: str, *, chosen: bool) -> None:
        column = self._column(name, chosen=chosen)
        if column is None or (column.values is None and not chosen):
            return
        readable = self._readable.get((name, value))
        if readable is None:
            readable = self._reader.reads(name, value)
            if column.values is not None and len(value) <= _MOST_TEXT:
                self._readable[name, value] = readable
        _note(column, value, readable=readable)

    def _labels(self) -> Iterator[dict[str, Any]]:
        """What may be labels: what was asked for, and columns with few values."""
        for name, column in self._columns.items():
            if column.values is None and not column.chosen:
                continue
            values = (column.values or Counter()).most_common(_SHOWN)
            yield {
                "column": name,
                "chosen": column.chosen,
                "stated": column.stated,
                "readable": column.readable,
                "unreadable": column.unreadable,
                "values": [value for value, _ in values],
            }

    def _unlike_image(self, item: Item) -> Refused | None:
        """Why a file that is not called like an image is none; what is in it is looked at."""
        ending = PurePosixPath(item.name).suffix.lower()
        if item.size == 0 or ending in IMAGES:
            return None
        refused = Refused("not an image by its name")
        if ending:
            refused = Refused(f"not an image by its name ({ending})")
        if self._endings[ending, False] >= _LOOKED_INTO and not self._endings[ending, True]:
            return refused
        content = item.read()
        if isinstance(content, Refused):
            return content
        found = _begins_as_image(content.content if isinstance(content, Fetched) else content)
        self._endings[ending, found] += 1
        return None if found else refused


def _note(column: Column, value: str, *, readable: bool) -> None:
    column.readable += readable
    column.unreadable += not readable
    if column.values is not None:
        column.values[beginning(value, _MOST_TEXT)] += 1
        if len(column.values) > _MOST_VALUES:
            column.values = None


def _begins_as_image(content: bytes) -> bool:
    try:
        with Image.open(BytesIO(content), formats=_FORMATS):
            return True
    except Exception:  # Pillow's readers raise whatever hostile bytes lead them to
        return False
