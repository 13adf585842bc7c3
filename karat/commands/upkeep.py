"""``karat verify``, ``backup`` and ``restore``: what keeps an installation safe."""

import shlex
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from karat.commands.connection import JsonOption
from karat.commands.services import DEFAULT_DATA, DataOption
from karat.terminal import console, echo, plain, show_error, show_json

if TYPE_CHECKING:
    from karat.local.backup import BackedUp
    from karat.local.backups import Backups
    from karat.local.installation import Installation
    from karat.local.unfinished import Stays

_LOOK_SECONDS: Final = 30.0
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
        console().print(f"          {plain(one)}", soft_wrap=True, markup=False)
    if count > len(objects):
        console().print(f"          and {count - len(objects)} more", soft_wrap=True)
    if finding["remedy"]:
        console().print(f"        {finding['remedy']}", soft_wrap=True, markup=False)


def backup(
    file: Annotated[
        Path,
        typer.Argument(help="Where to write it, such as karat.tar; with --every a directory."),
    ],
    data: DataOption = DEFAULT_DATA,
    every: Annotated[
        str | None,
        typer.Option(help="Go on, and write one again and again: 24h, 30m, 7d."),
    ] = None,
    keep: Annotated[int, typer.Option(min=1, help="With --every: how many stay, the newest.")] = 7,
    check: Annotated[
        bool,
        typer.Option("--check", help="With --every: write none; status 1 if one is long due."),
    ] = False,
) -> None:
    """Write the database and all files into one file, also while Karat runs."""
    from karat.local.backup import back_up
    from karat.local.installation import opened

    if every is not None:
        return _scheduled(file, data, every, keep, check=check)
    if check:
        raise typer.BadParameter("--check goes with --every.")
    with opened(data) as installation:
        made = back_up(installation, file)
    return echo(_made(file, made))


def _made(file: Path, made: "BackedUp") -> str:
    return f"{file}: {made.files} files, {made.bytes / 2**20:.1f} MiB."


def _scheduled(directory: Path, data: Path, every: str, keep: int, *, check: bool) -> None:
    """Write backups into a directory when they are due, until somebody ends that."""
    from karat.local.backups import LEAST, Backups, read_every

    try:
        interval = read_every(every)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--every") from error
    if directory.is_file():
        raise typer.BadParameter(f"{directory} is a file; with --every name a directory.")
    backups = Backups(directory, max(interval, LEAST), keep)
    if not check:
        return _go_on(backups, data)
    found = backups.found()
    newest = f"The newest is of {found[0].at:%Y-%m-%d %H:%M} UTC" if found else "There is none"
    late = backups.is_late(datetime.now(UTC))
    echo(f"{newest}; {len(found)} in {directory}{', one is long due' if late else ''}.")
    if late:
        raise typer.Exit(1)
    return None


def _go_on(backups: "Backups", data: Path) -> None:
    from karat.local.backup import back_up
    from karat.local.installation import opened
    from karat.local.processes import ServiceError
    from karat.local.signals import Interrupted, interruptible

    def write(path: Path) -> "BackedUp":
        with opened(data) as installation:
            return back_up(installation, path)

    with interruptible():
        try:
            while True:
                # Looked at often: a machine that was asleep has no sense of an hour.
                while (left := backups.left(datetime.now(UTC)).total_seconds()) > 0:
                    time.sleep(min(left, _LOOK_SECONDS))
                try:
                    echo(_made(*backups.make(write, datetime.now(UTC))))
                except ServiceError as error:
                    show_error(error.message, error.remedy)
        except Interrupted:
            echo("Stopped.")


def restore(
    file: Annotated[Path | None, typer.Argument(help="What karat backup wrote.")] = None,
    data: DataOption = DEFAULT_DATA,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what the installation holds.")
    ] = False,
    unfinished: Annotated[
        str | None,
        typer.Option(
            metavar="before|now",
            help="In place of FILE, of a restore that was killed: what stays, what was there "
            "before it or what is there now; the other goes.",
        ),
    ] = None,
) -> None:
    """Put a backup back into an empty installation that does not run."""
    from karat.local.installation import opened
    from karat.local.signals import Interrupted, interruptible

    if (file is None) == (unfinished is None):
        raise typer.BadParameter("Name a backup, or what stays of a restore with --unfinished.")
    if unfinished not in {None, "before", "now"}:
        raise typer.BadParameter("before or now.", param_hint="--unfinished")
    said = ""
    with interruptible():
        try:
            with opened(data, stopped=True, unfinished=True) as installation:
                if file is None:
                    said = _settled(installation, "before" if unfinished == "before" else "now")
                else:
                    said = _restored(installation, file, replace=replace)
        except Interrupted:
            if not said:
                show_error("Stopped. Nothing was changed.")
                raise typer.Exit(1) from None
    where = "" if data == DEFAULT_DATA else f" --data-dir {shlex.quote(str(data))}"
    echo(f"{said} Check it with: karat verify{where}")


def _restored(installation: "Installation", file: Path, *, replace: bool) -> str:
    from karat.local.restore import restore_from

    put = restore_from(file, installation, replace=replace)
    return f"Restored {put.files} files and the database as of {put.created_at}."


def _settled(installation: "Installation", stays: "Stays") -> str:
    from karat.local.signals import uninterrupted
    from karat.local.unfinished import alone, settle

    with uninterrupted(), alone(installation.database_url) as connection:
        settle(connection, installation.data_dir, stays)
    return "What was there before is back." if stays == "before" else "What is there now stays."
