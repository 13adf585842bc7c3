"""Editing the classes of a project."""

from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.projects.queries import classes as load
from api.projects.schemas import ClassIn
from core.errors import Conflict, Invalid
from core.states import ProjectState
from core.tables import Annotation, Example, Project, ProjectClass, Suggestion

# The label page's own keys: OOD, skip, undo, unsure, help, smooth drawing, pause, guide, find.
RESERVED_HOTKEYS = frozenset("xsuqhzpgf")
_GIVEN_OUT = (*"1234567890", *(f"shift+{digit}" for digit in "1234567890"))
# Distinguishable side by side, also with the common colour-vision deficiencies.
_PALETTE = (
    "#3b6fb6", "#d9822b", "#3f9b6c", "#b5476b", "#7a5cc0",
    "#8a6d3b", "#2a9fb0", "#c2a21d", "#5f6b7a", "#a0522d",
)  # fmt: skip


async def replace(session: AsyncSession, project: Project, wanted: Sequence[ClassIn]) -> None:
    """Make ``wanted`` the project's classes.

    In a draft the order of the list is the order of the classes. Later an existing class keeps its
    place, since it is an output of trained models, and a new one goes to the end.
    """
    _check(wanted)
    existing = {item.id: item for item in await load(session, project.id)}
    unknown = [item.id for item in wanted if item.id is not None and item.id not in existing]
    if unknown:
        raise Invalid("invalid_class", f"There is no class {unknown[0]} here.", field="classes")
    kept = {item.id for item in wanted}
    for old in existing.values():
        if old.id not in kept:
            await _remove(session, old)
    keys = _hotkeys(wanted)
    free = max((old.position for old in existing.values()), default=-1) + 1
    for index, (item, hotkey) in enumerate(zip(wanted, keys, strict=True)):
        row = existing.get(item.id) if item.id is not None else None
        if row is None:
            row = ProjectClass(project_id=project.id, position=free)
            free += 1
            session.add(row)
            row.colour = item.colour or _PALETTE[index % len(_PALETTE)]
        row.name = item.name
        row.colour = item.colour or row.colour
        row.hotkey = hotkey
        if item.guide is not None:
            row.guide = item.guide
        if project.state is ProjectState.DRAFT:
            row.position = index
    await session.flush()


def _check(wanted: Sequence[ClassIn]) -> None:
    names = [item.name.casefold() for item in wanted]
    twice = next((item.name for item in wanted if names.count(item.name.casefold()) > 1), None)
    if twice is not None:
        raise Invalid("invalid_class", f"Two classes are called {twice!r}.", field="classes")
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
    for hotkey in hotkeys:
        if hotkeys.count(hotkey) > 1:
            raise Invalid(
                "invalid_hotkey", f"Two classes have the hotkey {hotkey!r}.", field="classes"
            )
        if hotkey in RESERVED_HOTKEYS:
            raise Invalid(
                "invalid_hotkey",
                f"The key {hotkey!r} is used by the label page itself; choose a digit.",
                field="classes",
            )


def _hotkeys(wanted: Sequence[ClassIn]) -> list[str | None]:
    taken = {item.hotkey for item in wanted}
    free = (key for key in _GIVEN_OUT if key not in taken)
    return [item.hotkey or next(free, None) for item in wanted]


async def _remove(session: AsyncSession, item: ProjectClass) -> None:
    used = select(ProjectClass.id).where(
        ProjectClass.id == item.id,
        or_(
            select(Annotation.id).where(Annotation.class_id == item.id).exists(),
            select(Example.id).where(Example.label_class_id == item.id).exists(),
            select(Suggestion.id)
            .where(Suggestion.suggested_class_id == item.id, Suggestion.decision.is_(None))
            .exists(),
        ),
    )
    if await session.scalar(used) is not None:
        raise Conflict(
            "class_in_use",
            f"The class {item.name!r} has labels; rename it instead of removing it.",
            field="classes",
        )
    await session.delete(item)
    await session.flush()
