"""``karat pool fields``."""

from typing import Annotated

import typer

from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.filters import WhereOption, chosen_filters
from karat.terminal import echo, show_json, show_table


def fields(
    project: ProjectArgument,
    name: Annotated[
        str | None, typer.Argument(help="A field, to list its values; else the fields are listed.")
    ] = None,
    where: WhereOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what came with images or texts, or the values of one such field and how many have it."""
    if name is None and where:
        raise typer.BadParameter("--where chooses among whose values are listed; name a field.")
    with connect() as client:
        found = find_project(client, project)
        if name is None:
            brought = found.pool.fields()
            if as_json:
                return show_json({"items": brought})
            rows = [(one["name"], one["value"]) for one in brought]
            return show_table(("field", "such as"), rows, "Nothing came along.")
        values = found.pool.field_values(name, chosen_filters(found, where))
    if as_json:
        return show_json(values)
    if values["many"]:
        return echo(f"{name} has more than 50 values.")
    about = "" if values["exact"] else "about "
    counted = [(one["value"], f"{about}{one['count']:,}") for one in values["items"]]
    return show_table((name, "#how many"), counted, f"Nothing that matches has {name}.")
