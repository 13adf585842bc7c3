"""How commands find Karat and what they work on."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from karat.client import Client
    from karat.project import ProjectClient

ProjectArgument = Annotated[str, typer.Argument(metavar="PROJECT", help="Name or number.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

# A mistyped address is told soon; a restart of Karat is no reason to give up watching a job.
_CONNECT_SECONDS = 2.0
_RETRY_SECONDS = 300.0
_REMEDIES = {
    "unreachable": "Start it with: karat up. Or name another with: karat --url URL ...",
    "unauthenticated": "Log in with: karat login",
    "bad_credentials": "Check the address and the password.",
    "unavailable": "Wait a moment, and see: karat doctor",
    "project_not_found": "See: karat project list",
}


@dataclass
class Target:
    """Which Karat to talk to, as given on the command line."""

    url: str | None = None
    token: str | None = None


target = Target()


@contextmanager
def connect() -> Iterator["Client"]:
    """A client for the Karat that the command line, the environment or the last login names."""
    from karat.client import Client

    with Client(
        target.url,
        target.token,
        retry_seconds=_RETRY_SECONDS,
        connect_seconds=_CONNECT_SECONDS,
    ) as client:
        yield client


def find_project(client: "Client", reference: str) -> "ProjectClient":
    """The project that a user means.

    Args:
        client: The connection.
        reference: Its number or its name.

    Returns:
        The project's part of the client.

    Raises:
        KaratError: There is none (``project_not_found``).
    """
    from karat.transport import KaratError

    for project in client.projects():
        if reference in (project["name"], str(project["id"])):
            return client.project(project["id"])
    raise KaratError("project_not_found", f"There is no project {reference!r} that you may see.")


def assigned(
    assignments: Sequence[str], option: str, values: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Nested values from the command line.

    Args:
        assignments: Each ``a.b=VALUE``; a value that is not JSON is a string.
        option: The option that they were given with, for the complaint.
        values: What to put them into; empty if None.

    Returns:
        ``values``.

    Raises:
        BadParameter: One is no assignment.
    """
    values = {} if values is None else values
    for assignment in assignments:
        path, separator, text = assignment.partition("=")
        if not separator:
            raise typer.BadParameter(f"{assignment!r} is not NAME=VALUE.", param_hint=option)
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        *parents, name = path.split(".")
        inner = values
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value
    return values


def remedy(error: Any) -> str:
    """What a user can do about an error of the API's.

    Args:
        error: The ``KaratError``.

    Returns:
        A sentence, or nothing.
    """
    if error.code == "scope_required":
        return "Log in with: karat login, or use a token with that scope."
    if error.status == HTTPStatus.FORBIDDEN:
        return "Ask an admin for the role or the membership it takes."
    return _REMEDIES.get(error.code, "")
