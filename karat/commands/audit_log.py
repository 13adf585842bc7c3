"""``karat audit-log``: a copy of the audit log elsewhere, checked as it comes."""

import contextlib
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.commands.connection import connect
from karat.terminal import show_error

audit_log = typer.Typer(help="Copy the audit log, for admins.", no_args_is_help=True)

AfterOption = Annotated[
    int, typer.Option(min=0, help="The last number you have; all of it if left out.")
]


def broken(lines: Iterator[dict[str, Any]], after: int) -> Iterator[tuple[dict[str, Any], str]]:
    """Entries as they come, each with what is wrong with its place in the chain, if anything is.

    Args:
        lines: Entries, as the API sends them.
        after: The number before the first.
    """
    number, before = after, b"" if after == 0 else None
    for one in lines:
        wrong = ""
        if one["number"] != number + 1:
            wrong = f"{number + 1} to {one['number'] - 1} are missing"
        elif before is not None:
            sealed = before + one["sealed"].encode()
            if sha256(sealed).hexdigest() != one["hash"]:
                wrong = f"{one['number']} is not what was written"
        number, before = one["number"], bytes.fromhex(one["hash"])
        yield one, wrong


def _copy(after: int, *, follow: bool, target: Path | None) -> None:
    wrong = 0
    with connect() as client, contextlib.ExitStack() as stack:
        file = stack.enter_context(target.open("a")) if target else None
        for one, problem in broken(client.audit_log(after, follow=follow), after):
            line = json.dumps(one, ensure_ascii=False)
            if file is None:
                typer.echo(line)
            else:
                file.write(f"{line}\n")
                file.flush()
            if problem:
                wrong += 1
                show_error(f"The chain of the audit log breaks: {problem}.", "See: karat verify")
    if wrong:
        raise typer.Exit(1)


@audit_log.command("export")
def export(
    file: Annotated[
        Path | None, typer.Argument(help="Where to add the entries; the terminal if left out.")
    ] = None,
    after: AfterOption = 0,
) -> None:
    """Write the audit log as JSON Lines, the oldest entry first, and check its chain."""
    _copy(after, follow=False, target=file)


@audit_log.command("follow")
def follow(
    file: Annotated[
        Path | None, typer.Argument(help="Where to add the entries; the terminal if left out.")
    ] = None,
    after: AfterOption = 0,
) -> None:
    """Write the audit log, and what comes to it, until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        _copy(after, follow=True, target=file)
