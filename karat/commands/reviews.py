"""``karat review`` and ``karat project agreement``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.projects import projects
from karat.terminal import percent, show_json, show_table, when

if TYPE_CHECKING:
    from karat.resources import Agreement, Voter

reviews = typer.Typer(
    help="Follow and take back reviews of suggested labels.", no_args_is_help=True
)


@reviews.command("list")
def list_reviews(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the reviews of a project, the latest first."""
    with connect() as client:
        found = find_project(client, project).reviews()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["job_id"],
            one["open"],
            *(one["decided"][decision] for decision in ("accept", "keep", "ood", "unsure")),
            when(one["created_at"]),
        )
        for one in found
    ]
    columns = ("#job", "#open", "#accepted", "#kept", "#OOD", "#unsure", "made")
    return show_table(columns, rows, "There are no reviews; the job relabel makes them.")


@reviews.command("revert")
def revert(
    project: ProjectArgument,
    job: Annotated[int, typer.Argument(metavar="JOB", help="The job that made the suggestions.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Take back every decision of a review. The decisions stay on record."""
    with connect() as client:
        review = find_project(client, project).review(job)
        decided = sum(review.get()["decided"].values())
        if decided and not yes:
            typer.confirm(f"Take back {decided} decisions?", abort=True)
        typer.echo(f"{review.revert()} decisions taken back.")


@projects.command("agreement")
def agreement(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """Show how far those agree who have judged the same images."""
    with connect() as client:
        found = find_project(client, project).agreement()
    if as_json:
        return show_json(found)
    if found["examples"] == 0:
        return typer.echo("No image has more than one verdict.")
    rows: list[tuple[Any, ...]] = [("all together", None, *_figures(found))]
    rows += [(one["name"], one["votes"], *_figures(one)) for one in found["voters"]]
    columns = ("who", "#verdicts", "#IN or OOD", "#alpha", "#class", "#alpha")
    return show_table(columns, rows, "")


def _figures(found: "Agreement | Voter") -> Iterator[str | None]:
    for one in (found["in_ood"], found["classes"]):
        yield percent(one["share"])
        yield None if one["alpha"] is None else f"{one['alpha']:.2f}"
