"""``--where``: which images or texts are meant."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from core.field_conditions import parse_condition
from karat.commands.connection import name_and_value

if TYPE_CHECKING:
    from karat.client.pool_types import Filters
    from karat.client.project import ProjectClient
    from karat.client.resources import Project

WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="NAME=VALUE",
        help="A filter, such as state=ood or class=cat, or what a field has to be that came along, "
        "such as camera=3 or 'score<0.5' (field:camera=3 where its name is that of a filter); "
        "repeat it. Of the pool, unless split=all.",
    ),
]
# Filters that take the number of a class, and may be given its name.
_CLASSES = {"class": "class_id", "predicted": "predicted"}
_FIELD = "field:"


def chosen_filters(project: "ProjectClient", where: list[str] | None) -> "Filters":
    """The filters of ``--where``, whose values are text; classes may be given by their names."""
    from karat.client.pool_types import Filters

    known = {*Filters.__annotations__, *_CLASSES} - {"fields"}
    brought = cache(lambda: {one["name"] for one in project.pool.fields()})
    values: dict[str, Any] = {}
    fields: list[str] = []
    for filter_ in where or []:
        if not _is_filter(filter_, known):
            fields.append(_on_field(filter_, known, brought))
            continue
        name, value = name_and_value(filter_, "--where")
        field = _CLASSES.get(name, name)
        if field in values:
            raise typer.BadParameter(
                f"{filter_!r} would replace another {field}. Leave one of them out.",
                param_hint="--where",
            )
        is_class = name in _CLASSES
        values[field] = class_id(project.get(), value, "--where") if is_class else value
    return cast("Filters", {**values, "fields": fields} if fields else values)


def _is_filter(where: str, known: set[str]) -> bool:
    return where.partition("=")[0] in known


def _on_field(where: str, known: set[str], brought: Callable[[], set[str]]) -> str:
    """A condition on a field that came with the examples, as the API takes it."""
    asked = where.removeprefix(_FIELD)
    try:
        name = parse_condition(asked).name
    except ValueError as error:
        raise typer.BadParameter(f"{where!r} is no filter. {error}", param_hint="--where") from None
    if asked != where:
        return asked
    if name in known:
        raise typer.BadParameter(
            f"{where!r} is not NAME=VALUE; of a field that is called so write {_FIELD}{where}.",
            param_hint="--where",
        )
    if name not in brought():
        raise typer.BadParameter(
            f"There is no filter {name!r}, and of 1,000 examples at most none brought such a "
            f"field; write {_FIELD}{where} if others did. `karat pool fields` lists the fields, "
            f"and filters are {', '.join(sorted(known))}.",
            param_hint="--where",
        )
    return asked


def class_id(project: "Project", reference: str, where: str) -> int:
    """The number of the class that is meant.

    Args:
        project: Whose class it is.
        reference: Its name or its number.
        where: What it was given as, for the complaint.

    Raises:
        typer.BadParameter: There is none, or more than one.
    """
    from karat.client.naming import named
    from karat.client.transport import KaratError

    try:
        return named(reference, project["classes"], "class", "in this project")
    except KaratError as error:
        raise typer.BadParameter(error.detail, param_hint=where) from error
