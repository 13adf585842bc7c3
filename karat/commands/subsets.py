"""``karat subset``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from karat.client.arguments import SUBSET_BY_ENDING
from karat.client.intervals import measured
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.exports import STDOUT_HELP, BomOption, receiving
from karat.terminal import echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.findings import SubsetFormat

subsets = typer.Typer(help="Compare, export and use pruned labels.", no_args_is_help=True)

SubsetArgument = Annotated[int, typer.Argument(metavar="SUBSET", help="The subset's number.")]


@subsets.command("list")
def list_subsets(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the subsets of a project, the latest first."""
    with connect() as client:
        found = find_project(client, project).subsets()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["method"],
            f"{one['kept']}/{one['labeled']}",
            measured(one["noise_ratio"], one["noise_known"]),
            "yes" if one["active"] else None,
            one["job_id"],
            when(one["created_at"]),
        )
        for one in found
    ]
    columns = ("#id", "method", "#kept", "#noise", "in use", "#job", "made")
    return show_table(columns, rows, "There are no subsets; the job prune makes them.")


@subsets.command("compare")
def compare(
    project: ProjectArgument,
    a: Annotated[int, typer.Argument(metavar="A", help="One subset's number.")],
    b: Annotated[int, typer.Argument(metavar="B", help="The other's.")],
    as_json: JsonOption = False,
) -> None:
    """Put two subsets side by side: what both keep, and what only one does."""
    with connect() as client:
        found = find_project(client, project)
        both = found.compare_subsets(a, b)
        names = {one["id"]: one["name"] for one in found.get()["classes"]}
    if as_json:
        return show_json(both)
    sides = (both["a"], both["b"])
    balance = [{one["class_id"]: one["kept"] for one in side["balance"]} for side in sides]
    rows: list[tuple[Any, ...]] = [
        ("method", *(side["method"] for side in sides)),
        ("kept", *(f"{side['kept']}/{side['labeled']}" for side in sides)),
        ("only here", both["only_a"], both["only_b"]),
        ("noise", *(measured(side["noise"]["ratio"], side["noise"]["known"]) for side in sides)),
        *(
            (names.get(class_id, class_id), *(kept.get(class_id, 0) for kept in balance))
            for class_id in sorted(set().union(*balance))
        ),
    ]
    show_table(("", f"#subset {a}", f"#subset {b}"), rows, "")
    return echo(
        f"Both keep {both['intersection']} of {both['union']} (Jaccard {both['jaccard']:.3f})."
    )


@subsets.command("export")
def export(
    project: ProjectArgument,
    subset: SubsetArgument,
    path: Annotated[
        Path,
        typer.Argument(help=f"File to write: .csv, .txt, .zip or .parquet; {STDOUT_HELP}"),
    ],
    format_: Annotated[
        str | None,
        typer.Option("--format", help="csv, ids, imagefolder or parquet; else by the ending."),
    ] = None,
    bom: BomOption = False,
) -> None:
    """Save all rows of a subset as CSV or Parquet, or what is kept as ids or a zip of images."""
    chosen = format_ or SUBSET_BY_ENDING.get(path.suffix.lower())
    if chosen not in SUBSET_BY_ENDING.values():
        raise typer.BadParameter(
            f"{format_ or path.name} tells no format: name one with --format csv, ids, imagefolder "
            "or parquet."
        )
    if bom and chosen != "csv":
        raise typer.BadParameter("Only csv takes --bom; leave it out.")
    with connect() as client:
        found = find_project(client, project)
        with receiving(path) as (file, on_received):
            found.export_subset(
                subset,
                file,
                cast("SubsetFormat", chosen),
                bom=bom,
                on_received=on_received,
            )


@subsets.command("use")
def use(
    project: ProjectArgument,
    subset: Annotated[
        int | None, typer.Argument(metavar="[SUBSET]", help="Its number; none: all labels.")
    ] = None,
) -> None:
    """Train the rounds to come on a subset, or on all labels again. Nothing is deleted."""
    with connect() as client:
        find_project(client, project).use_subset(subset)
    what = "all labels" if subset is None else f"subset {subset}"
    echo(f"The rounds to come train on {what}.")
