"""``karat sync``."""

import time
from typing import TYPE_CHECKING, Annotated, cast

import typer

from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.imports import (
    AnnotationColumnOption,
    CountFromOption,
    FolderSplitOption,
    SplitOption,
    folder_choices,
)
from karat.terminal import echo, show_json, show_table, when

if TYPE_CHECKING:
    from typing import Literal

    from karat.client.resources import Split
    from karat.client.sync import SyncsClient
    from karat.client.sync_types import Sync, SyncFinding

syncs = typer.Typer(
    help="Have a pool follow a place of a bucket: what is new there is imported.",
    no_args_is_help=True,
)

SyncArgument = Annotated[int, typer.Argument(metavar="SYNC", help="Its number.")]
_POLL_SECONDS = 0.5


@syncs.command("add")
def add(
    project: ProjectArgument,
    location: Annotated[
        str, typer.Argument(help="s3://bucket/folder, or file:///folder of the server.")
    ],
    every: Annotated[
        int, typer.Option(min=0, help="Minutes between looks; 0: only when asked to.")
    ] = 60,
    include: Annotated[
        list[str] | None,
        typer.Option(help="Pattern of paths below it, such as `*/2024/*.jpg`; repeat it."),
    ] = None,
    split: SplitOption = "pool",
    annotation_column: AnnotationColumnOption = None,
    folder_split: FolderSplitOption = None,
    count_from: CountFromOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow a place, beginning now. What changes or vanishes there is said; nothing is deleted."""
    choices = folder_choices(folder_split)
    with connect() as client:
        made = find_project(client, project).syncs.add(
            location,
            every_minutes=every or None,
            include=include or (),
            split=cast("Split", split),
            folder_split=choices,
            count_from=cast("Literal[0, 1] | None", count_from),
            annotation_columns=annotation_column or (),
        )
    if as_json:
        return show_json(made)
    return echo(f"Sync {made['id']} follows {made['location']}{_often(made)}.")


@syncs.command("list")
def list_syncs(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the places that a pool follows, and what was last found there."""
    with connect() as client:
        found = find_project(client, project).syncs.list()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"], one["location"], one["every_minutes"], when(one["looked_at"]),
            one["objects"], one["new"], one["changed"], one["gone"], _state(one),
        )
        for one in found
    ]  # fmt: skip
    columns = (
        "#id", "location", "#minutes", "last looked at", "#images", "#new", "#changed", "#gone",
        "state",
    )  # fmt: skip
    return show_table(columns, rows, "The pool follows no place.")


@syncs.command("every")
def every(
    project: ProjectArgument,
    sync: SyncArgument,
    minutes: Annotated[
        int, typer.Argument(min=0, help="Minutes between looks; 0: only when asked to.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Look more or less often."""
    with connect() as client:
        changed = find_project(client, project).syncs.update(sync, every_minutes=minutes or None)
    if as_json:
        return show_json(changed)
    return echo(f"Sync {sync} follows {changed['location']}{_often(changed)}.")


@syncs.command("run")
def run(
    project: ProjectArgument,
    sync: SyncArgument,
    again: Annotated[
        bool, typer.Option("--again", help="Read once more what was passed over.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Look now and wait for what is found; ends with status 1 if the place cannot be looked at."""
    with connect() as client:
        place = find_project(client, project).syncs
        asked = place.run(sync, again=again)
        found = _wait(place, asked)
        job = found["latest_import"]
        if job is not None and job["state"] in {"queued", "running"}:
            client.wait(job["id"])
            found = _get(place, sync)
    if as_json:
        show_json(found)
    elif found["fault"] is None:
        echo(
            f"{found['objects']} images there, {found['new']} of them not imported yet. "
            f"Changed since: {found['changed']}; gone: {found['gone']}."
        )
    else:
        echo(found["detail"])
    if found["fault"] is not None:
        raise typer.Exit(1)


@syncs.command("show")
def show(
    project: ProjectArgument,
    sync: SyncArgument,
    finding: Annotated[
        str, typer.Option(help="changed, gone, or passed: what no image of the pool came of.")
    ] = "changed",
    as_json: JsonOption = False,
) -> None:
    """List what has changed, is gone, or was passed over, by path."""
    if finding not in {"changed", "gone", "passed"}:
        raise typer.BadParameter("--finding is changed, gone or passed.")
    with connect() as client:
        place = find_project(client, project).syncs
        found = [*place.objects(sync, cast("SyncFinding", finding))]
    if as_json:
        return show_json(found)
    rows = [(one["name"], when(one["since"])) for one in found]
    return show_table(("path", "since"), rows, f"Nothing is {finding}.")


@syncs.command("remove")
def remove(project: ProjectArgument, sync: SyncArgument) -> None:
    """Follow a place no more; what was imported from it stays."""
    with connect() as client:
        find_project(client, project).syncs.remove(sync)
    echo(f"Sync {sync} is removed. What was imported stays.")


def _wait(place: "SyncsClient", asked: "Sync") -> "Sync":
    """The place once it was looked at, as it was asked for."""
    while True:
        found = _get(place, asked["id"])
        # A look ends by putting off the next one.
        if not found["looking"] and found["due_at"] != asked["due_at"]:
            return found
        time.sleep(_POLL_SECONDS)


def _get(place: "SyncsClient", sync: int) -> "Sync":
    for one in place.list():
        if one["id"] == sync:
            return one
    raise typer.BadParameter(f"There is no sync {sync}.")


def _often(sync: "Sync") -> str:
    every = sync["every_minutes"]
    return f" every {every} minutes" if every else " when asked to"


def _state(sync: "Sync") -> str:
    if sync["fault"] is not None:
        return sync["detail"] or sync["fault"]
    if sync["looking"]:
        return "looks"
    job = sync["latest_import"]
    if job is None or job["state"] == "succeeded":
        return "up to date" if sync["looked_at"] else "waits"
    return f"import {job['id']} {job['state']}"
