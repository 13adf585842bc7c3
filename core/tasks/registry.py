"""Every task type that an installation knows.

Packages of third parties add theirs through the entry-point group ``karat.tasks``; each entry point
names a ``TaskType``, or an iterable of them. API and workers have to see the same packages.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points
from typing import Annotated, Any, Final

from pydantic import GetJsonSchemaHandler, PlainSerializer, PlainValidator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import tagged_union_schema

from core.errors import Invalid
from core.states import Medium
from core.tasks.boxes import BOXES
from core.tasks.classification import CLASSIFICATION
from core.tasks.instructions import INSTRUCTIONS
from core.tasks.spec import Label, TaskType

ENTRY_POINT_GROUP: Final = "karat.tasks"
BUILT_IN: Final[tuple[TaskType[Any], ...]] = (CLASSIFICATION, BOXES, INSTRUCTIONS)


@cache
def _known() -> dict[str, TaskType[Any]]:
    found: dict[str, TaskType[Any]] = {}
    for one in BUILT_IN:
        _add(found, one)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for one in loaded if isinstance(loaded, Iterable) else (loaded,):
            if not isinstance(one, TaskType):
                raise TypeError(f"The entry point {point.name} names no TaskType: {one!r}.")
            _add(found, one)
    return found


def _add(known: dict[str, TaskType[Any]], one: TaskType[Any]) -> None:
    if one.name in known:
        raise ValueError(f"The task type {one.name} is known already; give yours another name.")
    known[one.name] = one


def task_types() -> tuple[TaskType[Any], ...]:
    """Every task type, built-in first.

    Raises:
        TypeError: A package offers what is none.
        ValueError: It takes a name that is in use.
    """
    return tuple(_known().values())


def task_type(name: str) -> TaskType[Any]:
    """The task type of a project.

    Raises:
        Invalid: There is none of this name; the detail lists those that there are.
    """
    found = _known().get(name)
    if found is None:
        known = ", ".join(_known())
        if name in set(Medium):
            raise Invalid(
                "unknown_task",
                f"{name!r} is a medium, not a task type: say medium={name}, and of task types one "
                f"of {known}.",
                field="task",
            )
        raise Invalid(
            "unknown_task",
            f"There is no task type {name!r} here; known: {known}. Install the package that "
            "brings it, for the API and for every worker.",
            field="task",
        )
    return found


def lists_objects(name: str) -> bool:
    """Whether labels of a task type list objects; so far as is known, where its package is gone."""
    found = _known().get(name)
    return found is not None and found.lists_objects


def register(one: TaskType[Any]) -> None:
    """Make a task type known to this process.

    Raises:
        ValueError: Its name is in use.
    """
    _add(_known(), one)


@contextmanager
def registered(one: TaskType[Any]) -> Iterator[None]:
    """Make a task type known for a while."""
    register(one)
    try:
        yield
    finally:
        del _known()[one.name]


def label_of(stored: Mapping[str, Any] | None) -> Label | None:
    """The label that a row holds; None where it holds none.

    Raises:
        Invalid: It is of a task type that is not known here.
    """
    if stored is None:
        return None
    found: Label = task_type(stored["type"]).parse(stored)
    return found


def stored(label: Label | None) -> dict[str, Any] | None:
    """A label as a row holds it."""
    return None if label is None else label.model_dump(mode="json")


def stored_text(label: Label | None) -> str | None:
    """The same, for statements that take JSON as text."""
    return None if label is None else label.model_dump_json()


def type_of(label: Label) -> TaskType[Any]:
    """The task type of a label."""
    return task_type(label.type)


def class_of(label: Label | None) -> int | None:
    """The class that a label names, if it names one."""
    return None if label is None else type_of(label).class_of(label)


def written(label: Label | None, classes: Mapping[int, str]) -> str | None:
    """A label as files write it; None where there is none, or one of a class that is not known.

    Args:
        label: What is written.
        classes: Names of the project's classes by their ids.
    """
    return None if label is None else type_of(label).write(label, classes)


def _sent(value: Any) -> Label:
    """The label of a request, by what it calls its type.

    Raises:
        ValueError: It is none; pydantic makes a 422 of it, with the places within the label.
    """
    if isinstance(value, Label):
        return value
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        raise ValueError("a label is an object with a type")
    found = _known().get(value["type"])
    if found is None:
        raise ValueError(f"there is no task type {value['type'][:100]!r}")
    label: Label = found.parse(value)
    return label


def _as_json(label: Label) -> dict[str, Any]:
    return label.model_dump(mode="json")


class _Shapes:
    """How a schema describes a label: as one of those that everybody has."""

    @staticmethod
    def __get_pydantic_json_schema__(
        _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        choices = {one.name: _named(one.label) for one in BUILT_IN}
        return handler(tagged_union_schema(choices, discriminator="type"))


def _named(label: type[Label]) -> CoreSchema:
    """The schema of a label, which documents then hold once and refer to."""
    schema: Any = dict(label.__pydantic_core_schema__)
    name = f"{label.__module__}.{label.__qualname__}:{id(label)}"
    if schema["type"] == "definitions":
        schema["schema"] = {**schema["schema"], "ref": name}
    else:
        schema["ref"] = name
    found: CoreSchema = schema
    return found


AnyLabel = Annotated[
    Label,
    PlainValidator(_sent),
    PlainSerializer(_as_json, return_type=dict[str, Any]),
    _Shapes,
]
"""A label in a request or an answer, discriminated by its ``type``."""
