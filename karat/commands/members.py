"""``karat project members``, ``add-member`` and ``remove-member``."""

from typing import TYPE_CHECKING, Annotated, cast

import typer

from karat.commands.connection import (
    JsonOption,
    ProjectArgument,
    UserArgument,
    connect,
    find_project,
    find_user,
)
from karat.terminal import echo, show_json, show_table

if TYPE_CHECKING:
    from karat.client.resources import ProjectRole


def list_members(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List who may label, review or manage in a project."""
    with connect() as client:
        found = find_project(client, project).members()
    if as_json:
        return show_json(found)
    rows = [
        (user["id"], user["email"], user["name"], one["role"])
        for one in found
        for user in [one["user"]]
    ]
    return show_table(("#id", "email", "name", "role"), rows, "Nobody is a member.")


def add_member(
    project: ProjectArgument,
    user: UserArgument,
    role: Annotated[
        str | None,
        typer.Option(
            help="annotator, reviewer or manager; engineers and admins come in as managers if left "
            "out, others as annotators."
        ),
    ] = None,
) -> None:
    """Let a user in, or give a member another role."""
    if role not in (None, "annotator", "reviewer", "manager"):
        raise typer.BadParameter("It is annotator, reviewer or manager.", param_hint="--role")
    with connect() as client:
        chosen = find_user(client.users(), user)
        found = find_project(client, project)
        found.add_member(chosen["id"], cast("ProjectRole | None", role))
        now = next(one["role"] for one in found.members() if one["user"]["id"] == chosen["id"])
    article = "an" if now == "annotator" else "a"
    echo(f"{chosen['email']} is {article} {now} of {project}.")


def remove_member(project: ProjectArgument, user: UserArgument) -> None:
    """Let a user label no longer; what they said stays."""
    with connect() as client:
        found = find_project(client, project)
        members = [one["user"] for one in found.members()]
        chosen = find_user(members, user, f"karat project members {project}")
        found.remove_member(chosen["id"])
    echo(f"{chosen['email']} is no member of {project} any more.")
