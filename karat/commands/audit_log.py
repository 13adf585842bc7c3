"""``karat audit-log``: a copy of the audit log elsewhere, checked as it comes."""

import contextlib
import json
from collections import deque
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.commands.connection import connect
from karat.terminal import json_lines, show_error

audit_log = typer.Typer(help="Copy the audit log, for admins.", no_args_is_help=True)

FileArgument = Annotated[
    Path | None, typer.Argument(help="Where to add the entries; the terminal if left out.")
]
AfterOption = Annotated[
    int | None,
    typer.Option(min=0, help="The last number you have; that of FILE, or 0, if left out."),
]


def broken(
    lines: Iterator[dict[str, Any]], after: int, before: bytes | None = None
) -> Iterator[tuple[dict[str, Any], str]]:
    """Entries as they come, each with what is wrong with its place in the chain, if anything is.

    Args:
        lines: Entries, as the API sends them.
        after: The number before the first.
        before: The hash of that one; without it the first is not compared with anything.
    """
    number, before = after, b"" if after == 0 else before
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


def last_of(file: Path) -> tuple[int, bytes | None]:
    """Number and hash of the last entry in a copy; 0 and none if there is none yet.

    Raises:
        ValueError: It does not end with a whole entry.
    """
    if not file.exists() or file.stat().st_size == 0:
        return 0, None
    with file.open("rb") as copy:
        (line,) = deque(copy, maxlen=1)
    try:
        if not line.endswith(b"\n"):
            raise ValueError
        entry = json.loads(line)
        return int(entry["number"]), bytes.fromhex(entry["hash"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"The last line of {file} is no whole entry of the audit log.") from error


def _copy(after: int | None, *, follow: bool, target: Path | None) -> None:
    before: bytes | None = None
    if target is not None:
        try:
            number, digest = last_of(target)
        except ValueError as error:
            show_error(str(error), "Take that line out, or name another file.")
            raise typer.Exit(1) from error
        after = number if after is None else after
        before = digest if number == after else None
    after = after or 0
    wrong = 0
    with connect() as client, json_lines(target, "a") as write:
        for one, problem in broken(client.audit_log(after, follow=follow), after, before):
            write(one)
            if problem:
                wrong += 1
                show_error(f"The chain of the audit log breaks: {problem}.", "See: karat verify")
    if wrong:
        raise typer.Exit(1)
    if follow:
        show_error("Karat has ended the stream.", "Start it again: it goes on where FILE ends.")
        raise typer.Exit(1)


@audit_log.command("export")
def export(file: FileArgument = None, after: AfterOption = None) -> None:
    """Write the audit log as JSON Lines, the oldest entry first, and check its chain."""
    _copy(after, follow=False, target=file)


@audit_log.command("follow")
def follow(file: FileArgument = None, after: AfterOption = None) -> None:
    """Write the audit log, and what comes to it, until Ctrl-C.

    With a FILE that has entries it goes on after the last, and checks that it fits.
    """
    with contextlib.suppress(KeyboardInterrupt):
        _copy(after, follow=True, target=file)
