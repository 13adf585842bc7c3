"""What an import would do, before anything is stored: a dry run of it.

Names, folders, columns and labels are read, as the import reads them; images are not decoded, so
that copies and damaged images are found only by the import itself.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, Final

from sqlalchemy import select

from core.jobs.imports import LONGEST_NAME, FolderChoice, ImportParams
from core.settings.project import ProjectSettings
from core.states import RoundState, Split
from core.tables import Project, ProjectClass, Round
from core.tasks.registry import task_type
from workers.imports.formats.folder import FolderSource
from workers.imports.items import Item, LeftOut, Refused, Source, beginning, short_name
from workers.imports.media import reading_of
from workers.imports.media.base import Reading
from workers.imports.placing import Place, is_noted, place, split_of
from workers.imports.planned import (
    MOST_LABELS,
    MOST_TEXT,
    SHOWN,
    Column,
    Foretold,
    Group,
    shown_name,
)
from workers.imports.predicted import of_model
from workers.imports.ranked import notes_of, rankings_of
from workers.imports.reading import LabelReader
from workers.imports.report import MOST_REASON, Outcome, Tally
from workers.imports.sampling import Samples, samples_ahead
from workers.imports.sources import open_source
from workers.imports.split_words import normal
from workers.imports.values import says_nothing, whole_number
from workers.jobs.context import JobContext

_PHASE: Final = "plan"
_EVERY: Final = 1000
_MOST_GROUPS: Final = 100
_MORE: Final = "more folders or values than are shown; say what they are with folder_split"
_RANKING: Final = (
    "People are ranking now: the rows come in without their rankings. Import it again once their "
    "round is closed."
)
# Characters of all labels of all groups: the plan is sent to whoever looks at the imports.
_MOST_LABEL_TEXT: Final = 1 << 20
_MOST_DOCUMENTS: Final = 1000
_MOST_COLUMNS: Final = 50


def plan(context: JobContext) -> dict[str, Any]:
    """Read what an import of the upload would do; stores nothing.

    Returns:
        The result, ``Plan.to_json``, and what the medium would choose by the examples if this is
        the first import: of images ``input_size``, how large the model would see them
        (``core.media.images.input_size.SizeChoice``).
    """
    context.plan([_PHASE])
    params = ImportParams.of(context)
    classes = (
        select(ProjectClass.name, ProjectClass.id)
        .where(ProjectClass.project_id == context.project_id)
        .order_by(ProjectClass.position)
    )
    unfinished = select(Round.id).where(
        Round.project_id == context.project_id, Round.state != RoundState.CLOSED
    )
    with context.sessions() as session:
        known: dict[str, int] = dict(session.execute(classes).all())
        is_round_open = session.scalar(unfinished.limit(1)) is not None
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        reading = reading_of(project.medium, context.settings, project.task)
    try:
        with closing(open_source(context, names_only=True)) as source:
            reader = LabelReader(known, source.values, params.count_from, task_type(project.task))
            found = Plan(params, reader, reading)
            steps = source.total
            context.progress(0, steps, _PHASE)
            for step, item in enumerate(of_model(source.items(0), params), 1):
                found.add(item)
                if step % _EVERY == 0:
                    context.progress(step, steps, _PHASE)
            result = found.to_json(source)
            if is_round_open and next(rankings_of(source), None) is not None:
                result["notes"].append(_RANKING)
            comes = any(result["by_split"].values())
            samples = _samples(context, source, reading, reader) if comes else iter(())
            return {**result, **reading.foresee(settings, samples, source.total)}
    finally:
        shutil.rmtree(context.work, ignore_errors=True)


def _samples(context: JobContext, source: Source, reading: Reading, reader: LabelReader) -> Samples:
    """Some of the examples, which only a zip has let us look at until here."""
    params = ImportParams.of(context)
    if isinstance(source, FolderSource):
        yield from samples_ahead(source, params, reading, reader)
        return
    with closing(open_source(context)) as whole:
        yield from samples_ahead(whole, params, reading, reader)


class Plan:
    """A plan, gathered item by item."""

    def __init__(self, params: ImportParams, reader: LabelReader, reading: Reading) -> None:
        """Begin with nothing.

        Args:
            params: Of the import.
            reader: Knows the project's classes.
            reading: Of the project's medium.
        """
        self._params, self._reader, self._reading = params, reader, reading
        # What else could be chosen says nothing of what the import reads as it is asked now.
        self._trying = reader.apart()
        self._chosen = {normal(name): choice for name, choice in params.folder_split.items()}
        self._groups: dict[str | None, Group] = {}
        self._merged: dict[str, Group] = {}
        self._columns: dict[str, Column] = {}
        self._predictions = Foretold(reader)
        self._of_class: dict[str, bool] = {}
        self._written_in: dict[str, str | None] = {}
        self._doubts = False
        self._tally, self._bad = Tally(), Tally()
        self._rows = 0
        self._room = _MOST_LABEL_TEXT

    def add(self, item: Item) -> None:
        """Take account of one item."""
        refused = item.refused or (None if item.reference else self._reading.foretell(item))
        if refused is not None:
            for tally in (self._tally, self._bad):
                self._count(tally, Outcome.REFUSED, item.name, refused.reason)
            self._note_held(item)
            return
        if item.reference is not None:
            self._note_labels(item, is_taken=True)
            self._rows += 1
            outcome = Outcome.PREDICTED if item.predicted else Outcome.EMPTY
            if item.annotations or item.said:
                outcome = Outcome.LABELED
            self._tally.count(outcome, item.name, "", None)
            return
        placed = place(item, self._params.split, self._reader, self._chosen)
        self._note_labels(item, is_taken=isinstance(placed, Place) and placed.split is Split.POOL)
        group = self._group(item)
        name = item.name if group.is_shown else self._shown_as(item)
        if self._reader.of_one_class:
            self._room = group.add(name, self._label_of(item), self._room)
        else:
            self._room = group.add_drawn(name, self._reader.classes_in(item), self._room)
        if isinstance(placed, LeftOut):
            self._count(self._tally, Outcome.LEFT_OUT, item.name, placed.reason)
        elif isinstance(placed, Refused):
            self._count(self._tally, Outcome.REFUSED, item.name, placed.reason)
        else:
            self._tally.count(Outcome.ADDED, item.name, "", placed.split)

    def _shown_as(self, item: Item) -> str:
        """What whoever sends an item knows it by; files are called as they are."""
        return item.name if item.size else shown_name(item.name, self._reading.beginning(item))

    def _count(self, tally: Tally, outcome: Outcome, name: str, reason: str) -> None:
        tally.count(outcome, name, self._reading.worded(reason), None)

    def _class_names(self, source: Source) -> list[str]:
        """Classes that the upload lists; of more than a project may have those of its labels."""
        names = (name for name in source.class_names if name.strip())
        listed = dict.fromkeys(beginning(name, MOST_TEXT) for name in names)
        if len(listed) <= MOST_LABELS:
            return list(listed)
        named = {name for group in self._groups.values() for name in group.labels}
        return [name for name in listed if name in named]

    def to_json(self, source: Source) -> dict[str, Any]:
        """The plan.

        Returns:
            ``total`` items, of which there are ``rows`` about images that the project has; what
            the import does as it is asked now: ``by_split``, ``left_out``, ``refused`` (with their
            reasons), of which those in ``bad_by_reason`` are refused whatever is chosen;
            ``groups`` and ``labels``, which may be chosen; ``predictions`` of models, of how many
            images they are and what of them is left aside; ``class_names`` that the upload lists,
            by their numbers, whether or not a label is of them; ``documents`` that were found;
            ``columns`` by role; ``notes`` on how numbers are read, and ``doubts`` whether there are
            some of which it is not certain what they count, unless ``count_from`` says it.
        """
        tally = self._tally
        # Before it is tried what other labels would be.
        notes = [*notes_of(source), *self._reader.notes]
        class_names = self._class_names(source)
        places = {name: place for place, name in enumerate(class_names)}
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
            "groups": [self._shown(group, places) for group in self._sorted()],
            "labels": list(self._labels()),
            "predictions": self._predictions.to_json(),
            "predictions_of": self._params.predictions,
            "class_names": class_names,
            "documents": [
                {"name": short_name(name), "format": format_}
                for name, format_ in source.documents[:_MOST_DOCUMENTS]
            ],
            "columns": {role: beginning(name, MOST_TEXT) for role, name in source.roles.items()},
            "count_from": self._params.count_from,
            "notes": notes,
            "doubts": self._doubts,
        }

    def _label_of(self, item: Item) -> str | None:
        """The label that may be the truth of an image; none if several contradict each other."""
        label = item.label
        if item.rivals:
            # All may say one name that is no class yet. A number may mean one thing as a folder's
            # name, and another in a column.
            names = {text for _, text in item.rivals if whole_number(text) is None}
            agree = len(names) == 1 and all(text in names for _, text in item.rivals)
            if not agree and isinstance(self._trying.truth(item), Refused):
                return None
            label = label or item.rivals[0][1]
        if label is not None:
            if item.label_column is not None:
                self._doubts |= self._reader.doubts(item.label_column, label)
            if len(self._written_in) < MOST_LABELS:
                # As it is shown, which is how it is looked up.
                self._written_in.setdefault(beginning(label, MOST_TEXT), item.label_column)
        return label

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

    def _shown(self, group: Group, places: Mapping[str, int]) -> dict[str, Any]:
        def rank(name: str) -> tuple[int, str]:
            return places.get(name, len(places)), name

        labels = [
            {"name": name, "count": group.labels[name], "known": self._is_class(name)}
            for name in sorted(group.labels, key=rank)
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
        if known is None and not self._reader.of_one_class:
            known = self._of_class[label] = self._reader.has_class(label)
        if known is None:
            item = Item(
                name="",
                read=lambda: Refused("empty file"),
                label=label,
                label_column=self._written_in.get(label),
            )
            placed = place(item, Split.EVALUATION, self._trying)
            known = self._of_class[label] = not isinstance(placed, Refused)
        return known

    def _note_labels(self, item: Item, *, is_taken: bool) -> None:
        for column, value in item.annotations:
            if not says_nothing(value) and (found := self._column(column, chosen=True)):
                found.add(value, is_taken=is_taken)
                self._doubts |= self._reader.doubts(column, value)
        for one in item.said:
            if found := self._column(one.source_name, chosen=True, stated=True):
                found.add(one.shown, is_taken=is_taken)
        if is_taken:
            self._note_taken(item)
            self._predictions.add(item)
        chosen = dict(item.annotations)
        label_column = item.label_column or "label"
        others = {label_column: item.label} if is_noted(item) else {}
        for name, value in {**item.meta, **others}.items():
            if name in chosen or says_nothing(str(value)):
                continue
            if found := self._column(name, chosen=False):
                is_folder = name in others and item.label_column is None
                found.add(str(value), is_taken=is_taken, is_folder=is_folder)

    def _note_held(self, item: Item) -> None:
        """What else stands in a column tells its numbers apart, whatever becomes of the row."""
        for name, value in item.meta.items():
            if (found := self._columns.get(name)) and not found.chosen:
                found.held.add(str(value))

    def _note_taken(self, item: Item) -> None:
        """Count what becomes annotations: who says the same twice says it once."""
        seen = set[object]()
        for name, one in self._reader.each(item):
            found = self._columns.get(name)
            if found is None:
                continue
            if isinstance(one, Refused):
                found.unreadable += 1
            elif (statement := (one.source_name, one.verdict, one.label)) not in seen:
                seen.add(statement)
                found.readable += 1

    def _column(self, name: str, *, chosen: bool, stated: bool = False) -> Column | None:
        if name not in self._columns and len(self._columns) >= _MOST_COLUMNS:
            return None
        return self._columns.setdefault(name, Column(chosen, stated))

    def _read_unasked(self) -> None:
        """Count what columns hold that nobody has chosen: only all of it tells numbers apart."""
        for name, column in self._columns.items():
            if column.chosen:
                continue
            reader = self._reader.asked(name, column.held)
            self._doubts |= column.values is not None and reader.may_count(column.held)
            column.readable = column.unreadable = 0
            for value, count in column.taken.items():
                is_label = reader.reads(name, value)
                column.readable += count * (is_label is True)
                column.unreadable += count * (is_label is False)

    def _labels(self) -> Iterator[dict[str, Any]]:
        """What may be labels: what was asked for, and columns with few values."""
        self._read_unasked()
        for name, column in self._columns.items():
            if column.values is None and not column.chosen:
                continue
            values = (column.values or Counter()).most_common(SHOWN)
            yield {
                "column": name,
                "chosen": column.chosen,
                "stated": column.stated,
                "readable": column.readable,
                "unreadable": column.unreadable,
                "elsewhere": column.elsewhere,
                "values": [value for value, _ in values],
            }
