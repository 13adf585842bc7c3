"""``karat selection``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from karat.client.arguments import SELECTION_BY_ENDING
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project, first
from karat.commands.exports import STDOUT_HELP, receiving
from karat.terminal import echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.selections import SelectedRow, Selection, SelectionFormat

selections = typer.Typer(
    help="List, look at, compare and export chosen instructions.", no_args_is_help=True
)

JobArgument = Annotated[int, typer.Argument(metavar="JOB", help="The job that has chosen.")]
_FORMATS: Final = (*SELECTION_BY_ENDING.values(), "messages")
_SHORT: Final = 60


@selections.command("list")
def list_(
    project: ProjectArgument,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List what jobs have chosen in a project, the newest first."""
    with connect() as client:
        found = first(find_project(client, project).selections(), limit)
    if as_json:
        return show_json(found)
    columns = ("#job", "method", "#kept", "#clusters", "#undecided", "judge", "made")
    return show_table(
        columns,
        [_row(one) for one in found],
        "Nothing was chosen yet; the job select_instructions does.",
    )


def _row(one: "Selection") -> tuple[Any, ...]:
    judge = one["judge"]
    return (
        one["job_id"],
        one["method"],
        f"{one['kept']:,}/{one['rows']:,}",
        f"{one['clusters']:,}" if one["clusters"] else None,
        f"{one['undecided']:,}" if judge else None,
        judge["name"] if judge else None,
        when(one["created_at"]),
    )


@selections.command("show")
def show(project: ProjectArgument, job: JobArgument, as_json: JsonOption = False) -> None:
    """Say what a job has kept, how sure the judge was, what it cost, and what people said."""
    with connect() as client:
        found = find_project(client, project).selection(job).get()
    if as_json:
        return show_json(found)
    show_table(("", ""), _figures(found), "")
    for warning in found["warnings"]:
        echo(warning)
    return None


def _figures(found: "Selection") -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = [
        ("method", found["method"]),
        ("kept", f"{found['kept']:,} of {found['rows']:,}"),
        *((f"  {reason}", f"{count:,}") for reason, count in found["by_reason"].items()),
    ]
    if found["clusters"]:
        rows.append(("clusters", f"{found['clusters']:,}, of {found['largest']} rows at most"))
        rows.append(("undecided", f"{found['undecided']:,}"))
        rows.append(("unranked", f"{found['unranked']:,}"))
    if found["rankable"] is not None:
        rankable = found["rankable"]
        rows.append(("rankable", f"{rankable['share']:.1%} of {rankable['of']:,} clusters"))
    if found["non_rankable"] is not None:
        tied = found["non_rankable"]
        rows.append(("equal scores", f"{tied['share']:.1%} of the pairs of a cluster"))
    if (judge := found["judge"]) is not None:
        spent = "" if judge["spent"] is None else f", {judge['spent']:.4f} spent"
        tokens = f"{judge['tokens_in']:,} + {judge['tokens_out']:,} tokens"
        rows.append(("judge", f"{judge['name']}: {judge['requests']:,} answers, {tokens}{spent}"))
    if (people := found["people"]) is not None:
        rows.append(("people", people["refused"] or _people(people)))
    return rows


def _people(people: Any) -> str:
    said = f"{people['answered']:,} of {people['asked']:,} clusters ranked"
    if (agreement := people["agreement"]) is None:
        return said
    low, high = 100 * agreement["low"], 100 * agreement["high"]
    share = f"{agreement['agree']} of {agreement['of']} ({low:.0f}–{high:.0f} %)"
    return f"{said}; the judge is right in {share}"


@selections.command("rows")
def rows(
    project: ProjectArgument,
    job: JobArgument,
    dropped: Annotated[bool, typer.Option("--dropped", help="Those that are dropped.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List rows that are kept, with the reason."""
    with connect() as client:
        every = find_project(client, project).selection(job).rows(kept=not dropped)
        found = first(every, limit)
    if as_json:
        return show_json(found)
    table = [
        (one["example_id"], one["cluster"], one["rank"], one["reason"], _begins(one))
        for one in found
    ]
    return show_table(
        ("#id", "#cluster", "#rank", "reason", "instruction"), table, "There are no such rows."
    )


def _begins(row: "SelectedRow") -> str:
    text = " ".join((row["fields"]["instruction"] if row["fields"] else "").split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


@selections.command("compare")
def compare(
    project: ProjectArgument,
    job: JobArgument,
    other: Annotated[int, typer.Argument(metavar="OTHER", help="The other's job.")],
    as_json: JsonOption = False,
) -> None:
    """Put two selections side by side: what both keep, and what only one does."""
    with connect() as client:
        both = find_project(client, project).selection(job).compare(other)
    if as_json:
        return show_json(both)
    sides = (both["one"], both["other"])
    table: list[tuple[Any, ...]] = [
        ("method", *(side["method"] for side in sides)),
        ("kept", *(f"{side['kept']:,}" for side in sides)),
        ("only here", f"{both['only_one']:,}", f"{both['only_other']:,}"),
    ]
    show_table(("", f"#job {job}", f"#job {other}"), table, "")
    return echo(f"Both keep {both['both']:,} (Jaccard {both['jaccard']:.3f}).")


@selections.command("export")
def export(
    project: ProjectArgument,
    job: JobArgument,
    path: Annotated[
        Path, typer.Argument(help=f"File to write: .jsonl, .parquet or .txt; {STDOUT_HELP}")
    ],
    format_: Annotated[
        str | None,
        typer.Option("--format", help="alpaca, messages, parquet or ids; else by the ending."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="parquet: also what is dropped.")
    ] = False,
) -> None:
    """Save what is kept, as JSONL of instructions or of chats, as Parquet, or as ids."""
    chosen = format_ or SELECTION_BY_ENDING.get(path.suffix.lower())
    if chosen not in _FORMATS:
        raise typer.BadParameter(
            f"{format_ or path.name} tells no format: name one with --format "
            f"{', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}."
        )
    if everything and chosen != "parquet":
        raise typer.BadParameter("Only parquet takes --everything; leave it out.")
    with connect() as client:
        found = find_project(client, project).selection(job)
        with receiving(path) as (file, on_received):
            found.export(
                file,
                cast("SelectionFormat", chosen),
                everything=everything,
                on_received=on_received,
            )
