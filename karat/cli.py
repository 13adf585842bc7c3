"""The command line: ``karat``."""

import os
import sys
from typing import Annotated

import typer

from karat.commands.audit_log import audit_log
from karat.commands.certificates import certificates, certify
from karat.commands.check import check
from karat.commands.connection import remedy, target
from karat.commands.demo import demo
from karat.commands.draws import audit
from karat.commands.exports import export
from karat.commands.fields import fields
from karat.commands.imports import import_images
from karat.commands.jobs import algorithms, jobs
from karat.commands.judges import judges
from karat.commands.members import add_member, list_members, remove_member
from karat.commands.pool import pool
from karat.commands.predictions import predictions
from karat.commands.projects import projects, rounds
from karat.commands.reviews import reviews
from karat.commands.selections import selections
from karat.commands.services import DirectoryCommand, doctor, up
from karat.commands.snapshots import snapshots
from karat.commands.subsets import subsets
from karat.commands.syncs import syncs
from karat.commands.upkeep import backup, restore, verify
from karat.commands.users import login, tokens, users
from karat.commands.webhooks import webhooks
from karat.commands.weights import weights
from karat.commands.withdrawals import list_withdrawals, withdraw
from karat.terminal import echo, show_error

_FAILED = 1
# The status that click ends with, too, where the command line is wrong.
_MISUSED = 2

app = typer.Typer(
    name="karat",
    help="Active learning for pools of images and texts that are not pure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command()(demo)
app.command(cls=DirectoryCommand)(up)
app.command(cls=DirectoryCommand)(doctor)
app.command(cls=DirectoryCommand)(verify)
app.command(cls=DirectoryCommand)(backup)
app.command(cls=DirectoryCommand)(restore)
app.command()(check)
app.command()(login)
app.add_typer(projects, name="project")
projects.command("members")(list_members)
projects.command("add-member")(add_member)
projects.command("remove-member")(remove_member)
app.command("import")(import_images)
app.command()(export)
app.add_typer(pool, name="pool")
pool.command("withdraw")(withdraw)
pool.command("withdrawals")(list_withdrawals)
pool.command("fields")(fields)
app.add_typer(predictions, name="predictions")
app.add_typer(rounds, name="round")
app.command()(audit)
app.command()(certify)
app.add_typer(certificates, name="certificate")
app.add_typer(jobs, name="job")
app.add_typer(subsets, name="subset")
app.add_typer(selections, name="selection")
app.add_typer(snapshots, name="snapshot")
app.add_typer(reviews, name="review")
app.add_typer(syncs, name="sync")
app.add_typer(webhooks, name="webhook")
app.add_typer(weights, name="weights")
app.add_typer(judges, name="judge")
app.add_typer(users, name="user")
app.add_typer(tokens, name="token")
app.add_typer(audit_log, name="audit-log")
app.command()(algorithms)


def _version(wanted: bool) -> None:
    if wanted:
        from core.process.version import build

        echo(f"karat {build()}")
        raise typer.Exit


@app.callback()
def options(
    url: Annotated[
        str | None, typer.Option(envvar="KARAT_URL", help="Which Karat; that of the last login.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="API token; that of KARAT_TOKEN, or of the last login.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take the options that all commands share."""
    del version
    target.url = url
    # Empty is unset, as everywhere, and what was read from a file ends with a line end.
    target.token = (token or "").strip() or None


def main() -> None:
    """Run the command line; what a user can mend is told in a line, without a traceback."""
    try:
        app()
    except BrokenPipeError:
        # Whoever read our output has gone; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        status = _explain(error)
        if status is None:
            raise
        sys.exit(status)


def _explain(error: Exception) -> int | None:
    """Tell an expected error; returns the exit status, or None if it was none."""
    from karat.local.processes import ServiceError

    if isinstance(error, ServiceError):
        show_error(error.message, error.remedy)
        return _FAILED
    uploads = sys.modules.get("karat.client.uploads")
    if uploads is not None and isinstance(error, uploads.NothingToSend):
        show_error(str(error))
        return _MISUSED
    if isinstance(error, OSError) and error.filename is not None:
        show_error(f"{error.filename}: {error.strerror}.")
        return _FAILED
    if isinstance(error, OSError):
        from core.files.disk import is_full

        # What is written to a file that is open names none.
        if is_full(error):
            show_error(
                f"Nothing more can be written: {error.strerror}.", "Make room, and try again."
            )
            return _FAILED
    psycopg = sys.modules.get("psycopg")
    if psycopg is not None and isinstance(error, psycopg.Error):
        from karat.local.processes import first_line

        show_error(f"The database does not do it: {first_line(error)}.", "Check DATABASE_URL.")
        return _FAILED
    credentials = sys.modules.get("karat.client.credentials")
    if credentials is not None and isinstance(error, credentials.BadAddress):
        show_error(str(error), "Name one with: karat --url URL ...")
        return _MISUSED
    transport = sys.modules.get("karat.client.transport")
    if transport is not None and isinstance(error, transport.KaratError):
        show_error(str(error), remedy(error))
        return _FAILED
    return None
