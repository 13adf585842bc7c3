"""``karat login``, ``user`` and ``token``."""

import platform
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from karat.commands.connection import (
    JsonOption,
    UserArgument,
    connect,
    find_project,
    find_user,
    target,
)
from karat.terminal import ask_password, confirm, echo, json_lines, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.client import Client

users = typer.Typer(help="Add, change and list users.", no_args_is_help=True)
tokens = typer.Typer(help="Make, list and revoke API tokens.", no_args_is_help=True)


def login(
    url: Annotated[
        str | None, typer.Argument(help="Where Karat is, such as http://127.0.0.1:8080.")
    ] = None,
    email: Annotated[str | None, typer.Option(help="Your address; asked for if left out.")] = None,
    password: Annotated[
        str | None,
        typer.Option(envvar="KARAT_PASSWORD", help="Your password; asked for if left out."),
    ] = None,
) -> None:
    """Log in, and keep an API token on this machine for the other commands.

    With `karat --token TOKEN login` that token is kept, without a password.
    """
    from karat.client import credentials
    from karat.client.client import Client

    where = credentials.find(url or target.url)
    token = target.token
    if token is not None and email is not None:
        raise typer.BadParameter("Give --token or --email; not both.", param_hint="--email")
    with Client(where.url, token, retry_seconds=0.0) as client:
        if token is None:
            _log_in(
                client,
                email or typer.prompt("Email"),
                password or ask_password("Password"),
            )
            token = client.create_token(f"karat on {platform.node()}", scope="admin")["secret"]
        user = client.me()
    file = credentials.save(credentials.Credentials(where.url, token))
    echo(f"Logged in to {where.url} as {user['email']} ({user['role']}).")
    echo(f"The token is in {file}.")
    if credentials.from_environment() is not None:
        echo("Commands use the one in KARAT_TOKEN as long as that is set.", err=True)


def _log_in(client: "Client", email: str, password: str) -> None:
    """Log in, and ask for a code where there is a second factor."""
    from karat.client.transport import KaratError

    try:
        client.login(email, password)
    except KaratError as error:
        if error.code != "code_required":
            raise
        client.login(email, password, typer.prompt("Code of your authenticator app"))


@users.command("add")
def add(
    email: Annotated[str, typer.Argument(help="Address to log in with.")],
    name: Annotated[str, typer.Option(help="Name shown to others.")] = "",
    role: Annotated[str, typer.Option(help="admin, engineer or annotator.")] = "annotator",
    password: Annotated[
        str | None,
        typer.Option(envvar="KARAT_NEW_PASSWORD", help="Password; one is made if left out."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Add a user."""
    from karat.client.resources import Role

    made = password or secrets.token_urlsafe(12)
    with connect() as client:
        user = client.create_user(email, made, name=name, role=cast("Role", role))
    if as_json:
        return show_json({**user, **({} if password else {"password": made})})
    echo(f"Added {user['email']} ({user['role']}).")
    if password is None:
        echo(f"Password, shown this once: {made}")
    return None


@users.command("list")
def list_users(as_json: JsonOption = False) -> None:
    """List the users."""
    with connect() as client:
        found = client.users()
    if as_json:
        return show_json(found)
    rows = [
        (one["id"], one["email"], one["name"], one["role"], "yes" if one["active"] else "no")
        for one in found
    ]
    return show_table(("#id", "email", "name", "role", "active"), rows, "There are no users.")


@users.command("reset-password")
def reset_password(
    user: UserArgument,
    revoke_tokens: Annotated[
        bool, typer.Option("--revoke-tokens", help="End their API tokens as well.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Give a user a temporary password, and end their sessions."""
    with connect() as client:
        found = find_user(client.users(), user)
        password = client.reset_password(found["id"], revoke_tokens=revoke_tokens)
    if as_json:
        return show_json({**found, "password": password})
    echo(f"{found['email']} has to choose a new password after the next login.")
    echo(f"Temporary password, shown this once: {password}")
    return None


@users.command("reset-second-factor")
def reset_second_factor(user: UserArgument) -> None:
    """Take a user's second factor away, as when a phone is lost, and end their sessions."""
    with connect() as client:
        found = client.reset_second_factor(find_user(client.users(), user)["id"])
    echo(f"{found['email']} logs in with the password alone until they add another.")


@users.command("unlock")
def unlock(user: UserArgument) -> None:
    """Let a user log in again, who has to wait after too many failed logins."""
    with connect() as client:
        found = client.unlock_user(find_user(client.users(), user)["id"])
    echo(f"{found['email']} may log in again.")


@users.command("role")
def change_role(
    user: UserArgument,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="admin, engineer or annotator.")],
) -> None:
    """Give a user another role."""
    with connect() as client:
        found = find_user(client.users(), user)
        changed = client.update_user(found["id"], role=role)
    echo(f"{changed['email']} is {changed['role']}.")


@users.command("deactivate")
def deactivate(user: UserArgument) -> None:
    """End somebody's sessions and API tokens, and let them log in no more; nothing is deleted."""
    with connect() as client:
        found = find_user(client.users(), user)
        client.update_user(found["id"], active=False)
    echo(f"{found['email']} is deactivated: their sessions are over, their tokens revoked.")


@users.command("activate")
def activate(user: UserArgument) -> None:
    """Let somebody log in again who was deactivated; their API tokens stay revoked."""
    with connect() as client:
        found = find_user(client.users(), user)
        client.update_user(found["id"], active=True)
    echo(f"{found['email']} may log in again.")


@users.command("erase")
def erase(
    user: UserArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase who somebody is, for good; what they labeled stays under their number."""
    with connect() as client:
        found = find_user(client.users(), user)
        if not yes:
            confirm(
                f"Erase the name and the address of {found['email']}? Their sessions, API tokens "
                "and memberships go too, and nothing brings them back."
            )
        client.erase_user(found["id"])
    echo(f"User {found['id']} is a number from now on.")


@users.command("export")
def export(
    user: UserArgument,
    file: Annotated[Path | None, typer.Argument(help="Where to; the terminal if left out.")] = None,
) -> None:
    """Write all that is held of somebody as JSON Lines."""
    with connect() as client:
        found = find_user(client.users(), user)
        with json_lines(file, "w") as write:
            for one in client.export_user(found["id"]):
                write(one)


@tokens.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What the token is for.")],
    expires_in_days: Annotated[
        int | None, typer.Option(min=1, help="Its life; that of the installation if left out.")
    ] = None,
    never_expires: Annotated[
        bool, typer.Option("--never-expires", help="Until it is revoked.")
    ] = False,
    project: Annotated[
        str | None, typer.Option(help="The only project that it opens.", metavar="PROJECT")
    ] = None,
    scope: Annotated[
        str,
        typer.Option(
            help="read, label (and read), write (all but users, tokens and the password) or admin."
        ),
    ] = "write",
    as_json: JsonOption = False,
) -> None:
    """Make an API token; its secret is shown this once."""
    from karat.client.resources import Scope

    if never_expires and expires_in_days is not None:
        raise typer.BadParameter("Choose one of --expires-in-days and --never-expires.")
    with connect() as client:
        token = client.create_token(
            name,
            "never" if never_expires else expires_in_days,
            cast("Scope", scope),
            find_project(client, project).id if project else None,
        )
    if as_json:
        show_json(token)
    else:
        echo(token["secret"])


@tokens.command("list")
def list_tokens(as_json: JsonOption = False) -> None:
    """List your API tokens."""
    with connect() as client:
        found = client.tokens()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["name"],
            one["prefix"],
            one["scope"],
            one["project_id"],
            when(one["created_at"]),
            when(one["last_used_at"]),
            when(one["revoked_at"] or one["expires_at"]),
        )
        for one in found
    ]
    columns = ("#id", "name", "begins with", "scope", "#project", "made", "last used", "ends")
    return show_table(columns, rows, "There are no tokens.")


@tokens.command("revoke")
def revoke(token: Annotated[int, typer.Argument(help="The token's number.")]) -> None:
    """Make an API token invalid."""
    with connect() as client:
        client.revoke_token(token)
    echo(f"Token {token} is revoked.")
