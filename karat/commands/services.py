"""``karat up``, ``demo`` and ``doctor``."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from karat.terminal import console, echo

DataOption = Annotated[
    Path,
    typer.Option("--data-dir", envvar="KARAT_DATA_DIR", help="Directory that keeps everything."),
]
HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="Port to listen on; 8080 or the next free one."),
]
DEFAULT_DATA = Path("karat-data")
_EARLIER = "--data"


class DirectoryCommand(TyperCommand):
    """A command with ``DataOption``; it still takes the name that the option had before."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line.

        Args:
            ctx: Of this call.
            args: The words after the command.
        """
        named = [
            f"{_EARLIER}-dir{word.removeprefix(_EARLIER)}"
            if word == _EARLIER or word.startswith(f"{_EARLIER}=")
            else word
            for word in args
        ]
        return super().parse_args(ctx, named)


def up(
    data: DataOption = DEFAULT_DATA,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    gpu_workers: Annotated[
        int, typer.Option(min=0, help="Processes that train, one per device.")
    ] = 1,
    cpu_workers: Annotated[int, typer.Option(min=0, help="Processes that import.")] = 1,
    backup_to: Annotated[
        Path | None,
        typer.Option(envvar="KARAT_BACKUP_DIR", help="Directory to write backups into."),
    ] = None,
    backup_every: Annotated[
        str, typer.Option(envvar="KARAT_BACKUP_EVERY", help="How often: 24h, 30m, 7d.")
    ] = "24h",
    backup_keep: Annotated[
        int, typer.Option(min=1, envvar="KARAT_BACKUP_KEEP", help="How many backups stay.")
    ] = 7,
) -> None:
    """Start Karat with its own PostgreSQL and Redis, until Ctrl-C.

    With DATABASE_URL or REDIS_URL set, those servers are used instead.
    """
    from karat.local.signals import Interrupted, interruptible
    from karat.local.stack import Stack

    backups = None if backup_to is None else backup_words(backup_to, backup_every, backup_keep)
    stack = Stack(
        data,
        host=host,
        port=port,
        workers={"gpu": gpu_workers, "cpu": cpu_workers},
        database_url=os.environ.get("DATABASE_URL") or None,
        redis_url=os.environ.get("REDIS_URL") or None,
        backups=backups,
        notify=lambda message: echo(message, err=True),
    )
    with interruptible():
        try:
            with console().status("Starting Karat …"):
                stack.start()
            try:
                show_ready(stack.url, stack.admin_email, stack.admin_password)
                echo(f"Data and logs are in {stack.data_dir}. Stop with Ctrl-C.")
                stack.wait()
            finally:
                echo("Stopping …")
                stack.stop()
        except Interrupted:
            echo("Stopped.")


def backup_words(directory: Path, every: str, keep: int) -> list[str]:
    """How ``karat backup`` is asked to go on writing backups.

    Raises:
        typer.BadParameter: That would not do.
    """
    from karat.local.backups import read_every

    try:
        read_every(every)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--backup-every") from error
    if directory.is_file():
        raise typer.BadParameter(f"{directory} is a file.", param_hint="--backup-to")
    where = str(directory.expanduser().resolve())
    return [where, "--every", every, "--keep", str(keep)]


def show_ready(url: str, email: str | None, password: str | None) -> None:
    """Say where Karat is and how to log in.

    Args:
        url: Where Karat is.
        email: Whom to log in as, if known.
        password: The password, if it was made just now.
    """
    console().print(f"Karat is ready: [bold cyan]{url}[/]", soft_wrap=True)
    if email and password:
        console().print(
            f"Log in as [bold]{email}[/] with the password [bold]{password}[/] (shown this once).",
            soft_wrap=True,
        )


def doctor(
    data: DataOption = DEFAULT_DATA,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port for karat up; 8080 or the next free one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    orphans: Annotated[
        bool, typer.Option("--orphans", help="Only look for files that belong to nothing.")
    ] = False,
    free: Annotated[bool, typer.Option("--free", help="With --orphans: remove them.")] = False,
) -> None:
    """Say what is wrong with this installation, and how to mend it."""
    from karat.local.doctor import examine
    from karat.local.orphans import orphaned
    from karat.terminal import show_json

    if free and not orphans:
        raise typer.BadParameter("It goes with --orphans.", param_hint="--free")
    findings = []
    for finding in orphaned(data, free=free) if orphans else examine(data, port):
        findings.append(finding)
        if not as_json:
            mark = "[green]ok[/]     " if finding.ok else "[bold red]problem[/]"
            console().print(f"{mark} {finding.subject}: {finding.detail}", soft_wrap=True)
            if finding.remedy:
                console().print(f"        {finding.remedy}", soft_wrap=True)
    if as_json:
        show_json([vars(finding) for finding in findings])
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
