"""``karat predictions``."""

from typing import Annotated

import typer

from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.imports import words
from karat.commands.pool import YesOption
from karat.terminal import confirm, echo, show_json, show_table

predictions = typer.Typer(
    help="Predictions of models that were imported (karat import --predictions), to be suggested.",
    no_args_is_help=True,
)


@predictions.command("list")
def list_predictions(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the models whose predictions are there; of several, the first is suggested."""
    with connect() as client:
        found = find_project(client, project)
        models = found.predictions()
        many = words(found)[1]
    if as_json:
        return show_json(models)
    rows = [(one["model"], one["examples"], one["import_id"]) for one in models]
    return show_table(("model", f"#{many}", "#import"), rows, "No predictions were imported.")


@predictions.command("remove")
def remove(
    project: ProjectArgument,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="As `list` names it.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Suggest nothing of a model any more; answers that were given with its suggestions stay."""
    with connect() as client:
        found = find_project(client, project)
        if not yes:
            confirm(f"Remove all predictions of {model}?")
        removed = found.remove_predictions(model)
        many = words(found)[1]
    if as_json:
        return show_json({"removed": removed})
    return echo(f"Predictions of {model} removed, of {removed:,} {many}.")
