"""What the classes of a project are called now, and what they were called to whoever saw them.

The classes of a project have a version, which every change of them raises. Pages say with an answer
which version they showed, and it is stored with it. See
``docs/adr/0022-an-answer-is-to-what-was-shown.md``.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    ScalarSelect,
    Select,
    case,
    cast,
    func,
    null,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONPATH

from core.errors import Invalid
from core.names import alike
from core.tables import Annotation, FormerClassName, ProjectClass
from core.tasks.registry import type_of
from core.tasks.spec import Label


class Refusal(NamedTuple):
    """Why an answer cannot be stored as what its annotator saw."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class ClassNames:
    """The names of a project's classes, present and former."""

    now: dict[int, str]
    # Of each class, oldest first: the last version in which it had a name, and that name.
    _former: dict[int, list[tuple[int, str]]]

    @classmethod
    def of(cls, rows: Iterable[Any]) -> "ClassNames":
        """From the rows of ``naming``."""
        now: dict[int, str] = {}
        former: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for class_id, name, until in rows:
            if until is None:
                now[class_id] = name
            else:
                former[class_id].append((until, name))
        return cls(now, {class_id: sorted(found) for class_id, found in former.items()})

    def seen(self, class_id: int, version: int) -> str | None:
        """What the class was called in ``version``; None if nobody knows."""
        former = self._former.get(class_id, [])
        at = bisect_left(former, version, key=lambda one: one[0])
        return former[at][1] if at < len(former) else self.now.get(class_id)

    def refusal(self, class_id: int, version: int | None) -> Refusal | None:
        """Why an answer of the class, given when ``version`` was shown, may not be stored.

        A class keeps its answers when it is renamed, so the answer goes with those that were stored
        a moment before. Not if its name went to another class: then the class says one thing, and
        what was read on the page another, and only the annotator can tell.
        """
        if class_id not in self.now:
            former = self._former.get(class_id)
            gone = f"The class {former[-1][1]!r} was removed" if former else "No such class is here"
            return Refusal("unknown_class", f"{gone}; the image is asked about again.")
        seen = None if version is None else self.seen(class_id, version)
        if seen is None or seen == self.now[class_id]:
            return None
        moved = any(alike(name) == alike(seen) for id_, name in self.now.items() if id_ != class_id)
        if not moved:
            return None
        return Refusal(
            "class_name_moved",
            f"The class was called {seen!r} when chosen. It is {self.now[class_id]!r} now, and "
            f"{seen!r} is another one; the image is asked about again.",
        )


def label_refusal(
    label: Label,
    task: str,
    names: ClassNames,
    version: int | None,
    size: tuple[int, int] | None = None,
    members: Collection[int] = (),
) -> Refusal | None:
    """Why a label, given when ``version`` of the classes was shown, may not be stored.

    Args:
        label: What was sent.
        task: The project's task type.
        names: Of the project's classes.
        version: What its annotator saw; None if nobody knows.
        size: Width and height of the image; None for what is no image.
        members: Ids of the examples that were asked about together; none where one is judged.
    """
    if label.type != task:
        detail = f"The label is of the type {label.type}, and the project takes {task}."
        return Refusal("wrong_label_type", f"{detail} The image is asked about again.")
    found = type_of(label)
    for class_id in sorted(found.classes_of(label)):
        if (refusal := names.refusal(class_id, version)) is not None:
            return refusal
    try:
        found.check(label, names.now)
        if size is not None:
            found.check_size(label, *size)
        if found.of_groups:
            found.check_members(label, members)
    except Invalid as error:
        return Refusal(error.code, f"{error.detail} The image is asked about again.")
    return None


def names_class(label: Any, class_id: int) -> ColumnElement[bool]:
    """Condition: a stored label names a class, wherever in it; for labels of several classes."""
    path = cast("$.**.class_id ? (@ == $id)", JSONPATH)
    return func.jsonb_path_exists(label, path, func.jsonb_build_object("id", class_id))


def hold_classes(which: ColumnElement[bool]) -> Select[int]:
    """Statement: have nobody remove these classes before the transaction ends.

    Needed by whoever stores labels of several classes, after its other locks and before it reads
    the classes. Of labels that are one class the database's own reference does that.
    """
    lock = select(ProjectClass.id).where(which).order_by(ProjectClass.id)
    return lock.with_for_update(read=True, key_share=True)


def naming(project_id: Any) -> CompoundSelect[int, str, int | None]:
    """Statement: class, name, and until which version it was that; NULL for the present name."""
    present = select(
        ProjectClass.id, ProjectClass.name, cast(null(), BigInteger).label("until")
    ).where(ProjectClass.project_id == project_id)
    former = select(FormerClassName.class_id, FormerClassName.name, FormerClassName.until).where(
        FormerClassName.project_id == project_id
    )
    return union_all(present, former)


def seen_as() -> ColumnElement[str | None]:
    """What the class of an ``Annotation`` was called to its author, if it is not called so now."""
    return func.nullif(_former_name(), _present_name())


def seen_by_author() -> ColumnElement[str | None]:
    """What the class of an ``Annotation`` was called to its author; None if nobody knows."""
    seen = func.coalesce(_former_name(), _present_name())
    return case((Annotation.classes_version.is_not(None), seen))


def _former_name() -> ScalarSelect[str]:
    return (
        select(FormerClassName.name)
        .where(
            FormerClassName.project_id == Annotation.project_id,
            FormerClassName.class_id == Annotation.class_id,
            FormerClassName.until >= Annotation.classes_version,
        )
        .order_by(FormerClassName.until)
        .limit(1)
        .correlate(Annotation)
        .scalar_subquery()
    )


def _present_name() -> ScalarSelect[str]:
    return (
        select(ProjectClass.name)
        .where(ProjectClass.id == Annotation.class_id)
        .correlate(Annotation)
        .scalar_subquery()
    )
