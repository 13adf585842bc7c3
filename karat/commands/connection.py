"""How commands find Karat and what they work on."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from karat.terminal import echo

if TYPE_CHECKING:
    from karat.client.client import Client
    from karat.client.project import ProjectClient
    from karat.client.resources import User

Row = TypeVar("Row")

ProjectArgument = Annotated[
    str,
    typer.Argument(metavar="PROJECT", help="Name or number; if both fit: name:7 or number:7."),
]
UserArgument = Annotated[str, typer.Argument(metavar="USER", help="Address or number.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

# A mistyped address is told soon; a restart of Karat is no reason to give up watching a job.
_CONNECT_SECONDS = 2.0
_RETRY_SECONDS = 300.0
_REMEDIES = {
    "unreachable": "Start it with: karat up. Or name another with: karat --url URL ...",
    "broken_off": "Start it again. If it ends again, see: karat doctor",
    "unauthenticated": "Log in with: karat login",
    "bad_credentials": "Check the address and the password.",
    "unavailable": "Wait a moment, and see: karat doctor",
    "project_not_found": "See: karat project list",
}
# What lists the things that the server has found none of.
_LISTED_BY = {
    "certificate": "certificate list PROJECT",
    "job": "job list",
    "review": "review list PROJECT",
    "round": "round list PROJECT",
    "snapshot": "snapshot list PROJECT",
    "subset": "subset list PROJECT",
    "sync": "sync list PROJECT",
    "token": "token list",
    "webhook": "webhook list",
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
    from karat.client.client import Client

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
        reference: Its number or its name; ``number:`` or ``name:`` before it says which.

    Returns:
        The project's part of the client.

    Raises:
        KaratError: There is none (``project_not_found``), or one has this number and another this
            name (``ambiguous_project``).
    """
    return client.project(reference)


def find_user(
    users: "Iterable[User]", reference: str, listed_by: str = "karat user list"
) -> "User":
    """The user that is meant.

    Args:
        users: Those whom it may be.
        reference: An address or a number.
        listed_by: The command that lists them, for the complaint.

    Raises:
        KaratError: It is nobody's (``user_not_found``).
    """
    from karat.client.transport import KaratError

    names = (reference, reference.lower())
    for one in users:
        if one["email"] in names or str(one["id"]) in names:
            return one
    raise KaratError("user_not_found", f"{reference!r} is not listed by: {listed_by}")


def first(found: Iterable[Row], limit: int) -> list[Row]:
    """The first of what is listed; where there is more, stderr says so.

    Args:
        found: What is listed, got as far as it is needed.
        limit: How many at most.
    """
    shown = list(islice(found, limit + 1))
    if len(shown) > limit:
        echo(f"There are more than these {limit:,}: give --limit.", err=True)
    return shown[:limit]


def name_and_value(assignment: str, option: str) -> tuple[str, str]:
    """The parts of ``NAME=VALUE``.

    Args:
        assignment: What was typed.
        option: The option that it was given with, for the complaint.

    Raises:
        BadParameter: It is no assignment.
    """
    name, separator, value = assignment.partition("=")
    if not separator:
        raise typer.BadParameter(f"{assignment!r} is not NAME=VALUE.", param_hint=option)
    return name, value


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
        BadParameter: One is no assignment, or contradicts what is there.
    """
    values = {} if values is None else values
    given: list[str] = []
    for assignment in assignments:
        path, text = name_and_value(assignment, option)
        *parents, name = path.split(".")
        inner = values
        for depth, parent in enumerate(parents, 1):
            inner = inner.setdefault(parent, {})
            if not isinstance(inner, dict):
                above = ".".join(parents[:depth])
                raise typer.BadParameter(
                    f"{assignment!r} needs names below {above}, which is {json.dumps(inner)} "
                    "already. Leave one of them out.",
                    param_hint=option,
                )
        if replaced := [one for one in given if f"{one}.".startswith(f"{path}.")]:
            raise typer.BadParameter(
                f"{assignment!r} would replace {replaced[0]}, which is given too. Leave one of "
                "them out.",
                param_hint=option,
            )
        given.append(path)
        inner[name] = _value(assignment, text, option)
    return values


def _value(assignment: str, text: str, option: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not _is_finite(value):
        raise typer.BadParameter(
            f"{assignment!r} is no number that can be sent. Give a finite one; for the word "
            f"itself, quote it twice, as in NAME='\"{text}\"'.",
            param_hint=option,
        )
    return value


def _is_finite(value: Any) -> bool:
    """Whether JSON can hold a value: Python reads NaN and Infinity, which are none."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def read_text(path: Path, option: str) -> str:
    """A file that the command line names.

    Args:
        path: The file.
        option: The option that it was given with, for the complaint.

    Raises:
        BadParameter: It is no text in UTF-8.
    """
    try:
        # With or without the mark that some editors of Windows put first.
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(
            f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.", param_hint=option
        ) from error


def read_object(path: Path, option: str) -> dict[str, Any]:
    """A JSON object in a file that the command line names.

    Args:
        path: The file.
        option: The option that it was given with, for the complaint.

    Raises:
        BadParameter: It holds none.
    """
    text = read_text(path, option)
    try:
        value = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"{path} is not JSON: {error}.", param_hint=option) from error
    if not isinstance(value, dict) or not _is_finite(value):
        raise typer.BadParameter(
            f'{path} must hold a JSON object of finite values, such as {{"budget": 200}}.',
            param_hint=option,
        )
    return value


def remedy(error: Any) -> str:
    """What a user can do about an error of the API's.

    Args:
        error: The ``KaratError``.

    Returns:
        A sentence, or nothing.
    """
    from karat.client import credentials

    if error.code == "unauthenticated" and target.token is None and credentials.from_environment():
        return "The token in KARAT_TOKEN is not valid: unset it, and log in with: karat login"
    if error.code == "scope_required":
        return "Log in with: karat login, or use a token with that scope."
    if error.code == "unexpected":
        return "See what is in front of Karat, as a proxy. Or name another: karat --url URL ..."
    if error.status == HTTPStatus.FORBIDDEN:
        return "Ask an admin for the role or the membership it takes."
    if error.code == "not_found":
        what = error.detail.removeprefix("There is no such ").partition(",")[0]
        return f"See: karat {_LISTED_BY[what]}" if what in _LISTED_BY else ""
    return _REMEDIES.get(error.code, "")
