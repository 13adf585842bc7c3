"""``karat pool withdraw`` and ``karat pool withdrawals``."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.media.nouns import noun
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.filters import WhereOption, chosen_filters
from karat.terminal import confirm, echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.pool_types import Filters
    from karat.client.project import ProjectClient


def withdraw(
    project: ProjectArgument,
    where: WhereOption = None,
    ids: Annotated[
        list[int] | None, typer.Option("--id", help="An image or text; repeat it.")
    ] = None,
    import_: Annotated[
        int | None, typer.Option("--import", help="Take back this import: all that it added.")
    ] = None,
    erased: Annotated[
        bool, typer.Option("--erased", help="Wait until no file tells of them any more.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take images or texts out of a project for good. It cannot be taken back."""
    with connect() as client:
        found = find_project(client, project)
        which = _which(found, where, ids, import_)
        pool = found.pool.withdrawals
        told = pool.preview(which)
        what = noun(found.get()["medium"]).counted(told["images"])
        if not yes:
            said = _answered(told["answered"], told["images"])
            confirm(f"{what} will be withdrawn for good.{said} This cannot be taken back. Go on?")
        made = pool.begin(which, images=told["images"])
        made = pool.wait(made["id"], erased=erased)
    if as_json:
        return show_json(made)
    echo(f"{what} withdrawn.")
    if made["state"] != "done":
        echo("What files hold of them goes in the background; karat pool withdrawals says when.")
    return None


def _answered(count: int, of: int) -> str:
    if not count:
        return ""
    who = "It has" if of == 1 else f"{count:,} of them {'has' if count == 1 else 'have'}"
    return f" {who} answers, which are kept and count no more."


def list_withdrawals(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List what was withdrawn, the latest first, and how far it is."""
    with connect() as client:
        found = list(find_project(client, project).pool.withdrawals.all())
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["images"],
            one["answered"],
            one["import_id"],
            one["by"],
            when(one["created_at"]),
            when(one["erased_at"]) if one["erased_at"] else f"{one['state']} …",
        )
        for one in found
    ]
    columns = ("#id", "#withdrawn", "#with answers", "#import", "by", "when", "erased")
    return show_table(columns, rows, "Nothing was withdrawn.")


def _which(
    project: "ProjectClient", where: list[str] | None, ids: list[int] | None, import_: int | None
) -> "list[int] | Filters":
    if sum(map(bool, (where, ids, import_))) != 1:
        raise typer.BadParameter("Name some with --id, filters with --where, or an --import.")
    if import_:
        return {"import_id": import_, "split": "all"}
    return ids or chosen_filters(project, where)
