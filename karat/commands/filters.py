"""``--where``: which images or texts are meant."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

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
        help="A filter, such as state=ood or class=cat; repeat it. Of the pool, unless split=all.",
    ),
]
# Filters that take the number of a class, and may be given its name.
_CLASSES = {"class": "class_id", "predicted": "predicted"}


def chosen_filters(project: "ProjectClient", where: list[str] | None) -> "Filters":
    """The filters of ``--where``, whose values are text; classes may be given by their names."""
    values: dict[str, Any] = {}
    for filter_ in where or []:
        name, value = name_and_value(filter_, "--where")
        field = _CLASSES.get(name, name)
        if field in values:
            raise typer.BadParameter(
                f"{filter_!r} would replace another {field}. Leave one of them out.",
                param_hint="--where",
            )
        is_class = name in _CLASSES
        values[field] = class_id(project.get(), value, "--where") if is_class else value
    return cast("Filters", values)


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
