"""``karat snapshot``."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from core.media.nouns import noun
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.filters import WhereOption, chosen_filters
from karat.terminal import confirm, echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.snapshot_types import Snapshot, SnapshotDiff, SnapshotSide

snapshots = typer.Typer(
    help="Keep data sets as they are, under names, and compare them.", no_args_is_help=True
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Of the snapshot.")]
_SHORT: Final = 12


@snapshots.command("create")
def create(
    project: ProjectArgument,
    name: NameArgument,
    where: WhereOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep what every image or text counts as now; with --where only of those that match."""
    with connect() as client:
        found = find_project(client, project)
        filters = chosen_filters(found, where) if where else None
        taken = found.snapshots.take(name, filters)
        many = noun(found.get()["medium"]).many
    if as_json:
        return show_json(taken)
    counts = taken["counts"]
    nothing = counts.get("no_objects")
    of_boxes = f" ({nothing:,} with no objects)" if nothing else ""
    echo(
        f"{taken['name']}: {counts['examples']:,} {many}, {counts['labeled']:,} labeled{of_boxes}, "
        f"{counts['ood']:,} OOD, {counts['evaluation']:,} to evaluate on."
    )
    return echo(f"SHA-256 {taken['digest']}")


@snapshots.command("list")
def list_(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the snapshots of a project, the newest first."""
    with connect() as client:
        found = list(find_project(client, project).snapshots.all())
    if as_json:
        return show_json(found)
    columns = ("name", "taken", "by", "#examples", "#labeled", "#OOD", "#withdrawn", "SHA-256")
    return show_table(columns, [_row(one) for one in found], "There is no snapshot yet.")


def _row(one: "Snapshot") -> tuple[Any, ...]:
    counts = one["counts"]
    numbers = (f"{counts[name]:,}" for name in ("examples", "labeled", "ood"))
    # Of an older server nothing.
    gone = counts.get("withdrawn") or None
    said = (one["name"], when(one["taken_at"]), one["author"], *numbers, gone)
    return (*said, one["digest"][:_SHORT])


@snapshots.command("diff")
def diff(
    project: ProjectArgument,
    name: NameArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The newer one.")],
    limit: Annotated[int, typer.Option(min=0, help="How many examples are listed.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Say what changed from a snapshot to another."""
    with connect() as client:
        found = find_project(client, project).snapshots
        both = found.diff(name, other)
        # What came with the numbers is mostly enough.
        enough = limit <= len(both["items"])
        changes = list(islice(both["items"] if enough else found.changes(name, other), limit))
    if as_json:
        return show_json({**both, "items": changes, "next_cursor": None})
    if both["same"]:
        return echo("They say the same: no label differs, and the SHA-256 is one.")
    echo(
        f"{both['added']:,} added, {both['gone']:,} gone, {both['relabeled']:,} count as something "
        f"else, {both['other_origin']:,} by somebody else's word, {both['unchanged']:,} unchanged."
    )
    for one in both["renamed"]:
        echo(f"The class {one['before']} is called {one['after']}.")
    show_table(("before", "after", "#examples"), _flows(both), "")
    rows = [
        (one["example_id"], one["name"], one["change"], _said(one["before"]), _said(one["after"]))
        for one in changes
    ]
    return show_table(("#id", "name", "change", "before", "after"), rows, "")


def _flows(both: "SnapshotDiff") -> list[tuple[Any, ...]]:
    return [
        (
            _outcome(one["before_verdict"], one["before_class"], one.get("before_no_objects")),
            _outcome(one["after_verdict"], one["after_class"], one.get("after_no_objects")),
            f"{one['examples']:,}",
        )
        for one in both["flows"]
    ]


def _said(side: "SnapshotSide | None") -> str:
    if side is None:
        return "–"
    by = "" if side["origin"] is None else f" ({side['origin']})"
    return f"{_outcome(side['verdict'], side['class_name'], side.get('no_objects'))}{by}"


def _outcome(verdict: str | None, class_name: str | None, nothing: bool | None) -> str:
    if nothing:
        return "no objects"
    return class_name or {None: "no label", "label": "labeled"}.get(verdict, verdict or "")


@snapshots.command("remove")
def remove(
    project: ProjectArgument,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a snapshot; labels stay as they are."""
    with connect() as client:
        found = find_project(client, project).snapshots
        taken = found.get(name)
        if not yes:
            confirm(f"Remove {taken['name']} of {when(taken['taken_at'])}?")
        found.remove(name)
    echo(f"Removed {name}.")
