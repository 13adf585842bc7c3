"""Editing the classes of a project."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.projects.predicted_classes import forget_class
from api.projects.queries import classes as load
from api.projects.queries import importing
from api.projects.schemas import ClassIn
from api.telling import tell
from core.errors import Conflict, Invalid
from core.events import Topic
from core.names import alike
from core.tables import Annotation, Example, FormerClassName, Project, ProjectClass, Suggestion
from core.tasks.registry import task_type
from core.verdicts.class_names import names_class

# The label page's own: OOD, skip, undo, unsure, help, smooth drawing, pause, guide, find, note.
RESERVED_HOTKEYS = frozenset("xsuqhzpgfm")
_GIVEN_OUT = (*"1234567890", *(f"shift+{digit}" for digit in "1234567890"))
# Nobody needs to know how many there are beyond.
_COUNTED = 10_000
# Distinguishable side by side, also with the common colour-vision deficiencies.
_PALETTE = (
    "#3b6fb6", "#d9822b", "#3f9b6c", "#b5476b", "#7a5cc0",
    "#8a6d3b", "#2a9fb0", "#c2a21d", "#5f6b7a", "#a0522d",
)  # fmt: skip


class _Shown(NamedTuple):
    """What pages show of a class where answers are given."""

    name: str
    colour: str
    hotkey: str | None
    position: int

    @classmethod
    def of(cls, item: ProjectClass) -> "_Shown":
        return cls(item.name, item.colour, item.hotkey, item.position)


async def replace(session: AsyncSession, project: Project, wanted: Sequence[ClassIn]) -> None:
    """Make ``wanted`` the project's classes, in this order.

    Models that are trained already keep the order of then, with their own list of classes; the next
    round trains one with the classes, and in the order, of now. Pages are told, and the version of
    the classes tells what they were called to whoever has not heard yet.
    """
    existing = {item.id: item for item in await load(session, project.id)}
    before = {item.id: _Shown.of(item) for item in existing.values()}
    guides = {item.id: item.guide for item in existing.values()}
    present = {item.id: item.hotkey for item in existing.values()}
    _check(wanted, present)
    if any(item.id is None for item in wanted) and not task_type(project.task).fewest_classes:
        # Those of earlier versions may stay, and go.
        raise Invalid(
            "invalid_class",
            f"Labels of the type {project.task} name no class; leave classes out.",
            field="classes",
        )
    unknown = [item.id for item in wanted if item.id is not None and item.id not in existing]
    if unknown:
        raise Invalid("invalid_class", f"There is no class {unknown[0]} here.", field="classes")
    gone = sorted(existing.keys() - {item.id for item in wanted})
    if gone:
        # Whoever stores a label of one of them is waited for, and then counts.
        lock = select(ProjectClass.id).where(ProjectClass.id.in_(gone)).order_by(ProjectClass.id)
        await session.execute(lock.with_for_update())
    for class_id in gone:
        await _remove(session, existing[class_id])
    keys = _hotkeys(wanted, present)
    for index, (item, hotkey) in enumerate(zip(wanted, keys, strict=True)):
        row = existing.get(item.id) if item.id is not None else None
        if row is None:
            colour = item.colour or _PALETTE[index % len(_PALETTE)]
            row = ProjectClass(project_id=project.id, colour=colour)
            session.add(row)
        row.name = item.name
        row.colour = item.colour or row.colour
        row.hotkey = hotkey
        if item.guide is not None:
            row.guide = item.guide
        row.position = index
    await session.flush()
    now = await load(session, project.id)
    if {item.id: _Shown.of(item) for item in now} != before:
        _begin_version(session, project, before, {item.id: item.name for item in now})
    if any(item.guide != guides.get(item.id, "") for item in now):
        tell(session, project.id, Topic.GUIDE)


def _begin_version(
    session: AsyncSession,
    project: Project,
    before: Mapping[int, _Shown],
    names: Mapping[int, str],
) -> None:
    """Raise the version of the classes, and keep the names that go with the last one."""
    session.add_all(
        FormerClassName(
            project_id=project.id, class_id=class_id, until=project.classes_version, name=old.name
        )
        for class_id, old in before.items()
        if names.get(class_id) != old.name
    )
    project.classes_version += 1
    tell(session, project.id, Topic.PROJECT, state=project.state)


async def add(
    session: AsyncSession, project: Project, name: str, colour: str | None
) -> ProjectClass:
    """Make one more class, after those there are.

    Raises:
        Invalid: The name is taken, or reserved.
    """
    before = await load(session, project.id)
    kept = [ClassIn(id=one.id, name=one.name) for one in before]
    await replace(session, project, [*kept, ClassIn(name=name, colour=colour)])
    return (await load(session, project.id))[-1]


def _check(wanted: Sequence[ClassIn], keys: Mapping[int, str | None]) -> None:
    """Refuse what cannot be; of the present ``keys`` those that were reserved since may stay."""
    names = [alike(item.name) for item in wanted]
    twice = [item.name for item in wanted if names.count(alike(item.name)) > 1]
    if twice:
        other = next((name for name in twice if name != twice[0]), None)
        what = f"Two classes are called {twice[0]!r}."
        if other is not None:
            what = (
                f"{twice[0]!r} and {other!r} only differ in capitals or in how their letters are "
                "composed; rename one."
            )
        raise Invalid("invalid_class", what, field="classes")
    if "ood" in names:
        raise Invalid(
            "invalid_class",
            "OOD is a verdict of its own and needs no class; choose another name.",
            field="classes",
        )
    ids = [item.id for item in wanted if item.id is not None]
    if len(set(ids)) < len(ids):
        raise Invalid("invalid_class", "One class is listed twice.", field="classes")
    hotkeys = [item.hotkey for item in wanted if item.hotkey]
    kept = {
        item.hotkey for item in wanted if item.id is not None and keys.get(item.id) == item.hotkey
    }
    for hotkey in hotkeys:
        if hotkeys.count(hotkey) > 1:
            raise Invalid(
                "invalid_hotkey", f"Two classes have the hotkey {hotkey!r}.", field="classes"
            )
        if hotkey in RESERVED_HOTKEYS - kept:
            raise Invalid(
                "invalid_hotkey",
                f"The key {hotkey!r} is used by the label page itself; choose a digit.",
                field="classes",
            )


def _hotkeys(wanted: Sequence[ClassIn], present: Mapping[int, str | None]) -> list[str | None]:
    """The key of each: that which is asked for, that which it has, or one that is free."""
    asked = {item.hotkey for item in wanted}
    kept: dict[int | None, str | None] = {
        item.id: present[item.id]
        for item in wanted
        if item.id is not None
        and "hotkey" not in item.model_fields_set
        and present[item.id] not in asked
    }
    taken = asked | set(kept.values())
    free = (key for key in _GIVEN_OUT if key not in taken)
    return [item.hotkey or kept.get(item.id) or next(free, None) for item in wanted]


async def _remove(session: AsyncSession, item: ProjectClass) -> None:
    """Delete a class that nothing refers to.

    Raises:
        Conflict: Something does; it says what, and what to do.
    """
    task = await session.scalar(select(Project.task).where(Project.id == item.project_id))
    is_one = task is None or task_type(task).names_one_class
    # The database keeps the class of a label that is one; of what else is on its way it knows none.
    if not is_one and await session.scalar(importing(item.project_id)) is not None:
        raise Conflict(
            "import_running",
            f"An import is still running, and may bring labels of the class {item.name!r}; "
            "remove it when that is done.",
            field="classes",
        )

    def names(class_id: Any, label: Any) -> ColumnElement[bool]:
        found: ColumnElement[bool] = class_id == item.id if is_one else names_class(label, item.id)
        return found

    uses = {
        "images labeled with it": select(Example.id).where(
            Example.project_id == item.project_id, names(Example.label_class_id, Example.label)
        ),
        "answers": select(Annotation.id).where(
            Annotation.project_id == item.project_id, names(Annotation.class_id, Annotation.label)
        ),
        "suggestions under review": select(Suggestion.id).where(
            Suggestion.project_id == item.project_id,
            names(Suggestion.suggested_class_id, Suggestion.suggested_label),
            Suggestion.decision.is_(None),
        ),
    }
    counts = []
    for what, statement in uses.items():
        bounded = statement.limit(_COUNTED + 1).subquery()
        count = await session.scalar(select(func.count()).select_from(bounded)) or 0
        if count:
            shown = f"more than {_COUNTED:,}" if count > _COUNTED else f"{count:,}"
            counts.append(f"{what}: {shown}")
    if counts:
        raise Conflict(
            "class_in_use",
            f"The class {item.name!r} is in use ({', '.join(counts)}). Answers are never deleted, "
            "so it stays. Rename it, or select its images in the pool browser and send them to "
            "the queue, to be labeled as another class.",
            field="classes",
        )
    await forget_class(session, item.project_id, item.id, is_one=is_one)
    await session.delete(item)
    await session.flush()
