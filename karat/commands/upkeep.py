"""``karat verify``, ``backup`` and ``restore``: what keeps an installation safe."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from karat.commands.connection import JsonOption
from karat.commands.services import DEFAULT_DATA, DataOption
from karat.terminal import console, show_json

_MARKS = {
    "ok": "[green]ok[/]     ",
    "note": "[yellow]note[/]   ",
    "problem": "[bold red]problem[/]",
}


def verify(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Check that nothing was lost: answers, rounds, leases, jobs and files.

    Reads only, also while Karat runs. With DATABASE_URL set, that database is checked.
    """
    from karat.local.installation import findings, opened

    found = []
    with opened(data) as installation:
        for finding in findings(installation):
            found.append(finding)
            if not as_json:
                _show(finding)
    if as_json:
        show_json(found)
    if any(finding["level"] == "problem" for finding in found):
        raise typer.Exit(1)


def _show(finding: dict[str, object]) -> None:
    objects = finding["objects"]
    assert isinstance(objects, list)
    count = int(str(finding["count"]))
    number = f" [bold]{count}[/] against it:" if count else ""
    console().print(f"{_MARKS[str(finding['level'])]} {finding['title']}{number}", soft_wrap=True)
    for one in objects:
        console().print(f"          {one}", soft_wrap=True, markup=False)
    if count > len(objects):
        console().print(f"          and {count - len(objects)} more", soft_wrap=True)
    if finding["remedy"]:
        console().print(f"        {finding['remedy']}", soft_wrap=True, markup=False)


def backup(
    file: Annotated[Path, typer.Argument(help="Where to write it, such as karat.tar.")],
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Write the database and all files into one file, also while Karat runs."""
    from karat.local.backup import back_up
    from karat.local.installation import opened

    with opened(data) as installation:
        made = back_up(installation, file)
    typer.echo(f"{file}: {made.files} files, {made.bytes / 2**20:.1f} MiB.")


def restore(
    file: Annotated[Path, typer.Argument(help="What karat backup wrote.")],
    data: DataOption = DEFAULT_DATA,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what the installation holds.")
    ] = False,
) -> None:
    """Put a backup back into an empty installation that does not run."""
    from karat.local.installation import opened
    from karat.local.restore import restore_from

    with opened(data, stopped=True) as installation:
        put = restore_from(file, installation, replace=replace)
    where = "" if data == DEFAULT_DATA else f" --data-dir {shlex.quote(str(data))}"
    typer.echo(
        f"Restored {put.files} files and the database as of {put.created_at}. "
        f"Check it with: karat verify{where}"
    )
